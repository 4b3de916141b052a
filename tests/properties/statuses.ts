/** Which status a request may get, by the sentences of sections 4, 5 and 7, the judgement of the one that came, and why an answer decides nothing. */
import { ADD, isWriting } from '../../fixtures/contract/contract.ts';
import { hasHidden } from '../../fixtures/target/recording/kept.ts';
import { readRateLimit } from '../../fixtures/target/rate-limit/headers.ts';
import { describeAnswer, describeRequest } from '../../fixtures/target/http/exchange.ts';
import { isGatewayError, mayBeTransient } from '../../fixtures/target/http/exchange.ts';
import { type Instance, isSameRequest, type Step } from '../../fixtures/trace/step.ts';
import { type Known, LAG_MS, type Store } from '../../fixtures/trace/store.ts';

/** A status or a class; `4xx` is any client error but 401, about the credential, and 429, about the limit. */
type AllowedStatus = number | '2xx' | '4xx';

/** Whether the target of a request has U+0000 or bytes that are not UTF-8, or may have had them. */
function hasOddBytes(target: string): boolean {
  try {
    return hasHidden(target) || decodeURIComponent(target).includes('\0');
  } catch {
    return true;
  }
}

/** Whether a proxy or a router may have refused odd bytes before the service saw them: no header of the limit is there. */
export function isRefusedInFront({ exchange, isRefused, request: { credential } }: Step): boolean {
  if (!isRefused || !(credential === 'with bytes above 0x7f' || hasOddBytes(exchange.request.target))) return false;
  const { limit, remaining, reset } = readRateLimit(exchange).headers;
  return [limit, remaining, reset].every(({ text }) => text === undefined);
}

/** Whether a later equal request was answered otherwise than this one, which an intermediary may have answered. */
function isSuperseded({ steps }: Store, step: Step): boolean {
  // A 429 shows nothing about what was asked.
  const isOther = ({ status, exchange }: Step) => ![step.status, 429].includes(status) && !mayBeTransient(exchange);
  return step.isDoubtful && steps.some((each) => each.start >= step.end && isSameRequest(each, step) && isOther(each));
}

/** Whether every answer of the operation to a valid key is a 5xx, so that one shows nothing about its request. */
const isOutage = ({ steps }: Store, { operation }: Step): boolean =>
  steps
    .filter((step) => (operation ? step.calls(operation) : step.isOfKey))
    .every((step) => step.status === undefined || step.isServerError);

/** What only a request with a condition, a range, `Expect` or `Upgrade` is answered (RFC 9110, sections 13 to 15). */
const OF_CONDITIONS = [304, 412, 416, 417, 426];

/** Why the response to a step shows nothing about its request; undefined if it does. @param expected statuses that do. */
function findObstacle(store: Store, step: Step, expected: readonly AllowedStatus[] = []): Instance | undefined {
  const { status, isOfKey } = step;
  const { failure, response, request } = step.exchange;
  const name = `${request.method} ${request.target}`;
  const answered = `${name} was answered ${status}`;
  const isConditional = step.request.deviations.some(({ place }) => place === 'header');
  if (isConditional && OF_CONDITIONS.includes(status ?? 0))
    return step.outOfReach(`${name} was conditional`, 'a request without conditions');
  const first = failure ? `${name}: ${failure.message}` : answered;
  if (isSuperseded(store, step)) return step.inTheWay(`${first}; it was answered otherwise when it was repeated`);
  const asked = isWriting(request.method) ? describeRequest(step.exchange) : name;
  if (failure?.kind === 'timeout') return step.inTheWay(`${asked} timed out: ${failure.message}`);
  if (status === undefined || !response) {
    const lost = step.askAgain(`${asked} got no answer: ${failure?.message}`, { at: 0 });
    // A read that got none when it was repeated either may be what ends a service: no other answer makes up for it.
    return isWriting(request.method) ? lost : { ...lost, part: name };
  }
  if (response.fault && ['not decoded', 'too long'].includes(response.fault.kind))
    return step.inTheWay(`the answer to ${name} cannot be read: ${response.fault.message}`);
  const limited = `rate limited: ${answered}`;
  const isMeant = store.facts.isForeign || store.isThrottling(step);
  if (status === 429) return isMeant ? step.outOfReach(limited, 'a request within the limit') : step.inTheWay(limited);
  if (isRefusedInFront(step) && !expected.includes(status) && !expected.includes('4xx'))
    return step.outOfReach(
      `${describeRequest(step.exchange)} may have been refused in front of the service: no rate-limit header is there`,
      'a server that passes such bytes on',
    );
  if (status === 401 && isOfKey && step.operation?.secured !== false)
    return step.blockedBy('auth.valid', `the valid key was rejected: ${answered}`);
  if (store.mayBeBanned(step))
    return step.inTheWay(`${answered}: the key got several 429s, and may be banned for a while`);
  if (step.isServerError && isOutage(store, step))
    return step.blockedBy('service.no-server-error', `every request to ${name.split('?')[0]} is answered 5xx`);
  if (isGatewayError(status)) return step.blockedBy('service.no-server-error', `${answered}, which is a gateway error`);
  return undefined;
}

/** Judges the status of a step, and what `then` judges if that is right. @param others steps that it depends on. */
export function judgeStatus(
  store: Store,
  step: Step,
  allowed: readonly AllowedStatus[],
  then: () => Instance = () => step.holds(...others),
  ...others: Step[]
): Instance {
  const obstacle = findObstacle(store, step, allowed);
  if (obstacle) return obstacle;
  const { status = 0 } = step;
  const ofClass = status === 401 ? status : (`${Math.floor(status / 100)}xx` as AllowedStatus);
  if (allowed.includes(status) || allowed.includes(ofClass)) return then();
  return step.violates('wrong status', 'status', { expected: allowed, actual: status }, ...others);
}

/** Why a response is not what it has to be for a judgement: it cannot be read, is not JSON, or has another shape. */
export function explainUnreadable(step: Step, why: string): Instance {
  const { request } = step.exchange;
  const what = step.parsed.unread === undefined ? why : `cannot be read: it is ${step.parsed.unread}`;
  const reason = `the answer to ${request.method} ${request.target} ${what}: ${describeAnswer(step.exchange)}`;
  return step.json === undefined ? step.blockedBy('service.json', reason) : step.inTheWay(reason);
}

export const mayLag = (store: Store, step: Step, at = store.settledAt): Instance =>
  step.askAgain('what was added or removed may not be visible yet', { at });

/** A GET of an animal that a list lacks shows whether it still exists. */
export const mayBeGone = (step: Step, { id }: Known): Instance =>
  step.askAgain('other clients may have removed animals meanwhile', {
    ...{ target: `/pets/${id}`, at: 0, remedy: 'a store that nothing else changes' },
  });

/** 404, 405, 410 and every 5xx show that an operation does not exist; a 5xx does not where another request was served. */
export function judgeExistence(step: Step, store: Store): Instance | undefined {
  const { status = 0, shownStatus, operation } = step;
  const obstacle = findObstacle(store, step);
  if (isSuperseded(store, step)) return obstacle;
  if (step.isServerError && store.steps.some((each) => each.operation === operation && each.isServed && each.isOfKey))
    return step.blockedBy('service.no-server-error', `${operation?.name}: ${shownStatus}, and served otherwise`);
  const expected = ['not 404', 'not 405', 'not 410', 'not 5xx'];
  if ([404, 405, 410].includes(status) || status >= 500)
    return step.violates('wrong status', 'status', { expected, actual: status });
  if (status >= 300 && status < 400)
    return explainUnreadable(step, 'is a redirect, which does not show whether the operation exists');
  return (step.isServed ? undefined : obstacle) ?? step.holds();
}

/** Nothing has the id. @param mayExist something may that no response shows. */
export function judgeUnknown(step: Step, store: Store, mayExist: boolean): Instance {
  const instance = judgeStatus(store, step, [404]);
  if (!mayExist || instance.is !== 'violated') return instance;
  return step.outOfReach('something with this id may exist', 'a request with an id at random');
}

/** Whether the name of an addition may exist, from another one before or at the same moment: a service may take one only. */
export function mayBeCopy(store: Store, step: Step): boolean {
  if (step.operation !== ADD) return false;
  const { name } = step.request.sent ?? {};
  // One that was refused took no name.
  const before = store.of(ADD).filter((other) => other !== step && !other.isRefused && other.start <= step.end);
  const taken = store.additions.flatMap(({ sent, step: each }) =>
    sent['name'] === name && store.isSameStore(each, step) ? each : [],
  );
  // A name that is taken twice afterwards may be; others may remove one meanwhile.
  const isNew = !store.facts.isForeign && taken.every(({ end }) => end > step.start);
  if (isNew && taken.length > 1 && taken.some(({ start }) => start >= step.end)) return false;
  if (before.some(({ request }) => request.sent?.['name'] === name)) return true;
  if (typeof name !== 'string') return false;
  // In traffic of others, another client may have added it meanwhile.
  const isLater = ({ start }: Step): boolean => start >= step.end + LAG_MS;
  return store.mayBeTaken(name, step) || (store.facts.isForeign && !store.isLacking(name, step, isLater));
}
