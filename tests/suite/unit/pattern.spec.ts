/** What separates affected exchanges from others. */
import { type Pattern, findPattern } from '../../../fixtures/report/model/pattern.ts';
import { wrongCredentials } from '../../../fixtures/contract/credentials.ts';
import { Step } from '../../../fixtures/trace/step.ts';
import { exchange, expect, type Given, pet, test } from './make.ts';

function pattern(affected: readonly Given[], others: readonly Given[], isStatus = false): Pattern {
  const [wrong = [], right = []] = [affected, others].map((all) => all.map((given) => new Step(exchange(given))));
  return findPattern(new Set(wrong.map(({ number }) => number)), [...right, ...wrong], isStatus);
}

const times = (count: number, given: Given = {}): Given[] => Array.from({ length: count }, () => given);
const query = (given: Record<string, string>): Given => ({ query: given });
const byId = (id: bigint): Given => ({ operation: 'getPet', id: String(id) });
const ADD = { operation: 'addPet', status: 201 };
/** A body with these fields, and those that are required. */
const sending = (more: object): Given => ({ ...ADD, sent: JSON.stringify({ name: 'Rex', categoryId: 1, ...more }) });
const BEYOND = { ...ADD, sent: '{"name":"Rex","categoryId":9223372036854775808}' };
const LIMIT_5 = query({ limit: '5' });
const SOLD = query({ limit: '5', status: 'sold' });

// prettier-ignore
const SEPARATED: [condition: string, affected: readonly Given[], others: readonly Given[]][] = [
  ['status 404', [{ status: 404 }], [{ status: 400 }]],
  ['status 401, 429 or 500', [{ status: 401 }, { status: 429 }, { status: 500 }, { status: 500 }], [{ status: 400 }, {}]],
  ['categoryId is true, 9223372036854775808 or null', [sending({ categoryId: true }), BEYOND, sending({ categoryId: null })], [sending({}), sending({ name: 5 })]],
  ['name is 5', [sending({ name: 5 })], [sending({ name: undefined }), sending({})]],
  ['Authorization: Basic base64($API_KEY:$API_KEY)', [{ credential: 'Basic' }], [{ credential: 'unknown' }, {}]],
  ['with a wrong credential', wrongCredentials.map((credential) => ({ credential })), [{ credential: 'none' }, {}]],
  ['without a key', [{ credential: 'none' }], [{}, { credential: 'Basic' }]],
  ['with the valid key', [{}], [{ credential: 'none' }, { credential: 'throttle' }]],
  ['with the throttling key', [{ credential: 'throttle' }], [{}]],
  ['overlapping requests', times(2, { parallel: true }), [{}]],
  ['categoryId beyond 2^53', [{ ...ADD, sent: '{"name":"Rex","categoryId":9007199254740993}' }], [sending({})]],
  ['with non-ASCII text', [{ sent: '{"name":"Zo\u00eb"}' }], [{ sent: '{"name":"Rex"}' }]],
  ['name has 100 characters or more', [sending({ name: 'x'.repeat(100) })], [sending({ name: 'x'.repeat(99) }), sending({})]],
  ['a negative id', [byId(-7n)], [byId(7n), byId(2n ** 62n)]],
  ['an id beyond 2^53', [byId(2n ** 62n)], [byId(-7n), byId(7n)]],
  ['status=sold', [sending({ status: 'sold' })], [sending({}), sending({ status: 'pending' })]],
  ['without status', [sending({})], [sending({ status: 'sold' }), {}]],
  ['with limit', [LIMIT_5, query({ limit: '7' })], [{}]],
  ['with status', [SOLD], [LIMIT_5, {}]],
  ['without parameters', [{}], [LIMIT_5]],
  ['limit=5', [LIMIT_5], [query({ limit: '7' })]],
  ['valid requests', [query({ limit: '7' }), query({ limit: '9' })], [query({ limit: 'ten' })]],
  ['invalid requests', ['ten', '0', '-1', '1.5', '101'].map((limit) => query({ limit })), [query({ limit: '7' }), {}]],
  ['empty lists', [{ body: [] }], [{ body: [pet()] }]],
];

for (const [condition, affected, others] of SEPARATED)
  test(`the affected exchanges are separated by: ${condition}`, () =>
    expect(pattern(affected, others)).toEqual({ n: affected.length, of: affected.length, condition }));

// prettier-ignore
const OTHERS: [title: string, affected: readonly Given[], others: readonly Given[], expected: Pattern, isStatus?: true][] = [
  ['all are affected', [{ status: 200 }, { status: 404 }], [], { n: 2, of: 2 }],
  ['none is affected', [], times(3), { n: 0, of: 3 }],
  ['an attribute of all affected and few others is named with its count', times(3, LIMIT_5), [...times(2, LIMIT_5), ...times(5)], { n: 3, of: 5, condition: 'with limit' }],
  ['of several attributes the rarest is named', times(3, SOLD), [...times(2, LIMIT_5), SOLD, ...times(4)], { n: 3, of: 4, condition: 'with status' }],
  ['most of those that leave out a field are affected', times(2, sending({})), [sending({}), sending({ status: 'sold' }), sending({ status: 'pending' })], { n: 2, of: 3, condition: 'without status' }],
  ['less than a third of those with the attribute are affected', times(1, { parallel: true }), [...times(3, { parallel: true }), ...times(6)], { n: 1, of: 10 }],
  ['nearly all have the attribute', times(3, LIMIT_5), [...times(6, LIMIT_5), {}], { n: 3, of: 10 }],
  ['an affected exchange lacks the attribute', [LIMIT_5, {}], [{}], { n: 2, of: 3 }],
  ['the exchanges are equal, but for the key', times(2), [...times(2), ...times(2, { credential: 'throttle' })], { n: 2, of: 6 }],
  ['a wrong status separates nothing', [{ status: 404 }], [{}], { n: 1, of: 2 }, true],
  ['another attribute does', [{ status: 404, ...LIMIT_5 }], [{}], { n: 1, of: 1, condition: 'with limit' }, true],
  ['an attribute of hostile length is not named', [query({ status: 'x'.repeat(1_000) })], [query({ status: 'lost' })], { n: 1, of: 2 }],
];

for (const [title, affected, others, expected, isStatus] of OTHERS)
  test(title, () => expect(pattern(affected, others, isStatus)).toEqual(expected));

test('unknown exchanges are counted, and separate nothing', () =>
  expect(findPattern(new Set([1, 2]), [])).toEqual({ n: 2, of: 2 }));
