/**
 * Above the limit: sections 7 and 8.
 *
 * The specification does not name the algorithm, so only these are violations of throttle.429:
 *   - early: a 429 though the headers before it announced more than `computeSlack(limit)` requests, and fewer than Limit
 *     were served. If the count falls by more than one a request, another client uses the key, and nothing is concluded.
 *   - late: more requests served in one window than Limit, slack and lawful refilling allow, or more after Remaining
 *     was 0 (`fixtures/target/rate-limit/beyond.ts`).
 * Headers of the daily limit show nothing about a limit per minute: a 429 is then neither early nor late.
 */
import { operations, rateHeaders } from '../../fixtures/contract/contract.ts';
import { type Difference, difference, type Kind, shownText, wrongHeader } from '../../fixtures/judge/finding.ts';
import type { Exchange } from '../../fixtures/target/http/exchange.ts';
import { findExcess, findServedBeyondLimit } from '../../fixtures/target/rate-limit/beyond.ts';
import {
  computeSlack,
  countTries,
  LONGEST_SHORT_WINDOW,
  readRateLimit,
  readWindow,
  type WindowReading,
} from '../../fixtures/target/rate-limit/headers.ts';
import { groupByWindow } from '../../fixtures/target/rate-limit/windows.ts';
import { counted, groupBy } from '../../fixtures/text.ts';
import { holds, inTheWay, type Instance, outOfReach, type Properties } from '../../fixtures/trace/property.ts';
import type { Step } from '../../fixtures/trace/step.ts';
import type { Store } from '../../fixtures/trace/store.ts';
import { findBatches } from './rate-counts.ts';
import { judgeAbsence } from './refused.ts';
import {
  exchangesOf,
  fellByOthers,
  findAnswered,
  findRounds,
  findServed,
  hasSameKey,
  isUsedByOthers,
  readAll,
  readWait,
  type Round,
  USED_BY_OTHERS,
  wasUsedByOthers,
} from './throttle-rounds.ts';

const OTHER_KEY = 'a THROTTLE_API_KEY whose headers describe the limit per minute, if there is one';
const NEARER = 'run nearer to the target, or with a THROTTLE_API_KEY whose limit is smaller';
const EVERY_OPERATION = 'DEPTH=thorough or a larger MAX_WAIT, with THROTTLING=on or a THROTTLE_API_KEY';

/** Most requests that a run sends to reach a limit. */
const MOST = 1500;

const violates = (wrong: Difference, ...steps: (Step | undefined)[]): Instance => ({
  is: 'violated',
  differences: [wrong],
  steps: steps.filter((step) => step !== undefined),
});

/** A wrong status that is about the key, on any operation. */
const wrongOfKey = (kind: Kind, shown: Parameters<typeof difference>[2], ...steps: (Step | undefined)[]): Instance =>
  violates(difference(kind, 'status', { ...shown, isOfKey: true }), ...steps);

const stepOf = (store: Store, exchange: Exchange | undefined): Step | undefined =>
  store.steps.find((step) => step.exchange === exchange);

const isThrottled = ({ status }: Step): boolean => status === 429;

// ---- the edge

/** Refused with 429, neither early nor late. */
function judgeEdge(store: Store, { sent, refusal, ofKey }: Round): Instance {
  if (refusal?.exchange.failure)
    return inTheWay(`the request at the limit got no answer: ${refusal.exchange.failure.message}`, refusal);
  const served = sent.filter((step) => step !== refusal && !isThrottled(step));
  const all = exchangesOf(served);
  const [before, last] = [served.at(-1), readAll(all).at(-1)];
  if (!last)
    return served.length === 0
      ? outOfReach(
          'the key had no requests left when throttling began',
          'a THROTTLE_API_KEY that nothing else uses',
          ...sent.slice(-1),
        )
      : inTheWay('the rate-limit headers are missing or not numbers: the limit is unknown', ...served.slice(-1));
  const { status = 0, operation } = refusal ?? {};
  // It was not beyond the limit: whether keys have scopes is not specified.
  if (refusal && [401, 403].includes(status) && last.remaining > 0 && store.facts.hasThrottleKey)
    return outOfReach(
      `${operation?.name} answers ${status} to THROTTLE_API_KEY while requests are left: the key may not use it`,
      'a THROTTLE_API_KEY that may use every operation',
      refusal,
    );
  if (refusal && !isThrottled(refusal)) {
    const shown = { expected: 429, actual: status, detail: `${last.remaining} left` };
    return wrongOfKey('not refused', shown, refusal, before);
  }
  const late = isExempt(store, served, refusal, ofKey) ? undefined : findLateness(store, served, refusal, ofKey);
  if (late) return late;
  if (!refusal) return explainUndecided(store, served, last);
  const lastExchange = before?.exchange as Exchange;
  const window = groupByWindow(all).find((each) => each.includes(lastExchange)) ?? all;
  // In parallel with the 429 an exhausted budget shows in any answer, and a moving Reset may differ between them.
  const near = new Set([...window, ...exchangesOf(served.filter((each) => overlaps(each, refusal)))]);
  const least = Math.min(...[...near].map((exchange) => readWindow(exchange)?.remaining ?? Infinity));
  const slack = computeSlack(last.limit);
  // Remaining may lag behind: then the number of requests served in the window shows that the limit was reached.
  const answered = findAnswered(store, refusal).filter(({ number }) => number < refusal.number);
  const ofWindow = groupByWindow(exchangesOf(answered)).find((each) => each.includes(lastExchange)) ?? [];
  if (least <= slack || Math.max(near.size, ofWindow.length) >= last.limit - slack)
    return holds(...[refusal, before].filter((step) => step !== undefined));
  // The limit of a day, which only the 429 announces.
  const { retryAfter = 0 } = readRateLimit(refusal.exchange);
  const isOther = (readWindow(refusal.exchange)?.limit ?? last.limit) !== last.limit || retryAfter > LONGEST_SHORT_WINDOW;
  if (isOther || (last.resetIn ?? 0) > LONGEST_SHORT_WINDOW)
    return outOfReach('the headers do not announce the limit that was reached', OTHER_KEY, refusal);
  // Refused requests may be counted too.
  const refusals = readAll(exchangesOf(sent.filter(isThrottled))).filter(({ remaining }) => remaining > 0);
  if (isUsedByOthers([...readAll(window), ...refusals]) || fellByOthers(sent)) return inTheWay(USED_BY_OTHERS, refusal);
  return wrongOfKey('refused early', { expected: slack, actual: least, detail: `limit ${last.limit}` }, refusal, before);
}

const overlaps = (one: Step, other: Step): boolean => one.start < other.end && other.start < one.end;

/** Whether only one operation was not limited, which violates throttle.every-operation instead. */
function isExempt(
  store: Store,
  served: readonly Step[],
  refusal: Step | undefined,
  ofKey: readonly Exchange[],
): boolean {
  if (refusal === undefined) return false;
  const beyond = findServedBeyondLimit(exchangesOf(served), ofKey)?.beyond.map((each) => stepOf(store, each)?.operation);
  return beyond?.[0] !== undefined && beyond[0] !== refusal.operation && beyond.every((each) => each === beyond[0]);
}

/** More requests were served than Limit and lawful refilling explain. */
function findLateness(
  store: Store,
  served: readonly Step[],
  refusal: Step | undefined,
  ofKey: readonly Exchange[],
): Instance | undefined {
  const all = exchangesOf(served);
  const excess = findExcess(all, ofKey);
  if (excess) return blameExcess(store, excess);
  const late = findServedBeyondLimit(all, ofKey);
  if (late && late.beyond.length > late.allowed) {
    const shown = {
      expected: [computeSlack(late.limit), late.allowed],
      actual: late.beyond.length,
      detail: refusal ? 'late' : 'never',
    };
    return wrongOfKey('not refused', shown, stepOf(store, late.beyond.at(-1)), stepOf(store, late.atZero));
  }
  const last = (refusal ?? served.at(-1))?.number ?? 0;
  const before = ofKey.filter(({ number }) => number <= last);
  const inAll = findExcess(all, ofKey, true) ?? findExcess(before, ofKey, true);
  return inAll && blameExcess(store, inAll);
}

function blameExcess(store: Store, { window, limit, allowed }: NonNullable<ReturnType<typeof findExcess>>): Instance {
  const detail = isOfTwoCounters(window) ? 'two counts' : 'one window';
  const shown = { expected: [limit, allowed], actual: window.length, detail };
  return wrongOfKey('not refused', shown, stepOf(store, window.at(-1)), stepOf(store, window[0]));
}

/** Whether Remaining repeats within one window: two instances count separately. */
function isOfTwoCounters(window: readonly Exchange[]): boolean {
  const counts = readAll(window).map(({ remaining }) => remaining);
  const repeated = counts.length - new Set(counts).size;
  return new Set(counts).size > 1 && repeated * 3 > counts.length;
}

function explainUndecided({ facts }: Store, served: readonly Step[], last: WindowReading): Instance {
  const { limit, remaining, resetIn = 0 } = last;
  const { maxWait, throttling } = facts.settings;
  const shown = served.slice(-1);
  const seconds = Math.round(resetIn);
  if (resetIn > Math.max(maxWait, LONGEST_SHORT_WINDOW))
    return outOfReach(
      `the headers describe a window that ends in ${seconds} s: using it up would take the budget of a day`,
      OTHER_KEY,
      ...shown,
    );
  if (limit > MOST)
    return outOfReach(
      `the limit of ${limit} exceeds the ${MOST} requests that this suite sends at most`,
      'a THROTTLE_API_KEY with a smaller limit',
      ...shown,
    );
  if (served.length === 1 && throttling === 'auto' && resetIn > maxWait)
    return outOfReach(
      `the window ends in ${seconds} s, which is more than MAX_WAIT (${maxWait} s)`,
      `MAX_WAIT=${seconds + 5}`,
      ...shown,
    );
  if (resetIn > LONGEST_SHORT_WINDOW)
    return outOfReach('the headers do not announce the limit that was reached', OTHER_KEY, ...shown);
  const pressed = countPressed(served);
  if (pressed > 0)
    return inTheWay(
      `${counted(served.length, 'request')} were served, ${pressed} more than were left at the same time: no 429, but no more than a bucket could give back`,
      ...shown,
    );
  const delayed = findDelayed(served);
  if (delayed.length > 0)
    return inTheWay(
      `${counted(served.length, 'request')} without a 429: ${counted(delayed.length, 'request')} at ${rateHeaders.remaining}: 0 got an answer only after ${rateHeaders.reset}, as if the service delays requests beyond the limit`,
      ...delayed.slice(-1),
    );
  const counts = readAll(exchangesOf(served)).map((each) => each.remaining);
  if (Math.min(...counts) <= computeSlack(limit))
    return outOfReach(
      'requests were still served one by one at X-RateLimit-Remaining: 0, which a refilling bucket explains; parallel requests are sent only to a key that may be used up',
      'THROTTLING=on, or a THROTTLE_API_KEY',
      ...shown,
    );
  if (new Set(counts).size > 1 || counts.length < 2)
    return outOfReach('the window ended before its limit was reached', NEARER, ...shown);
  return inTheWay(`${rateHeaders.remaining} stayed ${remaining} in ${counted(served.length, 'request')}`, ...shown);
}

/** The most requests that were under way together beyond what was left. */
function countPressed(served: readonly Step[]): number {
  const batches = findBatches(served);
  return Math.max(
    0,
    ...batches.slice(1).map(({ steps }, i) => (steps.length > 1 ? steps.length - (batches[i]?.low ?? Infinity) : 0)),
  );
}

/** Requests after Remaining 0 that were answered once the announced window was over, to a second. */
const findDelayed = (served: readonly Step[]): Step[] =>
  served.slice(1).filter(({ exchange: { ms } }, i) => {
    const { remaining, resetIn = Infinity } = readWindow((served[i] as Step).exchange) ?? {};
    return remaining === 0 && ms >= 1000 && ms / 1000 > resetIn - 1;
  });

/** Without rounds, why there are none; nothing where the trace was not made for it. */
function explainNoRounds({ facts: { settings, isForeign, unsent } }: Store): Instance | undefined {
  if (isForeign) return undefined;
  if (settings.throttling === 'off') return outOfReach('THROTTLING=off', 'THROTTLING=auto, or on');
  if (settings.readOnly) return outOfReach('READ_ONLY=1: a read-only run does not throttle', 'READ_ONLY=0');
  return unsent[0] === undefined ? undefined : inTheWay(unsent[0]);
}

/** Why no request was refused: the reason of throttle.429 if the limit was only not reached. */
function* explainNoRefusal(store: Store): Iterable<Instance> {
  const rounds = findRounds(store);
  const none = rounds.length === 0 ? explainNoRounds(store) : undefined;
  if (none) yield none;
  for (const round of rounds) {
    const edge = judgeEdge(store, round);
    if (edge.is === 'undecided' && edge.why === 'out of reach') yield edge;
    else yield inTheWay('no request was rejected at the limit (see throttle.429)', ...round.sent.slice(-1));
  }
}

// ---- operations

function judgeOperation({ sent, refusal, ofKey }: Round, id: string): Instance | undefined {
  const own = sent.filter(({ operation }) => operation?.id === id);
  const refused = own.find(isThrottled);
  if (refused) return holds(refused);
  if (!refusal || own.length === 0) return undefined;
  const served = sent.filter((step) => !isThrottled(step) && step !== refusal);
  const late = findServedBeyondLimit(exchangesOf(served), ofKey);
  const beyond = own.filter(({ exchange }) => late?.beyond.includes(exchange));
  const detail = refusal.operation?.name ?? '';
  if (late && beyond.length > late.allowed) {
    const shown = { expected: 429, actual: beyond.length, detail };
    return violates(difference('operation not limited', 'status', shown), beyond.at(-1), refusal);
  }
  // A limit that is renewed within a second or two may explain it, but not that others are refused.
  const atZero = own.filter((each) => served.includes(each) && readWindow(each.exchange)?.remaining === 0);
  if (late && atZero.length >= countTries(late.limit))
    return inTheWay(
      `${counted(atZero.length, 'request')} served at ${rateHeaders.remaining}: 0, and then ${detail} refused: not limited, or a limit that is renewed within a second or two`,
      ...atZero.slice(-1),
      refusal,
    );
  return outOfReach(
    `the limit was reached with another operation than ${own[0]?.operation?.name}`,
    EVERY_OPERATION,
    ...own.slice(-1),
  );
}

// ---- after the wait

/** Whether the same request with the same credential was answered with success before. */
const wasServed = (step: Step, { steps }: Store): boolean =>
  steps.some(
    (each) =>
      each.number < step.number &&
      each.request.credential === step.request.credential &&
      each.exchange.request.method === step.exchange.request.method &&
      each.exchange.request.target === step.exchange.request.target &&
      each.status !== undefined &&
      each.status < 300,
  );

/** Whether the operation answered so before, and never otherwise but for a 429: that has nothing to do with the limit. */
function failedBefore({ number, operation, status }: Step, { steps }: Store): boolean {
  const before = steps.filter(
    (each) => each.number < number && each.operation === operation && each.isOfKey && ![undefined, 429].includes(each.status),
  );
  return before.length > 0 && before.every((each) => each.status === status);
}

/** Served after the wait. A key that is rejected from its first 429 on is not served again. */
function judgeRecovery(store: Store, { sent, refusal, after }: Round): Instance | undefined {
  if (!refusal) return undefined;
  if (!after) {
    const [seconds, { maxWait }] = [Math.round(readWait(refusal)), store.facts.settings];
    return inTheWay(
      seconds > maxWait
        ? `${rateHeaders.retryAfter} is ${seconds} s, which is more than MAX_WAIT (${maxWait} s)`
        : 'no request followed the 429',
      refusal,
    );
  }
  const { status, exchange } = after;
  if (status === undefined)
    return inTheWay(`the request after the wait got no answer: ${exchange.failure?.message}`, after);
  const isLocked = [401, 403].includes(status) && wasServed(after, store);
  if (isLocked && store.mayBeBanned(after))
    return inTheWay(
      `${status} after the wait: the key got several 429s, and may be banned for a while`,
      after,
      refusal,
    );
  const isOwnFailure = status >= 500 && failedBefore(after, store);
  if (status !== 429 && (status < 500 || isOwnFailure) && !isLocked) return holds(after, refusal);
  const served = exchangesOf(sent.filter((step) => !isThrottled(step)));
  // Another client may have used what came back.
  const isShared = groupByWindow(served).some((window) => isUsedByOthers(readAll(window)));
  if (status === 429 && (isShared || fellByOthers(sent) || wasUsedByOthers(store, sent)))
    return inTheWay(USED_BY_OTHERS, after, refusal);
  const detail = shownText(readRateLimit(refusal.exchange).sent.retryAfter.values.join(', '));
  const expected = isLocked ? ['2xx'] : ['not 429', 'not 5xx'];
  return wrongOfKey('not served again', { expected, actual: status, detail }, after, refusal);
}

/** A 429 outside of throttling, and the next request with the same key after the wait, if it was served. */
function* findRecoveries(store: Store, inRounds: ReadonlySet<Step>): Iterable<Instance> {
  for (const refusal of store.steps.filter((step) => isThrottled(step) && step.operation && !inRounds.has(step))) {
    const { retryAfter } = readRateLimit(refusal.exchange);
    if (retryAfter === undefined) continue;
    const after = store.steps.find((each) => hasSameKey(each, refusal) && each.start >= refusal.end + retryAfter * 1000);
    // Another client of the key may have used what came back.
    const { status = 429 } = after ?? {};
    if (after && status < 500 && ![401, 403, 429].includes(status)) yield holds(after, refusal);
  }
}

function checkRetryAfter({ exchange }: Step): Difference[] {
  const { retryAfter, sent } = readRateLimit(exchange);
  const { name, values } = sent.retryAfter;
  if (values.length === 1 && retryAfter !== undefined) return [];
  return values.length === 0
    ? [difference('missing header', `header ${name}`)]
    : [wrongHeader(name, 'whole seconds to wait, or an HTTP date', values.join(', '))];
}

export const throttle: Properties = {
  *'throttle.429'(store) {
    const rounds = findRounds(store);
    const none = rounds.length === 0 ? explainNoRounds(store) : undefined;
    if (none) yield none;
    for (const round of rounds) yield judgeEdge(store, round);
    // Of the keys that were not used up on purpose, more than the limit under one Reset.
    const inRounds = new Set(rounds.flatMap(({ sent }) => sent));
    const others = store.steps.filter((step) => step.isOfKey && ![...inRounds].some((each) => hasSameKey(each, step)));
    for (const [first] of groupBy(others, ({ request }) => request.credential === 'throttle').values()) {
      const excess = first && findExcess(exchangesOf(findServed(store, first)));
      if (excess && excess.limit > 0) yield blameExcess(store, excess);
    }
    for (const instance of judgeAbsence(store, (step) => isThrottled(step) && step.isOfKey))
      if (instance.is === 'violated') yield instance;
  },

  *'throttle.every-operation'(store) {
    const rounds = findRounds(store);
    const isAnyRefused = rounds.some(({ refusal }) => refusal !== undefined);
    for (const { id } of operations) {
      const [shown] = [...rounds.flatMap(({ sent }) => sent), ...store.of(id)].filter(
        ({ operation }) => operation?.id === id,
      );
      if (!shown) continue;
      const own = rounds.flatMap((round) => judgeOperation(round, id) ?? []);
      // Shown on the operation.
      const explained = isAnyRefused ? own : [...explainNoRefusal(store)];
      yield* explained.map((each) => (isAnyRefused ? each : { ...each, steps: [shown] }));
      if (isAnyRefused && own.length === 0)
        yield outOfReach(
          'the limit was reached once per window, and time was left only for other operations',
          EVERY_OPERATION,
          shown,
        );
    }
  },

  *'throttle.retry-after'(store) {
    const refusals = store.steps.filter(isThrottled);
    if (refusals.length === 0) yield* explainNoRefusal(store);
    for (const step of refusals) {
      const wrong = checkRetryAfter(step);
      yield wrong.length > 0 ? { is: 'violated', differences: wrong, steps: [step] } : holds(step);
    }
  },

  *'throttle.recovers'(store) {
    const rounds = findRounds(store);
    const own = rounds.flatMap((round) => judgeRecovery(store, round) ?? []);
    const others = [...findRecoveries(store, new Set(rounds.flatMap(({ sent }) => sent)))];
    yield* own;
    yield* others;
    if (own.length + others.length === 0) yield* explainNoRefusal(store);
  },
};
