/** Differences as data: which fields of an animal changed, and by which other name one came. */
import { expect } from '@playwright/test';
import type { Json } from '../../../fixtures/contract/json.ts';
import { difference, findChangedFields, findRename, RAW, shown } from '../../../fixtures/trace/finding.ts';
import { pet, test } from './make.ts';

type Fields = Record<string, Json>;

/** `changed value /name: upper case` */
const describe = (fields: Fields, sent: Fields): string[] =>
  findChangedFields(fields, sent, { id: '7' }).map(({ kind, place, change }) =>
    [`${kind} ${place}`, ...(change ? [change.how] : [])].join(': '),
  );

const BIG = 2n ** 53n + 1n;
const ONE = 'conformance-abcdef-one';
const TWO = pet(7, { name: 'conformance-abcdef-two', categoryId: 2 });
const FOREIGN = pet(7, { name: 'conformance-fedcba-two', categoryId: 2 });

const rows: readonly (readonly [title: string, fields: Fields, sent: Fields, expected: string[]])[] = [
  ['the values came back', pet(), { name: 'Rex', categoryId: 1n, status: 'available' }, []],
  ['to the last digit', pet(1, { categoryId: BIG }), { categoryId: BIG }, []],
  ['unsent fields and a sent id', pet(1, { status: 'sold', tags: [] }), { name: 'Rex', id: 99 }, []],
  ['nothing was sent', {}, {}, []],
  ['another case', pet(7, { name: 'REX' }), { name: 'Rex' }, ['changed value /name: upper case']],
  ['another number', pet(7, { categoryId: 2 }), { categoryId: 1 }, ['changed value /categoryId']],
  ['a lost field', { id: 1 }, { name: 'Rex', status: null }, ['lost value /name', 'lost value /status']],
  ['another name', { category_id: 1 }, { categoryId: 1 }, ['lost value /categoryId: another name']],
  // A similar name with another value explains nothing.
  ['another name and value', { category_id: 2 }, { categoryId: 1 }, ['lost value /categoryId']],
  ['cut', pet(7, { categoryId: 1 }), { name: 'Rex', categoryId: BIG }, ['changed value /categoryId: cut to int32']],
  // Beside a name that nothing explains, it may be the number of another animal.
  ['maybe another animal', pet(), { name: '1', categoryId: BIG }, ['changed value /name', 'changed value /categoryId']],
  [
    'a text in another animal',
    pet(7, { categoryId: String(BIG) }),
    { name: '1', categoryId: BIG },
    ['changed value /name', 'changed value /categoryId: text for a number'],
  ],
  ['an animal of the run', TWO, { name: ONE, categoryId: 1 }, ['wrong animal /name: another animal']],
  ['of another run', FOREIGN, { name: ONE, categoryId: 1 }, ['changed value /name', 'changed value /categoryId']],
];

for (const [title, fields, sent, expected] of rows)
  test(`changed fields: ${title}`, () => {
    expect(describe(fields, sent)).toEqual(expected);
  });

test('a changed field has both values, its animal and its place', () => {
  expect(findChangedFields(pet(7, { name: 'REX' }), { name: 'Rex' }, { id: '7', pointer: '/3' })).toEqual([
    {
      ...{ layer: 'value', kind: 'changed value', place: '/name', expected: '"Rex"', actual: '"REX"' },
      ...{ change: { how: 'upper case' }, animal: { id: '7', name: 'Rex' }, pointer: '/3' },
    },
  ]);
  const [long] = findChangedFields({ name: 'y'.repeat(1e6) }, { name: 'x'.repeat(1e6) });
  expect([long?.expected, long?.actual].map((each) => String(each).length)).toEqual([RAW, RAW]);
});

test('another spelling of a name is found in an object', () => {
  for (const spelling of ['category_id', 'category-id', 'CategoryId', 'categoryid', 'CATEGORY ID'])
    expect(findRename({ id: 1, [spelling]: 1 }, 'categoryId')).toEqual({ how: 'another name', detail: spelling });
  for (const other of ['category', 'categoryIds', 'id', 'kategorieId', 'categoryId'])
    expect(findRename({ [other]: 1 }, 'categoryId')).toBeUndefined();
  for (const value of [undefined, null, 'id', 7, ['id']]) expect(findRename(value, 'id')).toBeUndefined();
});

test('a difference has only defined members', () => {
  expect(difference('no body', 'body', { change: undefined, detail: '' })).toEqual({
    ...{ layer: 'JSON', kind: 'no body', place: 'body', detail: '' },
  });
  expect([2n ** 63n - 1n, { name: 'Rex' }, null].map(shown)).toEqual(['9223372036854775807', '{"name":"Rex"}', 'null']);
  expect(shown(undefined)).toBeUndefined();
});
