/** The properties of the rate limit: every lawful limiter holds or is not judged, anything else is a violation. */
import fc from 'fast-check';
import { operations } from '../../../fixtures/contract/contract.ts';
import type { Exchange } from '../../../fixtures/target/http/exchange.ts';
import { exchange, expect, forAll, type Given, NOW, pet, test, TIMEOUT } from './make.ts';
import { ask, describeOutcome, type Facts, makeStore, NO_LIMIT, range, type Row, testRows } from './traces.ts';

const withHeaders = (headers: NonNullable<Given['headers']>, status = 200): Exchange[] => [
  ask(0, 'GET /pets', status, [], { headers }),
];
const reset = (value: number | string, status?: number): Exchange[] =>
  withHeaders({ 'X-RateLimit-Reset': String(value) }, status);
const limit = (value: string): Exchange[] => withHeaders({ 'X-RateLimit-Limit': value, 'X-RateLimit-Remaining': '1' });
const remaining = (value: string): Exchange[] => withHeaders({ 'X-RateLimit-Remaining': value });
const FREE = { settings: { plan: 'free' } } satisfies Facts;

testRows({
  'rate.headers': [
    ['one is missing', withHeaders({ 'X-RateLimit-Reset': undefined }), 'failed: missing header…'],
    ['on a 401', withHeaders({ 'X-RateLimit-Limit': undefined }, 401), 'failed: missing header…'],
    ['on a 500', withHeaders({ 'X-RateLimit-Limit': undefined }, 500), 'untested: …'],
  ],
  'rate.limit.value': [
    ['a number, sent twice', withHeaders({ 'X-RateLimit-Limit': ['60', '60'] }), 'passed'],
    ...['0', '-1', '60;w=60', '1.5', 'unlimited'].map((value): Row => [value, limit(value), 'failed: …']),
  ],
  'rate.remaining.value': [
    ...['0', '-1', '61', '5.5', 'NaN'].map((of): Row => [of, remaining(of), of === '0' ? 'passed' : 'failed: …']),
  ],
  'rate.reset.value': [
    ...[30, 0, -5, 86_400].map((seconds): Row => [`in ${seconds} s`, reset(NOW + seconds), 'passed']),
    ...[-6, 30 * 86_400].map((seconds): Row => [`in ${seconds} s`, reset(NOW + seconds), 'failed: …']),
    ['a 429 whose Reset is now', reset(NOW, 429), 'passed'],
    ['a 429 whose Reset is over', reset(NOW - 2, 429), 'failed: …'],
    ['milliseconds', reset(`${NOW}000`), 'failed: …'],
    ['of the minute of a plan, in an hour', reset(NOW + 3600), 'failed: …', FREE],
    ['a 429 whose Reset is in an hour, as of a ban', reset(NOW + 3600, 429), 'passed', FREE],
    ...[200, 429].map((status): Row => {
      const headers = { Date: undefined, 'X-RateLimit-Reset': String(NOW - 600) };
      return [`this machine may be late: ${status}`, withHeaders(headers, status), 'passed'];
    }),
  ],
  'rate.plan': [
    ['per minute', limit('60'), 'passed', FREE],
    ['per day', limit('1000'), 'passed', FREE],
    ['of another plan', limit('300'), 'failed: …', FREE],
    ['custom', limit('7'), 'inapplicable: …', { settings: { plan: 'enterprise' } }],
    ['unknown', limit('7'), 'untested: PLAN is not set'],
    ['missing', withHeaders({ 'X-RateLimit-Limit': undefined }), 'cantTell: …see rate.headers', FREE],
  ],
});

// ---- counting

const OPERATIONS = operations.map(({ id }) => id);

interface Reading {
  limit: number;
  remaining: number;
  /** Seconds after NOW. */
  reset: number;
}
/** The headers of a limiter for the nth request, some seconds after the first. */
type Limiter = (nth: number, seconds: number) => Reading;

const headersOf = (reading: Reading): NonNullable<Given['headers']> => ({
  'X-RateLimit-Limit': String(reading.limit),
  'X-RateLimit-Remaining': String(Math.floor(reading.remaining)),
  'X-RateLimit-Reset': String(Math.floor(NOW + reading.reset)),
});

type Sending = { count?: number; pace?: number; more?: (nth: number) => Given };

/** Requests after one another, to each operation in turn. */
const run = (limiter: Limiter, { count = 40, pace = 0.05, more = () => ({}) }: Sending = {}): Exchange[] =>
  Array.from({ length: count }, (_, nth) =>
    exchange({
      operation: OPERATIONS[nth % OPERATIONS.length] as string,
      at: nth * pace,
      headers: headersOf(limiter(nth, nth * pace)),
      ...more(nth),
    }),
  );

const upTo = (nth: number, matches: (nth: number) => boolean): number =>
  Array.from({ length: nth + 1 }, (_, i) => i).filter(matches).length;

const counts =
  (used: (nth: number) => number, of = 60): Limiter =>
  (nth) => ({ limit: of, remaining: of - used(nth), reset: 60 });
const fixed = counts((nth) => nth + 1);
const uncounted = (isKind: (nth: number) => boolean): Limiter => counts((nth) => upTo(nth, (i) => !isKind(i)), 100);
const one =
  (reading: Partial<Reading>): Limiter =>
  () => ({ limit: 60, remaining: 59, reset: 60, ...reading });
const stuck = one({});
const moving =
  (limiter: Limiter): Limiter =>
  (nth, seconds) => ({ ...limiter(nth, seconds), reset: 60 + seconds });
const inParallel = (size: number, apart = 0.1): Sending => ({
  more: (nth) => ({ parallel: true, at: Math.floor(nth / size) * apart }),
});
const sentWith = (credential: NonNullable<Given['credential']>): Sending => ({ more: () => ({ credential }) });
const shownOfThree = counts((nth) => nth - (nth % 4) + 4);
/** Some of them follow before a request can have come back, others after it. */
const TIMES = [0, 0.3, 1.1, 2.3, 3.1, 3.3, 4.1, 4.9, 6.6];
const unevenly: Sending = { count: TIMES.length, more: (nth) => ({ at: TIMES[nth] as number }) };
/** Requests to two operations in turn, with one count for each of them. */
const isAdded = (nth: number): boolean => [nth > 0 && nth < 30, nth > 37 && nth < 41, nth > 55].some(Boolean);
const inTurn = (nth: number): Given => ({ operation: isAdded(nth) ? 'addPet' : 'listPets' });
const ofTwo = counts((nth) => upTo(nth, (i) => isAdded(i) === isAdded(nth)), 1000);
const isLone = (nth: number): boolean => [0, 21, 31].includes(nth);
const ofLone = counts((nth) => upTo(nth, (i) => isLone(i) === isLone(nth)));
const among: Sending = { count: 42, pace: 0.02, more: (nth) => ({ operation: isLone(nth) ? 'listPets' : 'addPet' }) };
const once19 = counts((nth) => (nth === 18 ? 1 : nth + 1), 20);
const flickering: Limiter = (nth) => ({ limit: 40, remaining: 39, reset: 8 + (nth % 2) });
/** A bucket that gets tokens before these of its requests. */
const filled =
  (tokens: number, ...before: number[]): Limiter =>
  (nth) => ({ limit: 1000, remaining: 507 - nth + tokens * before.filter((i) => nth >= i).length, reset: 30 });
/** Two nodes miss every eighth request, and get tokens once. */
const inTwos: Limiter = (nth) => {
  const missed = (nth % 2) + Math.floor(nth / 8);
  return { limit: 300, remaining: 300 - nth + missed + (nth < 30 ? 0 : 20), reset: 26 };
};
const fast: Limiter = (nth) => ({ limit: 9000, remaining: nth === 20 ? 9000 : 8999, reset: 60 });
const pausing: Sending = { more: (nth) => ({ at: nth * 0.015 + (nth > 20 ? 1.5 : 0) }) };
const filledByThird: Limiter = (nth) => ({ limit: 100, remaining: 60 - nth + (nth < 4 ? 0 : 33), reset: 62 });
const filledOnce: Limiter = (nth) => ({ limit: 100, remaining: 99 - nth + (nth < 56 ? 0 : 24), reset: 30 });
const inEights: Sending = { count: 112, ...inParallel(8, 0.005) };
const twiceApart: Sending = { more: (nth) => ({ parallel: true, at: [0, 9, 20, 20.5, 21][nth >> 3]! / 100 }) };
const atOnceAndLater: Sending = {
  count: 17,
  more: (nth) => ({ parallel: true, at: nth < 8 ? 0 : nth < 16 ? 0.1 : 5.1 }),
};
/** Twelve answers at once, or more, show the count of the first; twelve of the next window count. */
const lagging = (count: number): Exchange[] =>
  run((nth) => ({ limit: 60, remaining: nth < count ? 59 : 59 - nth + count, reset: nth < count ? 60 : 120 }), {
    count: count + 12,
    more: (nth) => (nth < 12 ? { parallel: true, at: 0 } : { at: nth < count ? 0.2 : 61 + nth * 0.05 }),
  });
const cached: Limiter = (nth) => ({ limit: 100, remaining: nth % 4 === 0 ? 100 : 99 - nth, reset: 60 });
const fromCache: Sending = {
  more: (nth) => ({ headers: { ...headersOf(cached(nth, 0)), ...(nth % 4 === 0 && { Age: '5' }) } }),
};
const restarting: Limiter = (nth, seconds) =>
  nth % 4 === 0 ? { limit: 60, remaining: 59, reset: 65 + seconds } : fixed(nth, 0);
const full: Limiter = (nth) => ({ limit: 60, remaining: 59 - (nth % 4), reset: 2 + Math.floor(nth / 4) * 2 });
const pauses: Sending = { count: 80, more: (nth) => ({ at: Math.floor(nth / 4) * 2 + (nth % 4) / 100 }) };
const isThird = (nth: number): boolean => nth % 3 === 1;
const leaving: Limiter = (nth) => ({ limit: 300, remaining: 99 - upTo(nth, (i) => !isThird(i)), reset: 60 });
const refusingThird: Sending = { more: (nth) => ({ status: isThird(nth) ? 400 : 200 }) };
const until80 = counts((nth) => Math.min(nth, 80), 1000);
const quick: Sending = { count: 95, pace: 0.002 };
const rising =
  (limit: number, from: number): Limiter =>
  (nth) => ({ limit, remaining: from + nth, reset: 60 });
const again: Limiter = (nth) => ({ limit: 300, remaining: 1 + (nth % 60), reset: nth < 60 ? 60 : 90 });
const rises = run(rising(1000, 500), { pace: 0.004 });
const later = run(one({ limit: 1000, remaining: 560, reset: 58 }), { count: 1, more: () => ({ at: 2 }) });
const nextWindow = run(one({ limit: 1000, reset: 120 }), { count: 1, more: () => ({ at: 61 }) });
const inDelta: Limiter = (nth) => ({ limit: 60, remaining: 59 - (nth % 40), reset: 4 - NOW });
const TENANTS = { hasThrottleKey: true } satisfies Facts;

testRows({
  'rate.remaining.counts': [
    ['a sliding window with a moving Reset', run(moving(fixed)), 'passed'],
    ['other users of the key', run(counts((nth) => nth * 7, 1000)), 'passed'],
    ['batches in parallel', run(fixed, inParallel(4)), 'passed'],
    ['answers that all show what the last of them left', run(shownOfThree, inParallel(4)), 'passed'],
    ['a count that lags', run(counts((nth) => Math.max(0, nth - 12))), 'passed'],
    ['a count that makes up for what it missed', run(counts((i) => (i < 20 ? 0 : i < 21 ? 10 : i + 1))), 'passed'],
    ['a count that is kept for a while', run(counts((nth) => nth - (nth % 15))), 'passed'],
    ['answers of one batch that lag until its window is over', lagging(12), 'passed'],
    ['answers of a batch and the next one that lag', lagging(13), 'passed'],
    ['answers of a cache show an older count', run(cached, fromCache), 'passed'],
    ['one operation always shows the limit', run(cached), 'failed: count rises…'],
    ['one operation shows a new window each time', run(restarting, { count: 76 }), 'failed: not counted…'],
    ['one operation finds the bucket full each time', run(full, pauses), 'lawful'],
    ['a tenth is not counted', run(counts((nth) => nth - Math.floor(nth / 10))), 'passed'],
    ['a bucket gets tokens between two batches', run(filled(83, 8, 16), atOnceAndLater), 'lawful'],
    ['a bucket gets half of its tokens at once', run(filled(490, 5)), 'lawful'],
    ['a bucket gets tokens within a batch', run(filled(83, 12), inParallel(8, 0.5)), 'lawful'],
    ['a bucket gets tokens within batches that follow at once', run(filled(12, 28), twiceApart), 'lawful'],
    ['a bucket gets tokens among batches that follow at once', run(filledOnce, inEights), 'lawful'],
    ['a bucket gets a third of its tokens at once', run(filledByThird, { count: 9, pace: 7 }), 'lawful'],
    ['a count of two nodes that lags, and tokens once', run(inTwos, { count: 60, pace: 0.01 }), 'lawful'],
    ['it stays 0', run(counts((nth) => Math.min(60, nth + 48))), 'lawful'],
    ['a window that is nearly over', run(one({ reset: 2 })), 'untested: …'],
    ['few requests', run(stuck, { count: 6 }), 'untested: too few…'],
    ['requests without a key', run(stuck, sentWith('none')), 'untested: …'],
    ['a bucket refills as fast', run(one({ limit: 1000, remaining: 999 }), { pace: 0.12 }), 'untested: requests come…'],
    ['a bucket refills faster, and one request is not counted before a pause', run(fast, pausing), 'lawful'],
    ['it never falls', run(stuck), 'failed: …'],
    ['it never falls, at uneven times', run(one({ remaining: 31 }), unevenly), 'untested: requests come…'],
    ['it never falls, and Reset moves', run(moving(stuck)), 'failed: …'],
    ['it never falls for one key', [...run(fixed), ...run(stuck, sentWith('throttle'))], 'failed: …', TENANTS],
    ['forty answers in a tenth of a second show the same', run(flickering, inParallel(40)), 'failed: …'],
    ['it falls with every second request', run(counts((nth) => Math.ceil(nth / 2))), 'failed: …'],
    ['it rises', run(rising(60, 0)), 'failed: …'],
    ['it rises in each of two windows', run(again, { count: 120, pace: 0.01 }), 'failed: …'],
    ['it rises from batch to batch', run(rising(100, 0), { ...inParallel(4), count: 60 }), 'failed: …'],
    ['a fixed window, and a request in the next one', [...run(fixed, { pace: 0.002 }), ...nextWindow], 'passed'],
    ['it rises at once, as a sliding window may', [...rises, ...nextWindow], 'untested: … does not always fall…'],
    ['every third stays, as a sliding window may', run(leaving, { pace: 0.02 }), 'untested: … does not always fall…'],
    ['it stays after 80, as a sliding window may', run(until80, quick), 'untested: … does not always fall…'],
    ['it rises, and Reset is the same a second later', [...rises, ...later], 'failed: …'],
    ['it rises beyond any refill', run(counts((i) => (i === 20 ? 1 : i + 500), 1000)), 'failed: …'],
    ['Reset in seconds from now', run(inDelta, { count: 60, pace: 0.1 }), 'untested: no X-RateLimit-Reset is a time…'],
    ['none of the headers', run(fixed, { more: () => ({ headers: NO_LIMIT }) }), 'untested: no answer shows it'],
    ['a 400 is not counted', run(uncounted(isThird), refusingThird), 'failed: …'],
    ['an operation is not counted', run(uncounted((nth) => nth % OPERATIONS.length === 0)), 'failed: …'],
  ],
});

/** A bucket that is filled in a window, in steps of so many seconds, 0 for evenly. Reset is when it is full, or when an empty one would be. */
function bucket(size: number, window: number, every: number): Limiter {
  let [level, last] = [size, 0];
  return (_, seconds) => {
    const now = every > 0 ? Math.floor(seconds / every) * every : seconds;
    level = Math.max(0, Math.min(size, level + ((now - last) * size) / window) - 1);
    last = now;
    return { limit: size, remaining: level, reset: every > 0 ? window : seconds + (1 - level / size) * window };
  };
}

/** A sliding counter: of the previous window, the share that is not over counts; Reset is when this one ends. */
function slidingCounter(size: number, window: number, phase: number): Limiter {
  const counts: number[] = [];
  return (_, seconds) => {
    const [current, passed] = [Math.floor((seconds + phase) / window), ((seconds + phase) / window) % 1];
    counts[current] = (counts[current] ?? 0) + 1;
    const used = counts[current] + (counts[current - 1] ?? 0) * (1 - passed);
    return { limit: size, remaining: Math.max(0, Math.floor(size - used)), reset: (current + 1) * window - phase };
  };
}

const [sizes, windows] = [fc.constantFrom(10, 60, 300, 1000), fc.constantFrom(1, 3, 10, 60)];
const limiters = fc.oneof(
  fc.tuple(sizes, windows, fc.constantFrom(0, 0, 0.1, 0.5, 1, 5)).map((of) => () => bucket(...of)),
  fc.tuple(sizes, windows, fc.nat(5)).map((of) => () => slidingCounter(...of)),
);

test('rate.remaining.counts: buckets and sliding counters are lawful at any speed and any pace, in parallel too', () => {
  const sending = fc.record({
    makeLimiter: limiters,
    pace: fc.double({ min: 0.002, max: 2, noNaN: true }),
    size: fc.constantFrom(1, 1, 4, 8),
    gaps: fc.infiniteStream(fc.constantFrom(1, 1, 1, 1, 0.1, 5)),
    next: fc.infiniteStream(fc.constantFrom(...OPERATIONS)),
  });
  forAll(sending, { seed: 77, numRuns: 400 }, ({ makeLimiter, pace, size, gaps, next }) => {
    let at = 0;
    const limiter = makeLimiter();
    const all = range(0, 59).map((nth) => {
      if (nth % size === 0) at += size * pace * gaps.next().value;
      const headers = headersOf(limiter(nth, at));
      return exchange({ operation: next.next().value, at, headers, parallel: size > 1 });
    });
    expect(describeOutcome(makeStore(all), 'rate.remaining.counts')).toMatch(/^(passed|untested)/);
  });
});

// ---- throttling

const LIMIT = 20;
const NEXT_WINDOW = 'untested: …another window';
const BY_OTHERS = 'cantTell: …another client';
const atOnce = { parallel: true };

/** A request of the throttling key, in a window that ends so many seconds after NOW. */
const served = (remaining: number, at: number, { reset = 60, ...more }: Given & { reset?: number } = {}): Exchange =>
  exchange({
    ...{ operation: 'listOrders', credential: 'throttle', at },
    ...more,
    headers: { ...headersOf({ limit: LIMIT, remaining, reset }), ...more.headers },
  });
const refused = (at: number, more: Parameters<typeof served>[2] = {}): Exchange =>
  served(0, at, { status: 429, ...more, headers: { 'Retry-After': '30', ...more.headers } });
/** Requests 20 ms after one another. */
const downIn = (at: number, reset: number, ...remaining: number[]): Exchange[] =>
  remaining.map((left, i) => served(left, at + i * 0.02, { reset }));
const used = (...remaining: number[]): Exchange[] => downIn(0, 60, ...remaining);
const down = (from: number, to: number): Exchange[] => used(...range(to, from).toReversed());
const SPENT = down(19, 0);
const beyond = (count: number, more: Given = {}) => range(1, count).map((nth) => served(0, 0.5 + nth * 0.02, more));
const lockedOut = [...SPENT, refused(0.4), refused(0.41), ...beyond(9, { status: 403 })];
const next = (at: number, more: Given = {}): Exchange => served(19, at, { ...more, reset: at + 60 });
const refusedIn = (at: number, reset: number): Exchange => refused(at, { reset });
const inTwoWindows = [refused(0.98, { reset: 1, ...atOnce }), served(19, 0.98, { reset: 3, ...atOnce })];
const threeAtOnce = [
  ...[19, 18].map((left) => served(left, 9.9, { reset: 20, ...atOnce })),
  ...[refused(9.9, { reset: 10, headers: { 'Retry-After': '1' }, ...atOnce }), served(17, 11, { reset: 20 })],
];
const moved = [19, 18, 17, 16].map((left, i) => served(left, i * 0.7, { reset: 60 + i }));
const movedAtOnce = [0, 0.7, 1.4, 1.41].map((at, i) => served(18 - i, at, { reset: 60 + i, ...atOnce }));
const refusedAgain = [next(32), ...downIn(33, 92, ...range(0, 18).toReversed()), refusedIn(34, 92), refusedIn(66, 92)];
const refusedLater = (left: number, at: number, wait = '30') =>
  refused(at, { reset: at + 60, headers: { 'X-RateLimit-Remaining': String(left), 'Retry-After': wait } });
const usedUpTwice = [...downIn(0, 31, ...range(0, 19).toReversed()), refusedIn(1, 31), refusedIn(33, 63)];
const ofDay = { headers: headersOf({ limit: 900, remaining: 0, reset: 4000 }) };
const inDay = { headers: headersOf({ limit: 900, remaining: 500, reset: 4000 }) };
const [banned, lost] = [next(33, { status: 403 }), served(0, 0.3, { failure: TIMEOUT })];
const LATER = { throttling: { from: (NOW + 0.4) * 1000, to: (NOW + 90) * 1000 } } satisfies Facts;
const get = (status: number, at: number): Exchange => served(0, at, { operation: 'getPet', status });
const inSeconds = [0, 1, 2].flatMap((at) => downIn(at, at + 1, ...range(0, 19).toReversed()));
const with16 = refused(1.3, { reset: 2, headers: { 'X-RateLimit-Remaining': '16' } });
const nineAtOnce = range(0, 8).map((nth) => served(8 - nth, 0.6, atOnce));
const retryAfter = (value: string | undefined): Exchange[] => [refused(1, { headers: { 'Retry-After': value } })];
const throttled = [...SPENT, refused(1), next(32)];
const burst = [...down(3, 1), ...[0, 0, 0].map((left) => served(left, 0.2, atOnce))];
const toTwo = (nth: number): Exchange => served(19 - Math.floor(nth / 2), nth * 0.02, { reset: 60 + (nth % 2) });
const twelveOf = (operation: string, i: number): Exchange[] =>
  range(0, 11).map((nth) => served(19 - nth, i * 0.3 + nth * 0.02, { operation }));
const scoped = [...down(19, 10), served(9, 1, { operation: 'addPet', status: 403 })];

/** Requests at Remaining 0 that are answered at these times, in seconds after NOW, each with the count of the next window, which one more uses up. */
const heldUntil = (...times: number[]): Exchange[] =>
  times.flatMap((at, nth) => [
    { ...served(19, 0.5 + nth * 61, { reset: at + 60 }), ms: (at - 0.5 - nth * 61) * 1000 },
    served(0, at + 0.1, { reset: at + 60 }),
  ]);

const inList = (name: string): Exchange =>
  exchange({ at: 60, query: { limit: '100' }, body: [pet(1, { name })], credential: 'throttle' });
const refusedAddition = refused(1, {
  operation: 'addPet',
  sent: '{"name":"conformance-x","categoryId":1,"status":"sold"}',
});

/** So many answers with the same count, which requests that come back would explain, and then a 429 with it. */
const constant = (count: number): Exchange[] =>
  range(0, count).map((nth) => {
    const headers = headersOf({ limit: LIMIT, remaining: 19, reset: Math.ceil(nth * 0.1) + 1 });
    return served(19, nth * 0.1, { headers, ...(nth === count && { status: 429 }) });
  });

/** Throttling is all that the throttling key sends. */
const throttling = (...rows: readonly Row[]): Row[] =>
  rows.map(([title, exchanges, outcome, facts]) => {
    const throttled = exchanges.filter(({ credential }) => credential === 'throttle');
    const [from, to] = [throttled[0]?.at ?? 0, (throttled.at(-1)?.at ?? 0) + 10];
    const settings = { throttling: 'on' as const, ...facts?.settings };
    const rounds = throttled.length > 0 && { throttling: { from, to } };
    return [title, exchanges, outcome, { hasThrottleKey: true, ...rounds, ...facts, settings }];
  });
const mainKey = (status: number, at = 0): Exchange =>
  exchange({ at, status, headers: status === 429 ? { 'Retry-After': '2' } : {} });
/** The scheme in lower case is not known: the headers are those of clients without a key. */
const ofOthers = exchange({
  ...{ credential: 'lower-case scheme', status: 401 },
  headers: headersOf({ limit: LIMIT, remaining: LIMIT, reset: 60 }),
});
const shortWindows = run(
  (nth, seconds) => ({ limit: LIMIT, remaining: LIMIT - 1 - (nth % LIMIT), reset: Math.floor(seconds) + 1 }),
  { count: 4 * LIMIT, pace: 1 / LIMIT },
);
/** @param key undefined where a browser left it out. */
const sendWith =
  (key?: string) =>
  ({ request, ...rest }: Exchange): Exchange => {
    const headers: (typeof request)['headers'] = key === undefined ? [] : [['Authorization', `Bearer ${key}`]];
    return { ...rest, request: { ...request, headers } };
  };
const ofKey = (key?: string): Exchange[] => run(fixed, { count: 60 }).map(sendWith(key));
const FOREIGN = { isForeign: true } satisfies Facts;
const BEYOND_WAIT = {
  throttling: { from: NOW * 1000, to: (NOW + 2) * 1000, leftOut: { reason: 'may send nothing for 91 s' } },
} satisfies Facts;
const OFF = { settings: { throttling: 'off' } } satisfies Facts;
const FAILING = exchange({ operation: 'getPet', status: 500, at: -1 });
const UNUSED = { hasThrottleKey: false, settings: { throttling: 'auto' } } satisfies Facts;

testRows({
  'rate.plan': [['what remains', run((nth) => ({ limit: 59 - nth, remaining: 59 - nth, reset: 60 })), 'failed: …']],
  'rate.remaining.counts': [
    ['one count an operation', run(ofTwo, { count: 64, pace: 0.01, more: inTurn }), 'failed: not counted…'],
    ['one count a method, and few requests of one of them', run(ofLone, among), 'failed: not counted…'],
    ['one of twenty answers shows a second count', run(once19, { count: 20, pace: 0.1 }), 'failed: count rises…'],
    ['one count of all, of which some come back', run(filled(6, 9, 21, 33), { more: inTurn }), 'passed'],
    ['the limit is reached, and the count is still that of the first', constant(LIMIT), 'failed: …'],
    ['a 429 before the limit is not of this count', constant(LIMIT - 2), 'untested: …'],
    ['keys that were left out, of many', run(stuck).map(sendWith()), 'untested: the recording does not…', FOREIGN],
  ],
  'throttle.429': throttling(
    ['at the limit', throttled, 'passed'],
    ['Remaining may or may not count its own request', [...down(19, 2), refused(1)], 'passed'],
    ['two more', [...SPENT, ...beyond(2), refused(1)], 'passed'],
    ['403 of a key that is locked out', lockedOut, 'untested: …', { ...FOREIGN, throttling: {} }],
    ['held back for the next window', [...SPENT, ...heldUntil(61, 122, 183)], 'failed: not refused status'],
    ['some are held back', [...SPENT, ...heldUntil(61, 122, 183), next(184), served(0, 185)], 'untested: …'],
    ['one count an operation', OPERATIONS.slice(0, 4).flatMap(twelveOf), 'failed: not refused…'],
    ['two counters', [...range(0, 27).map(toTwo), refused(0.6)], 'failed: not refused…', LATER],
    ['one operation is not limited', [...SPENT, ...beyond(8, { operation: 'addPet' }), refused(1)], 'passed'],
    ['Reset is over', downIn(0, -100, 19, 18, 17), 'cantTell: …see rate.reset.value'],
    ['early', [...down(19, 5), refused(1)], 'failed: …'],
    ['early, but not at the first 429', [refused(0), ...downIn(62, 120, 19, 18, 17), refusedIn(63, 120)], BY_OTHERS],
    ['nodes that lag announce a few more', [...used(6, 5, 4, 3, 4), refused(1)], 'cantTell: …inexact'],
    ['early, in parallel while Reset moves', [...movedAtOnce, refused(1.41, { reset: 63.5, ...atOnce })], 'failed: …'],
    ['early by the count around it', [...down(19, 9), refusedIn(1, 1), ...downIn(32, 60, 8, 6, 4)], 'failed: …'],
    ['early, while Reset moves', [...moved, refusedIn(2.8, 64)], 'failed: …'],
    ['early by its own count, whatever others use', [...downIn(0.5, 2, 19, 15, 14), with16], 'failed: …'],
    ['half is given back, and used at once', [...SPENT, served(9, 0.5), ...nineAtOnce, refused(1)], 'passed'],
    ['limits of a second and a day', [...inSeconds, served(0, 2.9, ofDay), refusedIn(2.95, 3)], 'passed'],
    ['others used up the window', [...downIn(0.5, 3, 19, 18, 17), refusedIn(3.1, 6), next(34)], NEXT_WINDOW],
    ['others used up a short one', [...downIn(0.5, 2, 19, 18, 17), refusedIn(1.3, 2)], NEXT_WINDOW],
    ['two at once, one of them in the next window', [...downIn(0.5, 1, 1), ...inTwoWindows], NEXT_WINDOW],
    ['three at once, two of them in the next window', [...downIn(8, 10, 2, 1, 0), ...threeAtOnce], NEXT_WINDOW],
    ['another status with two left', [...down(19, 2), served(2, 1, { status: 503 })], 'cantTell: …were left'],
    ['another client', [...used(19, 15, 11, 9, 5), refused(1)], BY_OTHERS],
    ['others, later on', [...downIn(0.5, 1, 2), ...downIn(3.5, 10, 19, 15, 11, 9, 6), refusedIn(3.7, 10)], BY_OTHERS],
    ['another client, before the first request', [...down(12, 5), refused(1)], BY_OTHERS],
    ['early, by headers of the day', [served(9, 0, inDay), refused(1, inDay)], 'untested: the headers do not…'],
    ['early, until the next day', [...down(19, 5), ...retryAfter('9999')], 'untested: the headers do not…'],
    ['403 beyond the limit', [...SPENT, served(0, 1, { status: 403 })], 'failed: not refused status'],
    ['one by one at 0, where nothing may be used up', SPENT, 'untested: requests were still…', UNUSED],
    ['a window of a day', [served(15, 0, ofDay)], 'untested: the headers do not announce…'],
    ...[down(19, 10), SPENT].map((all): Row => [`it ended after ${all.length}`, all, 'untested: the window ended…']),
    ['Remaining never moves', used(...Array<number>(20).fill(15)), 'cantTell: X-RateLimit-Remaining stayed 15…'],
    ['a burst that a bucket gives back', burst, 'cantTell: …2 more than were left'],
    ['nothing was left', [refused(0), next(32)], 'untested: the key had no requests left…'],
    ['no headers', [served(0, 0, { headers: NO_LIMIT })], 'cantTell: the rate-limit headers…'],
    ['a key with scopes', scoped, 'untested: POST /pets answers 403…'],
    ['interference', [mainKey(429)], 'untested: …'],
    ['each window within its limit, after a 401', [ofOthers, ...shortWindows], 'untested: THROTTLING=off', OFF],
    ['two keys, each within its limit', ['$API_KEY', '$API_KEY_2'].flatMap(ofKey), 'untested: THROTTLING=off', OFF],
    ['keys that were left out or masked', [...ofKey(), ...ofKey('***'), ...ofKey('***')], 'untested: …', FOREIGN],
    ['a refused addition is in a list', [...SPENT, refusedAddition, inList('conformance-x')], 'failed: …'],
    ['a refused addition is in no list', [...SPENT, refusedAddition, inList('Rex')], 'passed'],
  ),
  'throttle.every-operation': throttling(
    ['the refused operation', throttled, 'passed'],
    ['one is served, others are refused', [...SPENT, ...beyond(8), refused(1, { operation: 'getPet' })], 'failed: …'],
    ['all are late', [...SPENT, ...beyond(8), get(404, 0.7), refused(1, { operation: 'getPet' })], 'passed'],
    ['none was refused', down(19, 10), 'untested: …'],
    ['off', [exchange({ operation: 'listOrders' })], 'untested: …', OFF],
  ),
  'throttle.retry-after': throttling(
    ...['0', '30', 'Wed, 25 Nov 2026 20:00:00 GMT'].map((value): Row => [value, retryAfter(value), 'passed']),
    ...['-1', '1.5', 'soon', String(NOW)].map((value): Row => [value, retryAfter(value), 'failed: …']),
    ['missing', retryAfter(undefined), 'failed: missing header…'],
    ['on the main key', [exchange({ status: 429 })], 'failed: missing header…'],
    ['without a 429', down(19, 10), 'untested: the window ended…'],
  ),
  'throttle.recovers': throttling(
    ['served after the wait', throttled, 'passed'],
    ['refused again', [...SPENT, refused(1), refused(33)], 'failed: …'],
    ['refused again, without headers', [...SPENT, refused(1), refused(33, { headers: NO_LIMIT })], 'failed: …'],
    ['after one was lost', [...down(19, 2), lost, served(0, 0.4), refused(1), refused(33)], 'failed: …', LATER],
    ['refused within the second of rounding', [...SPENT, refused(1), refused(31.5), next(64)], 'passed'],
    ['refused in the next window', usedUpTwice, 'cantTell: refused in the next window too…'],
    ['refused with a rest', [...SPENT, refused(1), refusedLater(18, 62)], 'failed: not served again status'],
    ['refused until the next day, with a rest', [...SPENT, refused(1), refusedLater(18, 62, '40000')], 'cantTell: …'],
    ['banned with a rest', [...SPENT, refused(1), refused(1.01, atOnce), refusedLater(18, 62)], 'cantTell: …'],
    ['served in the one after it', [...usedUpTwice, served(19, 66, { reset: 98 })], 'cantTell: refused in the next…'],
    ['refused in each window', [...usedUpTwice, refusedIn(66, 97)], 'failed: …'],
    ['banned after several', [...SPENT, refused(1), refused(1.01, atOnce), banned], 'cantTell: 403 after the wait…'],
    ['locked out by one', [...SPENT, refused(1), banned], 'failed: not served again status'],
    ['a failure as before', [FAILING, ...SPENT, get(500, 0.5), refused(1), get(500, 33)], 'passed'],
    ['nothing followed', [...SPENT, refused(1)], 'cantTell: no request followed the 429'],
    ['too long with its margin', [...SPENT, ...retryAfter('89')], 'cantTell: may send nothing for 91 s', BEYOND_WAIT],
    ['too long', [...SPENT, ...retryAfter('900')], 'cantTell: the wait is more than MAX_WAIT…: 900 …'],
    ['others used the key before', [...down(12, 0), refused(1), refused(33)], BY_OTHERS],
    ['others used two requests before', [...down(17, 0), refused(1), refused(33)], BY_OTHERS],
    ['others used up the key before', [refused(0), refused(33)], BY_OTHERS],
    ['a failure of what was answered 404', [...SPENT, get(404, 0.5), refused(1), get(500, 33)], 'failed: …'],
    ['the refusal is a failure', [...SPENT, lost, next(63)], 'cantTell: no request was rejected…'],
    ['others use the key, as an earlier round shows', [...used(19, 4, 0), refused(1), ...refusedAgain], 'passed'],
    ['the day is used up too', [...SPENT, refused(1), refused(33, ofDay)], 'cantTell: …another limit'],
    ['on the main key, without throttling', [mainKey(429), mainKey(200, 3)], 'passed'],
    ['refused again on the main key, which others may use', [mainKey(429), mainKey(429, 3)], 'untested: …'],
    ['another key may have been served', [mainKey(429), mainKey(200, 3)].map(sendWith()), 'untested: …', FOREIGN],
  ),
});
