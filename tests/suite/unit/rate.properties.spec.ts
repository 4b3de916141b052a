/** The properties of the rate limit over exchanges: every lawful limiter holds or is not judged, anything else is a violation. */
import { expect } from '@playwright/test';
import fc from 'fast-check';
import { operations } from '../../../fixtures/contract/contract.ts';
import type { RequirementId } from '../../../fixtures/contract/requirements.ts';
import { describeActual } from '../../../fixtures/report/model/describe.ts';
import type { Exchange } from '../../../fixtures/target/http/exchange.ts';
import { Store, type TraceFacts } from '../../../fixtures/trace/store.ts';
import { properties } from '../../properties/index.ts';
import { exchange, type Given, NOW, pet, test } from './make.ts';

const AUTHORIZATION: Record<string, string> = {
  key: 'Bearer $API_KEY',
  throttle: 'Bearer $THROTTLE_API_KEY',
  'lower-case scheme': 'bearer $API_KEY',
};

type Facts = Partial<Omit<TraceFacts, 'settings'>> & { settings?: Partial<TraceFacts['settings']> };

const SETTINGS: TraceFacts['settings'] = {
  baseUrl: 'http://127.0.0.1/v1',
  readOnly: false,
  throttling: 'on',
  maxWait: 90,
  depth: 'standard',
  categoryId: '1',
  plan: undefined,
};

/** The worst outcome, as one line. Throttling is all that the throttling key sends. */
function judged(id: RequirementId, exchanges: readonly Exchange[], { settings, ...facts }: Facts = {}): string {
  const sent = exchanges.map((each, i): Exchange => {
    const authorization = AUTHORIZATION[each.credential];
    const headers: [string, string][] = authorization === undefined ? [] : [['Authorization', authorization]];
    return { ...each, number: i + 1, request: { ...each.request, headers } };
  });
  const own = sent.filter(({ credential }) => credential === 'throttle');
  const store = new Store(sent, {
    settings: { ...SETTINGS, ...settings },
    hasThrottleKey: true,
    throttling: own.length > 0 ? [{ from: own[0]?.at ?? 0, to: (own.at(-1)?.at ?? 0) + 10 }] : [],
    unsent: [],
    isForeign: false,
    ...facts,
  });
  const instances = [...(properties[id]?.(store) ?? [])];
  for (const each of instances) if (each.is === 'violated') return `violated: ${describeActual(each)}`;
  if (instances.some(({ is }) => is === 'holds')) return 'holds';
  for (const [why, name] of [
    ['in the way', 'cantTell'],
    ['out of reach', 'untested'],
    ['not applicable', 'inapplicable'],
  ] as const)
    for (const each of instances) if (each.is === 'undecided' && each.why === why) return `${name}: ${each.reason}`;
  return 'nothing';
}

type Row = readonly [title: string, exchanges: Exchange[], expected: RegExp | string, facts?: Facts];

function expectAll(id: RequirementId, rows: readonly Row[]): void {
  for (const [title, exchanges, expected, facts] of rows)
    test(`${id}: ${title}`, () => {
      expect(judged(id, exchanges, facts)).toMatch(
        typeof expected === 'string' ? new RegExp(`^${expected}`) : expected,
      );
    });
}

// ---- values

const answered = (headers: NonNullable<Given['headers']>, more: Given = {}): Exchange[] => [
  exchange({ ...more, headers }),
];
const reset = (seconds: number, more: Given = {}): Exchange[] =>
  answered({ 'X-RateLimit-Reset': String(NOW + seconds) }, more);
const limit = (value: string | undefined, more: Given = {}): Exchange[] =>
  answered({ 'X-RateLimit-Limit': value, 'X-RateLimit-Remaining': '1' }, more);

expectAll('rate.headers', [
  ['all three', answered({}), 'holds'],
  ['one is missing', answered({ 'X-RateLimit-Reset': undefined }), 'violated: no X-RateLimit-Reset'],
  [
    'another name',
    answered({ 'X-RateLimit-Reset': undefined, 'RateLimit-Reset': '9' }),
    /violated: no X-RateLimit-Reset; RateLimit-Reset was sent/,
  ],
  ['on a 401', answered({ 'X-RateLimit-Limit': undefined }, { credential: 'none', status: 401 }), 'violated'],
  ['a 5xx shows nothing', answered({ 'X-RateLimit-Limit': undefined }, { status: 500 }), 'nothing'],
]);
expectAll('rate.limit.value', [
  ['a number, sent twice', answered({ 'X-RateLimit-Limit': ['60', '60'] }), 'holds'],
  ...['0', '-1', '60;w=60', '1.5', 'unlimited'].map((value): Row => [value, limit(value), 'violated']),
]);
expectAll('rate.remaining.value', [
  ['0', answered({ 'X-RateLimit-Remaining': '0' }), 'holds'],
  ...['-1', '61', '5.5', 'NaN'].map((value): Row => [value, answered({ 'X-RateLimit-Remaining': value }), 'violated']),
]);
expectAll('rate.reset.value', [
  ...[30, 0, -5, 86_400].map((seconds): Row => [`in ${seconds} s`, reset(seconds), 'holds']),
  ...[-6, 30 * 86_400].map((seconds): Row => [`in ${seconds} s`, reset(seconds), 'violated']),
  ['a 429 whose Reset is now', reset(0, { status: 429 }), 'holds'],
  ['a 429 whose Reset is over', reset(-2, { status: 429 }), /violated: .*-?\d+ \(Date/],
  ['milliseconds', answered({ 'X-RateLimit-Reset': `${NOW}000` }), 'violated'],
  ['this machine may be late', answered({ Date: undefined, 'X-RateLimit-Reset': String(NOW - 600) }), 'holds'],
]);
expectAll('rate.plan', [
  ['per minute', limit('60'), 'holds', { settings: { plan: 'free' } }],
  ['per day', limit('1000'), 'holds', { settings: { plan: 'free' } }],
  ['of another plan', limit('300'), 'violated: X-RateLimit-Limit: 300', { settings: { plan: 'free' } }],
  ['custom', limit('7'), 'inapplicable', { settings: { plan: 'enterprise' } }],
  ['unknown', limit('7'), 'untested: PLAN is not set'],
  ['of another key', limit('7', { credential: 'throttle' }), 'cantTell', { settings: { plan: 'free' } }],
]);

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

const headersOf = (of: Reading): NonNullable<Given['headers']> => ({
  'X-RateLimit-Limit': String(of.limit),
  'X-RateLimit-Remaining': String(Math.floor(of.remaining)),
  'X-RateLimit-Reset': String(Math.floor(NOW + of.reset)),
});

interface Sending {
  count?: number;
  pace?: number;
  more?: (nth: number) => Given;
}

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

/** A fixed window that counts some requests. */
const counts =
  (used: (nth: number) => number, of = 60): Limiter =>
  (nth) => ({ limit: of, remaining: of - used(nth), reset: 60 });
const fixed = counts((nth) => nth + 1);
const uncounted = (isKind: (nth: number) => boolean): Limiter => counts((nth) => upTo(nth, (i) => !isKind(i)), 100);
const stuck: Limiter = () => ({ limit: 60, remaining: 59, reset: 60 });
const moving =
  (limiter: Limiter): Limiter =>
  (nth, seconds) => ({ ...limiter(nth, seconds), reset: 60 + seconds });
const inParallel = (size: number): Sending => ({
  more: (nth) => ({ parallel: true, at: Math.floor(nth / size) * 0.1 }),
});
const withStatus = (isKind: (nth: number) => boolean): Sending => ({
  more: (nth) => ({ status: isKind(nth) ? 400 : 200 }),
});
const isThird = (nth: number): boolean => nth % 3 === 1;
const of = (credential: NonNullable<Given['credential']>): Sending => ({ more: () => ({ credential }) });

expectAll('rate.remaining.counts', [
  ['a fixed window', run(fixed), 'holds'],
  ['a sliding window with a moving Reset', run(moving(fixed)), 'holds'],
  ['other users of the key', run(counts((nth) => nth * 7, 1000)), 'holds'],
  ['batches in parallel', run(fixed, inParallel(4)), 'holds'],
  [
    'answers that all show what the last of them left',
    run(
      counts((nth) => nth - (nth % 4) + 4),
      inParallel(4),
    ),
    'holds',
  ],
  ['a count that lags', run(counts((nth) => Math.max(0, nth - 12))), 'holds'],
  ['a count that is kept for a while', run(counts((nth) => nth - (nth % 15))), 'holds'],
  ...[2, 5, 10, 15].map((lag): Row => [
    `a count that lags by ${lag}, with one status first`,
    run(
      counts((nth) => nth - (nth % lag)),
      withStatus((nth) => nth < 12),
    ),
    /^(holds|untested)/,
  ]),
  ['a tenth is not counted', run(counts((nth) => nth - Math.floor(nth / 10))), 'holds'],
  ['it stays 0', run(counts((nth) => Math.min(60, nth + 48))), /^(holds|untested)/],
  ['a window that is nearly over', run(() => ({ limit: 60, remaining: 59, reset: 2 })), 'untested'],
  ['few requests', run(stuck, { count: 6 }), 'untested: too few'],
  ['headers that cannot be read', run(stuck, { more: () => ({ headers: { 'X-RateLimit-Limit': '-1' } }) }), 'untested'],
  ['requests without a key', run(stuck, { more: () => ({ credential: 'none', status: 401 }) }), 'nothing'],
  [
    'a bucket that refills as fast as requests come',
    run(() => ({ limit: 1000, remaining: 999, reset: 60 }), { pace: 0.12 }),
    'untested: requests come back as fast',
  ],
  [
    'earlier requests leave a sliding window',
    run(
      moving((nth) => ({ limit: 60, remaining: 19 - nth + (nth > 10 ? 40 : 0), reset: 60 })),
      { count: 30 },
    ),
    /^(holds|untested)/,
  ],
  ['it never falls', run(stuck), 'violated: it never fell in 39 requests: 59, then 59'],
  ['it never falls, and Reset moves', run(moving(stuck)), 'violated: it never fell'],
  ['of one key', [...run(fixed), ...run(stuck, of('throttle'))], 'violated: it never fell'],
  [
    'forty answers in a tenth of a second show the same, whatever Reset does',
    run((nth) => ({ limit: 40, remaining: 39, reset: 8 + (nth % 2) }), { ...inParallel(40), count: 40 }),
    'violated: it never fell',
  ],
  ['it falls with every second request', run(counts((nth) => Math.ceil(nth / 2))), 'violated: it fell in \\d+ of 39'],
  ['it rises', run((nth) => ({ limit: 60, remaining: nth, reset: 60 })), 'violated: it rose in'],
  [
    'it rises beyond any refill',
    run((nth) => ({ limit: 1000, remaining: nth === 20 ? 999 : 500 - nth, reset: 60 })),
    'violated: it rose by 518: 481, then 999',
  ],
  ...operations.map(({ id, name }): Row => [
    `${name} is not counted`,
    run(uncounted((nth) => OPERATIONS[nth % OPERATIONS.length] === id)),
    `violated: it never fell in \\d+ requests to ${name.replaceAll(/[{}/]/g, '\\$&')}`,
  ]),
  ['a 400 is not counted', run(uncounted(isThird), withStatus(isThird)), /^violated: .* with status 400/],
  [
    'a 400 always shows the limit',
    run((nth) => ({ limit: 100, remaining: isThird(nth) ? 100 : 99 - nth, reset: 60 }), withStatus(isThird)),
    /^violated: .* with status 400/,
  ],
]);

const LAWFUL = /^(holds|untested)/;
const paces = fc.double({ min: 0.002, max: 2, noNaN: true });
const operation = fc.constantFrom(...OPERATIONS);

/** A bucket; its refill a second comes every so many seconds, 0 for evenly. Reset is when it is full, or when an empty one would be. */
function bucket(size: number, perSecond: number, every: number): Limiter {
  let [level, last] = [size, 0];
  return (_, seconds) => {
    const now = every > 0 ? Math.floor(seconds / every) * every : seconds;
    level = Math.max(0, Math.min(size, level + (now - last) * perSecond) - 1);
    last = now;
    return {
      limit: size,
      remaining: level,
      reset: every > 0 ? size / perSecond : seconds + (size - level) / perSecond,
    };
  };
}

test('rate.remaining.counts: buckets are lawful at any speed and any pace, in parallel too', () => {
  const speeds = fc.constantFrom([60, 1], [300, 5], [1000, 1000 / 60], [60, 20], [10, 10], [1000, 400], [20, 2 / 3]);
  const steps = fc.constantFrom(0, 0, 0.1, 0.5, 1, 5);
  fc.assert(
    fc.property(
      speeds,
      steps,
      paces,
      fc.constantFrom(1, 1, 4, 8),
      fc.infiniteStream(operation),
      (of, every, pace, size, next) => {
        const at = (nth: number): number => Math.floor(nth / size) * size * pace;
        const more = (nth: number): Given => ({
          operation: next.next().value as string,
          ...(size > 1 && { parallel: true, at: at(nth) }),
        });
        const limiter = bucket(of[0] as number, of[1] as number, every);
        const made = run((nth) => limiter(nth, at(nth)), { count: 60, pace, more });
        expect(judged('rate.remaining.counts', made)).toMatch(LAWFUL);
      },
    ),
    { seed: 77, numRuns: 400 },
  );
});

/** A sliding counter: of the previous window, the share that is not over counts; Reset is when this one ends. */
const slidingCounter =
  (size: number, window: number, pace: number, phase: number): Limiter =>
  (nth, seconds) => {
    const windowAt = (second: number): number => Math.floor((second + phase) / window);
    const countIn = (which: number): number => upTo(nth, (i) => windowAt(i * pace) === which);
    const [current, passed] = [windowAt(seconds), ((seconds + phase) / window) % 1];
    const used = countIn(current) + countIn(current - 1) * (1 - passed);
    return { limit: size, remaining: Math.floor(size - used), reset: (current + 1) * window - phase };
  };

for (const [size, window, pace, phase] of [
  [60, 6, 0.12, 4.9],
  [1000, 60, 0.8, 20],
  [300, 10, 0.1, 5],
] as const)
  test(`rate.remaining.counts: a sliding counter of ${size} in ${window} s is lawful`, () => {
    const made = run(slidingCounter(size, window, pace, phase), { count: 100, pace });
    expect(judged('rate.remaining.counts', made)).toMatch(LAWFUL);
  });

// ---- throttling

const LIMIT = 20;

/** A request of the throttling key; the window ends a minute after the first one. */
const served = (remaining: number, at: number, more: Given = {}): Exchange =>
  exchange({
    operation: 'listOrders',
    credential: 'throttle',
    at,
    ...more,
    headers: { ...headersOf({ limit: LIMIT, remaining, reset: 60 }), ...more.headers },
  });
const refused = (at: number, more: Given = {}): Exchange =>
  served(0, at, { status: 429, ...more, headers: { 'Retry-After': '30', ...more.headers } });
/** @param reset seconds, as `at`. */
const inWindow = (remaining: number, at: number, reset: number, more: Given = {}): Exchange =>
  served(remaining, at, { ...more, headers: headersOf({ limit: LIMIT, remaining, reset }) });
const refusedIn = (at: number, reset: number, more: Given = {}): Exchange =>
  refused(at, { ...more, headers: headersOf({ limit: LIMIT, remaining: 0, reset }) });
/** Requests 20 ms after one another, with a falling Remaining. */
const down = (from: number, to: number, more: Given = {}): Exchange[] =>
  Array.from({ length: from - to + 1 }, (_, i) => served(from - i, i * 0.02, more));
const beyond = (count: number, more: Given = {}): Exchange[] =>
  Array.from({ length: count }, (_, i) => served(0, 0.5 + i * 0.02, more));
const next = (at: number, more: Given = {}): Exchange =>
  served(19, at, { ...more, headers: headersOf({ limit: LIMIT, remaining: 19, reset: at + 60 }) });
const throttled = [...down(19, 0), refused(1), next(32)];
const full = { headers: headersOf({ limit: LIMIT, remaining: 0, reset: 4000 }) };

/** One by one, a bucket near its edge, up to a refusal. */
function drain(size: number, window: number, pace: number): Exchange[] {
  const sent: Exchange[] = [];
  for (let [i, level] = [0, Math.min(size, 12)]; i < 120; i += 1) {
    if (i > 0) level = Math.min(size, level + (size / window) * pace);
    const isServed = level >= 1;
    if (isServed) level -= 1;
    const headers = headersOf({
      limit: size,
      remaining: level,
      reset: Math.ceil(i * pace + ((size - level) * window) / size),
    });
    sent.push(isServed ? served(0, i * pace, { headers }) : refused(i * pace, { headers }));
    if (!isServed) break;
  }
  return sent;
}

const inList = (...names: string[]): Given => ({
  operation: 'listPets',
  at: 60,
  query: { limit: '100' },
  body: names.map((name, i) => pet(i + 1, { name })),
});
const refusedAddition = refused(1, {
  operation: 'addPet',
  sent: '{"name":"conformance-x","categoryId":1,"status":"sold"}',
});

/** So many answers with the same count, which requests that come back would explain, and then a 429 with it. */
const constant = (count: number): Exchange[] => {
  const at = (nth: number) => ({
    headers: headersOf({ limit: LIMIT, remaining: 19, reset: Math.ceil(nth * 0.1) + 1 }),
  });
  return [
    ...Array.from({ length: count }, (_, nth) => served(19, nth * 0.1, at(nth))),
    refused(count * 0.1, at(count)),
  ];
};

expectAll('rate.remaining.counts', [
  ['the limit is reached, and the count is still that of the first', constant(LIMIT), /^violated: .*never fell/],
  ['a 429 before the limit is not of this count', constant(LIMIT - 2), /^untested/],
]);

expectAll('throttle.429', [
  ['at the limit', throttled, 'holds'],
  ['Remaining may or may not count its own request', [...down(19, 2), refused(1)], 'holds'],
  ['two more', [...down(19, 0), ...beyond(2), refused(1)], 'holds'],
  [
    'Remaining lags',
    [...Array.from({ length: 18 }, (_, i) => served(Math.max(8, 19 - i), i * 0.02)), refused(1)],
    'holds',
  ],
  ['early', [...down(19, 5), refused(1)], 'violated: 429 with 5 requests left \\(limit 20\\)'],
  [
    'early, after the window in which throttling began',
    [inWindow(18, 0.5, 1), ...[19, 18, 17, 16].map((left, i) => inWindow(left, 3.5 + i * 0.02, 6)), refusedIn(3.6, 6)],
    'violated: 429 with 16 requests left',
  ],
  [
    'early, while Reset moves',
    [...[19, 18, 17, 16].map((left, i) => inWindow(left, i * 0.7, 60 + i)), refusedIn(2.8, 64)],
    'violated: 429 with 16 requests left',
  ],
  [
    'a window that others used up since the last answer',
    [...[19, 18, 17].map((left, i) => inWindow(left, 0.5 + i * 0.02, 3)), refusedIn(3.1, 6)],
    'untested: .* another window',
  ],
  [
    'a short window that others used up since the last answer',
    [...[19, 18, 17].map((left, i) => inWindow(left, 0.5 + i * 0.02, 2)), refusedIn(1.3, 2)],
    'untested: .* another window',
  ],
  [
    'two requests at once, one of which came to the next window',
    [inWindow(1, 0.5, 1), refusedIn(0.98, 1, { parallel: true }), inWindow(19, 0.98, 3, { parallel: true })],
    'untested: .* another window',
  ],
  ['late', [...down(19, 0), ...beyond(8), refused(1)], 'violated: 28 requests served'],
  ['never', [...down(19, 0), ...beyond(20)], 'violated: 40 requests served'],
  ['one operation that is not limited', [...down(19, 0), ...beyond(8, { operation: 'addPet' }), refused(1)], 'holds'],
  [
    'a status that the operation has without throttling too',
    [exchange({ operation: 'listOrders', status: 418 }), ...down(19, 1), served(0, 0.5, { status: 418 }), refused(1)],
    'holds',
  ],
  ['another status', [...down(19, 0), served(0, 1, { status: 503 })], 'violated: status 503 with 0 left'],
  [
    'another client',
    [...[19, 15, 11, 9, 5].map((left, i) => served(left, i * 0.02)), refused(1)],
    'cantTell: .* another client',
  ],
  ['the headers of the day', [served(0, 0, full), refused(1, full)], /^(holds|untested)/],
  ['a window of a day', [served(15, 0, full)], 'untested: the headers describe a window that ends in 4000 s'],
  ['the window ended before', down(19, 10), 'untested: the window ended'],
  [
    'Remaining never moves',
    Array.from({ length: 20 }, (_, i) => served(15, i * 0.02)),
    'cantTell: X-RateLimit-Remaining stayed 15',
  ],
  ['delays', [...down(2, 0), ...beyond(1).map((each) => ({ ...each, ms: 60_000 }))], 'cantTell: .* delays'],
  [
    'a burst that a bucket gives back',
    [...down(3, 1), ...[0, 0, 0].map((left) => served(left, 0.2, { parallel: true }))],
    'cantTell: .* 2 more than were left',
  ],
  ['nothing was left', [refused(0), next(32)], 'untested: the key had no requests left'],
  ['no headers', [served(0, 0, { headers: { 'X-RateLimit-Limit': undefined } })], 'cantTell: the rate-limit headers'],
  [
    'a key with scopes',
    [...down(19, 10), served(9, 1, { operation: 'addPet', status: 403 })],
    'untested: POST /pets answers 403',
  ],
  [
    'more than the limit of the main key',
    run(() => ({ limit: 20, remaining: 9, reset: 60 }), { count: 30, pace: 0.01 }),
    'violated: 30 requests served',
  ],
  ['interference', [exchange({ status: 429 })], 'nothing'],
  ['off', [exchange()], 'untested: THROTTLING=off', { settings: { throttling: 'off' } }],
  ['read-only', [exchange()], 'untested: READ_ONLY=1', { settings: { readOnly: true } }],
  ['a refused addition is in a list', [...down(19, 0), refusedAddition, exchange(inList('conformance-x'))], 'violated'],
  ['a refused addition is in no list', [...down(19, 0), refusedAddition, exchange(inList('Rex'))], 'holds'],
  ...[
    [20, 60, 0.02],
    [60, 60, 0.3],
    [10, 2, 0.01],
    [300, 60, 0.05],
  ].map(([size, window, pace]): Row => [
    `a bucket of ${size} in ${window} s`,
    drain(size!, window!, pace!),
    /^(holds|untested|cantTell)/,
  ]),
]);

const orders = { operation: 'listOrders' };
expectAll('throttle.every-operation', [
  ['the refused operation', throttled, 'holds'],
  [
    'one is served while others are refused',
    [...down(19, 0), ...beyond(8), refused(1, { operation: 'getPet' })],
    'violated: \\d+ requests served, and 429 only to GET /pets/\\{petId\\}',
  ],
  ['none was refused', down(19, 10), 'untested: the window ended'],
  ['off', [exchange(orders)], 'untested: THROTTLING=off', { settings: { throttling: 'off' } }],
]);

const retryAfter = (value: string | undefined): Exchange[] => [refused(0, { headers: { 'Retry-After': value } })];
expectAll('throttle.retry-after', [
  ...['0', '30', 'Wed, 25 Nov 2026 20:00:00 GMT'].map((value): Row => [value, retryAfter(value), 'holds']),
  ...['-1', '1.5', 'soon', String(NOW), '2026-11-25T20:00:00Z'].map((value): Row => [
    value,
    retryAfter(value),
    'violated',
  ]),
  ['missing', retryAfter(undefined), 'violated: no Retry-After'],
  ['on the main key', [exchange({ status: 429 })], 'violated: no Retry-After'],
  ['without a 429', down(19, 10), 'untested: the window ended'],
]);

const failing = (at: number): Exchange => next(at, { status: 500 });
expectAll('throttle.recovers', [
  ['served after the wait', throttled, 'holds'],
  ['refused again', [...down(19, 0), refused(1), refused(33)], 'violated: status 429'],
  [
    'refused within the second of rounding, then served',
    [...down(19, 0), refused(1), refused(31.5), next(64)],
    'holds',
  ],
  ['a failure', [...down(19, 0), refused(1), failing(33)], 'violated: status 500'],
  [
    'a failure that it always had',
    [exchange({ ...orders, status: 500 }), ...down(19, 0, { operation: 'getPet' }), refused(1), failing(33)],
    'holds',
  ],
  ['locked', [...down(19, 0), refused(1), next(33, { status: 403 })], 'violated: status 403'],
  [
    'banned after several',
    [...down(19, 0), refused(1), refused(1.01, { parallel: true }), next(33, { status: 403 })],
    'cantTell: 403 after the wait',
  ],
  ['nothing followed', [...down(19, 0), refused(1)], 'cantTell: no request followed the 429'],
  [
    'too long',
    [...down(19, 0), refused(1, { headers: { 'Retry-After': '900' } })],
    'cantTell: the wait is more than MAX_WAIT .*Retry-After: 900 .* is 15 minutes',
  ],
  [
    'others used what came back',
    [...[19, 15, 11, 4, 0].map((left, i) => served(left, i * 0.02)), refused(1), refused(33)],
    'cantTell: .* another client',
  ],
  [
    'on the main key, without throttling',
    [exchange({ status: 429, headers: { 'Retry-After': '2' } }), exchange({ at: 3 })],
    'holds',
  ],
  [
    'refused again on the main key, where others may use what came back',
    [exchange({ status: 429, headers: { 'Retry-After': '2' } }), exchange({ at: 3, status: 429 })],
    'nothing',
  ],
]);
