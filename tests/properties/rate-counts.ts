/**
 * How X-RateLimit-Remaining counts: section 8.
 *
 * The specification names neither the algorithm nor the window. A fixed window keeps Reset and gives nothing back; a
 * bucket gives requests back, evenly or in steps; earlier requests leave a sliding window. So only what no limiter with
 * these headers gives back in that time is a violation: requests that Remaining did not fall by, and rises. Other users
 * of the key only make it fall faster, and a count that lags falls by more later.
 */
import { rateHeaders } from '../../fixtures/contract/contract.ts';
import { difference } from '../../fixtures/judge/finding.ts';
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

/** Requests needed to conclude anything. */
const LEAST_REQUESTS = 8;
/** Requests of tolerance, because the time of an answer is inexact. */
const SLACK = 2;
/** Seconds: a nearer Reset shows nothing, since the bucket is almost full, or the window almost over. */
const NEAR_RESET = 3;
/** Seconds of refilling that one step of a bucket may return, and the share of the limit. */
const LONGEST_STEP = 10;
const LARGEST_STEP = 0.25;
/** Requests by which the counts of two nodes may differ, and the share of the limit. */
const LARGE_RISE = 16;
const LARGE_SHARE = 0.02;

/** Requests of a key that were under way together, so that their order at the target is unknown. */
export interface Batch {
  /** The one with the lowest count last. */
  steps: readonly Step[];
  limit: number;
  /** The highest and the lowest Remaining. */
  high: number;
  low: number;
  /** Whole seconds, since a Reset with a fraction may be computed again for each answer; undefined if they differ. */
  reset: number | undefined;
  resetIn: number;
  /** Milliseconds since the epoch, from the first request to the last answer. */
  start: number;
  end: number;
}

const exchangesOf = (steps: readonly Step[]) => steps.map(({ exchange }) => exchange);

/** @param own the steps of one key, in the order of sending. @returns those that can be read. */
export function findBatches(own: readonly Step[]): Batch[] {
  const groups: Step[][] = [];
  for (const step of own) {
    const last = groups.at(-1);
    // Times have a resolution of a millisecond.
    const overlaps = last?.some((each) => step.start < each.end + 1) ?? false;
    if (step.exchange.parallel && last?.at(-1)?.exchange.parallel && overlaps) last.push(step);
    else groups.push([step]);
  }
  return groups.flatMap((steps) => readBatch(steps) ?? []);
}

/** Undefined if the answers of the batch do not agree, or miss a header. */
function readBatch(steps: Step[]): Batch | undefined {
  const windows = steps.flatMap((step) => {
    const window = readWindow(step.exchange);
    // The key with its scheme in lower case uses the same budget, or is rejected.
    const isClear = step.status !== 429 && step.request.credential !== 'lower-case scheme';
    return window?.reset !== undefined && isClear ? [{ step, ...window, reset: Math.floor(window.reset) }] : [];
  });
  const sorted = windows.toSorted((a, b) => b.remaining - a.remaining);
  const [first, last] = [sorted[0], sorted.at(-1)];
  if (!first || !last || windows.length < steps.length || windows.some(({ limit }) => limit !== first.limit))
    return undefined;
  return {
    steps: sorted.map(({ step }) => step),
    limit: first.limit,
    high: first.remaining,
    low: last.remaining,
    reset: windows.every(({ reset }) => reset === first.reset) ? first.reset : undefined,
    resetIn: Math.min(...windows.map(({ resetIn = 0 }) => resetIn)),
    start: Math.min(...steps.map((step) => step.start)),
    end: Math.max(...steps.map((step) => step.end)),
  };
}

/** What may come back to a key. */
interface Refill {
  /** Requests a second. */
  rate: number;
  /** Times a second: a bucket gives back as rarely as in the longest time without a return. */
  times: number;
  /** Whether earlier requests may leave a sliding window, all at any time. */
  slides: boolean;
}

const countRequests = (batches: readonly Batch[]): number =>
  batches.reduce((sum, { steps }) => sum + steps.length, 0);

const fallTo = (before: Batch, { low }: Batch): number => before.low - low;

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
    ? batch.steps.length - Math.max(fallTo(before, batch), batch.high - batch.low)
    : Math.max(0, batch.steps.length - (Math.max(batch.limit, batch.high) - batch.low));

const countAll = (_: unknown, { steps }: Batch): number => steps.length;

/** Runs in which it never falls, whatever Reset does. */
function findStanding(batches: readonly Batch[]): Batch[][] {
  const runs: Batch[][] = [];
  for (const [i, batch] of batches.entries()) {
    const before = batches[i - 1];
    const stands = batch.high === batch.low;
    if (stands && before?.limit === batch.limit && fallTo(before, batch) <= 0) runs.at(-1)?.push(batch);
    else runs.push(stands ? [batch] : []);
  }
  return runs;
}

/** Rises that are larger than a step of any bucket, or more than come back in that time after one such step. */
function findRises(
  run: readonly Batch[],
  { rate, slides }: Refill,
): { before: Batch; after: Batch; rise: number }[] {
  const [first, last] = [run[0], run.at(-1)];
  if (!first || !last) return [];
  const used = slides ? first.limit - first.high : 0;
  const secondsOf = (a: Batch, b: Batch): number => (b.end - a.start) / 1000;
  const rises = run.slice(1).flatMap((after, i) => {
    const before = run[i] as Batch;
    return after.high > before.low ? [{ before, after, rise: after.high - before.low }] : [];
  });
  const beyond = rises.filter(({ before, after, rise }) => {
    const refilled = Math.ceil(rate * Math.max(LONGEST_STEP, secondsOf(before, after))) + used;
    return rise > Math.max(refilled, LARGEST_STEP * first.limit) + SLACK;
  });
  const large = rises.filter(
    ({ before, after, rise }) => rise > Math.max(LARGE_RISE, LARGE_SHARE * first.limit) + rate * secondsOf(before, after),
  );
  const all = large.map(({ rise }) => rise);
  // One of them may be the step of a bucket.
  const sum = all.reduce((total, rise) => total + rise, 0) - Math.max(0, ...all);
  const isTooMuch = sum > rate * secondsOf(first, last) + used + SLACK;
  return isTooMuch ? large : beyond;
}

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
  const rate = findFastestRefill(exchangesOf(own.filter(({ request }) => request.credential !== 'lower-case scheme')), 2);
  const slides = doesResetMove(all) || mayResetMove(all);
  const lag = Math.max(
    0,
    ...batches.slice(1).map((batch, i) => {
      const before = batches[i] as Batch;
      return before.limit === batch.limit ? fallTo(before, batch) - batch.steps.length : 0;
    }),
  );
  const isExceeded = findExcess(exchangesOf(own.filter(({ status }) => status !== 429))) !== undefined;
  const found: Instance[] = [];
  for (const run of findStanding(batches)) {
    const part = findUncounted(run, { rate, times: rate, slides }, lag);
    if (part) found.push(violates('not counted', part, { detail: describeFalls(run) }));
  }
  const windows = [...groupBy(batches, ({ limit, reset }) => `${limit} ${reset}`).values()]
    .map((run) => run.filter(({ reset, resetIn }) => reset !== undefined && resetIn >= NEAR_RESET))
    .filter((run) => run.length > 0);
  // Whether it would have been found if it had stood still, or if some requests had not been counted.
  let decided = findUncounted(batches, { rate, times: rate, slides }, 0, countAll);
  for (const run of windows) {
    const seconds = measureWithoutReturn(exchangesOf(run.flatMap(({ steps }) => steps)));
    const refill = { rate, times: Math.min(rate, seconds > 0 ? 2 / seconds : Infinity), slides };
    const rises = findRises(run, refill);
    for (const { before, after, rise } of rises)
      found.push(violates('count rises', [before, after], { detail: `by ${rise}` }));
    // A limit that is exceeded, which throttle.429 judges, explains more.
    const part = found.length === 0 && !isExceeded ? findUncounted(run, refill, lag) : undefined;
    if (part) found.push(violates('not counted', part, { detail: describeFalls(run), which: findKind(run) }));
    decided ??= findUncounted(run, refill, lag, countAll);
  }
  if (found.length > 0) return yield* found;
  const last = decided?.at(-1)?.steps.at(-1);
  yield last
    ? holds(last)
    : outOfReach('requests come back as fast as they are sent, which hides the count', MORE, ...own.slice(-1));
}

const MORE = 'THROTTLING=on, with a THROTTLE_API_KEY';

/** The steps from each batch to the next. */
const pairsOf = (run: readonly Batch[]): { before: Batch; after: Batch; fall: number }[] =>
  run.slice(1).map((after, i) => ({ before: run[i] as Batch, after, fall: fallTo(run[i] as Batch, after) }));

function describeFalls(run: readonly Batch[]): string {
  const pairs = pairsOf(run);
  const [falls, rises] = [pairs.filter(({ fall }) => fall > 0).length, pairs.filter(({ fall }) => fall < 0).length];
  const requests = counted(countRequests(run) - (run[0]?.steps.length === 1 ? 1 : 0), 'request');
  if (rises * 2 > pairs.length) return `rose in ${rises} of ${requests}`;
  return falls === 0 ? `never fell in ${requests}` : `fell in ${falls} of ${requests}`;
}

const KINDS = [
  (step: Step) => `to ${step.operation?.name}`,
  (step: Step) => `with status ${step.status}`,
] as const;

/** The requests that are not counted, in words, if it falls with each of the others. */
function findKind(run: readonly Batch[]): string | undefined {
  const pairs = pairsOf(run).filter(({ after }) => after.steps.length === 1);
  return KINDS.flatMap((read) => {
    const kinds = [...groupBy(pairs, ({ after }) => read(after.steps[0] as Step))];
    const wrong = kinds.filter(([, some]) => some.every(({ fall }) => fall <= 0));
    const others = kinds.filter(([, some]) => some.filter(({ fall }) => fall <= 0).length * 5 > some.length);
    return wrong.length === 1 && others.length === 1 ? wrong.map(([kind]) => kind) : [];
  })[0];
}

function violates(
  kind: 'not counted' | 'count rises',
  part: readonly Batch[],
  more: { detail: string; which?: string | undefined },
): Instance {
  const [first, second = first] = part as [Batch, ...Batch[]];
  const wrong = difference(kind, `header ${rateHeaders.remaining}`, {
    expected: `falls with each request while ${rateHeaders.reset} stays the same`,
    actual: [second === first ? first.high : first.low, kind === 'count rises' ? second.high : second.low],
    ...more,
    ...(more.which?.startsWith('to ') !== true && { isOfKey: true as const }),
  });
  const steps = part.slice(1, 5).flatMap((after, i) => [...after.steps.toReversed(), ...(part[i] as Batch).steps.slice(-1)]);
  return { is: 'violated', differences: [wrong], steps: steps.length > 0 ? steps : first.steps };
}
