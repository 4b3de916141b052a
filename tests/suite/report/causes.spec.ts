/** One fact, one entry: what failed is grouped by what explains it, and what has another explanation stands apart. */
import { expect } from '@playwright/test';
import type { RequirementId } from '../../../fixtures/contract/requirements.ts';
import type { TestOutcome } from '../../../fixtures/judge/outcome.ts';
import type { Cause } from '../../../fixtures/report/causes.ts';
import type { Exchange } from '../../../fixtures/target/exchange.ts';
import { exchange, type Given, pet, test } from '../unit/make.ts';
import { reportOf, testsWith } from './pages.ts';

const detail = { detail: 'no' };
const invalid = (given: Given): Given => ({ operation: 'addPet', valid: false, sent: '{}', ...given });

type Failure = [requirement: RequirementId, given: Given];

/** The causes of a run in which these requirements failed, each by one exchange. */
function causesOf(failures: readonly Failure[], waived: readonly RequirementId[] = []): Cause[] {
  const exchanges: Exchange[] = [];
  const tests = failures.map(([requirement, given], i): TestOutcome => {
    const made = exchange({ number: i + 1, ...given });
    exchanges.push(made);
    const wrong = { sent: 'a request', allowed: 'this', received: 'that', exchanges: [made.number] };
    return { requirement, title: `case ${i}`, outcome: 'failed', wrong: [wrong], exchanges: [made.number] };
  });
  const waivers = waived.map((requirement) => ({ requirement, reason: 'x', owner: 'y', expires: '2099-01-01' }));
  return reportOf(testsWith(tests), exchanges, { waivers }).causes;
}

const together = [
  {
    title: 'one undocumented status, on whichever operation and requirement',
    failures: [
      ['add.name.type', invalid({ status: 422, body: detail })],
      ['add.body.object', invalid({ status: 422, body: detail })],
      ['error.schema', { valid: false, query: { limit: '0' }, status: 422, body: detail }],
    ],
    headline:
      'GET /pets and POST /pets answer 422 {detail} to invalid parameters and invalid bodies, where 400 is specified',
    harm: 'status',
  },
  {
    title: 'what is invalid, and taken',
    failures: [
      ['add.name.type', invalid({ status: 201, body: pet() })],
      ['add.status.enum', invalid({ status: 201, body: pet() })],
    ],
    headline: 'POST /pets accepts invalid bodies with 201',
    harm: 'status',
  },
  {
    title: 'requests without a key that are served',
    failures: [
      ['auth.missing', { credential: 'none', status: 200 }],
      ['auth.invalid', { operation: 'listOrders', credential: 'unknown', status: 200 }],
    ],
    headline: 'accepts requests without a valid key on GET /pets and GET /store/orders',
    harm: 'door',
  },
  {
    title: 'requests without a key that are refused with another status: no open door',
    failures: [
      ['auth.missing', { credential: 'none', status: 403 }],
      ['auth.first', { credential: 'none', valid: false, status: 403 }],
    ],
    headline: 'GET /pets answers 403 without a key, where 401 is specified',
    harm: 'status',
  },
  {
    title: 'failing',
    failures: [
      ['service.no-server-error', { status: 500, body: { text: '' } }],
      ['list.succeeds', { status: 500, body: { text: '' } }],
    ],
    headline: 'GET /pets answers 500 to valid requests',
    harm: 'refusal',
  },
  {
    title: 'a field that breaks two schemas',
    failures: [
      ['pet.schema', { operation: 'getPet', body: pet(7, { status: null }) }],
      ['pets.schema', { body: [pet(1, { status: null })] }],
    ],
    headline: 'GET /pets and GET /pets/{petId}: /status must be string, and is null',
    harm: 'status',
  },
  {
    title: 'one answer that breaks two sentences',
    failures: [
      ['add.persists', { operation: 'getPet', status: 404, number: 7 }],
      ['get.found', { operation: 'getPet', status: 404, number: 7 }],
    ],
    headline: 'GET /pets/7: that (specified: this)',
    harm: 'data',
  },
  {
    title: 'one parameter',
    failures: [
      ['list.limit.caps', { query: { limit: '2' } }],
      ['list.limit.default', {}],
    ],
    headline: 'GET /pets?limit=2: that (specified: this)',
    harm: 'data',
  },
] as const satisfies readonly { title: string; failures: readonly Failure[]; headline: string; harm: string }[];

for (const { title, failures, headline, harm } of together)
  test(`stands together: ${title}`, () => {
    const causes = causesOf(failures);
    expect(causes.map((cause) => cause.headline)).toEqual([headline]);
    expect(causes[0]).toMatchObject({ harm, list: 'gates' });
    expect(causes[0]?.requirements.toSorted()).toEqual(failures.map(([id]) => id).toSorted());
    expect(causes[0]?.cases).toHaveLength(failures.length);
  });

const apart = [
  {
    title: 'two undocumented statuses',
    failures: [
      ['add.name.type', invalid({ status: 422, body: detail })],
      ['add.body.object', invalid({ status: 415, body: detail })],
    ],
  },
  {
    title: 'what is refused wrongly, and what is taken wrongly',
    failures: [
      ['add.name.type', invalid({ status: 422, body: detail })],
      ['add.status.enum', invalid({ status: 201, body: pet() })],
    ],
  },
  {
    title: 'two fields of one schema, in answers of their own',
    failures: [
      ['pet.schema', { operation: 'getPet', body: pet(7, { status: null }) }],
      ['pets.schema', { body: [pet(1, { name: 3 })] }],
    ],
  },
  {
    title: 'a header that is wrong on an answer whose status is wrong too',
    failures: [
      ['add.name.type', invalid({ status: 422, body: detail })],
      ['rate.limit.value', invalid({ status: 422, body: detail })],
    ],
  },
  {
    title: 'two headers of one answer',
    failures: [
      ['rate.limit.value', { number: 7 }],
      ['rate.reset.value', { number: 7 }],
    ],
  },
  {
    title: 'a field of a list, and its length',
    failures: [
      ['pets.schema', { body: [pet(1, { status: null })], query: { limit: '2' }, number: 7 }],
      ['list.limit.caps', { body: [pet(1, { status: null })], query: { limit: '2' }, number: 7 }],
    ],
  },
  {
    title: 'two sentences broken by answers of their own',
    failures: [
      ['add.persists', { operation: 'getPet', status: 404 }],
      ['get.found', { operation: 'getPet', status: 404 }],
    ],
  },
  {
    title: 'advice, and what counts',
    failures: [
      ['add.name.type', invalid({ status: 422, body: detail })],
      ['add.unsupported-type', invalid({ status: 422, body: detail })],
    ],
  },
] as const satisfies readonly { title: string; failures: readonly Failure[] }[];

for (const { title, failures } of apart)
  test(`stands apart: ${title}`, () => {
    const causes = causesOf(failures);
    expect(causes).toHaveLength(failures.length);
    expect(causes.flatMap(({ requirements }) => requirements).toSorted()).toEqual(
      failures.map(([id]) => id).toSorted(),
    );
  });

test('the worst comes first, what is waived after what gates, and advice last', () => {
  const causes = causesOf(
    [
      ['add.location', { operation: 'addPet', status: 201 }],
      ['auth.missing', { credential: 'none', status: 200 }],
      ['rate.reset.value', {}],
      ['add.echo', { operation: 'addPet', status: 201 }],
      ['list.succeeds', { status: 500, body: { text: '' } }],
    ],
    ['auth.missing'],
  );
  expect(causes.map(({ list, harm }) => `${list}: ${harm}`)).toEqual([
    'gates: data',
    'gates: refusal',
    'gates: header',
    'waived: door',
    'advice: header',
  ]);
});

test('a requirement that two facts break stands with both', () => {
  const causes = causesOf([
    ['add.name.type', invalid({ status: 422, body: detail })],
    ['add.name.type', invalid({ status: 201, body: pet() })],
  ]);
  expect(causes.map(({ requirements }) => requirements)).toEqual([['add.name.type'], ['add.name.type']]);
});

test('nothing that passed, and nothing that could not be told, has a cause', () => {
  const untold: TestOutcome = {
    ...{ requirement: 'add.echo', title: 'x', outcome: 'cantTell', reason: 'no answer', exchanges: [] },
  };
  expect(reportOf(testsWith([untold])).causes).toEqual([]);
});
