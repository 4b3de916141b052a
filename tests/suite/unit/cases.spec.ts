/** Derived cases: each has exactly one fault, and additions to the contract get theirs. */
import { expect } from '@playwright/test';
import fc from 'fast-check';
import { bodyCases, type DerivedCase, queryCases } from '../../../fixtures/contract/cases.ts';
import { encodeBody, buildTarget } from '../../../fixtures/contract/request.ts';
import { sample } from '../../../fixtures/contract/sample.ts';
import { type Operation, operationOf, operations, type Schema } from '../../../fixtures/contract/contract.ts';
import { satisfies } from '../../../fixtures/contract/schemas.ts';
import { type Json, parseJson, toJson } from '../../../fixtures/contract/json.ts';
import { test } from './make.ts';

const operation = (more: Partial<Operation>): Operation => ({
  id: 'addToy',
  method: 'POST',
  path: '/toys',
  name: 'POST /toys',
  parameters: [],
  responses: {},
  secured: true,
  deprecated: false,
  stability: 'stable',
  ...more,
});

type Properties = Record<string, Schema>;
const bodyOf = (properties: Properties, required: string[], isRequired = true): Operation =>
  operation({ body: { schema: { type: 'object', required, properties }, required: isRequired } });

const titles = (of: Operation): string[] => bodyCases(of).map(({ title }) => title);

const property: fc.Arbitrary<Schema> = fc.oneof(
  fc.record({ type: fc.constantFrom('string', 'boolean', 'integer', 'number', 'object', 'array') }),
  fc.record({ type: fc.constant('integer'), format: fc.constant('int64') }),
  fc.record({ type: fc.constant('string'), enum: fc.uniqueArray(fc.string({ minLength: 1 }), { minLength: 1 }) }),
  fc.record({ type: fc.constantFrom<string[]>(['string', 'null'], ['integer', 'string']) }),
  fc.constant({ $ref: '#/components/schemas/PetStatus' }),
);

const body = fc
  .dictionary(fc.stringMatching(/^[a-z]{1,8}$/), property, { minKeys: 1, maxKeys: 5, noNullPrototype: true })
  .chain((properties) => fc.tuple(fc.constant(properties), fc.subarray(Object.keys(properties))));

test('an example made from a schema satisfies it', () => {
  fc.assert(
    fc.property(property, (schema) => expect(satisfies(schema, sample(schema))).toBe(true)),
    { numRuns: 50 },
  );
  for (const { body: own } of operations) if (own) expect(satisfies(own.schema, sample(own.schema))).toBe(true);
});

/** The cases of a standard run, and the additional ones of a thorough run. */
const asked = (cases: readonly DerivedCase[], thorough: boolean): string[] =>
  cases.filter((each) => (each.thorough ?? false) === thorough).map(({ title }) => title);

test('the schemas of the service get these cases', () => {
  const bodies = bodyCases(operationOf('addPet'));
  expect(asked(bodies, false)).toEqual([
    ...['name is missing', 'categoryId is missing'],
    ...['a number', 'a boolean', 'null', 'an object', 'an array'].map((kind) => `name is ${kind}`),
    ...['a string', 'a fraction', 'a boolean', 'null', 'an object', 'an array'].map((kind) => `categoryId is ${kind}`),
    ...['categoryId is 9223372036854775808', 'categoryId is -9223372036854775809'],
    ...['a number', 'null', 'an array'].map((kind) => `status is ${kind}`),
    ...['status is "unavailable"', 'status is "AVAILABLE"', 'status is ""', 'the body is {}'],
    'the body is malformed JSON',
    ...['an array', 'a string', 'a number', 'null'].map((kind) => `the body is ${kind}`),
    ...['the body has text after its JSON', 'there is no body'],
    ...['categoryId is 1.0, and name is long', 'name holds U+0000 and a lone surrogate'],
    'name is not UTF-8, and a byte order mark precedes the JSON',
  ]);
  expect(asked(bodies, true)).toEqual([
    ...['name is an empty array', 'name is zero', 'name is false'],
    ...['categoryId is an empty string', 'categoryId is an empty array', 'categoryId is false'],
    ...['18446744073709551616', `1${'0'.repeat(30)}`, '1e400'].map((value) => `categoryId is ${value}`),
    ...['status is an empty array', 'status is a boolean', 'status is zero', 'status is false', 'status is an object'],
    ...['status is "conformance-unknown"', 'status is "constructor"'],
    ...['Available', ' available', 'available ', 'available,pending', 'availabl', '0'].map(
      (value) => `status is "${value}"`,
    ),
    ...[
      'the body is a boolean',
      'the body is an empty array',
      'the body has a trailing comma',
      'the body has single quotes',
    ],
    ...['the body has unquoted names', 'the body begins with a comment', 'the body is not JSON', 'the body is blank'],
    'the body has a number with a leading zero',
    ...['is written as 1.0', 'is 0', 'is negative', 'is 2^63 - 1', 'is -2^63'].map((title) => `categoryId ${title}`),
    ...[
      'is empty',
      'holds a line break',
      'has a blank at either end',
      'holds U+0000',
      'has more than 255 characters',
    ].map((title) => `name ${title}`),
    ...['name holds half of a surrogate pair', 'name is not UTF-8'],
    'a byte order mark precedes the JSON',
  ]);
  const queries = queryCases(operationOf('listPets'));
  expect(queries.filter(({ valid }) => valid).map(({ title }) => title)).toEqual([
    ...['limit=1', 'limit=100', 'status=available', 'status=pending', 'status=sold'],
  ]);
  const odd = queries.filter(({ valid }) => !valid);
  expect(asked(odd, false)).toEqual([
    ...['limit=0', 'limit=-1', 'limit=101', 'limit=99999999999999999999', 'limit=abc'],
    ...['status=AVAILABLE', 'status=conformance-unknown%00'],
  ]);
  expect(asked(odd, true)).toEqual([
    ...['limit=1000', 'limit=9223372036854775808', 'limit=', 'limit=1.5', 'limit=1e2', 'limit=-9223372036854775809'],
    ...['status=conformance-unknown', 'status=constructor', 'status='],
    ...['status=available,pending', 'status=availabl', 'status=0', 'status=%'],
    'conformance-unknown=1',
  ]);
});

test('a body that may be accepted is valid by the schema', () => {
  const texts = titles(bodyOf({ code: { type: 'string', minLength: 1, maxLength: 50 } }, []));
  expect(texts).toContain('code holds U+0000');
  for (const title of ['code is empty', 'code has more than 255 characters']) expect(texts).not.toContain(title);
  const numbers = titles(bodyOf({ size: { type: 'integer', minimum: 5, format: 'int32' } }, []));
  for (const title of ['is 0', 'is negative', 'is 2^63 - 1', 'is -2^63'])
    expect(numbers).not.toContain(`size ${title}`);
});

test('each invalid body has one fault: with one field corrected it is valid', () => {
  fc.assert(
    fc.property(body, ([properties, required]) => {
      const of = bodyOf(properties, required);
      const { schema } = of.body as { schema: Schema };
      const valid = Object.fromEntries(Object.entries(properties).map(([name, own]) => [name, sample(own)])) as Record<
        string,
        Json
      >;
      expect(satisfies(schema, valid)).toBe(true);
      for (const row of bodyCases(of).filter(({ mayBeAccepted }) => !mayBeAccepted)) {
        const text = encodeBody(row.body(valid)).body;
        if (row.name === 'addToy body missing' || row.name === 'addToy body malformed') {
          expect(() => parseJson(text), row.title).toThrow();
          continue;
        }
        const { value } = parseJson(text);
        expect(satisfies(schema, value), row.title).toBe(false);
        if (row.name === 'addToy body type' || row.name === 'addToy body empty') continue;
        const faulty = value as Record<string, Json>;
        const wrong = Object.keys(valid).filter((name) => toJson(faulty[name] ?? null) !== toJson(valid[name] ?? null));
        expect(wrong, row.title).toHaveLength(1);
        expect(satisfies(schema, { ...faulty, [wrong[0] as string]: valid[wrong[0] as string] as Json })).toBe(true);
      }
    }),
    { numRuns: 25 },
  );
});

test('every required field is omitted once, and every field gets each invalid type', () => {
  fc.assert(
    fc.property(body, ([properties, required]) => {
      const cases = titles(bodyOf(properties, required));
      for (const name of Object.keys(properties)) {
        expect(cases.filter((title) => title === `${name} is missing`)).toHaveLength(required.includes(name) ? 1 : 0);
        // Of seven JSON types: one value of each invalid one.
        expect(cases.filter((title) => title.startsWith(`${name} is `)).length).toBeGreaterThanOrEqual(4);
      }
    }),
    { numRuns: 25 },
  );
});

test('a new value of an enumeration is requested, and no longer unknown', () => {
  const status = (values: string[]) =>
    operation({
      method: 'GET',
      parameters: [{ name: 'status', in: 'query', schema: { type: 'string', enum: values } }],
    });
  const values = (known: string[]) => queryCases(status(known)).map(({ title, valid }) => `${title} ${valid}`);
  const wrong = (list: string) => [
    ...['conformance-unknown', 'constructor', '', 'A', list, '0', '%', 'conformance-unknown%00'].map(
      (value) => `status=${value} false`,
    ),
    'conformance-unknown=1 false',
  ];
  expect(values(['a'])).toEqual(['status=a true', ...wrong('a,a')]);
  expect(values(['a', 'b'])).toEqual(['status=a true', 'status=b true', ...wrong('a,b')]);
  expect(values(['a', '0'])).not.toContain('status=0 false');
  const field = bodyOf({ size: { type: 'string', enum: ['s', 'S', 'm'] } }, []);
  expect(titles(field)).toContain('size is "conformance-unknown"');
  expect(titles(field)).not.toContain('size is "S"');
});

const parameter: fc.Arbitrary<Schema> = fc.oneof(
  fc
    .tuple(fc.integer({ min: -50, max: 50 }), fc.integer({ min: 0, max: 5000 }))
    .map(([minimum, more]) => ({ type: 'integer', minimum, maximum: minimum + more })),
  fc.record({ type: fc.constant('integer'), minimum: fc.integer({ min: -50, max: 50 }) }),
  fc.record({ type: fc.constant('integer'), maximum: fc.integer({ min: -50, max: 5000 }) }),
  fc.record({
    type: fc.constant('string'),
    enum: fc.uniqueArray(fc.stringMatching(/^[a-cA-C]{0,3}$/), { minLength: 1 }),
  }),
);

const withParameter = (schema: Schema): Operation =>
  operation({ method: 'GET', parameters: [{ name: 'page', in: 'query', schema }] });

const takes = (schema: Schema, value: string): boolean =>
  schema.type === 'string'
    ? satisfies(schema, value)
    : /^-?\d+$/.test(value) && satisfies(schema, parseJson(value).value);

test('a value of a parameter is valid exactly if its schema accepts it', () => {
  fc.assert(
    fc.property(parameter, (schema) => {
      for (const { value, valid } of queryCases(withParameter(schema)).filter((each) => each.parameter === 'page'))
        expect(`${value} ${valid}`).toBe(`${value} ${takes(schema, value)}`);
    }),
  );
});

test('new bounds are requested on both sides', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 50 }), fc.integer({ min: 51, max: 5000 }), (minimum, maximum) => {
      const values = queryCases(withParameter({ type: 'integer', minimum, maximum })).map(({ value }) => value);
      for (const value of [minimum, maximum, minimum - 1, maximum + 1, 'abc']) expect(values).toContain(String(value));
    }),
  );
});

test('every case has its own title, since rows and tests are named by it', () => {
  const twice = (titles: readonly string[]): string[] => titles.filter((title, i) => titles.indexOf(title) !== i);
  fc.assert(
    fc.property(parameter, (schema) => {
      expect(twice(queryCases(withParameter(schema)).map(({ title }) => title))).toEqual([]);
    }),
  );
  fc.assert(
    fc.property(body, ([properties, required]) => expect(twice(titles(bodyOf(properties, required)))).toEqual([])),
  );
});

test('a field with bounds gets values just outside', () => {
  const beyond = (schema: Schema): string[] =>
    bodyCases(bodyOf({ a: schema }, []))
      .filter(({ name }) => name.endsWith(' a outside'))
      .map(({ title }) => title);
  expect(beyond({ type: 'integer', minimum: 3, maximum: 9 })).toEqual(['a is 2', 'a is 10']);
  expect(beyond({ type: 'number', exclusiveMinimum: 0 })).toEqual(['a is 0']);
  expect(beyond({ type: 'integer', format: 'int32' })).toEqual(['a is 2147483648', 'a is -2147483649']);
  expect(beyond({ type: 'string', minLength: 2, maxLength: 3 })).toEqual(['a is "x"', 'a is "xxxx"']);
  expect(beyond({ type: 'string', pattern: '^[a-z]+$' })).toEqual(['a is "conformance unknown!"']);
  expect(beyond({ type: 'string', format: 'date-time' })).toEqual(['a is "conformance unknown!"']);
  expect(beyond({ type: 'string' })).toEqual([]);
});

test('an optional body has no case without it', () => {
  expect(titles(bodyOf({ name: { type: 'string' } }, [], false))).not.toContain('there is no body');
});

test('bodies are sent as JSON, or as given bytes and type', () => {
  expect(encodeBody({ json: { id: 2n ** 62n } })).toEqual({
    body: '{"id":4611686018427387904}',
    type: 'application/json',
    encoding: 'utf8',
  });
  expect(encodeBody({ bytes: '{' })).toEqual({ body: '{', type: 'application/json', encoding: 'utf8' });
  const text = { bytes: '\xff', type: 'text/plain', encoding: 'latin1' } as const;
  expect(encodeBody(text)).toEqual({ body: '\xff', type: 'text/plain', encoding: 'latin1' });
});

test('a target has path and required parameters filled in', () => {
  const toy = operation({
    path: '/toys/{toyId}/parts/{part}',
    parameters: [
      { name: 'toyId', in: 'path', required: true, schema: { type: 'integer', minimum: 5 } },
      { name: 'part', in: 'path', required: true, schema: { type: 'string' } },
      { name: 'lang', in: 'query', required: true, schema: { type: 'string', enum: ['d e'] } },
      { name: 'limit', in: 'query', schema: { type: 'integer' } },
    ],
  });
  expect(buildTarget(toy)).toBe('/toys/5/parts/conformance?lang=d%20e');
  expect(buildTarget(toy, { part: 'a/b' })).toBe('/toys/5/parts/a%2Fb?lang=d%20e');
  expect(buildTarget(toy, { part: 'a\ud83e' })).toBe('/toys/5/parts/a%EF%BF%BD?lang=d%20e');
  expect(buildTarget(toy, {}, { limit: '0' })).toBe('/toys/5/parts/conformance?lang=d%20e&limit=0');
  // A requested value replaces the valid one.
  expect(buildTarget(toy, {}, { lang: '' })).toBe('/toys/5/parts/conformance?lang=');
});
