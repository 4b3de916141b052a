/** The requests of a key in batches, from each of which to the next X-RateLimit-Remaining falls. */
import type { Exchange } from '../../fixtures/target/http/exchange.ts';
import { readWindow } from '../../fixtures/target/rate-limit/headers.ts';
import { RESOLUTION_MS, type Step } from '../../fixtures/trace/step.ts';

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

/**
 * @param own the steps of one key, in the order of sending.
 * @param apart milliseconds between requests that may have been under way together; negative for those that certainly were.
 * @returns those that can be read.
 */
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
    // The key with its scheme in lower case uses the same budget, or is rejected.
    const isClear = step.request.credential !== 'lower-case scheme';
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

/** From one batch to the next. */
export interface Pair {
  before: Batch;
  after: Batch;
  /** Of the lowest count. */
  fall: number;
}

export const pairsOf = (run: readonly Batch[]): Pair[] =>
  run.slice(1).map((after, i) => ({ before: run[i] as Batch, after, fall: (run[i] as Batch).low - after.low }));

export const countRequests = (batches: readonly Batch[]): number =>
  batches.reduce((sum, { steps }) => sum + steps.length, 0);

export const exchangesOf = (steps: readonly Step[]): Exchange[] => steps.map(({ exchange }) => exchange);
