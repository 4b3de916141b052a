/** The service as a whole, and HTTP itself: sections 1, 4.4 and 9. */
import { basePath, GET, LIST, ORDERS } from '../../fixtures/contract/contract.ts';
import { differenceIf, findChangedFields, shownText, difference } from '../../fixtures/trace/finding.ts';
import { holds, inTheWay, type Instance, judge, ofSteps, type Properties } from '../../fixtures/trace/property.ts';
import type { Step } from '../../fixtures/trace/step.ts';
import type { Store } from '../../fixtures/trace/store.ts';
import { findHeaderFaults, int64OfSchemas } from './responses.ts';
import { explainUnreadable, findHindrance, isSuperseded, judgeStatus } from './statuses.ts';

/** What section 4.3 announces. */
const ANNOUNCED = { removalDate: '2030-12-05', replacement: { operation: LIST.id, parameters: ['status'] } };

/** 404, 405, 410 and every 5xx show that an operation does not exist. */
function judgeExistence(step: Step, store: Store): Instance | undefined {
  const { status = 0 } = step;
  if (status === 0 || isSuperseded(store, step)) return findHindrance(store, step);
  const expected = ['not 404', 'not 405', 'not 410', 'not 5xx'];
  if ([404, 405, 410].includes(status) || status >= 500)
    return judge([difference('wrong status', 'status', { expected, actual: status })], step);
  if (status >= 300 && status < 400)
    return explainUnreadable(step, 'is a redirect, which does not show whether the operation exists');
  return findHindrance(store, step) ?? holds(step);
}

/** An integer beyond 2^53 comes back to the last digit, wherever an animal that was added with it is shown. */
function* judgeLargeIntegers(store: Store): Iterable<Instance> {
  yield* int64OfSchemas(store);
  for (const { id, addition, shown } of store.known.values())
    for (const { step, fields } of shown) {
      if (!addition || step.start < addition.step.start || !store.isSameStore(step, addition.step)) continue;
      const large = Object.entries(addition.sent).filter(
        ([name, value]) => typeof value === 'bigint' && name in fields,
      );
      if (large.length > 0)
        yield judge(findChangedFields(fields, Object.fromEntries(large), { id }), step, addition.step);
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

  'orders.exists': ofSteps(
    ({ operation, isOfKey, request, status }) =>
      operation === ORDERS &&
      isOfKey &&
      request.faults.length === 0 &&
      !(request.credential === 'lower-case scheme' && status === 401),
    judgeExistence,
  ),

  'pet.int64': judgeLargeIntegers,

  'http.head': ofSteps(
    ({ exchange: { request }, isOfKey }) => isOfKey && request.method === 'HEAD' && request.target === LIST.path,
    (step, store) =>
      judgeStatus(store, step, [200], () => {
        const { body = '' } = step.exchange.response ?? {};
        return judge(differenceIf(body !== '', 'unexpected body', 'body', { actual: shownText(body) }), step);
      }),
  ),

  'http.method-not-allowed': ofSteps(
    ({ exchange, request, operation, isOfKey }) =>
      operation === undefined && request.hasPath && isOfKey && !['HEAD', 'OPTIONS'].includes(exchange.request.method),
    (step, store) => judgeStatus(store, step, [405], () => judge(findHeaderFaults(step, 'Allow'), step)),
  ),
};
