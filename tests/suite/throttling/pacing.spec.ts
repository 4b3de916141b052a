/** The pacing in real time: a key of 60 requests in 3 seconds, shared by several processes, never meets a 429. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { judge } from '../../../fixtures/expect/judge.ts';
import { Banning, FixedWindow, type Limiter, SlidingLog } from '../../../fixtures/reference/limiter.ts';
import { createServer } from '../../../fixtures/reference/server.ts';
import { Service } from '../../../fixtures/reference/service.ts';
import { Client } from '../../../fixtures/target/client.ts';
import { Store } from '../../../fixtures/target/store.ts';

const REQUESTS = 300;

async function serve(limiter: Limiter): Promise<{ baseUrl: string; served: () => number; close: () => Promise<void> }> {
  const service = new Service({ keys: { 'shared-key': 'free' }, windowMs: 3000, limiter });
  let served = 0;
  const count = service.count.bind(service);
  service.count = (request, key) => {
    const decision = count(request, key);
    if (decision.allowed) served += 1;
    return decision;
  };
  const server = createServer(service);
  await server.listen({ port: 0, host: '127.0.0.1' });
  const { port } = server.server.address() as AddressInfo;
  return { baseUrl: `http://127.0.0.1:${port}/v1`, served: () => served, close: async () => server.close() };
}

for (const processes of [1, 2, 4]) {
  test(`${REQUESTS} requests of ${processes} processes on a key of 60 in 3 s meet no 429`, async () => {
    test.setTimeout(120_000);
    const limiter = new Banning(new FixedWindow(3000));
    const { baseUrl, served, close } = await serve(limiter);
    const directory = mkdtempSync(join(tmpdir(), 'pacing-'));
    const sender = new URL('sender.ts', import.meta.url).pathname;
    const children = Array.from({ length: processes }, () =>
      spawn(process.execPath, ['--import', 'tsx', sender, baseUrl, directory, String(REQUESTS / processes)], {
        stdio: ['ignore', 'inherit', 'inherit'],
      }),
    );
    const codes = await Promise.all(children.map(async (child) => ((await once(child, 'exit')) as [number])[0]));
    await close();
    rmSync(directory, { recursive: true });
    expect(codes).toEqual(children.map(() => 0));
    expect(served()).toBe(REQUESTS);
    expect(limiter.refusals).toBe(0);
  });
}

/** A client on a server of its own, with what it said. */
async function alone(
  limiter: Limiter,
  maxWait: number,
  act: (store: Store, client: Client) => Promise<void>,
): Promise<string[]> {
  const { baseUrl, close } = await serve(limiter);
  const directory = mkdtempSync(join(tmpdir(), 'pacing-'));
  const said: string[] = [];
  const keys = { apiKey: 'shared-key', throttleApiKey: 'shared-key' };
  const client = new Client({
    baseUrl,
    ...keys,
    maxWait,
    directory,
    judge,
    alone: true,
    say: (line) => said.push(line),
  });
  await act(new Store(client), client);
  await client.close();
  await close();
  rmSync(directory, { recursive: true });
  return said;
}

test('waits out a 429 that nobody asked for, and asks once more', async () => {
  const limiter = new Banning(new FixedWindow(3000));
  const said = await alone(limiter, 30, async (store) => {
    await store.list({}, { fresh: true });
    // Somebody else uses the key up.
    for (let i = 0; i < 59; i += 1) limiter.hit('key shared-key', 60, Date.now());
    expect((await store.list({}, { fresh: true })).status).toBe(200);
  });
  expect(said.join()).toContain('waiting');
  expect(limiter.violations).toBe(0);
});

test('ends the run where the budget comes back later than MAX_WAIT, with the time of the reset', async () => {
  const limiter = new FixedWindow(3_600_000);
  for (let i = 0; i < 60; i += 1) limiter.hit('key shared-key', 60, Date.now());
  const said = await alone(limiter, 1, async (store, client) => {
    await expect(store.list()).rejects.toThrow(
      /rate limited: \$API_KEY may send nothing before \d{4}-\d\d-\d\dT.*MAX_WAIT/,
    );
    expect(client.pacer.stopped).toContain('rate limited');
    await expect(store.list()).rejects.toThrow(/rate limited/);
    expect(client.exchanges()).toHaveLength(1);
  });
  expect(said.filter((line) => line.includes('rate limited'))).toHaveLength(1);
});

test('gets through a sliding window without a 429', async () => {
  const limiter = new Banning(new SlidingLog(1000));
  await alone(limiter, 30, async (store) => {
    for (let i = 0; i < 100; i += 1) await store.list({}, { fresh: true });
  });
  expect(limiter.refusals).toBe(0);
});
