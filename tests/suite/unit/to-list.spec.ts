import { expect } from '@playwright/test';
import type { Json } from '../../../fixtures/contract/json.ts';
import { toBeList } from '../../../fixtures/expect/to-be-list.ts';
import { toFind } from '../../../fixtures/expect/to-find.ts';
import { toHoldBetween } from '../../../fixtures/expect/to-hold-between.ts';
import { toHoldOnly } from '../../../fixtures/expect/to-hold-only.ts';
import { toKeepTheRules } from '../../../fixtures/expect/to-keep-the-rules.ts';
import { toShowEach } from '../../../fixtures/expect/to-show-each.ts';
import { toShowNone } from '../../../fixtures/expect/to-show-none.ts';
import type { Match } from '../../../fixtures/expect/matcher.ts';
import type { Added } from '../../../fixtures/plan/row.ts';
import type { Answer } from '../../../fixtures/target/answer.ts';
import { answer, pet, pets, said, test } from './make.ts';

const listOf = (...ids: Json[]): Answer => answer({ body: ids.map((id) => pet(id)) });

const added = (
  id: string,
  sent: Record<string, Json> = { name: 'Rex', categoryId: 1, status: 'available' },
): Added => ({ sent, animal: { id, fields: {} } });

test('every one but toBeList and toKeepTheRules cannot tell where the answer is no list', () => {
  const matchings: ((list: Answer) => Match)[] = [
    (list) => toHoldBetween(list, 0, 1),
    (list) => toHoldOnly(list, 'sold'),
    (list) => toFind(list, [], 1),
    (list) => toShowEach(list, [added('1')]),
    (list) => toShowNone(list, []),
  ];
  for (const match of matchings) {
    for (const body of [{ items: [] }, null, ['Rex'], [{ name: 'Rex' }], { text: '[' }])
      expect(said(() => match(answer({ body })))).toMatch(/^cannot tell: .*GET \/pets is not a list of animals: 200/);
    expect(said(() => match(answer({ status: 404 })))).toMatch(/^cannot tell: .* is not a list of animals: 404/);
  }
});

test('toBeList: a 200 with an array of animals', () => {
  for (const list of [listOf(), listOf(1), listOf('7')]) expect(said(() => toBeList(list))).toBe('passes');
  for (const body of [{ items: [] }, null, [1], [{}], { text: '' }])
    expect(said(() => toBeList(answer({ body })))).toMatch(/^fails: 200/);
  expect(said(() => toBeList(answer({ status: 404 })))).toMatch(/^fails: 404/);
  expect(said(() => toBeList(answer({ status: 206, body: [] })))).toMatch(/^fails: 206/);
});

test('toHoldBetween: so many, no more and no fewer', () => {
  for (const [least, most] of [
    [2, 2],
    [0, 2],
    [1, 9],
    [2, Infinity],
  ] as const)
    expect(said(() => toHoldBetween(listOf(1, 2), least, most))).toBe('passes');
  expect(said(() => toHoldBetween(listOf(), 0, 0))).toBe('passes');
  expect(said(() => toHoldBetween(listOf(1, 2), 3, 3))).toBe('fails: 200 with 2 animals');
  expect(said(() => toHoldBetween(listOf(1, 2), 0, 1))).toBe('fails: 200 with 2 animals');
  expect(said(() => toHoldBetween(listOf(), 1, 5))).toBe('fails: 200 with 0 animals');
});

test('toHoldBetween: says what is allowed', () => {
  const allowed = (least: number, most: number): string => toHoldBetween(listOf(1), least, most).allowed;
  expect(allowed(2, 2)).toBe('200 with exactly 2 animals, since so many are known');
  expect(allowed(1, 5)).toBe('200 with at least 1 and at most 5 animals');
  expect(allowed(0, 1)).toBe('200 with at most 1 animal');
  expect(allowed(1, Infinity)).toBe('200 with at least 1 animal');
});

test('toHoldOnly: that status alone', () => {
  expect(said(() => toHoldOnly(answer({ body: pets(3, { status: 'sold' }) }), 'sold'))).toBe('passes');
  expect(said(() => toHoldOnly(listOf(), 'sold'))).toBe('passes');
  const mixed = answer({ body: [...pets(2, { status: 'sold' }), pet(9)] });
  expect(said(() => toHoldOnly(mixed, 'sold'))).toBe('fails: 1 other among them: 9 "Rex" available');
  expect(said(() => toHoldOnly(answer({ body: [{ id: 1, name: 'Rex' }] }), 'sold'))).toMatch(/^fails: 1 other/);
  expect(said(() => toHoldOnly(answer({ body: pets(1, { status: 'SOLD' }) }), 'sold'))).toMatch(/^fails/);
});

test('toFind: each that was added where there is room for all, and any where the list is cut', () => {
  expect(said(() => toFind(listOf(1, 2), [added('1')], 3))).toBe('passes');
  expect(said(() => toFind(listOf(2), [added('1')], 3))).toMatch(/^fails: the animal 1 is not there/);
  expect(said(() => toFind(listOf(), [added('1')], 3))).toMatch(/^fails: the animal 1 is not there/);
  // As many as it may hold: what is missing may lie beyond.
  expect(said(() => toFind(listOf(2), [added('1')], 1))).toBe('passes');
  expect(said(() => toFind(listOf(2), [], 100))).toBe('passes');
  expect(said(() => toFind(listOf(), [], 100))).toBe('fails: 200 with an empty list');
});

test('toKeepTheRules: an odd parameter is refused, clamped, defaulted or answered with nothing', () => {
  const odd = { limit: '1000' };
  for (const count of [0, 20, 100])
    expect(said(() => toKeepTheRules(answer({ query: odd, body: pets(count) })))).toBe('passes');
  for (const status of [400, 404, 422])
    expect(said(() => toKeepTheRules(answer({ query: odd, status })))).toBe('passes');
  expect(said(() => toKeepTheRules(answer({ query: odd, body: pets(101) })))).toMatch(/^fails: 200 with 101 animals/);
  expect(said(() => toKeepTheRules(answer({ query: odd, body: { items: [] } })))).toMatch(/^fails: 200/);
  const lost = { status: 'lost' };
  expect(said(() => toKeepTheRules(answer({ query: lost, body: [] })))).toBe('passes');
  expect(said(() => toKeepTheRules(answer({ query: lost, body: pets(1) })))).toMatch(/^fails: 200 with 1 animal/);
  expect(toKeepTheRules(answer({ query: lost, body: [] })).allowed).toBe('a 4xx Error, or 200 with an empty list');
});

test('toShowEach: each of them, once, as it was added', () => {
  const beyond = '9007199254740993';
  const shown = (list: Answer, ...wanted: Added[]): string => said(() => toShowEach(list, wanted));
  expect(shown(listOf(1, BigInt(beyond), 2), added(beyond), added('1'))).toBe('passes');
  // Where nothing was added there is nothing that a list could fail to show.
  expect(shown(listOf(1))).not.toBe('passes');
  expect(shown(listOf(BigInt(beyond) - 1n), added(beyond))).toContain(`the animal ${beyond} is not there (added as`);
  expect(shown(listOf(1, 1), added('1'))).toBe('fails: the animal 1 is there 2 times');
  expect(shown(listOf(1), added('1', { name: 'Tom' }))).toBe(
    'fails: the animal 1: name is "Rex", and was sent as "Tom"',
  );
  expect(shown(listOf(2), added('1'), added('3'))).toMatch(/animal 1 is not there .*animal 3 is not there/);
});

test('toShowNone: none of those refused', () => {
  const shown = (list: Answer): string => said(() => toShowNone(list, ['refused-a', 'refused-b']));
  expect(shown(listOf(1))).toBe('passes');
  expect(shown(listOf())).toBe('passes');
  // A name that is no string is for the schema to miss.
  expect(shown(answer({ body: [pet(1, { name: 5 })] }))).toBe('passes');
  expect(shown(answer({ body: [pet(1), pet(2, { name: 'x-refused-a' })] }))).toBe(
    'fails: 1 of them are there: 2 "x-refused-a" available',
  );
});
