import { expect } from '@playwright/test';
import type { Json } from '../../../fixtures/contract/json.ts';
import { toHaveAnimalId, toHaveDistinctIds, toHaveIdOtherThan } from '../../../fixtures/expect/matchers.ts';
import type { Kind } from '../../../fixtures/judge/finding.ts';
import type { Answer } from '../../../fixtures/target/run/answer.ts';
import { answer, differencesOf, pet, runMatcher, test } from './make.ts';

const added = (id: Json): Answer => answer({ operation: 'addPet', status: 201, body: pet(id) });
const refused = (status: number): Answer => answer({ operation: 'addPet', status });

test('toCarryId finds a valid id', () => {
  for (const id of [1, 0, -1, 2n ** 63n - 1n, '17']) expect(runMatcher(() => toHaveAnimalId(added(id)))).toBe('passes');
  for (const [body, kind, place] of [
    [{ name: 'Rex', categoryId: 1 }, 'missing', '/id'],
    [{ id: null }, 'wrong type', '/id'],
    [{ id: true }, 'wrong type', '/id'],
    [[pet()], 'wrong shape', 'body'],
    ['Rex', 'wrong shape', 'body'],
    [null, 'wrong shape', 'body'],
  ] satisfies readonly [Json, Kind, string][]) {
    const found = toHaveAnimalId(answer({ operation: 'addPet', status: 201, body }));
    expect(differencesOf(found)).toMatchObject([{ kind, place }]);
  }
  // The id in an Error does not count.
  expect(runMatcher(() => toHaveAnimalId(answer({ operation: 'addPet', status: 400, body: pet() })))).toBe(
    'fails: status 400',
  );
});

test('toHaveIdOtherThan fails on the id of the request', () => {
  expect(runMatcher(() => toHaveIdOtherThan(added(1), '2'))).toBe('passes');
  expect(runMatcher(() => toHaveIdOtherThan(refused(400), '2'))).toBe('passes');
  expect(runMatcher(() => toHaveIdOtherThan(added(4611686018427387847n), '4611686018427387847'))).toBe(
    'fails: the id 4611686018427387847, taken from the body',
  );
  expect(runMatcher(() => toHaveIdOtherThan(added(4611686018427387846n), '4611686018427387847'))).toBe('passes');
  expect(runMatcher(() => toHaveIdOtherThan(added('2'), '2'))).toBe('fails: the id 2, taken from the body');
});

test('toHaveDistinctIds compares every digit', () => {
  expect(runMatcher(() => toHaveDistinctIds([added(2n ** 53n), added(2n ** 53n + 1n)]))).toBe('passes');
  expect(runMatcher(() => toHaveDistinctIds([added(1), refused(409), added(2)]))).toBe('passes');
  const [other, ...duplicates] = [added(4), added(5), added(5)] as const;
  expect(toHaveDistinctIds([other, ...duplicates])).toMatchObject({
    kind: 'violated',
    violations: [
      { differences: [{ kind: 'repeated id', actual: '5' }], exchanges: duplicates.map(({ exchange }) => exchange) },
    ],
    judged: [other, ...duplicates].map(({ exchange }) => exchange),
  });
});

test('toHaveDistinctIds needs two ids', () => {
  // A duplicate may be refused with 409.
  expect(runMatcher(() => toHaveDistinctIds([added(1), refused(409)]))).toMatch(/^untested: /);
  expect(runMatcher(() => toHaveDistinctIds([refused(400), refused(400)]))).toMatch(/^untested: /);
});
