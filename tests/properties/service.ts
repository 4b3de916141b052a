/** The service as a whole, its other operations, and HTTP itself: sections 1, 4.4 and 9. */
import {
  basePath,
  bodySchemaOf,
  fieldsOf,
  GET,
  headersOf,
  isSpecified,
  isWriting,
  LIST,
  ORDERS,
  resolve,
  type Schema,
  successesOf,
} from '../../fixtures/contract/contract.ts';
import { isObject, type Json, parseJson } from '../../fixtures/contract/json.ts';
import { hasRequirement } from '../../fixtures/contract/requirements.ts';
import { satisfies } from '../../fixtures/contract/schemas.ts';
import { difference, differenceIf, findChangedFields, shownText, wrongHeader } from '../../fixtures/trace/finding.ts';
import { header, headerValues } from '../../fixtures/target/http/exchange.ts';
import { int64OfSchemas, ofResponses } from './responses.ts';
import {
  askAgain,
  holds,
  inTheWay,
  type Instance,
  judge,
  outOfReach,
  type Properties,
} from '../../fixtures/trace/property.ts';
import type { Step } from '../../fixtures/trace/step.ts';
import { LAG_MS, type Store } from '../../fixtures/trace/store.ts';
import { explainUnreadable, findHindrance, isUnspecified, judgeStatus } from './statuses.ts';
import { judgeOtherFilters } from './list.ts';

/** What section 4.3 announces. */
const ANNOUNCED = { removalDate: '2030-12-05', replacement: { operation: LIST.id, parameters: ['status'] } };

/** 404, 405, 410 and every 5xx show that an operation does not exist. */
const isAbsent = (status: number): boolean => [404, 405, 410].includes(status) || status >= 500;

function judgeExistence(store: Store, step: Step): Instance {
  const { status } = step;
  if (status === undefined || store.isSuperseded(step)) return findHindrance(store, step) as Instance;
  const expected = ['not 404', 'not 405', 'not 410', 'not 5xx'];
  if (isAbsent(status)) return judge([difference('wrong status', 'status', { expected, actual: status })], step);
  if (status >= 300 && status < 400)
    return explainUnreadable(step, 'is a redirect, which does not show whether the operation exists');
  return findHindrance(store, step) ?? holds(step);
}

/** The value of a header: numbers and booleans are written as in JSON. */
function headerValue(schema: Schema, text: string): Json {
  const { type } = resolve(schema);
  if (type === 'boolean') return text === 'true' || (text === 'false' ? false : text);
  const isNumber = [type].flat().some((each) => each === 'integer' || each === 'number');
  return isNumber && /^-?\d+(\.\d+)?$/.test(text) ? parseJson(text).value : text;
}

/** An integer beyond 2^53 comes back to the last digit, wherever an animal that was added with it is shown. */
function* judgeLargeIntegers(store: Store): Iterable<Instance> {
  yield* int64OfSchemas(store);
  for (const { addition, shown } of store.known.values()) {
    const large = Object.entries(addition?.sent ?? {}).filter(([, value]) => typeof value === 'bigint');
    if (!addition || large.length === 0) continue;
    for (const { step, fields } of shown.filter(
      (each) => each.step.start >= addition.step.start && store.isSameStore(each.step, addition.step),
    )) {
      const own = Object.fromEntries(large.filter(([name]) => name in fields));
      yield judge(findChangedFields(fields, own, { id: addition.animal.id }), step, addition.step);
    }
  }
}

/** Whether responses that came before a moment, in milliseconds since the epoch, showed the id in the path of a step. */
const wasShown = (store: Store, step: Step, until: number): boolean =>
  store.steps.some(({ json, end, isServed, isOfKey, number }) => {
    if (!isServed || !isOfKey || end > until || number === step.number) return false;
    const items = Array.isArray(json) ? json : [json];
    return items.some(
      (item) => isObject(item) && Object.values(item).some((value) => String(value) === step.request.id),
    );
  });

const pathOf = ({ exchange }: Step): string => exchange.request.target.split('?')[0] as string;

/** Whether a request that was under way before the end of a step may have removed what its path names. */
const mayBeGone = (store: Store, step: Step): boolean =>
  store.steps.some(
    (each) =>
      each.exchange.request.method === 'DELETE' &&
      each !== step &&
      each.start <= step.end &&
      !each.isRefused &&
      `${pathOf(step)}/`.startsWith(`${pathOf(each)}/`),
  );

/** The changes of the path of a step before it, and the fields that it has by them. */
function findState(
  store: Store,
  step: Step,
): { last: Step | undefined; fields: Record<string, Json>; isOpen: boolean } {
  const all = store.steps.filter(
    (each) =>
      each.isOfKey &&
      each.start <= step.end &&
      isWriting(each.exchange.request.method) &&
      pathOf(each) === pathOf(step) &&
      !each.isRefused,
  );
  // A change that is accepted for later, failed, or is under way may have an effect or not.
  const isOpen = all.some((each) => !each.isServed || each.status === 202 || each.end > step.start || !each.isValid);
  const addition = store.additions.find(({ animal }) => animal.id === step.request.id);
  const from = all.findLastIndex(({ exchange }) => exchange.request.method !== 'PATCH');
  const begin = from < 0 && addition ? addition.sent : {};
  const fields = Object.assign({}, begin, ...all.slice(Math.max(0, from)).map(({ request }) => request.sent ?? {}));
  return { last: all.at(-1), fields: fields as Record<string, Json>, isOpen };
}

/** What was sent comes back, where the answer has or may have such a field; that a required one is there is of its schema. */
function judgeEcho(step: Step, sent: Record<string, Json>, ...others: Step[]): Instance | undefined {
  const { json, operation, status = 0 } = step;
  if (!isObject(json))
    return step.json === undefined && !step.mayBeEmpty ? explainUnreadable(step, 'is not an object') : undefined;
  const fields = fieldsOf((operation && bodySchemaOf(operation, status)) ?? {});
  const optional = fields.filter(({ required }) => !required).map(({ name }) => name);
  const own = Object.entries(sent).filter(([name]) => name in json || optional.includes(name));
  return own.length > 0 ? judge(findChangedFields(json, Object.fromEntries(own)), step, ...others) : undefined;
}

/** A later GET shows the last change of what its path names. */
function* judgeChanges(store: Store): Iterable<Instance> {
  for (const step of store.steps.filter(
    (each) => each.isValid && each.operation?.method === 'GET' && each.request.id !== undefined,
  )) {
    const { last, fields, isOpen } = findState(store, step);
    if (!last || isOpen) continue;
    const isGone = last.exchange.request.method === 'DELETE';
    const instance = judgeStatus(store, step, isGone ? [404, 410] : [200], last);
    const echo = instance.is === 'holds' && !isGone ? judgeEcho(step, fields, last) : undefined;
    const own = { ...(echo ?? instance), steps: [step, last] };
    const at = last.end + LAG_MS;
    // Only of a removal, later requests do not change what a GET has to show.
    yield isGone && own.is === 'violated' && step.start < at
      ? askAgain('what was removed may be visible for a while', { step, at: at + 100 }, step, last)
      : own;
  }
}

export const service: Properties = {
  *'service.base-path'({ facts, steps: [first] }) {
    // The run refuses any other address before it begins.
    if (first)
      yield new URL(facts.settings.baseUrl).pathname.endsWith(basePath)
        ? holds(first)
        : inTheWay('the base address does not end in the version', first);
  },

  *'contract.deprecation'({ steps: [first] }) {
    const { deprecated, removalDate, replacement } = GET;
    const agrees = deprecated && JSON.stringify({ removalDate, replacement }) === JSON.stringify(ANNOUNCED);
    if (first)
      yield agrees ? holds(first) : inTheWay(`the contract does not mark ${GET.name} as section 4.3 does`, first);
  },

  *'orders.exists'(store) {
    for (const step of store.steps.filter(
      (each) =>
        each.operation === ORDERS &&
        each.isOfKey &&
        each.request.faults.length === 0 &&
        !(each.request.credential === 'lower-case scheme' && each.status === 401),
    ))
      yield judgeExistence(store, step);
  },

  'pet.int64': judgeLargeIntegers,

  'service.headers': ofResponses((step) => {
    const { operation, status = 0, exchange } = step;
    const own = operation ? headersOf(operation, status).filter(([name]) => !hasRequirement(name)) : [];
    const present = own.filter(([name, { required }]) => required || headerValues(exchange, name).length > 0);
    if (present.length === 0) return undefined;
    const wrong = present.flatMap(([name, { schema }]) => {
      const value = header(exchange, name);
      if (value === undefined) return [difference('missing header', `header ${name}`)];
      return satisfies(schema, headerValue(schema, value.trim()))
        ? []
        : [wrongHeader(name, 'a value that matches its schema in the contract', value)];
    });
    return judge(wrong, step);
  }),

  *'service.valid-request'(store) {
    for (const step of store.steps.filter((each) => isUnspecified(each) && each.isValid)) {
      const isKnown = step.request.id === undefined || wasShown(store, step, step.start);
      if (isKnown && !mayBeGone(store, step)) yield judgeStatus(store, step, successesOf(step.operation!));
    }
    // Valid values of parameters that no other requirement names.
    for (const step of store.steps.filter((each) => each.operation && isSpecified(each.operation) && each.isValid)) {
      const isOther = step.operation!.parameters.some(
        (each) =>
          each.in === 'query' &&
          each.name in step.request.query &&
          !(step.operation === LIST && ['limit', 'status'].includes(each.name)),
      );
      if (isOther) yield judgeStatus(store, step, successesOf(step.operation!));
    }
  },

  *'service.unknown-id'(store) {
    for (const step of store.steps.filter(
      (each) => isUnspecified(each) && each.isValid && each.request.id !== undefined,
    )) {
      if (!('404' in step.operation!.responses) || wasShown(store, step, step.end)) continue;
      const instance = judgeStatus(store, step, [404]);
      // This suite chooses ids at random; other clients have theirs from elsewhere.
      const mayExist = store.facts.isForeign && instance.is === 'violated';
      yield mayExist
        ? outOfReach('the id may exist, though no response shows it', 'a run of this suite', step)
        : instance;
    }
  },

  *'service.echo'(store) {
    for (const step of store.steps.filter(
      (each) => isUnspecified(each) && each.isValid && each.isServed && each.request.sent,
    )) {
      const instance = judgeEcho(step, step.request.sent!);
      if (instance) yield instance;
    }
  },

  'service.changes': judgeChanges,

  'service.filter': judgeOtherFilters,

  *'http.head'(store) {
    for (const step of store.steps.filter(
      ({ exchange, isOfKey }) => isOfKey && exchange.request.method === 'HEAD' && exchange.request.target === LIST.path,
    )) {
      const instance = judgeStatus(store, step, [200]);
      const { body = '' } = step.exchange.response ?? {};
      yield instance.is === 'holds'
        ? judge(differenceIf(body !== '', 'unexpected body', 'body', { actual: shownText(body) }), step)
        : instance;
    }
  },

  *'http.method-not-allowed'(store) {
    const isOther = ({ exchange: { request: sent }, request, operation, isOfKey }: Step): boolean =>
      operation === undefined && request.hasPath && isOfKey && !['HEAD', 'OPTIONS'].includes(sent.method);
    for (const step of store.steps.filter(isOther)) {
      const instance = judgeStatus(store, step, [405]);
      const isThere = header(step.exchange, 'Allow') !== undefined;
      yield instance.is === 'holds'
        ? judge(isThere ? [] : [difference('missing header', 'header Allow')], step)
        : instance;
    }
  },
};
