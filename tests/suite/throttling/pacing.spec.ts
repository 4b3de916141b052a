/** Pacing and throttling in real time: no unexpected 429, and nothing after the end. */
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from '@playwright/test';
import { ORDERS } from '../../../fixtures/contract/contract.ts';
import { buildTarget } from '../../../fixtures/contract/values.ts';
import { Banning, FixedWindow, type Limiter, SlidingLog } from '../../../fixtures/reference/limiter.ts';
import { Throttling } from '../../../fixtures/scenario/throttling.ts';
import { Client } from '../../../fixtures/target/http/client.ts';
import { Undecided } from '../../../fixtures/target/http/log.ts';
import { test as base } from '../gate/spawn.ts';
import { makeCustomer, makeSettings } from './experiment.ts';

const WINDOW_MS = 1000;

/** `paced` starts a server of 60 requests a window. @returns a client. */
const test = base.extend<{ paced: (limiter: Limiter) => Promise<Client> }>({
  paced: async ({ directory, serving, closing }, use) => {
    await use(async (limiter) => {
      const service = { limiter, limitOf: () => 60 };
      const { baseUrl } = await serving({ service: (own) => void Object.assign(own, service) });
      return closing(new Client({ ...makeSettings({ maxWait: 30 }), baseUrl, directory }));
    });
  },
});

const WAITS = { tag: '@waits' };

for (const [name, make] of Object.entries({
  'a fixed window': () => new FixedWindow(WINDOW_MS),
  'a window aligned to the clock': () => new FixedWindow(WINDOW_MS, true),
  'a sliding window': () => new SlidingLog(WINDOW_MS),
}))
  test(`150 requests on a key of 60 a second, limited by ${name}, meet no 429`, WAITS, async ({ paced }) => {
    const limiter = new Banning(make());
    const client = await paced(limiter);
    const statuses = [];
    for (let i = 0; i < 150; i += 1) {
      const { response } = await client.send({ chapter: 'before', method: 'GET', target: buildTarget(ORDERS) });
      statuses.push(response?.status);
    }
    expect(statuses).toEqual(Array(150).fill(200));
    expect(limiter.refusals).toBe(0);
  });

test('throttling ends after the last answer, also if a request in parallel is not sent', WAITS, async ({ paced }) => {
  const client = await paced(new FixedWindow(60_000));
  const send = client.send.bind(client);
  let left = 6;
  client.send = async (call) => {
    if ((left -= 1) === 0) throw new Undecided('no more are sent');
    return send(call);
  };
  await new Throttling(makeCustomer(client), makeSettings({ throttling: 'on' })).perform();
  const sent = client.log.all().length;
  await sleep(200);
  expect([client.log.all().length, sent]).toEqual([9, 9]);
});
