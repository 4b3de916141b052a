/** A GET by id shows what two other answers agree on: lists around it, or an addition and a list before it. */
import { expect } from '@playwright/test';
import { judgeGetsByOthers } from '../../../fixtures/judge/additions.ts';
import type { Json } from '../../../fixtures/contract/json.ts';
import type { Exchange } from '../../../fixtures/target/http/exchange.ts';
import { addition, describeJudgement, exchange, type Given, pet, test } from './make.ts';

const list = (at: number, more: Record<string, Json> = {}): Exchange => exchange({ at, body: [pet(7, more)] });
const getById = (at: number, more: Record<string, Json> = {}, given: Given = {}): Exchange =>
  exchange({ operation: 'getPet', id: '7', at, body: pet(7, more), ...given });
const judge = (...exchanges: Exchange[]): string => describeJudgement(judgeGetsByOthers(exchanges));
const NOT_JUDGED = /^untested/;

test('an animal of others is the one that the lists before and after show', () => {
  expect(judge(list(1), getById(2), list(3))).toBe('holds: 1 GET request');
  expect(judge(list(1), getById(2, { name: 'Tom' }), list(3))).toMatch(/^violated: name/);
  expect(judge(list(1), getById(2, { categoryId: 2n ** 53n + 1n }), list(3))).toMatch(/^violated: categoryId/);
  // Members beyond the contract may depend on the operation.
  expect(judge(list(1), getById(2, { href: '/7' }), list(3, { href: '/pets' }))).toMatch(/^holds/);
});

test('another client may have changed it', () => {
  expect(judge(list(1), getById(2, { name: 'Tom' }), list(3, { name: 'Tom' }))).toMatch(NOT_JUDGED);
  // A status may change, and change back.
  expect(judge(list(1), getById(2, { status: 'sold' }), list(3))).toMatch(/^holds/);
  expect(judge(list(1), getById(2, { status: 'sold' }))).toMatch(NOT_JUDGED);
  expect(judge(getById(2, { status: 'sold' }), list(3))).toMatch(NOT_JUDGED);
  const patch = exchange({ operation: null, method: 'PATCH', id: '7', at: 1.5 });
  expect(judge(list(1), patch, getById(2, { status: 'sold' }), list(3))).toMatch(NOT_JUDGED);
});

test('an animal of this run has the status that its addition and a list show, if none was sent', () => {
  const added = addition('POST /pets', 7, { name: 'Rex', categoryId: 1 }, { body: pet(7) });
  expect(judge(added, list(1), getById(2))).toMatch(/^holds/);
  expect(judge(added, list(1), getById(2, { status: 'sold' }))).toMatch(/^violated: status/);
  expect(judge(added, getById(2, { status: 'sold' }))).toMatch(NOT_JUDGED);
  // Lists that differ from the addition are wrong themselves.
  expect(judge(added, list(1, { status: 'Available' }), getById(2), list(3, { status: 'Available' }))).toMatch(
    NOT_JUDGED,
  );
  // What was sent is judged by add.persists.
  expect(judge(added, list(1), getById(2, { name: 'Tom' }))).toMatch(/^holds/);
  const bare = addition('POST /pets', 7, { name: 'Rex', categoryId: 1 });
  expect(judge(bare, list(1), getById(2, { status: 'sold' }))).toMatch(/^holds/);
});
