import { expect } from '@playwright/test';
import type { Json } from '../../../fixtures/contract/json.ts';
import {
  toBeList,
  toIncludeKnown,
  toHaveLengthBetween,
  toContainOnly,
  toBeRejectedOrValidList,
  toContainEach,
  toContainNoCopy,
  toContainNone,
} from '../../../fixtures/expect/matchers.ts';
import type { Judgement } from '../../../fixtures/judge/judgement.ts';
import type { Added } from '../../../fixtures/plan/row.ts';
import type { Answer } from '../../../fixtures/target/run/answer.ts';
import { describeExpected } from '../../../fixtures/report/model/describe.ts';
import { answer, differencesOf, pet, pets, runMatcher, test } from './make.ts';

const listOf = (...ids: Json[]): Answer => answer({ body: ids.map((id) => pet(id)) });

const added = (
  id: string,
  sent: Record<string, Json> = { name: 'Rex', categoryId: 1, status: 'available' },
): Added => ({ sent, animal: { id, fields: {} } });

test('every list matcher but toBeList and toBeRejectedOrValidList is cantTell without a list', () => {
  const matchings: ((list: Answer) => Judgement)[] = [
    (list) => toHaveLengthBetween(list, 0, 1),
    (list) => toContainOnly(list, 'sold'),
    (list) => toIncludeKnown(list, [], 1),
    (list) => toContainEach(list, [added('1')]),
    (list) => toContainNoCopy(list, new Map()),
    (list) => toContainNone(list, []),
  ];
  for (const match of matchings) {
    for (const body of [{ items: [] }, null, ['Rex'], [{ name: 'Rex' }], { text: '[' }])
      expect(runMatcher(() => match(answer({ body })))).toMatch(
        /^cantTell: .*GET \/pets is not a list of animals: 200/,
      );
    expect(runMatcher(() => match(answer({ status: 404 })))).toMatch(/^cantTell: .* is not a list of animals: 404/);
  }
});

test('toBeList requires a 200 with an array of animals', () => {
  for (const list of [listOf(), listOf(1), listOf('7')]) expect(runMatcher(() => toBeList(list))).toBe('passes');
  for (const body of [{ items: [] }, null, { text: '' }])
    expect(differencesOf(toBeList(answer({ body })))).toMatchObject([
      { kind: 'wrong shape', place: 'body', expected: 'array' },
    ]);
  for (const [item, found] of [
    [1, { kind: 'wrong shape', place: '/*', expected: 'animal', actual: '1' }],
    [{}, { kind: 'missing', place: '/id', actual: '{}' }],
    [{ id: {} }, { kind: 'wrong type', place: '/id', expected: 'integer', actual: '{}' }],
  ] as const)
    expect(differencesOf(toBeList(answer({ body: [pet(), item] })))).toMatchObject([found]);
  expect(runMatcher(() => toBeList(answer({ status: 404 })))).toBe('fails: status 404');
  expect(runMatcher(() => toBeList(answer({ status: 206, body: [] })))).toBe('fails: status 206');
});

test('toHaveLengthBetween requires a length within the bounds', () => {
  for (const [least, most] of [
    [2, 2],
    [0, 2],
    [1, 9],
    [2, Infinity],
  ] as const)
    expect(runMatcher(() => toHaveLengthBetween(listOf(1, 2), least, most))).toBe('passes');
  expect(runMatcher(() => toHaveLengthBetween(listOf(), 0, 0))).toBe('passes');
  expect(runMatcher(() => toHaveLengthBetween(listOf(1, 2), 3, 3))).toBe('fails: 2 animals');
  expect(runMatcher(() => toHaveLengthBetween(listOf(1, 2), 0, 1))).toBe('fails: 2 animals');
  expect(runMatcher(() => toHaveLengthBetween(listOf(), 1, 5))).toBe('fails: 0 animals');
});

test('toHaveLengthBetween shows the expected length', () => {
  const expected = (count: number, least: number, most: number): string =>
    describeExpected({ differences: differencesOf(toHaveLengthBetween(answer({ body: pets(count) }), least, most)) });
  expect(expected(1, 2, 2)).toBe('at least 2 animals without limit: so many exist');
  expect(expected(3, 2, 2)).toBe('at most 2 animals without limit');
  expect(expected(0, 1, 5)).toMatch(/^at least 1 animals? without limit: so many exist$/);
  expect(expected(6, 1, 5)).toBe('at most 5 animals without limit');
  expect(expected(2, 0, 1)).toMatch(/^at most 1 animals? without limit$/);
  expect(expected(0, 2, Infinity)).toBe('at least 2 animals without limit: so many exist');
});

test('toContainOnly requires one status', () => {
  expect(runMatcher(() => toContainOnly(answer({ body: pets(3, { status: 'sold' }) }), 'sold'))).toBe('passes');
  expect(runMatcher(() => toContainOnly(listOf(), 'sold'))).toBe('passes');
  const mixed = answer({ body: [...pets(2, { status: 'sold' }), pet(9)] });
  expect(runMatcher(() => toContainOnly(mixed, 'sold'))).toBe('fails: 1 of 3 items with status "available"');
  expect(runMatcher(() => toContainOnly(answer({ body: [{ id: 1, name: 'Rex' }] }), 'sold'))).toBe(
    'fails: 1 of 1 item with status absent',
  );
  expect(runMatcher(() => toContainOnly(answer({ body: pets(1, { status: 'SOLD' }) }), 'sold'))).toBe(
    'fails: 1 of 1 item with status "SOLD"',
  );
});

test('toIncludeKnown requires every added animal, or any if the list is cut', () => {
  expect(runMatcher(() => toIncludeKnown(listOf(1, 2), [added('1')], 3))).toBe('passes');
  expect(runMatcher(() => toIncludeKnown(listOf(2), [added('1')], 3))).toBe('fails: a list without the animal 1');
  expect(runMatcher(() => toIncludeKnown(listOf(), [added('1')], 3))).toBe('fails: a list without the animal 1');
  // A full list: missing animals may be beyond it.
  expect(runMatcher(() => toIncludeKnown(listOf(2), [added('1')], 1))).toBe('passes');
  expect(runMatcher(() => toIncludeKnown(listOf(2), [], 100))).toBe('passes');
  expect(runMatcher(() => toIncludeKnown(listOf(), [], 100))).toBe('fails: a list without an animal');
});

test('toBeRejectedOrValidList allows refusal, clamping, default or an empty list', () => {
  const odd = { limit: '1000' };
  for (const count of [0, 20, 100])
    expect(runMatcher(() => toBeRejectedOrValidList(answer({ query: odd, body: pets(count) })))).toBe('passes');
  for (const status of [400, 404, 422])
    expect(runMatcher(() => toBeRejectedOrValidList(answer({ query: odd, status })))).toBe('passes');
  expect(runMatcher(() => toBeRejectedOrValidList(answer({ query: odd, body: pets(101) })))).toBe('fails: 101 animals');
  expect(runMatcher(() => toBeRejectedOrValidList(answer({ query: odd, body: { items: [] } })))).toBe(
    'fails: {"items":[]}',
  );
  const lost = { status: 'lost' };
  expect(runMatcher(() => toBeRejectedOrValidList(answer({ query: lost, body: [] })))).toBe('passes');
  expect(runMatcher(() => toBeRejectedOrValidList(answer({ query: lost, body: pets(1) })))).toBe(
    'fails: 1 of 1 item with status "available"',
  );
  expect(differencesOf(toBeRejectedOrValidList(answer({ query: lost, body: pets(1) })))).toMatchObject([
    { kind: 'not filtered', place: 'query status', expected: 'lost', actual: ['"available"'] },
  ]);
});

test('toContainEach requires each animal, once, unchanged', () => {
  const beyond = '9007199254740993';
  const shown = (list: Answer, ...wanted: Added[]): string => runMatcher(() => toContainEach(list, wanted));
  expect(shown(listOf(1, BigInt(beyond), 2), added(beyond), added('1'))).toBe('passes');
  // Without an addition a list cannot lack one.
  expect(shown(listOf(1))).not.toBe('passes');
  expect(shown(listOf(BigInt(beyond) - 1n), added(beyond))).toBe(`fails: a list without the animal ${beyond}`);
  expect(shown(listOf(1, 1), added('1'))).toBe('fails: the animal 1 more than once');
  expect(shown(listOf(1), added('1', { name: 'Tom' }))).toBe('fails: name is "Rex"');
  expect(differencesOf(toContainEach(listOf(2, 1), [added('1', { name: 'Tom' })]))).toMatchObject([
    { place: '/name', expected: '"Tom"', actual: '"Rex"', animal: { id: '1', name: 'Tom' }, pointer: '/1' },
  ]);
  expect(shown(listOf(2), added('1'), added('3'))).toBe(
    'fails: a list without the animal 1; a list without the animal 3',
  );
});

test('toContainNoCopy refuses more animals of a name than requests', () => {
  const shown = (list: Answer, requests: number): string =>
    runMatcher(() => toContainNoCopy(list, new Map([['Rex', requests]])));
  expect(shown(listOf(1), 1)).toBe('passes');
  expect(shown(listOf(), 1)).toBe('passes');
  expect(shown(listOf(1, 2), 2)).toBe('passes');
  // A name of another run.
  expect(shown(answer({ body: [pet(1, { name: 'Tom' }), pet(2, { name: 'Tom' })] }), 1)).toBe('passes');
  expect(shown(listOf(1, 2), 1)).toBe('fails: 2 animals named Rex, of 1 request that was not rejected');
});

test('toContainNone refuses every rejected name', () => {
  const rejected = ['conformance-abcdef-refused-a-', 'conformance-abcdef-more-1'];
  const shown = (list: Answer): string => runMatcher(() => toContainNone(list, rejected));
  expect(shown(listOf(1))).toBe('passes');
  expect(shown(listOf())).toBe('passes');
  // The schema judges a name that is not a string.
  expect(shown(answer({ body: [pet(1, { name: 5 })] }))).toBe('passes');
  const named = (name: string): string => shown(answer({ body: [pet(1), pet(2, { name })] }));
  expect(named('conformance-abcdef-refused-a-\0')).toBe('fails: 1 of them, such as the animal 2');
  expect(named('conformance-abcdef-more-1')).toBe('fails: 1 of them, such as the animal 2');
  // Of another addition, which was accepted.
  expect(named('conformance-abcdef-more-12')).toBe('passes');
});
