/** Above the limit: sections 7 and 8. When a key is refused is judged in throttle-edge.ts. */
import { operations, rateHeaders } from '../../fixtures/contract/contract.ts';
import { targetTime } from '../../fixtures/target/http/exchange.ts';
import { isLikeDate, parseRetryAfter } from '../../fixtures/target/http/retry-after.ts';
import { computeSlack, computeTries, describeWait, isOfDay } from '../../fixtures/target/rate-limit/headers.ts';
import { readRateLimit, readWait } from '../../fixtures/target/rate-limit/headers.ts';
import { counted } from '../../fixtures/text.ts';
import type { Properties, Store } from '../../fixtures/trace/store.ts';
import { findServedBeyondLimit } from '../../fixtures/trace/rate-limit/beyond.ts';
import { isRefusedInNext, measureInexactness } from '../../fixtures/trace/rate-limit/windows.ts';
import { type Instance, isSameRequest, type Step, undecided } from '../../fixtures/trace/step.ts';
import { judgeAbsence } from './contents.ts';
import { checkHeader } from './responses.ts';
import { findRounds, hasSameKey, isThrottled, isUsedByOthers } from './throttle-edge.ts';
import { judgeEdge, judgeKeys, type Round, USED_BY_OTHERS } from './throttle-edge.ts';

const NO_ROUND = 'the limit was reached once per window, and time was left only for other operations';
const EVERY_OPERATION = 'DEPTH=thorough or a larger MAX_WAIT, with THROTTLING=on or a THROTTLE_API_KEY';

/** Without rounds, why there are none; nothing where the trace was not made for it. */
function explainNoRounds({ facts: { settings, throttling, unsent } }: Store): Instance[] {
  const { reason, remedy } = throttling?.leftOut ?? {};
  if (reason !== undefined) return [undecided(reason, remedy === undefined ? {} : { remedy })];
  if (settings.throttling === 'off') return [undecided('THROTTLING=off', { remedy: 'THROTTLING=auto, or on' })];
  if (settings.readOnly)
    return [undecided('READ_ONLY=1: a read-only run does not throttle', { remedy: 'READ_ONLY=0' })];
  return unsent.slice(0, 1).map((each) => undecided(each.reason));
}

/** Why no request was refused: the reason of throttle.429 if the limit was only not reached. */
function explainNoRefusal(store: Store, rounds: readonly Round[]): Instance[] {
  if (rounds.length === 0) return explainNoRounds(store);
  return rounds.map((round) => {
    const edge = judgeEdge(store, round);
    if (edge.is === 'undecided' && edge.remedy !== undefined) return edge;
    return (round.requests.at(-1) as Step).blockedBy('throttle.429', 'no request was rejected at the limit');
  });
}

function judgeOperation({ requests, served, refusal, ofKey }: Round, id: string): Instance | undefined {
  const asked = requests.filter(({ operation }) => operation?.id === id);
  const [last, refused] = [asked.at(-1), asked.find(isThrottled)];
  if (refused || !refusal || !last) return refused?.holds();
  const late = findServedBeyondLimit(served, ofKey);
  const beyond = asked.filter((step) => late?.beyond.includes(step));
  const detail = refusal.operation?.name ?? '';
  // If others are served beyond it as well, the limit is late for all: throttle.429.
  const isOnly = late?.beyond.length === beyond.length;
  if (late && isOnly && beyond.length > late.allowed) {
    const more = { expected: 429, actual: beyond.length, detail };
    return (beyond.at(-1) as Step).violates('operation not limited', 'status', more, refusal);
  }
  // A limit that is renewed within a second or two may explain it, but not that others are refused.
  const atZero = asked.filter((each) => served.includes(each) && readRateLimit(each.exchange).remaining === 0);
  if (late && atZero.length >= computeTries(late.limit))
    return (atZero.at(-1) as Step).inTheWay(
      `${counted(atZero.length, 'request')} served at ${rateHeaders.remaining}: 0, and then ${detail} refused: not limited, or a limit that is renewed within a second or two`,
      refusal,
    );
  return last.outOfReach(`the limit was reached with another operation than ${last.operation?.name}`, EVERY_OPERATION);
}

// ---- after the wait

/** Why what followed a 429 does not show whether the key is served again. */
function explainNoRecovery(store: Store, refusal: Step, after: readonly Step[]): string | undefined {
  const [first, last] = [after[0], after.at(-1)];
  if (first && last) {
    if (isRefusedInNext(refusal, first) && (last === first || !isThrottled(last)))
      return 'refused in the next window too: another client uses the key, or the wait is too short';
    const failed = `the request after the wait got no answer: ${last.exchange.failure?.message}`;
    return last.status === undefined ? failed : undefined;
  }
  const { settings, throttling } = store.facts;
  if (readWait(refusal.exchange) <= settings.maxWait)
    return throttling?.leftOut?.reason ?? 'no request followed the 429';
  const wait = describeWait(refusal.exchange) ?? `60 s, since exchange ${refusal.number} names none`;
  return `the wait is more than MAX_WAIT (${settings.maxWait} s): ${wait}`;
}

/** The second 429 of a key, if it shows requests left, as the first did not: no other client explains it. */
function findRefusedWithRest({ steps }: Store, { refusal, requests, after }: Round): Step | undefined {
  const [first, second] = steps.filter((step) => isThrottled(step) && refusal && hasSameKey(step, refusal));
  const [spent, left] = [first?.window, second?.window];
  if (!second || !spent || spent.limit !== left?.limit || !after.includes(second)) return undefined;
  // The limit of a day, which only the 429 announces.
  if (isOfDay(readRateLimit(second.exchange).retryAfter)) return undefined;
  const slack = computeSlack(spent.limit) + measureInexactness(requests);
  return spent.remaining <= slack && left.remaining > slack ? second : undefined;
}

/** Served after the wait. A key that is refused from its first 429 on is not served again. */
function judgeRecovery(store: Store, round: Round): Instance | undefined {
  const { refusal, after: all } = round;
  if (refusal?.status === undefined) return undefined;
  const withRest = findRefusedWithRest(store, round);
  const [first, after] = [all[0] ?? refusal, withRest ?? all.at(-1) ?? refusal];
  const unclear = withRest ? undefined : explainNoRecovery(store, refusal, all);
  if (unclear !== undefined) return first.inTheWay(unclear, refusal);
  const { status = 0 } = after;
  const earlier = store.steps.filter((each) => each.number < refusal.number && isSameRequest(each, after));
  // What the same request was answered before has nothing to do with the limit.
  const isNew = earlier.length > 0 && !earlier.some((each) => each.status === status);
  const isLocked = [401, 403].includes(status) && isNew;
  const banned = `${status} after the wait: the key got several 429s, and may be banned for a while`;
  if (isLocked && store.mayBeBanned(after)) return after.inTheWay(banned, refusal);
  if (status !== 429 && !(status >= 500 && isNew) && !isLocked) return after.holds(refusal);
  // The limits of a minute and a day may both be reached, and another client may have used what came back.
  const [limit, next = limit] = [refusal, after].map((each) => readRateLimit(each.exchange).limit);
  const isExplained = limit !== next || isUsedByOthers(store, refusal, all);
  const why = limit === next ? USED_BY_OTHERS : 'the 429 after the wait is of another limit';
  if (status === 429 && isExplained && !withRest) return after.inTheWay(why, refusal);
  const expected = isLocked ? ['2xx'] : ['not 429', 'not 5xx'];
  const detail = readRateLimit(refusal.exchange).headers.retryAfter.values.join(', ');
  const more = { expected, actual: status, detail, isOfKey: true } as const;
  return after.violates('not served again', 'status', more, refusal);
}

/** A 429 outside of throttling, and the next request with the same key after the wait, if it was served. */
function findRecoveries(store: Store, inRounds: readonly Step[]): Instance[] {
  const isOwn = (step: Step): boolean => step.operation !== undefined && store.showsKey(step);
  const refusals = store.steps.filter((step) => isThrottled(step) && isOwn(step) && !inRounds.includes(step));
  return refusals.flatMap((refusal) => {
    const { retryAfter = Infinity } = readRateLimit(refusal.exchange);
    const until = refusal.end + retryAfter * 1000;
    const after = store.steps.find((each) => hasSameKey(each, refusal) && each.start >= until);
    // Another client of the key may have used what came back.
    const { status = 429 } = after ?? {};
    return after && status < 500 && ![401, 403, 429].includes(status) ? after.holds(refusal) : [];
  });
}

const judgeRetryAfter = (step: Step): Instance =>
  step.judge(
    checkHeader(step, rateHeaders.retryAfter, (value) => {
      if (parseRetryAfter(value, targetTime(step.exchange)) !== undefined) return undefined;
      const likeDate = 'a date such as Sun, 06 Nov 1994 08:49:37 GMT';
      const expected = isLikeDate(value) ? likeDate : 'whole seconds to wait, or an HTTP date';
      return { expected, ...(/^\d+$/.test(value) && { change: { how: 'written as', detail: 'a Unix timestamp' } }) };
    }),
  );

export const throttle: Properties = {
  *'throttle.429'(store) {
    const rounds = findRounds(store);
    if (rounds.length === 0) yield* explainNoRounds(store);
    for (const round of rounds) yield judgeEdge(store, round);
    yield* judgeKeys(store, rounds);
    yield* judgeAbsence(store, (step) => isThrottled(step) && step.isOfKey).filter(({ is }) => is === 'violated');
  },

  *'throttle.every-operation'(store) {
    const rounds = findRounds(store);
    const all = [...rounds.flatMap(({ requests }) => requests), ...store.steps];
    for (const { id } of operations) {
      const shown = all.find(({ operation }) => operation?.id === id);
      if (!shown) continue;
      const own = rounds.flatMap((round) => judgeOperation(round, id) ?? []);
      if (own.length > 0) yield* own;
      else if (rounds.some(({ refusal }) => refusal)) yield shown.outOfReach(NO_ROUND, EVERY_OPERATION);
      else yield* explainNoRefusal(store, rounds).map((each) => ({ ...each, steps: [shown] }));
    }
  },

  *'throttle.retry-after'(store) {
    const refusals = store.steps.filter(isThrottled);
    yield* refusals.length > 0 ? refusals.map(judgeRetryAfter) : explainNoRefusal(store, findRounds(store));
  },

  *'throttle.recovers'(store) {
    const rounds = findRounds(store);
    const inRounds = rounds.flatMap(({ requests, after }) => [...requests, ...after]);
    const own = [...rounds.flatMap((round) => judgeRecovery(store, round) ?? []), ...findRecoveries(store, inRounds)];
    yield* own.length > 0 ? own : explainNoRefusal(store, rounds);
  },
};
