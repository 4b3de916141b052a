/** The contract of the service, its schemas, and the cases derived from it: each has exactly one fault, and additions get theirs. */
import swaggerParser from '@apidevtools/swagger-parser';
import fc from 'fast-check';
import { bodyCases, type DerivedCase, queryCases } from '../../../fixtures/contract/cases.ts';
import { buildTarget, sample } from '../../../fixtures/contract/values.ts';
import { checkContract } from '../../../fixtures/contract/check.ts';
import * as contract from '../../../fixtures/contract/contract.ts';
import { type Operation, operations, type Schema } from '../../../fixtures/contract/contract.ts';
import { findValidator, forAjv, newAjv, satisfies } from '../../../fixtures/contract/schemas.ts';
import { type Json, readJson, toJson } from '../../../fixtures/contract/json.ts';
import { expect, forAll, test } from './make.ts';

const operation = (more: Partial<Operation>): Operation => ({
  ...{ id: 'addToy', method: 'POST', path: '/toys', name: 'POST /toys', parameters: [], responses: {} },
  ...{ secured: true, stability: 'stable', raw: {} },
  ...more,
});

type Properties = Record<string, Schema>;
const bodyOf = (properties: Properties, required: string[], isRequired = true): Operation =>
  operation({
    body: { schema: { type: 'object', required, properties }, required: isRequired, type: 'application/json' },
  });

/** The bodies that are sent. */
const written = (of: Operation, valid: Record<string, Json>, isWanted = (_: DerivedCase) => true): string[] =>
  bodyCases(of)
    .filter(isWanted)
    .map(({ write }) => String(write(valid).body));

const isOpen = ({ is }: DerivedCase): boolean => is === 'open';

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
  forAll(property, { numRuns: 50 }, (schema) => expect(satisfies(schema, sample(schema))).toBe(true));
  for (const { body: own } of operations) if (own) expect(satisfies(own.schema, sample(own.schema))).toBe(true);
});

test('a body that may be accepted is valid by the schema', () => {
  const texts = written(bodyOf({ code: { type: 'string', minLength: 1, maxLength: 50 } }, []), { code: 'x' }, isOpen);
  expect(texts).toContain('{"code":"x\\u0000"}');
  for (const code of ['', 'x'.repeat(300)]) expect(texts).not.toContain(toJson({ code }));
  const numbers = written(bodyOf({ size: { type: 'integer', minimum: 5, format: 'int32' } }, []), { size: 5 }, isOpen);
  for (const size of [0, -1, 2n ** 63n - 1n, -(2n ** 63n)]) expect(numbers).not.toContain(toJson({ size }));
});

test('each invalid body has one fault: with one field corrected it is valid', () => {
  forAll(fc.tuple(body, fc.boolean()), { numRuns: 25 }, ([[properties, required], isRequired]) => {
    const operation = bodyOf(properties, required, isRequired);
    const { schema } = operation.body as { schema: Schema };
    const valid = Object.fromEntries(Object.entries(properties).map(([name, each]) => [name, sample(each)]));
    expect(satisfies(schema, valid)).toBe(true);
    const all = written(operation, valid);
    expect(new Set(all).size).toBe(all.length);
    const invalid = bodyCases(operation).filter(({ is }) => is === 'invalid');
    expect(invalid.some(({ rule }) => rule === 'missing')).toBe(isRequired);
    for (const name of Object.keys(properties)) {
      const rules = invalid.filter(({ rule }) => rule.startsWith(`${name} `)).map(({ rule }) => rule);
      expect(rules.filter((rule) => rule.endsWith(' required'))).toHaveLength(required.includes(name) ? 1 : 0);
      // Of seven JSON types: one value of each invalid one.
      expect(rules.length).toBeGreaterThanOrEqual(4);
    }
    for (const { rule, write } of invalid) {
      const text = write(valid).body ?? '';
      if (rule === 'missing' || rule === 'malformed') {
        expect(readJson(text).mistake, text).toBeDefined();
        continue;
      }
      const { value } = readJson(text) as { value: Json };
      expect(satisfies(schema, value), text).toBe(false);
      if (rule === 'type' || rule === 'empty') continue;
      const faulty = value as Record<string, Json>;
      const wrong = Object.keys(valid).filter((name) => toJson(faulty[name] ?? null) !== toJson(valid[name] ?? null));
      expect(wrong, text).toHaveLength(1);
      expect(satisfies(schema, { ...faulty, [wrong[0] as string]: valid[wrong[0] as string] as Json })).toBe(true);
    }
  });
});

const bound = fc.integer({ min: -50, max: 5000 });
const parameter: fc.Arbitrary<Schema> = fc.oneof(
  fc.tuple(bound, fc.nat(5000)).map(([minimum, more]) => ({ type: 'integer', minimum, maximum: minimum + more })),
  fc.record({ type: fc.constant('integer'), minimum: bound }),
  fc.record({ type: fc.constant('integer'), maximum: bound }),
  fc.record({
    type: fc.constant('string'),
    enum: fc.uniqueArray(fc.stringMatching(/^[a-cA-C]{0,3}$/), { minLength: 1 }),
  }),
);

const takes = (schema: Schema, value: string): boolean =>
  schema.type === 'string'
    ? satisfies(schema, value)
    : /^-?\d+$/.test(value) && satisfies(schema, readJson(value).value as Json);

test('a value of a parameter is valid exactly if its schema accepts it, and bounds are sent on both sides', () => {
  forAll(parameter, (schema) => {
    const page = operation({ method: 'GET', parameters: [{ name: 'page', in: 'query', schema }] });
    const cases = queryCases(page).filter((each) => each.parameter === 'page');
    for (const { value, is } of cases) expect(`${value} ${is === 'valid'}`).toBe(`${value} ${takes(schema, value)}`);
    const values = cases.map(({ value }) => value);
    expect(new Set(values).size).toBe(values.length);
    const { minimum = 0, maximum = 0 } = schema;
    if ('minimum' in schema && 'maximum' in schema)
      expect(values).toEqual(expect.arrayContaining([minimum, maximum, minimum - 1, maximum + 1].map(String)));
  });
});

const BEYOND: readonly [Schema, ...values: Json[]][] = [
  [{ type: 'integer', minimum: 3, maximum: 9 }, 2, 10],
  [{ type: 'number', exclusiveMinimum: 0 }, 0],
  [{ type: 'integer', format: 'int32' }, 2147483648, -2147483649],
  [{ type: 'string', minLength: 2, maxLength: 3 }, 'x', 'xxxx'],
  [{ type: 'string', pattern: '^[a-z]+$' }, 'conformance unknown!'],
  [{ type: 'string', format: 'date-time' }, 'conformance unknown!'],
  [{ type: 'string' }],
];

test('a field with bounds gets values just outside', () => {
  for (const [schema, ...values] of BEYOND)
    expect(written(bodyOf({ a: schema }, []), { a: sample(schema) }, ({ rule }) => rule === 'a outside')).toEqual(
      values.map((a) => toJson({ a })),
    );
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

// ---- the contract itself

test('the contract is sound, and every operation of the specification has the successes of the contract', async () => {
  const { ADD, GET, isSpecified, LIST, ORDERS, pageLimit, petStatuses, SPECIFIED, successesOf } = contract;
  expect(checkContract()).toEqual({ mistakes: [], notices: [] });
  await swaggerParser.validate(structuredClone(contract.document) as never);
  expect(operations.every(({ secured }) => secured)).toBe(true);
  const { minimum, maximum, default: preset } = LIST.parameters.find(({ name }) => name === 'limit')?.schema ?? {};
  expect(pageLimit).toEqual({ minimum, maximum, default: preset });
  expect(petStatuses).toEqual(LIST.parameters.find(({ name }) => name === 'status')?.schema.enum);
  expect(operations.filter(isSpecified).map(({ id, name }) => [id, name])).toEqual(Object.entries(SPECIFIED));
  expect([LIST, ADD, GET, ORDERS].map(successesOf)).toEqual([[200], [201], [200], ['2xx']]);
});

test('a path of the contract stands for the paths of its requests', () => {
  expect(contract.generalizePath('/pets/-7')).toBe('/pets/{petId}');
  for (const path of ['/pets', '/store/orders', '/pets/7/toys', '/conformance-unknown'])
    expect(contract.generalizePath(path)).toBe(path);
});

test('int64 is exact over its whole range', () => {
  const int64 = { type: 'integer', format: 'int64' };
  const isWithin = (value: bigint): boolean => -(2n ** 63n) <= value && value < 2n ** 63n;
  const edge = fc.constantFrom(2n ** 63n, -(2n ** 63n), 2n ** 53n, -(2n ** 53n), 0n);
  forAll(fc.tuple(edge, fc.bigInt({ min: -3n, max: 3n })), ([near, by]) => {
    const value = near + by;
    const exact = Number.isSafeInteger(Number(value)) ? Number(value) : value;
    expect(satisfies(int64, exact)).toBe(isWithin(value));
  });
  forAll(fc.bigInt(), (value) => expect(satisfies(int64, value)).toBe(isWithin(value)));
  for (const other of [1.5, '1', null, true, [1], 1e300]) expect(satisfies(int64, other)).toBe(false);
  expect(satisfies(int64, 1.0)).toBe(true);
  expect(forAjv({ a: [1, 1.5, { b: 'x' }], c: null })).toEqual({ a: [1, 1.5, { b: 'x' }], c: null });
});

test('the contract passes the strict rules of Ajv, which refuse a typo', () => {
  const strict = newAjv();
  strict.addVocabulary(Object.keys(contract.document));
  strict.addSchema(contract.document as object, 'contract', false, false);
  const { schemas = {}, headers = {} } = contract.document.components ?? {};
  const pointers = [
    ...Object.keys(schemas).map((name) => `schemas/${name}`),
    ...Object.keys(headers).map((name) => `headers/${name}/schema`),
  ];
  for (const pointer of pointers)
    expect(() => strict.getSchema(`contract#/components/${pointer}`), pointer).not.toThrow();
  expect(() => newAjv().compile({ type: 'object', requried: ['a'] })).toThrow(/unknown keyword/);
  expect(() => newAjv().compile({ type: 'string', format: 'int46' })).toThrow(/unknown format/);
});

test('a reference is followed at every keyword that can hold a schema', () => {
  const one = { $ref: '#/components/schemas/PetStatus' };
  const ofOne = ['additionalProperties', 'contains', 'else', 'if', 'items', 'not', 'propertyNames', 'then'];
  const schemas: Schema[] = [
    ...[...ofOne, 'unevaluatedItems', 'unevaluatedProperties'].map((keyword) => ({ [keyword]: one })),
    ...['allOf', 'anyOf', 'oneOf', 'prefixItems'].map((keyword) => ({ [keyword]: [{}, one] })),
    ...['dependentSchemas', 'patternProperties', 'properties'].map((keyword) => ({
      [keyword]: { not: one, $ref: {} },
    })),
  ];
  for (const schema of schemas) expect(findValidator(schema), JSON.stringify(schema)).toBeDefined();
});
