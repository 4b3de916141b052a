/**
 * Rounds of throttling, in which a key is used up until it is refused, and whether that is at its limit: sections 7 and 8.
 *
 * The specification does not name the algorithm, so only these are violations:
 *   - early: a 429 though the headers before it announced more than `computeSlack(limit)` requests, and fewer than Limit
 *     were served. If the 429 itself does not show that they were left, and others use the key, nothing is concluded.
 *   - late: more requests served in one window than Limit, slack and lawful refilling allow, or more after Remaining
 *     was 0 (`fixtures/trace/rate-limit/beyond.ts`).
 * Headers of the daily limit show nothing about a limit per minute: a 429 is then neither early nor late.
 */
import { rateHeaders } from '../../fixtures/contract/contract.ts';
import { RESOLUTION_MS } from '../../fixtures/target/http/exchange.ts';
import { isOfDay, type WindowReading } from '../../fixtures/target/rate-limit/headers.ts';
import { computeSlack, readRateLimit, readWait } from '../../fixtures/target/rate-limit/headers.ts';
import { counted, duration, groupBy } from '../../fixtures/text.ts';
import {
  type Beyond,
  findExcess,
  findHeld,
  findServedBeyondLimit,
  isExcess,
} from '../../fixtures/trace/rate-limit/beyond.ts';
import {
  findBatches,
  findLongestReset,
  groupByWindow,
  isRefusedInNext,
  isSameReset,
  isWindowOver,
  measureInexactness,
  readWindows,
  showsOthers,
  UNKNOWN_WINDOW,
} from '../../fixtures/trace/rate-limit/windows.ts';
import { type Instance, isRefusal, type Step } from '../../fixtures/trace/step.ts';
import type { Store } from '../../fixtures/trace/store.ts';

export interface Round {
  /** Up to the refusal, with all that were under way together with it. */
  requests: readonly Step[];
  /** Those that were not refused, and the last reading of their headers. */
  served: readonly Step[];
  last: WindowReading | undefined;
  /** The first answer with 429, or with another status by which a limit may refuse. */
  refusal: Step | undefined;
  /** The first request after the wait, and after each 429 of a later window, which another client may have used up, the next. */
  after: readonly Step[];
  /** Served requests of the key in the whole trace, which show how long its window is. */
  ofKey: readonly Step[];
}

/** A round that came to a refusal, after headers that could be read. */
type Edge = Round & { refusal: Step; last: WindowReading };

export const isThrottled = ({ status }: Step): boolean => status === 429;

export const hasSameKey = (one: Step, other: Step): boolean => one.isOfKey && other.isOfKey && one.key === other.key;

const findAllOfKey = ({ steps }: Store, one: Step): Step[] => steps.filter((each) => hasSameKey(each, one));

/** Requests of the key that were answered, but for 429: they count against the same limit. */
const findAnswered = (store: Store, one: Step): Step[] =>
  findAllOfKey(store, one).filter(
    (each) => each.status !== undefined && !isThrottled(each) && !store.mayBeBanned(each),
  );

export function findRounds(store: Store): Round[] {
  const isOwn = ({ isOfKey, request }: Step): boolean =>
    store.facts.hasThrottleKey ? request.credential === 'throttle' : isOfKey;
  const sent = store.steps.filter((step) => isOwn(step) && store.isThrottling(step));
  const rounds: Round[] = [];
  let rest = sent;
  while (rest.length > 0) {
    const round = readRound(store, rest, sent);
    rounds.push(round);
    const { number: end = Infinity } = round.after.at(-1) ?? {};
    rest = rest.filter(({ number }) => number > end);
  }
  return rounds;
}

/** @param sent all that throttling sent, of which a round begins with the first of `rest`. */
function readRound(store: Store, rest: readonly Step[], sent: readonly Step[]): Round {
  const [first] = rest as [Step];
  const usual = store.steps.filter((step) => !sent.includes(step));
  const refusal = rest.find((step) => isRefusal(step, usual));
  const isTogether = (step: Step): boolean =>
    !refusal || step.number <= refusal.number || (step.exchange.parallel && step.start < refusal.end);
  const requests = rest.filter(isTogether);
  const served = requests.filter((step) => step !== refusal && !isThrottled(step));
  const after = refusal ? findAfter(store, refusal) : [];
  const last = readWindows(served).at(-1);
  return { requests, served, last, refusal, after, ofKey: findAnswered(store, first) };
}

function findAfter(store: Store, refusal: Step): Step[] {
  const end = refusal.end + readWait(refusal.exchange) * 1000;
  // Within a second of the end of the wait, a 429 shows nothing: it may have been rounded down.
  const isAfter = (step: Step): boolean => step.start >= (isThrottled(step) ? end + 1000 : end);
  const after = store.steps.find((step) => hasSameKey(step, refusal) && isAfter(step));
  if (!after) return [];
  return isRefusedInNext(refusal, after) ? [after, ...findAfter(store, after)] : [after];
}

// ---- other clients of the key

export const USED_BY_OTHERS = `${rateHeaders.remaining} fell by more than one a request: another client uses the key`;

/** Whether another client of the key used more of the limit than this trace explains, whatever the answers after the wait show. */
export function isUsedByOthers(store: Store, refusal: Step, after: readonly Step[]): boolean {
  const ofKey = findAllOfKey(store, refusal);
  const read = ofKey.filter((step) => !after.includes(step) && step.window);
  const counting = (findLongestReset(readWindows(read)) + 1) * 1000;
  const isUnexplained = ({ window, start: at, end: until }: Step): boolean => {
    const { limit, remaining } = window as WindowReading;
    const { length } = ofKey.filter(({ start, end }) => start <= until && end >= at - counting);
    // One may have been counted just before the window that the headers show.
    return limit - remaining > length + 1;
  };
  return showsOthers(ofKey) || read.some(isUnexplained);
}

// ---- the edge

const NOT_ANNOUNCED = [
  'the headers do not announce the limit that was reached',
  'a THROTTLE_API_KEY whose headers describe the limit per minute, if there is one',
] as const;
const INEXACT = `${rateHeaders.remaining} does not fall by one a request, as that of several nodes: it may be inexact`;
const ANOTHER_WINDOW = 'the 429 may be of another window than the answers before it';
const NEARER = 'run nearer to the target, or with a THROTTLE_API_KEY whose limit is smaller';

/** Refused with 429, neither early nor late. */
export function judgeEdge(store: Store, round: Round): Instance {
  const { requests, served, last, refusal } = round;
  if (refusal?.exchange.failure)
    return refusal.inTheWay(`the request at the limit got no answer: ${refusal.exchange.failure.message}`);
  const before = served.at(-1);
  if (!before || (refusal && isWindowOver(before, refusal.start)))
    return (requests.at(-1) as Step).outOfReach(
      'the key had no requests left when throttling began, or the window ended before the 429',
      'a THROTTLE_API_KEY that nothing else uses',
    );
  if (!last) return before.inTheWay('the rate-limit headers are missing, wrong or not numbers: the limit is unknown');
  const late = refusal && !isThrottled(refusal) ? undefined : findLateness(round);
  if (late) return late;
  if (refusal) return judgeRefusal(store, { ...round, refusal, last }, before);
  return explainUndecided(store, served, before, last);
}

/** @param before the last request that was served. */
function judgeRefusal(store: Store, edge: Edge, before: Step): Instance {
  const { served, refusal, last } = edge;
  const { status = 0, operation } = refusal;
  const selectWindow = (own: readonly Step[]): readonly Step[] =>
    groupByWindow(own).find((each) => each.includes(before)) ?? served;
  const window = selectWindow(served);
  // Also what other chapters sent before.
  const ofKey = selectWindow(edge.ofKey.filter(({ number }) => number < refusal.number));
  // In parallel with the 429 an exhausted budget shows in any answer, and a moving Reset may differ between them.
  const together = served.filter(({ start, end }) => start < refusal.end && refusal.start < end);
  const least = Math.min(...readWindows([...window, ...together]).map(({ remaining }) => remaining));
  // Any other status may have another cause before the limit is reached.
  const slack = isThrottled(refusal) ? computeSlack(last.limit) : 0;
  // Remaining may lag behind: then the number of requests served in the window shows that the limit was reached.
  const isReached = least <= slack || ofKey.length >= last.limit - slack;
  if (isThrottled(refusal)) {
    if (isReached) return refusal.holds(before);
    const more = { expected: slack, actual: least, detail: `limit ${last.limit}`, isOfKey: true } as const;
    const lawful = explainEarly(store, edge, window, least);
    return lawful ?? refusal.violates('refused early', 'status', more, before);
  }
  // It was not beyond the limit: whether keys have scopes is not specified.
  if ([401, 403].includes(status) && last.remaining > 0 && store.facts.hasThrottleKey)
    return refusal.outOfReach(
      `${operation?.name} answers ${status} to THROTTLE_API_KEY while requests are left: the key may not use it`,
      'a THROTTLE_API_KEY that may use every operation',
    );
  if (!isReached) return refusal.inTheWay(`${operation?.name} was answered ${status} while requests were left`);
  const more = { expected: 429, actual: status, detail: `${last.remaining} left`, isOfKey: true } as const;
  return refusal.violates('not refused', 'status', more, before);
}

/** What may explain a 429, though the answers of its window announced more requests. */
function explainEarly(store: Store, edge: Edge, window: readonly Step[], least: number): Instance | undefined {
  const { refusal, last } = edge;
  const [after] = edge.after;
  // The limit of a day, which only the 429 announces.
  const { retryAfter = 0 } = readRateLimit(refusal.exchange);
  const { limit = last.limit, remaining = 0, reset } = refusal.window ?? {};
  if (limit !== last.limit || isOfDay(retryAfter) || isOfDay(last.resetIn)) return refusal.outOfReach(...NOT_ANNOUNCED);
  const slack = computeSlack(last.limit) + measureInexactness(window);
  if (least <= slack) return refusal.inTheWay(INEXACT);
  // The 429 itself shows that requests were left, whatever others used.
  if (remaining > slack) return undefined;
  // At the end of a window, one of several requests in parallel may be refused in it, and the others served in the next.
  const isUsedUp = ({ window: own }: Step): boolean =>
    own !== undefined && own.remaining <= slack && isSameReset(own.reset, reset);
  if (edge.served.some(isUsedUp)) return refusal.outOfReach(ANOTHER_WINDOW, NEARER);
  // The count of the window may go on after a 429 that does not show its Reset.
  const { remaining: left = 0, reset: later } = after?.window ?? {};
  const goesOn = isSameReset(later, last.reset) && left > slack && left === last.remaining - 1;
  const isSame = (last.resetIn ?? 0) > UNKNOWN_WINDOW && (isSameReset(reset, last.reset) || goesOn);
  if (!isSame) return refusal.outOfReach(ANOTHER_WINDOW, NEARER);
  const own = findAllOfKey(store, refusal);
  return !goesOn && (showsOthers(own) || measureSpread(own) > slack) ? refusal.inTheWay(USED_BY_OTHERS) : undefined;
}

/** How much more was left at one 429 of a key than at another: a limit that is early is so each time. */
function measureSpread(ofKey: readonly Step[]): number {
  const batches = findBatches(ofKey);
  const rests = ofKey.filter(isThrottled).map(({ window, end }) => {
    const before = batches.findLast(({ start }) => start < end);
    return before?.low ?? window?.limit ?? 0;
  });
  return Math.max(...rests) - Math.min(...rests);
}

/** More requests were served than Limit and lawful refilling explain, or those beyond it were served late. */
function findLateness({ served, refusal, ofKey }: Round): Instance | undefined {
  const late = findServedBeyondLimit(served, ofKey);
  // An operation that is not limited violates throttle.every-operation instead.
  const operations = new Set(late?.beyond.map(({ operation }) => operation));
  if (refusal && operations.size === 1 && !operations.has(refusal.operation)) return undefined;
  const inWindow = findExcess(served, ofKey);
  if (inWindow) return blameExcess(inWindow);
  if (late && isExcess(late)) return blameExcess(late, refusal ? 'late' : 'never');
  const inAll = findExcess(served, ofKey, true);
  if (inAll) return blameExcess(inAll);
  const [held] = refusal ? [] : findHeld(served);
  const detail = `0 left, after ${duration(held?.exchange.ms ?? 0)}`;
  return held?.violates('not refused', 'status', { expected: 429, actual: held.status, detail, isOfKey: true });
}

/** Keys that got more than the limit under one Reset, whatever they were used for. */
export function* judgeKeys(store: Store, rounds: readonly Round[]): Iterable<Instance> {
  const isUsedUp = (step: Step): boolean => rounds.some(({ requests: [first] }) => first && hasSameKey(first, step));
  const shown = store.steps.filter((step) => store.showsKey(step));
  for (const [first] of groupBy(shown, ({ key }) => key).values()) {
    const excess = first && findExcess(findAnswered(store, first));
    // A round judges a key that it used up, but for two counters; an operation without a limit shows Remaining 0 all the time.
    if (excess && excess.limit > 0 && (!isUsedUp(first) || countsTwice(excess))) yield blameExcess(excess);
  }
}

/** Two instances count separately where most values of Remaining repeat within one window; at 0 it stays beyond the limit. */
function countsTwice({ beyond }: Beyond): boolean {
  const counts = groupBy(readWindows(beyond), ({ remaining }) => remaining);
  counts.delete(0);
  const repeated = [...counts.values()].filter(({ length }) => length > 1);
  return counts.size > 1 && repeated.length * 2 > counts.size;
}

function blameExcess(found: Beyond, how?: 'late' | 'never'): Instance {
  const { beyond, limit, allowed, atZero } = found;
  const expected = [atZero ? computeSlack(limit) : limit, allowed];
  const detail = how ?? (countsTwice(found) ? 'two counts' : 'one window');
  const more = { expected, actual: beyond.length, detail, isOfKey: true } as const;
  return (beyond.at(-1) as Step).violates('not refused', 'status', more, atZero ?? beyond[0]);
}

/** Why no request was refused, though none was served beyond the limit. */
function explainUndecided({ facts }: Store, served: readonly Step[], shown: Step, last: WindowReading): Instance {
  const { limit, remaining, resetIn } = last;
  if (isOfDay(resetIn)) return shown.outOfReach(...NOT_ANNOUNCED);
  // The most that were under way together beyond what was left.
  const bursts = findBatches(served, -RESOLUTION_MS).filter((batch) => batch.requests.length > 1);
  const pressed = Math.max(0, ...bursts.map(({ before, requests }) => (before ? requests.length - before.low : 0)));
  const requests = counted(served.length, 'request');
  if (pressed > 0)
    return shown.inTheWay(
      `${requests} were served, ${pressed} more than were left at the same time: no 429, but no more than a bucket could give back`,
    );
  const readings = readWindows(served);
  const counts = readings.map((each) => each.remaining);
  if (!facts.hasThrottleKey && facts.settings.throttling !== 'on' && Math.min(...counts) <= computeSlack(limit))
    return shown.outOfReach(
      'requests were still served one by one at X-RateLimit-Remaining: 0, which a refilling bucket explains; parallel requests are sent only to a key that may be used up',
      'THROTTLING=on, or a THROTTLE_API_KEY',
    );
  if (readings.every(({ reset }) => reset === undefined))
    return shown.blockedBy('rate.reset.value', `no ${rateHeaders.reset} is a time to come`);
  if (new Set(counts).size > 1 || counts.length < 2)
    return shown.outOfReach('the window ended before its limit was reached', NEARER);
  return shown.inTheWay(`${rateHeaders.remaining} stayed ${remaining} in ${requests}`);
}
