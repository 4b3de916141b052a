/** One cause, one problem: of findings made up here, and of answers. */
import { HARMS, type RequirementId, requirements } from '../../../fixtures/contract/requirements.ts';
import { Step } from '../../../fixtures/trace/step.ts';
import { type Difference, difference } from '../../../fixtures/trace/finding.ts';
import { judgeRun } from '../../../fixtures/report/model/build-report.ts';
import { summarize } from '../../../fixtures/report/model/outcomes.ts';
import { findProblems, type Problem } from '../../../fixtures/report/model/problems.ts';
import { showProblem } from '../../../fixtures/report/out/lines.ts';
import type { TestOutcome } from '../../../fixtures/report/model/result.ts';
import type { Exchange } from '../../../fixtures/target/http/exchange.ts';
import { suite } from '../../properties/index.ts';
import { makeTest } from '../gate/given.ts';
import { error, exchange, expect, type Given, pet, test } from '../unit/make.ts';
import { add, animal, ask, makeStore, post } from '../unit/traces.ts';
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

/** The problems of a run in which only these requirements failed, each judged on its exchange. @param tests others. */
function problems(
  failures: readonly Failure[],
  { tests = [], waived = [] }: { tests?: readonly TestOutcome[]; waived?: readonly RequirementId[] } = {},
): Problem[] {
  const own = failures.map(([requirement, failed, ...differences], i): TestOutcome => {
    const [{ number }, operation] = [failed, new Step(failed).operation?.id ?? ''];
    return {
      ...{ requirement, operation, title: `case ${i}`, outcome: 'failed', exchanges: [number] },
      findings: [{ requirement, operation, exchanges: [number], differences }],
      ...{ affected: [number], judged: [number] },
    };
  });
  const exchanges = new Set(failures.map(([, made]) => made));
  const waivers = waived.map((requirement) => ({ requirement, reason: 'x', owner: 'y', expires: '2099-01-01' }));
  return makeReport(testsWith([...own, ...tests]), [...exchanges], { waivers }).problems;
}

const same = exchange({ number: 7001 });

const NAME_422: Failure = ['add.name.required', refused(NO_NAME), status(422, 400)];

// prettier-ignore
const TOGETHER: [title: string, failures: readonly Failure[], pattern: RegExp, harm: string][] = [
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
    expect(all.flatMap((each) => each.requirements).toSorted()).toEqual(failures.map(([id]) => id).toSorted());
    expect(new Set(all.map(({ title: own }) => own)).size).toBe(2);
  });

test('a hidden requirement could not be judged on what is broken, or names what is violated', () => {
  const UNCLEAR: Record<string, Partial<TestOutcome>> = {
    'list.limit.default': { exchanges: [same.number] },
    'list.status.only': { see: 'list.limit.caps' },
    'list.status.finds': { see: 'list.succeeds' },
    'list.limit.minimum': {},
    // It does not gate.
    'add.location': { see: 'list.limit.caps' },
  };
  const tests = Object.entries(UNCLEAR).map(([requirement, more]) => makeTest(requirement, 'cantTell', more));
  const hidden = (...difference: Difference[]) =>
    problems([['list.limit.caps', same, ...difference]], { tests })[0]?.hides;
  expect(hidden(status(206, 200))?.toSorted()).toEqual(['list.limit.default', 'list.status.only']);
  // A header of the answer is in nobody's way.
  expect(hidden(wrongHeader('X-RateLimit-Limit'))).toEqual(['list.status.only']);
});

test('the example is the plainest request, with all that its response lacks', () => {
  const odd: Given[] = [{ credential: 'lower-case scheme' }, { credential: 'none' }, { parallel: true }];
  const failures = [...odd, { query: { limit: '5' } }, {}].map((given): Failure => [
    'rate.headers',
    exchange(given),
    noHeader('X-RateLimit-Limit'),
    noHeader('X-RateLimit-Reset'),
  ]);
  const [problem] = problems(failures) as [Problem];
  expect(problem.findings[0]?.exchanges).toEqual([failures.at(-1)?.[1].number]);
  const { received } = showProblem(problem, makeReport([], []));
  expect(received).toBe('no X-RateLimit-Limit; no X-RateLimit-Reset');
});

test('every value is named, below a title that can only count them', () => {
  const bodies = ['true', '1.5', 'null', '"a"', '9223372036854775808', '[]', '{}'].map((value) =>
    accepted(`{"name":"Rex","categoryId":${value}}`),
  );
  const show = (count: number): string[] =>
    problems(bodies.slice(0, count).map((each): Failure => ['add.category.type', each, status(201, 400)])).flatMap(
      (problem) => [problem.title, showProblem(problem, makeReport([], [])).when ?? 'no more'],
    );
  expect(show(7)).toEqual([
    'POST /pets, 7 wrong values of categoryId: 201, 400 is specified (7 of 7)',
    'categoryId is true, 1.5, null, "a", 9223372036854775808, an empty array or an empty object',
  ]);
  expect(show(3)).toEqual(['POST /pets, categoryId is true, 1.5 or null: 201, 400 is specified (3 of 3)', 'no more']);
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

/** The titles of the problems that count for the verdict. */
function nameProblems(given: readonly Exchange[]): string[] {
  const { steps, facts } = makeStore(given);
  const exchanges = steps.map(({ exchange }) => exchange);
  const judged = judgeRun(suite, exchanges, facts);
  const summary = summarize({ requirements, ...judged, level: 'must', errors: [] });
  return findProblems(summary.requirements, exchanges).flatMap(({ list, title }) => (list === 'gates' ? title : []));
}

const { categoryId: _, ...LACKING } = animal(7);
const BODY = '{"name":"conformance-abcdef-7","categoryId":1,"status":"available"}';
const lacking = (at: number) => post(at, BODY, 201, { ...LACKING, id: at });
const wrapped = (at: number) => post(at, BODY, 201, { data: animal(at) });
const typed = { headers: { 'Content-Type': 'text/json' } };

// prettier-ignore
const ROWS: [title: string, exchanges: Exchange[], expected: (string | RegExp)[]][] = [
  ['one fault of all answers', [lacking(1), lacking(2)], [/categoryId is missing/]],
  ['a wrong key is accepted, and all answers have another fault', [lacking(1), post(2, BODY, 201, { ...LACKING, id: 2 }, { as: 'unknown' })], [/wrong credential.*: 201/, /categoryId is missing/]],
  ['malformed JSON is accepted, and all answers are useless', [wrapped(1), wrapped(2), post(3, '{"name":', 201, { data: animal(3) })], [/malformed JSON: 201/, /missing|is an? /]],
  ['only an accepted body has a useless answer', [add(1, 1), post(3, '{"name":', 201, { data: animal(3) })], [/malformed JSON: 201/]],
  ['a valid body is refused', [add(1, 11), post(2, BODY.replace('7', '12'), 400)], [/^POST \/pets: 400 to a valid body, .* \(1 of 2\)$/]],
  ['a media type of all answers, and the shape of some', [add(1, 1, {}, typed), ask(2, 'GET /pets?limit=0', 400, 'x', typed), post(3, '{}', 400, ['x'], typed)], [/Content-Type is text\/json/, /array|list|not JSON/]],
];

for (const [title, exchanges, expected] of ROWS)
  test(`problems of answers: ${title}`, () => {
    const titles = nameProblems(exchanges);
    const describe = (pattern: string | RegExp): string =>
      titles.find((each) => each.match(pattern)) ?? String(pattern);
    expect(titles.toSorted()).toEqual(expected.map(describe).toSorted());
  });
