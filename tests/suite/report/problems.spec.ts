/** One cause, one problem: findings made up here, and runs against servers for which earlier reports were wrong. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from '@playwright/test';
import { HARMS, type RequirementId } from '../../../fixtures/contract/requirements.ts';
import { type Difference, difference, type Kind } from '../../../fixtures/judge/finding.ts';
import type { TestOutcome } from '../../../fixtures/report/model/test-outcome.ts';
import { Problem as Refusal } from '../../../fixtures/reference/service.ts';
import type { ConformanceReport } from '../../../fixtures/report/model/report.ts';
import type { Problem } from '../../../fixtures/report/model/problems.ts';
import type { Exchange } from '../../../fixtures/target/http/exchange.ts';
import { type Change, defective, serve, unset } from '../gate/spawn.ts';
import { ownRunner, type Runner } from '../runner/process.ts';
import { addition, error, exchange, type Given, pet, test as base } from '../unit/make.ts';
import { makeReport, testsWith } from './pages.ts';

type Failure = readonly [requirement: RequirementId, exchange: Exchange, ...differences: Difference[]];

const CATEGORY = { place: 'body categoryId', title: 'categoryId "x"' };
const NAME = { place: 'body name', title: 'no name' };

const invalid = (fault: Exchange['purpose']['fault'] = NAME, given: Given = {}): Exchange => {
  const made = exchange({ operation: 'addPet', valid: false, sent: '{}', status: 422, body: error(422), ...given });
  return { ...made, purpose: { ...made.purpose, ...(fault && { fault }) } };
};
const unauthenticated = (operation: string, given: Given = {}): Exchange =>
  exchange({ operation, credential: 'none', status: 200, ...given });
const found = (id: string, given: Given = {}): Exchange => exchange({ operation: 'getPet', id, ...given });
const added = (given: Given = {}): Exchange => addition('a row', 7, { name: 'Rex' }, given);

const status = (actual: number, ...expected: (number | string)[]): Difference =>
  difference('wrong status', 'status', { expected, actual });
const changed = (field: string, how: 'lower case' | 'upper case' = 'lower case', more: Partial<Difference> = {}) =>
  difference('changed value', `/${field}`, { expected: '"Rex"', actual: '"rex"', change: { how }, ...more });
const missing = (field: string, more: Partial<Difference> = {}): Difference =>
  difference('missing', `/${field}`, { actual: '{}', ...more });
const noHeader = (name: string): Difference => difference('missing header', `header ${name}`);
const wrongHeader = (name: string): Difference =>
  difference('wrong header', `header ${name}`, { expected: 'a number', actual: 'x' });
const listed = (kind: Kind, more: Partial<Difference> = {}): Difference => difference(kind, '/*', more);

/** The case of a failure, by default judged on that exchange only. */
const makeCase = (
  [requirement, made, ...differences]: Failure,
  i: number,
  more: Partial<TestOutcome>,
): TestOutcome => ({
  ...{ requirement, title: `case ${i}`, outcome: 'failed', exchanges: [made.number] },
  ...(made.purpose.operation !== undefined && { operation: made.purpose.operation }),
  findings: [{ requirement, operation: made.purpose.operation ?? '', exchanges: [made.number], differences }],
  ...{ affected: [made.number], judged: [made.number] },
  ...more,
});

interface More {
  exchanges?: readonly Exchange[];
  of?: Partial<TestOutcome>;
  tests?: readonly TestOutcome[];
  waived?: readonly RequirementId[];
}

/** The problems of a run in which only these requirements failed. */
function problems(
  failures: readonly Failure[],
  { exchanges = [], of = {}, tests = [], waived = [] }: More = {},
): Problem[] {
  const own = failures.map((failure, i) => makeCase(failure, i, of));
  const all = [...new Set([...failures.map(([, made]) => made), ...exchanges])];
  const waivers = waived.map((requirement) => ({ requirement, reason: 'x', owner: 'y', expires: '2099-01-01' }));
  return makeReport(testsWith([...own, ...tests]), all, { waivers }).problems;
}

const idsOf = (failures: readonly Failure[]): string[] => [...new Set(failures.map(([id]) => id as string))].sort();

const sameAnswer = exchange({ number: 7001 });
const sameList = exchange({ number: 7002, query: { limit: '2' } });

const together: { title: string; failures: readonly Failure[]; pattern: RegExp; harm: string; operations: string[] }[] =
  [
    {
      title: 'an undocumented refusal of several invalid values',
      failures: [
        ['add.name.required', invalid(NAME), status(422, 400)],
        ['add.category.type', invalid(CATEGORY), status(422, 400)],
      ],
      pattern: /^POST \/pets, categoryId "x" or no name: 422.*, 400 is specified \(2 of 2\)$/,
      ...{ harm: 'status', operations: ['addPet'] },
    },
    {
      title: 'accepted invalid values of one field',
      failures: [
        [
          'add.name.type',
          invalid({ place: 'body name', title: 'name 5' }, { status: 201, body: pet() }),
          status(201, 400),
        ],
        ['add.name.required', invalid(NAME, { status: 201, body: pet() }), status(201, 400)],
      ],
      pattern: /^POST \/pets, (name 5 or no name|no name or name 5): 201, 400 is specified \(2 of 2\)$/,
      ...{ harm: 'status', operations: ['addPet'] },
    },
    {
      title: 'requests without a key that several operations serve',
      failures: [
        ['auth.missing', unauthenticated('listPets'), status(200, 401)],
        ['auth.missing', unauthenticated('listOrders'), status(200, 401)],
      ],
      pattern: /^GET \/pets and GET \/store\/orders, without a key: 200, 401 is specified \(2 of 2\)$/,
      ...{ harm: 'door', operations: ['listPets', 'listOrders'] },
    },
    {
      title: 'wrong keys of several kinds that are accepted',
      failures: [
        ['auth.invalid', unauthenticated('listPets', { credential: 'unknown' }), status(200, 401)],
        ['auth.invalid', unauthenticated('listOrders', { credential: 'truncated' }), status(200, 401)],
      ],
      pattern: /2 wrong credentials: 200, 401 is specified \(2 of 2\)$/,
      ...{ harm: 'door', operations: ['listPets', 'listOrders'] },
    },
    {
      title: 'requests without a key that are refused with another status',
      failures: [
        ['auth.missing', unauthenticated('listPets', { status: 403 }), status(403, 401)],
        ['auth.first', unauthenticated('listOrders', { status: 403 }), status(403, 401)],
      ],
      pattern: /without a key: 403.*401 is specified \(2 of 2\)$/,
      ...{ harm: 'status', operations: ['listPets', 'listOrders'] },
    },
    {
      title: 'a server error that violates two requirements',
      failures: [
        [
          'service.no-server-error',
          exchange({ number: 7000, status: 500, body: { text: '' } }),
          status(500, 'not 5xx'),
        ],
        ['list.succeeds', exchange({ number: 7000, status: 500, body: { text: '' } }), status(500, 200)],
      ],
      pattern: /^GET \/pets.*: 500, 200 is specified/,
      ...{ harm: 'refusal', operations: ['listPets'] },
    },
    {
      title: 'a field that Errors of several operations lack',
      failures: [
        ['error.schema', found('9', { status: 404, body: error(404) }), missing('code')],
        ['error.schema', invalid(NAME, { status: 400, body: error(400) }), missing('code')],
      ],
      pattern: /code is missing \(2 of 2\)$/,
      ...{ harm: 'status', operations: ['addPet', 'getPet'] },
    },
    {
      title: 'the same change of the same field, on several operations',
      failures: [
        ['add.echo', added(), changed('name')],
        ['add.persists', found('7'), changed('name')],
        ['list.shows-added', exchange(), changed('name')],
      ],
      pattern: /^GET \/pets, POST \/pets and GET \/pets\/\{petId\}: name comes back in lower case/,
      ...{ harm: 'data', operations: ['listPets', 'addPet', 'getPet'] },
    },
    {
      title: 'several headers that one response lacks',
      failures: [
        [
          'rate.headers',
          exchange(),
          ...['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset'].map((name) => noHeader(name)),
        ],
      ],
      pattern: /^GET \/pets: no X-RateLimit-Limit, (X-RateLimit)?-Remaining or (X-RateLimit)?-Reset header/,
      ...{ harm: 'header', operations: ['listPets'] },
    },
    {
      title: 'a wrong header on several operations',
      failures: [
        ['rate.reset.value', exchange(), wrongHeader('X-RateLimit-Reset')],
        ['rate.reset.value', exchange({ operation: 'listOrders' }), wrongHeader('X-RateLimit-Reset')],
      ],
      pattern: /^GET \/pets and GET \/store\/orders: X-RateLimit-Reset is x, a number is specified \(2 of 2\)$/,
      ...{ harm: 'header', operations: ['listPets', 'listOrders'] },
    },
    {
      title: 'a list that lacks animals by several filters',
      failures: [
        ['list.status.finds', exchange({ query: { status: 'sold' } }), listed('missing animal')],
        ['list.shows-added', exchange(), listed('missing animal')],
      ],
      pattern: /^GET \/pets: the list lacks animals/,
      ...{ harm: 'data', operations: ['listPets'] },
    },
    {
      title: 'several layers of one fault at one place',
      failures: [
        ['pet.schema', sameAnswer, difference('wrong type', '/categoryId', { expected: 'integer', actual: '"1"' })],
        ['list.shows-added', sameAnswer, difference('changed value', '/categoryId', { expected: '1', actual: '"1"' })],
      ],
      pattern: /^GET \/pets: categoryId is "1", integer is specified/,
      // The harm of the explaining finding.
      ...{ harm: 'status', operations: ['listPets'] },
    },
    {
      title: 'all faults of a response that is not JSON',
      failures: [
        ['service.json', sameAnswer, difference('not JSON', 'body', { actual: 'Unexpected end', detail: '[' })],
        ['pets.schema', sameAnswer, difference('wrong shape', 'body', { expected: 'array', actual: '"["' })],
        ['list.succeeds', sameAnswer, missing('name')],
      ],
      pattern: /^GET \/pets: the body is not JSON/,
      ...{ harm: 'status', operations: ['listPets'] },
    },
    {
      title: 'all faults of a response with a wrong status',
      failures: [
        ['list.succeeds', sameAnswer, status(206, 200)],
        ['pets.schema', sameAnswer, missing('name')],
        ['list.limit.default', sameAnswer, difference('too few animals', 'query limit', { expected: 20, actual: 2 })],
      ],
      pattern: /^GET \/pets: 206, 200 is specified/,
      ...{ harm: 'refusal', operations: ['listPets'] },
    },
  ];

for (const { title, failures, pattern, harm, operations } of together)
  base(`one problem: ${title}`, () => {
    const all = problems(failures);
    expect(all.map(({ title: own }) => own)).toEqual([expect.stringMatching(pattern)]);
    const [problem] = all as [Problem];
    expect(problem).toMatchObject({ list: 'gates', harm, operations });
    expect(problem.requirements.toSorted()).toEqual(idsOf(failures));
    expect(problem.findings).toHaveLength(failures.flatMap(([, , ...differences]) => differences).length);
    expect(problem.title.length).toBeLessThanOrEqual(100);
  });

const apart: { title: string; failures: readonly Failure[]; waived?: readonly RequirementId[] }[] = [
  {
    title: 'two undocumented statuses',
    failures: [
      ['add.name.required', invalid(), status(422, 400)],
      ['add.body.object', invalid(NAME, { status: 415 }), status(415, 400)],
    ],
  },
  {
    title: 'a body refused with another status, and an accepted one',
    failures: [
      ['add.name.required', invalid(), status(422, 400)],
      ['add.status.enum', invalid(CATEGORY, { status: 201, body: pet() }), status(201, 400)],
    ],
  },
  {
    title: 'accepted invalid values of two fields',
    failures: [
      ['add.name.required', invalid(NAME, { status: 201, body: pet() }), status(201, 400)],
      ['add.category.type', invalid(CATEGORY, { status: 201, body: pet() }), status(201, 400)],
    ],
  },
  {
    title: 'a request served without a key, and one refused with another status',
    failures: [
      ['auth.missing', unauthenticated('listPets'), status(200, 401)],
      ['auth.invalid', unauthenticated('listOrders', { credential: 'unknown', status: 403 }), status(403, 401)],
    ],
  },
  {
    title: 'no key and a wrong key, each accepted by another operation',
    failures: [
      ['auth.missing', unauthenticated('listPets'), status(200, 401)],
      ['auth.invalid', unauthenticated('listOrders', { credential: 'unknown' }), status(200, 401)],
    ],
  },
  {
    title: 'two fields, in different responses',
    failures: [
      ['pet.schema', found('7'), difference('wrong type', '/status', { expected: 'string', actual: 'null' })],
      ['pets.schema', exchange(), difference('wrong type', '/name', { expected: 'string', actual: 'null' })],
    ],
  },
  {
    title: 'two fields of one answer, though the layer of one is below that of the other',
    failures: [
      ['pet.schema', sameAnswer, difference('wrong type', '/categoryId', { expected: 'integer', actual: '"1"' })],
      ['list.shows-added', sameAnswer, changed('name')],
    ],
  },
  {
    title: 'two changes of one field',
    failures: [
      ['add.echo', added(), changed('name', 'lower case')],
      ['add.persists', found('7'), changed('name', 'upper case')],
    ],
  },
  {
    title: 'the same value in different places',
    failures: [
      ['rate.limit.value', exchange(), wrongHeader('X-RateLimit-Limit')],
      ['pet.schema', found('7'), difference('wrong type', '/categoryId', { expected: 'a number', actual: 'x' })],
    ],
  },
  {
    title: 'two headers of one answer, each wrong by itself',
    failures: [
      ['rate.limit.value', sameAnswer, wrongHeader('X-RateLimit-Limit')],
      ['rate.reset.value', sameAnswer, wrongHeader('X-RateLimit-Reset')],
    ],
  },
  {
    title: 'two headers, missing in different responses',
    failures: [
      ['rate.headers', exchange(), noHeader('X-RateLimit-Reset')],
      ['service.headers', exchange(), noHeader('Retry-After')],
    ],
  },
  {
    title: 'a wrong header of an answer whose status is wrong too',
    failures: [
      ['list.succeeds', sameAnswer, status(206, 200)],
      ['rate.limit.value', sameAnswer, wrongHeader('X-RateLimit-Limit')],
    ],
  },
  {
    title: 'a field of a list, and its length',
    failures: [
      ['pets.schema', sameList, difference('wrong type', '/status', { expected: 'string', actual: 'null' })],
      ['list.limit.caps', sameList, difference('too many animals', 'query limit', { expected: 2, actual: 3 })],
    ],
  },
  {
    title: 'an Error and an animal that lack a field of one name',
    failures: [
      ['error.schema', found('9', { status: 404, body: error(404) }), missing('status')],
      ['pet.schema', added(), missing('status')],
    ],
  },
  {
    title: 'a recommendation and a requirement',
    failures: [
      ['add.name.required', invalid(), status(422, 400)],
      ['add.unsupported-type', invalid(), status(422, 415)],
    ],
  },
  {
    title: 'a waived violation and another one',
    failures: [
      ['add.name.required', invalid(), status(422, 400)],
      ['add.category.type', invalid(CATEGORY), status(422, 400)],
    ],
    waived: ['add.category.type'],
  },
];

for (const { title, failures, waived = [] } of apart)
  base(`two problems: ${title}`, () => {
    const all = problems(failures, { waived });
    expect(all.map(({ title: own }) => own)).toHaveLength(failures.length);
    expect(all.flatMap(({ requirements }) => requirements).toSorted()).toEqual(failures.map(([id]) => id).toSorted());
    expect(new Set(all.map(({ title: own }) => own)).size).toBe(failures.length);
  });

base('a requirement with two causes is in both problems', () => {
  const all = problems([
    ['add.name.type', invalid(), status(422, 400)],
    ['add.name.type', invalid(CATEGORY, { status: 201, body: pet() }), status(201, 400)],
  ]);
  expect(all.map(({ requirements }) => requirements)).toEqual([['add.name.type'], ['add.name.type']]);
});

base('passed and unjudged requirements are not problems', () => {
  const notJudged: TestOutcome = {
    ...{ requirement: 'add.echo', title: 'x', outcome: 'cantTell', reason: 'no answer', exchanges: [] },
  };
  expect(makeReport(testsWith([notJudged])).problems).toEqual([]);
});

base.describe('a stored fault explains its later findings', () => {
  const MARK = 'conformance-abc123-taken';
  const taken = invalid(CATEGORY, { status: 201, body: pet(), sent: `{"name":"${MARK}","categoryId":"x"}` });
  const accepted: Failure = ['add.category.type', taken, status(201, 400)];

  base('the animal of an invalid body, in a later list', () => {
    const all = problems([
      accepted,
      ['add.rejected.adds-nothing', exchange(), listed('extra animal', { animal: { name: MARK } })],
    ]);
    expect(all).toHaveLength(1);
    expect(all[0]?.title).toMatch(/^POST \/pets, categoryId "x": 201, 400 is specified/);
    expect(all[0]?.requirements.toSorted()).toEqual(['add.category.type', 'add.rejected.adds-nothing']);
  });

  base('its invalid field, against the schema', () => {
    const wrong = difference('wrong type', '/categoryId', {
      expected: 'integer',
      actual: '"x"',
      animal: { name: MARK },
    });
    expect(problems([accepted, ['pets.schema', exchange(), wrong]])).toHaveLength(1);
    const other = { ...wrong, animal: { name: 'conformance-abc123-plain' } };
    expect(problems([accepted, ['pets.schema', exchange(), other]])).toHaveLength(2);
  });

  base('an animal of another request is another problem', () => {
    const other = listed('extra animal', { animal: { name: 'conformance-abc123-other' } });
    expect(problems([accepted, ['add.rejected.adds-nothing', exchange(), other]])).toHaveLength(2);
  });

  base('a valid request with another 2xx explains no later fault of its animal, and no changed value', () => {
    const late = added({ status: 202, sent: `{"name":"${MARK}","categoryId":1}` });
    const other: Failure = ['add.created', late, status(202, 201)];
    expect(
      problems([other, ['pet.schema', found('7'), missing('categoryId', { animal: { name: MARK } })]]),
    ).toHaveLength(2);
    expect(problems([other, ['pet.int64', late, changed('categoryId')]])).toHaveLength(2);
    expect(problems([other, ['pet.schema', late, missing('categoryId')]])).toHaveLength(1);
  });

  const twice: Failure = [
    'add.id.unique',
    addition('b', 7, { name: 'Rex' }),
    difference('repeated id', '/id', { actual: '7', animal: { id: '7' } }),
  ];
  const replaced = changed('name', 'lower case', { animal: { id: '7', name: 'conformance-abc123-first' } });

  base('a repeated id, and GETs by that id', () => {
    const wrong: Failure = ['get.found', found('7'), { ...replaced, kind: 'wrong animal', place: '/id' }];
    const all = problems([twice, wrong, ['add.persists', found('7'), replaced]]);
    expect(all.map(({ title }) => title)).toEqual([
      expect.stringMatching(/^POST \/pets: several animals have the same id/),
    ]);
    expect(all[0]?.requirements.toSorted()).toEqual(['add.id.unique', 'add.persists', 'get.found']);
  });

  base('a repeated id explains as many animals too few, and no more', () => {
    const few = (actual: number): Failure => [
      'list.limit.default',
      exchange({ number: 7010 + actual }),
      difference('too few animals', 'query limit', { expected: 20, actual }),
    ];
    expect(problems([twice, few(19)])).toHaveLength(1);
    expect(problems([twice, few(10)])).toHaveLength(2);
  });

  base('a repeated id does not explain that requests are not counted', () => {
    const uncounted = difference('not counted', 'header X-RateLimit-Remaining', { expected: '59', actual: '60' });
    expect(problems([twice, ['rate.remaining.counts', found('7'), uncounted]])).toHaveLength(2);
  });

  base('an id that is text explains missing animals, and no wrong status', () => {
    const text = difference('wrong type', '/id', { expected: 'integer', actual: '"1"' });
    expect(
      problems([
        ['pets.schema', sameList, text],
        ['list.shows-added', sameList, listed('missing animal')],
      ]),
    ).toHaveLength(1);
    const unfiltered = difference('not filtered', '/status', { expected: '"sold"', actual: '"available"' });
    expect(
      problems([
        ['pets.schema', sameList, text],
        ['list.status.only', sameList, unfiltered],
      ]),
    ).toHaveLength(2);
  });

  base('a wrong media type and an Error of another shape are two problems, and of HTML they are one', () => {
    const refused = found('9', { status: 404, body: [] });
    const type = difference('wrong media type', 'header Content-Type', {
      expected: 'application/json',
      actual: 'text/json',
    });
    const shape = difference('wrong shape', 'body', { expected: 'object', actual: '[]' });
    expect(
      problems([
        ['service.json', refused, type],
        ['error.schema', refused, shape],
      ]),
    ).toHaveLength(2);
    const html = difference('not JSON', 'body', { actual: '<html>' });
    expect(
      problems([
        ['service.json', refused, type],
        ['error.schema', refused, html],
      ]),
    ).toHaveLength(1);
  });

  base('a GET by another id is another problem', () => {
    const other = { ...replaced, animal: { id: '8', name: 'conformance-abc123-second' } };
    expect(problems([twice, ['get.found', found('8'), other]])).toHaveLength(2);
  });

  const stored: Failure = ['add.echo', added(), changed('status', 'upper case')];

  base('a wrongly stored status, and the filter that misses it', () => {
    const missed = exchange({ query: { status: 'available' }, body: [] });
    const all = problems([stored, ['list.status.finds', missed, listed('missing animal')]]);
    expect(all.map(({ title }) => title)).toEqual([
      expect.stringMatching(/^POST \/pets: status comes back in upper case/),
    ]);
    expect(all[0]?.requirements).toEqual(['add.echo', 'list.status.finds']);
  });

  base('a list that misses animals by another filter, or without one, is another problem', () => {
    for (const query of [{ limit: '2' }, undefined]) {
      const missed = exchange({ ...(query && { query }), body: [] });
      expect(problems([stored, ['list.shows-added', missed, listed('missing animal')]])).toHaveLength(2);
    }
  });
});

base.describe('a hidden requirement', () => {
  const broken: Failure = ['list.limit.caps', exchange({ row: 'two of many' }), status(206, 200)];
  const unclear = (requirement: RequirementId, more: Partial<TestOutcome>): TestOutcome => ({
    ...{ requirement, title: 'x', outcome: 'cantTell', reason: 'the answer is not a list', exchanges: [] },
    ...more,
  });

  base('could not be judged on a response to the same row', () => {
    const again = exchange({ row: 'two of many' });
    const [problem] = problems([broken], {
      exchanges: [again],
      tests: [unclear('list.limit.default', { exchanges: [again.number] })],
    });
    expect(problem?.hides).toEqual(['list.limit.default']);
  });

  base('names a violated requirement of the problem', () => {
    const [problem] = problems([broken], { tests: [unclear('list.status.only', { see: 'list.limit.caps' })] });
    expect(problem?.hides).toEqual(['list.status.only']);
  });

  base('is not one with other requests or another reason', () => {
    const other = exchange({ row: 'another one' });
    const tests = [
      unclear('list.limit.default', { exchanges: [other.number] }),
      unclear('list.status.only', { see: 'list.succeeds' }),
      // It does not gate.
      unclear('add.location', { see: 'list.limit.caps' }),
    ];
    const [problem] = problems([broken], { exchanges: [other], tests });
    expect(problem?.hides).toEqual([]);
  });
});

base('problems that gate come first, then waived ones, then recommendations, each by harm', () => {
  const all = problems(
    [
      ['add.location', added(), noHeader('Location')],
      ['auth.missing', unauthenticated('listPets'), status(200, 401)],
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

base.describe('the number of affected exchanges', () => {
  const others = (count: number, given: Given = {}): Exchange[] => Array.from({ length: count }, () => exchange(given));
  const numbers = (list: readonly Exchange[]): number[] => list.map(({ number }) => number);
  const wrong = wrongHeader('X-RateLimit-Reset');

  base('is counted over all compared exchanges of the affected operations', () => {
    const bad = others(45);
    const judged = numbers([...bad, ...others(55), ...others(10, { operation: 'listOrders' })]);
    const [problem] = problems([['rate.reset.value', bad[0] as Exchange, wrong]], {
      exchanges: [
        ...bad,
        ...judged.map((number) =>
          exchange({ number, operation: number > (judged[99] ?? 0) ? 'listOrders' : 'listPets' }),
        ),
      ],
      of: { affected: numbers(bad), judged },
    });
    expect(problem?.affected).toEqual({ n: 45, of: 100 });
    expect(problem?.title).toBe('GET /pets: X-RateLimit-Reset is x, a number is specified (45 of 100)');
    expect(problem?.condition).toBeUndefined();
  });

  const conditions: { title: string; bad: Given; good: Given; condition: string }[] = [
    {
      title: 'a parameter',
      bad: { query: { status: 'sold' } },
      good: { query: { limit: '2' } },
      condition: 'with status',
    },
    { title: 'its absence', bad: {}, good: { query: { limit: '2' } }, condition: 'without parameters' },
    { title: 'the status', bad: { status: 404 }, good: {}, condition: 'status 404' },
    { title: 'the credential', bad: { credential: 'none' }, good: {}, condition: 'without a key' },
    { title: 'overlap', bad: { parallel: true }, good: {}, condition: 'when requests overlap' },
  ];
  for (const { title, bad, good, condition } of conditions)
    base(`is named by ${title}, if that separates them from the others`, () => {
      const [own, rest] = [others(3, bad), others(4, good)];
      const [problem] = problems([['rate.reset.value', own[0] as Exchange, wrong]], {
        exchanges: [...own, ...rest],
        of: { affected: numbers(own), judged: numbers([...own, ...rest]) },
      });
      expect(problem).toMatchObject({ condition, affected: { n: 3, of: 3 } });
      expect(problem?.title).toContain(`GET /pets, ${condition}: `);
      // With one counterexample on each side, the attribute separates nothing.
      const mixed = [...own.slice(1), ...rest.slice(0, 1)];
      const [unclear] = problems([['rate.reset.value', mixed[0] as Exchange, wrong]], {
        exchanges: [...own, ...rest],
        of: { affected: numbers(mixed), judged: numbers([...own, ...rest]) },
      });
      expect(unclear).toMatchObject({ affected: { n: 3, of: 7 } });
      expect(unclear?.condition).toBeUndefined();
    });
});

// ---- runs on servers for which earlier reports were wrong

interface Judging {
  runner: Runner;
  judge: (change: Change) => Promise<ConformanceReport>;
}

const test = base.extend<Pick<Judging, 'judge'>, Pick<Judging, 'runner'>>({
  runner: ownRunner,
  judge: async ({ runner }, use, info) => {
    info.setTimeout(120_000);
    await use(async (change) => {
      const target = await serve('Problems-key', change);
      const directory = mkdtempSync(join(tmpdir(), 'problems-'));
      const env = { BASE_URL: target.baseUrl, API_KEY: 'Problems-key', THROTTLING: 'off', REPORT_DIR: directory };
      try {
        await runner.run({ env: { ...unset(), ...env } }, 60);
        return JSON.parse(readFileSync(join(directory, 'conformance.json'), 'utf8')) as ConformanceReport;
      } finally {
        await target.close();
        rmSync(directory, { recursive: true, force: true });
      }
    });
  },
});

const listTitles = ({ problems: all }: ConformanceReport, list: Problem['list'] = 'gates'): string[] =>
  all.filter((problem) => problem.list === list).map(({ title }) => title);

/** The matching texts of a report, each with its surroundings. */
const findTexts = (report: object, words: RegExp): string[] =>
  [...JSON.stringify(report).matchAll(new RegExp(`.{0,60}(${words.source}).{0,60}`, 'g'))].map(([found]) => found);

const presenting =
  (change: (animal: Record<string, unknown>) => Record<string, unknown>): Change =>
  (service) => {
    const present = service.present.bind(service);
    service.present = (animal) => change(present(animal) as Record<string, unknown>);
  };

test.describe('of a server', () => {
  test('1. with ids beyond int64, the report shows the received id', async ({ judge }) => {
    const report = await judge(
      presenting((animal) => ({ ...animal, id: 9223372036854775808n + BigInt(String(animal.id)) })),
    );
    expect(findTexts(report, /1e\+?300/)).toEqual([]);
    expect(listTitles(report)[0]).toMatch(/id is 92233720368547758\d\d, int64 is specified/);
  });

  test('2. that refuses valid requests, the report calls none invalid', async ({ judge }) => {
    const report = await judge((service) => {
      const nameOf = service.readName.bind(service);
      service.readName = (body) => {
        const name = nameOf(body);
        if (/[^\x00-\x7f]/.test(name)) throw new Refusal(422, 'unprocessable', 'no');
        return name;
      };
    });
    expect(listTitles(report)).toEqual([expect.stringMatching(/^POST \/pets, with non-ASCII text: 422/)]);
    expect(listTitles(report).join()).not.toMatch(/invalid|wrong value/);
    expect(report.problems[0]?.findings.map(({ title }) => title).join()).not.toMatch(/invalid/);
  });

  test('3. that refuses the scheme in lower case, the report counts no violation', async ({ judge }) => {
    const refusing = defective('auth.scheme-case/capital-alone');
    const only = await judge(refusing);
    expect(listTitles(only)).toEqual([]);
    expect(listTitles(only, 'advice')).toHaveLength(1);
    const more = await judge((service) => {
      defective('auth.valid/orders')(service);
      refusing(service);
    });
    expect(listTitles(more)).toHaveLength(1);
    for (const { list, findings } of more.problems)
      for (const { sent } of findings)
        if (list === 'gates') expect(sent).not.toContain('lower case');
        else expect(sent).toContain('lower case');
  });

  test('4. that answers 422 to invalid parameters and bodies, the report expects 400 only for bodies', async ({
    judge,
  }) => {
    const report = await judge((service) => {
      const [present, finish] = [service.presentError.bind(service), service.finish.bind(service)];
      service.presentError = (problem, request) =>
        problem.status === 400 ? { detail: 'no' } : present(problem, request);
      service.finish = (request, reply) => finish(request, reply.status === 400 ? { ...reply, status: 422 } : reply);
    });
    const claims = report.problems.filter(({ title }) => title.includes('400 is specified'));
    expect(claims.map(({ operations }) => operations)).toEqual([['addPet']]);
    expect(claims[0]?.title).toMatch(/^POST \/pets, \d+ invalid requests: 422, 400 is specified/);
    const ofList = report.problems.filter(
      ({ list, operations }) => list === 'gates' && operations.includes('listPets'),
    );
    expect(ofList.flatMap(({ requirements }) => requirements)).toEqual(['error.schema']);
  });

  test('5. that never sends a header, the report counts every response', async ({ judge }) => {
    const report = await judge((service) => {
      const headers = service.rateHeaders.bind(service);
      service.rateHeaders = (...given) =>
        Object.fromEntries(Object.entries(headers(...given)).filter(([name]) => !name.endsWith('Reset')));
    });
    const [problem] = report.problems;
    const { n, of } = problem?.affected ?? { n: 0, of: 0 };
    const documented = report.coverage.reduce((sum, { responses }) => sum + responses, 0);
    expect([n, of]).toEqual([documented, documented]);
    expect(n).toBeGreaterThan(60);
    expect(listTitles(report)).toEqual([`Every operation: no X-RateLimit-Reset header (${n} of ${of})`]);
  });

  test('6. with one id for all animals, the report has one problem', async ({ judge }) => {
    const report = await judge(presenting((animal) => ({ ...animal, id: 1n })));
    const shown = report.problems.filter(({ title }) => /same id|more than once|is there \d+ times/.test(title));
    expect(shown.map(({ title }) => title)).toEqual([
      expect.stringMatching(
        /^POST \/pets: several animals have the same id, unique ids are specified \((\d+) of \1\)$/,
      ),
    ]);
    expect(findTexts(report.problems, /is there \d+ times/)).toEqual([]);
  });

  test('7. that fails on invalid requests, the report claims no refusal of valid ones', async ({ judge }) => {
    const report = await judge((service) => {
      const nameOf = service.readName.bind(service);
      service.readName = (body) => {
        if (typeof body.name !== 'string') throw new Refusal(500, 'oops', 'it failed');
        return nameOf(body);
      };
    });
    expect(listTitles(report)).toEqual([expect.stringMatching(/^POST \/pets, .*: 500/)]);
    expect(report.problems[0]?.requirements).toContain('service.no-server-error');
    expect(report.problems[0]?.harm).toBe('status');
    const valid = await judge(defective('orders.exists/not-found'));
    expect(valid.problems[0]?.harm).toBe('refusal');
  });

  test('8. that accepts a key from the query, the report does not claim access without a key', async ({ judge }) => {
    const report = await judge(defective('auth.invalid/in-a-query'));
    expect(listTitles(report)).toHaveLength(1);
    expect(findTexts(report.problems, /without a key/)).toEqual([]);
    expect(findTexts(report.problems, /with a wrong credential \(in a query parameter\)/)).not.toEqual([]);
  });

  for (const id of [
    'auth.scheme-case/capital-alone',
    'add.unsupported-type/taken',
    'http.head/not-allowed',
    'get.sunset-header/other-date',
  ])
    test(`9. that does not follow a recommendation, the report does not call it specified: ${id}`, async ({
      judge,
    }) => {
      const report = await judge(defective(id));
      expect(listTitles(report)).toEqual([]);
      expect(listTitles(report, 'advice')).toHaveLength(1);
      expect(listTitles(report, 'advice').join()).not.toContain('specified');
      expect(
        report.requirements
          .filter(({ list }) => list === 'advice')
          .flatMap(({ reasons }) => reasons)
          .join(),
      ).not.toContain('(specified');
    });

  test('10. with unreadable ids, the report does not claim that no animal was added', async ({ judge }) => {
    const report = await judge(presenting((animal) => ({ ...animal, id: { value: String(animal.id) } })));
    expect(listTitles(report).join()).toMatch(/id is an object, integer is specified/);
    expect(findTexts(report, /no animal (could be|was) added/)).toEqual([]);
  });

  test('11. that splits characters, no title has half of one', async ({ judge }) => {
    const halved: Change = (service) => {
      const store = service.store.bind(service);
      service.store = (animal, body) =>
        store(
          { ...animal, name: animal.name.replaceAll(/[\ud800-\udbff][\udc00-\udfff]/g, (pair) => pair.charAt(0)) },
          body,
        );
    };
    const report = await judge(halved);
    expect(listTitles(report)).toEqual([expect.stringMatching(/name comes back/)]);
    for (const { title } of report.problems) expect(title).not.toMatch(/\\u[dD][89a-fA-F]|[\ud800-\udfff]/);
  });
});
