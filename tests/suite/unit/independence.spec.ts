/** Responses do not depend on earlier requests; a plain fault or a sorted store is not mistaken for it. */
import { expect } from '@playwright/test';
import { pageLimit } from '../../../fixtures/contract/contract.ts';
import {
  judgeRememberedCredentials,
  judgeRememberedErrors,
  judgeRememberedFaults,
  judgeRememberedParameters,
  judgeRememberedStatus,
} from '../../../fixtures/judge/independence.ts';
import type { Judgement } from '../../../fixtures/judge/judgement.ts';
import { rowsWithStatus } from '../../../fixtures/plan/additions.ts';
import { confirmingPairs, filterPairs } from '../../../fixtures/plan/confirmations.ts';
import { UNUSUAL_LIMIT } from '../../../fixtures/plan/lists.ts';
import { notJudged } from '../../../fixtures/plan/not-judged.ts';
import { firstStatus, lastStatus, secondStatus } from '../../../fixtures/plan/samples.ts';
import type { Exchange } from '../../../fixtures/target/http/exchange.ts';
import { addition, exchange, type Given, pets, makeRun, test, TIMEOUT, describeJudgement } from './make.ts';

const AFTER_FAULT = 'GET /pets?limit={default / 2}&status={most common}, after a body that is rejected';
const AFTER_REFUSAL = 'GET /pets?limit={minimum}, after a request without a key';
const FILTERED_LIST = 'GET /pets?limit=9&status={last}';
const PLAIN = 'POST /pets';
const PLAIN_LIST = 'GET /pets';
const STATUS_AGAIN = 'POST /pets without a status, once more';
const WITHOUT_KEY_AGAIN = 'GET /pets without a key, to confirm';

type Judge = (read: ReturnType<typeof makeRun>) => Judgement;
const on = (judge: Judge, ...exchanges: Exchange[]): string => describeJudgement(judge(makeRun(exchanges)));

/** The rows that show a violation, the decisive one first. */
function shownBy(judge: Judge, ...exchanges: Exchange[]): string[] {
  const found = judge(makeRun(exchanges));
  return found.kind === 'violated' ? found.violations[0].exchanges.map(({ row }) => row) : [];
}

const list = (row: string, count: number, status = firstStatus, more: Given = {}): Exchange =>
  exchange({ row, body: pets(count, { status }), ...more });

test.describe('the parameters of an earlier request', () => {
  const before = list(FILTERED_LIST, UNUSUAL_LIMIT, lastStatus);
  const of = (...exchanges: Exchange[]): string => on(judgeRememberedParameters, ...exchanges);
  /** The confirming pairs: how many animals the filtered list has, and the status of the list after it. */
  const confirming = (
    shows: (status: string, nth: number) => { count?: number; after: string | undefined },
    pairs = filterPairs,
  ): Exchange[] =>
    pairs.flatMap(({ status, filtered, plain }, i) => {
      const { count = 5, after } = shows(status, i);
      return [list(filtered, count, status), list(plain, 5, after)];
    });
  const afterSeven = 'GET /pets, to confirm, after limit=7';

  test('are forgotten if the next list is another one', () => {
    expect(of(before, list(PLAIN_LIST, pageLimit.default))).toBe('holds: 2 answers');
    expect(of(before, list(PLAIN_LIST, 3))).toMatch(/^holds/);
  });

  test('are remembered if each list without a filter shows only the status of the one before it', () => {
    const plain = list(PLAIN_LIST, 5, lastStatus);
    const remembered = confirming((status) => ({ after: status }));
    expect(of(before, plain, ...remembered)).toBe('violated: only sold after a filtered list');
    const [first, second] = filterPairs;
    expect(shownBy(judgeRememberedParameters, before, plain, ...remembered)).toEqual([
      ...[PLAIN_LIST, FILTERED_LIST],
      ...[first?.filtered, first?.plain, second?.filtered, second?.plain],
    ]);
    // The store may lack animals of a status.
    const without = (missing: string): Exchange[] =>
      confirming((status) => (status === missing ? { count: 0, after: undefined } : { after: status }));
    expect(of(before, plain, ...without(firstStatus))).toMatch(/^violated/);
  });

  test('are not remembered by a store that lists its partitions in random order', () => {
    const plain = list(PLAIN_LIST, 20, lastStatus);
    for (const nth of filterPairs.keys()) {
      const once = confirming((status, i) => ({ after: i === nth ? secondStatus : status }));
      const isSame = filterPairs[nth]?.status === secondStatus;
      expect(of(before, plain, ...once)).toMatch(isSame ? /^violated/ : /^holds/);
    }
  });

  test('are not remembered by a store that is sorted by status, or whose animals have one status', () => {
    const plain = list(PLAIN_LIST, 20, lastStatus);
    expect(of(before, plain, ...confirming(() => ({ after: lastStatus })))).toMatch(/^holds/);
    const one = confirming((status) => ({ count: status === lastStatus ? 5 : 0, after: lastStatus }));
    expect(of(before, plain, ...one)).toMatch(/^holds/);
  });

  test('are remembered if the limit stays, and the next one too', () => {
    const plain = list(PLAIN_LIST, UNUSUAL_LIMIT);
    const seven = list(afterSeven, UNUSUAL_LIMIT - 2);
    expect(of(before, plain, seven)).toBe('violated: 9 animals after a list with limit');
    expect(shownBy(judgeRememberedParameters, before, plain, seven)).toEqual([PLAIN_LIST, FILTERED_LIST, afterSeven]);
    // A store may hold so many.
    expect(of(before, plain, list(afterSeven, UNUSUAL_LIMIT))).toMatch(/^holds/);
  });

  test('cannot be judged if they look remembered, and the lists that would confirm it are missing', () => {
    const rows = [...filterPairs.map((pair) => pair.plain), afterSeven];
    const unread = rows.map((row) => exchange({ row, status: 503 }));
    for (const plain of [list(PLAIN_LIST, 5, lastStatus), list(PLAIN_LIST, UNUSUAL_LIMIT)]) {
      expect(of(before, plain)).toMatch(/^cantTell/);
      expect(of(before, plain, ...unread)).toMatch(/^cantTell/);
    }
    const some = confirming((status) => ({ after: status }), filterPairs.slice(0, 3));
    expect(of(before, list(PLAIN_LIST, 5, lastStatus), ...some)).toMatch(/^cantTell/);
  });

  test('are judged by the first own answer, since a retry follows another request', () => {
    const lagging = [list(PLAIN_LIST, UNUSUAL_LIMIT), list(PLAIN_LIST, 20)];
    expect(of(before, ...lagging, list(afterSeven, UNUSUAL_LIMIT - 2))).toMatch(/^violated/);
  });

  test('cannot be judged if a list is missing, cannot be read, or is empty', () => {
    const plain = list(PLAIN_LIST, 20);
    expect(of()).toBe(`cantTell: there is no answer to "${FILTERED_LIST}"`);
    expect(of(before)).toBe(`cantTell: there is no answer to "${PLAIN_LIST}"`);
    expect(of(exchange({ row: FILTERED_LIST, status: 404 }), plain)).toMatch(
      /^cantTell: .* does not show whether it depends on the request before: 404/,
    );
    expect(of(before, exchange({ row: PLAIN_LIST, body: {} }))).toMatch(/^cantTell/);
    expect(of(before, list(PLAIN_LIST, 0))).toBe('untested: the store is empty');
  });
});

test.describe('the credentials of an earlier request', () => {
  const WITHOUT_KEY = 'GET /pets: without a key';
  const served = list('GET /pets?limit={minimum + 1}&status={second}', 1);
  const refused = exchange({ row: WITHOUT_KEY, status: 401, credential: 'none' });
  const afterwards = list(AFTER_REFUSAL, 2);
  const of = (...exchanges: Exchange[]): string => on(judgeRememberedCredentials, ...exchanges);

  test('are forgotten if unauthenticated requests are refused, and others served', () => {
    expect(of(served, refused, afterwards)).toMatch(/^holds/);
  });

  test('are remembered if an unauthenticated request is served after the key, and refused after a wrong one', () => {
    const open = exchange({ row: WITHOUT_KEY, credential: 'none' });
    const again = exchange({ row: WITHOUT_KEY_AGAIN, status: 401, credential: 'none' });
    expect(of(served, open, again)).toBe('violated: 200 after a request with the key');
    const rows = [WITHOUT_KEY, 'GET /pets?limit={minimum + 1}&status={second}', WITHOUT_KEY_AGAIN];
    expect(shownBy(judgeRememberedCredentials, served, open, again)).toEqual(rows);
    // A server that always serves has another fault.
    const still = exchange({ row: WITHOUT_KEY_AGAIN, credential: 'none' });
    expect(of(served, open, still)).toMatch(/^cantTell: a list is served without a key/);
    expect(of(served, open)).toMatch(/^cantTell/);
  });

  test('are remembered if the next request is refused, and served on retry', () => {
    const [first, second] = [exchange({ row: AFTER_REFUSAL, status: 401 }), list(AFTER_REFUSAL, 2)];
    expect(of(served, refused, first, second)).toMatch(/^violated: 401/);
    // A request that is always refused has another fault, and so has a key that is refused now and then.
    expect(of(served, refused, first, first)).toMatch(/^cantTell/);
    const any = exchange({ row: 'GET /pets', status: 401 });
    expect(of(served, refused, first, second, any)).toMatch(/^cantTell: .* after others too/);
    expect(of(served, refused, first, second, refused, any)).toMatch(/^violated: 401/);
  });

  test('cannot be judged if an answer is missing', () => {
    expect(of(refused, afterwards)).toMatch(/^cantTell/);
    expect(of(served, afterwards)).toMatch(/^cantTell/);
    expect(of(served, refused)).toMatch(/^cantTell/);
    expect(of(served, exchange({ row: WITHOUT_KEY, credential: 'none', failure: TIMEOUT }), afterwards)).toMatch(
      /^cantTell/,
    );
  });
});

test.describe('the fault of an earlier request', () => {
  const fault = (status = 400, more: Given = {}): Exchange =>
    exchange({ row: 'POST /pets: a fault', operation: 'addPet', status, valid: false, ...more });
  const ofList = (...exchanges: Exchange[]): string => on((read) => judgeRememberedFaults(read, 'list'), ...exchanges);
  const ofAddition = (...exchanges: Exchange[]): string =>
    on((read) => judgeRememberedFaults(read, 'addition'), ...exchanges);
  const REX = { name: 'Rex', categoryId: 1 };

  test('is forgotten if the next list or addition succeeds', () => {
    expect(ofList(fault(), list(AFTER_FAULT, 3))).toMatch(/^holds/);
    expect(ofAddition(fault(), addition(PLAIN, 1, REX))).toMatch(/^holds/);
  });

  test('is remembered if a list is refused, and served on retry', () => {
    const [before, refusal] = [fault(), exchange({ row: AFTER_FAULT, status: 400 })];
    expect(ofList(before, refusal, list(AFTER_FAULT, 3))).toMatch(/^violated: 400/);
    expect(ofList(before, refusal, refusal)).toMatch(/^cantTell/);
  });

  test('is remembered if an addition is refused, and accepted on retry', () => {
    const [before, refusal] = [fault(), addition(PLAIN, 0, REX, { status: 400 })];
    const again = addition('POST /pets, once more', 1, REX);
    expect(ofAddition(before, refusal, again)).toBe('violated: 400 after a malformed body');
    expect(shownBy((read) => judgeRememberedFaults(read, 'addition'), before, refusal, again)).toEqual([
      PLAIN,
      before.row,
      'POST /pets, once more',
    ]);
    expect(ofAddition(before, refusal)).toMatch(/^cantTell: no valid body was accepted at all/);
  });

  test('is remembered if the first valid body after invalid ones is rejected, and accepted when repeated', () => {
    const [first, again] = ['POST /pets with an id', 'POST /pets with an id, once more'] as const;
    const of = (...exchanges: Exchange[]): string => on(judgeRememberedErrors, fault(400, { number: 1 }), ...exchanges);
    const refusal = addition(first, 0, REX, { number: 2, status: 400 });
    expect(of(refusal, addition(again, 1, REX))).toBe('violated: 400 after bodies that are rejected');
    expect(of(addition(first, 1, REX, { number: 2 }))).toMatch(/^holds/);
    expect(of(refusal, addition(again, 0, REX, { status: 400 }))).toMatch(/^untested: its addition was rejected/);
    expect(of(refusal, addition(again, 0, REX, { status: 429 }))).toMatch(/^cantTell/);
    expect(of(refusal)).toMatch(/^cantTell/);
    const withoutRoom: Judge = ({ log, known }) => {
      known.notAsked.set(again, notJudged.noRoom());
      return judgeRememberedErrors({ log, known });
    };
    expect(on(withoutRoom, fault(400, { number: 1 }), refusal)).toMatch(/^untested: the request budget/);
    expect(of(addition(first, 0, REX, { number: 2, status: 500 }), addition(again, 1, REX))).toMatch(/^cantTell/);
    expect(on(judgeRememberedErrors, addition(first, 1, REX, { number: 2 }))).toMatch(/^untested/);
  });

  test('is not judged by an equal animal that was accepted before, or if it is answered 409', () => {
    const twin = (status: number, ms: number, twinMs: number): string => {
      const refusal = { ...addition(PLAIN, 0, REX, { number: 2, at: 1000, status }), ms };
      const again = addition('POST /pets, a duplicate at the same moment', 1, REX, { number: 3, at: 1000 });
      return ofAddition(fault(400, { number: 1 }), refusal, { ...again, ms: twinMs });
    };
    expect(twin(409, 5, 9)).toMatch(/^untested: it is one of two equal animals/);
    expect(twin(400, 9, 5)).toMatch(/^untested: it is one of two equal animals/);
    expect(twin(400, 5, 9)).toBe('violated: 400 after a malformed body');
  });

  test('is not judged if a third equal animal is rejected too, whichever answer came first', () => {
    const refused = { ...addition(PLAIN, 0, REX, { number: 2, at: 1000, status: 400 }), ms: 5 };
    const twin = { ...addition('POST /pets, a duplicate at the same moment', 1, REX, { number: 3, at: 1000 }), ms: 9 };
    const third = (status: number): Exchange =>
      addition('POST /pets, a third equal one, to confirm', status === 201 ? 2 : 0, REX, {
        number: 4,
        at: 1001,
        status,
      });
    const ofThree = (status: number): string => ofAddition(fault(400, { number: 1 }), refused, twin, third(status));
    expect(ofThree(400)).toMatch(/^untested: it is one of two equal animals/);
    expect(ofThree(409)).toMatch(/^untested: it is one of two equal animals/);
    expect(ofThree(201)).toBe('violated: 400 after a malformed body');
  });

  test('is not judged by another animal, since limits on names and categories are open', () => {
    const [before, refusal] = [fault(), addition(PLAIN, 0, REX, { status: 400 })];
    const letters = addition('POST /pets with a name of letters', 1, { ...REX, name: 'Conformabcdefp' });
    const category = addition('POST /pets with the category of a listed animal', 1, { ...REX, categoryId: 70 });
    for (const other of [letters, category])
      expect(ofAddition(before, refusal, other)).toMatch(/^untested: its addition was rejected with 400/);
  });

  test('does not apply if it was accepted, or no fault was sent before', () => {
    expect(ofList(fault(201), list(AFTER_FAULT, 3))).toMatch(/^cantTell: the invalid body .* was not rejected/);
    expect(ofAddition(fault(201), addition(PLAIN, 1, REX))).toMatch(/^cantTell/);
    expect(ofList(list(AFTER_FAULT, 3))).toMatch(/^untested/);
    expect(ofList(fault(400, { credential: 'none' }), list(AFTER_FAULT, 3))).toMatch(/^untested/);
    expect(ofList(list(AFTER_FAULT, 3), fault())).toMatch(/^untested/);
  });

  test('cannot be judged without its own answer and the next one', () => {
    expect(ofList(fault(500), list(AFTER_FAULT, 3))).toMatch(/^cantTell/);
    expect(ofList(fault(400, { failure: TIMEOUT }), list(AFTER_FAULT, 3))).toMatch(/^cantTell/);
    expect(ofList(fault(), exchange({ row: AFTER_FAULT, failure: TIMEOUT }))).toMatch(/^cantTell/);
    expect(ofAddition(fault(), addition(PLAIN, 0, REX, { failure: TIMEOUT }))).toMatch(/^cantTell/);
  });
});

test.describe('the status of an earlier animal', () => {
  const NONE = rowsWithStatus(undefined)[0] as string;
  let next = 0;
  const given = (row: string, status: string): Exchange =>
    addition(row, (next += 1), { name: 'Rex', categoryId: 1, status });
  const none = (row: string, came: string): Exchange =>
    addition(
      row,
      (next += 1),
      { name: 'Rex', categoryId: 1 },
      { body: { id: next, name: 'Rex', categoryId: 1, status: came } },
    );
  const of = (...exchanges: Exchange[]): string => on(judgeRememberedStatus, ...exchanges);
  const pairs = (came: (status: string, nth: number) => string): Exchange[] =>
    confirmingPairs.flatMap(({ status, given: row, none: other }, nth) => [
      given(row, status),
      none(other, came(status, nth)),
    ]);

  test('is forgotten if an animal without a status gets another one', () => {
    expect(of(given('POST /pets with status pending', 'pending'), none(NONE, 'available'))).toBe('holds: 1 answer');
  });

  test('is remembered if it is the previous one each time', () => {
    const twice = [
      given('POST /pets with status pending', 'pending'),
      none(NONE, 'pending'),
      given('POST /pets with status sold', lastStatus),
      none(STATUS_AGAIN, lastStatus),
    ];
    const all = [...twice, ...pairs((status) => status)];
    expect(of(...all)).toBe('violated: "pending" after an animal of that status');
    expect(shownBy(judgeRememberedStatus, ...all)).toEqual([NONE, STATUS_AGAIN]);
  });

  test('is not remembered by a store that gives any status at random', () => {
    const twice = [
      given('POST /pets with status pending', 'pending'),
      none(NONE, 'pending'),
      given('POST /pets with status sold', lastStatus),
      none(STATUS_AGAIN, lastStatus),
    ];
    expect(of(...twice, ...pairs((status, nth) => (nth === 3 ? 'other' : status)))).toMatch(/^holds/);
  });

  test('is not remembered if it matched once', () => {
    expect(
      of(
        given('POST /pets with status pending', 'pending'),
        none(NONE, 'pending'),
        given('POST /pets with status sold', lastStatus),
        none(STATUS_AGAIN, 'pending'),
      ),
    ).toMatch(/^holds/);
  });

  test('cannot be judged if the suspicion could not be confirmed', () => {
    const once = [given('POST /pets with status pending', 'pending'), none(NONE, 'pending')];
    const again = [given('POST /pets with status sold', lastStatus), none(STATUS_AGAIN, lastStatus)];
    expect(of(...once)).toMatch(/^cantTell/);
    expect(of(...once, ...again)).toMatch(/^cantTell/);
    const refused = confirmingPairs.map(({ none: row }) => addition(row, 0, {}, { status: 400 }));
    expect(of(...once, ...again, ...refused)).toMatch(/^cantTell/);
  });

  test('cannot be judged without an animal added without a status', () => {
    expect(of()).toMatch(/^cantTell: there is no answer/);
    expect(of(addition(NONE, 0, {}, { status: 500 }))).toMatch(/^cantTell/);
  });
});
