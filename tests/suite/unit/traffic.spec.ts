import { expect } from '@playwright/test';
import type { Json } from '../../../fixtures/contract/json.ts';
import type { Exchange } from '../../../fixtures/target/http/exchange.ts';
import { judgeGetsOfAdded, judgeListsOfAdded, judgeOddEchoes } from '../../../fixtures/judge/additions.ts';
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

test('the whole list has the animal, once no replica may lag', () => {
  const whole = (at: number, query: Record<string, string> = { limit: '100' }, ids = [8]): Exchange =>
    exchange({ at, query, body: ids.map((id) => pet(id)) });
  expect(shown(added, whole(9))).toBe('violated: a list without the animal 7');
  expect(shown(added, whole(9), listed(10, 'Rex'))).toMatch(/^violated: /);
  expect(shown(added, whole(4))).toMatch(/^untested: /);
  expect(shown(added, whole(9, { limit: '100' }, [7]))).toBe('holds: 1 list');
  // It may lie beyond the limit; others judge filters and the default limit.
  expect(shown(added, whole(9, { limit: '1' }))).toMatch(/^untested: /);
  expect(shown(added, whole(9, { limit: '100', status: 'available' }))).toMatch(/^untested: /);
  expect(shown(added, whole(9, {}))).toMatch(/^untested: /);
  // Each key may have its own store.
  expect(shown(added, { ...whole(9), credential: 'throttle' })).toMatch(/^untested: /);
  expect(shown(added, { ...whole(9), purpose: { ...whole(9).purpose, valid: false } })).toMatch(/^untested: /);
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

test('an unusual body that is accepted keeps its fields, but for its name', () => {
  const echoed = (more: Record<string, Json>, row = 'POST /pets: categoryId is 1.0, and name is long'): string => {
    const sent = { name: 'long', categoryId: 1, status: 'sold' };
    const odd = addition(row, 9, sent, { valid: false, body: { ...pet(9), ...sent, ...more } });
    return describeJudgement(judgeOddEchoes([odd]));
  };
  expect(echoed({})).toBe('holds: 1 animal that the run added');
  expect(echoed({ name: 'cut' })).toBe('holds: 1 animal that the run added');
  expect(echoed({ categoryId: 99 })).toBe('violated: categoryId is 99');
  expect(echoed({ status: 'available' })).toBe('violated: status is "available"');
  // An accepted body that has to be rejected is judged by its status.
  expect(echoed({ categoryId: 99 }, 'POST /pets: name is missing')).toMatch(/^untested: /);
});
