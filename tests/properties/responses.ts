/** Every response, and the service as a whole: sections 1, 2, 4, 7 and 9. */
import {
  basePath,
  findResponse,
  GET,
  headersOf,
  isNumeric,
  LIST,
  ORDERS,
  resolve,
  type Schema,
} from '../../fixtures/contract/contract.ts';
import { isObject, type Json, parseJson } from '../../fixtures/contract/json.ts';
import { hasRequirement } from '../../fixtures/contract/requirements.ts';
import { satisfies } from '../../fixtures/contract/schemas.ts';
import { showsKey } from '../../fixtures/target/http/authorization.ts';
import { header, headerValues } from '../../fixtures/target/http/exchange.ts';
import { hasStackTrace } from '../../fixtures/text.ts';
import { type Difference, difference, findChangedFields, wrongHeader } from '../../fixtures/trace/finding.ts';
import {
  holds,
  inTheWay,
  type Instance,
  judge,
  type JudgeStep,
  ofSteps,
  type Properties,
  type Property,
  violated,
  violatedIf,
} from '../../fixtures/trace/property.ts';
import type { Step } from '../../fixtures/trace/step.ts';
import type { Store } from '../../fixtures/trace/store.ts';
import {
  explainUnreadable,
  findHindrance,
  isRefusedInFront,
  isSuperseded,
  judgeStatus,
  mayBeCopy,
} from './statuses.ts';

/**
 * Responses that show something of the service: not of a banned key or a proxy, and no 5xx, of which nothing else is judged.
 * Each documented status of an operation is a part: what one shows does not stand for another.
 */
export const ofResponses = (judgeOne: JudgeStep): Property =>
  ofSteps((step, store) => {
    const { operation, status } = step;
    if (!operation || status === undefined || step.isServerError) return undefined;
    if (store.mayBeBanned(step) || isRefusedInFront(step)) return undefined;
    const instance = judgeOne(step, store);
    return instance && { ...instance, part: findResponse(operation, status)?.key ?? 'other statuses' };
  });

const judgeFaults = (faults: readonly Difference[] | { unread: string }, step: Step): Instance =>
  'unread' in faults ? inTheWay(`it cannot be read: ${faults.unread}`, step) : judge(faults, step);

/** @param isOwn by the name of the schema; undefined for an inline one. */
const matches = (isOwn: (name: string | undefined) => boolean, isRange = false): Property =>
  ofResponses((step, store) => {
    const { checked } = step;
    if (!checked || 'unread' in checked) return checked && judgeFaults(checked, step);
    const faults = store.faultsOf(step).filter(({ kind }) => (kind === 'not an int64') === isRange);
    return isOwn(checked.name) && judgeFaults(faults, step);
  });

/** The schemas with their own requirement. */
export const NAMED: readonly (string | undefined)[] = ['Pet', 'Pets', 'Error'];

/** @param missed what was expected in place of a value. */
function findHeaderFaults(
  { exchange }: Step,
  name: string,
  missed?: (value: string) => string | undefined,
): Difference[] {
  const value = header(exchange, name);
  if (value === undefined) return [difference('missing header', `header ${name}`)];
  const expected = missed?.(value);
  return expected === undefined ? [] : [wrongHeader(name, expected, value)];
}

/** Some responses carry a header. */
export const carries = (name: string, isOwn: (step: Step) => boolean, missed?: (value: string) => string | undefined) =>
  ofResponses((step) => isOwn(step) && judge(findHeaderFaults(step, name, missed), step));

/** What the value of a header has to be; undefined if it is. Numbers and booleans are written as in JSON. */
function findHeaderFault(schema: Schema, text: string): string | undefined {
  const { type } = resolve(schema);
  const isNumber = isNumeric({ type } as Schema) && /^-?\d+(\.\d+)?$/.test(text);
  const isJson = type === 'boolean' ? /^(true|false)$/.test(text) : isNumber;
  const value: Json = isJson ? parseJson(text).value : text;
  return satisfies(schema, value) ? undefined : 'a value that matches its schema in the contract';
}

/** 404, 405, 410 and every 5xx show that an operation does not exist. */
function judgeExistence(step: Step, store: Store): Instance | undefined {
  const { status = 0 } = step;
  const hindrance = findHindrance(store, step);
  if (status === 0 || isSuperseded(store, step)) return hindrance;
  const expected = ['not 404', 'not 405', 'not 410', 'not 5xx'];
  if ([404, 405, 410].includes(status) || status >= 500)
    return violated('wrong status', 'status', { expected, actual: status }, step);
  if (status >= 300 && status < 400)
    return explainUnreadable(step, 'is a redirect, which does not show whether the operation exists');
  return hindrance ?? holds(step);
}

/** An integer beyond 2^53 comes back to the last digit, wherever an animal that was added with it is shown. */
function* judgeLargeIntegers(store: Store): Iterable<Instance> {
  for (const { id, addition, shown } of store.known.values()) {
    const large = Object.entries(addition?.sent ?? {}).filter(([, value]) => typeof value === 'bigint');
    for (const { step, fields } of shown) {
      const sent = Object.fromEntries(large.filter(([name]) => name in fields));
      if (!addition || step.start < addition.step.start || !store.isSameStore(step, addition.step)) continue;
      if (Object.keys(sent).length > 0) yield judge(findChangedFields(fields, sent, { id }), step, addition.step);
    }
  }
}

/** What section 4.3 announces. */
const ANNOUNCED = { removalDate: '2030-12-05', replacement: { operation: LIST.id, parameters: ['status'] } };

export const responses: Properties = {
  *'service.base-path'({ facts, steps: [first] }) {
    // The run refuses any other address before it begins.
    const isRight = new URL(facts.settings.baseUrl).pathname.endsWith(basePath);
    if (first) yield isRight ? holds(first) : inTheWay('the base address does not end in the version', first);
  },

  *'contract.deprecation'({ steps: [first] }) {
    const { deprecated, removalDate, replacement } = GET;
    const agrees = deprecated && JSON.stringify({ removalDate, replacement }) === JSON.stringify(ANNOUNCED);
    if (first)
      yield agrees ? holds(first) : inTheWay(`the contract does not mark ${GET.name} as section 4.3 does`, first);
  },

  'orders.exists': ofSteps((step, store) => {
    const { operation, isOfKey, request, status } = step;
    const isRejected = request.credential === 'lower-case scheme' && status === 401;
    return operation === ORDERS && isOfKey && request.faults.length === 0 && !isRejected && judgeExistence(step, store);
  }),

  'service.json': ofResponses((step) => step.jsonFaults && judgeFaults(step.jsonFaults, step)),

  'service.no-undocumented-status': ofResponses((step, store) => {
    const { operation, status = 0 } = step;
    const keys = Object.keys(operation?.responses ?? {});
    // An operation with an undocumented payload may have undocumented statuses too.
    const isShown = keys.every((key) => /^\d{3}$/.test(key));
    if (!operation || !step.isValid || !isShown || (status === 409 && mayBeCopy(store, step))) return undefined;
    const more = { expected: keys.map(Number), actual: status };
    return violatedIf(!findResponse(operation, status), 'wrong status', 'status', more, step);
  }),

  'service.no-server-error': ofSteps((step) => {
    // 501 shows that the server does not know the method (RFC 9110, section 15.6.2).
    const isWrong = step.isServerError && !(step.status === 501 && step.operation === undefined);
    const more = { expected: ['not 5xx'], actual: step.status };
    return step.status !== undefined && violatedIf(isWrong, 'wrong status', 'status', more, step);
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
    const { json, status, checked } = step;
    const isError = checked !== undefined && 'name' in checked && checked.name === 'Error';
    if (!isError || !isObject(json) || typeof json['status'] !== 'number') return undefined;
    const more = { expected: status, actual: json['status'], pointer: '/status' };
    return violatedIf(json['status'] !== status, 'wrong status field', '/status', more, step);
  }),

  'service.headers': ofResponses((step) => {
    const { operation, status = 0, exchange } = step;
    const documented = operation ? headersOf(operation, status).filter(([name]) => !hasRequirement(name)) : [];
    const owed = documented.filter(([name, { required }]) => required || headerValues(exchange, name).length > 0);
    const wrong = owed.flatMap(([name, { schema }]) =>
      findHeaderFaults(step, name, (value) => findHeaderFault(schema, value.trim())),
    );
    return owed.length > 0 && judge(wrong, step);
  }),

  'http.duplicate-keys': ofResponses((step) => {
    const { value: json, repeated } = step.parsed;
    const more = { actual: repeated.slice(0, 5) };
    return (
      typeof json === 'object' && json !== null && violatedIf(repeated.length > 0, 'repeated name', 'body', more, step)
    );
  }),

  'http.head': ofSteps((step, store) => {
    const { method, target } = step.exchange.request;
    if (!step.isOfKey || method !== 'HEAD' || target !== LIST.path) return undefined;
    const { body = '' } = step.exchange.response ?? {};
    const more = { actual: body };
    return judgeStatus(store, step, [200], () => violatedIf(body !== '', 'unexpected body', 'body', more, step));
  }),

  'http.method-not-allowed': ofSteps((step, store) => {
    const { exchange, request, operation, isOfKey } = step;
    const isOther = operation === undefined && !['HEAD', 'OPTIONS'].includes(exchange.request.method);
    if (!isOther || !request.hasPath || !isOfKey) return undefined;
    return judgeStatus(store, step, [405], () => judge(findHeaderFaults(step, 'Allow'), step));
  }),

  'error.no-secrets': ofSteps((step) => {
    const { operation, status = 0, exchange } = step;
    const { body = '' } = exchange.response ?? {};
    if (!operation || status < 400 || status >= 500 || body === '') return undefined;
    const actual = showsKey(body) ? 'the key' : hasStackTrace(body) ? 'a stack trace' : undefined;
    return violatedIf(actual !== undefined, 'secret in error', 'body', { actual }, step);
  }),
};
