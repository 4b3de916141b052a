/** Above the limit: sections 7 and 8. When a key is refused is judged in throttle-edge.ts. */
import { operations, rateHeaders } from '../../fixtures/contract/contract.ts';
import { type Difference, difference, shownText, wrongHeader } from '../../fixtures/trace/finding.ts';
import { targetTime } from '../../fixtures/target/http/exchange.ts';
import { explainRetryAfter } from '../../fixtures/target/http/retry-after.ts';
import { findExcess, findServedBeyondLimit } from '../../fixtures/target/rate-limit/beyond.ts';
import {
  countTries,
  describeWait,
  readRateLimit,
  readWait,
  readWindow,
} from '../../fixtures/target/rate-limit/headers.ts';
import { counted, groupBy } from '../../fixtures/text.ts';
import { holds, inTheWay, type Instance, judge, outOfReach, type Properties } from '../../fixtures/trace/property.ts';
import { isSameRequest, type Step } from '../../fixtures/trace/step.ts';
import type { Store } from '../../fixtures/trace/store.ts';
import { exchangesOf } from './rate-batches.ts';
import { judgeAbsence } from './contents.ts';
import { blameExcess, judgeEdge, violates, wrongOfKey } from './throttle-edge.ts';
import {
  fellByOthers,
  findAnswered,
  findRounds,
  findServed,
  hasSameKey,
  isThrottled,
  type Round,
  USED_BY_OTHERS,
  wasUsedByOthers,
} from './throttle-rounds.ts';

const NO_ROUND = 'the limit was reached once per window, and time was left only for other operations';
const EVERY_OPERATION = 'DEPTH=thorough or a larger MAX_WAIT, with THROTTLING=on or a THROTTLE_API_KEY';

/** Without rounds, why there are none; nothing where the trace was not made for it. */
function explainNoRounds({ facts: { settings, leftOut, isForeign, unsent } }: Store): Instance | undefined {
  if (isForeign) return undefined;
  if (leftOut?.outcome === 'cantTell') return inTheWay(leftOut.reason);
  if (leftOut) return outOfReach(leftOut.reason, leftOut.remedy ?? '');
  if (settings.throttling === 'off') return outOfReach('THROTTLING=off', 'THROTTLING=auto, or on');
  if (settings.readOnly) return outOfReach('READ_ONLY=1: a read-only run does not throttle', 'READ_ONLY=0');
  return unsent[0] && inTheWay(unsent[0].reason);
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

/** Whether the operation answered so before, and never otherwise but for a 429: that has nothing to do with the limit. */
function failedBefore({ number, operation, status }: Step, { steps }: Store): boolean {
  const before = steps.filter((each) => each.number < number && each.operation === operation && each.isOfKey);
  const answered = before.filter((each) => each.status !== undefined && each.status !== 429);
  return answered.length > 0 && answered.every((each) => each.status === status);
}

/** Served after the wait. A key that is rejected from its first 429 on is not served again. */
function judgeRecovery(store: Store, { sent, refusal, after }: Round): Instance | undefined {
  if (!refusal) return undefined;
  if (!after) {
    const { maxWait } = store.facts.settings;
    if (readWait(refusal.exchange) <= maxWait) return inTheWay('no request followed the 429', refusal);
    const wait = describeWait(refusal.exchange) ?? `60 s, since exchange ${refusal.number} names none`;
    return inTheWay(`the wait is more than MAX_WAIT (${maxWait} s): ${wait}`, refusal);
  }
  const { status, exchange } = after;
  if (status === undefined)
    return inTheWay(`the request after the wait got no answer: ${exchange.failure?.message}`, after);
  const wasServed = (each: Step): boolean => each.number < after.number && isSameRequest(each, after) && each.isServed;
  const isLocked = [401, 403].includes(status) && store.steps.some(wasServed);
  if (isLocked && store.mayBeBanned(after))
    return inTheWay(
      `${status} after the wait: the key got several 429s, and may be banned for a while`,
      after,
      refusal,
    );
  const isOwnFailure = status >= 500 && failedBefore(after, store);
  if (status !== 429 && (status < 500 || isOwnFailure) && !isLocked) return holds(after, refusal);
  // Another client may have used what came back.
  if (status === 429 && (fellByOthers(sent) || wasUsedByOthers(store, sent)))
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
    const after = store.steps.find(
      (each) => hasSameKey(each, refusal) && each.start >= refusal.end + retryAfter * 1000,
    );
    // Another client of the key may have used what came back.
    const { status = 429 } = after ?? {};
    if (after && status < 500 && ![401, 403, 429].includes(status)) yield holds(after, refusal);
  }
}

function checkRetryAfter({ exchange }: Step): Difference[] {
  const { retryAfter, sent } = readRateLimit(exchange);
  const { name, values } = sent.retryAfter;
  const [value] = values;
  if (value === undefined) return [difference('missing header', `header ${name}`)];
  if (values.length === 1 && retryAfter !== undefined) return [];
  const detail = values.length === 1 ? explainRetryAfter(value, targetTime(exchange)) : undefined;
  const more = detail === undefined ? {} : ({ detail, change: { how: 'another form', detail } } as const);
  return [wrongHeader(name, 'whole seconds to wait, or an HTTP date', values.join(', '), more)];
}

export const throttle: Properties = {
  *'throttle.429'(store) {
    const rounds = findRounds(store);
    const none = rounds.length === 0 ? explainNoRounds(store) : undefined;
    if (none) yield none;
    for (const round of rounds) yield judgeEdge(store, round);
    // Of the keys that were not used up on purpose, more than the limit under one Reset.
    const isUsedUp = (step: Step): boolean => rounds.some(({ sent: [first] }) => first && hasSameKey(first, step));
    const others = store.steps.filter((step) => step.isOfKey && !isUsedUp(step));
    for (const [first] of groupBy(others, ({ request }) => request.credential === 'throttle').values()) {
      if (!first) continue;
      const excess = [findServed, findAnswered]
        .map((find) => findExcess(exchangesOf(find(store, first))))
        .find((each) => each !== undefined);
      if (excess && excess.limit > 0) yield blameExcess(store, excess);
    }
    for (const instance of judgeAbsence(store, (step) => isThrottled(step) && step.isOfKey))
      if (instance.is === 'violated') yield instance;
  },

  *'throttle.every-operation'(store) {
    const rounds = findRounds(store);
    const all = [...rounds.flatMap(({ sent }) => sent), ...store.steps];
    for (const { id } of operations) {
      const shown = all.find(({ operation }) => operation?.id === id);
      if (!shown) continue;
      const own = rounds.flatMap((round) => judgeOperation(round, id) ?? []);
      if (own.length > 0) yield* own;
      else if (rounds.some(({ refusal }) => refusal)) yield outOfReach(NO_ROUND, EVERY_OPERATION, shown);
      else for (const each of explainNoRefusal(store)) yield { ...each, steps: [shown] };
    }
  },

  *'throttle.retry-after'(store) {
    const refusals = store.steps.filter(isThrottled);
    if (refusals.length === 0) yield* explainNoRefusal(store);
    for (const step of refusals) yield judge(checkRetryAfter(step), step);
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
