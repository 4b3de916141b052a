import { expect } from '../../../fixtures/index.ts';
import { answer, exchange, messageOf, pet, storeWith, test } from './make.ts';
import type { Added } from '../../../fixtures/target/store.ts';
import type { Json } from '../../../fixtures/target/json.ts';
import type { Answer } from '../../../fixtures/target/answer.ts';

const listOf = (...ids: Json[]) => answer({ body: ids.map((id) => pet(id)) });
const many = (count: number, more: Record<string, Json> = {}) => Array.from({ length: count }, (_, i) => pet(i, more));

const added = (
  id: string,
  sent: Record<string, Json> = { name: 'Rex', categoryId: 1, status: 'available' },
): Added => ({
  sent,
  animal: { id, name: 'Rex', categoryId: 1, status: 'available' },
  answer: answer(),
});

test('every one cannot tell where the answer is no list', () => {
  const matchings: ((list: Answer) => unknown)[] = [
    (list) => expect(list).toListExactly(1, 'why'),
    (list) => expect(list).toListSome('why'),
    (list) => expect(list).toListOnly('sold'),
    (list) => expect(list).toListAsMany(storeWith(), { limit: 1 }),
    (list) => expect(list).toShowEach([]),
    (list) => expect(list).toShowNone([]),
  ];
  for (const match of matchings) {
    for (const body of [{ items: [] }, null, ['Rex'], [{ name: 'Rex' }]])
      expect(() => match(answer({ body }))).toThrow(/GET \/pets is not a list of animals: 200/);
    expect(() => match(answer({ status: 404 }))).toThrow(expect.objectContaining({ name: 'CannotTell' }));
    expect(() => match(answer({ status: 429 }))).toThrow(/rate limited/);
    expect(() => match(answer({ status: 401 }))).toThrow(/valid key was refused/);
  }
});

test('toListExactly: so many, no more and no fewer', () => {
  expect(listOf(1, 2)).toListExactly(2, 'why');
  expect(listOf()).toListExactly(0, 'why');
  for (const list of [listOf(1), listOf(1, 2, 3)])
    expect(messageOf(() => expect(list).toListExactly(2, 'three are there'))).toContain(
      '200 with exactly 2 animals (three are there)',
    );
});

test('toListSome: not empty', () => {
  expect(listOf(1)).toListSome('why');
  expect(messageOf(() => expect(listOf()).toListSome('one was added'))).toContain(
    'allowed   200 with at least one animal (one was added)\n  received  200 with an empty list',
  );
});

test('toListOnly: that status alone', () => {
  expect(answer({ body: many(3, { status: 'sold' }) })).toListOnly('sold');
  expect(listOf()).toListOnly('sold');
  const mixed = answer({ body: [...many(2, { status: 'sold' }), pet(9)] });
  expect(messageOf(() => expect(mixed).toListOnly('sold'))).toContain('1 others among them: 9 "Rex" available');
  expect(answer({ body: [{ id: 1, name: 'Rex', categoryId: 1 }] })).not.toListOnly('sold');
});

test('toBeList: a 200 with an array of animals', () => {
  expect(listOf()).toBeList();
  expect(listOf('7')).toBeList();
  expect(messageOf(() => expect(answer({ body: { items: [] } })).toBeList())).toContain(
    'allowed   200 with an array of animals',
  );
  expect(answer({ status: 404 })).not.toBeList();
});

test('toListAsMany: exactly limit where so many are known, no more otherwise', () => {
  const knowing = (count: number) => storeWith(exchange({ body: many(count) }));
  expect(listOf(1, 2)).toListAsMany(knowing(2), { limit: 2 });
  expect(listOf(1)).toListAsMany(knowing(1), { limit: 2 });
  // Others may have added one meanwhile.
  expect(listOf(1, 2)).toListAsMany(knowing(1), { limit: 2 });
  expect(listOf()).toListAsMany(knowing(5), { limit: 2, status: 'sold' });
  expect(messageOf(() => expect(listOf(1)).toListAsMany(knowing(2), { limit: 2 }))).toContain(
    '200 with exactly 2 animals (2 are known)',
  );
  expect(messageOf(() => expect(listOf(1, 2, 3)).toListAsMany(knowing(1), { limit: 2 }))).toContain(
    '200 with at most 2 animals',
  );
});

test('toKeepTheRules: an odd parameter is refused, clamped, defaulted or answered with nothing', () => {
  const odd = { limit: '1000' };
  for (const count of [0, 20, 100]) expect(answer({ query: odd, body: many(count) })).toKeepTheRules();
  for (const status of [400, 404, 422]) expect(answer({ query: odd, status })).toKeepTheRules();
  expect(messageOf(() => expect(answer({ query: odd, body: many(101) })).toKeepTheRules())).toContain(
    'a 4xx Error, or 200 with at most 100 animals',
  );
  const lost = { status: 'lost' };
  expect(answer({ query: lost, body: [] })).toKeepTheRules();
  expect(messageOf(() => expect(answer({ query: lost, body: many(1) })).toKeepTheRules())).toContain(
    'a 4xx Error, or 200 with an empty list',
  );
  expect(answer({ query: odd, body: { items: [] } })).not.toKeepTheRules();
});

test('toShowEach: each of them, once, as it was added', () => {
  const beyond = '9007199254740993';
  expect(listOf(1, BigInt(beyond), 2)).toShowEach([added(beyond), added('1')]);
  expect(listOf()).toShowEach([]);
  const messages = (list: Answer, ...wanted: Added[]) => messageOf(() => expect(list).toShowEach(wanted));
  expect(messages(listOf(BigInt(beyond) - 1n), added(beyond))).toContain(`the animal ${beyond} is not there (added as`);
  expect(messages(listOf(1, 1), added('1'))).toContain('the animal 1 is there 2 times');
  expect(messages(listOf(1), added('1', { name: 'Tom' }))).toContain('name is "Rex", and was added as "Tom"');
});

test('toShowNone: none of those refused', () => {
  expect(listOf(1)).toShowNone(['refused-a']);
  const list = answer({ body: [pet(1), pet(2, { name: 'x-refused-a' })] });
  expect(messageOf(() => expect(list).toShowNone(['refused-a', 'refused-b']))).toContain(
    '1 of them are there: 2 "x-refused-a" available',
  );
});
