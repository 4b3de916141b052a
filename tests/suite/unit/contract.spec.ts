/** The contract of the service: its operations, its schemas and its validators. */
import fc from 'fast-check';
import { checkContract } from '../../../fixtures/contract/check.ts';
import * as contract from '../../../fixtures/contract/contract.ts';
import { findValidator, fitsInt64, forAjv, newAjv, satisfies } from '../../../fixtures/contract/schemas.ts';
import { expect, test } from './make.ts';

test('the contract is sound, and every operation of the specification has the successes of the contract', async () => {
  const { ADD, GET, isSpecified, LIST, operations, ORDERS, pageLimit, petStatuses, SPECIFIED, successesOf } = contract;
  expect(await checkContract()).toEqual({ mistakes: [], notices: [] });
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
  const edge = fc.constantFrom(2n ** 63n, -(2n ** 63n), 2n ** 53n, -(2n ** 53n), 0n);
  fc.assert(
    fc.property(edge, fc.bigInt({ min: -3n, max: 3n }), (near, by) => {
      const value = near + by;
      const exact = Number.isSafeInteger(Number(value)) ? Number(value) : value;
      expect(satisfies(int64, exact)).toBe(fitsInt64(value));
    }),
  );
  fc.assert(fc.property(fc.bigInt(), (value) => expect(satisfies(int64, value)).toBe(fitsInt64(value))));
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
  const schemas: contract.Schema[] = [
    ...[...ofOne, 'unevaluatedItems', 'unevaluatedProperties'].map((keyword) => ({ [keyword]: one })),
    ...['allOf', 'anyOf', 'oneOf', 'prefixItems'].map((keyword) => ({ [keyword]: [{}, one] })),
    ...['dependentSchemas', 'patternProperties', 'properties'].map((keyword) => ({
      [keyword]: { not: one, $ref: {} },
    })),
  ];
  for (const schema of schemas) expect(findValidator(schema), JSON.stringify(schema)).toBeDefined();
});
