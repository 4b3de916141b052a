/**
 * The throttling experiment against each algorithm in real time, with windows of two seconds: lawful ones raise nothing, and
 * none of them is sent a single request between a 429 and the end of its Retry-After.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { judge } from '../../../fixtures/expect/judge.ts';
import {
  judgeEdge,
  judgeOperation,
  judgeRecovery,
  judgeRetryAfter,
  type Judgement,
} from '../../../fixtures/expect/throttle.ts';
import {
  Banning,
  DailyHeaders,
  type Decision,
  FixedWindow,
  type Limiter,
  Shifted,
  SlidingCounter,
  SlidingLog,
  TokenBucket,
} from '../../../fixtures/reference/limiter.ts';
import { createServer } from '../../../fixtures/reference/server.ts';
import { type Incoming, Problem, Service } from '../../../fixtures/reference/service.ts';
import { Animals } from '../../../fixtures/target/animals.ts';
import { Client } from '../../../fixtures/target/client.ts';
import { readSettings, type Settings } from '../../../fixtures/target/settings.ts';
import { Store } from '../../../fixtures/target/store.ts';
import { type Experiment, Throttling } from '../../../fixtures/target/throttling.ts';

const WINDOW_MS = 2000;
const KEY = 'throttled-key';

interface Tried extends Experiment {
  said: Record<'edge' | 'operation' | 'retryAfter' | 'recovery', Judgement[]>;
  requests: number;
}

/** Runs the experiment against a service, on a server of its own. */
async function tryOut(service: Service, settings: Partial<Settings> = {}): Promise<Tried> {
  const server = createServer(service);
  await server.listen({ port: 0, host: '127.0.0.1' });
  const baseUrl = `http://127.0.0.1:${(server.server.address() as AddressInfo).port}/v1`;
  const directory = mkdtempSync(join(tmpdir(), 'throttling-'));
  const all = { ...readSettings({ BASE_URL: baseUrl, API_KEY: KEY }), maxWait: 15, ...settings };
  const client = new Client({ ...all, baseUrl, directory, judge, alone: true, say: () => {} });
  try {
    const animals = new Animals(new Store(client), { run: 'abcdef', categoryId: '1', thorough: false });
    const experiment = await new Throttling(client, animals, all, { directory, shards: 1 }).experiment();
    const exchanges = client.exchanges();
    const judged = (by: typeof judgeEdge): Judgement[] => experiment.rounds.map((round) => by(round, exchanges));
    return {
      ...experiment,
      said: {
        edge: judged(judgeEdge),
        operation: judged(judgeOperation),
        retryAfter: judged(judgeRetryAfter),
        recovery: judged(judgeRecovery),
      },
      requests: exchanges.length,
    };
  } finally {
    await client.close();
    await server.close();
    rmSync(directory, { recursive: true, force: true });
  }
}

const serviceWith = (limiter: Limiter, plan = 'free'): Service =>
  new Service({ keys: { [KEY]: plan }, windowMs: WINDOW_MS, limiter });

const lawful = {
  'a fixed window': () => new FixedWindow(WINDOW_MS),
  'a window aligned to the clock': () => new FixedWindow(WINDOW_MS, true),
  'a sliding window, Reset when the oldest request leaves it': () => new SlidingLog(WINDOW_MS, 'oldest'),
  'a sliding window, Reset when the newest request leaves it': () => new SlidingLog(WINDOW_MS, 'newest'),
  'a sliding counter': () => new SlidingCounter(WINDOW_MS),
  'a token bucket, Reset when it is full': () => new TokenBucket(WINDOW_MS, 'full'),
  'a token bucket, Reset when the next token comes': () => new TokenBucket(WINDOW_MS, 'next'),
  'a slow token bucket': () => new TokenBucket(WINDOW_MS * 10, 'next'),
  'headers of the day, a minute enforced too': () => new DailyHeaders(WINDOW_MS, 1000),
  'Reset a second later': () => new Shifted(new FixedWindow(WINDOW_MS), { reset: 1 }),
  'Reset a second earlier': () => new Shifted(new FixedWindow(WINDOW_MS), { reset: -1 }),
  'Retry-After rounded down': () => new Shifted(new FixedWindow(WINDOW_MS), { retryAfter: -1 }),
  'Retry-After a second too long': () => new Shifted(new FixedWindow(WINDOW_MS), { retryAfter: 1 }),
} as const satisfies Record<string, () => Limiter>;

for (const [name, make] of Object.entries(lawful)) {
  test(`accuses nothing of ${name}, and sends nothing before Retry-After is over`, async () => {
    const limiter = new Banning(make());
    const tried = await tryOut(serviceWith(limiter));
    const judgements = Object.values(tried.said).flat();
    expect(judgements.flatMap((judgement) => judgement.blames)).toEqual([]);
    expect(judgements.flatMap((judgement) => judgement.cantTell ?? [])).toEqual([]);
    expect(limiter.violations).toBe(0);
  });
}

test('reaches the edge of a fixed window of 60, and is served again', async () => {
  const limiter = new Banning(new FixedWindow(WINDOW_MS));
  const { rounds, said, untested } = await tryOut(serviceWith(limiter));
  expect(untested).toBeUndefined();
  expect(rounds[0]?.refusal).toBeDefined();
  expect(rounds[0]?.after).toBeDefined();
  expect(said.edge[0]).toEqual({ blames: [] });
  expect(said.operation[0]).toEqual({ blames: [] });
  expect(limiter.refusals).toBe(rounds.length);
});

test('goes through every operation where the windows are short', async () => {
  const { rounds } = await tryOut(serviceWith(new FixedWindow(WINDOW_MS)), { depth: 'thorough' });
  expect(rounds.map((round) => round.operation)).toEqual(['addPet', 'listOrders', 'getPet', 'listPets']);
});

test('accepts Retry-After as an HTTP date', async () => {
  const service = serviceWith(new FixedWindow(WINDOW_MS));
  service.retryAfter = ({ retryAfter }: Decision) => new Date(Date.now() + retryAfter * 1000).toUTCString();
  const { said } = await tryOut(service);
  expect(said.retryAfter).toContainEqual({ blames: [] });
  expect(said.recovery.flatMap((judgement) => judgement.blames)).toEqual([]);
});

test('does not try where it would take the budget of a day, a flood, or more than MAX_WAIT', async () => {
  const daily = await tryOut(serviceWith(new FixedWindow(24 * 3_600_000)));
  expect(daily.untested).toContain('the budget of a day');
  const large = await tryOut(serviceWith(new FixedWindow(WINDOW_MS), 'enterprise'));
  expect(large.untested).toContain('more than the 1500 requests');
  const long = await tryOut(serviceWith(new FixedWindow(60_000)), { maxWait: 5 });
  expect(long.untested).toContain('MAX_WAIT');
  expect(daily.requests + large.requests + long.requests).toBe(3);
});

test('does not throttle on a read-only run, nor with THROTTLING=off', async () => {
  expect((await tryOut(serviceWith(new FixedWindow(WINDOW_MS)), { throttling: 'off' })).untested).toBe(
    'THROTTLING=off',
  );
  expect((await tryOut(serviceWith(new FixedWindow(WINDOW_MS)), { readOnly: true })).untested).toContain('READ_ONLY=1');
});

/** A limiter that enforces another limit than it announces. */
class Off implements Limiter {
  readonly #inner = new FixedWindow(WINDOW_MS);
  constructor(readonly by: number) {}
  hit(bucket: string, limit: number, now: number): Decision {
    const decision = this.#inner.hit(bucket, limit + this.by, now);
    return { ...decision, limit, remaining: Math.min(limit, Math.max(0, decision.remaining - this.by)) };
  }
}

const broken = {
  'serves more than announced': {
    of: 'edge',
    says: 'served after X-RateLimit-Remaining: 0',
    make: () => serviceWith(new Off(8)),
  },
  'refuses before announced': { of: 'edge', says: 'announced as left', make: () => serviceWith(new Off(-8)) },
  'never refuses': {
    of: 'edge',
    says: 'no 429 at all',
    make: () =>
      serviceWith({
        hit: ((inner) => (bucket: string, limit: number, now: number) => ({
          ...inner.hit(bucket, limit, now),
          allowed: true,
        }))(new FixedWindow(WINDOW_MS)),
      }),
  },
  'refuses with 503': {
    of: 'edge',
    says: '503',
    make: () => patched((s) => (s.tooMany = () => new Problem(503, 'busy', 'busy'))),
  },
  'refuses with 403': {
    of: 'edge',
    says: '403',
    make: () => patched((s) => (s.tooMany = () => new Problem(403, 'quota', 'quota'))),
  },
  'sends no Retry-After': {
    of: 'retryAfter',
    says: 'without Retry-After',
    make: () => patched((s) => (s.retryAfter = () => '')),
  },
  'sends Retry-After in words': {
    of: 'retryAfter',
    says: 'soon',
    make: () => patched((s) => (s.retryAfter = () => 'soon')),
  },
  'sends Retry-After as an ISO date': {
    of: 'retryAfter',
    says: 'T',
    make: () => patched((s) => (s.retryAfter = () => new Date(Date.now() + 2000).toISOString())),
  },
  'serves nobody after Retry-After': {
    of: 'recovery',
    says: '429',
    make: () => patched((s) => (s.retryAfter = () => '1'), new FixedWindow(8000)),
  },
  'exempts an operation': {
    of: 'operation',
    says: 'POST /pets',
    make: () =>
      patched((s) => {
        const count = s.count.bind(s);
        s.count = (request: Incoming, key) => ({
          ...count(request, key),
          ...(request.method === 'POST' && { allowed: true }),
        });
      }),
  },
} as const satisfies Record<string, { of: keyof Tried['said']; says: string; make: () => Service }>;

function patched(change: (service: Service) => void, limiter: Limiter = new FixedWindow(WINDOW_MS)): Service {
  const service = serviceWith(limiter);
  change(service);
  return service;
}

for (const [name, { of, says, make }] of Object.entries(broken)) {
  test(`blames a service that ${name}`, async () => {
    const { said, untested } = await tryOut(make());
    expect(untested).toBeUndefined();
    expect(said[of].flatMap((judgement) => judgement.blames.map((blame) => blame.received)).join()).toContain(says);
  });
}
