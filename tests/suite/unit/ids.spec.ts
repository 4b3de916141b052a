/** Ids are unique and values are echoed, over the whole run. */
import { expect } from '@playwright/test';
import type { Json } from '../../../fixtures/contract/json.ts';
import { judgeEchoes, judgeUniqueIds } from '../../../fixtures/judge/additions.ts';
import type { Exchange } from '../../../fixtures/target/http/exchange.ts';
import { addition, exchange, type Given, pet, makeRun, test, TIMEOUT, describeJudgement } from './make.ts';

const REX = { name: 'Rex', categoryId: 1 };
const added = (id: Json, at: number, more: Given = {}): Exchange =>
  addition('POST /pets', id, REX, { at, number: at + 1, ...more });
const listed = (at: number, ...ids: Json[]): Exchange =>
  exchange({ at, number: at + 1, body: ids.map((id) => pet(id)) });

const unique = (...exchanges: Exchange[]): string => describeJudgement(judgeUniqueIds(exchanges));

test('every added animal has a unique id', () => {
  expect(unique(listed(0, 1, 2), added(3, 1), added(4, 2))).toBe('holds: 2 animals that the run added');
  expect(unique(added(2n ** 53n, 0), added(2n ** 53n + 1n, 1))).toMatch(/^holds/);
  // A later list shows the added animal itself.
  expect(unique(added(3, 0), listed(1, 3))).toMatch(/^holds/);
});

test('a repeated id is a violation, with both exchanges', () => {
  const [first, second] = [added(3, 0), added(3, 1)];
  expect(judgeUniqueIds([first, second])).toMatchObject({
    kind: 'violated',
    violations: [
      { differences: [{ kind: 'repeated id', place: '/id', actual: '3', detail: '1' }], exchanges: [second, first] },
    ],
  });
  expect(unique(listed(0, 1, 2), added(2, 1))).toBe('violated: the id 2, which exchange 1 shows for another animal');
  expect(unique(added(3, 0), added(3, 1), added(3, 2))).toMatch(/violated: .*; .*exchange 2/);
});

test('a parallel list may show the animal itself', () => {
  const list = { ...listed(0, 3), ms: 2_000 };
  expect(unique(list, added(3, 1))).toMatch(/^holds/);
  expect(unique(list, added(3, 3))).toMatch(/^violated/);
});

test('ids are not judged without an addition', () => {
  for (const one of [
    listed(0, 1, 1),
    added(1, 0, { status: 400 }),
    added(1, 0, { credential: 'none' }),
    added(1, 0, { failure: TIMEOUT }),
    added(1, 0, { body: {} }),
  ])
    expect(unique(one)).toBe('untested: READ_ONLY=1: nothing is added to this target');
});

const echoed = (...exchanges: Exchange[]): string =>
  describeJudgement(judgeEchoes(makeRun(exchanges).known.additions()));

test('every addition echoes the sent values', () => {
  expect(echoed(added(1, 0), added(2, 1))).toBe('holds: 2 animals that the run added');
  // Another requirement judges a sent id.
  expect(echoed(addition('POST /pets with an id', 1, { ...REX, id: 99 }, { body: { ...REX, id: 1 } }))).toMatch(
    /^holds/,
  );
});

test('an addition with other values is a violation', () => {
  const wrong = added(1, 0, { body: { ...REX, id: 1, name: 'Tom' } });
  expect(judgeEchoes(makeRun([wrong, added(2, 1)]).known.additions())).toMatchObject({
    kind: 'violated',
    violations: [
      {
        differences: [{ kind: 'changed value', place: '/name', expected: '"Rex"', actual: '"Tom"' }],
        exchanges: [wrong],
      },
    ],
  });
});

test('values are not judged without an addition', () => {
  expect(echoed()).toBe('untested: READ_ONLY=1: nothing is added to this target');
  expect(echoed(added(1, 0, { status: 400 }))).toMatch(/^untested/);
});
