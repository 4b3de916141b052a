/** Throttling against each rate-limit algorithm, on a simulated clock: no lawful one is accused, each defect is found. */
import { randomUUID } from 'node:crypto';
import { expect } from '@playwright/test';
import { ADD, operations } from '../../../fixtures/contract/contract.ts';
import { changeReply, is, wrap } from '../../../fixtures/reference/defects/defect.ts';
import { Banning, DailyHeaders, type Decision, deciding, enforcing } from '../../../fixtures/reference/limiter.ts';
import { FixedWindow, inTurn, type Limiter, shifted, SlidingCounter } from '../../../fixtures/reference/limiter.ts';
import { SlidingLog, StepBucket, TokenBucket } from '../../../fixtures/reference/limiter.ts';
import { Service } from '../../../fixtures/reference/service.ts';
import { KEY } from '../gate/serve.ts';
import { test } from '../unit/make.ts';
import type { Circumstances } from './experiment.ts';
import { describeOutcomes, findAccusations, passedOperations, runExperiment } from './experiment.ts';

const MINUTE = 60_000;

type MakeLimiter = (windowMs: number) => Limiter;

/** One limiter behind two nodes whose clocks differ by some seconds. */
function shownByTwoNodes(inner: Limiter, seconds: number): Limiter {
  let turn = 0;
  return deciding(inner, ({ reset }) => ({ reset: reset + ((turn += 1) % 2) * seconds }));
}

const serviceWith = (limiter: Limiter, plan = 'free', windowMs = MINUTE): Service =>
  new Service({ keys: { [KEY]: plan }, windowMs, limiter });

const lawful = {
  'a fixed window': (ms) => new FixedWindow(ms),
  'a window aligned to the clock': (ms) => new FixedWindow(ms, true),
  'a sliding window, Reset when the oldest request leaves it': (ms) => new SlidingLog(ms, 'oldest'),
  'a sliding window, Reset when the newest request leaves it': (ms) => new SlidingLog(ms, 'newest'),
  'a sliding counter': (ms) => new SlidingCounter(ms),
  'a token bucket, Reset when it is full': (ms) => new TokenBucket(ms, 'full'),
  'a token bucket, Reset when the next token comes': (ms) => new TokenBucket(ms, 'next'),
  'a token bucket of ten windows': (ms) => new TokenBucket(ms * 10, 'next'),
  'a bucket that gets five tokens at once, Reset when it is full': (ms) => new StepBucket(ms, 5, 'full'),
  'a bucket that gets five tokens at once, Reset when the next ones come': (ms) => new StepBucket(ms, 5, 'next'),
  'a bucket that gets a sixth of a minute back at once': (ms) => new StepBucket(ms, 10, 'full'),
  'headers of the day, a minute enforced too': (ms) => new DailyHeaders(ms, 1000),
  'Reset a second later': (ms) => shifted(new FixedWindow(ms), { reset: 1 }),
  'Reset a second earlier': (ms) => shifted(new FixedWindow(ms), { reset: -1 }),
  'Reset with a fraction': (ms) => deciding(new FixedWindow(ms), ({ reset }) => ({ reset: reset - 0.375 })),
  'Retry-After rounded down': (ms) => shifted(new FixedWindow(ms), { retryAfter: -1 }),
  'one counter behind two nodes whose clocks differ': (ms) => shownByTwoNodes(new FixedWindow(ms, true), 2),
  'Retry-After a second too long': (ms) => shifted(new FixedWindow(ms), { retryAfter: 1 }),
} as const satisfies Record<string, MakeLimiter>;

/** What differs from one run to the next: plan and window of the key, the line, the moment at which it begins. */
const circumstances: readonly (Circumstances & { plan: string; windowMs?: number })[] = [
  ...[0, 430, 57_200].flatMap((phase) => [2, 40, 120].map((latency) => ({ plan: 'free', latency, phase }))),
  { plan: 'free', latency: 900 },
  { plan: 'free', latency: 20, settings: { depth: 'thorough' } },
  ...[2, 40, 120].map((latency) => ({ plan: 'pro', latency, phase: 1700 })),
  { plan: 'business', latency: 120, phase: 30_000 },
  // Rounded to seconds, Reset does not show how short these windows are.
  { plan: 'free', windowMs: 300, latency: 10 },
  { plan: 'pro', windowMs: 600, latency: 3 },
  { plan: 'pro', windowMs: 1000, latency: 10, phase: 430 },
];

/** A key that may be used up, by several requests at once when nothing remains. */
const OWN_KEY = { throttling: 'on', throttleApiKey: KEY } as const;
const bursts = [40, 120, 300, 900].flatMap((latency) =>
  ['free', 'pro'].map((plan) => ({ plan, latency, settings: OWN_KEY, windowMs: MINUTE })),
);

for (const [name, make, how, given] of Object.entries(lawful).flatMap((each) =>
  Object.entries({ 'on any line': circumstances, 'in bursts': bursts }).map((run) => [...each, ...run] as const),
))
  test(`finds no violation of ${name}, ${how}, and sends nothing before Retry-After is over`, async () => {
    const found: string[] = [];
    for (const { plan, windowMs = MINUTE, ...more } of given) {
      const isBurst = more.settings === OWN_KEY;
      const limiter = new Banning(make(windowMs), Number(isBurst || windowMs < MINUTE));
      const judged = await runExperiment(serviceWith(limiter, plan, windowMs), more);
      const all = [
        ...findAccusations(judged).filter((line) => !isBurst || line.includes(': failed: ')),
        ...(limiter.violations > 0 ? ['sent before Retry-After was over'] : []),
        ...(isBurst && limiter.underWay > 2 ? [`${limiter.underWay} requests were under way at the first 429`] : []),
      ];
      found.push(...all.map((line) => `${JSON.stringify({ plan, windowMs, ...more })} ${line}`));
    }
    expect(found).toEqual([]);
  });

const ONE_BY_ONE = 'untested: requests were still served one by one at X-RateLimit-Remaining: 0';
/** What two circumstances show wholly, and one cannot, whose edge is out of reach. */
const SHOWN: [title: string, make: MakeLimiter, plan: string, latency: number, outcome: string, most: number][] = [
  ['a fixed window of 60', (ms) => new FixedWindow(ms), 'free', 5, 'passed', 100],
  ['a bucket of 300 on a fast line', (ms) => new StepBucket(ms, 5), 'pro', 10, 'passed', 800],
  ['a bucket of 1,000 on a slow line', (ms) => new TokenBucket(ms), 'business', 120, ONE_BY_ONE, 1600],
];
for (const [title, make, plan, latency, outcome, most] of SHOWN)
  test(`throttling uses up ${title}`, async () => {
    const judged = await runExperiment(serviceWith(make(MINUTE), plan), { latency });
    const outcomes = describeOutcomes(judged, 'throttle.429', 'throttle.retry-after', 'throttle.recovers');
    expect(outcomes.map((each) => each.slice(0, outcome.length))).toEqual(Array(3).fill(outcome));
    expect(judged.exchanges.length).toBeLessThan(most);
  });

const ALL = operations.map(({ id }) => id).sort();
/** The operations that are tried, by the window and the settings. */
const TRIED: [title: string, windowMs: number, settings: Circumstances['settings'], tried: string[]][] = [
  ['at thorough depth', MINUTE, { ...OWN_KEY, depth: 'thorough' }, ALL],
  ['with short windows', 2000, OWN_KEY, ALL],
  ['at standard depth', MINUTE, OWN_KEY, [ADD.id]],
  // Several 429s may ban the key of the run.
  ['with the key of the run', MINUTE, { throttling: 'auto', depth: 'thorough' }, [ADD.id]],
  ['with the key of the run, and short windows', 2000, { throttling: 'auto', depth: 'thorough' }, [ADD.id]],
];
test('throttling tries every operation at thorough depth and with short windows', async () => {
  for (const [title, windowMs, settings = {}, tried] of TRIED) {
    const judged = await runExperiment(serviceWith(new FixedWindow(windowMs), 'free', windowMs), { settings });
    expect(passedOperations(judged, 'throttle.every-operation').sort(), title).toEqual(tried);
  }
});

for (const [reason, plan, windowMs, given, sent] of [
  ['take the key away until then', 'free', 24 * 3_600_000, {}, 1],
  ['exceeds the 1500 requests', 'enterprise', MINUTE, {}, 1],
  ['MAX_WAIT', 'free', MINUTE, { settings: { maxWait: 5 } }, 1],
  ['the window would end first', 'business', MINUTE, { latency: 400 }, 1],
  ['THROTTLING=off', 'free', MINUTE, { settings: { throttling: 'off' } }, 0],
  ['READ_ONLY=1', 'free', MINUTE, { settings: { readOnly: true } }, 0],
] as const satisfies readonly (readonly [string, string, number, Circumstances, number])[])
  test(`throttling is skipped with a reason: ${reason}`, async () => {
    const judged = await runExperiment(serviceWith(new FixedWindow(windowMs), plan), given);
    expect(judged.exchanges).toHaveLength(sent);
    const untested = expect.stringMatching(`^untested: .*${reason}`);
    expect(describeOutcomes(judged, 'throttle.429', 'throttle.recovers')).toEqual([untested, untested]);
  });

for (const retryAfter of [0, 1])
  test(`a key that is not served again after ${retryAfter} s gets no further round, and what was seen is kept`, async () => {
    const limiter = deciding(new FixedWindow(20_000), () => ({ retryAfter }));
    const judged = await runExperiment(serviceWith(limiter), { settings: { ...OWN_KEY, depth: 'thorough' } });
    expect(describeOutcomes(judged, 'throttle.recovers').join()).toMatch(/^failed: /);
    expect(judged.exchanges.filter(({ response }) => response?.status === 429)).toHaveLength(2);
  });

/** A limiter whose key another client has used before the first request, so many milliseconds ago. */
function used(limiter: Limiter, times: number, ms = 0): Limiter {
  let left = times;
  return {
    hit: (bucket, limit, now) => {
      for (; left > 0; left -= 1) limiter.hit(bucket, limit, now - ms);
      return limiter.hit(bucket, limit, now);
    },
  };
}

/** A limiter whose key another client uses all the time, also before the first request. */
function shared(limiter: Limiter, perSecond: number): Limiter {
  let last: number | undefined;
  return {
    hit: (bucket, limit, now) => {
      const every = 1000 / perSecond;
      last ??= now - 10_000;
      for (; last + every <= now; last += every) limiter.hit(bucket, limit, last + every);
      return limiter.hit(bucket, limit, now);
    },
  };
}

test('throttling tries an operation again whose first request is refused', async () => {
  const judged = await runExperiment(serviceWith(used(new FixedWindow(MINUTE), 60)), { settings: OWN_KEY });
  expect(passedOperations(judged, 'throttle.every-operation')).toContain(ADD.id);
});

test('throttling ends once the headers show what is left of a day', async () => {
  const [minute, day] = [new FixedWindow(2000), used(new FixedWindow(24 * 3_600_000), 900)];
  const limiter: Limiter = {
    hit: (bucket, limit, now) => {
      const [short, long] = [minute.hit(bucket, limit, now), day.hit(bucket, 1000, now)];
      return long.remaining < short.remaining ? long : short;
    },
  };
  const judged = await runExperiment(serviceWith(limiter), { settings: { ...OWN_KEY, depth: 'thorough' } });
  expect(judged.exchanges.filter(({ response }) => response?.status === 429)).toHaveLength(1);
  expect(findAccusations(judged)).toEqual([]);
});

test('an answer without the headers does not end the approach to the limit', async () => {
  const service = serviceWith(new FixedWindow(MINUTE));
  const names = ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset'];
  changeReply({ status: 404 }, { headers: Object.fromEntries(names.map((name) => [name, ''])) })(service);
  expect(describeOutcomes(await runExperiment(service), 'throttle.429')).toEqual(['passed']);
});

test('a service that answers everything with 500 gets no further request', async () => {
  const service = serviceWith(new FixedWindow(MINUTE), 'business');
  changeReply({}, { status: 500 })(service);
  expect((await runExperiment(service)).exchanges).toHaveLength(1);
});

test('an operation that begins a new count each time leads to one 429', async () => {
  const service = serviceWith(new TokenBucket(MINUTE));
  const begin = (): Decision => service.limiter.hit(randomUUID(), 60, service.now());
  wrap('count', (count) => (request, key) => (is.orders(request) ? begin() : count(request, key)))(service);
  const { exchanges } = await runExperiment(service, { latency: 400 });
  expect(exchanges.filter(({ response }) => response?.status === 429)).toHaveLength(1);
});

for (const [name, make] of Object.entries(lawful))
  test(`throttling accuses nobody of ${name} that another client uses`, async () => {
    const found: string[] = [];
    // At 15 a second, a bucket gives back just what the other client uses, which no header shows.
    for (const perSecond of [5, 20, 60])
      for (const given of [{}, { latency: 40 }, { settings: { depth: 'thorough' } }] as const) {
        const service = serviceWith(shared(make(4000), perSecond), 'free', 4000);
        const accused = findAccusations(await runExperiment(service, given));
        const failed = accused.filter((line) => line.includes(': failed: '));
        found.push(...failed.map((line) => `${perSecond} times a second: ${JSON.stringify(given)} ${line}`));
      }
    expect(found).toEqual([]);
  });

test('throttling does not judge a 429 by what was left before the suite waited', async () => {
  let hits = 0;
  const limiter: Limiter = {
    hit: (_bucket, limit, now) => {
      hits += 1;
      // Another client uses up the window that the suite waits for.
      const isUsedUp = hits === 3;
      const remaining = isUsedUp ? 0 : 30;
      return { allowed: !isUsedUp, limit, remaining, reset: Math.floor(now / 1000) + 1, retryAfter: 1 };
    },
  };
  const judged = await runExperiment(serviceWith(limiter), { settings: { throttling: 'auto' } });
  expect(judged.exchanges[2]?.response?.status).toBe(429);
  expect(describeOutcomes(judged, 'throttle.429').join()).toMatch(/^untested/);
  expect(describeOutcomes(judged, 'throttle.recovers')).toEqual(['passed']);
});

const JUMPS = 'Remaining jumps between two counts';
/** What the defects of the reference do not have: they are found by the proof. */
const broken: [title: string, found: string, Limiter, (Circumstances & { windowMs?: number })?][] = [
  ['serves more than was left', 'requests served, and only then 429', used(enforcing(new FixedWindow(MINUTE), 6), 30)],
  [
    'refuses before announced, in the window that the suite waited for',
    'requests left (limit 60)',
    used(enforcing(new FixedWindow(2000), -8), 1, 1500),
    { windowMs: 2000, phase: 100 },
  ],
  ['never refuses, and moves Reset', 'no 429 at all', deciding(new TokenBucket(MINUTE), () => ({ allowed: true }))],
  [
    'has two instances with a limiter each, two seconds before their window ends',
    JUMPS,
    inTurn(new FixedWindow(MINUTE, true), new FixedWindow(MINUTE, true)),
    { phase: 58_100, latency: 20, settings: { maxWait: 20 } },
  ],
  ['has two instances with a bucket each', JUMPS, inTurn(new TokenBucket(MINUTE), new TokenBucket(MINUTE))],
  ['counts half', 'in 29 of', deciding(new FixedWindow(MINUTE), (was) => ({ remaining: 30 + (was.remaining >> 1) }))],
  ['never counts', 'it fell in 0 of', deciding(new FixedWindow(MINUTE), () => ({ remaining: 5 }))],
];
for (const [title, found, limiter, { windowMs, ...given } = {}] of broken)
  test(`throttling finds a service that ${title}`, async () => {
    const judged = await runExperiment(serviceWith(limiter, 'free', windowMs), given);
    const outcomes = describeOutcomes(judged, 'throttle.429', 'rate.remaining.counts');
    expect(outcomes.filter((outcome) => outcome.startsWith('failed: ')).join()).toContain(found);
  });
