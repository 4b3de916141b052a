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
import { findExcess, findServedBeyondLimit } from '../../fixtures/target/rate-limit/beyond.ts';
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
import {
  fellByOthers,
  findAnswered,
  isThrottled,
  isUsedByOthers,
  type Round,
  USED_BY_OTHERS,
} from './throttle-rounds.ts';

const OTHER_KEY = 'a THROTTLE_API_KEY whose headers describe the limit per minute, if there is one';
const NEARER = 'run nearer to the target, or with a THROTTLE_API_KEY whose limit is smaller';

/** Reset and Date have a resolution of a second. */
const RESET_ROUNDING_MS = 500;

/** Most requests that a run sends to reach a limit. */
const MOST = 1500;

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
  const late = isExempt(store, served, refusal, ofKey) ? undefined : findLateness(store, served, refusal, ofKey);
  if (late) return late;
  if (!refusal) return explainUndecided(store, served, last);
  const lastExchange = before.exchange;
  const window = groupByWindow(all).find((each) => each.includes(lastExchange)) ?? all;
  // In parallel with the 429 an exhausted budget shows in any answer, and a moving Reset may differ between them.
  const near = new Set([...window, ...exchangesOf(served.filter((each) => overlaps(each, refusal)))]);
  const least = Math.min(...[...near].map((exchange) => readWindow(exchange)?.remaining ?? Infinity));
  const slack = computeSlack(last.limit);
  // Remaining may lag behind: then the number of requests served in the window shows that the limit was reached.
  const answered = findAnswered(store, refusal).filter(({ number }) => number < refusal.number);
  const ofWindow = groupByWindow(exchangesOf(answered)).find((each) => each.includes(lastExchange)) ?? [];
  if (least <= slack || Math.max(near.size, ofWindow.length) >= last.limit - slack) return holds(refusal, before);
  // The limit of a day, which only the 429 announces.
  const { retryAfter = 0 } = readRateLimit(refusal.exchange);
  const isOther =
    (readWindow(refusal.exchange)?.limit ?? last.limit) !== last.limit || retryAfter > LONGEST_SHORT_WINDOW;
  if (isOther || (last.resetIn ?? 0) > LONGEST_SHORT_WINDOW)
    return outOfReach('the headers do not announce the limit that was reached', OTHER_KEY, refusal);
  // Refused requests may be counted too.
  const refusals = readWindows(exchangesOf(sent.filter(isThrottled))).filter(({ remaining }) => remaining > 0);
  if (isUsedByOthers([...readWindows(window), ...refusals]) || fellByOthers(sent))
    return inTheWay(USED_BY_OTHERS, refusal);
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

/** Whether only one operation was not limited, which violates throttle.every-operation instead. */
function isExempt(
  store: Store,
  served: readonly Step[],
  refusal: Step | undefined,
  ofKey: readonly Exchange[],
): boolean {
  if (refusal === undefined) return false;
  const beyond = findServedBeyondLimit(exchangesOf(served), ofKey)?.beyond.map(
    (each) => stepOf(store, each)?.operation,
  );
  return beyond?.[0] !== undefined && beyond[0] !== refusal.operation && beyond.every((each) => each === beyond[0]);
}

/** More requests were served than Limit and lawful refilling explain. */
function findLateness(
  store: Store,
  served: readonly Step[],
  refusal: Step | undefined,
  ofKey: readonly Exchange[],
): Instance | undefined {
  const all = exchangesOf(served);
  const excess = findExcess(all, ofKey);
  if (excess) return blameExcess(store, excess);
  const late = findServedBeyondLimit(all, ofKey);
  if (late && late.beyond.length > late.allowed) {
    const shown = {
      expected: [computeSlack(late.limit), late.allowed],
      actual: late.beyond.length,
      detail: refusal ? 'late' : 'never',
    };
    return wrongOfKey('not refused', shown, stepOf(store, late.beyond.at(-1)), stepOf(store, late.atZero));
  }
  const last = (refusal ?? served.at(-1))?.number ?? 0;
  const before = ofKey.filter(({ number }) => number <= last);
  const inAll = findExcess(all, ofKey, true) ?? findExcess(before, ofKey, true);
  return inAll && blameExcess(store, inAll);
}

export function blameExcess(
  store: Store,
  { window, limit, allowed }: NonNullable<ReturnType<typeof findExcess>>,
): Instance {
  const detail = isOfTwoCounters(window) ? 'two counts' : 'one window';
  const shown = { expected: [limit, allowed], actual: window.length, detail };
  return wrongOfKey('not refused', shown, stepOf(store, window.at(-1)), stepOf(store, window[0]));
}

/** Whether Remaining repeats within one window: two instances count separately. */
function isOfTwoCounters(window: readonly Exchange[]): boolean {
  const counts = readWindows(window).map(({ remaining }) => remaining);
  const repeated = counts.length - new Set(counts).size;
  return new Set(counts).size > 1 && repeated * 3 > counts.length;
}

function explainUndecided({ facts }: Store, served: readonly Step[], last: WindowReading): Instance {
  const { limit, remaining, resetIn = 0 } = last;
  const { maxWait, throttling } = facts.settings;
  const shown = served.slice(-1);
  const seconds = Math.round(resetIn);
  if (resetIn > Math.max(maxWait, LONGEST_SHORT_WINDOW))
    return outOfReach(
      `the headers describe a window that ends in ${seconds} s: using it up would take the budget of a day`,
      OTHER_KEY,
      ...shown,
    );
  if (limit > MOST)
    return outOfReach(
      `the limit of ${limit} exceeds the ${MOST} requests that this suite sends at most`,
      'a THROTTLE_API_KEY with a smaller limit',
      ...shown,
    );
  if (served.length === 1 && throttling === 'auto' && resetIn > maxWait)
    return outOfReach(
      `the window ends in ${seconds} s, which is more than MAX_WAIT (${maxWait} s)`,
      `MAX_WAIT=${seconds + 5}`,
      ...shown,
    );
  if (resetIn > LONGEST_SHORT_WINDOW)
    return outOfReach('the headers do not announce the limit that was reached', OTHER_KEY, ...shown);
  const pressed = countPressed(served);
  if (pressed > 0)
    return inTheWay(
      `${counted(served.length, 'request')} were served, ${pressed} more than were left at the same time: no 429, but no more than a bucket could give back`,
      ...shown,
    );
  const delayed = findDelayed(served);
  if (delayed.length > 0)
    return inTheWay(
      `${counted(served.length, 'request')} without a 429: ${counted(delayed.length, 'request')} at ${rateHeaders.remaining}: 0 got an answer only after ${rateHeaders.reset}, as if the service delays requests beyond the limit`,
      ...delayed.slice(-1),
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

/** Requests after Remaining 0 that were answered once the announced window was over, to a second. */
const findDelayed = (served: readonly Step[]): Step[] =>
  served.slice(1).filter(({ exchange: { ms } }, i) => {
    const { remaining, resetIn = Infinity } = readWindow((served[i] as Step).exchange) ?? {};
    return remaining === 0 && ms >= 1000 && ms / 1000 > resetIn - 1;
  });
