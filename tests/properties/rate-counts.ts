/**
 * How X-RateLimit-Remaining counts: section 8.
 *
 * The specification names neither the algorithm nor the window. A fixed window keeps Reset and gives nothing back; a bucket
 * gives requests back, evenly or in steps; earlier requests leave a sliding window. So only what no limiter with these headers
 * gives back in that time is a violation: requests that Remaining did not fall by, and rises. Other users of the key only make
 * it fall faster, and a count that lags falls by more later.
 */
import { rateHeaders } from '../../fixtures/contract/contract.ts';
import { readWindow, readWindows } from '../../fixtures/target/rate-limit/headers.ts';
import {
  doesResetMove,
  findFastestRefill,
  measureWithoutReturn,
  RESET_MOVES_AFTER,
} from '../../fixtures/target/rate-limit/windows.ts';
import { counted, groupBy } from '../../fixtures/text.ts';
import { type Instance, isInLowerCase, type Step } from '../../fixtures/trace/step.ts';
import type { Store } from '../../fixtures/trace/store.ts';
import { type Batch, exchangesOf, findBatches, isOfKnownKey, nameKey, toRun } from './batches.ts';

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

const sum = (numbers: readonly number[]): number => numbers.reduce((all, each) => all + each, 0);
const countRequests = (batches: readonly Batch[]): number => sum(batches.map(({ steps }) => steps.length));

interface Refill {
  /** Requests a second. */
  rate: number;
  /** Times a second: a bucket gives back as rarely as in the longest time without a return. */
  times: number;
  /** Whether earlier requests may leave a sliding window, all at any time. */
  slides: boolean;
}

type Count = (batch: Batch, isFirst: boolean) => number;

/**
 * Requests of a batch that were not counted. A rise is one return, however large, before a batch or in it; what falls by
 * more makes up for requests before. The first batch is counted from the limit: answers in parallel may all show what is
 * left after the last of them.
 */
const countMissing: Count = ({ steps, limit, high, low, fall }, isFirst) =>
  isFirst ? Math.max(0, steps.length - (Math.max(limit, high) - low)) : steps.length - Math.max(fall, high - low);

const countAll: Count = ({ steps }) => steps.length;
/** One batch does not show a count that never falls: answers in parallel may lag. */
const countLater: Count = (batch, isFirst) => (isFirst ? 0 : countMissing(batch, false));

/**
 * The end of a part of a run in which more requests were not counted than come back in that time.
 * @param lag requests by which the count may lag behind.
 */
function findUncounted(run: readonly Batch[], refill: Refill, lag = 0, count = countMissing): Batch | undefined {
  for (const [from, first] of run.entries()) {
    const used = SLACK + (refill.slides ? first.limit - first.high - 1 : 0);
    let [requests, uncounted, times] = [0, -lag, 0];
    for (const batch of run.slice(from)) {
      const seconds = (batch.end - first.start) / 1000;
      // Nothing falls below 0; later, requests of this part leave a sliding window too.
      if (batch.low === 0 || (refill.slides && seconds >= first.resetIn)) break;
      const missing = count(batch, batch === first);
      [requests, uncounted, times] = [requests + batch.steps.length, uncounted + missing, times + Number(missing > 0)];
      const isMore =
        uncounted > refill.rate * seconds + used || Math.min(times, uncounted) > refill.times * seconds + used;
      if (isMore && requests >= LEAST_REQUESTS) return batch;
    }
  }
  return undefined;
}

/** Requests by which the count lags behind, and falls by more later. */
const measureLag = (run: readonly Batch[]): number =>
  Math.max(0, ...run.map(({ before, limit, fall, steps }) => (before?.limit === limit ? fall - steps.length : 0)));

/** Rises that are larger than a step of any bucket. */
const findRises = (run: readonly Batch[], { rate, slides }: Refill): Batch[] =>
  run.filter(({ before, end, limit, fall }) => {
    const seconds = Math.max(LONGEST_STEP, (end - (before?.start ?? end)) / 1000);
    const used = slides && before ? before.limit - before.high : 0;
    return -fall > Math.max(Math.ceil(rate * seconds) + used, LARGEST_STEP * limit) + SLACK;
  });

const neverFalls = (run: readonly Batch[]): boolean => run.every(({ high, low, fall }) => high === low && fall <= 0);

/** Whether as many requests as the limit allows end in a 429 with the same count, so that few of them came back. */
function isUsedUp(own: readonly Step[], { limit, low }: Batch): boolean {
  const last = own.findLast(({ status, exchange }) => status === 429 && readWindow(exchange)?.remaining === low);
  const before = own.filter(({ status, start }) => status !== 429 && start <= (last?.end ?? 0));
  return low > 0 && last !== undefined && before.length >= limit;
}

/** The kinds of requests, the widest first. */
const KINDS: readonly ((step: Step) => string)[] = [
  ({ operation }) => `to ${operation?.name}`,
  ({ status }) => `with status ${status}`,
  ({ operation, status }) => `to ${operation?.name} with status ${status}`,
];

/** All requests, or a kind of them. */
function findNotCounted(run: readonly Batch[], refill: Refill, lag: number): Instance | undefined {
  const isMissing = findUncounted(run, refill, lag) !== undefined;
  if (run.every(({ fall }) => fall <= 0) && findUncounted(run, refill, lag, countLater)) return isNotCounted(run);
  for (const kindOf of KINDS)
    for (const which of new Set(run.flatMap(({ steps }) => steps.map(kindOf)))) {
      const isOwn = (step: Step): boolean => step.operation !== undefined && kindOf(step) === which;
      const own = findStanding(run, refill, isOwn) ?? (isMissing ? findHardly(run, isOwn) : undefined);
      if (own) return isNotCounted(own, which);
    }
  return isMissing && isThroughout(run) ? isNotCounted(run) : undefined;
}

/** The batches with answers of a kind, if these never fall. */
function findStanding(run: readonly Batch[], refill: Refill, isOwn: (step: Step) => boolean): Batch[] | undefined {
  const [part, others] = [true, false].map((isPart) => run.filter(({ steps }) => steps.some(isOwn) === isPart));
  const own = toRun(
    (part ?? []).map((batch) => {
      const counts = readWindows(exchangesOf(batch.steps.filter(isOwn))).map(({ remaining }) => remaining);
      return { ...batch, high: Math.max(...counts), low: Math.min(...counts) };
    }),
  );
  const answers = own.flatMap(({ steps }) => steps.filter(isOwn));
  if (own.length < 2 || answers.length < LEAST_OF_KIND || !neverFalls(own)) return undefined;
  const lag = Math.max(LAG_OF_KIND, measureLag(countSince(run, others ?? [])));
  return findUncounted(countSince(run, own), refill, lag) && own;
}

/** The batches of a kind, if it is hardly counted while most others are. */
function findHardly(run: readonly Batch[], isOwn: (step: Step) => boolean): Batch[] | undefined {
  const pairs = run.filter(({ before, steps }) => before && steps.every(isOwn));
  const others = run.filter(({ before, steps }) => before && !steps.some(isOwn));
  const isCounted = others.length > 0 && others.filter(({ fall }) => fall > 0).length >= MOSTLY * others.length;
  const fallen = sum(pairs.map(({ fall }) => Math.max(0, fall)));
  return isCounted && pairs.length >= LEAST_OF_KIND && fallen <= HARDLY * countRequests(pairs) ? pairs : undefined;
}

/** Whether it falls by too little from the beginning of a window to its end: a count that lags falls by more later. */
const isThroughout = (run: readonly Batch[]): boolean =>
  [0, 1, 2].every((nth) => {
    const [from, to] = [nth, nth + 1].map((each) => each * Math.ceil(run.length / 3));
    const missing = sum(run.slice(from, to).map((batch) => countMissing(batch, !batch.before)));
    return missing > 0 && missing >= LEAST_UNCOUNTED * countRequests(run.slice(from, to));
  });

/** Some batches of a run, of which each has to count the requests since the one before. */
function countSince(run: readonly Batch[], part: readonly Batch[]): Batch[] {
  const places = part.map((batch) => run.findIndex(({ steps }) => steps === batch.steps));
  const counting = part.map((batch, nth) => {
    const all = run.slice((places[nth - 1] ?? (places[0] as number) - 1) + 1, (places[nth] as number) + 1);
    return { ...batch, steps: all.flatMap(({ steps }) => steps), start: (all[0] as Batch).start };
  });
  return toRun(counting);
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
  const own = all.filter((step) => isOfKnownKey(step, store));
  if (all[0] && own.length === 0) yield all[0].outOfReach(...NO_KEYS);
  for (const ofKey of groupBy(own, nameKey).values()) yield* judgeKey(ofKey);
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
  const hasRisen = batches.some(({ fall }) => fall < 0);
  const steady = { rate, times: rate, slides: moves ?? hasRisen };
  if (neverFalls(batches) && (findUncounted(batches, steady) || isUsedUp(own, first)))
    return yield isNotCounted(batches);
  const lag = measureLag(batches);
  const readable = batches.filter(({ reset, resetIn }) => reset !== undefined && resetIn >= NEAR_RESET);
  const found: Instance[] = [];
  // Whether it would have been found if it had stood still, or if some requests had not been counted.
  let decided = findUncounted(batches, steady, 0, countAll);
  for (const readings of groupBy(readable, ({ limit, reset }) => `${limit} ${reset}`).values()) {
    const run = toRun(readings);
    const seconds = measureWithoutReturn(exchangesOf(run.flatMap(({ steps }) => steps)));
    const refill = { ...steady, times: Math.min(rate, seconds > 0 ? 2 / seconds : Infinity) };
    decided ??= findUncounted(run, refill, lag, countAll);
    const notCounted = findNotCounted(run, refill, lag);
    const rises = findRises(run, refill).map((batch) => blame('count rises', [batch], `by ${-batch.fall}`));
    found.push(...(notCounted ? [notCounted] : rises));
  }
  const read = own.findLast(({ operation, isServed }) => operation?.method === 'GET' && isServed);
  if (found.length > 0) yield* found;
  else if (decided) yield (decided.steps.at(-1) as Step).holds();
  // Earlier requests may leave a sliding window, which a Reset that moves shows.
  else if (read && moves === undefined && hasRisen)
    yield read.askAgain(`${rateHeaders.remaining} rises within a second, which a sliding window explains`, {
      ...{ at: last.end + RESET_MOVES_AFTER * 1000 + 100, remedy: MORE },
    });
  else yield last.outOfReach('requests come back as fast as they are sent, which hides the count', MORE);
}

function isNotCounted(run: readonly Batch[], which?: string): Instance {
  const pairs = run.length > 1 ? run.filter(({ before }) => before) : run;
  const [falls, rises] = [pairs.filter(({ fall }) => fall > 0).length, pairs.filter(({ fall }) => fall < 0).length];
  const requests = counted(countRequests(pairs), 'request');
  const seen = falls === 0 ? `never fell in ${requests}` : `fell in ${falls} of ${requests}`;
  return blame('not counted', pairs, rises * 2 > pairs.length ? `rose in ${rises} of ${requests}` : seen, which);
}

function blame(kind: 'not counted' | 'count rises', pairs: readonly Batch[], detail: string, which?: string): Instance {
  const [{ before, low }] = pairs as [Batch];
  const shown = pairs
    .slice(0, 4)
    .flatMap((each) => [...each.steps.toReversed(), ...(each.before?.steps.slice(-1) ?? [])]);
  const [first, ...steps] = shown as [Step, ...Step[]];
  const more = {
    expected: `falls with each request while ${rateHeaders.reset} stays the same`,
    actual: [before?.low ?? low, low],
    ...{ detail, which, isOfKey: which?.startsWith('to ') === true ? undefined : (true as const) },
  };
  return first.violates(kind, `header ${rateHeaders.remaining}`, more, ...steps);
}
