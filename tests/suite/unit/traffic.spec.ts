import { expect } from '@playwright/test';
import type { Exchange } from '../../../fixtures/target/http/exchange.ts';
import { judgeGetsOfAdded, judgeListsOfAdded } from '../../../fixtures/judge/additions.ts';
import { Answer } from '../../../fixtures/target/run/answer.ts';
import { Addition } from '../../../fixtures/target/run/known.ts';
import { addition, exchange, pet, test, describeJudgement } from './make.ts';

const SENT = { name: 'Rex', categoryId: 1, status: 'available' };
const added = addition('POST /pets', 7, SENT);
const additions = [new Addition(SENT, new Answer(added))];

const getById = (at: number, status: number, name = 'Rex'): Exchange =>
  exchange({ operation: 'getPet', id: '7', at, status, ...(status === 200 && { body: pet(7, { name }) }) });
const listed = (at: number, name: string): Exchange => exchange({ at, body: [pet(7, { name }), pet(8)] });
const write = (method: string): Exchange => exchange({ operation: null, method, id: '7', at: 2, status: 204 });

const kept = (...exchanges: Exchange[]): string => describeJudgement(judgeGetsOfAdded(additions, exchanges));
const shown = (...exchanges: Exchange[]): string => describeJudgement(judgeListsOfAdded(additions, exchanges));

test('a GET by id of the unchanged animal holds, one with another name is a violation', () => {
  expect(kept(added, getById(1, 200))).toBe('holds: 1 GET request');
  expect(kept(added, getById(1, 200), getById(9, 200, 'rex'))).toMatch(/^violated: /);
});

test('a missing animal is a violation, unless a replica may lag', () => {
  expect(kept(added, getById(9, 404))).toMatch(/^violated: status 404/);
  expect(kept(added, getById(4, 404))).toMatch(/^untested: /);
});

test('a list shows the animal unchanged', () => {
  expect(shown(added, listed(1, 'Rex'))).toBe('holds: 1 list');
  expect(shown(added, listed(1, 'REX'))).toMatch(/^violated: /);
  expect(shown(added, exchange({ at: 1, body: [pet(8)] }))).toMatch(/^untested: /);
});

for (const method of ['DELETE', 'PUT'])
  test(`an animal after a ${method} is not judged`, () => {
    expect(kept(added, write(method), getById(9, 404), getById(10, 200, 'Max'))).toMatch(/^untested: /);
    expect(shown(added, write(method), listed(9, 'Max'))).toMatch(/^untested: /);
  });

test('a repeated id and a GET by id before the addition are not judged', () => {
  expect(describeJudgement(judgeGetsOfAdded([...additions, ...additions], [added, getById(9, 404)]))).toMatch(
    /^untested: /,
  );
  expect(kept(getById(-1, 404), getById(-1, 200, 'Max'), added)).toMatch(/^untested: /);
});
