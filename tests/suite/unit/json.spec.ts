import fc from 'fast-check';
import { digits, type Json, readJson, sameValue, toJson, TOO_DEEP } from '../../../fixtures/contract/json.ts';
import { expect, expectLinear, forAll, test } from './make.ts';

const json = fc.letrec<{ value: Json; object: Json }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    fc.constant(null),
    fc.boolean(),
    fc.integer(),
    fc.bigInt({ min: -(2n ** 70n), max: 2n ** 70n }).filter((n) => !Number.isSafeInteger(Number(n))),
    fc.double({ noNaN: true, noDefaultInfinity: true }).filter((n) => !Number.isInteger(n)),
    fc.string({ unit: 'binary' }),
    fc.array(tie('value')),
    tie('object'),
  ),
  object: fc.dictionary(fc.string({ unit: 'grapheme' }), tie('value'), { noNullPrototype: true }),
})).value;

const MISTAKE = expect.stringContaining(' at position ') as unknown;

test('written JSON is read again, to the last digit', () => {
  forAll(json, (value) => {
    expect(readJson(toJson(value)).value).toEqual(value);
  });
});

test('the parser accepts and refuses the same texts as JSON.parse', () => {
  const wrong = ['', ' ', '[1,]', '{', '01', '+1', '.5', 'NaN', "'a'", '"\t"', '[]]', '[\u{FEFF}]'];
  const right = ['1', '"a"', 'null', '-0', '1e5', ' [ ] ', '"\\ud800"', '{"a":{}}'];
  for (const text of wrong) expect(() => void JSON.parse(text), text).toThrow();
  for (const text of wrong) expect(readJson(text), text).toMatchObject({ value: undefined, mistake: MISTAKE });
  for (const text of right) expect(readJson(text), text).toEqual({ value: JSON.parse(text) as Json, repeated: [] });
  expect(readJson('\u{FEFF}[]').value).toEqual([]);
});

test('a repeated name is reported, and the last value wins', () => {
  expect(readJson('{"a":1,"b":[{"c":1,"c":2}],"a":3}')).toEqual({
    value: { a: 3, b: [{ c: 2 }] },
    repeated: ['c', 'a'],
  });
  expect(readJson('{"a":1,"a":1}').repeated).toEqual(['a']);
  expect(readJson('[{"x":"}{","\\u0078":"\\\\"}]').repeated).toEqual(['x']);
  expect(readJson('{"a":"a","b":{"a":1},"c":[{"a":1},{"a":2}],"d":"{\\"a\\":1,\\"a\\":1}"}').repeated).toEqual([]);
});

test('an integer keeps its digits in any notation', () => {
  const read = (text: string) => digits(readJson(text).value);
  expect(['1', '1.0', '10e-1'].map(read)).toEqual(['1', '1', '1']);
  expect(['1.5', '"1"', 'null', '[1]'].map(read)).toEqual([undefined, undefined, undefined, undefined]);
  expect(read('-9223372036854775808')).toBe('-9223372036854775808');
  for (const text of ['9007199254740993.0', '9.007199254740993E+15', '90071992547409930e-1'])
    expect(read(text)).toBe('9007199254740993');
  expect(read('-123456789012345e4')).toBe('-1234567890123450000');
  expect(['0.1e1', '0e5', '1e400'].map(read)).toEqual(['1', '0', `1${'0'.repeat(400)}`]);
  // A double would round them to integers.
  const rounded = ['400.00000000000000000001', `-1.${'0'.repeat(10_000)}1`, '1e-500', '9007199254740991.5'];
  expect(rounded.map(read)).toEqual([undefined, undefined, undefined, undefined]);
  expect(['1e-7', '1e999999999', '123456789012345678.5e-3'].map(read)).toEqual([undefined, undefined, undefined]);
});

const deep = (depth: number): readonly string[] => [
  '['.repeat(depth) + ']'.repeat(depth),
  `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`,
];

test('nested JSON is read, and too deep JSON is distinguished from invalid JSON', () => {
  for (const text of deep(500)) expect(readJson(text)).not.toHaveProperty('unread');
  for (const depth of [2_101, 100_000, 1_000_000])
    for (const text of deep(depth)) expect(readJson(text).unread).toBe(TOO_DEEP);
  expect(readJson('[')).toMatchObject({ mistake: MISTAKE });
});

/** Texts of half a megabyte and of two on which a naive parser or pattern is quadratic. */
const hostile: Record<string, (n: number) => string> = {
  'a string of escaped quotes': (n) => `"${'\\"'.repeat(n * 250_000)}"`,
  'a string of backslashes': (n) => `"${'\\\\'.repeat(n * 125_000)}"`,
  'strings with many escapes and no colon': (n) => `[${'"\\"\\"\\"",'.repeat(n * 50_000)}1]`,
  'a string and white space behind it': (n) => `["a"${' '.repeat(n * 500_000)}]`,
  'strings with white space behind each': (n) => `[${`"a"${' '.repeat(100)},`.repeat(n * 5_000)}1]`,
  'names that are all different': (n) => `{${Array.from({ length: n * 37_500 }, (_, i) => `"a${i}":1`).join()}}`,
  'a name that is repeated': (n) => `{${'"a":[1,2,3],'.repeat(n * 37_500)}"a":1}`,
  'one number of many digits': (n) => '1'.repeat(n * 250_000),
};

for (const [about, make] of Object.entries(hostile))
  test(`is read, or refused if it does not end, in time that grows with its length: ${about}`, () => {
    expectLinear(make, readJson);
    expectLinear(make, (text) => expect(readJson(`[${text.slice(0, -1)}`)).toMatchObject({ mistake: MISTAKE }));
  });

test('a name such as __proto__ is an ordinary name', () => {
  const { value } = readJson('{"__proto__":{"id":1},"constructor":2,"toString":3}');
  expect(Object.entries(value as object)).toEqual([
    ['__proto__', { id: 1 }],
    ['constructor', 2],
    ['toString', 3],
  ]);
});

test('values are equal by digits and members, in any order', () => {
  expect(sameValue(1, 1n) && sameValue(2n ** 53n + 1n, 2n ** 53n + 1n) && sameValue('é', '\u00e9')).toBe(true);
  expect(sameValue({ a: 1, b: [null] }, { b: [null], a: 1 })).toBe(true);
  // None equals another one.
  const others: Json[] = [2n ** 53n, 2n ** 53n + 1n, 1, '1', 1.5, null, {}, [], [1, 2], [2, 1], { a: 1 }, { b: 1 }];
  const all: (Json | undefined)[] = [...others, { a: 1, b: 1 }, 'é', 'e\u0301', true, undefined];
  const pairs = all.flatMap((a, i) => all.slice(i + 1).map((b) => [a, b] as const));
  expect(pairs.filter(([a, b]) => sameValue(a, b) || sameValue(b, a))).toEqual([]);
});
