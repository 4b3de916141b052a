/** The requests of a key: those that were under way together, and what their answers show of its limit. */
import { type Exchange, valuesOf } from '../../fixtures/target/http/exchange.ts';
import { variableIn } from '../../fixtures/target/recording/hidden.ts';
import { readWindow } from '../../fixtures/target/rate-limit/headers.ts';
import { RESOLUTION_MS, type Step } from '../../fixtures/trace/step.ts';
import type { Store } from '../../fixtures/trace/store.ts';

/** The key of a request, which has its own limit: recordings of others may have several. */
export function nameKey({ request: { credential }, exchange }: Step): string {
  const [sent = ''] = valuesOf(exchange.request.headers, 'authorization');
  return `${credential === 'throttle' ? credential : 'key'} ${variableIn(sent) ?? ''}`;
}

/** Whether a trace shows which key it is: browsers leave credentials out of a HAR, which may then have several. */
export const isOfKnownKey = ({ isOfKey, exchange }: Step, { facts }: Store): boolean =>
  isOfKey && (!facts.isForeign || valuesOf(exchange.request.headers, 'authorization').length > 0);

/** Requests of a key that were under way together, so that their order at the target is unknown; in a run of such batches. */
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
  before: Batch | undefined;
  /** By how much the lowest count falls since the batch before. */
  fall: number;
}

/** Any batches, as a run of them. */
export const toRun = (batches: readonly Batch[]): Batch[] =>
  batches.map((batch, i) => {
    const before = batches[i - 1];
    return { ...batch, before, fall: before ? before.low - batch.low : 0 };
  });

/** Those of one key that can be read. @param apart milliseconds; negative for requests that certainly were under way together. */
export function findBatches(own: readonly Step[], apart = RESOLUTION_MS): Batch[] {
  const groups: Step[][] = [];
  for (const step of own) {
    const last = groups.at(-1);
    const overlaps = last?.some((each) => step.start < each.end + apart) ?? false;
    if (step.exchange.parallel && last?.at(-1)?.exchange.parallel && overlaps) last.push(step);
    else groups.push([step]);
  }
  return toRun(groups.flatMap((steps) => readBatch(steps) ?? []));
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
    ...{ before: undefined, fall: 0 },
  };
}

export const exchangesOf = (steps: readonly Step[]): Exchange[] => steps.map(({ exchange }) => exchange);
