/** Performing the plan: each row once, after the rows it needs, in the order of the plan. */
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from '@playwright/test';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { selectRows, makePlan } from '../../../fixtures/plan/plan.ts';
import type { RowName } from '../../../fixtures/plan/names.ts';
import { NotJudged } from '../../../fixtures/plan/not-judged.ts';
import { FILLED, type Row } from '../../../fixtures/plan/row.ts';
import { FixedWindow } from '../../../fixtures/reference/limiter.ts';
import { createServer } from '../../../fixtures/reference/server.ts';
import { Service } from '../../../fixtures/reference/service.ts';
import { stockUp } from '../../../fixtures/reference/variants/index.ts';
import { Undecided } from '../../../fixtures/target/http/undecided.ts';
import type { Client } from '../../../fixtures/target/http/client.ts';
import type { Exchange } from '../../../fixtures/target/http/exchange.ts';
import { countAtOnce, Performer, type PerformerOptions } from '../../../fixtures/target/run/perform.ts';
import { exchange, test, TIMEOUT } from './make.ts';
import { KEY, onRun } from './serve.ts';

// They wait for polls and limits.
test.describe.configure({ mode: 'parallel' });

const FILTERED_LIST = 'GET /pets?limit=9&status={last}';
const FIRST_LOOK_UP = 'GET /pets/{petId} of the animal with the richest name';
const ORDERS_LOWER_CASE = 'GET /store/orders, with "bearer" in lower case';
const PLAIN = 'POST /pets';
const RESET_AGAIN = 'GET /store/orders, after a second';
const WHOLE_LIST = 'GET /pets?limit={maximum}';

interface Store {
  performer: Performer;
  client: Client;
  /** The performer of a new worker, on the same log. */
  again: (options?: Partial<PerformerOptions>) => Performer;
  arrived: string[];
  /** Most requests in flight. */
  most: () => number;
}

interface Given {
  stock?: number;
  apply?: (service: Service) => void;
  /** Acts before a response; returns the reply to replace it. */
  hook?: (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>;
  options?: Partial<PerformerOptions>;
  throttleApiKey?: string;
}

const preset: PerformerOptions = { run: 'abcdef', categoryId: '1', readOnly: false, isThorough: false };

/** A store on 127.0.0.1, and a performer on it. */
async function withStore(
  { stock = 0, apply, hook, options, throttleApiKey = KEY }: Given,
  act: (store: Store) => Promise<void>,
): Promise<void> {
  const service = new Service({ keys: { [KEY]: 'business' }, windowMs: 60_000, limiter: new FixedWindow(60_000) });
  stockUp(service, stock);
  apply?.(service);
  const server = createServer(service);
  const arrived: string[] = [];
  let [now, most] = [0, 0];
  server.addHook('preHandler', async (request, reply) => {
    arrived.push(`${request.method} ${request.url.slice('/v1'.length)}`);
    now += 1;
    most = Math.max(most, now);
    const answer = await hook?.(request, reply);
    now -= 1;
    return answer;
  });
  await server.listen({ port: 0, host: '127.0.0.1' });
  const { port } = server.server.address() as AddressInfo;
  try {
    await onRun(
      `http://127.0.0.1:${port}/v1`,
      async ({ client, again }) => {
        const performer = new Performer(client, { ...preset, ...options });
        const fresh = (more: Partial<PerformerOptions> = {}): Performer =>
          new Performer(again(), { ...preset, ...options, ...more });
        await act({ performer, client, again: fresh, arrived, most: () => most });
      },
      { throttleApiKey, readOnly: options?.readOnly ?? false },
    );
  } finally {
    await server.close();
  }
}

const rows = makePlan({ isThorough: false }).flatMap((stage) => stage.rows);
const names: readonly string[] = rows.map(({ name }) => name);
const rowNamed = (name: string): Row => rows.find((row) => row.name === name) as Row;
const sentRows = (client: Client): string[] => client.log.all().map(({ row }) => row);

/** What a row needs, with the rows that fill the store. */
const needsOf = (row: Row): RowName[] =>
  row.needs.flatMap((need) =>
    need === FILLED ? [...selectRows(makePlan({ isThorough: false }), { requirements: [], rows: [FILLED] })] : [need],
  );

/** Exchanges that were sent before a row that they need was answered, by name. */
function tooEarly(exchanges: readonly Exchange[]): string[] {
  const of = (row: string): Exchange | undefined => exchanges.find((each) => each.row === row);
  return exchanges.flatMap((own) =>
    needsOf(rowNamed(own.row))
      // Rows that fill the store may follow.
      .filter((need) => names.indexOf(need) < names.indexOf(own.row))
      .flatMap((need) => of(need) ?? [])
      .filter(({ at, ms }) => at + ms > own.at + 2)
      .map((needed) => `"${own.row}" went out before the answer to "${needed.row}"`),
  );
}

test('a whole run sends each row once, in the order of the plan, with what it needs before it', async () => {
  await withStore({}, async ({ performer, client, arrived }) => {
    await performer.all();
    const sent = sentRows(client);
    expect(sent.filter((row, i) => sent.indexOf(row) !== i)).toEqual([]);
    expect(sent).toEqual(names.filter((name) => sent.includes(name)));
    expect(tooEarly(client.log.all())).toEqual([]);
    // Fastify answers a path that is not UTF-8 before its hooks.
    expect(arrived).toHaveLength(sent.filter((row) => !row.endsWith('%ff')).length);
  });
});

test('a wrong credential that is the key for throttling is not sent', async () => {
  const extended = names.find((name) => name.endsWith('wrong: extended')) as RowName;
  await withStore({ throttleApiKey: `${KEY}x` }, async ({ performer, client }) => {
    await expect(performer.answerTo(extended)).rejects.toThrow('THROTTLE_API_KEY is the wrong key');
    await expect(performer.answerTo(extended)).rejects.toThrow(NotJudged);
    expect(sentRows(client)).not.toContain(extended);
  });
  await withStore({}, async ({ performer }) => {
    expect((await performer.answerTo(extended)).status).toBe(401);
  });
});

test('a row that is read twice is sent once', async () => {
  await withStore({}, async ({ performer, client }) => {
    const first = await performer.answerTo(FIRST_LOOK_UP);
    const { length } = client.log.all();
    expect((await performer.answerTo(FIRST_LOOK_UP)).exchange).toBe(first.exchange);
    await performer.answerTo(PLAIN);
    expect(client.log.all()).toHaveLength(length);
  });
});

test('a new performer on the same log repeats no row, and has the answers', async () => {
  await withStore({}, async ({ performer, client, again, arrived }) => {
    await performer.all();
    const { length } = arrived;
    const fresh = again();
    await fresh.all();
    expect(arrived).toHaveLength(length);
    expect((await fresh.answerTo(WHOLE_LIST)).exchange).toEqual(client.log.ofRow(WHOLE_LIST).at(-1));
    expect(fresh.known.additions().map(({ animal }) => animal.id)).toEqual(
      performer.known.additions().map(({ animal }) => animal.id),
    );
  });
});

test('a new performer continues after an earlier one', async () => {
  await withStore({}, async ({ performer, client, again }) => {
    await performer.answerTo(FIRST_LOOK_UP);
    await again().all();
    const sent = sentRows(client.log.all().length > 0 ? again().client : client);
    expect(sent.filter((row, i) => sent.indexOf(row) !== i)).toEqual([]);
    expect(sent).toContain(WHOLE_LIST);
  });
});

test('reading one row sends it and the rows before it, and no later one', async () => {
  await withStore({}, async ({ performer, client }) => {
    await performer.answerTo(FILTERED_LIST);
    const sent = sentRows(client);
    expect(sent).toContain(FILTERED_LIST);
    const stage = makePlan({ isThorough: false }).findIndex((each) =>
      each.rows.some(({ name }) => name === FILTERED_LIST),
    );
    const allowed: readonly string[] = makePlan({ isThorough: false })
      .slice(0, stage + 1)
      .flatMap((each) => each.rows.map(({ name }) => name));
    expect(sent.filter((row) => !allowed.includes(row))).toEqual([]);
  });
});

test('a selection of requirements sends only its rows and those that they need', async () => {
  await withStore({ options: { selected: ['get.unknown', 'orders.exists'] } }, async ({ performer, client }) => {
    await performer.all();
    const wanted: ReadonlySet<string> = selectRows(makePlan({ isThorough: false }), {
      requirements: ['get.unknown', 'orders.exists'],
    });
    expect(sentRows(client).filter((row) => !wanted.has(row))).toEqual([]);
    expect(sentRows(client)).toContain(ORDERS_LOWER_CASE);
  });
  await withStore({ options: { selected: ['service.base-path'] } }, async ({ performer, arrived }) => {
    await performer.all();
    expect(arrived).toEqual([]);
    // A row that is read is sent nevertheless.
    expect((await performer.answerTo('GET /pets?limit={maximum}, before anything is added')).status).toBe(200);
  });
});

test('an unknown row is an error of the suite', async () => {
  await withStore({}, async ({ performer, arrived }) => {
    await expect(performer.answerTo('GET /pets: nothing of the kind')).rejects.toThrow('the plan has no row');
    expect(arrived).toEqual([]);
  });
});

test('a row without its condition is skipped with the reason', async () => {
  await withStore({}, async ({ performer }) => {
    const why = await performer.answerTo('GET /store/orders').catch((error: unknown) => error);
    expect(why).toBeInstanceOf(NotJudged);
    expect(why).toMatchObject({ outcome: 'untested', code: 'unsuspicious' });
  });
});

test('READ_ONLY=1 sends only GET and HEAD, and writing rows are untested', async () => {
  await withStore({ stock: 3, options: { readOnly: true } }, async ({ performer, arrived }) => {
    await performer.all();
    expect(arrived.filter((line) => !/^(GET|HEAD) /.test(line))).toEqual([]);
    expect(arrived).toContain('HEAD /pets');
    const why = await performer.answerTo(PLAIN).catch((error: unknown) => error);
    expect(why).toMatchObject({ outcome: 'untested', code: 'readOnly' });
  });
});

test('READ_ONLY=1 gets a listed animal by its id', async () => {
  await withStore({ stock: 3, options: { readOnly: true } }, async ({ performer }) => {
    expect((await performer.answerTo(FIRST_LOOK_UP)).animal?.id).toBe('1');
  });
});

const failing =
  (isDown: (nth: number) => boolean): NonNullable<Given['hook']> =>
  async (request, reply) => {
    if (!request.url.endsWith('/store/orders')) return;
    const counted = request.server as unknown as { orders?: number };
    counted.orders = (counted.orders ?? 0) + 1;
    if (isDown(counted.orders)) return reply.code(503).send();
  };

test('a 5xx is retried once, and the second response counts', async () => {
  await withStore({ hook: failing((nth) => nth === 1) }, async ({ performer, client }) => {
    const answer = await performer.answerTo(ORDERS_LOWER_CASE);
    expect([answer.status, answer.isOutage]).toEqual([200, false]);
    expect(client.log.ofRow(ORDERS_LOWER_CASE).map(({ response }) => response?.status)).toEqual([503, 200]);
  });
});

test('an operation is abandoned after two useless retries', async () => {
  await withStore({ hook: failing(() => true) }, async ({ performer, client }) => {
    await performer.all();
    const own = client.log.all().filter(({ purpose }) => purpose.operation === 'listOrders');
    const perRow = [...new Set(own.map(({ row }) => row))].map((row) => own.filter((each) => each.row === row).length);
    expect(perRow.slice(0, 2)).toEqual([2, 2]);
    expect(new Set(perRow.slice(2))).toEqual(new Set([1]));
    expect(perRow.length).toBeGreaterThan(3);
    // An operation with only 5xx cannot be judged.
    expect((await performer.answerTo(ORDERS_LOWER_CASE)).isOutage).toBe(true);
    expect((await performer.answerTo(WHOLE_LIST)).isOutage).toBe(false);
  });
});

test('an intermittent failure is retried each time', async () => {
  await withStore({ hook: failing((nth) => nth % 2 === 1) }, async ({ performer, client }) => {
    await performer.all();
    const own = client.log.all().filter(({ purpose }) => purpose.operation === 'listOrders');
    const last = new Map(own.map(({ row, response }) => [row, response?.status]));
    expect([...last.values()].filter((status) => status === 503)).toEqual([]);
    expect((await performer.answerTo(ORDERS_LOWER_CASE)).isOutage).toBe(false);
  });
});

test('a refused valid key is retried, a wrong one is not', async () => {
  const refusing: Given['hook'] = async (request, reply) =>
    /limit=100$/.test(request.url) ? reply.code(401).send() : undefined;
  await withStore({ hook: refusing }, async ({ performer, client }) => {
    await performer.all();
    expect(client.log.ofRow('GET /pets?limit={maximum}, before anything is added')).toHaveLength(2);
    expect(client.log.ofRow('GET /store/orders: without a key')).toHaveLength(1);
  });
});

test('an addition without a response is not retried', async () => {
  const cutting: Given['hook'] = async (request) => {
    if (request.method === 'POST') request.raw.socket.destroy();
  };
  await withStore({ hook: cutting }, async ({ performer, client, arrived }) => {
    const answer = await performer.answerTo(PLAIN);
    expect(answer.exchange.failure?.kind).toBe('closed');
    expect(client.log.ofRow(PLAIN)).toHaveLength(1);
    // First the malformed body, then the duplicates, each once.
    expect(arrived.filter((line) => line === 'POST /pets')).toHaveLength(
      sentRows(client).filter((row) => rowNamed(row).method === 'POST').length,
    );
  });
});

test('an addition that times out is sent once, and a hanging operation gets no more requests', async () => {
  const hanging: Given['hook'] = async (request) => (request.method === 'POST' ? sleep(20_000) : undefined);
  await withStore({ hook: hanging }, async ({ client, again, arrived }) => {
    // As after an earlier timeout: the next one is shorter.
    client.log.add(exchange({ number: 0, operation: 'listOrders', failure: TIMEOUT }));
    const performer = again();
    await performer.answerTo(PLAIN);
    const own = performer.client.log.all().filter(({ purpose }) => purpose.operation === 'addPet');
    expect(new Set(own.map(({ row }) => row)).size).toBe(own.length);
    expect(arrived.filter((line) => line === 'POST /pets')).toHaveLength(own.length);
    const why = await performer
      .answerTo('POST /pets with a name of digits and categoryId 2^53 + 1')
      .catch((error: unknown) => error);
    expect(why).toBeInstanceOf(Undecided);
    expect(arrived.filter((line) => line === 'POST /pets')).toHaveLength(own.length);
  });
});

test('a lagging answer is polled for a few seconds, once for each operation', async () => {
  await withStore({ apply: (service) => (service.find = () => undefined) }, async ({ performer, client }) => {
    const start = Date.now();
    await performer.all();
    expect(Date.now() - start).toBeGreaterThan(5400);
    expect(Date.now() - start).toBeLessThan(12_000);
    expect(client.log.ofRow(FIRST_LOOK_UP)).toHaveLength(5);
    const others = client.log
      .all()
      .filter(({ row, purpose }) => purpose.operation === 'getPet' && row !== FIRST_LOOK_UP);
    expect(others.map(({ row }) => row).filter((row, i, all) => all.indexOf(row) !== i)).toEqual([]);
  });
});

test('lists are polled for animals of this run although those of others are gone', async () => {
  const born = new Map<bigint, number>();
  const apply = (service: Service): void => {
    stockUp(service, 6);
    const [store, matches] = [service.store.bind(service), service.matches.bind(service)];
    service.store = (...args) => {
      // Another client removes its animals; lists lag.
      for (const [id] of service.pets) if (!born.has(id)) service.pets.delete(id);
      const pet = store(...args);
      born.set(pet.id, Date.now());
      return pet;
    };
    service.matches = (pet, status) => Date.now() - (born.get(pet.id) ?? 0) >= 600 && matches(pet, status);
  };
  await withStore({ apply }, async ({ performer, client }) => {
    await performer.all();
    const ids = performer.known.additions().map(({ animal }) => animal.id);
    const shown = (performer.known.answer(WHOLE_LIST)?.animals ?? []).map(({ id }) => id);
    expect(ids.filter((id) => !shown.includes(id))).toEqual([]);
    expect(client.log.ofRow('GET /pets?limit={minimum + 1}&status={second}')).toHaveLength(5);
  });
});

test('a lagging answer that cannot be polled is not judged', async () => {
  const limitedByLookUp = (service: Service): void => {
    service.find = () => {
      service.limitOf = () => 1;
      return undefined;
    };
  };
  await withStore({ apply: limitedByLookUp }, async ({ performer, client }) => {
    const why = await performer.answerTo(FIRST_LOOK_UP).catch((error: unknown) => error);
    expect(why).toBeInstanceOf(Undecided);
    expect(client.log.ofRow(FIRST_LOOK_UP)[0]?.response?.status).toBe(404);
  });
});

test('Reset is read once more after a second if Remaining rises', async () => {
  const waits: number[] = [];
  const options = { rest: async (ms: number) => void waits.push(ms) };
  const rising = (service: Service): void => {
    const count = service.count.bind(service);
    let remaining = 100;
    service.count = (...args) => ({ ...count(...args), remaining: (remaining += 1) });
  };
  await withStore({ apply: rising, options }, async ({ performer, client }) => {
    // Few requests, since a run that takes seconds shows whether Reset moves.
    await performer.answerTo(PLAIN);
    await performer.answerTo(RESET_AGAIN);
    expect(sentRows(client).at(-1)).toBe(RESET_AGAIN);
    expect(waits.at(-1)).toBeGreaterThan(1000);
  });
  await withStore({}, async ({ performer, client }) => {
    await performer.all();
    expect(sentRows(client)).not.toContain(RESET_AGAIN);
    await expect(performer.answerTo(RESET_AGAIN)).rejects.toThrow('X-RateLimit-Remaining did not rise');
  });
});

test('a lagging answer is the last one', async () => {
  const added = new Map<bigint, number>();
  const lagging = (service: Service): void => {
    const [find, store] = [service.find.bind(service), service.store.bind(service)];
    service.store = (...args) => {
      const pet = store(...args);
      added.set(pet.id, Date.now());
      return pet;
    };
    service.find = (text) => {
      const pet = find(text);
      return pet && Date.now() - (added.get(pet.id) ?? 0) > 300 ? pet : undefined;
    };
  };
  const waits: number[] = [];
  const given = { apply: lagging, options: { onWait: (ms: number) => void waits.push(ms) } };
  await withStore(given, async ({ performer }) => {
    expect((await performer.answerTo(FIRST_LOOK_UP)).status).toBe(200);
    expect(waits.every((ms) => ms > 0)).toBe(true);
  });
});

test.describe('requests in flight', () => {
  for (const [ms, count] of [
    [5, 1],
    [25, 1],
    [26, 8],
    [500, 8],
    [1000, 4],
    [3000, 1],
    [9000, 1],
  ] as const)
    test(`${count} after answers within ${ms} ms`, () => expect(countAtOnce([ms, ms, ms])).toBe(count));

  test('the median answer decides', () => {
    expect(countAtOnce([5, 60, 9000])).toBe(8);
    expect(countAtOnce([])).toBe(1);
  });

  test('one after an addition was refused while another one was in flight', async () => {
    let isBusy = false;
    const locked: Given['hook'] = async (request, reply) => {
      if (request.method !== 'POST') return undefined;
      if (isBusy) return reply.code(409).send();
      isBusy = true;
      await sleep(60);
      isBusy = false;
      return undefined;
    };
    await withStore({ hook: locked, stock: 63 }, async ({ performer, client }) => {
      await performer.all();
      const refused = client.log.all().filter(({ response }) => response?.status === 409);
      // Two additions are sent at the same moment to any target.
      expect(refused.length).toBeGreaterThan(0);
      expect(refused.filter(({ row }) => !/^POST \/pets($|, .+ at the same moment$)/.test(row))).toEqual([]);
    });
  });

  test('several after a name was rejected that a target may reject', async () => {
    const slowAscii: Given['hook'] = async (request, reply) => {
      await sleep(60);
      return request.method === 'POST' && /[^ -~]/.test(String(request.body))
        ? reply.code(400).send({ status: 400, code: 'name', message: 'The name has to be ASCII' })
        : undefined;
    };
    await withStore({ hook: slowAscii }, async ({ performer, client, most }) => {
      await performer.all();
      expect(client.log.ofRow('POST /pets with accents in its name')[0]?.response?.status).toBe(400);
      expect(most()).toBe(8);
    });
  });

  test('one after a 429 to one of several', async () => {
    let [asked, now] = [0, 0];
    const limited: Given['hook'] = async (_request, reply) => {
      now += 1;
      await sleep(60);
      const isRefused = now > 5;
      now -= 1;
      asked += Number(isRefused);
      return isRefused ? reply.code(429).header('Retry-After', '0').send() : undefined;
    };
    await withStore({ hook: limited, stock: 63 }, async ({ performer, client }) => {
      await performer.all();
      const all = client.log.all();
      const refused = all.findIndex(({ response }) => response?.status === 429);
      expect(asked).toBeGreaterThan(0);
      expect(asked).toBeLessThan(8);
      // Those in flight at the refusal are answered, and retried.
      expect(all.slice(refused + 16).filter(({ parallel }) => parallel)).toEqual([]);
    });
  });
});

test.describe('on a slow line', () => {
  const slow: Given['hook'] = () => sleep(60);

  test('independent requests are sent together, at most eight', async () => {
    await withStore({ hook: slow }, async ({ performer, client, most }) => {
      await performer.all();
      expect(most()).toBe(8);
      expect(tooEarly(client.log.all())).toEqual([]);
      const sent = sentRows(client);
      expect(sent).toEqual(names.filter((name) => sent.includes(name)));
    });
  });

  test('a skipped row does not count among the eight', async () => {
    await withStore({ hook: slow }, async ({ performer, client }) => {
      await performer.all();
      const lists: readonly string[] =
        performer.stages.find(({ title }) => title === 'lists')?.rows.map(({ name }) => name) ?? [];
      const sent = client.log.all().filter(({ row }) => lists.includes(row));
      expect(sent.length).toBeLessThan(lists.length);
      const waves = sent.filter(({ at }, i) => at - (sent[i - 1]?.at ?? 0) > 30);
      expect(waves).toHaveLength(Math.ceil(sent.length / 8));
    });
  });

  test('a request that may see an addition is not sent together with it', async () => {
    await withStore({ hook: slow }, async ({ performer, client }) => {
      await performer.all();
      const withKey = client.log.all().filter(({ credential }) => credential === 'key');
      const overlap = 20;
      const together = withKey.map((one) =>
        withKey.filter(({ at, ms }) => at + overlap < one.at + one.ms && one.at + overlap < at + ms),
      );
      const kinds = together.map((each) => new Set(each.map(({ purpose }) => purpose.operation === 'addPet')).size);
      expect(Math.max(...together.map(({ length }) => length))).toBeGreaterThan(4);
      expect(Math.max(...kinds)).toBe(1);
    });
  });

  test('a stage with a judged order is sent one by one', async () => {
    await withStore({ hook: slow }, async ({ performer, client }) => {
      await performer.all();
      const oneByOne = new Set<string>(
        makePlan({ isThorough: false })
          .filter(({ together }) => together === 'one by one')
          .flatMap((stage) => stage.rows.map(({ name }) => name)),
      );
      expect(client.log.all().filter(({ row, parallel }) => parallel && oneByOne.has(row))).toEqual([]);
      expect(client.log.all().some(({ parallel }) => parallel)).toBe(true);
    });
  });

  test('requests are sent one by one after a response of a gateway', async () => {
    let asked = 0;
    const confused: Given['hook'] = async (request, reply) => {
      await sleep(60);
      if (request.method === 'POST' && (asked += 1) === 12) return reply.code(502).send();
    };
    await withStore({ hook: confused, stock: 63 }, async ({ performer, client }) => {
      await performer.all();
      const all = client.log.all();
      const failed = all.findIndex(({ response }) => response?.status === 502);
      expect(failed).toBeGreaterThan(0);
      expect(all.slice(failed + 5).filter(({ parallel }) => parallel)).toEqual([]);
    });
  });

  test('requests are sent one by one near the limit', async () => {
    const near = (service: Service): void => {
      service.rateHeaders = ({ limit, reset }) => ({
        'X-RateLimit-Limit': String(limit),
        'X-RateLimit-Remaining': '15',
        'X-RateLimit-Reset': String(reset),
      });
    };
    await withStore({ apply: near, hook: slow, stock: 63 }, async ({ performer, most }) => {
      await performer.answerTo(FIRST_LOOK_UP);
      // Only duplicates are added at the same moment.
      expect(most()).toBe(2);
    });
  });
});
