/** How Remaining counts: every algorithm is lawful, and so are other users of the key; what no algorithm explains is not. */
import { expect } from '@playwright/test';
import fc from 'fast-check';
import { judgeCounting, judgePlan } from '../../../fixtures/expect/rate.ts';
import type { Exchange } from '../../../fixtures/target/exchange.ts';
import { exchange, type Given, NOW, test } from './make.ts';

const OPERATIONS = ['listPets', 'addPet', 'getPet', 'listOrders'];
const operation = fc.constantFrom(...OPERATIONS);

/** What a limiter shows for the nth request, sent so many seconds after the first. */
type Limiter = (nth: number, seconds: number) => { limit: number; remaining: number; reset: number };

/** A run of requests, one after the other, at one pace. */
function run(
  limiter: Limiter,
  { count = 40, pace = 0.05, more = () => ({}) }: { count?: number; pace?: number; more?: (nth: number) => Given } = {},
): Exchange[] {
  return Array.from({ length: count }, (_, nth) => {
    const { limit, remaining, reset } = limiter(nth, nth * pace);
    return exchange({
      operation: OPERATIONS[nth % OPERATIONS.length] as string,
      at: nth * pace,
      headers: {
        'X-RateLimit-Limit': String(limit),
        'X-RateLimit-Remaining': String(remaining),
        'X-RateLimit-Reset': String(Math.floor(reset)),
      },
      ...more(nth),
    });
  });
}

const fixed: Limiter = (nth) => ({ limit: 60, remaining: 59 - nth, reset: NOW + 60 });

/** A bucket that refills so many tokens a second; Reset says when it is full again. */
const bucket =
  (limit: number, perSecond: number): Limiter =>
  (nth, seconds) => {
    const level = Math.min(limit - 1, limit - 1 - nth + seconds * perSecond);
    return { limit, remaining: Math.floor(level), reset: NOW + seconds + (limit - level) / perSecond };
  };

const told = (exchanges: Exchange[]): string[] => (judgeCounting(exchanges) ?? []).map(({ received }) => received);

test('a fixed window is lawful', () => {
  expect(judgeCounting(run(fixed))).toEqual([]);
});

test('a sliding window, whose Reset moves with each request, says too little', () => {
  expect(judgeCounting(run((nth, seconds) => ({ ...fixed(nth, seconds), reset: NOW + 60 + nth })))).toBeUndefined();
});

test('a sliding window with a Reset a minute ahead is lawful at any pace', () => {
  const sliding: Limiter = (nth, seconds) => ({ limit: 60, remaining: 59 - nth, reset: NOW + seconds + 60 });
  for (const pace of [0.01, 0.1, 0.5, 2]) expect(told(run(sliding, { pace }))).toEqual([]);
});

test('a bucket that refills is lawful at any speed and any pace', () => {
  const speed = fc.constantFrom([60, 1], [300, 5], [1000, 1000 / 60], [60, 20], [10, 10], [1000, 400]);
  fc.assert(
    fc.property(
      speed,
      fc.double({ min: 0.002, max: 2, noNaN: true }),
      fc.infiniteStream(operation),
      (of, pace, next) => {
        const exchanges = run(bucket(of[0] as number, of[1] as number), {
          count: 60,
          pace,
          more: () => ({ operation: next.next().value as string }),
        });
        expect(told(exchanges)).toEqual([]);
      },
    ),
    { seed: 8, numRuns: 400 },
  );
});

test('other users of the key are lawful', () => {
  expect(judgeCounting(run((nth) => ({ limit: 1000, remaining: 900 - nth * 7, reset: NOW + 60 })))).toEqual([]);
});

test('requests in flight together are not compared', () => {
  const shuffled: Limiter = (nth) => ({
    limit: 60,
    remaining: 59 - (nth % 2 === 0 ? nth + 1 : nth - 1),
    reset: NOW + 60,
  });
  expect(told(run(shuffled, { more: () => ({ parallel: true }) }))).toEqual([]);
});

test('what other actors get is not compared', () => {
  const own = run(fixed, { count: 20 });
  const others = run((nth) => ({ limit: 60, remaining: 59, reset: NOW + 60 + nth * 0 }), {
    count: 20,
    more: () => ({ credential: 'none', status: 401 }),
  });
  expect(judgeCounting(own.flatMap((each, index) => [each, others[index] as Exchange]))).toEqual([]);
});

test('a window that is nearly over is not looked at', () => {
  const constant: Limiter = () => ({ limit: 60, remaining: 59, reset: NOW + 2 });
  expect(judgeCounting(run(constant))).toBeUndefined();
});

test('few requests say nothing', () => {
  expect(judgeCounting(run(() => ({ limit: 60, remaining: 59, reset: NOW + 60 }), { count: 6 }))).toBeUndefined();
});

test('headers that cannot be read are not compared', () => {
  expect(judgeCounting(run(fixed, { more: () => ({ headers: { 'X-RateLimit-Remaining': 'many' } }) }))).toBeUndefined();
});

test('Remaining that never falls is not lawful', () => {
  const [blame] = judgeCounting(run(() => ({ limit: 60, remaining: 59, reset: NOW + 60 }))) ?? [];
  expect(blame).toMatchObject({ requirement: 'rate.remaining.counts' });
  expect(blame?.received).toContain('it never fell in 39 pairs of requests: 59, then 59');
  expect(blame?.evidence.length).toBeGreaterThan(1);
});

test('an operation that is not counted is not lawful', () => {
  for (const [index, name] of ['GET /pets', 'POST /pets', 'GET /pets/{petId}', 'GET /store/orders'].entries()) {
    const uncounted: Limiter = (nth) => ({
      limit: 60,
      remaining: 59 - (nth - Math.floor((nth + OPERATIONS.length - index) / OPERATIONS.length)),
      reset: NOW + 60,
    });
    expect(told(run(uncounted))[0]).toContain(`requests to ${name} never made it fall`);
  }
});

test('Remaining that rises beyond any refilling is not lawful', () => {
  const jump: Limiter = (nth) => ({ limit: 1000, remaining: nth === 20 ? 999 : 500 - nth, reset: NOW + 60 });
  expect(told(run(jump))).toEqual([expect.stringContaining('it rose: 481, then 999 under the same Reset')]);
});

test('the limit of a plan is its number a minute or a day', () => {
  const of = (limit: string) => [exchange({ headers: { 'X-RateLimit-Limit': limit } })];
  expect(judgePlan(of('60'), 'free')).toEqual([]);
  expect(judgePlan(of('1000'), 'free')).toEqual([]);
  expect(judgePlan(of('300'), 'free')).toMatchObject([{ allowed: 'X-RateLimit-Limit: 60 or 1000 (plan free)' }]);
  expect(judgePlan(of('7'), 'enterprise')).toEqual([]);
  expect(judgePlan(of('60'), 'pro')).toHaveLength(1);
  expect(judgePlan([exchange({ headers: { 'X-RateLimit-Limit': undefined } })], 'free')).toBeUndefined();
  expect(
    judgePlan([exchange({ status: 401, credential: 'none', headers: { 'X-RateLimit-Limit': '5' } })], 'free'),
  ).toBeUndefined();
});
