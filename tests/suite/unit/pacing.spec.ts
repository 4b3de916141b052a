import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from '@playwright/test';
import { Pacer } from '../../../fixtures/target/pacing.ts';
import { test } from './make.ts';

let directory: string;
let said: string[];
test.beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'pacing-'));
  said = [];
});
test.afterEach(() => rmSync(directory, { recursive: true }));

const pacer = (maxWait = 90, alone = false): Pacer =>
  new Pacer(directory, { maxWait, alone, say: (line) => said.push(line) });

/** A response with so many requests left, and so many seconds to the reset. */
const left = (remaining: number, resetIn: number, limit = 60) => ({
  status: 200,
  limit,
  remaining,
  reset: 1_795_000_000 + resetIn,
  resetIn,
});

/** Milliseconds until the request may be sent; it is answered with room enough. */
async function waited(one: Pacer, name = 'key'): Promise<number> {
  const start = Date.now();
  await one.acquire(name);
  return Date.now() - start;
}

for (const alone of [true, false])
  test.describe(alone ? 'alone' : 'with other workers', () => {
    test('requests are numbered, and told whether others are in flight', async () => {
      const one = pacer(90, alone);
      expect(await one.acquire('key')).toEqual({ number: 1, parallel: false });
      expect(await one.acquire('key')).toEqual({ number: 2, parallel: true });
      expect(await one.acquire('other')).toEqual({ number: 3, parallel: false });
      expect(await one.release('key', left(50, 60))).toBe(true);
      expect(await one.release('key', left(49, 60))).toBe(false);
    });

    test('nothing waits while there is room', async () => {
      const one = pacer(90, alone);
      await one.acquire('key');
      await one.release('key', left(40, 60));
      for (let sent = 0; sent < 30; sent += 1) {
        expect(await waited(one)).toBeLessThan(500);
        await one.release('key', left(39 - sent, 60));
      }
      expect(said).toEqual([]);
    });

    test('a request waits for the reset where nothing is left, and says so', async () => {
      const one = pacer(90, alone);
      await one.acquire('key');
      await one.release('key', left(0, 1));
      const waits: number[] = [];
      one.onWait = (ms) => waits.push(ms);
      expect(await waited(one)).toBeGreaterThan(1000);
      expect(said[0]).toMatch(/waiting \d+ s for the rate limit of \$API_KEY to reset/);
      expect(waits[0]).toBeGreaterThan(1000);
      expect(one.waitedSeconds).toBeGreaterThan(0);
    });

    test('nothing is sent before the end of a Retry-After, not even to spend', async () => {
      const one = pacer(90, alone);
      await one.acquire('key');
      await one.release('key', { status: 429, retryAfter: 1 });
      const start = Date.now();
      await one.acquire('key', true);
      expect(Date.now() - start).toBeGreaterThanOrEqual(1000);
    });

    test('a wait longer than MAX_WAIT cannot be judged, and ends the run for the key', async () => {
      const one = pacer(2, alone);
      await one.acquire('key');
      await one.release('key', { status: 429, retryAfter: 3600 });
      await expect(one.acquire('key')).rejects.toThrow(/rate limited: \$API_KEY may send nothing before .* MAX_WAIT/);
      expect(one.stopped).toContain('MAX_WAIT');
      await expect(one.acquire('throttle')).rejects.toThrow('MAX_WAIT');
    });

    test('another actor has a budget of its own', async () => {
      const one = pacer(90, alone);
      await one.acquire('key');
      await one.release('key', left(0, 60));
      expect(await waited(one, 'throttle')).toBeLessThan(500);
    });

    test('what was stopped sends nothing more', async () => {
      const one = pacer(90, alone);
      await one.stop('enough');
      await expect(one.acquire('key')).rejects.toThrow('enough');
    });
  });

test('workers share what is known of a key', async () => {
  const [one, other] = [pacer(), pacer(1)];
  await one.acquire('key');
  await one.release('key', left(0, 60));
  await expect(other.acquire('key')).rejects.toThrow('MAX_WAIT');
});

test('many at once each get a number of their own, and no more go out than there is room for', async () => {
  const workers = [pacer(1), pacer(1), pacer(1)];
  await workers[0]?.acquire('key');
  await workers[0]?.release('key', left(12, 60));
  const grants = await Promise.allSettled(
    Array.from({ length: 20 }, (_, n) => (workers[n % 3] as Pacer).acquire('key')),
  );
  const numbers = grants.flatMap((grant) => (grant.status === 'fulfilled' ? [grant.value.number] : []));
  expect(new Set(numbers).size).toBe(numbers.length);
  expect(numbers.length).toBeGreaterThan(5);
  expect(numbers.length).toBeLessThanOrEqual(12);
});
