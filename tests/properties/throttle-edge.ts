/**
 * Whether a key is refused at its limit: sections 7 and 8.
 *
 * The specification does not name the algorithm, so only these are violations:
 *   - early: a 429 though the headers before it announced more than `computeSlack(limit)` requests, and fewer than Limit
 *     were served. If the count falls by more than one a request, another client uses the key, and nothing is concluded.
 *   - late: more requests served in one window than Limit, slack and lawful refilling allow, or more after Remaining
 *     was 0 (`fixtures/target/rate-limit/beyond.ts`).
 * Headers of the daily limit show nothing about a limit per minute: a 429 is then neither early nor late.
 */
import { rateHeaders } from '../../fixtures/contract/contract.ts';
import { type Difference, difference, type Kind } from '../../fixtures/trace/finding.ts';
import type { Exchange } from '../../fixtures/target/http/exchange.ts';
import { type Beyond, findExcess, findServedBeyondLimit, isExcess } from '../../fixtures/target/rate-limit/beyond.ts';
import {
  computeSlack,
  LONGEST_SHORT_WINDOW,
  readRateLimit,
  readWindow,
  readWindows,
  type WindowReading,
} from '../../fixtures/target/rate-limit/headers.ts';
import { findLongestReset, groupByWindow, UNKNOWN_WINDOW } from '../../fixtures/target/rate-limit/windows.ts';
import { counted } from '../../fixtures/text.ts';
import { holds, inTheWay, type Instance, outOfReach } from '../../fixtures/trace/property.ts';
import { RESOLUTION_MS, type Step } from '../../fixtures/trace/step.ts';
import type { Store } from '../../fixtures/trace/store.ts';
import { exchangesOf, findBatches, pairsOf } from './rate-batches.ts';
import { fellByOthers, findAnswered, isThrottled, type Round, USED_BY_OTHERS } from './throttle-rounds.ts';

const OTHER_KEY = 'a THROTTLE_API_KEY whose headers describe the limit per minute, if there is one';
const NEARER = 'run nearer to the target, or with a THROTTLE_API_KEY whose limit is smaller';

/** Reset and Date have a resolution of a second. */
const RESET_ROUNDING_MS = 500;

export const violates = (wrong: Difference, ...steps: (Step | undefined)[]): Instance => ({
  is: 'violated',
  differences: [wrong],
  steps: steps.filter((step) => step !== undefined),
});

/** A wrong status that is about the key, on any operation. */
export const wrongOfKey = (
  kind: Kind,
  shown: Parameters<typeof difference>[2],
  ...steps: (Step | undefined)[]
): Instance => violates(difference(kind, 'status', { ...shown, isOfKey: true }), ...steps);

const stepOf = (store: Store, exchange: Exchange | undefined): Step | undefined =>
  store.steps.find((step) => step.exchange === exchange);

/** Refused with 429, neither early nor late. */
export function judgeEdge(store: Store, { sent, refusal, ofKey }: Round): Instance {
  if (refusal?.exchange.failure)
    return inTheWay(`the request at the limit got no answer: ${refusal.exchange.failure.message}`, refusal);
  const served = sent.filter((step) => step !== refusal && !isThrottled(step));
  const all = exchangesOf(served);
  const [before, last] = [served.at(-1), readWindows(all).at(-1)];
  if (!before || (refusal && isWindowOver(before, refusal)))
    return outOfReach(
      'the key had no requests left when throttling began, or the next window did',
      'a THROTTLE_API_KEY that nothing else uses',
      ...sent.slice(-1),
    );
  if (!last)
    return inTheWay('the rate-limit headers are missing or not numbers: the limit is unknown', ...served.slice(-1));
  const { status = 0, operation } = refusal ?? {};
  // It was not beyond the limit: whether keys have scopes is not specified.
  if (refusal && [401, 403].includes(status) && last.remaining > 0 && store.facts.hasThrottleKey)
    return outOfReach(
      `${operation?.name} answers ${status} to THROTTLE_API_KEY while requests are left: the key may not use it`,
      'a THROTTLE_API_KEY that may use every operation',
      refusal,
    );
  if (refusal && !isThrottled(refusal)) {
    const shown = { expected: 429, actual: status, detail: `${last.remaining} left` };
    return wrongOfKey('not refused', shown, refusal, before);
  }
  const late = findLateness(store, served, refusal, ofKey);
  if (late) return late;
  if (!refusal) return explainUndecided(served, last);
  const answered = exchangesOf(findAnswered(store, refusal).filter(({ number }) => number < refusal.number));
  const [window, ofWindow] = [all, answered].map(
    (own) => groupByWindow(own).find((each) => each.includes(before.exchange)) ?? all,
  ) as [Exchange[], Exchange[]];
  // In parallel with the 429 an exhausted budget shows in any answer, and a moving Reset may differ between them.
  const near = [...window, ...exchangesOf(served.filter((each) => overlaps(each, refusal)))];
  const least = Math.min(...readWindows(near).map(({ remaining }) => remaining));
  const slack = computeSlack(last.limit);
  // Remaining may lag behind: then the number of requests served in the window shows that the limit was reached.
  if (least <= slack || ofWindow.length >= last.limit - slack) return holds(refusal, before);
  // The limit of a day, which only the 429 announces.
  const { retryAfter = 0 } = readRateLimit(refusal.exchange);
  const isOther =
    (readWindow(refusal.exchange)?.limit ?? last.limit) !== last.limit || retryAfter > LONGEST_SHORT_WINDOW;
  if (isOther || (last.resetIn ?? 0) > LONGEST_SHORT_WINDOW)
    return outOfReach('the headers do not announce the limit that was reached', OTHER_KEY, refusal);
  if (fellByOthers(sent)) return inTheWay(USED_BY_OTHERS, refusal);
  const ofOne = served.filter(({ exchange }) => window.includes(exchange));
  if (!isInWindow(refusal, ofOne, ofKey))
    return outOfReach('the 429 may be of another window than the answers before it', NEARER, refusal);
  return wrongOfKey(
    'refused early',
    { expected: slack, actual: least, detail: `limit ${last.limit}` },
    refusal,
    before,
  );
}

/**
 * Whether a refusal is certainly of the window that answers before it announced: in another one, others may have used up the
 * key. By Reset where windows are so long that each has a different one, else by the time that was left.
 */
function isInWindow(refusal: Step, ofWindow: readonly Step[], ofKey: readonly Exchange[]): boolean {
  const isOfReset = findLongestReset(readWindows(ofKey)) > UNKNOWN_WINDOW;
  const { reset: own = NaN } = readWindow(refusal.exchange) ?? {};
  return ofWindow.some(({ start, end, exchange }) => {
    const { reset = NaN, resetIn = 0 } = readWindow(exchange) ?? {};
    const isSame = isOfReset && Math.floor(reset) === Math.floor(own);
    return end <= refusal.start && (isSame || refusal.end < start + (resetIn - UNKNOWN_WINDOW) * 1000);
  });
}

/** Whether a request was sent only after a wait for the next window: what was left before shows nothing about it. */
function isWindowOver(before: Step, { start }: Step): boolean {
  const { resetIn } = readWindow(before.exchange) ?? {};
  return resetIn !== undefined && start >= before.end + resetIn * 1000 + RESET_ROUNDING_MS;
}

const overlaps = (one: Step, other: Step): boolean => one.start < other.end && other.start < one.end;

/** More requests were served than Limit and lawful refilling explain. */
function findLateness(
  store: Store,
  served: readonly Step[],
  refusal: Step | undefined,
  ofKey: readonly Exchange[],
): Instance | undefined {
  const all = exchangesOf(served);
  const late = findServedBeyondLimit(all, ofKey);
  const [first, ...others] = new Set(late?.beyond.map((each) => stepOf(store, each)?.operation));
  // An operation that is not limited violates throttle.every-operation instead.
  if (refusal && first && others.length === 0 && first !== refusal.operation) return undefined;
  const inWindow = findExcess(all, ofKey);
  if (inWindow) return blameExcess(store, inWindow);
  if (late && isExcess(late)) return blameExcess(store, late, refusal ? 'late' : 'never');
  const inAll = findExcess(all, ofKey, true);
  return inAll && blameExcess(store, inAll);
}

export function blameExcess(
  store: Store,
  { beyond, limit, allowed, atZero }: Beyond,
  how?: 'late' | 'never',
): Instance {
  const detail = how ?? (isOfTwoCounters(beyond) ? 'two counts' : 'one window');
  const shown = { expected: [atZero ? computeSlack(limit) : limit, allowed], actual: beyond.length, detail };
  return wrongOfKey('not refused', shown, stepOf(store, beyond.at(-1)), stepOf(store, atZero ?? beyond[0]));
}

/** Whether Remaining repeats within one window: two instances count separately. */
function isOfTwoCounters(window: readonly Exchange[]): boolean {
  const counts = readWindows(window).map(({ remaining }) => remaining);
  const repeated = counts.length - new Set(counts).size;
  return new Set(counts).size > 1 && repeated * 3 > counts.length;
}

function explainUndecided(served: readonly Step[], { limit, remaining, resetIn = 0 }: WindowReading): Instance {
  const shown = served.slice(-1);
  if (resetIn > LONGEST_SHORT_WINDOW)
    return outOfReach('the headers do not announce the limit that was reached', OTHER_KEY, ...shown);
  const pressed = countPressed(served);
  if (pressed > 0)
    return inTheWay(
      `${counted(served.length, 'request')} were served, ${pressed} more than were left at the same time: no 429, but no more than a bucket could give back`,
      ...shown,
    );
  const counts = readWindows(exchangesOf(served)).map((each) => each.remaining);
  if (Math.min(...counts) <= computeSlack(limit))
    return outOfReach(
      'requests were still served one by one at X-RateLimit-Remaining: 0, which a refilling bucket explains; parallel requests are sent only to a key that may be used up',
      'THROTTLING=on, or a THROTTLE_API_KEY',
      ...shown,
    );
  if (new Set(counts).size > 1 || counts.length < 2)
    return outOfReach('the window ended before its limit was reached', NEARER, ...shown);
  return inTheWay(`${rateHeaders.remaining} stayed ${remaining} in ${counted(served.length, 'request')}`, ...shown);
}

/** The most requests that were under way together beyond what was left. */
const countPressed = (served: readonly Step[]): number =>
  Math.max(
    0,
    ...pairsOf(findBatches(served, -RESOLUTION_MS)).map(({ before, after: { steps } }) =>
      steps.length > 1 ? steps.length - before.low : 0,
    ),
  );
