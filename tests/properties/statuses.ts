/** Which status a request may get, by the sentences of sections 4, 5 and 7, and the judgement of the one that came. */
import { ADD, GET, isSpecified, LIST, successesOf } from '../../fixtures/contract/contract.ts';
import { difference } from '../../fixtures/trace/finding.ts';
import { describeAnswer, isGatewayError } from '../../fixtures/target/http/exchange.ts';
import { hasHidden } from '../../fixtures/target/recording/hidden.ts';
import { readRateLimit } from '../../fixtures/target/rate-limit/headers.ts';
import { askAgain, blockedBy, inTheWay, type Instance, judge } from '../../fixtures/trace/property.ts';
import type { Step } from '../../fixtures/trace/step.ts';
import type { Store } from '../../fixtures/trace/store.ts';

/** A status or a class; `4xx` is any client error but 401, about the credential, and 429, about the limit. */
type AllowedStatus = number | '2xx' | '3xx' | '4xx';

const isAllowed = (status: number, allowed: readonly AllowedStatus[]): boolean =>
  allowed.some((each) =>
    typeof each === 'number'
      ? each === status
      : Math.floor(status / 100) === Number(each[0]) && ![401, 429].includes(status),
  );

/** Whether the target of a request has U+0000 or bytes that are not UTF-8, or may have had them. */
function hasOddBytes({ exchange: { request } }: Step): boolean {
  try {
    return hasHidden(request.target) || decodeURIComponent(request.target).includes('\0');
  } catch {
    return true;
  }
}

/** Whether a proxy or a router may have refused such a request before the service saw it: no header of the limit is there. */
export function isRefusedInFront(step: Step): boolean {
  if (!step.isRefused || !hasOddBytes(step)) return false;
  const { limit, remaining, reset } = readRateLimit(step.exchange).sent;
  return [limit, remaining, reset].every(({ text }) => text === undefined);
}

const nameOf = ({ exchange: { request } }: Step): string => `${request.method} ${request.target}`;

/** Why the response to a step shows nothing about its request; undefined if it does. @param expected statuses that do. */
export function findHindrance(store: Store, step: Step, expected: readonly unknown[] = []): Instance | undefined {
  const { exchange, status, isOfKey } = step;
  const { failure, response } = exchange;
  if (store.isSuperseded(step)) return inTheWay(`${nameOf(step)} was answered otherwise when it was repeated`, step);
  if (failure?.kind === 'timeout') return inTheWay(`${nameOf(step)} timed out: ${failure.message}`, step);
  if (status === undefined || !response)
    return askAgain(`${nameOf(step)} got no answer: ${failure?.message}`, { step, at: 0 });
  if (response.fault && ['not decoded', 'too long'].includes(response.fault.kind))
    return inTheWay(`the answer to ${nameOf(step)} cannot be read: ${response.fault.message}`, step);
  if (status === 429 && !expected.includes(429))
    return inTheWay(
      `rate limited: ${nameOf(step)} was answered 429, though the headers announced remaining requests`,
      step,
    );
  if (isRefusedInFront(step) && ![status, '4xx'].some((each) => expected.includes(each)))
    return inTheWay(
      `${nameOf(step)} may have been refused in front of the service: no rate-limit header is there`,
      step,
    );
  if (status === 401 && isOfKey && !expected.includes(401))
    return blockedBy('auth.valid', `the valid key was rejected: ${nameOf(step)} was answered 401`, step);
  if (store.mayBeBanned(step))
    return inTheWay(
      `${nameOf(step)} was answered ${status}: the key got several 429s, and may be banned for a while`,
      step,
    );
  if (step.isServerError && store.isOutage(step))
    return blockedBy('service.no-server-error', `every request to ${nameOf(step).split('?')[0]} is answered 5xx`, step);
  if (isGatewayError(status))
    return blockedBy(
      'service.no-server-error',
      `${nameOf(step)} was answered ${status}, which is a gateway error`,
      step,
    );
  return undefined;
}

/** Judges the status of a step. */
export function judgeStatus(store: Store, step: Step, allowed: readonly AllowedStatus[], ...others: Step[]): Instance {
  const hindrance = findHindrance(store, step, allowed);
  if (hindrance) return hindrance;
  const status = step.status as number;
  const wrong = difference('wrong status', 'status', { expected: allowed, actual: status });
  return judge(isAllowed(status, allowed) ? [] : [wrong], step, ...others);
}

/** Why a response is not what it has to be for a judgement: not JSON, another shape. */
export const explainUnreadable = (step: Step, why: string): Instance => {
  const reason = `the answer to ${nameOf(step)} ${why}: ${describeAnswer(step.exchange)}`;
  return step.json === undefined ? blockedBy('service.json', reason, step) : inTheWay(reason, step);
};

/** The statuses of a request with a valid key and a fault (sections 4.1 to 4.3, 7). */
export function allowedOfFault({ operation, request }: Step): readonly AllowedStatus[] {
  const [fault] = request.faults;
  if (!operation || !fault) return [];
  if (fault.place.startsWith('body')) return request.oddities.length > 0 ? [400, 415] : [400];
  if (operation === LIST) return [200, '4xx'];
  return fault.place.startsWith('path') && operation === GET ? ['4xx'] : [...successesOf(operation), '4xx'];
}

/** The statuses of a body without a fault: the specification does not show which names and categories are taken. */
export const allowedOfAddition = (store: Store, step: Step): readonly AllowedStatus[] =>
  step.isOdd ? ['2xx', '4xx'] : mayBeCopy(store, step) ? [201, 400, 409] : [201, 400];

/** Whether the name of an addition may exist, from another one before or at the same moment: a service may take one only. */
export function mayBeCopy(store: Store, step: Step): boolean {
  const { name } = step.request.sent ?? {};
  const isSent = store
    .of(ADD.id)
    .some((other) => other !== step && other.start <= step.end && other.request.sent?.['name'] === name);
  if (isSent || typeof name !== 'string') return isSent;
  return store.mayBeTaken(name, step) || store.mayBeTakenMeanwhile(name, step);
}

export const isUnspecified = ({ operation }: Step): boolean => operation !== undefined && !isSpecified(operation);
