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
  mayResetMove,
  measureWithoutReturn,
} from '../../fixtures/target/rate-limit/windows.ts';
import { counted, groupBy } from '../../fixtures/text.ts';
import { holds, type Instance, outOfReach } from '../../fixtures/trace/property.ts';
import type { Step } from '../../fixtures/trace/step.ts';
import type { Store } from '../../fixtures/trace/store.ts';
import { type Batch, countRequests, exchangesOf, findBatches, type Pair, pairsOf } from './rate-batches.ts';

/** Requests needed to conclude anything. */
const LEAST_REQUESTS = 8;
/** Answers of a kind that are needed, the share of its requests that may be counted, and that of others that must be. */
const LEAST_OF_KIND = 3;
const HARDLY = 0.15;
const MOSTLY = 0.8;
/** Requests of tolerance, because the time of an answer is inexact. */
const SLACK = 2;
/** Seconds: a nearer Reset shows nothing, since the bucket is almost full, or the window almost over. */
const NEAR_RESET = 3;
/** Seconds of refilling that one step of a bucket may return, and the share of the limit. */
const LONGEST_STEP = 10;
const LARGEST_STEP = 0.25;
/** Of the requests of each third of a window: a count that lags, or is kept for a while, falls by more later. */
const LEAST_UNCOUNTED = 0.25;
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

/**
 * A part of a run of batches in which more requests were not counted than come back in that time.
 * @param lag requests by which the count may lag behind.
 * @param count how many were not counted; all of them, to find whether anything could be concluded.
 */
function findUncounted(run: readonly Batch[], refill: Refill, lag: number, count = countMissing): Batch[] | undefined {
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
      if (isMore && requests >= LEAST_REQUESTS) return run.slice(from, i + 1);
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

/** Whether it falls by too little from the beginning of a window to its end. */
function isThroughout(run: readonly Batch[]): boolean {
  const third = Math.ceil(run.length / 3);
  return [0, 1, 2].every((nth) => {
    const some = run.slice(nth * third, (nth + 1) * third);
    const missing = some.reduce((sum, batch, i) => sum + countMissing(run[nth * third + i - 1], batch), 0);
    return missing > 0 && missing >= LEAST_UNCOUNTED * countRequests(some);
  });
}

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
  const all = exchangesOf(own);
  const rate = findFastestRefill(
    exchangesOf(own.filter(({ request }) => request.credential !== 'lower-case scheme')),
    2,
  );
  const slides = doesResetMove(all) || mayResetMove(all);
  const found: Instance[] = [];
  const steady = { rate, times: rate, slides };
  const [first] = batches as [Batch];
  if (neverFalls(batches) && (findUncounted(batches, steady, 0) || isUsedUp(own, first))) {
    const pairs = batches.length > 1 ? pairsOf(batches) : [{ before: first, after: first, fall: 0 }];
    return yield violates('not counted', pairs, describeFalls(pairs));
  }
  const lag = measureLag(batches);
  // A limit that is exceeded, which throttle.429 judges, explains more.
  const answered = exchangesOf(own.filter(({ status }) => status !== 429));
  const isExceeded = [false, true].some((isMoving) => findExcess(answered, [], isMoving) !== undefined);
  const windows = [...groupBy(batches, ({ limit, reset }) => `${limit} ${reset}`).values()]
    .map((run) => run.filter(({ reset, resetIn }) => reset !== undefined && resetIn >= NEAR_RESET))
    .filter((run) => run.length > 0);
  // Whether it would have been found if it had stood still, or if some requests had not been counted.
  let decided = findUncounted(batches, steady, 0, countAll);
  for (const run of windows) {
    const seconds = measureWithoutReturn(exchangesOf(run.flatMap(({ steps }) => steps)));
    const refill = { rate, times: Math.min(rate, seconds > 0 ? 2 / seconds : Infinity), slides };
    decided ??= findUncounted(run, refill, lag, countAll);
    const kind = findStandingKind(run, refill) ?? (isExceeded ? undefined : findNotCounted(run, refill, lag));
    if (kind) found.push(violates('not counted', kind.pairs, describeFalls(kind.pairs), kind.which));
    else for (const pair of findRises(run, refill)) found.push(violates('count rises', [pair], `by ${-pair.fall}`));
  }
  if (found.length > 0) return yield* found;
  const last = decided?.at(-1)?.steps.at(-1);
  yield last
    ? holds(last)
    : outOfReach('requests come back as fast as they are sent, which hides the count', MORE, ...own.slice(-1));
}

const MORE = 'THROTTLING=on, with a THROTTLE_API_KEY';

function describeFalls(pairs: readonly Pair[]): string {
  const [falls, rises] = [pairs.filter(({ fall }) => fall > 0).length, pairs.filter(({ fall }) => fall < 0).length];
  const requests = counted(countRequests(pairs.map(({ after }) => after)), 'request');
  if (rises * 2 > pairs.length) return `rose in ${rises} of ${requests}`;
  return falls === 0 ? `never fell in ${requests}` : `fell in ${falls} of ${requests}`;
}

const KINDS = [
  (step: Step) => `to ${step.operation?.name}`,
  (step: Step) => `with status ${step.status}`,
  (step: Step) => `to ${step.operation?.name} with status ${step.status}`,
] as const;

const stepsOfKind = (batch: Batch, read: (step: Step) => string, kind: string): Step[] =>
  batch.steps.filter((step) => step.operation && read(step) === kind);

/** Every kind that the steps of a run have. */
const kindsOf = (run: readonly Batch[]) =>
  KINDS.flatMap((read) =>
    [...new Set(run.flatMap(({ steps }) => steps.flatMap((step) => (step.operation ? read(step) : []))))].map(
      (which) => ({ which, own: run.map((batch) => stepsOfKind(batch, read, which)) }),
    ),
  );

/** The kind of requests that it hardly falls with, if it falls with most others. */
function findUncountedKind(run: readonly Batch[]): { which: string; pairs: readonly Pair[] } | undefined {
  const pairs = pairsOf(run);
  for (const { which, own } of kindsOf(run)) {
    const some = pairs.filter(({ after }, i) => own[i + 1]?.length === after.steps.length);
    const others = pairs.filter((_, i) => own[i + 1]?.length === 0);
    const fallen = some.reduce((sum, { fall }) => sum + Math.max(0, fall), 0);
    const isCounted = others.length > 0 && others.filter(({ fall }) => fall > 0).length >= MOSTLY * others.length;
    if (some.length >= LEAST_OF_KIND && isCounted && fallen <= HARDLY * countRequests(some.map(({ after }) => after)))
      return { which, pairs: some };
  }
  return undefined;
}

/** A kind of answers that never falls, in more requests of the key than come back and than may be late. */
function findStandingKind(
  run: readonly Batch[],
  refill: Refill,
): { which: string; pairs: readonly Pair[] } | undefined {
  for (const { which, own } of kindsOf(run)) {
    const part = run.flatMap((batch, i) => {
      const counts = (own[i] as Step[]).map(({ exchange }) => readWindow(exchange)?.remaining ?? 0);
      return counts.length > 0 ? [{ ...batch, high: Math.max(...counts), low: Math.min(...counts) }] : [];
    });
    if (part.length < 2 || own.flat().length < LEAST_OF_KIND || !neverFalls(part)) continue;
    const others = run.filter((_, i) => own[i]?.length === 0);
    const lag = Math.max(LAG_OF_KIND, measureLag(countSince(run, others)));
    if (findUncounted(countSince(run, part), refill, lag)) return { which, pairs: pairsOf(part) };
  }
  return undefined;
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

/** A kind that is not counted, or too few requests of all from the beginning of a window to its end. */
function findNotCounted(
  run: readonly Batch[],
  refill: Refill,
  lag: number,
): { which?: string; pairs: readonly Pair[] } | undefined {
  if (!findUncounted(run, refill, lag)) return undefined;
  return findUncountedKind(run) ?? (isThroughout(run) ? { pairs: pairsOf(run) } : undefined);
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
