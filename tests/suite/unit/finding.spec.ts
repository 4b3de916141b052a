/** Differences as data: which fields of an animal changed, by which transformation, and by which other name one came. */
import type { Json } from '../../../fixtures/contract/json.ts';
import type { ValueChange } from '../../../fixtures/trace/finding.ts';
import { explainChange, findChangedFields, findRename, RAW } from '../../../fixtures/trace/finding.ts';
import { expect, pet, test } from './make.ts';

const ONE = 'conformance-abcdef-one';
const BEYOND = 2n ** 53n + 1n;

/** The value that was sent, and what may become of it. */
// prettier-ignore
const CHANGES: Partial<Record<ValueChange['how'], readonly (readonly [before: Json, ...after: Json[]])[]>> = {
  'in lower case': [['Rex', 'rex'], ['ZO\u00cb', 'zo\u00eb']],
  'in upper case': [['available', 'AVAILABLE']],
  'with UTF-8 read as Latin-1': [['Zo\u00eb', 'Zo\u00c3\u00ab'], ['🦊', '\u00f0\u009f\u00a6\u008a']],
  'without blanks at its ends': [[' Rex ', 'Rex']],
  cut: [['Rex the dog', 'Rex'], ['a'.repeat(300), 'a'.repeat(255)]],
  'rounded to a double': [[BEYOND, BEYOND - 1n], [2n ** 63n - 1n, 2n ** 63n], [2n ** 62n, BigInt(String(2 ** 62))]],
  'cut to int32': [[2n ** 53n + 5n, 5], [2 ** 31, -(2 ** 31)], [BEYOND, 2 ** 31 - 1], [-BEYOND, -(2 ** 31)], [2n ** 53n + 2n ** 31n, 2 ** 31]],
  'text, not a number': [[7, '7'], [BEYOND, String(BEYOND)]],
  'a number, not text': [['007', 7], [String(BEYOND), BEYOND]],
  'in milliseconds, not seconds': [[1_795_000_000, 1_795_000_000_000]],
  null: [['Rex', null], [7, null]],
};

for (const [how, values] of Object.entries(CHANGES))
  test(`what became of a value is named: ${how}`, () => {
    for (const [before, ...others] of values)
      for (const after of others) {
        const detail = how === 'cut' ? { detail: `to ${String(after).length} characters` } : {};
        expect(explainChange(before, after), String(after)).toEqual({ how, ...detail });
      }
  });

const NEAR: readonly (readonly [before: Json, ...after: Json[]])[] = [
  ['Rex', 'rEx', 'Rex the dog', '', ' Rex ', 7, ['Rex']],
  ['Rex the dog', 'Rex the cat', 'the dog'],
  ['<b>Rex</b>', '&lt;b>Rex&lt;/b>', 'Rex'],
  ['Zo\u00eb', 'Zo?', 'Zoe'],
  [BEYOND, BEYOND + 1n, -(2 ** 31)],
  [7, 8, 2 ** 31 - 1, '8', 'seven'],
  [5, 500],
  ['007', 8],
  ['true', true],
  [ONE, 'conformance-fedcba-two', `${ONE} `, 'Rex'],
];

test('what became of a value otherwise has no name', () => {
  for (const [before, ...others] of NEAR)
    expect(others.map((after) => explainChange(before, after))).toEqual(others.map(() => undefined));
});

type Fields = Record<string, Json>;

/** `changed value /name: in upper case` */
const describe = (fields: Fields, sent: Fields): string[] =>
  findChangedFields(fields, sent, { id: '7', names: new Set([ONE, 'conformance-abcdef-two', '0042']) }).map(
    ({ kind, place, change }) => [`${kind} ${place}`, ...(change ? [change.how] : [])].join(': '),
  );

const TWO = pet(7, { name: 'conformance-abcdef-two', categoryId: 2 });
const FOREIGN = pet(7, { name: 'conformance-fedcba-two', categoryId: 2 });

// prettier-ignore
const rows: readonly (readonly [title: string, fields: Fields, sent: Fields, expected: string[]])[] = [
  ['the values came back', pet(), { name: 'Rex', categoryId: 1n, status: 'available' }, []],
  ['to the last digit', pet(1, { categoryId: BEYOND }), { categoryId: BEYOND }, []],
  ['unsent fields and a sent id', pet(1, { status: 'sold', tags: [] }), { name: 'Rex', id: 99 }, []],
  ['nothing was sent', {}, {}, []],
  ['another case', pet(7, { name: 'REX' }), { name: 'Rex' }, ['changed value /name: in upper case']],
  ['another number', pet(7, { categoryId: 2 }), { categoryId: 1 }, ['changed value /categoryId']],
  ['a lost field', { id: 1 }, { name: 'Rex', status: null }, ['lost value /name', 'lost value /status']],
  ['another name', { category_id: 1 }, { categoryId: 1 }, ['lost value /categoryId: named']],
  // A similar name with another value explains nothing.
  ['another name and value', { category_id: 2 }, { categoryId: 1 }, ['lost value /categoryId']],
  ['cut', pet(7, { categoryId: 1 }), { name: 'Rex', categoryId: BEYOND }, ['changed value /categoryId: cut to int32']],
  ['a text in another animal', pet(7, { categoryId: '7' }), { name: '1', categoryId: 7 }, ['changed value /name', 'changed value /categoryId: text, not a number']],
  ['an animal of the run', TWO, { name: ONE, categoryId: 1 }, ['wrong animal /name: of another animal']],
  ['one with digits', pet(7, { name: '0042' }), { name: ONE, categoryId: BEYOND }, ['wrong animal /name: of another animal']],
  ['of another run', FOREIGN, { name: ONE, categoryId: 1 }, ['changed value /name', 'changed value /categoryId']],
];

for (const [title, fields, sent, expected] of rows)
  test(`changed fields: ${title}`, () => expect(describe(fields, sent)).toEqual(expected));

test('a changed field has both values, its animal and its place', () => {
  expect(findChangedFields(pet(7, { name: 'REX' }), { name: 'Rex' }, { id: '7', pointer: '/3' })).toEqual([
    {
      ...{ layer: 'value', kind: 'changed value', place: '/name', expected: '"Rex"', actual: '"REX"' },
      ...{ change: { how: 'in upper case' }, animal: { id: '7', name: 'Rex' }, pointer: '/3' },
    },
  ]);
  const [long] = findChangedFields({ name: 'y'.repeat(1e6) }, { name: 'x'.repeat(1e6) });
  expect([long?.expected, long?.actual].map((each) => String(each).length)).toEqual([RAW, RAW]);
});

test('another spelling of a name is found in an object', () => {
  for (const spelling of ['category_id', 'category-id', 'CategoryId', 'categoryid', 'CATEGORY ID'])
    expect(findRename({ id: 1, [spelling]: 1 }, 'categoryId')).toEqual({ how: 'named', detail: spelling });
  for (const other of ['category', 'categoryIds', 'id', 'kategorieId', 'categoryId'])
    expect(findRename({ [other]: 1 }, 'categoryId')).toBeUndefined();
  for (const value of [undefined, null, 'id', 7, ['id']]) expect(findRename(value, 'id')).toBeUndefined();
});
