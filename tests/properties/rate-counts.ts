/**
 * How X-RateLimit-Remaining counts: section 8.
 *
 * The specification names neither the algorithm nor the window. A fixed window keeps Reset and gives nothing back; a
 * bucket gives requests back, evenly or in steps; earlier requests leave a sliding window. So only what no limiter with
 * these headers gives back in that time is a violation: requests that Remaining did not fall by, and rises. Other users
 * of the key only make it fall faster, and a count that lags falls by more later.
 */
import { rateHeaders } from '../../fixtures/contract/contract.ts';
import type { Exchange } from '../../fixtures/target/http/exchange.ts';
import { findExcess } from '../../fixtures/target/rate-limit/beyond.ts';
import { readWindow } from '../../fixtures/target/rate-limit/headers.ts';
import {
  doesResetMove,
  findFastestRefill,
  measureWithoutReturn,
  RESET_MOVES_AFTER,
} from '../../fixtures/target/rate-limit/windows.ts';
import { counted, groupBy } from '../../fixtures/text.ts';
import { type Instance, RESOLUTION_MS, type Step } from '../../fixtures/trace/step.ts';
import type { Store } from '../../fixtures/trace/store.ts';

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

/** Requests of a key that were under way together, so that their order at the target is unknown. */
interface Batch {
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

/** From one batch to the next, by how much the lowest count falls. */
interface Pair {
  before: Batch;
  after: Batch;
  fall: number;
}

/** Those of one key that can be read. @param apart milliseconds; negative for requests that certainly were under way together. */
export function findBatches(own: readonly Step[], apart = RESOLUTION_MS): Batch[] {
  const groups: Step[][] = [];
  for (const step of own) {
    const last = groups.at(-1);
    const overlaps = last?.some((each) => step.start < each.end + apart) ?? false;
    if (step.exchange.parallel && last?.at(-1)?.exchange.parallel && overlaps) last.push(step);
    else groups.push([step]);
  }
  return groups.flatMap((steps) => readBatch(steps) ?? []);
}

/** Undefined if the answers of the batch do not agree, or miss a header. A 429 need not be counted, and is left out. */
function readBatch(all: Step[]): Batch | undefined {
  const steps = all.filter(({ status }) => status !== 429);
  const windows = steps.flatMap((step) => {
    const window = readWindow(step.exchange);
    return window?.reset === undefined ? [] : [{ step, ...window, reset: Math.floor(window.reset) }];
  });
  const sorted = windows.toSorted((a, b) => b.remaining - a.remaining);
  const [first, last] = [sorted[0], sorted.at(-1)];
  if (!first || !last || windows.length < steps.length || windows.some(({ limit }) => limit !== first.limit))
    return undefined;
  return {
    ...{ steps: sorted.map(({ step }) => step), limit: first.limit, high: first.remaining, low: last.remaining },
    reset: windows.every(({ reset }) => reset === first.reset) ? first.reset : undefined,
    resetIn: Math.min(...windows.map(({ resetIn = 0 }) => resetIn)),
    start: Math.min(...steps.map((step) => step.start)),
    end: Math.max(...steps.map((step) => step.end)),
  };
}

export const pairsOf = (run: readonly Batch[]): Pair[] =>
  run.slice(1).map((after, i) => ({ before: run[i] as Batch, after, fall: (run[i] as Batch).low - after.low }));

const countRequests = (batches: readonly Batch[]): number => batches.reduce((sum, { steps }) => sum + steps.length, 0);

export const exchangesOf = (steps: readonly Step[]): Exchange[] => steps.map(({ exchange }) => exchange);

interface Refill {
  /** Requests a second. */
  rate: number;
  /** Times a second: a bucket gives back as rarely as in the longest time without a return. */
  times: number;
  /** Whether earlier requests may leave a sliding window, all at any time. */
  slides: boolean;
}

/**
 * Requests of a batch that were not counted. A rise is one return, however large, before a batch or in it; what falls by
 * more makes up for requests before. The first batch is counted from the limit: answers in parallel may all show what is
 * left after the last of them.
 */
const countMissing = ({ steps, limit, high, low }: Batch, before: Batch | undefined): number =>
  before
    ? steps.length - Math.max(before.low - low, high - low)
    : Math.max(0, steps.length - (Math.max(limit, high) - low));

const countAll = ({ steps }: Batch): number => steps.length;

/** One batch does not show a count that never falls: answers in parallel may lag. */
const countLater = (batch: Batch, before: Batch | undefined): number => (before ? countMissing(batch, before) : 0);

/**
 * The end of a part of a run of batches in which more requests were not counted than come back in that time.
 * @param lag requests by which the count may lag behind.
 */
function findUncounted(run: readonly Batch[], refill: Refill, lag: number, count = countMissing): Batch | undefined {
  for (const [from, first] of run.entries()) {
    const used = SLACK + (refill.slides ? first.limit - first.high - 1 : 0);
    let [requests, uncounted, times] = [0, 0, 0];
    const part = run.slice(from);
    for (const [i, batch] of part.entries()) {
      const seconds = (batch.end - first.start) / 1000;
      // Nothing falls below 0; later, requests of this part leave a sliding window too.
      if (batch.low === 0 || (refill.slides && seconds >= first.resetIn)) break;
      const missing = count(batch, part[i - 1]);
      [requests, uncounted, times] = [requests + batch.steps.length, uncounted + missing, times + Number(missing > 0)];
      const isMore =
        uncounted - lag > refill.rate * seconds + used ||
        Math.min(times, uncounted - lag) > refill.times * seconds + used;
      if (isMore && requests >= LEAST_REQUESTS) return batch;
    }
  }
  return undefined;
}

/** Requests by which the count lags behind, and falls by more later. */
function measureLag(run: readonly Batch[]): number {
  const ofLimit = pairsOf(run).filter(({ before, after }) => before.limit === after.limit);
  return Math.max(0, ...ofLimit.map(({ fall, after }) => fall - after.steps.length));
}

/** Rises that are larger than a step of any bucket. */
const findRises = (run: readonly Batch[], { rate, slides }: Refill): Pair[] =>
  pairsOf(run).filter(({ before, after, fall }) => {
    const seconds = Math.max(LONGEST_STEP, (after.end - before.start) / 1000);
    const used = slides ? before.limit - before.high : 0;
    return -fall > Math.max(Math.ceil(rate * seconds) + used, LARGEST_STEP * after.limit) + SLACK;
  });

const neverFalls = (run: readonly Batch[]): boolean =>
  run.every(({ high, low }) => high === low) && pairsOf(run).every(({ fall }) => fall <= 0);

/** Whether as many requests as the limit allows end in a 429 with the same count, so that few of them came back. */
function isUsedUp(own: readonly Step[], { limit, low }: Batch): boolean {
  const last = own.findLast(({ status, exchange }) => status === 429 && readWindow(exchange)?.remaining === low);
  const before = own.filter(({ status, start }) => status !== 429 && start <= (last?.end ?? 0));
  return low > 0 && last !== undefined && before.length >= limit;
}

const kindsOf = ({ operation, status }: Step): string[] => {
  const [called, answered] = [`to ${operation?.name}`, `with status ${status}`];
  return [called, answered, `${called} ${answered}`];
};

/** A kind of requests that is hardly counted, if most others are, or whose answers never fall. */
function findNotCounted(run: readonly Batch[], refill: Refill, lag: number): Instance | undefined {
  const all = pairsOf(run);
  const isMissing = findUncounted(run, refill, lag) !== undefined;
  if (all.every(({ fall }) => fall <= 0) && findUncounted(run, refill, lag, countLater)) return isNotCounted(all);
  const kinds = run.flatMap(({ steps }) => steps.map(kindsOf));
  for (const which of new Set([0, 1, 2].flatMap((nth) => kinds.map((each) => each[nth] as string)))) {
    const own = run.map(({ steps }) => steps.filter((step) => step.operation && kindsOf(step).includes(which)));
    if (own.flat().length < LEAST_OF_KIND) continue;
    const part = run.flatMap((batch, i) => {
      const counts = (own[i] as Step[]).map(({ exchange }) => readWindow(exchange)?.remaining ?? 0);
      return counts.length > 0 ? [{ ...batch, high: Math.max(...counts), low: Math.min(...counts) }] : [];
    });
    const others = run.filter((_, i) => own[i]?.length === 0);
    const lagOfKind = Math.max(LAG_OF_KIND, measureLag(countSince(run, others)));
    const stands = part.length > 1 && neverFalls(part) && findUncounted(countSince(run, part), refill, lagOfKind);
    if (stands) return isNotCounted(pairsOf(part), which);
    const pairs = all.filter(({ after }, i) => own[i + 1]?.length === after.steps.length);
    const falls = all.flatMap(({ fall }, i) => (own[i + 1]?.length === 0 ? fall : []));
    const isCounted = falls.length > 0 && falls.filter((fall) => fall > 0).length >= MOSTLY * falls.length;
    const fallen = pairs.reduce((sum, { fall }) => sum + Math.max(0, fall), 0);
    const isHardly = pairs.length >= LEAST_OF_KIND && fallen <= HARDLY * countRequests(pairs.map(({ after }) => after));
    if (isMissing && isCounted && isHardly) return isNotCounted(pairs, which);
  }
  return isMissing && isThroughout(run) ? isNotCounted(all) : undefined;
}

/** Whether it falls by too little from the beginning of a window to its end: a count that lags falls by more later. */
function isThroughout(run: readonly Batch[]): boolean {
  const missing = run.map((batch, i) => countMissing(batch, run[i - 1]));
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

const MORE = 'THROTTLING=on, with a THROTTLE_API_KEY';

/** rate.remaining.counts: judges each key separately; a fast refill may hide the count of one. */
export function* judgeCounts(store: Store): Iterable<Instance> {
  // The key with its scheme in lower case uses the same budget, or is rejected.
  const own = store.steps.filter(({ isOfKey, request }) => isOfKey && request.credential !== 'lower-case scheme');
  for (const ofKey of groupBy(own, ({ request }) => request.credential).values()) yield* judgeKey(ofKey);
}

function* judgeKey(own: readonly Step[]): Iterable<Instance> {
  const batches = findBatches(own);
  const [[first], last] = [batches, own.at(-1) as Step];
  if (!first || countRequests(batches) <= LEAST_REQUESTS)
    return yield last.outOfReach(
      'too few requests fell into one window: X-RateLimit-Reset or -Limit changes, which is allowed, or the window was nearly over',
      MORE,
    );
  const rate = findFastestRefill(exchangesOf(own), 2);
  const moves = doesResetMove(exchangesOf(own));
  const hasRisen = pairsOf(batches).some(({ fall }) => fall < 0);
  const slides = moves ?? hasRisen;
  const steady = { rate, times: rate, slides };
  if (neverFalls(batches) && (findUncounted(batches, steady, 0) || isUsedUp(own, first)))
    return yield isNotCounted(batches.length > 1 ? pairsOf(batches) : [{ before: first, after: first, fall: 0 }]);
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
    const notCounted = findNotCounted(run, refill, isExceeded ? Infinity : lag);
    const rises = findRises(run, refill).map((pair) => blame('count rises', [pair], `by ${-pair.fall}`));
    found.push(...(notCounted ? [notCounted] : rises));
  }
  const decisive = decided?.steps.at(-1);
  const read = own.findLast(({ operation, isServed }) => operation?.method === 'GET' && isServed);
  if (found.length > 0) yield* found;
  else if (decisive) yield decisive.holds();
  // Earlier requests may leave a sliding window, which a Reset that moves shows.
  else if (read && moves === undefined && hasRisen)
    yield read.askAgain(`${rateHeaders.remaining} rises within a second, which a sliding window explains`, {
      ...{ at: last.end + RESET_MOVES_AFTER * 1000 + 100, remedy: MORE },
    });
  else yield last.outOfReach('requests come back as fast as they are sent, which hides the count', MORE);
}

function isNotCounted(pairs: readonly Pair[], which?: string): Instance {
  const [falls, rises] = [pairs.filter(({ fall }) => fall > 0).length, pairs.filter(({ fall }) => fall < 0).length];
  const requests = counted(countRequests(pairs.map(({ after }) => after)), 'request');
  const seen = falls === 0 ? `never fell in ${requests}` : `fell in ${falls} of ${requests}`;
  return blame('not counted', pairs, rises * 2 > pairs.length ? `rose in ${rises} of ${requests}` : seen, which);
}

function blame(kind: 'not counted' | 'count rises', pairs: readonly Pair[], detail: string, which?: string): Instance {
  const [{ before, after }] = pairs as [Pair];
  const [first, ...steps] = pairs
    .slice(0, 4)
    .flatMap((pair) => [...pair.after.steps.toReversed(), ...pair.before.steps.slice(-1)]);
  const more = {
    expected: `falls with each request while ${rateHeaders.reset} stays the same`,
    actual: [before.low, after.low],
    ...{ detail, which, isOfKey: which?.startsWith('to ') === true ? undefined : (true as const) },
  };
  return (first as Step).violates(kind, `header ${rateHeaders.remaining}`, more, ...steps);
}
