/** No request exceeds the budget of the headers, and none goes out before the end of a Retry-After. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from '@playwright/test';
import { RateLimited } from '../../../fixtures/target/http/undecided.ts';
import { type Budget, Pacer, type PacerOptions, readState } from '../../../fixtures/target/rate-limit/pacing.ts';
import { test } from './make.ts';

// They wait for the end of limits.
test.describe.configure({ mode: 'parallel' });

let directory: string;
let printed: string[];
let waits: number[];
test.beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'pacing-'));
  printed = [];
  waits = [];
});
test.afterEach(() => rmSync(directory, { recursive: true }));

const pacer = (options: Partial<PacerOptions> = {}): Pacer =>
  new Pacer(directory, {
    maxWait: 90,
    print: (line) => printed.push(line),
    onWait: (ms) => waits.push(ms),
    ...options,
  });

class WouldWait extends Error {
  constructor(readonly seconds: number) {
    super();
  }
}

/** A pacer of a new run that throws the seconds in place of waiting. */
function impatient(): Pacer {
  rmSync(join(directory, 'pacing.json'), { force: true });
  return pacer({
    maxWait: Infinity,
    onWait: (ms) => {
      throw new WouldWait(ms / 1000 - 2);
    },
  });
}

const left = (remaining: number, resetIn: number, limit = 60): Budget => ({
  status: 200,
  limit,
  remaining,
  reset: 1_795_000_000 + resetIn,
  resetIn,
});

async function ask(one: Pacer, budget: Budget | undefined, name = 'key'): Promise<void> {
  await one.acquire(name);
  one.release(name, Date.now(), budget);
}

async function waited(one: Pacer, name = 'key', spend = false): Promise<number> {
  const start = Date.now();
  await one.acquire(name, spend);
  return Date.now() - start;
}

async function secondsToWait(one: Pacer, name = 'key'): Promise<number> {
  try {
    await one.acquire(name);
    return 0;
  } catch (error) {
    if (error instanceof WouldWait) return error.seconds;
    throw error;
  }
}

test('requests have a number and a mark for parallel ones', async () => {
  const one = pacer();
  expect(await one.acquire('key')).toEqual({ number: 1, parallel: false });
  expect(await one.acquire('key')).toEqual({ number: 2, parallel: true });
  expect(await one.acquire('other')).toEqual({ number: 3, parallel: false });
  expect(one.release('key', Date.now(), left(50, 60))).toBe(true);
  expect(one.release('key', Date.now(), left(49, 60))).toBe(false);
});

test('a request without budget waits for the reset, with a message', async () => {
  const one = pacer();
  await ask(one, left(0, 1));
  expect(await waited(one)).toBeGreaterThan(1000);
  expect(printed[0]).toMatch(/waiting \d+ s for the rate limit of the key to reset/);
  expect(waits[0]).toBeGreaterThan(1000);
  expect(readState(directory)?.waitedMs).toBeGreaterThan(500);
});

/** The seconds that the next request waits after an answer: at least, and less than. */
type Wait = readonly [title: string, answer: Budget | undefined, atLeast: number, below: number];

const WAITS: readonly Wait[] = [
  ['a budget with room', left(3, 60), 0, 1],
  ['a reserve of two requests', left(2, 60), 55, 65],
  ['a limit that is too small for a reserve', left(1, 60, 9), 0, 1],
  ['a 429', { status: 429, retryAfter: 30 }, 25, 35],
  ['a 429 without Retry-After, until the reset', { ...left(0, 30), status: 429 }, 29, 34],
  ['a 429 without any header, for a minute', { status: 429 }, 58, 64],
  ['a 429 beside a day that is not used up, for a minute', { ...left(900, 50_000, 1000), status: 429 }, 58, 64],
  ['a 429 of a day that is used up', { ...left(0, 50_000, 1000), status: 429 }, 49_000, 50_010],
  ['a Reset with a fraction', { ...left(0, 30.5), reset: 1_795_000_030.5 }, 29, 34],
  ...[1.795e12, -3600, -1.7e9, 27 * 3600].map((resetIn): Wait => [`Reset in ${resetIn} s`, left(0, resetIn), 0, 1]),
  // Rounded down to this second, or a second more.
  ...[0, -1].map((resetIn): Wait => [`Reset in ${resetIn} s, which may be rounded`, left(0, resetIn), 0.9, 2]),
  ['no headers', { status: 200 }, 0, 1],
  ['no Reset', { status: 200, remaining: 0 }, 0, 1],
  ['no Remaining', { status: 200, limit: 60 }, 0, 1],
  ['no answer', undefined, 0, 1],
  ['several Retry-After', { ...left(0, 5), status: 429, retryAfter: 1, longestRetryAfter: 120 }, 119, 125],
  ['a malformed Retry-After', { ...left(0, 5), status: 429, longestRetryAfter: 299.5 }, 299, 305],
];

for (const [title, answer, atLeast, below] of WAITS)
  test(`the wait after ${title}`, async () => {
    const one = impatient();
    await ask(one, answer);
    const seconds = await secondsToWait(one);
    expect(seconds).toBeGreaterThanOrEqual(atLeast);
    expect(seconds).toBeLessThan(below);
    // A paused key pauses unauthenticated requests too, to avoid a ban.
    if (answer?.status === 429) expect(await secondsToWait(one, 'other')).toBeGreaterThanOrEqual(atLeast);
  });

test('spending uses up the reserve, but sends nothing before the end of a Retry-After', async () => {
  await ask(impatient(), left(0, 60));
  await expect(pacer().acquire('key', true)).resolves.toBeDefined();
  const one = pacer();
  await ask(one, { status: 429, retryAfter: 1 }, 'throttle');
  expect(await waited(one, 'throttle', true)).toBeGreaterThanOrEqual(1000);
});

test('requests in flight reduce the budget', async () => {
  const one = impatient();
  await ask(one, left(5, 60));
  const grants = await Promise.allSettled(Array.from({ length: 10 }, () => one.acquire('key')));
  expect(grants.filter(({ status }) => status === 'fulfilled')).toHaveLength(3);
});

test.describe('repeated refusals after Retry-After', () => {
  const refused = (retryAfter: number): Budget => ({ status: 429, retryAfter });

  for (const [times, seconds] of [
    [1, 10],
    [2, 20],
    [3, 40],
  ] as const)
    test(`of 10 s ask for ${seconds} s after ${times}`, async () => {
      const one = impatient();
      // First in parallel, then each after the wait of the previous one.
      for (let i = 0; i < times; i += 1) await one.acquire('key');
      for (let i = 0; i < times; i += 1) one.release('key', Date.now() + i * 1e9, refused(10));
      expect(await secondsToWait(one)).toBeGreaterThanOrEqual(seconds);
      expect(await secondsToWait(one)).toBeLessThan(seconds + 2);
    });

  test('end the run after four', async () => {
    const one = pacer();
    for (let i = 0; i < 4; i += 1) await one.acquire('key');
    for (let i = 0; i < 3; i += 1) one.release('key', Date.now() + i * 1e9, refused(0));
    expect(readState(directory)?.stopped).toBeUndefined();
    one.release('key', Date.now() + 3e9, refused(0));
    expect(readState(directory)?.stopped).toMatch(
      /rejected with 429 4 times in a row, each time after the requested wait/,
    );
    await expect(one.acquire('throttle')).rejects.toThrow('4 times in a row');
  });

  test('count once for parallel requests', async () => {
    const one = impatient();
    const sentAt = Date.now();
    for (let i = 0; i < 8; i += 1) await one.acquire('key');
    for (let i = 0; i < 8; i += 1) one.release('key', sentAt, refused(10));
    expect(readState(directory)?.stopped).toBeUndefined();
    expect(await secondsToWait(one)).toBeLessThanOrEqual(12);
  });

  test('end with a served request', async () => {
    const one = pacer();
    await ask(one, refused(0));
    expect(one.budgetOf('key').refusals).toBe(1);
    await ask(one, left(50, 60));
    expect(one.budgetOf('key').refusals).toBe(0);
  });
});

test('a useful wait is followed by further ones', async () => {
  const one = impatient();
  for (const resetIn of [30, 31, 32]) {
    await ask(one, left(0, resetIn));
    expect(await secondsToWait(one)).toBeGreaterThan(29);
    one.release('key', Date.now(), { ...left(59, 60), reset: 1_795_000_000 });
  }
  expect(one.budgetOf('key').untrusted).toBeUndefined();
});

test('a wait longer than MAX_WAIT cannot be judged, and ends the run for the key', async () => {
  const one = pacer({ maxWait: 2 });
  await ask(one, { status: 429, retryAfter: 3600 });
  await expect(one.acquire('key')).rejects.toThrow(/rate limited: the key may send nothing before .* MAX_WAIT/);
  await expect(one.acquire('key')).rejects.toThrow(RateLimited);
  expect(readState(directory)?.stopped).toContain('MAX_WAIT');
  await expect(one.acquire('throttle')).rejects.toThrow('MAX_WAIT');
  expect(printed.filter((line) => line.includes('nothing more is sent in this run'))).toHaveLength(1);
});

test('every key has its own budget: a long pause of one does not end the run for the other', async () => {
  const one = pacer({ maxWait: 2 });
  await ask(one, { status: 429, retryAfter: 3600 }, 'throttle');
  await expect(one.acquire('throttle')).rejects.toThrow('the throttling key may send nothing');
  await ask(one, left(0, 60), 'other');
  await expect(one.acquire('key')).resolves.toBeDefined();
});

test('concurrent requests share one wait', async () => {
  const one = pacer();
  await ask(one, left(0, 0.6));
  const start = Date.now();
  await Promise.all(
    [one.acquire('key'), one.acquire('key'), one.acquire('key')].map(async (grant) => {
      await grant;
      one.release('key', Date.now(), left(50, 60));
    }),
  );
  expect(Date.now() - start).toBeLessThan(4000);
  expect(printed.filter((line) => line.includes('waiting'))).toHaveLength(1);
});

test('a pause lasts for its duration, up to MAX_WAIT', async () => {
  const one = pacer({ maxWait: 2 });
  const start = Date.now();
  await one.pause('throttle', 100);
  expect(Date.now() - start).toBeGreaterThanOrEqual(95);
  await expect(one.pause('throttle', 5000)).rejects.toThrow('MAX_WAIT (2 s)');
});

test('a new worker knows earlier budgets, with nothing in flight', async () => {
  const one = pacer();
  await ask(one, left(0, 60));
  await one.acquire('other');
  const fresh = pacer({ maxWait: 1 });
  expect(await fresh.acquire('other')).toEqual({ number: 3, parallel: false });
  await expect(fresh.acquire('key')).rejects.toThrow('MAX_WAIT');
  expect(readState(directory)?.stopped).toContain('MAX_WAIT');
});

test('a shorter state replaces a longer one completely', async () => {
  const one = pacer();
  one.stop('for a reason of many characters, which no state after it has');
  const long = readState(directory);
  const file = join(directory, 'pacing.json');
  writeFileSync(file, JSON.stringify({ ...long, stopped: undefined }) + ' '.repeat(500));
  const next = pacer();
  await next.acquire('key');
  expect(readState(directory)?.next).toBe(1);
  expect(readFileSync(file, 'utf8')).not.toContain(' ');
});

test('a Retry-After without end is known to a new worker', async () => {
  const one = pacer();
  await ask(one, { status: 429, retryAfter: Infinity }, 'throttle');
  await expect(pacer().acquire('throttle')).rejects.toThrow(/may send nothing for a time that is/);
});

test('headers are ignored after two useless waits, until a 429 shows that they were right', async () => {
  const one = impatient();
  const waitInVain = async (times: number): Promise<void> => {
    for (let i = 0; i < times; i += 1) {
      expect(await secondsToWait(one)).toBeGreaterThan(5);
      one.release('key', Date.now(), left(0, 30));
    }
  };
  await ask(one, left(0, 30));
  await waitInVain(2);
  expect(await secondsToWait(one)).toBe(0);
  one.release('key', Date.now(), { ...left(0, 30), status: 429, retryAfter: 0 });
  await new Promise((resolve) => setTimeout(resolve, 1100));
  await ask(one, left(0, 30));
  await waitInVain(3);
  expect(one.budgetOf('key').untrusted).toBeUndefined();
});
