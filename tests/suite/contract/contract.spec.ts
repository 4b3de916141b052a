/** A second contract is judged without new code: a service that implements it conforms, and each fault in it is found. */
import { expect } from '@playwright/test';
import type { RequirementId } from '../../../fixtures/contract/requirements.ts';
import { type Apply, changeBody, changeReply, EMPTY, is } from '../../../fixtures/reference/defects/defect.ts';
import { makeError, present, type Which, without, wrapOf } from '../../../fixtures/reference/defects/defect.ts';
import { startReference } from '../../../fixtures/reference/main.ts';
import { type Incoming, Service } from '../../../fixtures/reference/service.ts';
import { births } from '../../../fixtures/reference/variants/store.ts';
import type { ConformanceReport } from '../../../fixtures/report/model/report.ts';
import type { Environment } from '../../../fixtures/settings/table.ts';
import { readFile, testBy } from './given.ts';
import { type SecondPet, SecondService } from './service.ts';

/** Judges a service in this process. @param selected the only requirements to send requests for. */
type Judge = (service: Service, env?: Environment, selected?: readonly RequirementId[]) => Promise<ConformanceReport>;

const KEY = 'Second-Business-Key';
const TRIAL = { key: 'Second-Trial-Key', limit: 20, windowMs: 2000 };

const test = testBy(readFile('tests/suite/contract/second.yaml')).extend<object, { judge: Judge }>({
  judge: [
    async ({ contract: _ }, use) => {
      const { judgeServer } = await import('../../../fixtures/quick.ts');
      const { properties } = await import('../../properties/index.ts');
      await use(async (service, more, selected) => {
        const { baseUrl, close } = await startReference({ service });
        const env = { BASE_URL: baseUrl, API_KEY: KEY, THROTTLING: 'off', ...more };
        const { report } = await judgeServer(properties, env, selected ? { selected } : {});
        await close();
        return report;
      });
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

/** Modules of the suite read the contract, so that the one of `proof/judged.ts` cannot be imported here. */
const idsOf = ({ requirements }: ConformanceReport, outcome: string): string[] =>
  requirements.flatMap((each) => (each.outcome === outcome ? each.id : []));

/** The operations at which a requirement has an outcome, in order. */
const operationsOf = ({ requirements }: ConformanceReport, id: RequirementId, outcome: string): unknown[] =>
  (requirements.find((each) => each.id === id)?.cases ?? [])
    .filter((each) => each.outcome === outcome)
    .map(({ operation }) => operation)
    .sort();

type Requirements = { requirements: { id: RequirementId; derived?: true }[] };
const DERIVED = (readFile('spec/requirements.yaml') as Requirements).requirements.flatMap(({ id, derived }) =>
  derived && id !== 'service.valid-request' ? id : [],
);

const by =
  (method: string): Which =>
  (request) =>
    request.method === method && /^\/pets\/[^/]+$/.test(request.path);
const isPrice: Which = ({ path }) => path.endsWith('/price');
const hasNoKey: Which = ({ headers }) => headers.authorization === undefined;

const PUT = { to: by('PUT'), status: 200 };
const PRICE = { to: isPrice, status: 200 };

const wrap = wrapOf<SecondService>();

const admit = (...all: readonly Which[]) =>
  wrap('keyOf', (keyOf) => (request) => keyOf(request) ?? (all.every((which) => which(request)) ? KEY : undefined));

/** Acts before the key is checked; a Problem that it throws is the response. */
const checkFirst = (which: Which, check: (service: SecondService, request: Incoming) => unknown) =>
  wrap('unauthorized', (refuse, service) => (request) => {
    if (which(request)) check(service, request);
    return refuse(request);
  });

/** Stores another animal than the one that is answered. */
const keepAs = (method: string, kept: (pet: SecondPet, before: SecondPet) => SecondPet) =>
  wrap('keep', (keep, service) => (pet, sentBy) => {
    const before = service.pets.get(pet.id) as SecondPet;
    const reply = keep(pet, sentBy);
    if (sentBy === method) service.pets.set(pet.id, kept(pet, before));
    return reply;
  });

const readBody = (service: SecondService, request: Incoming): unknown => service.newPet(service.readBody(request));

/** Each line is a service with a fault at each operation: these fail, and no other one. The result of a PUT is read by GET. */
// prettier-ignore
const FAULTS: readonly (readonly [RequirementId, Record<string, Apply>, stock?: number])[] = [
  ['service.valid-request', { deletePet: changeReply({ to: by('DELETE'), status: 204 }, makeError(405)), replacePet: changeReply(PUT, { ...EMPTY, status: 201 }) }],
  ['service.unknown-id', { deletePet: changeReply({ to: by('DELETE'), status: 404 }, { ...EMPTY, status: 204 }), getPrice: changeReply({ to: isPrice, status: 404 }, makeError(400)) }],
  ['service.filter', { listPets: wrap('isNamed', () => () => true) }],
  ['service.filter', { listPets: wrap('isNamed', (isNamed) => (pet, name) => isNamed(pet, name?.toUpperCase())) }],
  ['service.echo', { replacePet: changeBody(PUT, (pet) => ({ ...pet, name: 'another' })), changePet: changeBody({ to: by('PATCH'), status: 200 }, (pet) => ({ ...pet, weight: 9000 })) }],
  ['service.changes', { getPet: keepAs('PUT', (_pet, before) => before) }],
  ['service.changes', { getPet: keepAs('PUT', (pet, { weight }) => ({ ...pet, weight })) }],
  ['service.changes', { getPet: keepAs('PATCH', (_pet, before) => before) }],
  ['service.changes', { getPet: wrap('deletePet', () => () => ({ status: 204, headers: {} })) }],
  ['service.headers', { getPrice: changeReply(PRICE, { headers: { 'X-Valid-Until': '' } }) }],
  ['service.headers', { getPrice: changeReply(PRICE, { headers: { 'X-Valid-Until': 'tomorrow' } }) }],
  ['service.schema', { getPrice: changeBody(PRICE, () => ({ amount: '25' })) }],
  ['service.schema', { getPrice: changeBody(PRICE, () => ({})) }],
  ['service.invalid-body', { addPet: changeReply({ to: is.add, status: 400 }, { status: 422 }), replacePet: changeReply({ to: by('PUT'), status: 400 }, { ...EMPTY, status: 422 }) }],
  ['service.invalid-body', { addPhoto: wrap('addPhoto', (add) => (request) => add({ ...request, body: request.body.replace(',"conformance-unknown":1', '') })), changePet: wrap('changePet', (change) => (request) => change({ ...request, body: request.body.replace('"weight":0', '"weight":1') })) }],
  ['auth.missing', { deletePet: admit(by('DELETE'), hasNoKey), replacePet: changeReply({ to: by('PUT'), status: 401 }, makeError(403)) }],
  ['auth.invalid', { replacePet: admit(by('PUT'), ({ headers }) => headers.authorization !== undefined) }],
  ['auth.first', { replacePet: checkFirst(by('PUT'), readBody), getPrice: checkFirst(isPrice, (service, request) => service.findPet(request)) }],
  ['service.no-server-error', { getPrice: changeReply({ to: isPrice, status: 404 }, makeError(500)) }],
  ['pets.schema', { listPets: present('list', (pet) => without(pet, 'weight')) }],
  ['pet.schema', { addPet: present('add', (pet) => without(pet, 'weight')) }],
  ['add.created', { addPet: wrap('readStatus', (_read, service) => (body) => Service.prototype.readStatus.call(service, body)) }],
  ['list.limit.maximum', { listPets: wrap('readLimit', (read) => (text) => read(text === '50' ? '51' : text)) }],
  ['list.limit.never-above-maximum', { listPets: wrap('readLimit', (_read, service) => (text) => Service.prototype.readLimit.call(service, text)) }, 60],
];

// One worker, since each would read the contract.
test.describe.configure({ mode: 'default' });

test('a service that implements it conforms, and the contract is named', async ({ contract }, info) => {
  const { REPORTER, suite } = await import('../gate/spawn.ts');
  const { baseUrl, close } = await startReference({ service: createSecond() });
  const throttled = { THROTTLING: 'auto', THROTTLE_API_KEY: TRIAL.key, MAX_WAIT: '20', PLAN: 'business' };
  const env = { BASE_URL: baseUrl, API_KEY: KEY, ...throttled };
  const ended = await suite(info.outputPath(), env, REPORTER);
  await close();
  const report = ended.report();
  expect(idsOf(report, 'failed'), ended.text).toEqual([]);
  expect(idsOf(report, 'passed')).toEqual(expect.arrayContaining(DERIVED));
  expect(report.contract.file).toBe(contract);
  expect(report.again).toContain(`CONTRACT=${contract}`);
  for (const text of [ended.text, ...['index.html', 'summary.md'].map(ended.file)]) expect(text).toContain(contract);
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
  for (const { id } of before) service.photos.add(`/pets/${id}/photos/1`);
  const report = await judge(service);
  expect(idsOf(report, 'failed')).toEqual([]);
  expect([...service.pets.values()].slice(0, 5)).toEqual(before);
  expect([...service.photos]).toEqual(before.map(({ id }) => `/pets/${id}/photos/1`));
  const written = service.asked.filter(({ method }) => ['PUT', 'PATCH', 'DELETE'].includes(method));
  expect(written.length).toBeGreaterThan(10);
  expect(written).not.toContainEqual(expect.objectContaining({ method: 'DELETE', path: '/pets' }));
  for (const { id } of before) expect(written.map(({ path }) => path)).not.toContain(`/pets/${id}`);
  // Without a key, and with an unknown id: no operation adds an order that a run may cancel.
  const orders = written.flatMap(({ path }) => /^\/store\/orders\/(\d+)$/.exec(path)?.[1] ?? []);
  expect(orders.length).toBeGreaterThanOrEqual(2);
  expect(orders.filter((id) => BigInt(id) < 2n ** 61n)).toEqual([]);
  expect(operationsOf(report, 'service.valid-request', 'untested')).toEqual(['cancelOrder', 'removePets']);
});

test('a list that lags is asked for again, and ids of removed animals may be assigned again', async ({ judge }) => {
  const service = createSecond();
  const born = births(service);
  wrap('isNamed', (isNamed) => (pet, name) => {
    const isNew = Date.now() - (born.get(pet.id) ?? 0) < 700;
    return isNamed(pet, name) && !(isNew && name !== undefined);
  })(service);
  const findFree = (ids: bigint[]) => ids.map((id) => id + 1n).find((id) => !ids.includes(id));
  service.nextId = () => findFree([0n, ...service.pets.keys()]) ?? 0n;
  const report = await judge(service, { DEPTH: 'thorough' });
  expect(idsOf(report, 'failed')).toEqual([]);
  expect(idsOf(report, 'passed')).toContain('service.filter');
});

for (const [i, [breaks, faults, stock]] of FAULTS.entries()) {
  test(`${breaks} is violated by service ${i + 1}, at ${Object.keys(faults).join(' and ')}`, async ({ judge }) => {
    const service = createSecond(stock);
    for (const apply of Object.values(faults)) apply(service);
    const report = await judge(service, {}, [breaks]);
    expect(report.errors).toEqual([]);
    expect(operationsOf(report, breaks, 'failed')).toEqual(Object.keys(faults).sort());
  });
}
