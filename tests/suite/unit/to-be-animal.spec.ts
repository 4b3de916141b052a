import { expect } from '@playwright/test';
import type { Json } from '../../../fixtures/contract/json.ts';
import { toBeAnimal, toEcho } from '../../../fixtures/expect/matchers.ts';
import type { Difference } from '../../../fixtures/judge/finding.ts';
import { answer, differencesOf, type Given, pet, runMatcher, test } from './make.ts';

const got = (given: Given, sent: Record<string, Json>, id?: string): string =>
  runMatcher(() => toBeAnimal(answer({ operation: 'getPet', ...given }), sent, id));

const wrong = (given: Given, sent: Record<string, Json>): readonly Difference[] =>
  differencesOf(toBeAnimal(answer({ operation: 'getPet', ...given }), sent));

test('toBeAnimal passes if every sent field came back', () => {
  expect(got({}, { name: 'Rex', categoryId: 1, status: 'available' }, '7')).toBe('passes');
  // Unsent fields and a sent id are not compared.
  expect(got({}, { name: 'Rex', id: 99 })).toBe('passes');
  expect(got({ body: pet(7, { tags: [] }) }, { name: 'Rex' })).toBe('passes');
});

test('an integer is equal in any notation', () => {
  expect(got({ body: { text: '{"id":7,"name":"Rex","categoryId":1.0}' } }, { categoryId: 1 })).toBe('passes');
  expect(got({ body: pet(7, { categoryId: 2n ** 53n + 1n }) }, { categoryId: 2n ** 53n + 1n })).toBe('passes');
});

test('toBeAnimal fails if a field differs, and names it', () => {
  expect(got({}, { name: 'rex' })).toBe('fails: name is "Rex"');
  expect(wrong({}, { name: 'rex' })).toEqual([
    {
      layer: 'value',
      kind: 'changed value',
      place: '/name',
      expected: '"rex"',
      actual: '"Rex"',
      animal: { id: '7', name: 'rex' },
    },
  ]);
  expect(wrong({ body: pet(7, { categoryId: '1' }) }, { categoryId: 1 })).toMatchObject([
    { place: '/categoryId', expected: '1', actual: '"1"', change: { how: 'text for a number' } },
  ]);
  const beyond = 2n ** 53n + 1n;
  expect(wrong({ body: pet(7, { categoryId: beyond - 1n }) }, { categoryId: beyond })).toMatchObject([
    { expected: '9007199254740993', actual: '9007199254740992', change: { how: 'rounded to a double' } },
  ]);
  const bare = { id: 7, name: 'Rex', categoryId: 1 };
  expect(wrong({ body: bare }, { status: 'sold' })).toMatchObject([
    { kind: 'lost value', place: '/status', expected: '"sold"' },
  ]);
  expect(got({ body: bare }, { status: 'sold' })).toBe('fails: status is missing');
  expect(got({ body: pet(7, { status: null }) }, { status: 'sold' })).toMatch(/^fails: status is null/);
});

test('a new field of the contract is compared', () => {
  expect(got({ body: pet(7, { weight: 3 }) }, { weight: 3 })).toBe('passes');
  expect(got({}, { weight: 3 })).toBe('fails: weight is missing');
});

test('a name is compared to the last code point', () => {
  expect(got({ body: pet(7, { name: 'Zo\u00eb 🦊' }) }, { name: 'Zo\u00eb 🦊' })).toBe('passes');
  for (const name of ['Zoe\u0308 🦊', 'Zo? 🦊', 'Zo\u00eb 🦊 ', 'Zo\u00eb \ufffd'])
    expect(got({ body: pet(7, { name }) }, { name: 'Zo\u00eb 🦊' })).toMatch(/^fails/);
});

test('toBeAnimal fails on another animal', () => {
  expect(got({}, {}, '8')).toBe('fails: the animal whose id is 7');
  expect(got({ body: pet(2n ** 53n + 1n) }, {}, String(2n ** 53n))).toContain(
    'the animal whose id is 9007199254740993',
  );
});

test('toBeAnimal is cantTell if the answer is not an animal', () => {
  for (const body of [[], null, 'Rex', { name: 'Rex' }, { id: null }, { id: {} }])
    expect(got({ body }, {})).toMatch(/^cantTell: the answer to GET \/pets\/7 is not an animal: 200/);
  expect(got({ status: 404 }, {})).toMatch(/^cantTell: .* is not an animal: 404/);
  expect(got({ body: { text: '<html>' } }, {})).toMatch(/^cantTell/);
});

test.describe('an answer that echoes', () => {
  const echoed = (body: Json | { text: string }, sent: Record<string, Json>): string =>
    runMatcher(() => toEcho(answer({ operation: 'listOrders', body }), sent));

  test('has the sent values, as far as it shows them', () => {
    expect(echoed({ label: 'x', size: 2 ** 40 }, { label: 'x', size: 2 ** 40 })).toBe('passes');
    expect(echoed({ label: 'x' }, { label: 'x', secret: 'y' })).toBe('passes');
    expect(echoed({ label: 'x', made: 'today' }, { label: 'x' })).toBe('passes');
  });

  test('fails if a value differs', () => {
    expect(echoed({ label: 'X', size: 1 }, { label: 'x', size: 1 })).toBe('fails: label is "X" (in upper case)');
    expect(echoed({ label: null }, { label: 'x' })).toMatch(/^fails/);
    expect(echoed({ parts: [2, 1] }, { parts: [1, 2] })).toMatch(/^fails/);
  });

  test('cannot be judged if it is not an object, or has no sent field', () => {
    for (const body of [[], null, 'x', { text: '' }]) expect(echoed(body, { label: 'x' })).toMatch(/^cantTell/);
    expect(echoed({ made: 'today' }, { label: 'x' })).toMatch(/^(cantTell|inapplicable|untested)/);
  });
});
