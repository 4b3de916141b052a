/** Conditions of rows, each in both directions. */
import { expect } from '@playwright/test';
import { pageLimit } from '../../../fixtures/contract/contract.ts';
import { manyRow } from '../../../fixtures/plan/additions.ts';
import { isSettled, findSkipReason } from '../../../fixtures/plan/conditions.ts';
import { confirmingPairs, filterPairs } from '../../../fixtures/plan/confirmations.ts';
import type { PollUntil, Condition } from '../../../fixtures/plan/row.ts';
import { firstStatus, lastStatus } from '../../../fixtures/plan/samples.ts';
import { Answer } from '../../../fixtures/target/run/answer.ts';
import type { Exchange } from '../../../fixtures/target/http/exchange.ts';
import { addition, exchange, type Given, pets, makeRun, test } from './make.ts';

const REX = { name: 'Rex', categoryId: 1, status: firstStatus };
const WHOLE = 'GET /pets?limit={maximum}';

const list = (count: number, more: Given = {}): Exchange => exchange({ body: pets(count), ...more });

/** The code of the reason why a row is skipped; else `asked`. */
const decided = (condition: Condition, ...exchanges: Exchange[]): string =>
  findSkipReason(condition, makeRun(exchanges).known)?.code ?? 'asked';

test.describe('a row is asked', () => {
  const row = 'GET /store/orders';
  const answered = (status: number): Exchange => exchange({ row, operation: 'listOrders', status });

  test('if another row had a status, or did not', () => {
    expect(decided({ if: 'answered', row, status: 401 }, answered(401))).toBe('asked');
    expect(decided({ if: 'answered', row, status: 401 }, answered(200))).toBe('together');
    expect(decided({ if: 'answered', row, status: 401 })).toBe('together');
    expect(decided({ if: 'not answered', row, status: 401 }, answered(200))).toBe('asked');
    expect(decided({ if: 'not answered', row, status: 401 })).toBe('asked');
    expect(decided({ if: 'not answered', row, status: 401 }, answered(401))).toBe('together');
    const why = findSkipReason({ if: 'answered', row, status: 401, otherwise: 'it was accepted' }, makeRun([]).known);
    expect(why).toMatchObject({ code: 'unsuspicious', message: 'it was accepted' });
  });

  test('if none or not all of some rows added an animal', () => {
    const rows = ['POST /pets', 'POST /pets with an id'] as const;
    const [first, second] = [addition(rows[0], 1, REX), addition(rows[1], 2, REX)];
    const rejected = addition(rows[0], 0, REX, { status: 400 });
    expect(decided({ if: 'none added', rows }, rejected)).toBe('asked');
    expect(decided({ if: 'none added', rows }, second)).toBe('othersTaken');
    expect(decided({ if: 'not all added', rows }, rejected, second)).toBe('asked');
    expect(decided({ if: 'not all added', rows }, first, second)).toBe('othersTaken');
  });

  test('if the store has too few animals, of the most common status or in total', () => {
    const few = { if: 'too few animals', wanted: 5, from: 1 } as const;
    const sold = list(2, { body: [...pets(2), ...pets(5, { status: lastStatus }).slice(2)] });
    expect(decided({ ...few, isCommon: false, nth: 1 })).toBe('asked');
    expect(decided({ ...few, isCommon: false, nth: 1 }, sold)).toBe('enoughAnimals');
    // A copy of the store may lack those that the first list does not show.
    expect(decided({ ...few, isCommon: false, nth: 1 }, list(1), sold)).toBe('asked');
    expect(decided({ ...few, isCommon: true, nth: 2 }, sold)).toBe('asked');
    expect(decided({ ...few, isCommon: true, nth: 3 }, sold)).toBe('enoughAnimals');
  });

  test('if the store had too few animals before it was filled', () => {
    const few = { if: 'too few animals', wanted: 5, from: 1, isCommon: false } as const;
    const added = [1, 2, 3].map((nth) =>
      addition(manyRow(nth), 10 + nth, { ...REX, name: `conformance-abcdef-more-${nth}` }),
    );
    expect(decided({ ...few, nth: 4 }, list(1), ...added)).toBe('asked');
    expect(decided({ ...few, nth: 5 }, list(1), ...added)).toBe('enoughAnimals');
  });

  test('unless an animal that filled the store was rejected', () => {
    const few = { if: 'too few animals', wanted: 21, from: 1, isCommon: false } as const;
    const rejected = addition(manyRow(1), 0, REX, { status: 400 });
    expect(decided({ ...few, nth: 5 }, rejected)).toBe('unclear');
    expect(decided({ ...few, nth: 5 }, addition(manyRow(1), 1, REX))).toBe('asked');
  });

  test('if a list is full', () => {
    const of = (count: number, more: Given = {}): string =>
      decided({ if: 'full', list: WHOLE }, list(count, { row: WHOLE, ...more }));
    expect(of(pageLimit.maximum)).toBe('asked');
    expect(of(pageLimit.maximum - 1)).toBe('othersTaken');
    expect(of(pageLimit.maximum, { status: 404 })).toBe('othersTaken');
    expect(decided({ if: 'full', list: WHOLE })).toBe('othersTaken');
  });

  test('if no list of a status was requested since an animal with it is known', () => {
    const added = addition('POST /pets', 1, { ...REX, status: lastStatus });
    const sold = list(0, { query: { status: lastStatus } });
    const of = (...exchanges: Exchange[]): string =>
      decided(
        { if: 'not listed yet', status: lastStatus },
        ...exchanges.map((each, i) => ({ ...each, number: i + 1 })),
      );
    expect(of(sold, added)).toBe('asked');
    expect(of(added, sold)).toBe('othersTaken');
    expect(of(added, list(1))).toBe('asked');
    expect(of(list(1, { body: pets(1, { status: lastStatus }) }), sold)).toBe('othersTaken');
    expect(of(added, list(0, { query: { status: firstStatus } }))).toBe('asked');
  });

  test('if a key is accepted in another place, and an unauthenticated request is not', () => {
    const [without, elsewhere] = ['GET /pets: without a key', 'GET /pets: with a key elsewhere'] as const;
    const of = (statusWithout: number, statusElsewhere: number): string =>
      decided(
        { if: 'key accepted elsewhere', without, elsewhere },
        exchange({ row: without, status: statusWithout, credential: 'none' }),
        exchange({ row: elsewhere, status: statusElsewhere, credential: 'in another place' }),
      );
    expect(of(401, 200)).toBe('asked');
    expect(of(401, 401)).toBe('unsuspicious');
    expect(of(200, 200)).toBe('unsuspicious');
    expect(decided({ if: 'key accepted elsewhere', without, elsewhere })).toBe('unsuspicious');
  });

  test('if the status of an animal looks remembered, once or twice', () => {
    const none = { name: 'Rex', categoryId: 1 };
    const given = addition('POST /pets with status sold', 1, { ...REX, status: lastStatus });
    const follows = (row: string, id: number, status: string): Exchange =>
      addition(row, id, none, { body: { ...none, id, status } });
    const [first, again] = ['POST /pets without a status', 'POST /pets without a status, once more'];
    const remembered = [given, follows(first, 2, lastStatus)];
    const next = addition(confirmingPairs[0]?.given as string, 3, { ...REX, status: lastStatus });
    const looks = (twice: boolean, ...exchanges: Exchange[]): string =>
      decided({ if: 'status looks remembered', twice }, ...exchanges);
    expect(looks(false, ...remembered)).toBe('asked');
    expect(looks(false, given, follows(first, 2, firstStatus))).toBe('unsuspicious');
    expect(looks(true, ...remembered, next, follows(again, 4, lastStatus))).toBe('asked');
    expect(looks(true, ...remembered, next, follows(again, 4, firstStatus))).toBe('unsuspicious');
    expect(looks(true, ...remembered)).toBe('unsuspicious');
  });

  test('if the filter of a list looks remembered, and did in the pairs before', () => {
    const before = list(9, { row: 'GET /pets?limit=9&status={last}', body: pets(9, { status: lastStatus }) });
    const plain = (count: number, status: string): Exchange =>
      list(count, { row: 'GET /pets', body: pets(count, { status }) });
    const looks = (pairs: number, ...exchanges: Exchange[]): string =>
      decided({ if: 'filter looks remembered', before: pairs }, before, ...exchanges);
    expect(looks(0, plain(20, lastStatus))).toBe('asked');
    expect(looks(0, plain(20, firstStatus))).toBe('unsuspicious');
    expect(looks(0, plain(0, lastStatus))).toBe('unsuspicious');
    expect(looks(0)).toBe('unsuspicious');
    const pair = filterPairs[0] as (typeof filterPairs)[number];
    const filtered = list(3, { row: pair.filtered, body: pets(3, { status: pair.status }) });
    const after = (status: string): Exchange => list(3, { row: pair.plain, body: pets(3, { status }) });
    const suspicious = plain(20, lastStatus);
    expect(looks(1, suspicious, filtered, after(firstStatus))).toBe('asked');
    expect(looks(1, suspicious, filtered, after(lastStatus))).toBe('unsuspicious');
    // A pair that shows nothing refutes nothing.
    expect(looks(1, suspicious, list(0, { row: pair.filtered, body: [] }), after(lastStatus))).toBe('asked');
    expect(looks(1, suspicious, filtered)).toBe('asked');
  });

  test('if the limit of a list looks remembered', () => {
    const before = list(9, { row: 'GET /pets?limit=9&status={last}', body: pets(9, { status: lastStatus }) });
    const looks = (...exchanges: Exchange[]): string => decided({ if: 'limit looks remembered' }, ...exchanges);
    expect(looks(before, list(9, { row: 'GET /pets', body: pets(9) }))).toBe('asked');
    expect(looks(before, list(20, { row: 'GET /pets', body: pets(20) }))).toBe('unsuspicious');
    expect(looks(before)).toBe('unsuspicious');
  });
});

test.describe('a row is not retried', () => {
  const settled = (awaited: PollUntil, answer: Exchange, ...before: Exchange[]): boolean => {
    const { query } = answer.purpose;
    return isSettled(awaited, new Answer(answer), makeRun([...before, answer]).known, {
      target: answer.request.target,
      ...(query && { query }),
    });
  };

  test('once an animal is found, or gone', () => {
    const of = (until: 'found' | 'gone', status: number): boolean =>
      settled({ until }, exchange({ operation: 'getPet', status }));
    expect([of('found', 404), of('found', 200), of('found', 500)]).toEqual([false, true, true]);
    expect([of('gone', 200), of('gone', 404), of('gone', 410)]).toEqual([false, true, true]);
  });

  test('once a list is not empty', () => {
    expect(settled({ until: 'not empty' }, list(0))).toBe(false);
    expect(settled({ until: 'not empty' }, list(1))).toBe(true);
    expect(settled({ until: 'not empty' }, list(0, { status: 404 }))).toBe(true);
  });

  test('once a list has the expected length', () => {
    const known = exchange({ body: [...pets(3), ...pets(8, { status: lastStatus }).slice(3)] });
    const long = (awaited: { limit: number; status?: string }, count: number, more: Given = {}): boolean =>
      settled({ until: 'long enough', ...awaited }, list(count, more), known);
    expect([long({ limit: 20 }, 7), long({ limit: 20 }, 8), long({ limit: 4 }, 4)]).toEqual([false, true, true]);
    const status = firstStatus;
    expect([long({ limit: 20, status }, 2), long({ limit: 20, status }, 3)]).toEqual([false, true]);
    const common = { limit: 20, status: 'most common' };
    const shown = (count: number): Given => ({ body: pets(8, { status: lastStatus }).slice(3, 3 + count) });
    expect([long(common, 4, shown(4)), long(common, 5, shown(5))]).toEqual([false, true]);
    expect(long({ limit: 20 }, 0, { status: 404 })).toBe(true);
  });

  test('once a list shows every added animal of its status', () => {
    const [rex, sold] = [
      addition('POST /pets', 1, REX),
      addition('POST /pets with an id', 9, { ...REX, status: lastStatus }),
    ];
    const all = (answer: Exchange): boolean => settled({ until: 'all added are listed' }, answer, rex, sold);
    expect(all(list(3))).toBe(false);
    expect(all(list(9))).toBe(true);
    expect(all(list(3, { query: { status: firstStatus } }))).toBe(true);
    expect(all(list(3, { query: { status: lastStatus } }))).toBe(false);
    expect(all(list(0, { status: 404 }))).toBe(true);
    // Missing animals may be beyond the limit.
    expect(all(list(0, { body: pets(pageLimit.maximum + 9).slice(9) }))).toBe(true);
  });
});
