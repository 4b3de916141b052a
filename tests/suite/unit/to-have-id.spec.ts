import { expect } from '@playwright/test';
import type { Json } from '../../../fixtures/contract/json.ts';
import { toHaveAnimalId, toHaveDistinctIds, toHaveIdOtherThan } from '../../../fixtures/expect/animals.ts';
import type { Kind } from '../../../fixtures/judge/finding.ts';
import type { Answer } from '../../../fixtures/target/run/answer.ts';
import { answer, differencesOf, pet, said, test } from './make.ts';

const added = (id: Json): Answer => answer({ operation: 'addPet', status: 201, body: pet(id) });
const refused = (status: number): Answer => answer({ operation: 'addPet', status });

test('an answer carries an id, or it does not', () => {
  for (const id of [1, 0, -1, 2n ** 63n - 1n, '17']) expect(said(() => toHaveAnimalId(added(id)))).toBe('passes');
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
  // The id in an Error is not that of an animal.
  expect(said(() => toHaveAnimalId(answer({ operation: 'addPet', status: 400, body: pet() })))).toBe(
    'fails: status 400',
  );
});

test('an id is not the one that the request brought', () => {
  expect(said(() => toHaveIdOtherThan(added(1), '2'))).toBe('passes');
  expect(said(() => toHaveIdOtherThan(refused(400), '2'))).toBe('passes');
  expect(said(() => toHaveIdOtherThan(added(4611686018427387847n), '4611686018427387847'))).toBe(
    'fails: the id 4611686018427387847, taken from the body',
  );
  expect(said(() => toHaveIdOtherThan(added(4611686018427387846n), '4611686018427387847'))).toBe('passes');
  expect(said(() => toHaveIdOtherThan(added('2'), '2'))).toBe('fails: the id 2, taken from the body');
});

test('ids differ to the last digit', () => {
  expect(said(() => toHaveDistinctIds([added(2n ** 53n), added(2n ** 53n + 1n)]))).toBe('passes');
  expect(said(() => toHaveDistinctIds([added(1), refused(409), added(2)]))).toBe('passes');
  const [other, ...twins] = [added(4), added(5), added(5)] as const;
  expect(toHaveDistinctIds([other, ...twins])).toMatchObject({
    kind: 'violated',
    violations: [
      { differences: [{ kind: 'repeated id', actual: '5' }], exchanges: twins.map(({ exchange }) => exchange) },
    ],
    judged: [other, ...twins].map(({ exchange }) => exchange),
  });
});

test('fewer than two ids say nothing of whether they differ', () => {
  // Of two equal animals the second one may be refused with 409.
  expect(said(() => toHaveDistinctIds([added(1), refused(409)]))).toMatch(/^untested: /);
  expect(said(() => toHaveDistinctIds([refused(400), refused(400)]))).toMatch(/^untested: /);
});
