import { expect } from '@playwright/test';
import fc from 'fast-check';
import { digits, type Json, parseJson, toJson } from '../../../fixtures/target/json.ts';
import { test } from './make.ts';

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

test('what is written is read again, to the last digit', () => {
  fc.assert(
    fc.property(json, (value) => {
      expect(parseJson(toJson(value)).value).toEqual(value);
    }),
  );
});

test('every int64 is exact', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }), (id) => {
      expect(digits((parseJson(`{"id":${id}}`).value as { id: Json }).id)).toBe(String(id));
    }),
  );
});

test('what JSON.parse takes is taken, and what it refuses is refused', () => {
  const texts = ['', ' ', '[1,]', '{', '01', '+1', '.5', 'NaN', "'a'", '"\t"', '[]]', '\u{FEFF}[]', '1', '"a"', 'null'];
  for (const text of [...texts, '-0', '1e5', ' [ ] ', '"\\ud800"', '{"a":{}}']) {
    const isJson = (parse: (text: string) => unknown): boolean => {
      try {
        parse(text);
        return true;
      } catch {
        return false;
      }
    };
    expect(`${text} ${isJson(parseJson)}`).toBe(`${text} ${isJson(JSON.parse)}`);
  }
});

test('a repeated name is told, and the last value wins', () => {
  expect(parseJson('{"a":1,"b":[{"c":1,"c":2}],"a":3}')).toEqual({
    value: { a: 3, b: [{ c: 2 }] },
    repeated: ['c', 'a'],
  });
});

test('a name is repeated with an equal value too, and however it is escaped, but not in another object', () => {
  expect(parseJson('{"a":1,"a":1}').repeated).toEqual(['a']);
  expect(parseJson('[{"x":"}{","\\u0078":"\\\\"}]').repeated).toEqual(['x']);
  expect(parseJson('{"a":"a","b":{"a":1},"c":[{"a":1},{"a":2}],"d":"{\\"a\\":1,\\"a\\":1}"}').repeated).toEqual([]);
});

test('an integer is its digits, whichever way it is written', () => {
  const read = (text: string) => digits(parseJson(text).value);
  expect(['1', '1.0', '10e-1'].map(read)).toEqual(['1', '1', '1']);
  expect(['1.5', '"1"', 'null', '[1]'].map(read)).toEqual([undefined, undefined, undefined, undefined]);
  expect(read('-9223372036854775808')).toBe('-9223372036854775808');
});
