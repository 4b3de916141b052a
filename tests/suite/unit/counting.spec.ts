/** X-RateLimit-Remaining: every algorithm and other clients of the key are lawful; anything else is a violation. */
import { expect } from '@playwright/test';
import fc from 'fast-check';
import { operations } from '../../../fixtures/contract/contract.ts';
import { judgeCounting } from '../../../fixtures/judge/counting.ts';
import { judgePlan } from '../../../fixtures/judge/plan-limit.ts';
import { findSeparateCounts } from '../../../fixtures/judge/separate-counts.ts';
import { findSteps } from '../../../fixtures/judge/steps.ts';
import { describeExpected } from '../../../fixtures/report/model/describe.ts';
import type { Exchange } from '../../../fixtures/target/http/exchange.ts';
import { escapeRegExp } from '../../../fixtures/text.ts';
import { differencesOf, exchange, type Given, NOW, test, describeJudgement } from './make.ts';

const OPERATIONS = operations.map(({ id }) => id);
const operation = fc.constantFrom(...OPERATIONS);

/** The headers of a limiter for the nth request, some seconds after the first. */
type Limiter = (nth: number, seconds: number) => { limit: number; remaining: number; reset: number };

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

/** A bucket with some tokens a second; Reset is when it is full. */
const bucket =
  (limit: number, perSecond: number): Limiter =>
  (nth, seconds) => {
    const level = Math.min(limit - 1, limit - 1 - nth + seconds * perSecond);
    return { limit, remaining: Math.floor(level), reset: NOW + seconds + (limit - level) / perSecond };
  };

/** The judgement of these requests. */
const counting = (exchanges: Exchange[]): string => describeJudgement(judgeCounting(exchanges));

test('a fixed window is lawful, with the number of requests', () => {
  expect(counting(run(fixed))).toBe('holds: 39 requests after one another');
});

test('a count that falls now and then is a violation, one that lags or is kept for a while is not', () => {
  const counted =
    (count: (nth: number) => number): Limiter =>
    (nth) => ({ limit: 60, remaining: 59 - count(nth), reset: NOW + 60 });
  // Of seven requests, so that no operation coincides.
  const NOW_AND_THEN = /^violated: it fell in \d+ of 39 requests/;
  expect(counting(run(counted((nth) => nth - Math.floor((nth * 3) / 7))))).toMatch(NOW_AND_THEN);
  // Two instances in turn, which throttle.429 judges once they serve more than the limit.
  const turns = counted((nth) => nth - Math.floor((nth * 3) / 7));
  expect(counting(run(turns, { count: 90 }))).toMatch(/^holds/);
  expect(counting(run(counted((nth) => Math.max(0, nth - 12))))).toMatch(/^holds/);
  expect(counting(run(counted((nth) => 4 * Math.floor(nth / 4))))).toMatch(/^holds/);
  expect(counting(run(counted((nth) => nth - Math.floor(nth / 10))))).toMatch(/^holds/);
  // Tokens return as fast as every second request takes them.
  expect(counting(run(bucket(60, 10)))).not.toMatch(/^violated/);
});

test('a sliding window with a moving Reset is judged by its trend', () => {
  const moving =
    (limiter: Limiter): Limiter =>
    (nth, seconds) => ({ ...limiter(nth, seconds), reset: NOW + 60 + nth });
  expect(counting(run(moving(fixed)))).toBe('holds: 39 requests after one another');
  const stuck: Limiter = () => ({ limit: 60, remaining: 59, reset: NOW + 60 });
  expect(counting(run(moving(stuck)))).toMatch(/^violated: it never fell in 39 requests/);
});

/** A lawful limiter is never a violation. */
const isLawful = (exchanges: Exchange[]): void => expect(judgeCounting(exchanges).kind).toMatch(/^(holds|notJudged)$/);

test.describe('counts that differ by kind', () => {
  type Kinds = (nth: number) => string;
  /** Many additions first, then a few between lists. */
  const far: Kinds = (nth) => (nth < 30 || nth % 5 === 0 ? 'addPet' : 'listPets');
  const near: Kinds = (nth) => (nth % 2 === 0 ? 'addPet' : 'listPets');
  const made = (kinds: Kinds, isOwn: (kind: string, other: string) => boolean, reset = () => NOW + 60): Exchange[] => {
    const limiter: Limiter = (nth) => {
      const before = Array.from({ length: nth }, (_, i) => kinds(i)).filter((kind) => isOwn(kind, kinds(nth)));
      return { limit: 1000, remaining: 999 - before.length, reset: reset() };
    };
    return run(limiter, { count: 60, more: (nth) => ({ operation: kinds(nth) }) });
  };
  const isSame = (kind: string, other: string): boolean => kind === other;

  test('are a violation if each falls for its own requests only', () => {
    const all = made(far, isSame);
    expect(findSeparateCounts(all)?.kinds).toEqual(['POST', 'GET']);
    expect(counting(all)).toContain('counts POST and GET separately');
  });

  test('of two operations of one method are too', () => {
    const ofGet: Kinds = (nth) => (far(nth) === 'addPet' ? 'getPet' : 'listPets');
    expect(findSeparateCounts(made(ofGet, isSame))?.kinds).toEqual(['GET /pets/{petId}', 'GET /pets']);
  });

  test('show nothing if all are counted, if the levels are near, or if Reset moves', () => {
    expect(findSeparateCounts(made(far, () => true))).toBeUndefined();
    expect(findSeparateCounts(made(near, isSame))).toBeUndefined();
    let second = 0;
    expect(findSeparateCounts(made(far, isSame, () => NOW + 60 + (second += 1)))).toBeUndefined();
  });

  test('show nothing if another client uses the key', () => {
    const all = made(far, isSame).filter((_, i) => i % 7 !== 3);
    expect(findSeparateCounts(all)).toBeUndefined();
  });
});

test('answers of one kind with another count are a violation, if all others count them', () => {
  const [first = '', second = ''] = OPERATIONS;
  const stuckAt =
    (remaining: number, isStuck: (nth: number) => boolean): Limiter =>
    (nth) => ({ limit: 1000, remaining: isStuck(nth) ? remaining : 999 - nth, reset: NOW + 60 });
  const isThird = (nth: number): boolean => nth % 3 === 0;
  const ofThird = (nth: number): Given => ({ operation: isThird(nth) ? first : second });
  const limited = stuckAt(1000, isThird);
  expect(counting(run(limited, { more: ofThird, pace: 0.005 }))).toMatch(/^violated: it (rose|never fell) in .* to /);
  const rejected = (nth: number): Given => ({ status: isThird(nth) ? 400 : 200 });
  expect(counting(run(limited, { more: rejected, pace: 0.005 }))).toMatch(/^violated: .* with status 400/);
  const both = (nth: number): Given => ({
    operation: nth % 2 === 0 ? first : second,
    status: nth % 3 === 0 ? 404 : 200,
  });
  const ofBoth = stuckAt(1000, (nth) => nth % 6 === 0);
  expect(counting(run(ofBoth, { more: both, pace: 0.005 }))).toMatch(/^violated: .* to GET .* with status 404/);
  // Few requests, another limit, or others that show that some came back.
  isLawful(run(limited, { more: ofThird, pace: 0.005, count: 11 }));
  const ofTwoLimits: Limiter = (nth, seconds) => ({ ...limited(nth, seconds), limit: isThird(nth) ? 1001 : 1000 });
  isLawful(run(ofTwoLimits, { more: ofThird, pace: 0.005 }));
  const refilled: Limiter = (nth, seconds) => {
    const { remaining, ...others } = limited(nth, seconds);
    return { ...others, remaining: Math.min(1000, isThird(nth) ? remaining : remaining + Math.floor(nth / 2)) };
  };
  isLawful(run(refilled, { more: ofThird, pace: 0.005 }));
});

test('a sliding window with a Reset a minute ahead is lawful at any pace', () => {
  const sliding: Limiter = (nth, seconds) => ({ limit: 60, remaining: 59 - nth, reset: NOW + seconds + 60 });
  for (const pace of [0.01, 0.1, 0.5, 2]) isLawful(run(sliding, { pace }));
});

test('earlier requests may leave a sliding window at any time', () => {
  /** From the tenth request on, each one finds two of those 40 gone. */
  const left = (nth: number): number => Math.min(20, Math.max(0, nth - 10)) * 2;
  const sliding: Limiter = (nth, seconds) => ({
    limit: 300,
    remaining: 259 - nth + left(nth),
    reset: NOW + seconds + 60,
  });
  isLawful(run(sliding));
  isLawful(run(sliding, { more: (nth) => ({ status: nth < 11 ? 200 : 400 }) }));
  const atOnce: Limiter = (nth, seconds) => ({
    limit: 60,
    remaining: 19 - nth + (nth > 10 ? 40 : 0),
    reset: NOW + seconds + 60,
  });
  isLawful(run(atOnce, { count: 30 }));
});

test('in less than a second, a rise shows that requests come back', () => {
  const rising: Limiter = (nth) => ({ limit: 300, remaining: 200 - nth + Math.max(0, nth - 10) * 2, reset: NOW + 60 });
  const exchanges = run(rising, { pace: 0.02, more: (nth) => ({ status: nth < 11 ? 200 : 400 }) });
  isLawful(exchanges);
  const [later] = run(() => rising(40, 2), { count: 1, more: () => ({ at: 2 }) });
  expect(counting([...exchanges, later as Exchange])).toMatch(/^violated: it rose in/);
});

test('more requests than were earlier in a sliding window are not explained by it', () => {
  const stuck: Limiter = (_, seconds) => ({ limit: 60, remaining: 42, reset: NOW + seconds + 60 });
  expect(counting(run(stuck))).toMatch(/^violated: it never fell in 39 requests/);
  const uncounted: Limiter = (nth, seconds) => ({
    limit: 60,
    remaining: 55 - Math.floor((2 * nth) / 3),
    reset: NOW + seconds + 60,
  });
  expect(counting(run(uncounted, { more: (nth) => ({ status: nth % 3 === 1 ? 400 : 200 }) }))).toMatch(
    /^violated: it never fell in \d+ requests with status 400/,
  );
});

const speeds = fc.constantFrom([60, 1], [300, 5], [1000, 1000 / 60], [60, 20], [10, 10], [1000, 400]);
const paces = fc.double({ min: 0.002, max: 2, noNaN: true });

test('a bucket that refills is lawful at any speed and any pace', () => {
  fc.assert(
    fc.property(speeds, paces, fc.infiniteStream(operation), (of, pace, next) => {
      isLawful(
        run(bucket(of[0] as number, of[1] as number), {
          count: 60,
          pace,
          more: () => ({ operation: next.next().value as string }),
        }),
      );
    }),
    { seed: 8, numRuns: 400 },
  );
});

/** A bucket refilled in steps, under a constant Reset. */
const stepped =
  (limit: number, window: number, step: number): Limiter =>
  (nth, seconds) => {
    const back = Math.floor(seconds / step) * ((limit / window) * step);
    return {
      limit,
      remaining: Math.floor(Math.max(0, Math.min(limit - 1, limit - 1 - nth + back))),
      reset: NOW + window,
    };
  };

test('a bucket that is refilled in steps under one Reset is lawful at any pace', () => {
  fc.assert(
    fc.property(
      fc.constantFrom([60, 60], [300, 60], [1000, 60], [20, 30]),
      fc.constantFrom(0.1, 0.5, 1, 5),
      paces,
      (of, step, pace) => isLawful(run(stepped(of[0] as number, of[1] as number, step), { count: 60, pace })),
    ),
    { seed: 8, numRuns: 400 },
  );
});

/** A sliding counter: of the previous window, the share that is not over counts; Reset is when this one ends. */
const slidingCounter =
  (limit: number, window: number, pace: number, phase: number): Limiter =>
  (nth, seconds) => {
    const windowAt = (second: number): number => Math.floor((second + phase) / window);
    const countIn = (which: number): number =>
      Array.from({ length: nth + 1 }, (_, i) => windowAt(i * pace)).filter((each) => each === which).length;
    const [current, passed] = [windowAt(seconds), ((seconds + phase) / window) % 1];
    const used = countIn(current) + countIn(current - 1) * (1 - passed);
    return { limit, remaining: Math.floor(limit - used), reset: NOW + (current + 1) * window - phase };
  };

test('a sliding counter that gives back requests of the window before is lawful at any pace', () => {
  for (const [limit, window, pace, phase] of [
    [60, 6, 0.12, 4.9],
    [1000, 60, 0.8, 20],
    [300, 10, 0.1, 5],
  ] as const)
    for (const kinds of [1, 8, 20])
      isLawful(
        run(slidingCounter(limit, window, pace, phase), {
          count: 100,
          pace,
          more: (nth) => ({ operation: OPERATIONS[Math.floor(nth / kinds) % OPERATIONS.length] as string }),
        }),
      );
});

test('a bucket whose refill falls on the same kind of request each time is lawful', () => {
  const types = OPERATIONS.length;
  for (const [phase, share] of [0.01, 0.3, 0.5, 0.99].flatMap((start) =>
    [1, 2, 3].map((n) => [start, n / types] as const),
  )) {
    // A second of it gives one request back.
    const smooth: Limiter = (nth, seconds) => ({
      limit: 60,
      remaining: Math.floor(50 - nth + seconds + phase),
      reset: NOW + 60,
    });
    isLawful(run(smooth, { count: 60, pace: share }));
    isLawful(run(smooth, { count: 60, pace: 0.5, more: (nth) => ({ status: nth % 2 ? 400 : 200 }) }));
  }
});

test('a bucket that refills as fast as requests come is not judged', () => {
  const full: Limiter = () => ({ limit: 1000, remaining: 999, reset: NOW + 60 });
  expect(counting(run(full, { pace: 0.12 }))).toMatch(/^untested: requests come back as fast as they are sent/);
});

test('other users of the key are lawful', () => {
  expect(counting(run((nth) => ({ limit: 1000, remaining: 900 - nth * 7, reset: NOW + 60 })))).toMatch(/^holds/);
});

test('parallel requests count as one step, since their order is unknown', () => {
  const shuffled: Limiter = (nth) => ({
    limit: 60,
    remaining: 59 - (nth % 2 === 0 ? nth + 1 : nth - 1),
    reset: NOW + 60,
  });
  const inPair = (nth: number): Given => ({ parallel: true, at: Math.floor(nth / 2) * 0.1 });
  isLawful(run(shuffled, { more: inPair }));
  const inPairs: Limiter = (nth, seconds) => (nth % 4 < 2 ? shuffled(nth, seconds) : fixed(nth, seconds));
  isLawful(run(inPairs, { more: (nth) => (nth % 4 < 2 ? inPair(nth) : {}) }));
  const [together] = findSteps([
    ...run(fixed, { count: 1 }),
    ...run((nth) => fixed(nth + 1, 0), { count: 3, more: () => ({ parallel: true, at: 0.05 }) }),
  ]);
  expect(together).toMatchObject({ fall: 3 });
  expect(together?.after).toHaveLength(3);
  // Others that follow their answers are in order.
  const [first, second] = findSteps(
    [0, 1, 2].flatMap((nth) =>
      run((own) => fixed(nth * 2 + own, 0), { count: 2, more: () => ({ parallel: true, at: nth * 0.05 }) }),
    ),
  );
  expect([first?.fall, second?.fall]).toEqual([2, 2]);
});

test('responses to other keys are not compared', () => {
  const own = run(fixed, { count: 20 });
  const others = run(() => ({ limit: 60, remaining: 59, reset: NOW + 60 }), {
    count: 20,
    more: () => ({ credential: 'none', status: 401 }),
  });
  expect(counting(own.flatMap((each, index) => [each, others[index] as Exchange]))).toBe(
    'holds: 19 requests after one another',
  );
});

test('the key with a lower-case scheme uses the same budget, and is not compared', () => {
  const own = run(fixed, { more: (nth) => (nth === 10 ? { credential: 'lower-case scheme' } : {}) });
  expect(counting(own)).toMatch(/^holds: 37 requests/);
});

test('each key is compared with itself', () => {
  const stuck = run(() => ({ limit: 60, remaining: 59, reset: NOW + 60 }), {
    more: () => ({ credential: 'throttle' }),
  });
  expect(counting([...run(fixed), ...stuck])).toMatch(/^violated: it never fell/);
  const keys = run((nth) => ({ limit: 60, remaining: 59 - Math.floor(nth / 2), reset: NOW + 60 }), {
    more: (nth) => ({ credential: nth % 2 ? 'throttle' : 'key' }),
  });
  expect(counting(keys)).toMatch(/^holds: 19 requests/);
});

test('a window that is nearly over is not judged', () => {
  expect(counting(run(() => ({ limit: 60, remaining: 59, reset: NOW + 2 })))).toMatch(/^untested/);
});

test('few requests are not judged', () => {
  expect(counting(run(() => ({ limit: 60, remaining: 59, reset: NOW + 60 }), { count: 6 }))).toMatch(/^untested/);
  expect(counting([])).toMatch(/^untested/);
});

test('unreadable headers are not compared', () => {
  for (const name of ['Limit', 'Remaining', 'Reset'])
    for (const value of ['many', undefined, '-1'])
      expect(counting(run(fixed, { more: () => ({ headers: { [`X-RateLimit-${name}`]: value } }) }))).toMatch(
        /^untested/,
      );
});

test('a Remaining that never falls is a violation', () => {
  const judgement = judgeCounting(run(() => ({ limit: 60, remaining: 59, reset: NOW + 60 })));
  expect(describeJudgement(judgement)).toBe('violated: it never fell in 39 requests: 59, then 59');
  expect(describeExpected({ differences: differencesOf(judgement) })).toBe(
    'X-RateLimit-Remaining falls with each request while X-RateLimit-Reset stays the same',
  );
});

test('an uncounted operation is a violation', () => {
  for (const [index, { name }] of operations.entries()) {
    const uncounted: Limiter = (nth) => ({
      limit: 60,
      remaining: 59 - (nth - Math.floor((nth + OPERATIONS.length - index) / OPERATIONS.length)),
      reset: NOW + 60,
    });
    expect(counting(run(uncounted))).toMatch(
      new RegExp(`^violated: it never fell in \\d+ requests to ${escapeRegExp(name)}: (\\d+), then \\1$`),
    );
  }
});

test('an uncounted operation is found although a bucket of this limit could refill as fast', () => {
  const isUncounted = (nth: number): boolean => nth % 20 >= 10;
  const uncounted: Limiter = (nth) => ({
    limit: 1000,
    remaining: 999 - Math.floor(nth / 20) * 10 - Math.min(nth % 20, 9),
    reset: NOW + 60,
  });
  const more = (nth: number): Given => ({ operation: OPERATIONS[Number(isUncounted(nth))] as string });
  expect(counting(run(uncounted, { more, pace: 0.15 }))).toMatch(/^violated: it never fell in 20 requests to /);
});

test('an uncounted operation is found in few batches of parallel requests', () => {
  // Batches of four; the third one and the sixth one call another operation.
  const batch = (nth: number): number => Math.floor(nth / 4);
  const isUncounted = (nth: number): boolean => batch(nth) % 3 === 2;
  const countBefore = (nth: number): number =>
    Array.from({ length: nth + 1 }, (_, i) => i).filter((i) => !isUncounted(i)).length;
  const uncounted: Limiter = (nth) => ({ limit: 60, remaining: 60 - countBefore(nth), reset: NOW + 60 });
  const more = (nth: number): Given => ({
    parallel: true,
    at: batch(nth) * 0.05,
    operation: OPERATIONS[Number(isUncounted(nth))] as string,
  });
  expect(counting(run(uncounted, { more, count: 40 }))).toMatch(/^violated: it never fell in 12 requests to /);
  expect(counting(run(uncounted, { more: (nth) => ({ ...more(nth), operation: OPERATIONS[0] as string }) }))).toMatch(
    /^holds/,
  );
});

test('an uncounted operation is found in batches of several operations, if it explains the most', () => {
  /** Ten requests after one another, then batches of five, some of which call another operation and are not counted. */
  const made = (uncounted: number): Exchange[] => {
    const isUncounted = (nth: number): boolean => nth >= 10 && nth % 5 >= 5 - uncounted;
    const countBefore = (nth: number): number =>
      Array.from({ length: nth + 1 }, (_, i) => i).filter((i) => !isUncounted(i)).length;
    const more = (nth: number): Given => ({
      ...(nth >= 10 && { parallel: true, at: 0.5 + Math.floor(nth / 5) * 0.05 }),
      operation: OPERATIONS[Number(isUncounted(nth))] as string,
    });
    return run((nth) => ({ limit: 60, remaining: 60 - countBefore(nth), reset: NOW + 60 }), { more, count: 25 });
  };
  expect(counting(made(3))).toMatch(/^violated: it never fell in 9 requests to /);
  expect(counting(made(0))).toMatch(/^holds/);
  // Those of the other operation may be the ones that are not counted.
  expect(counting(made(2))).toMatch(/^holds/);
});

test('an uncounted status is a violation, on several operations or on one', () => {
  const statuses = (nth: number): Given => ({ status: nth % 3 === 1 ? 400 : 200 });
  const uncounted: Limiter = (nth) => ({ limit: 60, remaining: 59 - Math.floor((2 * nth) / 3), reset: NOW + 60 });
  expect(counting(run(uncounted, { more: statuses }))).toBe(
    'violated: it never fell in 13 requests with status 400: 59, then 59',
  );
  expect(counting(run(uncounted, { more: statuses, count: 13 }))).toMatch(/^holds/);
});

test('a status that is counted until the response is a violation', () => {
  // Each request falls by one, and rises again when it is answered 400.
  const statuses = (nth: number): Given => ({ status: nth % 12 < 6 ? 400 : 200 });
  const countServed = (nth: number): number => Math.floor(nth / 12) * 6 + Math.max(0, (nth % 12) - 6);
  const returned: Limiter = (nth) => ({ limit: 60, remaining: 59 - countServed(nth), reset: NOW + 60 });
  expect(counting(run(returned, { more: statuses }))).toBe(
    'violated: it never fell in 21 requests after one with status 400: 59, then 59',
  );
});

test('a Remaining that hardly ever falls, or counts upwards, is a violation', () => {
  const rarely: Limiter = (nth) => ({ limit: 60, remaining: 59 - Math.floor(nth / 15), reset: NOW + 60 });
  expect(counting(run(rarely))).toBe('violated: it fell in 2 of 39 requests: 59, then 59');
  const upwards: Limiter = (nth) =>
    nth === 0 ? { limit: 60, remaining: 59, reset: NOW + 30 } : { limit: 60, remaining: nth, reset: NOW + 60 };
  expect(counting(run(upwards))).toBe('violated: it rose in 38 of 38 requests: 1, then 2');
});

test('a Remaining that stays 0 is lawful', () => {
  const used: Limiter = (nth) => ({ limit: 60, remaining: Math.max(0, 12 - nth), reset: NOW + 60 });
  isLawful(run(used, { more: (nth) => ({ operation: OPERATIONS[Number(nth > 12)] as string }) }));
});

test('a count that lags is lawful', () => {
  for (const lag of [2, 5, 10, 15]) {
    const late: Limiter = (nth) => ({ limit: 60, remaining: 59 - Math.floor(nth / lag) * lag, reset: NOW + 60 });
    isLawful(run(late, { more: (nth) => ({ status: nth < 12 ? 400 : 200 }) }));
  }
});

test('a Remaining that rises beyond any refill is a violation', () => {
  const jump: Limiter = (nth) => ({ limit: 1000, remaining: nth === 20 ? 999 : 500 - nth, reset: NOW + 60 });
  const judgement = judgeCounting(run(jump));
  expect(describeJudgement(judgement)).toBe('violated: it rose by 518: 481, then 999');
});

test.describe('the limit of a plan', () => {
  const plan = (limit: string | undefined, name: string | undefined, more: Given = {}): string =>
    describeJudgement(judgePlan([exchange({ headers: { 'X-RateLimit-Limit': limit }, ...more })], name));

  test('is its number per minute or per day', () => {
    expect(plan('60', 'free')).toBe('holds: 1 of 1 response');
    expect(plan('1000', 'free')).toBe('holds: 1 of 1 response');
    expect(plan('300', 'pro')).toMatch(/^holds/);
  });

  test('is a violation with any other number', () => {
    expect(plan('300', 'free')).toBe('violated: X-RateLimit-Limit: 300');
    expect(plan('60', 'pro')).toMatch(/^violated/);
    expect(plan('9223372036854775807', 'pro')).toBe('violated: X-RateLimit-Limit: 9223372036854775807');
  });

  test('is free for a custom plan, and not judged without PLAN', () => {
    for (const limit of ['7', '9223372036854775807'])
      expect(plan(limit, 'enterprise')).toMatch(/^inapplicable: the limits of the plan enterprise are custom/);
    expect(plan('7', undefined)).toMatch(/^untested: PLAN is not set/);
  });

  test('is not judged without headers of the key', () => {
    expect(plan(undefined, 'free')).toMatch(/^cantTell: no response carried/);
    expect(plan('many', 'free')).toMatch(/^cantTell/);
    for (const credential of ['none', 'throttle'] as const)
      expect(plan('5', 'free', { credential })).toMatch(/^cantTell/);
  });
});

test.describe('a Reset that is computed again for each answer', () => {
  const uncounted = (used: number, reset: (nth: number) => number): Limiter => {
    const isCounted = (nth: number): boolean => OPERATIONS[nth % OPERATIONS.length] !== 'addPet';
    return (nth) => ({
      limit: 100,
      remaining: 99 - used - Array.from({ length: nth + 1 }, (_, i) => i).filter(isCounted).length,
      reset: NOW + 55 + reset(nth),
    });
  };
  const exact = (limiter: Limiter) => (nth: number) => ({
    headers: {
      'X-RateLimit-Limit': '100',
      'X-RateLimit-Remaining': String(limiter(nth, 0).remaining),
      'X-RateLimit-Reset': limiter(nth, 0).reset.toFixed(3),
    },
  });

  test('and differs by milliseconds hides no uncounted operation', () => {
    const limiter = uncounted(0, (nth) => 0.3 + ((nth * 7) % 5) / 1000);
    expect(counting(run(limiter, { count: 60, more: exact(limiter) }))).toMatch(/^violated: .* to POST \/pets/);
  });

  test('and is rounded up or down hides none either, after others used the key', () => {
    const limiter = uncounted(20, (nth) => Number(nth % 8 === 3));
    expect(counting(run(limiter, { count: 80, pace: 0.06 }))).toMatch(/^violated: .* to POST \/pets/);
  });
});

test.describe('the throttling key', () => {
  const fixed39 = (at: number, more: Given = {}): Exchange =>
    exchange({
      credential: 'throttle',
      at,
      parallel: true,
      ...more,
      headers: {
        'X-RateLimit-Limit': '40',
        'X-RateLimit-Remaining': '39',
        'X-RateLimit-Reset': String(NOW + Math.floor(at) + 1),
        ...more.headers,
      },
    });
  /** In batches of eight at the same moment, and a 429 after them; `seconds` in all. */
  const burst = (
    count: number,
    seconds: number,
    of: (at: number, nth: number) => Exchange = (at) => fixed39(at),
  ): Exchange[] => [
    ...Array.from({ length: count }, (_, nth) => of(Math.floor(nth / 8) * (seconds / 5), nth)),
    fixed39(seconds, { status: 429, headers: { 'Retry-After': '1' } }),
  ];

  for (const seconds of [0.01, 0.1, 2])
    test(`decides that a count is constant if its limit is used up in ${seconds} s`, () => {
      expect(counting(burst(40, seconds))).toMatch(/^violated: it never fell in 40 requests, and then came a 429/);
    });

  test('decides nothing if the limit was not used up, the count fell, or the 429 is of the day', () => {
    expect(counting(burst(20, 0.01))).not.toMatch(/^violated/);
    const falling = (at: number, nth: number): Exchange =>
      fixed39(at, { headers: { 'X-RateLimit-Limit': '40', 'X-RateLimit-Remaining': String(39 - nth) } });
    expect(counting(burst(40, 0.01, falling))).not.toMatch(/^violated/);
    const ofDay = burst(40, 0.3)
      .slice(0, -1)
      .concat(fixed39(0.3, { status: 429, headers: { 'Retry-After': '9000' } }));
    expect(counting(ofDay)).not.toMatch(/and then came a 429/);
    // Slow requests of the main key, all of which came back before another client used up the limit.
    const slowly = Array.from({ length: 41 }, (_, nth) => fixed39(nth / 4, nth === 40 ? { status: 429 } : {}));
    const ofKey = slowly.map((each) => ({ ...each, credential: 'key' as const, parallel: false }));
    expect(counting(ofKey)).not.toMatch(/^violated/);
  });
});
