/** A second contract is judged without new code: a service that implements it conforms, and each fault in it is found. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test as base } from '@playwright/test';
import { dump, load } from 'js-yaml';
import type { RequirementId } from '../../../fixtures/contract/requirements.ts';
import {
  answerEmpty,
  answerError,
  type Apply,
  changeBody,
  changeHeaders,
  changeReply,
  present,
  type Which,
  without,
} from '../../../fixtures/reference/defects/defect.ts';
import { createServer } from '../../../fixtures/reference/server.ts';
import { type Incoming, Service } from '../../../fixtures/reference/service.ts';
import { births } from '../../../fixtures/reference/variants/store.ts';
import type { ConformanceReport } from '../../../fixtures/report/model/report.ts';
import type { Ended } from '../gate/spawn.ts';
import { SECOND_ROUTES, type SecondPet, SecondService } from './service.ts';

type Settings = Record<string, string>;

interface Judges {
  contract: string;
  /** Judges a service in this process. */
  judge: (service: Service, settings?: Settings, selected?: readonly RequirementId[]) => Promise<ConformanceReport>;
  /** The same by Playwright. */
  judgeByPlaywright: (service: Service, settings?: Settings) => Promise<Ended>;
}

const ROOT = join(import.meta.dirname, '../../..');
const KEY = 'Second-Business-Key';
const TRIAL = { key: 'Second-Trial-Key', limit: 20, windowMs: 2000 };

/** Adds to a document: objects are merged, and anything else is replaced. */
function merge(document: unknown, addition: unknown): unknown {
  const isObject = (value: unknown): value is object =>
    typeof value === 'object' && value !== null && !Array.isArray(value);
  if (!isObject(document) || !isObject(addition)) return addition;
  const before = document as Record<string, unknown>;
  return { ...before, ...Object.fromEntries(Object.entries(addition).map(([k, v]) => [k, merge(before[k], v)])) };
}

const read = (path: string): unknown => load(readFileSync(join(ROOT, path), 'utf8'));

async function serve(service: Service): Promise<{ settings: Settings; close: () => Promise<unknown> }> {
  const server = service instanceof SecondService ? createServer(service, '/v1', SECOND_ROUTES) : createServer(service);
  await server.listen({ port: 0, host: '127.0.0.1' });
  const { port } = server.server.address() as AddressInfo;
  return {
    settings: { BASE_URL: `http://127.0.0.1:${port}/v1`, API_KEY: KEY, THROTTLING: 'off' },
    close: () => server.close(),
  };
}

/** The contract is read when its modules are imported: a worker of these tests imports them by the second one. */
const test = base.extend<object, Judges>({
  contract: [
    async ({}, use) => {
      const directory = mkdtempSync(join(tmpdir(), 'contract-'));
      const path = join(directory, 'openapi.yaml');
      writeFileSync(path, dump(merge(read('spec/openapi.yaml'), read('tests/suite/contract/second.yaml'))));
      process.env.CONTRACT = path;
      await use(path);
      rmSync(directory, { recursive: true });
    },
    { scope: 'worker' },
  ],
  judge: [
    async ({ contract: _ }, use) => {
      const { judgeServer } = await import('../../../fixtures/quick.ts');
      const { cases, judgeTrace } = await import('../../properties/index.ts');
      await use(async (service, more, selected) => {
        const { settings, close } = await serve(service);
        const options = selected ? { selected } : {};
        const { report } = await judgeServer({ cases, judgeTrace }, { ...settings, ...more }, options);
        await close();
        return report;
      });
    },
    { scope: 'worker' },
  ],
  judgeByPlaywright: [
    async ({ contract: _ }, use) => {
      const { folder, REPORTER, suite } = await import('../gate/spawn.ts');
      const { directory, remove } = folder();
      await use(async (service, more) => {
        const { settings, close } = await serve(service);
        const ended = await suite(directory, { ...settings, ...more }, REPORTER);
        await close();
        return ended;
      });
      remove();
    },
    { scope: 'worker' },
  ],
});

function createSecond(stock = 0): SecondService {
  const service = new SecondService({ keys: { [KEY]: 'business' }, windowMs: 60_000, trial: TRIAL });
  for (let i = 1; i <= stock; i += 1) {
    const others = { name: `Another client's ${i}`, categoryId: 2n, status: 'sold', weight: 7n } as const;
    const pet: SecondPet = { id: service.nextId(), ...others };
    service.pets.set(pet.id, pet);
  }
  return service;
}

const idsOf = ({ requirements }: ConformanceReport, outcome: string): string[] =>
  requirements.filter((requirement) => requirement.outcome === outcome).map(({ id }) => id);

/** The operations at which a requirement has an outcome, in order. */
const operationsOf = ({ requirements }: ConformanceReport, id: RequirementId, outcome: string): unknown[] =>
  (requirements.find((each) => each.id === id)?.cases ?? [])
    .filter((each) => each.outcome === outcome)
    .map(({ operation }) => operation)
    .sort();

const DERIVED = (
  read('spec/requirements.yaml') as { requirements: { id: RequirementId; derived?: true }[] }
).requirements
  .filter(({ derived }) => derived)
  .map(({ id }) => id);

const isPut: Which = ({ method }) => method === 'PUT';
const isPatch: Which = ({ method }) => method === 'PATCH';
const isDelete: Which = ({ method, path }) => method === 'DELETE' && path.startsWith('/pets/');
const isPrice: Which = ({ path }) => path.endsWith('/price');
const PUT = { to: isPut, status: 200 };
const PRICE = { to: isPrice, status: 200 };
const UNKNOWN_PRICE = { to: isPrice, status: 404 };

type Method = {
  [M in keyof SecondService]: SecondService[M] extends (...args: never[]) => unknown ? M : never;
}[keyof SecondService];

/** Replaces a method of the service, given what it was. */
const wrap =
  <M extends Method>(method: M, make: (before: SecondService[M], service: SecondService) => SecondService[M]): Apply =>
  (plain) => {
    const service = plain as SecondService;
    const before = service[method] as (...args: never[]) => unknown;
    service[method] = make(before.bind(service) as SecondService[M], service);
  };

const admit = (which: Which) =>
  wrap('keyOf', (keyOf) => (request) => keyOf(request) ?? (which(request) ? KEY : undefined));

/** Acts before the key is checked; a Problem that it throws is the response. */
const checkFirst = (which: Which, check: (service: SecondService, request: Incoming) => unknown) =>
  wrap('unauthorized', (refuse, service) => (request) => {
    if (which(request)) check(service, request);
    return refuse(request);
  });

/** Stores another animal than the one that is answered. */
const keepAs = (method: string, kept: (pet: SecondPet, before: SecondPet) => SecondPet) =>
  wrap('keep', (keep, service) => (pet, by) => {
    const before = service.pets.get(pet.id) as SecondPet;
    const reply = keep(pet, by);
    if (by === method) service.pets.set(pet.id, kept(pet, before));
    return reply;
  });

const refuseFirst = (service: SecondService, request: Incoming): unknown => service.newPet(service.readBody(request));

/** By operation: what is wrong with it. */
type Faults = Record<string, readonly [title: string, fault: Apply]>;

/** Each line is one service, whose faults have to be found under the requirement at exactly these operations. */
const FAULTS: readonly (readonly [RequirementId, Faults, stock?: number])[] = [
  [
    'service.valid-request',
    {
      deletePet: [
        'DELETE answers 200',
        changeReply({ to: isDelete, status: 204 }, (reply) => ({ ...reply, status: 200, body: {} })),
      ],
      replacePet: ['PUT is not routed', answerError(PUT, 405)],
    },
  ],
  [
    'service.unknown-id',
    {
      deletePet: ['DELETE answers 204 for an unknown animal', answerEmpty({ to: isDelete, status: 404 }, 204)],
      getPrice: [
        'an unknown animal has a price',
        changeReply(UNKNOWN_PRICE, (reply) => ({ ...reply, status: 200, body: { amount: 0 } })),
      ],
    },
  ],
  [
    'service.filter',
    { listPets: ['a text filter is ignored', wrap('isAsked', (is) => (pet, _name, size) => is(pet, undefined, size))] },
  ],
  [
    'service.filter',
    {
      listPets: [
        'an enumeration filter finds nothing',
        wrap('isAsked', (is) => (pet, name, size) => is(pet, name, size?.toUpperCase())),
      ],
    },
  ],
  [
    'service.echo',
    {
      replacePet: ['PUT answers without a new optional field', changeBody(PUT, (pet) => without(pet, 'size'))],
      changePet: [
        'PATCH answers with another weight',
        changeBody({ to: isPatch, status: 200 }, (pet) => ({ ...pet, weight: 9000 })),
      ],
    },
  ],
  [
    'service.changes',
    {
      replacePet: ['PUT does not store a new required field', keepAs('PUT', (pet, { weight }) => ({ ...pet, weight }))],
      changePet: ['PATCH removes fields that are not sent', keepAs('PATCH', ({ status: _, ...pet }) => pet)],
      deletePet: [
        'DELETE removes nothing',
        wrap('deletePet', (_remove, service) => (request) => ({
          status: service.findPet(request) && 204,
          headers: {},
        })),
      ],
    },
  ],
  [
    'service.changes',
    {
      replacePet: ['PUT stores nothing', keepAs('PUT', (_pet, before) => before)],
      changePet: ['PATCH stores nothing', keepAs('PATCH', (_pet, before) => before)],
    },
  ],
  ['service.headers', { getPrice: ['a required header is missing', changeHeaders(PRICE, { 'X-Valid-Until': '' })] }],
  [
    'service.headers',
    { getPrice: ['a header is not of its type', changeHeaders(PRICE, { 'X-Valid-Until': 'tomorrow' })] },
  ],
  ['service.schema', { getPrice: ['a number is a string', changeBody(PRICE, () => ({ amount: '25' }))] }],
  [
    'service.invalid-body',
    {
      addPet: [
        'POST accepts a body without the new required field',
        wrap('readWeight', (read) => (body) => (body.weight === undefined ? 1n : read(body))),
      ],
      replacePet: ['PUT answers 422', changeReply({ to: isPut, status: 400 }, (reply) => ({ ...reply, status: 422 }))],
    },
  ],
  [
    'service.invalid-body',
    {
      addPet: [
        'POST accepts a value beyond its bound',
        wrap('readWeight', (read) => (body) => (String(body.weight) === '0' ? 0n : read(body))),
      ],
    },
  ],
  [
    'auth.missing',
    {
      deletePet: ['DELETE requires no key', admit((request) => isDelete(request) && !request.headers.authorization)],
      replacePet: ['PUT answers 403 without a key', answerError({ to: isPut, status: 401 }, 403)],
    },
  ],
  [
    'auth.invalid',
    {
      replacePet: [
        'PUT accepts a key in any case',
        admit(
          (request) => isPut(request) && request.headers.authorization?.toLowerCase() === `bearer ${KEY.toLowerCase()}`,
        ),
      ],
    },
  ],
  [
    'auth.first',
    {
      replacePet: ['PUT checks the body before the key', checkFirst(isPut, refuseFirst)],
      getPrice: [
        'a price is looked up before the key is checked',
        checkFirst(isPrice, (service, request) => service.findPet(request)),
      ],
    },
  ],
  [
    'service.no-server-error',
    {
      replacePet: [
        'PUT fails if the body is malformed',
        wrap('parseBody', () => (text) => JSON.parse(text) as unknown),
      ],
    },
  ],
  [
    'pet.schema',
    {
      addPet: [
        'an addition is answered without the new required field',
        present('presentAdded', (pet) => without(pet, 'weight')),
      ],
    },
  ],
  [
    'add.created',
    {
      addPet: [
        'the new status is refused',
        wrap('readStatus', (_read, service) => (body) => Service.prototype.readStatus.call(service, body)),
      ],
    },
  ],
  [
    'list.limit.maximum',
    {
      listPets: [
        'the new maximum is refused',
        wrap('readLimit', (read) => (text) => read(text === '50' ? '51' : text)),
      ],
    },
  ],
  [
    'list.limit.never-above-maximum',
    {
      listPets: [
        'the old maximum is still accepted',
        wrap('readLimit', (_read, service) => (text) => Service.prototype.readLimit.call(service, text)),
      ],
    },
    60,
  ],
];

test.describe('By the second contract', () => {
  // One worker, since each would read the contract.
  test.describe.configure({ mode: 'default' });

  test('a service that implements it conforms, and the contract is named', async ({ judgeByPlaywright, contract }) => {
    const throttled = { THROTTLING: 'auto', THROTTLE_API_KEY: TRIAL.key, MAX_WAIT: '20', PLAN: 'business' };
    const ended = await judgeByPlaywright(createSecond(), throttled);
    const report = ended.report();
    expect(idsOf(report, 'failed'), ended.text).toEqual([]);
    expect(idsOf(report, 'passed')).toEqual(
      expect.arrayContaining(DERIVED.filter((id) => id !== 'service.valid-request')),
    );
    expect(report.contract.file).toBe(contract);
    expect(report.again).toContain(`CONTRACT=${contract}`);
    for (const text of [ended.text, ...['index.html', 'summary.md', 'junit.xml'].map(ended.file)])
      expect(text).toContain(contract);
  });

  test('a service that implements only the first one violates it', async ({ judge }) => {
    const report = await judge(new Service(createSecond().options));
    expect(report.errors).toEqual([]);
    expect(report.verdict).toBe('violates');
    expect(idsOf(report, 'failed')).toEqual(expect.arrayContaining(['service.valid-request', 'pet.schema']));
  });

  test('the run changes and removes only its own animals, and no orders', async ({ judge }) => {
    const service = createSecond(5);
    const before = structuredClone([...service.pets.values()]);
    const report = await judge(service);
    expect(idsOf(report, 'failed')).toEqual([]);
    expect([...service.pets.values()].slice(0, 5)).toEqual(before);
    const written = service.asked.filter(({ method }) => ['PUT', 'PATCH', 'DELETE'].includes(method));
    expect(written.length).toBeGreaterThan(10);
    for (const { id } of before) expect(written.map(({ path }) => path)).not.toContain(`/pets/${id}`);
    // Without a key, and with an unknown id: no operation adds an order that a run may cancel.
    const orders = written.flatMap(({ path }) => /^\/store\/orders\/(\d+)$/.exec(path)?.[1] ?? []);
    expect(orders.length).toBeGreaterThanOrEqual(2);
    expect(orders.filter((id) => BigInt(id) < 2n ** 61n)).toEqual([]);
    expect(operationsOf(report, 'service.valid-request', 'untested')).toEqual(['cancelOrder']);
  });

  test('READ_ONLY=1 sends nothing but GET and HEAD', async ({ judge }) => {
    const service = createSecond(5);
    const report = await judge(service, { READ_ONLY: '1' });
    expect([...new Set(service.asked.map(({ method }) => method))].sort()).toEqual(['GET', 'HEAD']);
    expect(idsOf(report, 'failed')).toEqual([]);
    expect(idsOf(report, 'untested')).toEqual(expect.arrayContaining(['service.changes', 'service.echo']));
    expect(idsOf(report, 'passed')).toContain('service.filter');
  });

  test('the run retries a list that lags behind an addition', async ({ judge }) => {
    const service = createSecond();
    const born = births(service);
    wrap('isAsked', (is) => (pet, name, size) => {
      const isNew = Date.now() - (born.get(pet.id) ?? 0) < 700;
      return is(pet, name, size) && !(isNew && name !== undefined);
    })(service);
    const report = await judge(service);
    expect(idsOf(report, 'failed')).toEqual([]);
    expect(idsOf(report, 'passed')).toContain('service.filter');
  });

  for (const [breaks, faults, stock] of FAULTS) {
    const titles = Object.values(faults).map(([title]) => title);
    test(`${breaks} is violated if ${titles.join(', and ')}`, async ({ judge }) => {
      const service = createSecond(stock);
      for (const [, apply] of Object.values(faults)) apply(service);
      const report = await judge(service, {}, [breaks]);
      expect(report.errors).toEqual([]);
      expect(operationsOf(report, breaks, 'failed')).toEqual(Object.keys(faults).sort());
    });
  }
});
