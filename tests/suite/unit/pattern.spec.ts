import { expect } from '@playwright/test';
import { type Pattern, findPattern } from '../../../fixtures/report/model/pattern.ts';
import { wrongCredentials } from '../../../fixtures/contract/credentials.ts';
import { exchange, type Given, pet, test } from './make.ts';

function pattern(affected: readonly Given[], others: readonly Given[], isStatus = false): Pattern {
  const wrong = affected.map(exchange);
  const all = [...others.map(exchange), ...wrong];
  const numbers = (of: typeof all): Set<number> => new Set(of.map(({ number }) => number));
  return findPattern(numbers(wrong), numbers(all), new Map(all.map((each) => [each.number, each])), isStatus);
}

const times = (count: number, given: Given = {}): Given[] => Array.from({ length: count }, () => given);

test('all are affected, and nothing separates them', () => {
  expect(pattern(times(3), [])).toEqual({ n: 3, of: 3 });
  expect(pattern([{ status: 200 }, { status: 404 }], [])).toEqual({ n: 2, of: 2 });
});

test('none is affected', () => {
  expect(pattern([], times(3))).toEqual({ n: 0, of: 3 });
  expect(pattern([], [])).toEqual({ n: 0, of: 0 });
});

interface Row {
  condition: string;
  affected: readonly Given[];
  others: readonly Given[];
}

const BY_ID = { operation: 'getPet' };
const ADD = { operation: 'addPet', status: 201 };
/** A body with these fields, and those that are required. */
const sending = (more: object): Given => ({ ...ADD, sent: JSON.stringify({ name: 'Rex', categoryId: 1, ...more }) });

const separated = [
  { condition: 'status 404', affected: [{ status: 404 }], others: [{ status: 400 }] },
  {
    condition: 'status 401, 429 or 500',
    affected: [{ status: 401 }, { status: 429 }, { status: 500 }, { status: 500 }],
    others: [{ status: 400 }, {}],
  },
  {
    condition: 'categoryId is true, 9223372036854775808 or null',
    affected: [
      sending({ categoryId: true }),
      { ...ADD, sent: '{"name":"Rex","categoryId":9223372036854775808}' },
      sending({ categoryId: null }),
    ],
    others: [sending({}), sending({ name: 5 })],
  },
  {
    condition: 'name is 5',
    affected: [sending({ name: 5 })],
    others: [sending({ name: undefined }), sending({})],
  },
  {
    condition: 'Authorization: Basic base64($API_KEY:)',
    affected: [{ credential: 'Basic' }],
    others: [{ credential: 'unknown' }, {}],
  },
  {
    condition: 'with a wrong credential',
    affected: wrongCredentials.map((credential) => ({ credential })),
    others: [{ credential: 'none' }, {}],
  },
  { condition: 'without a key', affected: [{ credential: 'none' }], others: [{}, { credential: 'Basic' }] },
  { condition: 'with the valid key', affected: [{}], others: [{ credential: 'none' }, { credential: 'throttle' }] },
  { condition: 'with the throttling key', affected: [{ credential: 'throttle' }], others: [{}] },
  { condition: 'when requests overlap', affected: times(2, { parallel: true }), others: [{}] },
  {
    condition: 'with non-ASCII text',
    affected: [{ sent: '{"name":"Zo\u00eb"}' }],
    others: [{ sent: '{"name":"Rex"}' }],
  },
  {
    condition: 'a negative id',
    affected: [{ ...BY_ID, id: '-7' }],
    others: [
      { ...BY_ID, id: '7' },
      { ...BY_ID, id: String(2n ** 62n) },
    ],
  },
  {
    condition: 'an id beyond 2^53',
    affected: [{ ...BY_ID, id: String(2n ** 62n) }],
    others: [
      { ...BY_ID, id: '-7' },
      { ...BY_ID, id: '7' },
    ],
  },
  {
    condition: 'status "sold" in the body',
    affected: [sending({ status: 'sold' })],
    others: [sending({}), sending({ status: 'pending' })],
  },
  {
    condition: 'without status in the body',
    affected: [sending({})],
    others: [sending({ status: 'sold' }), {}],
  },
  { condition: 'with limit', affected: [{ query: { limit: '5' } }, { query: { limit: '7' } }], others: [{}] },
  {
    condition: 'with status',
    affected: [{ query: { limit: '5', status: 'sold' } }],
    others: [{ query: { limit: '5' } }, {}],
  },
  { condition: 'without parameters', affected: [{}], others: [{ query: { limit: '5' } }] },
  { condition: 'limit=5', affected: [{ query: { limit: '5' } }], others: [{ query: { limit: '7' } }] },
  {
    condition: 'valid requests',
    affected: [{ query: { limit: '7' } }, { query: { limit: '9' } }],
    others: [{ query: { limit: 'ten' } }],
  },
  {
    condition: 'invalid requests',
    affected: ['ten', '0', '-1', '1.5', '101'].map((limit) => ({ query: { limit } })),
    others: [{ query: { limit: '7' } }, {}],
  },
  { condition: 'empty lists', affected: [{ body: [] }], others: [{ body: [pet()] }] },
] as const satisfies readonly Row[];

for (const { condition, affected, others } of separated)
  test(`the affected exchanges are separated by: ${condition}`, () => {
    expect(pattern(affected, others)).toEqual({ n: affected.length, of: affected.length, condition });
  });

test('an attribute of all affected and few other exchanges is named with its count', () => {
  const [wrong, right] = [times(3, { query: { limit: '5' } }), times(2, { query: { limit: '5' } })];
  expect(pattern(wrong, [...right, ...times(5)])).toEqual({ n: 3, of: 5, condition: 'with limit' });
});

test('of several attributes the rarest is named', () => {
  const sold = { query: { limit: '5', status: 'sold' } };
  const others = [...times(2, { query: { limit: '5' } }), ...times(1, sold), ...times(4)];
  expect(pattern(times(3, sold), others)).toEqual({ n: 3, of: 4, condition: 'with status' });
});

test('an attribute of which less than a third is affected separates nothing', () => {
  const parallel = { parallel: true };
  expect(pattern(times(1, parallel), [...times(3, parallel), ...times(6)])).toEqual({ n: 1, of: 10 });
  expect(pattern(times(1, parallel), [...times(2, parallel), ...times(6)])).toMatchObject({ n: 1, of: 3 });
});

test('an attribute that nearly all exchanges have separates nothing', () => {
  const limited = { query: { limit: '5' } };
  expect(pattern(times(3, limited), [...times(6, limited), ...times(1)])).toEqual({ n: 3, of: 10 });
});

test('an attribute that an affected exchange does not have separates nothing', () => {
  expect(pattern([{ query: { limit: '5' } }, {}], [{}])).toEqual({ n: 2, of: 3 });
});

test('equal exchanges are not separable', () => {
  expect(pattern(times(1), times(3))).toEqual({ n: 1, of: 4 });
});

test('a wrong status separates nothing', () => {
  expect(pattern([{ status: 404 }], [{}], true)).toEqual({ n: 1, of: 2 });
  expect(pattern([{ status: 404, query: { limit: '5' } }], [{}], true)).toMatchObject({ condition: 'with limit' });
});

test('an attribute of hostile length is not named', () => {
  const long = { query: { status: 'x'.repeat(1_000) } };
  expect(pattern([long], [{ query: { status: 'lost' } }])).toEqual({ n: 1, of: 2 });
});

test('unknown exchanges are counted, and separate nothing', () => {
  expect(findPattern(new Set([1, 2]), new Set([1, 2, 3]), new Map())).toEqual({ n: 2, of: 2 });
});
