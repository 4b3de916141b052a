/** Rounds of throttling, read from the exchanges: a key is used up until it is refused, and served again after a wait. */
import { rateHeaders } from '../../fixtures/contract/contract.ts';
import { isRefusal } from '../../fixtures/scenario/approach.ts';
import type { Exchange } from '../../fixtures/target/http/exchange.ts';
import {
  computeSlack,
  LONGEST_SHORT_WINDOW,
  readWait,
  readWindow,
  readWindows,
} from '../../fixtures/target/rate-limit/headers.ts';
import type { Step } from '../../fixtures/trace/step.ts';
import type { Store } from '../../fixtures/trace/store.ts';
import { exchangesOf, findBatches, pairsOf } from './rate-batches.ts';

export interface Round {
  /** Up to the refusal, with all that were under way together with it. */
  sent: readonly Step[];
  /** The first answer with 429, or with another status by which a limit may refuse. */
  refusal?: Step;
  /** The first request after the wait. */
  after?: Step;
  /** Served requests of the key in the whole trace, which show how long its window is. */
  ofKey: readonly Exchange[];
}

export const isThrottled = ({ status }: Step): boolean => status === 429;

/** Whether both have the same valid key. */
export const hasSameKey = (one: Step, other: Step): boolean =>
  one.isOfKey && other.isOfKey && (one.request.credential === 'throttle') === (other.request.credential === 'throttle');

/** Requests of the key that were answered, but for 429: they count against the same limit. */
export const findAnswered = (store: Store, one: Step): Step[] =>
  store.steps.filter((each) => hasSameKey(each, one) && each.status !== undefined && each.status !== 429);

/** Those that were served: some limiters count no others. */
export const findServed = (store: Store, one: Step): Step[] =>
  findAnswered(store, one).filter(({ status = 0 }) => status < 400);

export function findRounds(store: Store): Round[] {
  const { throttling, hasThrottleKey } = store.facts;
  return throttling.flatMap(({ from, to }) => {
    const own = store.steps.filter(
      ({ request, isOfKey, start }) =>
        (hasThrottleKey ? request.credential === 'throttle' : isOfKey) && start >= from && start <= to,
    );
    const [first] = own;
    const usual = store.steps.filter((step) => !own.includes(step));
    return first ? splitRounds(store, own, usual, exchangesOf(findServed(store, first))) : [];
  });
}

/** @param own the steps of the key while throttling was under way. */
function splitRounds(store: Store, own: readonly Step[], usual: readonly Step[], ofKey: readonly Exchange[]): Round[] {
  const refusal = own.find((step) => isRefusal(step, usual));
  if (!refusal) return own.length > 0 ? [{ sent: own, ofKey }] : [];
  const isTogether = (step: Step): boolean =>
    step.number <= refusal.number || (step.exchange.parallel && step.start < refusal.end);
  const later = store.steps.filter((step) => hasSameKey(step, refusal) && !isTogether(step));
  const after = findAfter(refusal, later);
  const rest = own.filter(({ number }) => number > (after?.number ?? Infinity));
  return [
    { sent: own.filter(isTogether), refusal, ...(after && { after }), ofKey },
    ...splitRounds(store, rest, usual, ofKey),
  ];
}

/** Within a second of the end of the wait, a 429 shows nothing: it may have been rounded down. */
function findAfter(refusal: Step, later: readonly Step[]): Step | undefined {
  const end = refusal.end + readWait(refusal.exchange) * 1000;
  return later.find(({ start, status }) => start >= (status === 429 ? end + 1000 : end));
}

// ---- other clients of the key

export const USED_BY_OTHERS = `${rateHeaders.remaining} fell by more than one a request: another client uses the key`;

/** Whether Remaining fell by more than the requests of this trace. Two counters in turn fall and rise as much within a window. */
export function fellByOthers(sent: readonly Step[]): boolean {
  const [fallen, risen] = pairsOf(findBatches(sent)).reduce(
    ([falls, rises], { before, after, fall }) => {
      // Whole seconds show the end of a window up to a second too late.
      const isInWindow = after.end < before.start + (before.resetIn - 1) * 1000;
      return [falls + Math.max(0, fall - after.steps.length), rises + (isInWindow ? Math.max(0, -fall) : 0)];
    },
    [0, 0],
  );
  return fallen > risen;
}

/** Whether more of the limit was used when the round began than this trace can have used. */
export function wasUsedByOthers(store: Store, sent: readonly Step[]): boolean {
  const first = sent.find(({ exchange }) => readWindow(exchange) !== undefined);
  const reading = first && readWindow(first.exchange);
  if (!reading) return false;
  const before = store.steps.filter(({ number }) => number <= first.number);
  const ofKey = readWindows(exchangesOf(before.filter((each) => hasSameKey(each, first))));
  const windows = ofKey.map(({ resetIn = 0 }) => resetIn).filter((seconds) => seconds <= LONGEST_SHORT_WINDOW);
  // Once requests have come back, those before a whole window do not count any more.
  const hasRisen = ofKey.some(({ remaining }, i) => remaining > (ofKey[i - 1]?.remaining ?? Infinity));
  const since = hasRisen ? first.start - (Math.max(0, ...windows) + 2) * 1000 : -Infinity;
  const own = before.filter(({ end }) => end >= since);
  return reading.limit - reading.remaining > own.length + computeSlack(reading.limit);
}
