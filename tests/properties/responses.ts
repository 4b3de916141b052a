/** Every response, and the service as a whole: sections 1, 2, 4, 7 and 9. */
import { ADD, basePath, findResponse, GET, headersOf, LIST, ORDERS } from '../../fixtures/contract/contract.ts';
import type { Schema } from '../../fixtures/contract/contract.ts';
import { variableIn } from '../../fixtures/contract/credentials.ts';
import { isObject, parseNumber } from '../../fixtures/contract/json.ts';
import { hasRequirement, NAMED } from '../../fixtures/contract/requirements.ts';
import { satisfies } from '../../fixtures/contract/schemas.ts';
import { buildTarget } from '../../fixtures/contract/values.ts';
import { header, headerValues, isPast } from '../../fixtures/target/http/exchange.ts';
import { hasStackTrace, memoize } from '../../fixtures/text.ts';
import { checkJson, checkSchema } from '../../fixtures/trace/body.ts';
import { type Difference, difference, findChangedFields } from '../../fixtures/trace/finding.ts';
import type { Instance, Step } from '../../fixtures/trace/step.ts';
import { type JudgeStep, ofSteps, type Properties, type Property, type Store } from '../../fixtures/trace/store.ts';
import { isThere } from './others.ts';
import { isRefusedInFront, judgeExistence, judgeStatus, mayBeCopy } from './statuses.ts';

/** Responses that show something of the service, no 5xx; each documented status is a part, since one does not stand for another. */
export const ofResponses = (judgeOne: JudgeStep): Property =>
  function* (store) {
    for (const [step, part] of selectResponses(store)) {
      const instance = judgeOne(step, store);
      if (instance) yield { ...instance, part };
    }
  };

const selectResponses = memoize((store: Store) =>
  store.steps.flatMap((step): [Step, part: string][] => {
    const { operation, status } = step;
    if (!operation || status === undefined || step.isServerError) return [];
    if (store.mayBeBanned(step) || isRefusedInFront(step)) return [];
    return [[step, findResponse(operation, status)?.key ?? 'other statuses']];
  }),
);

// ---- bodies

const cannotBeRead = (step: Step, unread: string): Instance => step.inTheWay(`it cannot be read: ${unread}`);

/** @param isOwn by the name of the schema; undefined for an inline one. */
const matches = (isOwn: (name: string | undefined) => boolean, isRange = false): Property =>
  ofResponses((step, store) => {
    const checked = checkSchema(step.exchange);
    if (checked?.unread !== undefined) return cannotBeRead(step, checked.unread);
    const differences = store.differencesOf(step).filter(({ kind }) => (kind === 'not an int64') === isRange);
    return checked && isOwn(checked.name) && step.judge(differences);
  });

/** An integer beyond 2^53 comes back to the last digit, wherever an animal that was added with it is shown. */
function* judgeLargeIntegers(store: Store): Iterable<Instance> {
  for (const { id, addition: { step: added, sent } = {}, shown } of store.known.values())
    for (const { step, fields } of shown) {
      const isLarge = (name: string): boolean => typeof sent?.[name] === 'bigint' && name in fields;
      if (!added || !sent || !Object.keys(sent).some(isLarge)) continue;
      if (step.start < added.start || !store.isSameStore(step, added)) continue;
      const changed = findChangedFields(fields, sent, { id, names: store.names });
      const wrong = changed.filter(({ place }) => isLarge(place.slice(1)));
      if (!changed.some(({ kind }) => kind === 'wrong animal')) yield step.judge(wrong, added);
    }
}

// ---- headers

/** What a header has to be that is something else; undefined if it is right. */
export type Check = (value: string, step: Step) => (Partial<Difference> & { expected: string }) | undefined;

/** A missing header may have been sent with or without `X-`, or with another hyphen. */
export function checkHeader(step: Step, name: string, check: Check = () => undefined): Difference[] {
  const { exchange } = step;
  const actual = header(exchange, name);
  const wrong = actual === undefined ? undefined : check(actual, step);
  if (wrong) return [difference('wrong header', `header ${name}`, { actual, ...wrong })];
  if (actual !== undefined) return [];
  const others = [name.replace(/^X-/i, ''), name.replaceAll('RateLimit', 'Rate-Limit')];
  const detail = others.find((each) => each !== name && header(exchange, each) !== undefined);
  const change = detail === undefined ? undefined : ({ how: 'named', detail } as const);
  return [difference('missing header', `header ${name}`, { change })];
}

export const carries = (name: string, isOwn: (step: Step) => boolean, check?: Check): Property =>
  ofResponses((step) => isOwn(step) && step.judge(checkHeader(step, name, check)));

/** Numbers and booleans may be written as in JSON. */
function matchesSchema(schema: Schema, text: string): boolean {
  if (satisfies(schema, text)) return true;
  if (text === 'true' || text === 'false') return satisfies(schema, text === 'true');
  return /^-?\d+(\.\d+)?$/.test(text) && satisfies(schema, parseNumber(text));
}

// ---- the service

/** What section 4.3 announces. */
const ANNOUNCED = { removalDate: '2030-12-05', replacement: { operation: LIST.id, parameters: ['status'] } };

export const responses: Properties = {
  *'service.base-path'({ facts, steps: [first] }) {
    // The run refuses any other address before it begins.
    const isRight = facts.baseUrl.endsWith(basePath);
    if (first) yield isRight ? first.holds() : first.inTheWay('the base address does not end in the version');
  },

  *'contract.deprecation'({ steps: [first] }) {
    const { removalDate, raw } = GET;
    const announced = { removalDate, replacement: raw['x-replacement'] };
    const agrees = raw.deprecated && JSON.stringify(announced) === JSON.stringify(ANNOUNCED);
    if (first)
      yield agrees ? first.holds() : first.inTheWay(`the contract does not mark ${GET.name} as section 4.3 does`);
  },

  'orders.exists': ofSteps(
    (step, store) => step.calls(ORDERS) && step.request.faults.length === 0 && judgeExistence(step, store),
  ),

  'service.json': ofResponses((step) => {
    const found = checkJson(step.exchange);
    return found && ('unread' in found ? cannotBeRead(step, found.unread) : step.judge(found));
  }),

  'service.no-undocumented-status': ofResponses((step, store) => {
    const { operation, status = 0 } = step;
    const { faults, deviations } = step.request;
    const keys = Object.keys(operation?.responses ?? {});
    // An operation with an undocumented payload may have undocumented statuses too.
    const isShown = keys.every((key) => /^\d{3}$/.test(key));
    // What a removed operation is answered is open.
    if (isPast(operation?.removalDate, step.exchange) !== false) return undefined;
    // An odd body may be refused, but if it is taken, it is answered as any other.
    const isOdd = faults.length === 0 && deviations.every(({ place }) => place.startsWith('body '));
    const isMeant = step.isValid || (step.calls(ADD) && step.isServed && isOdd);
    if (!operation || !isMeant || !isShown || (status === 409 && mayBeCopy(store, step))) return undefined;
    // Where no status is documented for it, nothing may have an id that no response showed, and what was removed is gone.
    if ([404, 410].includes(status) && !keys.includes('404') && !isThere(step, store)) return undefined;
    const more = { expected: keys.map(Number), actual: status };
    return step.violatesIf(!findResponse(operation, status), 'wrong status', 'status', more);
  }),

  'service.no-server-error': ofSteps((step) => {
    const { shownStatus: status, operation, isServerError } = step;
    // 501 shows that the server does not know the method (RFC 9110, section 15.6.2).
    const isWrong = isServerError && !(status === 501 && operation === undefined);
    const more = { expected: ['not 5xx'], actual: status };
    return (isWrong || step.status !== undefined) && step.violatesIf(isWrong, 'wrong status', 'status', more);
  }),

  'pet.schema': matches((name) => name === 'Pet'),
  'pets.schema': matches((name) => name === 'Pets'),
  'error.schema': matches((name) => name === 'Error'),
  'service.schema': matches((name) => !NAMED.includes(name)),

  *'pet.int64'(store) {
    yield* matches((name) => name === 'Pet' || name === 'Pets', true)(store);
    yield* judgeLargeIntegers(store);
  },

  'error.status': ofResponses((step) => {
    const { json, status, exchange } = step;
    const isError = checkSchema(exchange)?.name === 'Error';
    const sent = isError && isObject(json) ? json['status'] : undefined;
    if (typeof sent !== 'number' && typeof sent !== 'bigint') return undefined;
    const more = { expected: status, actual: typeof sent === 'bigint' ? String(sent) : sent, pointer: '/status' };
    return step.violatesIf(sent !== status, 'wrong status field', '/status', more);
  }),

  'service.headers': ofResponses((step) => {
    const { operation, status = 0, exchange } = step;
    const documented = operation ? headersOf(operation, status).filter(([name]) => !hasRequirement(name)) : [];
    const owed = documented.filter(([name, { required }]) => required || headerValues(exchange, name).length > 0);
    const expected = 'a value that matches its schema in the contract';
    const wrong = owed.flatMap(([name, { schema }]) =>
      checkHeader(step, name, (value) => (matchesSchema(schema, value.trim()) ? undefined : { expected })),
    );
    return owed.length > 0 && step.judge(wrong);
  }),

  'http.duplicate-keys': ofResponses((step) => {
    const { value: json, repeated } = step.parsed;
    const isRead = typeof json === 'object' && json !== null;
    const more = { actual: repeated.slice(0, 5) };
    return isRead && step.violatesIf(repeated.length > 0, 'repeated name', 'body', more);
  }),

  'http.head': ofSteps((step, store) => {
    const { request, response: { body: actual = '' } = {} } = step.exchange;
    if (!step.isOfKey || request.method !== 'HEAD' || request.target !== buildTarget(LIST)) return undefined;
    return judgeStatus(store, step, [200], () => step.violatesIf(actual !== '', 'unexpected body', 'body', { actual }));
  }),

  'http.method-not-allowed': ofSteps((step, store) => {
    const { exchange, request, operation, isOfKey } = step;
    const isOther = operation === undefined && !['HEAD', 'OPTIONS'].includes(exchange.request.method);
    const judgeAllow = (): Instance => step.judge(checkHeader(step, 'Allow'));
    return isOther && request.hasPath && isOfKey && judgeStatus(store, step, [405], judgeAllow);
  }),

  'error.no-secrets': ofSteps((step) => {
    const body = step.exchange.response?.body ?? '';
    if (!step.operation || !step.isRefused || body === '') return undefined;
    const actual = variableIn(body) ? 'the key' : hasStackTrace(body) ? 'a stack trace' : undefined;
    return step.violatesIf(actual !== undefined, 'secret in error', 'body', { actual });
  }),
};
