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

/** Rows and tests are named by the titles. */
const twice = (titles: readonly string[]): string[] => titles.filter((title, i) => titles.indexOf(title) !== i);

const property: fc.Arbitrary<Schema> = fc.oneof(
  fc.record({ type: fc.constantFrom('string', 'boolean', 'integer', 'number', 'object', 'array') }),
  fc.record({ type: fc.constant('integer'), format: fc.constant('int64') }),
  fc.record({ type: fc.constant('string'), enum: fc.uniqueArray(fc.string({ minLength: 1 }), { minLength: 1 }) }),
  fc.record({ type: fc.constantFrom<string[]>(['string', 'null'], ['integer', 'string']) }),
  fc.constant({ $ref: '#/components/schemas/PetStatus' }),
);

const body = fc
  .dictionary(fc.stringMatching(/^[a-z]{1,8}$/), property, { maxKeys: 5, noNullPrototype: true })
  .chain((properties) => fc.tuple(fc.constant(properties), fc.subarray(Object.keys(properties))));

test('an example made from a schema satisfies it', () => {
  fc.assert(
    fc.property(property, (schema) => expect(satisfies(schema, sample(schema))).toBe(true)),
    { numRuns: 50 },
  );
  for (const { body: own } of operations) if (own) expect(satisfies(own.schema, sample(own.schema))).toBe(true);
});

/** Every kind of fault, by its name, and the cases of a standard run. */
test('the schemas of the service get a case for each kind of fault', () => {
  const [bodies, queries] = [bodyCases(operationOf('addPet')), queryCases(operationOf('listPets'))];
  const standard = (cases: readonly DerivedCase[]): string[] =>
    cases.filter(({ when }) => when !== 'thorough').map(({ title }) => title);
  expect(standard(bodies)).toEqual(
    expect.arrayContaining([
      ...[
        'name is missing',
        'categoryId is missing',
        'there is no body',
        'the body is malformed JSON',
        'the body is {}',
      ],
      ...['a number', 'a boolean', 'null', 'an object', 'an array'].map((kind) => `name is ${kind}`),
      ...['a string', 'a fraction', '9223372036854775808'].map((kind) => `categoryId is ${kind}`),
      ...['a number', 'null', '"unavailable"', '"AVAILABLE"', '""'].map((kind) => `status is ${kind}`),
    ]),
  );
  expect(standard(queries)).toEqual([
    ...['limit=1', 'limit=100', 'limit=0', 'limit=-1', 'limit=101', 'limit=99999999999999999999', 'limit=abc'],
    ...['status=available', 'status=pending', 'status=sold', 'status=AVAILABLE', 'status=conformance-unknown%00'],
  ]);
  for (const cases of [bodies, queries]) {
    expect(cases.length).toBeGreaterThan(standard(cases).length + 10);
    expect(twice(cases.map(({ title }) => title))).toEqual([]);
  }
  const size = bodyOf({ size: { type: 'string', enum: ['s', 'S'] } }, [], false);
  expect(titles(size)).toContain('size is "conformance-unknown"');
  for (const title of ['size is "S"', 'there is no body']) expect(titles(size)).not.toContain(title);
});

test('a body that may be accepted is valid by the schema', () => {
  const texts = titles(bodyOf({ code: { type: 'string', minLength: 1, maxLength: 50 } }, []));
  expect(texts).toContain('code holds U+0000');
  for (const title of ['code is empty', 'code has more than 255 characters']) expect(texts).not.toContain(title);
  const numbers = titles(bodyOf({ size: { type: 'integer', minimum: 5, format: 'int32' } }, []));
  for (const title of ['is 0', 'is negative', 'is 2^63 - 1', 'is -2^63'])
    expect(numbers).not.toContain(`size ${title}`);
});

test('each invalid body has one fault and a title: with one field corrected it is valid', () => {
  fc.assert(
    fc.property(body, ([properties, required]) => {
      const of = bodyOf(properties, required);
      const { schema } = of.body as { schema: Schema };
      const valid = Object.fromEntries(Object.entries(properties).map(([name, own]) => [name, sample(own)])) as Record<
        string,
        Json
      >;
      expect(satisfies(schema, valid)).toBe(true);
      const all = titles(of);
      expect(twice(all)).toEqual([]);
      for (const name of Object.keys(properties)) {
        expect(all.filter((title) => title === `${name} is missing`)).toHaveLength(required.includes(name) ? 1 : 0);
        // Of seven JSON types: one value of each invalid one.
        expect(all.filter((title) => title.startsWith(`${name} is `)).length).toBeGreaterThanOrEqual(4);
      }
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

test('a value of a parameter is valid exactly if its schema accepts it, and bounds are sent on both sides', () => {
  fc.assert(
    fc.property(parameter, (schema) => {
      const cases = queryCases(withParameter(schema)).filter((each) => each.parameter === 'page');
      for (const { value, valid } of cases) expect(`${value} ${valid}`).toBe(`${value} ${takes(schema, value)}`);
      expect(twice(cases.map(({ title }) => title))).toEqual([]);
      const { minimum = 0, maximum = 0 } = schema;
      const around = [minimum, maximum, minimum - 1, maximum + 1].map(String);
      if ('minimum' in schema && 'maximum' in schema)
        expect(cases.map(({ value }) => value)).toEqual(expect.arrayContaining(around));
    }),
  );
});

const BEYOND: readonly [Schema, ...values: string[]][] = [
  [{ type: 'integer', minimum: 3, maximum: 9 }, '2', '10'],
  [{ type: 'number', exclusiveMinimum: 0 }, '0'],
  [{ type: 'integer', format: 'int32' }, '2147483648', '-2147483649'],
  [{ type: 'string', minLength: 2, maxLength: 3 }, '"x"', '"xxxx"'],
  [{ type: 'string', pattern: '^[a-z]+$' }, '"conformance unknown!"'],
  [{ type: 'string', format: 'date-time' }, '"conformance unknown!"'],
  [{ type: 'string' }],
];

test('a field with bounds gets values just outside', () => {
  for (const [schema, ...values] of BEYOND) {
    const outside = bodyCases(bodyOf({ a: schema }, [])).filter(({ name }) => name.endsWith(' a outside'));
    expect(outside.map(({ title }) => title)).toEqual(values.map((value) => `a is ${value}`));
  }
});

test('a target has path and required parameters filled in, and a body is sent as JSON or as given bytes', () => {
  const JSON_TYPE = { type: 'application/json', encoding: 'utf8' };
  expect(encodeBody({ json: { id: 2n ** 62n } })).toEqual({ body: '{"id":4611686018427387904}', ...JSON_TYPE });
  expect(encodeBody({ bytes: '{' })).toEqual({ body: '{', ...JSON_TYPE });
  const text = { type: 'text/plain', encoding: 'latin1' } as const;
  expect(encodeBody({ bytes: '\xff', ...text })).toEqual({ body: '\xff', ...text });
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
