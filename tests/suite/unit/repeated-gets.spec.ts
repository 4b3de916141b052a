/** An animal that was found once is found again; late or deleted ones are not judged. */
import { expect } from '@playwright/test';
import { judgeRepeatedGets } from '../../../fixtures/judge/additions.ts';
import type { Exchange } from '../../../fixtures/target/http/exchange.ts';
import { addition, exchange, type Given, test, TIMEOUT, describeJudgement } from './make.ts';

const added = (more: Given = {}): Exchange => addition('POST /pets', 7, { name: 'Rex', categoryId: 1 }, more);
/** A GET of the animal 7, some seconds after its addition. */
const getById = (at: number, status: number, more: Given = {}): Exchange =>
  exchange({ operation: 'getPet', id: '7', at, status, ...more });
const removed = (at: number): Exchange => exchange({ operation: null, method: 'DELETE', id: '7', at, status: 204 });

const judge = (...exchanges: Exchange[]): string => describeJudgement(judgeRepeatedGets(exchanges));
const NOT_JUDGED = 'untested: no animal was requested again five seconds after it was added';

test('an animal that was found is found again', () => {
  expect(judge(added(), getById(1, 200), getById(10, 200))).toBe('holds: 1 GET request');
  expect(judge(added(), getById(1, 200), getById(10, 200), getById(20, 200))).toBe('holds: 2 GET requests');
});

test('losing an animal after more than five seconds is a violation, with both GETs by id', () => {
  const [found, lost, later] = [getById(1, 200), getById(5.1, 404), getById(9, 200)];
  expect(judgeRepeatedGets([added(), found, lost, later])).toMatchObject({
    kind: 'violated',
    violations: [
      { differences: [{ kind: 'not found again', place: 'status', actual: 404 }], exchanges: [lost, found] },
    ],
    judged: [lost, later],
  });
});

test('the violation has every GET by id that missed the animal', () => {
  const lost = [getById(8, 404), getById(12, 404)];
  expect(
    judgeRepeatedGets([added(), getById(1, 200), lost[0] as Exchange, getById(10, 200), lost[1] as Exchange]),
  ).toMatchObject({
    violations: [{ exchanges: [lost[0], {}] }, { exchanges: [lost[1], {}] }],
  });
});

test('a replica may lag for five seconds', () => {
  expect(judge(added(), getById(1, 200), getById(4.9, 404))).toBe(NOT_JUDGED);
  expect(judge(added(), getById(1, 200), getById(4.9, 404), getById(6, 200))).toBe('holds: 1 GET request');
});

test('an animal that was never found is not judged', () => {
  expect(judge(added(), getById(10, 404))).toBe(NOT_JUDGED);
  expect(judge(added(), getById(10, 404), getById(11, 200))).toBe(NOT_JUDGED);
});

test('a parallel GET by id is not compared', () => {
  expect(judge(added(), { ...getById(1, 200), ms: 20_000 }, getById(10, 404))).toBe(NOT_JUDGED);
});

test('an animal that was deleted may be gone', () => {
  expect(judge(added(), getById(1, 200), removed(6), getById(10, 404))).toBe(NOT_JUDGED);
  const other = exchange({ operation: null, method: 'DELETE', id: '8', at: 6, status: 204 });
  expect(judge(added(), getById(1, 200), other, getById(10, 404))).toMatch(/^violated: status 404/);
});

test('an animal that the run did not add may be gone', () => {
  expect(judge(getById(1, 200), getById(10, 404))).toBe(NOT_JUDGED);
  expect(judge(added({ status: 400 }), getById(1, 200), getById(10, 404))).toBe(NOT_JUDGED);
  const other = getById(10, 404, { id: '8' });
  expect(judge(added(), getById(1, 200), other)).toBe(NOT_JUDGED);
});

test('an unauthenticated GET by id is not judged', () => {
  expect(judge(added(), getById(1, 200), getById(10, 404, { credential: 'none' }))).toBe(NOT_JUDGED);
  expect(judge(added(), getById(1, 200, { credential: 'none' }), getById(10, 404))).toBe(NOT_JUDGED);
});

test('a failed GET by id is not judged', () => {
  const failed = [getById(10, 503), getById(11, 429), getById(12, 200, { failure: TIMEOUT })];
  expect(judge(added(), getById(1, 200), ...failed)).toBe(NOT_JUDGED);
  expect(judge(added(), getById(1, 200), ...failed, getById(20, 404))).toMatch(/^violated: status 404/);
});

test('an empty log is not judged', () => {
  expect(judge()).toBe(NOT_JUDGED);
});
