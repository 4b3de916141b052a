/** Pacing and throttling in real time: no unexpected 429, and no request before its time. */
import { expect } from '@playwright/test';
import { buildTarget } from '../../../fixtures/contract/request.ts';
import { ORDERS } from '../../../fixtures/contract/contract.ts';
import { Banning, FixedWindow, type Limiter, SlidingLog } from '../../../fixtures/reference/limiter.ts';
import { Client } from '../../../fixtures/target/http/client.ts';
import type { Exchange } from '../../../fixtures/target/http/exchange.ts';
import { Throttling } from '../../../fixtures/scenario/throttling.ts';
import { readThrottling } from '../../../fixtures/target/recording/recorded.ts';
import { test as base } from '../gate/spawn.ts';
import { makeCustomer, describeOutcomes, findAccusations, judgeExperiment, KEY, makeSettings } from './experiment.ts';

const WINDOW_MS = 1000;

/** A client on its own server, and its output. */
interface Paced {
  client: Client;
  printed: string[];
  /** The client of a later process of the same run. */
  later: () => Client;
}

const test = base.extend<{ paced: (limiter: Limiter) => Promise<Paced> }>({
  paced: async ({ directory, serving }, use) => {
    const clients: Client[] = [];
    await use(async (limiter) => {
      const { baseUrl } = await serving(KEY, (service) => {
        service.limiter = limiter;
        service.limitOf = () => 60;
      });
      const printed: string[] = [];
      const later = (): Client => {
        const print = (line: string): void => void printed.push(line);
        const client = new Client({ ...makeSettings({ maxWait: 30 }), baseUrl, directory, print });
        clients.push(client);
        return client;
      };
      return { client: later(), printed, later };
    });
    for (const client of clients) await client.close();
  },
});

const ORDERED = { chapter: 'before', method: 'GET', target: buildTarget(ORDERS) };
const ask = (client: Client, isSpent = false): Promise<Exchange> =>
  client.send({ ...ORDERED, ...(isSpent && { spend: true }) });

async function askOften(client: Client, times: number, spend = false): Promise<(number | undefined)[]> {
  const statuses = [];
  for (let i = 0; i < times; i += 1) statuses.push((await ask(client, spend)).response?.status);
  return statuses;
}

for (const [name, make] of Object.entries({
  'a fixed window': () => new FixedWindow(WINDOW_MS),
  'a window aligned to the clock': () => new FixedWindow(WINDOW_MS, true),
  'a sliding window': () => new SlidingLog(WINDOW_MS),
})) {
  test(`150 requests on a key of 60 a second, limited by ${name}, meet no 429`, async ({ paced }) => {
    const limiter = new Banning(make());
    const { client } = await paced(limiter);
    expect(await askOften(client, 150)).toEqual(Array(150).fill(200));
    expect(limiter.refusals).toBe(0);
  });
}

test('a later process obeys the Retry-After of an earlier one', async ({ paced }) => {
  const limiter = new Banning(new FixedWindow(2 * WINDOW_MS));
  const { client, later, printed } = await paced(limiter);
  const statuses = await askOften(client, 61, true);
  expect(statuses.at(-1)).toBe(429);
  expect((await ask(later())).response?.status).toBe(200);
  expect(printed.join()).toContain('waiting');
  expect(limiter.violations).toBe(0);
  expect(limiter.refusals).toBe(1);
});

test('the client waits after an unexpected 429, and retries once', async ({ paced }) => {
  const limiter = new Banning(new FixedWindow(2 * WINDOW_MS));
  const { client, printed } = await paced(limiter);
  await ask(client);
  // Another client uses up the key.
  for (let i = 0; i < 59; i += 1) limiter.hit(`key ${KEY}`, 60, Date.now());
  expect((await ask(client)).response?.status).toBe(200);
  expect(printed.join()).toContain('waiting');
  expect(limiter.refusals).toBe(1);
  expect(limiter.violations).toBe(0);
});

test('throttling uses up a sliding window, waits for Retry-After, and is not repeated', async ({
  paced,
  directory,
}) => {
  const limiter = new Banning(new SlidingLog(2 * WINDOW_MS));
  const { client } = await paced(limiter);
  const customer = makeCustomer(client);
  const settings = makeSettings({ maxWait: 15 });
  await new Throttling(customer, settings, directory).perform();
  const notes = readThrottling(directory);
  const judged = judgeExperiment(client.log.all(), settings, notes);
  expect(findAccusations(judged)).toEqual([]);
  expect(describeOutcomes(judged, 'throttle.429', 'throttle.recovers')).toEqual(['passed', 'passed']);
  expect([limiter.refusals, limiter.violations]).toEqual([1, 0]);
  await new Throttling(customer, settings, directory).perform();
  expect(readThrottling(directory)).toEqual(notes);
  expect(client.log.all()).toHaveLength(judged.exchanges.length);
});
