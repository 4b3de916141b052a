/** Pacing and throttling in real time: no unexpected 429, and no request before its time. */
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from '@playwright/test';
import { buildTarget } from '../../../fixtures/contract/request.ts';
import { ORDERS } from '../../../fixtures/contract/contract.ts';
import { Banning, FixedWindow, type Limiter, SlidingLog } from '../../../fixtures/reference/limiter.ts';
import { type Call, Client } from '../../../fixtures/target/http/client.ts';
import { Undecided } from '../../../fixtures/target/http/undecided.ts';
import { Throttling } from '../../../fixtures/scenario/throttling.ts';
import { readThrottling } from '../../../fixtures/target/recording/recorded.ts';
import { test as base } from '../gate/spawn.ts';
import { makeCustomer, describeOutcomes, findAccusations, judgeExperiment, KEY, makeSettings } from './experiment.ts';

const WINDOW_MS = 1000;

const test = base.extend<{ paced: (limiter: Limiter) => Promise<() => Client> }>({
  /** Starts a server with a limiter. @returns makes the client of each process of one run. */
  paced: async ({ directory, serving }, use) => {
    const clients: Client[] = [];
    await use(async (limiter) => {
      const { baseUrl } = await serving(KEY, (service) => {
        service.limiter = limiter;
        service.limitOf = () => 60;
      });
      return () => {
        const client = new Client({ ...makeSettings({ maxWait: 30 }), baseUrl, directory });
        clients.push(client);
        return client;
      };
    });
    for (const client of clients) await client.close();
  },
});

async function ask(client: Client, times: number, more: Partial<Call> = {}): Promise<(number | undefined)[]> {
  const statuses = [];
  const call = { chapter: 'before', method: 'GET', target: buildTarget(ORDERS), ...more };
  for (let i = 0; i < times; i += 1) statuses.push((await client.send(call)).response?.status);
  return statuses;
}

for (const [name, make] of Object.entries({
  'a fixed window': () => new FixedWindow(WINDOW_MS),
  'a window aligned to the clock': () => new FixedWindow(WINDOW_MS, true),
  'a sliding window': () => new SlidingLog(WINDOW_MS),
}))
  test(`150 requests on a key of 60 a second, limited by ${name}, meet no 429`, async ({ paced }) => {
    const limiter = new Banning(make());
    const process = await paced(limiter);
    expect(await ask(process(), 150)).toEqual(Array(150).fill(200));
    expect(limiter.refusals).toBe(0);
  });

test('a later process obeys the Retry-After of an earlier one', async ({ paced }) => {
  const limiter = new Banning(new FixedWindow(2 * WINDOW_MS));
  const process = await paced(limiter);
  expect((await ask(process(), 61, { spend: true })).at(-1)).toBe(429);
  expect(await ask(process(), 1)).toEqual([200]);
  expect([limiter.refusals, limiter.violations]).toEqual([1, 0]);
});

test('throttling uses up a sliding window, waits for Retry-After, and is not repeated', async ({
  paced,
  directory,
}) => {
  const limiter = new Banning(new SlidingLog(2 * WINDOW_MS));
  const client = (await paced(limiter))();
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

test('throttling ends after the last answer, also if a request in parallel is not sent', async ({
  paced,
  directory,
}) => {
  const client = (await paced(new FixedWindow(60_000)))();
  const send = client.send.bind(client);
  let left = 6;
  client.send = async (call) => {
    if ((left -= 1) === 0) throw new Undecided('no more are sent');
    return send(call);
  };
  await new Throttling(makeCustomer(client), makeSettings({ throttling: 'on' }), directory).perform();
  const sent = client.log.all().length;
  await sleep(200);
  expect([client.log.all().length, sent]).toEqual([9, 9]);
});
