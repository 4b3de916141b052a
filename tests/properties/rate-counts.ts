/**
 * How X-RateLimit-Remaining counts: section 8.
 *
 * The specification names neither the algorithm nor the window. A fixed window keeps Reset and gives nothing back; a
 * bucket gives requests back, evenly or in steps; earlier requests leave a sliding window. So only what no limiter with
 * these headers gives back in that time is a violation: requests that Remaining did not fall by, and rises. Other users
 * of the key only make it fall faster, and a count that lags falls by more later.
 */
import { rateHeaders } from '../../fixtures/contract/contract.ts';
import { difference } from '../../fixtures/trace/finding.ts';
import { findExcess } from '../../fixtures/target/rate-limit/beyond.ts';
import { readWindow } from '../../fixtures/target/rate-limit/headers.ts';
import {
  doesResetMove,
  findFastestRefill,
  measureWithoutReturn,
  RESET_MOVES_AFTER,
} from '../../fixtures/target/rate-limit/windows.ts';
import { counted, groupBy } from '../../fixtures/text.ts';
import { askAgain, holds, type Instance, outOfReach } from '../../fixtures/trace/property.ts';
import type { Step } from '../../fixtures/trace/step.ts';
import type { Store } from '../../fixtures/trace/store.ts';
import { type Batch, countRequests, exchangesOf, findBatches, type Pair, pairsOf } from './rate-batches.ts';

/** Requests needed to conclude anything. */
const LEAST_REQUESTS = 8;
/** Answers of a kind that are needed, the share of its requests that may be counted, and that of others that must be. */
const LEAST_OF_KIND = 3;
const HARDLY = 0.15;
const MOSTLY = 0.8;
/** Of the requests of each third of a window. */
const LEAST_UNCOUNTED = 0.25;
/** Requests of tolerance, because the time of an answer is inexact. */
const SLACK = 2;
/** Seconds: a nearer Reset shows nothing, since the bucket is almost full, or the window almost over. */
const NEAR_RESET = 3;
/** Seconds of refilling that one step of a bucket may return, and the share of the limit. */
const LONGEST_STEP = 10;
const LARGEST_STEP = 0.25;
/** Requests by which the answers of one kind may lag behind those of others. */
const LAG_OF_KIND = 16;

/** What may come back to a key. */
interface Refill {
  /** Requests a second. */
  rate: number;
  /** Times a second: a bucket gives back as rarely as in the longest time without a return. */
  times: number;
  /** Whether earlier requests may leave a sliding window, all at any time. */
  slides: boolean;
}

/** Requests that were not counted, and what they have in common. */
interface Uncounted {
  which?: string;
  pairs: readonly Pair[];
}

/**
 * The end of a part of a run of batches in which more requests were not counted than come back in that time.
 * @param lag requests by which the count may lag behind.
 * @param count how many were not counted; all of them, to find whether anything could be concluded.
 */
function findUncounted(run: readonly Batch[], refill: Refill, lag: number, count = countMissing): Batch | undefined {
  for (const [from, first] of run.entries()) {
    const used = refill.slides ? first.limit - first.high - 1 : 0;
    let [requests, uncounted, times] = [0, 0, 0];
    for (const [i, batch] of run.entries()) {
      if (i < from) continue;
      // Nothing falls below 0.
      if (batch.low === 0) break;
      const seconds = (batch.end - first.start) / 1000;
      // Later, requests of this part leave a sliding window too.
      if (refill.slides && seconds >= first.resetIn) break;
      const missing = count(i === from ? undefined : run[i - 1], batch);
      requests += batch.steps.length;
      uncounted += missing;
      times += Number(missing > 0);
      const isMore =
        uncounted - lag > refill.rate * seconds + used + SLACK ||
        Math.min(times, uncounted - lag) > refill.times * seconds + used + SLACK;
      if (isMore && requests >= LEAST_REQUESTS) return batch;
    }
  }
  return undefined;
}

/**
 * A rise is one return, however large, before a batch or in it; what falls by more makes up for requests before. The first
 * batch is counted from the limit: answers in parallel may all show what is left after the last of them.
 */
const countMissing = (before: Batch | undefined, batch: Batch): number =>
  before
    ? batch.steps.length - Math.max(before.low - batch.low, batch.high - batch.low)
    : Math.max(0, batch.steps.length - (Math.max(batch.limit, batch.high) - batch.low));

const countAll = (_: unknown, { steps }: Batch): number => steps.length;

/** Where the lowest count never falls, no request after the first batch was counted. */
const countLater = (before: Batch | undefined, { steps }: Batch): number => (before ? steps.length : 0);

const neverFalls = (run: readonly Batch[]): boolean =>
  run.every(({ high, low }) => high === low) && pairsOf(run).every(({ fall }) => fall <= 0);

/** Whether as many requests as the limit allows end in a 429 with the same count, so that few of them came back. */
const isUsedUp = (own: readonly Step[], { limit, low }: Batch): boolean =>
  low > 0 &&
  own.some(
    ({ status, exchange, end }) =>
      status === 429 &&
      readWindow(exchange)?.remaining === low &&
      own.filter((each) => each.status !== 429 && each.start <= end).length >= limit,
  );

/** Rises that are larger than a step of any bucket. */
const findRises = (run: readonly Batch[], { rate, slides }: Refill) =>
  pairsOf(run).filter(({ before, after, fall }) => {
    const seconds = Math.max(LONGEST_STEP, (after.end - before.start) / 1000);
    const used = slides ? before.limit - before.high : 0;
    return -fall > Math.max(Math.ceil(rate * seconds) + used, LARGEST_STEP * after.limit) + SLACK;
  });

/** Requests by which the count lags behind, and falls by more later. */
const measureLag = (run: readonly Batch[]): number =>
  Math.max(
    0,
    ...pairsOf(run).map(({ before, after, fall }) => (before.limit === after.limit ? fall - after.steps.length : 0)),
  );

/** rate.remaining.counts: judges each key separately; a fast refill may hide the count of one. */
export function* judgeCounts(store: Store): Iterable<Instance> {
  const keys = groupBy(
    store.steps.filter(({ isOfKey }) => isOfKey),
    ({ request }) => request.credential === 'throttle',
  );
  for (const own of keys.values()) yield* judgeKey(own);
}

function* judgeKey(own: readonly Step[]): Iterable<Instance> {
  const batches = findBatches(own);
  if (countRequests(batches) <= LEAST_REQUESTS)
    return yield outOfReach(
      'too few requests fell into one window: X-RateLimit-Reset or -Limit changes, which is allowed, or the window was nearly over',
      MORE,
      ...own.slice(-1),
    );
  const rate = findFastestRefill(
    exchangesOf(own.filter(({ request }) => request.credential !== 'lower-case scheme')),
    2,
  );
  const moves = doesResetMove(exchangesOf(own));
  const rises = pairsOf(batches).some(({ fall }) => fall < 0);
  const slides = moves ?? rises;
  const steady = { rate, times: rate, slides };
  const [first] = batches as [Batch];
  if (neverFalls(batches) && (findUncounted(batches, steady, 0) || isUsedUp(own, first)))
    return yield isNotCounted({
      pairs: batches.length > 1 ? pairsOf(batches) : [{ before: first, after: first, fall: 0 }],
    });
  const lag = measureLag(batches);
  // A limit that is exceeded, which throttle.429 judges, explains more.
  const answered = exchangesOf(own.filter(({ status }) => status !== 429));
  const isExceeded = [false, true].some((isMoving) => findExcess(answered, [], isMoving) !== undefined);
  const readable = batches.filter(({ reset, resetIn }) => reset !== undefined && resetIn >= NEAR_RESET);
  const found: Instance[] = [];
  // Whether it would have been found if it had stood still, or if some requests had not been counted.
  let decided = findUncounted(batches, steady, 0, countAll);
  for (const run of groupBy(readable, ({ limit, reset }) => `${limit} ${reset}`).values()) {
    const seconds = measureWithoutReturn(exchangesOf(run.flatMap(({ steps }) => steps)));
    const refill = { rate, times: Math.min(rate, seconds > 0 ? 2 / seconds : Infinity), slides };
    decided ??= findUncounted(run, refill, lag, countAll);
    const uncounted = findKind(run, refill, isExceeded ? Infinity : lag);
    if (uncounted) found.push(isNotCounted(uncounted));
    else for (const pair of findRises(run, refill)) found.push(violates('count rises', [pair], `by ${-pair.fall}`));
  }
  if (found.length > 0) return yield* found;
  const last = decided?.steps.at(-1);
  const read = own.findLast(({ operation, isServed }) => operation?.method === 'GET' && isServed);
  // Earlier requests may leave a sliding window, which a Reset that moves shows.
  if (!last && read && moves === undefined && rises)
    return yield askAgain(
      `${rateHeaders.remaining} rises within a second, which a sliding window explains`,
      { step: read, at: (own.at(-1) as Step).end + RESET_MOVES_AFTER * 1000 + 100 },
      MORE,
    );
  yield last
    ? holds(last)
    : outOfReach('requests come back as fast as they are sent, which hides the count', MORE, ...own.slice(-1));
}

const MORE = 'THROTTLING=on, with a THROTTLE_API_KEY';

const KINDS = [
  ({ operation }: Step) => `to ${operation?.name}`,
  ({ status }: Step) => `with status ${status}`,
  ({ operation, status }: Step) => `to ${operation?.name} with status ${status}`,
] as const;

/** A kind of requests that is hardly counted, if most others are, or whose answers never fall. */
function findKind(run: readonly Batch[], refill: Refill, lag: number): Uncounted | undefined {
  const all = pairsOf(run);
  if (all.every(({ fall }) => fall <= 0) && findUncounted(run, refill, lag, countLater)) return { pairs: all };
  const isMissing = findUncounted(run, refill, lag) !== undefined;
  const kinds = KINDS.flatMap((read) =>
    [...new Set(run.flatMap(({ steps }) => steps.map(read)))].map((which) => ({ read, which })),
  );
  for (const { read, which } of kinds) {
    const own = run.map(({ steps }) => steps.filter((step) => step.operation && read(step) === which));
    if (own.flat().length < LEAST_OF_KIND) continue;
    const part = run.flatMap((batch, i) => {
      const counts = (own[i] as Step[]).map(({ exchange }) => readWindow(exchange)?.remaining ?? 0);
      return counts.length > 0 ? [{ ...batch, high: Math.max(...counts), low: Math.min(...counts) }] : [];
    });
    const others = run.filter((_, i) => own[i]?.length === 0);
    const lagOfKind = Math.max(LAG_OF_KIND, measureLag(countSince(run, others)));
    const stands = part.length > 1 && neverFalls(part) && findUncounted(countSince(run, part), refill, lagOfKind);
    if (stands) return { which, pairs: pairsOf(part) };
    const pairs = all.filter(({ after }, i) => own[i + 1]?.length === after.steps.length);
    const falls = all.flatMap(({ fall }, i) => (own[i + 1]?.length === 0 ? fall : []));
    const isCounted = falls.length > 0 && falls.filter((fall) => fall > 0).length >= MOSTLY * falls.length;
    const fallen = pairs.reduce((sum, { fall }) => sum + Math.max(0, fall), 0);
    const isHardly = pairs.length >= LEAST_OF_KIND && fallen <= HARDLY * countRequests(pairs.map(({ after }) => after));
    if (isMissing && isCounted && isHardly) return { which, pairs };
  }
  return isMissing && isThroughout(run) ? { pairs: all } : undefined;
}

/** Whether it falls by too little from the beginning of a window to its end: a count that lags falls by more later. */
function isThroughout(run: readonly Batch[]): boolean {
  const missing = run.map((batch, i) => countMissing(run[i - 1], batch));
  return [0, 1, 2].every((nth) => {
    const [from, to] = [nth, nth + 1].map((each) => each * Math.ceil(run.length / 3));
    const sum = missing.slice(from, to).reduce((all, each) => all + each, 0);
    return sum > 0 && sum >= LEAST_UNCOUNTED * countRequests(run.slice(from, to));
  });
}

/** Some batches of a run, of which each has to count the requests since the one before. */
function countSince(run: readonly Batch[], part: readonly Batch[]): Batch[] {
  let next = Infinity;
  return part.map((batch) => {
    const i = run.findIndex(({ steps }) => steps === batch.steps);
    const all = run.slice(Math.min(next, i), i + 1);
    next = i + 1;
    return { ...batch, steps: all.flatMap(({ steps }) => steps), start: (all[0] as Batch).start };
  });
}

function isNotCounted({ pairs, which }: Uncounted): Instance {
  const [falls, rises] = [pairs.filter(({ fall }) => fall > 0).length, pairs.filter(({ fall }) => fall < 0).length];
  const requests = counted(countRequests(pairs.map(({ after }) => after)), 'request');
  const seen = falls === 0 ? `never fell in ${requests}` : `fell in ${falls} of ${requests}`;
  return violates('not counted', pairs, rises * 2 > pairs.length ? `rose in ${rises} of ${requests}` : seen, which);
}

function violates(
  kind: 'not counted' | 'count rises',
  pairs: readonly Pair[],
  detail: string,
  which?: string,
): Instance {
  const [{ before, after }] = pairs as [Pair];
  const wrong = difference(kind, `header ${rateHeaders.remaining}`, {
    expected: `falls with each request while ${rateHeaders.reset} stays the same`,
    actual: [before.low, after.low],
    detail,
    which,
    ...(which?.startsWith('to ') !== true && { isOfKey: true as const }),
  });
  const steps = pairs.slice(0, 4).flatMap((pair) => [...pair.after.steps.toReversed(), ...pair.before.steps.slice(-1)]);
  return { is: 'violated', differences: [wrong], steps };
}
