/**
 * How X-RateLimit-Remaining counts: section 8.
 *
 * The specification names neither the algorithm nor the window. A fixed window keeps Reset and gives nothing back; a bucket
 * gives requests back, evenly or in steps; earlier requests leave a sliding window. So only what no limiter with these headers
 * gives back in that time is a violation: requests that Remaining did not fall by, and rises. Other users of the key only make
 * it fall faster, and a count that lags falls by more later.
 */
import { rateHeaders } from '../../fixtures/contract/contract.ts';
import { RESOLUTION_MS } from '../../fixtures/target/http/exchange.ts';
import { readWindow } from '../../fixtures/target/rate-limit/headers.ts';
import {
  type Batch,
  doesResetMove,
  findBatches,
  findFastestRefill,
  measureWithoutReturn,
  readRise,
  RESET_MOVES_AFTER,
  toRun,
} from '../../fixtures/target/rate-limit/windows.ts';
import { counted, groupBy } from '../../fixtures/text.ts';
import { exchangesOf, type Instance, isInLowerCase, type Step } from '../../fixtures/trace/step.ts';
import type { Store } from '../../fixtures/trace/store.ts';

/** Requests needed to conclude anything. */
const LEAST_REQUESTS = 8;
/** The share of requests that are not counted: counters of several nodes are inexact. */
const LEAST_UNCOUNTED = 0.2;
/** Requests by which the first answers of a window may lag behind, or those of each node. */
const LAG = 12;
/** Requests of tolerance, because the time of an answer is inexact. */
const SLACK = 2;
/** Seconds: a nearer Reset shows nothing, since the bucket is almost full, or the window almost over. */
const NEAR_RESET = 3;
/** Seconds of refilling that one step of a bucket may return, and the share of the limit. */
const LONGEST_STEP = 10;
const LARGEST_STEP = 0.25;

type Run = readonly Batch<Step>[];

interface Refill {
  /** Requests a second. */
  rate: number;
  /** Times a second: a bucket gives back as rarely as in the longest time without a return. */
  times: number;
  /** Whether earlier requests may leave a sliding window, all at any time. */
  slides: boolean;
}

const countRequests = (run: Run): number => run.reduce((all, { requests }) => all + requests.length, 0);

/**
 * Requests of a batch that were not counted. A rise is one return, however large, before a batch or in it; what falls by
 * more makes up for requests before. The first batch is counted from the limit: answers in parallel may all show what is
 * left after the last of them.
 */
const countMissing = ({ requests, limit, high, low, fall }: Batch, isFirst: boolean): number =>
  isFirst ? Math.max(0, requests.length - (Math.max(limit, high) - low)) : requests.length - Math.max(fall, high - low);

/** Requests that one return in a batch explains: by as many the count rises between requests that may have come in this order. */
function findLargestReturn({ requests }: Batch<Step>): number {
  const remainingOf = ({ exchange }: Step): number => readWindow(exchange)?.remaining ?? 0;
  const latest = requests.toSorted((a, b) => b.end - a.end);
  let [next, highest, largest] = [0, 0, 0];
  for (const one of requests.toSorted((a, b) => b.start - a.start)) {
    for (let other = latest[next]; other && other.end > one.start + RESOLUTION_MS; other = latest[(next += 1)])
      highest = Math.max(highest, remainingOf(other));
    largest = Math.max(largest, highest - remainingOf(one));
  }
  return largest;
}

/**
 * The end of a part of a run in which more requests were not counted than come back in that time.
 * @param lag requests by which the count may lag behind; `firstLag` until it first falls.
 * @param standsStill whether to suppose that no request was counted.
 */
function findUncounted(
  run: Run,
  refill: Refill,
  { lag = 0, firstLag = lag as number, standsStill = false } = {},
): Batch<Step> | undefined {
  const returns = run.map((batch) => (standsStill ? 0 : findLargestReturn(batch)));
  const firstFall = run.findIndex(({ fall }) => fall > 0);
  for (const [from, first] of run.entries()) {
    const used = SLACK + (refill.slides ? first.limit - first.high - 1 : 0);
    const hasFallen = firstFall >= 0 && firstFall <= from;
    let [requests, uncounted, times, largest] = [0, hasFallen ? -lag : -firstLag, 0, 0];
    for (const [i, batch] of run.entries()) {
      if (i < from) continue;
      const seconds = (batch.end - first.start) / 1000;
      // Nothing falls below 0; later, requests of this part leave a sliding window too.
      if (batch.low === 0 || (refill.slides && seconds >= first.resetIn)) break;
      const missing = standsStill ? batch.requests.length : countMissing(batch, batch === first);
      [requests, uncounted, times] = [
        requests + batch.requests.length,
        uncounted + missing,
        times + Number(missing > 0),
      ];
      largest = Math.max(largest, Math.min(missing, returns[i] as number));
      const isMore =
        uncounted - largest > refill.rate * seconds + used ||
        Math.min(times, uncounted) > refill.times * seconds + used;
      if (isMore && requests >= LEAST_REQUESTS && uncounted >= LEAST_UNCOUNTED * requests) return batch;
    }
  }
  return undefined;
}

/** Requests by which the count lags behind, and falls by more later. */
const measureLag = (run: Run): number =>
  Math.max(
    0,
    ...run.map(({ before, limit, fall, requests }) => (before?.limit === limit ? fall - requests.length : 0)),
  );

/** Rises that no bucket explains: larger than any step, or to a count that is left again at once. */
const findRises = (run: Run, { rate, slides }: Refill): Instance[] =>
  run.flatMap((batch, i) => {
    const { before, requests, high, end, limit } = batch;
    const { by, isLeft } = readRise(run, i);
    if (!before || by <= 0) return [];
    const seconds = (end - before.start) / 1000;
    const largest = isLeft
      ? Math.ceil(rate * seconds) + 2 * LAG
      : Math.max(Math.ceil(rate * Math.max(LONGEST_STEP, seconds)), LARGEST_STEP * limit);
    const used = SLACK + (slides ? limit - before.high : 0);
    const shown = [...requests, ...before.requests.slice(-1)];
    return by > largest + used ? [blame('count rises', shown, [before.low, high], `by ${by}`)] : [];
  });

/** Whether as many requests as the limit allows end in a 429 with the same count, so that few of them came back. */
function isUsedUp(own: readonly Step[], { limit, low }: Batch): boolean {
  const last = own.findLast(({ status, exchange }) => status === 429 && readWindow(exchange)?.remaining === low);
  const before = own.filter(({ status, start }) => status !== 429 && start <= (last?.end ?? 0));
  return low > 0 && last !== undefined && before.length >= limit;
}

const MORE = 'THROTTLING=on, with a THROTTLE_API_KEY';
const NO_KEYS = [
  'the recording does not show the keys of its requests: each of several keys has its own count',
  'a recording with Authorization headers',
] as const;

/** rate.remaining.counts: judges each key separately; a fast refill may hide the count of one. */
export function* judgeCounts(store: Store): Iterable<Instance> {
  // The key with its scheme in lower case uses the same budget, or is rejected.
  const all = store.steps.filter((step) => step.isOfKey && !isInLowerCase(step));
  const own = all.filter((step) => store.showsKey(step));
  if (all[0] && own.length === 0) yield all[0].outOfReach(...NO_KEYS);
  for (const ofKey of groupBy(own, ({ key }) => key).values()) yield* judgeKey(ofKey);
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
  const hasChanged = batches.some(({ fall }) => fall !== 0);
  // Earlier requests may leave a sliding window, which a Reset that moves shows.
  const mayReturn = hasChanged && batches.some((batch) => countMissing(batch, batch === first) > 0);
  const steady = { rate, times: rate, slides: moves ?? mayReturn };
  const neverFalls = batches.every(({ fall }) => fall <= 0);
  if (neverFalls && (findUncounted(batches, steady) || isUsedUp(own, first))) return yield blameRun(batches);
  const lag = measureLag(batches);
  // Whether it would have been found if it had stood still.
  let decided = findUncounted(batches, steady, { standsStill: true });
  const found: Instance[] = [];
  const readable = batches.filter(({ reset, resetIn }) => reset !== undefined && resetIn >= NEAR_RESET);
  for (const readings of groupBy(readable, ({ limit, reset }) => `${limit} ${reset}`).values()) {
    const run = toRun(readings);
    const seconds = measureWithoutReturn(run);
    const refill = { ...steady, times: Math.min(rate, seconds > 0 ? 2 / seconds : Infinity) };
    decided ??= findUncounted(run, refill, { lag, standsStill: true });
    const isCounted = !findUncounted(run, refill, { lag, firstLag: Math.max(lag, LAG) });
    found.push(...(isCounted ? findRises(run, refill) : [blameRun(run)]));
  }
  const read = own.findLast(({ operation, isServed }) => operation?.method === 'GET' && isServed);
  if (found.length > 0) yield* found;
  else if (decided) yield (decided.requests.at(-1) as Step).holds();
  else if (read && moves === undefined && mayReturn)
    yield read.askAgain(
      `${rateHeaders.remaining} does not always fall within a second, which a sliding window explains`,
      {
        ...{ at: last.end + RESET_MOVES_AFTER * 1000 + 100, remedy: MORE },
      },
    );
  else yield last.outOfReach('requests come back as fast as they are sent, which hides the count', MORE);
}

/** Shows requests after which it did not fall, if there are any. */
function blameRun(run: Run): Instance {
  const pairs = run.length > 1 ? run.slice(1) : run;
  const [falls, rises] = [pairs.filter(({ fall }) => fall > 0), pairs.filter(({ fall }) => fall < 0)];
  const requests = counted(countRequests(pairs), 'request');
  const seen = falls.length === 0 ? `never fell in ${requests}` : `fell in ${falls.length} of ${requests}`;
  const detail = rises.length * 2 > pairs.length ? `rose in ${rises.length} of ${requests}` : seen;
  const standing = pairs.filter(({ fall }) => fall <= 0);
  const shown = standing.length > 0 ? standing : pairs;
  const steps = shown
    .slice(0, 4)
    .flatMap(({ requests, before }) => [...requests.toReversed(), ...(before?.requests.slice(-1) ?? [])]);
  const { before, low } = shown[0] as Batch;
  return blame('not counted', steps, [before?.low ?? low, low], detail);
}

function blame(
  kind: 'not counted' | 'count rises',
  shown: readonly Step[],
  actual: number[],
  detail: string,
): Instance {
  const [first, ...steps] = shown as [Step, ...Step[]];
  const expected = `falls with each request while ${rateHeaders.reset} stays the same`;
  const more = { expected, actual, detail, isOfKey: true } as const;
  return first.violates(kind, `header ${rateHeaders.remaining}`, more, ...steps);
}
