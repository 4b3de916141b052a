import { expect } from '@playwright/test';
import fc from 'fast-check';
import { bodySchemaOf, findResponse, operationOf, operations } from '../../../fixtures/contract/contract.ts';
import {
  fitsInt64,
  forAjv,
  newAjv,
  satisfies,
  validatorNamed,
  validatorOf,
} from '../../../fixtures/contract/schemas.ts';
import { error, pet, test } from './make.ts';

const int64 = { type: 'integer', format: 'int64' };

test('int64 is exact over its whole range', () => {
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
});

test('other numbers reach Ajv unchanged, at any depth', () => {
  expect(forAjv({ a: [1, 1.5, { b: 'x' }], c: null })).toEqual({ a: [1, 1.5, { b: 'x' }], c: null });
});

test('a typo in a schema is an error', () => {
  expect(() => newAjv().compile({ type: 'object', requried: ['a'] })).toThrow(/unknown keyword/);
  expect(() => newAjv().compile({ type: 'string', format: 'int46' })).toThrow(/unknown format/);
});

test('every documented response with a schema has its validator', () => {
  for (const operation of operations)
    for (const [status, { content }] of Object.entries(operation.responses))
      expect(`${operation.name} ${status} ${validatorOf(operation, status) !== undefined}`).toBe(
        `${operation.name} ${status} ${content?.['application/json']?.schema !== undefined}`,
      );
});

test('the validators accept valid and refuse invalid values', () => {
  expect(validatorNamed('Pet')?.(pet())).toBe(true);
  expect(validatorNamed('Pet')?.({ ...pet(), status: null })).toBe(false);
  expect(validatorNamed('NewPet')?.({ name: '', categoryId: 0 })).toBe(true);
  expect(validatorNamed('Error')?.(error(404))).toBe(true);
  expect(validatorOf(operationOf('listPets'), '200')?.([pet(), pet('x')])).toBe(false);
});

test('the schema of a response has a name', () => {
  const referenceOf = (id: string, status: number): string | undefined =>
    bodySchemaOf(operationOf(id), findResponse(operationOf(id), status)?.key ?? '')?.$ref;
  expect(referenceOf('listPets', 200)).toBe('#/components/schemas/Pets');
  expect(referenceOf('getPet', 404)).toBe('#/components/schemas/Error');
  expect(referenceOf('listOrders', 204)).toBeUndefined();
  expect(referenceOf('listPets', 418)).toBeUndefined();
});
