/** One cause, one problem: findings made up here, and runs against servers for which earlier reports were wrong. */
import { expect } from '@playwright/test';
import { HARMS, type RequirementId } from '../../../fixtures/contract/requirements.ts';
import { Step } from '../../../fixtures/trace/step.ts';
import { type Difference, difference } from '../../../fixtures/trace/finding.ts';
import { judgeServer } from '../../../fixtures/quick.ts';
import type { Problem } from '../../../fixtures/report/model/problems.ts';
import { showProblem } from '../../../fixtures/report/out/lines.ts';
import type { ConformanceReport } from '../../../fixtures/report/model/report.ts';
import type { TestOutcome } from '../../../fixtures/report/model/result.ts';
import { Problem as Refusal } from '../../../fixtures/reference/service.ts';
import type { Exchange } from '../../../fixtures/target/http/exchange.ts';
import { suite } from '../../properties/index.ts';
import { type Change, serve } from '../gate/spawn.ts';
import { error, exchange, type Given, pet, test } from '../unit/make.ts';
import { makeReport, testsWith } from './pages.ts';

type Failure = readonly [requirement: RequirementId, exchange: Exchange, ...differences: Difference[]];

const NO_NAME = '{"categoryId":1}';
const CATEGORY = '{"name":"Rex","categoryId":"x"}';
const refused = (sent: string, status = 422): Exchange =>
  exchange({ operation: 'addPet', sent, status, body: error(status) });
const accepted = (sent: string): Exchange => exchange({ operation: 'addPet', sent, status: 201, body: pet() });
const added = (): Exchange => accepted('{"name":"Rex","categoryId":1}');
const open = (operation: string, given: Given = {}): Exchange => exchange({ operation, credential: 'none', ...given });
const found = (id: string, given: Given = {}): Exchange => exchange({ operation: 'getPet', id, ...given });

const status = (actual: number, ...expected: (number | string)[]): Difference =>
  difference('wrong status', 'status', { expected, actual });
const changed = (field: string, how: 'lower case' | 'upper case' = 'lower case'): Difference =>
  difference('changed value', `/${field}`, { expected: '"Rex"', actual: '"rex"', change: { how } });
const missing = (field: string): Difference => difference('missing', `/${field}`, { actual: '{}' });
const noHeader = (name: string): Difference => difference('missing header', `header ${name}`);
const wrongHeader = (name: string): Difference =>
  difference('wrong header', `header ${name}`, { expected: 'a number', actual: 'x' });
const wrongType = (place: string): Difference =>
  difference('wrong type', place, { expected: 'integer', actual: '"1"' });

interface More {
  exchanges?: readonly Exchange[];
  of?: Partial<TestOutcome>;
  tests?: readonly TestOutcome[];
  waived?: readonly RequirementId[];
}

/** The problems of a run in which only these requirements failed, each judged on its exchange by default. */
function problems(
  failures: readonly Failure[],
  { exchanges = [], of = {}, tests = [], waived = [] }: More = {},
): Problem[] {
  const own = failures.map(([requirement, failed, ...differences], i): TestOutcome => {
    const [{ number }, operation] = [failed, new Step(failed).operation?.id ?? ''];
    return {
      ...{ requirement, operation, title: `case ${i}`, outcome: 'failed', exchanges: [number] },
      findings: [{ requirement, operation, exchanges: [number], differences }],
      ...{ affected: [number], judged: [number] },
      ...of,
    };
  });
  const all = [...new Set([...failures.map(([, made]) => made), ...exchanges])];
  const waivers = waived.map((requirement) => ({ requirement, reason: 'x', owner: 'y', expires: '2099-01-01' }));
  return makeReport(testsWith([...own, ...tests]), all, { waivers }).problems;
}

const same = exchange({ number: 7001 });

const NAME_422: Failure = ['add.name.required', refused(NO_NAME), status(422, 400)];

// prettier-ignore
const TOGETHER: [title: string, failures: readonly Failure[], pattern: RegExp, harm: string][] = [
  ['an undocumented refusal of several invalid values', [
    NAME_422,
    ['add.category.type', refused(CATEGORY), status(422, 400)],
  ], /^POST \/pets, name is missing; categoryId is "x": 422.*, 400 is specified \(2 of 2\)$/, 'status'],
  ['a body that is not JSON, with its media type', [
    ['service.json', exchange({ status: 404 }), difference('wrong media type', 'header Content-Type', { expected: 'application/json', actual: 'text/html' }), difference('not JSON', 'body', { actual: 'JSON value expected', detail: '<p>' })],
  ], /^GET \/pets: the body is not JSON/, 'status'],
  ['requests without a key that several operations serve', [
    ['auth.missing', open('listPets'), status(200, 401)],
    ['auth.missing', open('listOrders'), status(200, 401)],
  ], /^GET \/pets and GET \/store\/orders, without a key: 200, 401 is specified \(2 of 2\)$/, 'door'],
  ['the same change of the same field, on several operations', [
    ['add.echo', added(), changed('name')],
    ['add.persists', found('7'), changed('name')],
    ['list.shows-added', exchange(), changed('name')],
  ], /^GET \/pets, POST \/pets and GET \/pets\/\{petId\}: name comes back in lower case/, 'data'],
  ['several layers of one fault at one place, with the harm of the lowest', [
    ['pet.schema', same, wrongType('/categoryId')],
    ['list.shows-added', same, difference('changed value', '/categoryId', { expected: '1', actual: '"1"' })],
  ], /^GET \/pets: categoryId is "1", integer is specified/, 'status'],
  ['all faults of a response with a wrong status', [
    ['list.succeeds', same, status(206, 200)],
    ['pets.schema', same, missing('name')],
    ['list.limit.default', same, difference('too few animals', 'query limit', { expected: 20, actual: 2 })],
  ], /^GET \/pets: 206, 200 is specified/, 'refusal'],
];

for (const [title, failures, pattern, harm] of TOGETHER)
  test(`one problem: ${title}`, () => {
    const all = problems(failures);
    expect(all.map(({ title: own }) => own)).toEqual([expect.stringMatching(pattern)]);
    const [problem] = all as [Problem];
    expect(problem).toMatchObject({ list: 'gates', harm });
    expect(problem.requirements.toSorted()).toEqual([...new Set(failures.map(([id]) => id))].sort());
    expect(problem.findings).toHaveLength(failures.flatMap(([, , ...differences]) => differences).length);
  });

// prettier-ignore
const APART: [title: string, first: Failure, second: Failure][] = [
  ['accepted invalid values of two fields', ['add.name.required', accepted(NO_NAME), status(201, 400)], ['add.category.type', accepted(CATEGORY), status(201, 400)]],
  ['two fields of one answer, in two layers', ['pet.schema', same, wrongType('/categoryId')], ['list.shows-added', same, changed('name')]],
  ['two headers of one answer, each wrong by itself', ['rate.limit.value', same, wrongHeader('X-RateLimit-Limit')], ['rate.reset.value', same, wrongHeader('X-RateLimit-Reset')]],
  ['a wrong header of an answer whose status is wrong too', ['list.succeeds', same, status(206, 200)], ['rate.limit.value', same, wrongHeader('X-RateLimit-Limit')]],
  ['a recommendation and a requirement', NAME_422, ['add.unsupported-type', refused(NO_NAME), status(422, 415)]],
];

for (const [title, ...failures] of APART)
  test(`two problems: ${title}`, () => {
    const all = problems(failures);
    expect(all.flatMap(({ requirements }) => requirements).toSorted()).toEqual(failures.map(([id]) => id).toSorted());
    expect(new Set(all.map(({ title: own }) => own)).size).toBe(2);
  });

test('a hidden requirement could not be judged on what is broken, or names what is violated', () => {
  const unclear = (requirement: RequirementId, more: Partial<TestOutcome>): TestOutcome => ({
    ...{ requirement, title: 'x', outcome: 'cantTell', reason: 'the answer is not a list', exchanges: [] },
    ...more,
  });
  const tests = [
    unclear('list.limit.default', { exchanges: [same.number] }),
    unclear('list.status.only', { see: 'list.limit.caps' }),
    unclear('list.status.finds', { see: 'list.succeeds' }),
    unclear('list.limit.minimum', {}),
    // It does not gate.
    unclear('add.location', { see: 'list.limit.caps' }),
  ];
  const hidden = (...difference: Difference[]) =>
    problems([['list.limit.caps', same, ...difference]], { tests })[0]?.hides;
  expect(hidden(status(206, 200))?.toSorted()).toEqual(['list.limit.default', 'list.status.only']);
  // A header of the answer is in nobody's way.
  expect(hidden(wrongHeader('X-RateLimit-Limit'))).toEqual(['list.status.only']);
});

test('the example is the plainest request, with all that its response lacks', () => {
  const failures = [
    exchange({ credential: 'lower-case scheme' }),
    open('listPets'),
    exchange({ parallel: true }),
    exchange({ query: { limit: '5' } }),
    exchange(),
  ].map((each): Failure => ['rate.headers', each, noHeader('X-RateLimit-Limit'), noHeader('X-RateLimit-Reset')]);
  const [problem] = problems(failures) as [Problem];
  const plain = failures.at(-1)?.[1];
  expect(problem.findings[0]?.exchanges).toEqual([plain?.number]);
  const { received } = showProblem(problem, makeReport([], []));
  expect(received).toBe('no X-RateLimit-Limit; no X-RateLimit-Reset');
});

test('every value is named, below a title that can only count them', () => {
  const bodies = ['true', '1.5', 'null', '"a"', '9223372036854775808', '[]', '{}'].map((value) =>
    accepted(`{"name":"Rex","categoryId":${value}}`),
  );
  const all = problems(bodies.map((each): Failure => ['add.category.type', each, status(201, 400)]));
  expect(all.map(({ title }) => title)).toEqual([
    'POST /pets, 7 wrong values of categoryId: 201, 400 is specified (7 of 7)',
  ]);
  expect(showProblem(all[0] as Problem, makeReport([], [])).when).toBe(
    'categoryId is true, 1.5, null, "a", 9223372036854775808, an empty array or an empty object',
  );
  const few = problems(bodies.slice(0, 3).map((each): Failure => ['add.category.type', each, status(201, 400)]));
  expect(few[0]?.title).toBe('POST /pets, categoryId is true, 1.5 or null: 201, 400 is specified (3 of 3)');
  expect(showProblem(few[0] as Problem, makeReport([], [])).when).toBeUndefined();
});

test('problems that gate come first, then waived ones, then recommendations, each by harm', () => {
  const failures: Failure[] = [NAME_422, ['add.category.type', refused(CATEGORY), status(422, 400)]];
  expect(problems(failures, { waived: ['add.category.type'] }).map(({ list }) => list)).toEqual(['gates', 'waived']);
  const all = problems(
    [
      ['add.location', added(), noHeader('Location')],
      ['auth.missing', open('listPets'), status(200, 401)],
      ['rate.reset.value', exchange(), wrongHeader('X-RateLimit-Reset')],
      ['add.echo', added(), changed('name')],
      ['list.succeeds', exchange({ status: 404 }), status(404, 200)],
      ['error.no-secrets', found('x', { status: 400 }), difference('secret in error', 'body', { actual: 'the key' })],
    ],
    { waived: ['auth.missing'] },
  );
  expect(all.map(({ list, harm }) => `${list}: ${harm}`)).toEqual([
    ...['gates: data', 'gates: refusal', 'gates: header'],
    'waived: door',
    ...['advice: door', 'advice: header'],
  ]);
  expect(HARMS).toEqual(['door', 'data', 'refusal', 'status', 'header']);
});

async function judge(change: Change): Promise<ConformanceReport> {
  const { baseUrl, close } = await serve('Problems-key', change);
  try {
    const env = { BASE_URL: baseUrl, API_KEY: 'Problems-key', THROTTLING: 'off' };
    return (await judgeServer(suite, env)).report;
  } finally {
    await close();
  }
}

/** Refuses a name for which there is a reason. */
const refusing =
  (find: (name: unknown) => Refusal | undefined): Change =>
  (service) => {
    const readName = service.readName.bind(service);
    service.readName = (body) => {
      const refusal = find(body.name);
      if (refusal) throw refusal;
      return readName(body);
    };
  };

const SERVERS: [title: string, change: Change, title: RegExp][] = [
  [
    'refuses valid names, which are not called invalid',
    refusing((name) => (/[^\x00-\x7f]/.test(String(name)) ? new Refusal(422, 'unprocessable', 'no') : undefined)),
    /^POST \/pets, with non-ASCII text: 422/,
  ],
  [
    'fails on invalid requests, which is no refusal of valid ones',
    refusing((name) => (typeof name === 'string' ? undefined : new Refusal(500, 'oops', 'it failed'))),
    /^POST \/pets, .*: 500/,
  ],
];

for (const [title, change, pattern] of SERVERS)
  test(`one problem of a server that ${title}`, async () => {
    const { problems: all } = await judge(change);
    const gating = all.filter(({ list }) => list === 'gates').map((problem) => problem.title);
    expect(gating).toEqual([expect.stringMatching(pattern)]);
  });

test('of a server that answers 422 to invalid parameters and bodies, 400 is expected only for bodies', async () => {
  const report = await judge((service) => {
    const [present, finish] = [service.presentError.bind(service), service.finish.bind(service)];
    service.presentError = (problem, request) =>
      problem.status === 400 ? { detail: 'no' } : present(problem, request);
    service.finish = (request, reply) => finish(request, reply.status === 400 ? { ...reply, status: 422 } : reply);
  });
  const claims = report.problems.filter(({ title }) => title.includes('400 is specified'));
  expect(claims.map(({ operations }) => operations)).toEqual([['addPet']]);
  expect(claims[0]?.title).toMatch(/^POST \/pets, \d+ invalid requests: 422, 400 is specified/);
  const ofList = report.problems.filter(({ list, operations }) => list === 'gates' && operations.includes('listPets'));
  expect(ofList.flatMap(({ requirements }) => requirements)).toEqual(['error.schema']);
});
