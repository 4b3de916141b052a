/** The cases derived from the contract: each has exactly one fault, and what the contract gains gets its cases by itself. */
import { expect } from '@playwright/test';
import fc from 'fast-check';
import {
  bodyCases,
  faultyRequest,
  queryCases,
  sample,
  textOf,
  typeOf,
  validRequest,
} from '../../../fixtures/contract/cases.ts';
import { type Operation, operationOf, operations, type Schema } from '../../../fixtures/contract/contract.ts';
import { satisfies } from '../../../fixtures/contract/schemas.ts';
import { type Json, parseJson, toJson } from '../../../fixtures/target/json.ts';
import { test } from './make.ts';

/** An operation as the contract could gain it. */
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

/** Objects of any fields, some of them required. */
const body = fc
  .dictionary(fc.stringMatching(/^[a-z]{1,8}$/), property, { minKeys: 1, maxKeys: 5, noNullPrototype: true })
  .chain((properties) => fc.tuple(fc.constant(properties), fc.subarray(Object.keys(properties))));

test('what is made from a schema satisfies it', () => {
  fc.assert(
    fc.property(property, (schema) => expect(satisfies(schema, sample(schema))).toBe(true)),
    { numRuns: 50 },
  );
  for (const { body: own } of operations) if (own) expect(satisfies(own.schema, sample(own.schema))).toBe(true);
});

test('the schemas of the service get these cases', () => {
  expect(titles(operationOf('addPet'))).toEqual([
    ...['name is missing', 'categoryId is missing'],
    ...['a number', 'a boolean', 'null', 'an object', 'an array'].map((kind) => `name is ${kind}`),
    ...['a string', 'a fraction', 'a boolean', 'null', 'an object', 'an array'].map((kind) => `categoryId is ${kind}`),
    ...['a number', 'a boolean', 'null', 'an object', 'an array'].map((kind) => `status is ${kind}`),
    ...['status is "conformance-unknown"', 'status is "AVAILABLE"', 'there is no body', 'the body is malformed JSON'],
    ...['an array', 'a string', 'a number', 'null'].map((kind) => `the body is ${kind}`),
  ]);
  expect(queryCases(operationOf('listPets')).map(({ title, valid }) => `${title} ${valid}`)).toEqual([
    ...['limit=1 true', 'limit=100 true', 'limit=0 false', 'limit=-1 false', 'limit=101 false', 'limit=1000 false'],
    ...['limit=abc false', 'status=available true', 'status=pending true', 'status=sold true'],
    'status=conformance-unknown false',
  ]);
});

test('each faulty body has one fault: with one field put right it is valid', () => {
  fc.assert(
    fc.property(body, ([properties, required]) => {
      const of = bodyOf(properties, required);
      const { schema } = of.body as { schema: Schema };
      const valid = Object.fromEntries(Object.entries(properties).map(([name, own]) => [name, sample(own)])) as Record<
        string,
        Json
      >;
      expect(satisfies(schema, valid)).toBe(true);
      for (const row of bodyCases(of)) {
        const text = textOf(row.body(valid));
        if (row.name.endsWith(' missing') || row.name.endsWith(' malformed')) {
          expect(() => parseJson(text)).toThrow();
          continue;
        }
        const { value } = parseJson(text);
        expect(satisfies(schema, value), row.title).toBe(false);
        if (row.name === 'addToy body type') continue;
        const faulty = value as Record<string, Json>;
        const wrong = Object.keys(valid).filter((name) => toJson(faulty[name] ?? null) !== toJson(valid[name] ?? null));
        expect(wrong, row.title).toHaveLength(1);
        expect(satisfies(schema, { ...faulty, [wrong[0] as string]: valid[wrong[0] as string] as Json })).toBe(true);
      }
    }),
    { numRuns: 60 },
  );
});

test('every required field is left out once, and every field gets each type that it does not allow', () => {
  fc.assert(
    fc.property(body, ([properties, required]) => {
      const cases = titles(bodyOf(properties, required));
      for (const name of Object.keys(properties)) {
        expect(cases.filter((title) => title === `${name} is missing`)).toHaveLength(required.includes(name) ? 1 : 0);
        // Seven JSON types: a value of every one that the schema does not take, but one number where it takes none.
        expect(cases.filter((title) => title.startsWith(`${name} is `)).length).toBeGreaterThanOrEqual(4);
      }
    }),
    { numRuns: 60 },
  );
});

test('a new value of an enumeration is asked for, and no longer taken for an unknown one', () => {
  const status = (values: string[]) =>
    operation({
      method: 'GET',
      parameters: [{ name: 'status', in: 'query', schema: { type: 'string', enum: values } }],
    });
  const asked = (values: string[]) => queryCases(status(values)).map(({ value, valid }) => `${value} ${valid}`);
  expect(asked(['a'])).toEqual(['a true', 'conformance-unknown false']);
  expect(asked(['a', 'b'])).toEqual(['a true', 'b true', 'conformance-unknown false']);
  const field = bodyOf({ size: { type: 'string', enum: ['s', 'S', 'm'] } }, []);
  expect(titles(field)).toContain('size is "conformance-unknown"');
  expect(titles(field)).not.toContain('size is "S"');
});

test('new bounds are asked for on both sides', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 50 }), fc.integer({ min: 51, max: 5000 }), (minimum, maximum) => {
      const rows = queryCases(
        operation({ parameters: [{ name: 'page', in: 'query', schema: { type: 'integer', minimum, maximum } }] }),
      );
      for (const { value, valid } of rows.filter((row) => row.value !== 'abc'))
        expect(valid).toBe(Number(value) >= minimum && Number(value) <= maximum);
      const values = rows.map(({ value }) => value);
      for (const value of [minimum, maximum, minimum - 1, maximum + 1, 'abc']) expect(values).toContain(String(value));
    }),
  );
});

test('a body that need not be there is not missed', () => {
  expect(titles(bodyOf({ name: { type: 'string' } }, [], false))).not.toContain('there is no body');
});

test('bodies go out as JSON, or as the bytes and the type they are', () => {
  expect([textOf({ json: { id: 2n ** 62n } }), typeOf({ json: 1 })]).toEqual([
    '{"id":4611686018427387904}',
    'application/json',
  ]);
  expect([textOf({ bytes: '{' }), typeOf({ bytes: '{', type: 'text/plain' })]).toEqual(['{', 'text/plain']);
});

test('a valid request has its path filled in, and what is required', () => {
  const toy = operation({
    path: '/toys/{toyId}/parts/{part}',
    parameters: [
      { name: 'toyId', in: 'path', required: true, schema: { type: 'integer', minimum: 5 } },
      { name: 'part', in: 'path', required: true, schema: { type: 'string' } },
      { name: 'lang', in: 'query', required: true, schema: { type: 'string', enum: ['d e'] } },
      { name: 'limit', in: 'query', schema: { type: 'integer' } },
    ],
  });
  expect(validRequest(toy).path).toBe('/toys/5/parts/conformance?lang=d%20e');
  expect(validRequest(toy, { part: 'a/b' }).path).toBe('/toys/5/parts/a%2Fb?lang=d%20e');
});

test('an operation is asked something wrong, where anything about it can be wrong', () => {
  expect(faultyRequest(operationOf('addPet'))?.title).toBe('name is missing');
  expect(faultyRequest(operationOf('listPets'))?.path).toBe('/pets?limit=0');
  expect(faultyRequest(operationOf('getPet'))?.path).toBe('/pets/4611686018427387847');
  expect(faultyRequest(operationOf('listOrders'))).toBeUndefined();
});

test('a wrong value and a required parameter go out together', () => {
  const toys = operation({
    method: 'GET',
    parameters: [
      { name: 'lang', in: 'query', required: true, schema: { type: 'string', enum: ['de'] } },
      { name: 'limit', in: 'query', schema: { type: 'integer', minimum: 1 } },
    ],
  });
  expect(faultyRequest(toys)?.path).toBe('/toys?lang=conformance-unknown');
  const [lang, limit] = toys.parameters;
  const other = {
    ...toys,
    parameters: [
      { ...limit, required: true },
      { ...lang, required: false },
    ],
  } as Operation;
  expect(faultyRequest(other)?.path).toBe('/toys?limit=0');
  const plain = { ...toys, parameters: [{ ...lang, schema: { type: 'string' } }, limit] } as Operation;
  expect(faultyRequest(plain)?.path).toBe('/toys?lang=conformance&limit=0');
});
