import { expect } from '@playwright/test';
import { operationOf } from '../../../fixtures/contract/contract.ts';
import { LACKING } from '../../../fixtures/plan/get-by-id.ts';
import type { Json } from '../../../fixtures/contract/json.ts';
import { NotJudged, notJudged } from '../../../fixtures/plan/not-judged.ts';
import { Answer } from '../../../fixtures/target/run/answer.ts';
import { Undecided } from '../../../fixtures/target/http/undecided.ts';
import { LoggedRunState } from '../../../fixtures/target/run/known.ts';
import type { Exchange } from '../../../fixtures/target/http/exchange.ts';
import { addition, error, exchange, type Given, makeLog, pet, pets, makeRun, test, TIMEOUT } from './make.ts';

const PLAIN = 'POST /pets';
const DUPLICATE = 'POST /pets, a duplicate at the same moment';

const knowing = (...exchanges: Exchange[]): LoggedRunState => makeRun(exchanges).known;
const REX = { name: 'Rex', categoryId: 1, status: 'available' };

function why(act: () => unknown): string {
  try {
    act();
  } catch (error) {
    if (error instanceof NotJudged) return `${error.outcome}: ${error.message}`;
    if (error instanceof Undecided) return `cantTell: ${error.message}`;
    throw error;
  }
  throw new Error('it is there');
}

test('a name has the mark of its run', () => {
  expect(knowing().mark('digits')).toBe('conformance-abcdef-digits');
});

test('a category keeps its digits', () => {
  const category = (categoryId: string) =>
    new LoggedRunState(makeLog([]), { run: 'GET /pets', categoryId, readOnly: false }).categoryId;
  expect(category('1')).toBe(1);
  expect(category('-9223372036854775808')).toBe(-(2n ** 63n));
  expect(category('9007199254740993')).toBe(2n ** 53n + 1n);
  expect(category('9007199254740991')).toBe(2 ** 53 - 1);
});

test('the random id is a large int64, the same in every process of a run', () => {
  const of = (run: string): bigint =>
    new LoggedRunState(makeLog([]), { run, categoryId: '1', readOnly: false }).randomId;
  expect(of('abcdef')).toBe(of('abcdef'));
  expect(of('abcdef')).not.toBe(of('abcdeg'));
  for (const run of ['abcdef', '000000', 'zzzzzz', 'GET /pets', ''])
    expect(of(run) > 2n ** 62n && of(run) < 2n ** 63n, run).toBe(true);
});

test('the answer to a row is the last one, and the first own one is available', () => {
  const known = knowing(
    exchange({ row: 'GET /pets', status: 503 }),
    exchange({ row: 'GET /pets', status: 404 }),
    exchange({ row: 'GET /pets', status: 200 }),
  );
  expect(known.answer('GET /pets')?.status).toBe(200);
  expect(known.firstAnswer('GET /pets')?.status).toBe(404);
  expect(known.answer('GET /store/orders')).toBeUndefined();
  expect(known.firstAnswer('GET /store/orders')).toBeUndefined();
});

test.describe('an addition', () => {
  test('is a valid POST with the key and an animal in the response', () => {
    const known = knowing(
      addition('POST /pets with an id', 1, REX),
      addition('POST /pets with a name of digits', 2, REX, { status: 400 }),
      addition('POST /pets: without a key', 3, REX, { credential: 'unknown' }),
      addition('POST /pets: name is missing', 4, REX, { valid: false }),
      exchange({ row: 'GET /pets/0', operation: 'getPet', body: pet(5) }),
      addition('POST /pets without a status', 6, REX),
    );
    expect(known.additions().map(({ animal }) => animal.id)).toEqual(['1', '6']);
    expect(known.added('POST /pets with an id').sent).toEqual(REX);
  });

  test('may come from a lawful special row: a duplicate, or another media type', () => {
    const known = knowing(
      addition(DUPLICATE, 1, REX, { valid: false }),
      addition('POST /pets as text/plain', 2, REX, { valid: false }),
    );
    expect(known.additions().map(({ animal }) => animal.id)).toEqual(['1', '2']);
  });

  test('of a plain animal is the first of the two duplicates, or the third attempt', () => {
    expect(knowing(addition(PLAIN, 1, REX), addition(DUPLICATE, 2, REX, { valid: false })).added(PLAIN).animal.id).toBe(
      '1',
    );
    const refused = addition(PLAIN, 0, REX, { status: 409 });
    expect(knowing(refused, addition(DUPLICATE, 2, REX, { valid: false })).added(PLAIN).animal.id).toBe('2');
    expect(knowing(refused, addition('POST /pets, once more', 3, REX)).added(PLAIN).animal.id).toBe('3');
    // No other row has a substitute.
    expect(why(() => knowing(addition(DUPLICATE, 2, REX, { valid: false })).added('POST /pets with an id'))).toMatch(
      /^cantTell/,
    );
  });

  test('that was lawfully refused with 400 is untested', () => {
    const known = knowing(addition('POST /pets with a name of digits', 0, REX, { status: 400 }));
    expect(why(() => known.added('POST /pets with a name of digits'))).toBe(
      'untested: its addition was rejected with 400, which is allowed: such limits are not specified',
    );
  });

  test('of a plain animal refused with 400 is cantTell', () => {
    expect(why(() => knowing(addition(PLAIN, 0, REX, { status: 400 })).added(PLAIN))).toMatch(
      /^cantTell: no animal could be added: POST \/pets with the valid key, body .* was answered 400/,
    );
  });

  test('with any other response is cantTell', () => {
    for (const status of [409, 413, 500])
      expect(
        why(() => knowing(addition('POST /pets with an id', 0, REX, { status })).added('POST /pets with an id')),
      ).toMatch(/^cantTell/);
    expect(
      why(() =>
        knowing(addition('POST /pets with an id', 0, REX, { failure: TIMEOUT })).added('POST /pets with an id'),
      ),
    ).toContain('no answer within 10 s');
    expect(
      why(() => knowing(addition('POST /pets with an id', 0, REX, { body: [] })).added('POST /pets with an id')),
    ).toMatch(/^cantTell/);
  });

  test('that was not sent has the reason', () => {
    const known = knowing();
    expect(why(() => known.added('POST /pets with an id'))).toBe('cantTell: it was not sent');
    known.notAsked.set('POST /pets with an id', notJudged.readOnly());
    expect(why(() => known.added('POST /pets with an id'))).toBe(
      'untested: READ_ONLY=1: nothing is added to this target',
    );
  });
});

test('any animal is a plain one, on a read-only run a listed one', () => {
  expect(knowing(addition(PLAIN, 9, REX)).anAnimal().animal.id).toBe('9');
  expect(makeRun([exchange({ body: [pet(4), pet(5)] })], true).known.anAnimal().animal.id).toBe('4');
  expect(why(() => makeRun([exchange({ body: [] })], true).known.anAnimal())).toBe('untested: the store is empty');
  expect(why(() => knowing(exchange({ body: [pet(4)] })).anAnimal())).toMatch(/^cantTell/);
});

test.describe('the known animals', () => {
  test('are the listed and the added ones, each once', () => {
    const known = knowing(
      exchange({ body: [pet(1), pet(2, { status: 'sold' })] }),
      addition(PLAIN, 3, REX),
      exchange({ body: [pet(1), pet(3)] }),
    );
    expect([known.count(), known.count('available'), known.count('sold'), known.count('pending')]).toEqual([
      3, 2, 1, 0,
    ]);
    expect(known.ids().toSorted()).toEqual([1n, 2n, 3n]);
  });

  test('do not include those of invalid bodies that were accepted, whose ids are taken', () => {
    const known = knowing(addition('POST /pets: name is not UTF-8', 5, REX, { valid: false }));
    expect(known.count()).toBe(0);
    expect(known.ids()).toEqual([5n]);
  });

  test('are certain if the run added them, or the first list showed them or was full', () => {
    const odd = addition('POST /pets: name is not UTF-8', 5, REX, { valid: false });
    const later = exchange({ body: [pet(1), pet(3), pet(5), pet(6)] });
    const known = knowing(exchange({ body: [pet(1)] }), addition(PLAIN, 3, REX), odd, later);
    expect([known.count(), known.countCertain()]).toEqual([4, 2]);
    const full = exchange({ query: { limit: '1' }, body: [pet(1)] });
    expect(knowing(full, addition(PLAIN, 3, REX), odd, later).countCertain()).toBe(4);
  });

  test('do not include those of unauthenticated or invalid responses', () => {
    const known = knowing(
      exchange({ credential: 'none', body: [pet(1)] }),
      exchange({ body: { items: [pet(2)] } }),
      exchange({ status: 206, body: [pet(3)] }),
    );
    expect(known.count()).toBe(0);
  });

  test('do not include removed ones', () => {
    const removal = exchange({ operation: null, method: 'DELETE', id: '3', status: 204, body: { text: '' } });
    const known = knowing(addition(PLAIN, 3, REX), exchange({ body: [pet(1), pet(3)] }), removal);
    expect(known.ids()).toEqual([1n]);
    const refused = { ...removal, response: { ...removal.response, status: 404 } } as Exchange;
    expect(knowing(addition(PLAIN, 3, REX), refused).count()).toBe(1);
  });

  test('keep their digits, and need a number as id', () => {
    const known = knowing(exchange({ body: [pet(2n ** 63n - 1n), pet('x'), pet('5')] }));
    expect(known.ids()).toEqual([2n ** 63n - 1n, 5n]);
    expect(known.count()).toBe(3);
  });

  test('are read again if an earlier answer arrives late', () => {
    const exchanges = [exchange({ number: 1, body: [pet(1)] }), exchange({ number: 3, body: [pet(3)] })];
    const { known } = makeRun(exchanges);
    expect(known.count()).toBe(2);
    exchanges.splice(1, 0, exchange({ number: 2, body: [pet(2)] }));
    expect(known.count()).toBe(3);
    exchanges.push(exchange({ number: 4, body: [pet(4)] }));
    expect(known.count()).toBe(4);
  });
});

test('the most common status is one of enough animals, else of most', () => {
  expect(knowing().commonStatus()).toBe('available');
  expect(knowing(exchange({ body: pets(3, { status: 'sold' }) })).commonStatus()).toBe('sold');
});

test.describe('the number of animals at the time of a list', () => {
  const early = exchange({ number: 1, body: [pet(1), pet(2, { status: 'sold' })] });
  const added = addition(PLAIN, 3, REX, { number: 2 });
  const list = exchange({ number: 3, body: [] });
  const ofSold = exchange({ number: 3, body: [], query: { status: 'sold' } });
  const later = exchange({ number: 4, body: [pet(3), pet(4)] });

  test('counts animals listed before, and added ones that some list showed', () => {
    expect(makeRun([early, added, list, later]).known.existedAt(new Answer(list))).toBe(3);
    expect(makeRun([early, added, ofSold, later]).known.existedAt(new Answer(ofSold))).toBe(1);
  });

  test('excludes added animals that were never listed', () => {
    expect(makeRun([early, added, list]).known.existedAt(new Answer(list))).toBe(2);
  });

  test('excludes animals of others that no later list shows, if one that a list lacked is gone or changed', () => {
    const lacked = (answer: Given): Exchange =>
      exchange({ number: 5, row: LACKING, operation: 'getPet', id: '1', ...answer });
    const count = (answer: Given): number =>
      makeRun([early, added, list, later, lacked(answer)]).known.existedAt(new Answer(list));
    expect(count({ status: 404, body: error(404) })).toBe(1);
    expect(count({ body: pet(1, { status: 'sold' }) })).toBe(1);
    expect(count({ body: pet(1) })).toBe(3);
    expect(count({ status: 500, body: error(500) })).toBe(3);
    const countAgain = (at: number): number => {
      const again = exchange({ number: 6, at, body: [pet(2, { status: 'sold' })] });
      const { known } = makeRun([early, added, list, later, lacked({ status: 404, body: error(404) }), again]);
      return known.existedAt(new Answer(list));
    };
    expect(countAgain(9)).toBe(2);
    // A copy that lags still shows an animal that is gone.
    expect(countAgain(3)).toBe(1);
  });

  test('excludes animals that others added, as long as a copy may lag', () => {
    const grown = exchange({ number: 2, at: 1, body: [pet(1), pet(2), pet(3)] });
    const count = (at: number, first = early): number => {
      const stale = exchange({ number: 3, at, body: [pet(1)] });
      return makeRun([first, grown, stale]).known.existedAt(new Answer(stale));
    };
    expect(count(3)).toBe(2);
    expect(count(9)).toBe(3);
    // A first list that is full shows nothing about others.
    expect(count(3, exchange({ number: 1, body: [pet(1)], query: { limit: '1' } }))).toBe(3);
  });

  test('excludes animals of others that no later list shows, if the one that a list lacked could not be requested', () => {
    const count = (why?: NotJudged | Undecided): number => {
      const { known } = makeRun([early, added, list, later]);
      if (why) known.notAsked.set(LACKING, why);
      return known.existedAt(new Answer(list));
    };
    expect(count()).toBe(3);
    expect(count(notJudged.unsuspicious('no list lacked an animal'))).toBe(3);
    expect(count(notJudged.removed('GET /pets/{petId}', '2030-12-05'))).toBe(1);
    expect(count(new Undecided('no answer'))).toBe(1);
  });

  test('excludes animals that were added or first listed later', () => {
    expect(makeRun([early, { ...added, number: 5 }, list, later]).known.existedAt(new Answer(list))).toBe(2);
  });
});

test.describe('an animal of this run that was missing at first', () => {
  const added = addition(PLAIN, 3, REX, { number: 1 });
  const list = (number: number, ids: number[], row = 'GET /pets'): Exchange =>
    exchange({ number, row, body: ids.map((id) => pet(id)) });
  const lookUp = (number: number, status: number, id = '3'): Exchange =>
    exchange({ number, operation: 'getPet', id, status, body: status === 200 ? pet(3) : error(404) });

  test('is one that a list lacked, and showed when repeated', () => {
    expect(knowing(added, list(2, []), list(3, [3])).wasListLate()).toBe(true);
    expect(knowing(added, list(2, [3]), list(3, [3])).wasListLate()).toBe(false);
    // Polling did not help, it was another request, or an animal of others.
    expect(knowing(added, list(2, []), list(3, [])).wasListLate()).toBe(false);
    expect(knowing(added, list(2, []), list(3, [3], 'GET /pets, once more')).wasListLate()).toBe(false);
    expect(knowing(added, list(2, [3]), list(3, [3, 4])).wasListLate()).toBe(false);
    // A full list may show any animals.
    const full = Array.from({ length: 20 }, (_, i) => i + 10);
    expect(knowing(added, list(2, full), list(3, [3])).wasListLate()).toBe(false);
  });

  test('is one that was not found by its id, and found later', () => {
    expect(knowing(added, lookUp(2, 404), lookUp(3, 200)).findLateAnimal()).toBe('3');
    expect(knowing(added, lookUp(2, 200), lookUp(3, 200)).findLateAnimal()).toBeUndefined();
    expect(knowing(added, lookUp(2, 404), lookUp(3, 404)).findLateAnimal()).toBeUndefined();
    expect(knowing(added, lookUp(2, 404, '4'), lookUp(3, 200, '4')).findLateAnimal()).toBeUndefined();
    expect(knowing(lookUp(1, 404), { ...added, number: 2 }, lookUp(3, 200)).findLateAnimal()).toBeUndefined();
  });
});

test('an animal of others may be gone, unless a later list shows it', () => {
  const shown = (number: number): Exchange => exchange({ number, body: [pet(1)] });
  const own = addition(PLAIN, 1, REX, { number: 1 });
  const missing = exchange({ number: 3, operation: 'getPet', id: '1', status: 404, body: error(404) });
  const found = exchange({ number: 3, operation: 'getPet', id: '1', body: pet(1) });
  expect(knowing(shown(2), missing).mayBeGone(new Answer(missing))).toBe(true);
  expect(knowing(shown(2), missing, shown(4)).mayBeGone(new Answer(missing))).toBe(false);
  expect(knowing(own, shown(2), missing).mayBeGone(new Answer(missing))).toBe(false);
  expect(knowing(shown(2), found).mayBeGone(new Answer(found))).toBe(false);
});

test('a list lacks an animal of others if it has room for it', () => {
  const lacking = (...exchanges: Exchange[]): string | undefined => knowing(...exchanges).lackingAnimal()?.id;
  const first = exchange({ number: 1, body: [pet(1), pet(2), pet(3, { status: 'sold' })] });
  const own = addition(PLAIN, 4, REX, { number: 2 });
  const list = (limit: string, body: Json, status?: string): Exchange =>
    exchange({ number: 3, row: 'GET /pets', query: { limit, ...(status !== undefined && { status }) }, body });
  expect(lacking(first, list('9', [pet(2), pet(3, { status: 'sold' })]))).toBe('1');
  expect(lacking(first, list('2', [pet(2)]))).toBe('1');
  expect(lacking(first, list('1', [pet(2)]))).toBeUndefined();
  expect(lacking(first, list('9', [pet(1), pet(2)], 'available'))).toBeUndefined();
  expect(lacking(first, list('9', [pet(1), pet(2), pet(3, { status: 'sold' })]))).toBeUndefined();
  expect(lacking(first, exchange({ number: 3, query: { size: 'small' }, body: [pet(2)] }))).toBeUndefined();
  // The last answer to a row counts, and animals of this run are judged by other tests.
  expect(lacking(first, { ...list('9', []), number: 2 }, list('9', [pet(1), pet(2), pet(3)]))).toBeUndefined();
  const shown = exchange({ number: 4, body: [pet(4)] });
  expect(lacking(own, { ...list('9', []), number: 5, row: 'GET /pets?limit={maximum}' }, shown)).toBeUndefined();
});

test('animals added before a list are those of its status', () => {
  const [rex, sold, late] = [
    addition(PLAIN, 1, REX, { number: 1 }),
    addition('POST /pets with status sold', 2, { ...REX, status: 'sold' }, { number: 2 }),
    addition('POST /pets without a status', 3, REX, { number: 4 }),
  ];
  const ids = (query?: Given['query']): string[] => {
    const list = exchange({ number: 3, ...(query && { query }) });
    const before = makeRun([rex, sold, list, late]).known.addedBefore(new Answer(list));
    return before.map(({ animal }) => animal.id);
  };
  expect(ids()).toEqual(['1', '2']);
  expect(ids({ status: 'sold' })).toEqual(['2']);
  expect(ids({ status: 'pending' })).toEqual([]);
});

test('each name counts the requests that sent it, answered or not', () => {
  const twins = [1, 2].map((id) => addition(PLAIN, id, REX, { number: id }));
  const lost = addition(PLAIN, 0, REX, { number: 3, failure: TIMEOUT });
  const list = exchange({ number: 4 });
  const count = (...sent: Exchange[]): unknown[] => [
    ...makeRun([...sent, list]).known.countRequestsByName(new Answer(list)),
  ];
  expect(count(...twins)).toEqual([['Rex', 2]]);
  expect(count(...twins, lost)).toEqual([['Rex', 3]]);
  expect(count(lost)).toEqual([]);
});

test('names are of letters or short once only such a name was accepted', () => {
  const [REX, LETTERS] = [{ name: 'Rex', categoryId: 1 }, 'POST /pets with a name of letters'];
  const plain = addition('POST /pets', 0, REX, { status: 400 });
  const namesOf = (...exchanges: Exchange[]): string => knowing(...exchanges).mark('more-12');
  expect(namesOf(plain)).toMatch(/^conformance-\w{6}-more-12$/);
  expect(namesOf(plain, addition(LETTERS, 0, REX, { status: 400 }))).toMatch(/^conformance-/);
  const accepted = [plain, addition(LETTERS, 1, REX)];
  expect(namesOf(...accepted)).toMatch(/^Conform[a-z]{6}mlm$/);
  const rejected = [plain, addition(LETTERS, 0, REX, { status: 400 })];
  expect(namesOf(...rejected, addition('POST /pets with a short name in lower case', 1, REX))).toMatch(
    /^cnf[a-z]{4}mlm$/,
  );
  expect(knowing(...accepted).whyNoMore(3)).toBeUndefined();
  expect(
    knowing(...accepted, addition('POST /pets, number 1 of many', 0, REX, { status: 400 })).whyNoMore(3),
  ).toBeDefined();
});

test('the category is that of the settings, or of a listed animal if only that is accepted', () => {
  const LISTED = 'POST /pets with the category of a listed animal';
  const list = exchange({ body: [pet(1, { categoryId: '7' }), pet(2), pet(3, { categoryId: 70 })] });
  const refused = addition(PLAIN, 0, REX, { status: 400 });
  expect(knowing(list).listedCategory()).toBe(70);
  expect(why(() => knowing().listedCategory())).toBe('untested: no list shows a category other than 1');
  const sent = { ...REX, categoryId: 70 };
  expect(knowing(list, refused, addition(LISTED, 0, sent, { status: 400 })).categoryId).toBe(1);
  const known = knowing(list, refused, addition(LISTED, 4, sent));
  expect(known.categoryId).toBe(70);
  expect(known.mark('more-12')).toMatch(/^conformance-/);
  expect(known.added(PLAIN).animal.id).toBe('4');
  expect(known.whyNoMore(3)).toBeUndefined();
  const both = knowing(
    list,
    refused,
    addition('POST /pets with a short name and the category of a listed animal', 5, sent),
  );
  expect(both.categoryId).toBe(70);
  expect(both.mark('more-12')).toMatch(/^cnf/);
});

test('a name is accepted with a retry, also if JSON escapes it', () => {
  const [name, sent] = ['Rex\0', { ...REX, name: 'Rex\0' }];
  const refused = addition('POST /pets, number 1 of many', 0, sent, { status: 429 });
  expect(knowing(refused).isAccepted(name)).toBe(false);
  expect(knowing(refused, addition('POST /pets, number 1 of many', 1, sent)).isAccepted(name)).toBe(true);
  expect(knowing(refused, addition('POST /pets, number 1 of many', 1, REX)).isAccepted(name)).toBe(false);
});

test.describe('the names rejected before a list', () => {
  const NAME = 'conformance-abcdef-refused-3-';
  const rejected = (more: Given = {}, sent: Record<string, string> = {}): Exchange =>
    addition('POST /pets: a fault', 0, { name: NAME, ...sent }, { status: 400, valid: false, ...more });
  const list = (status?: string): Exchange => exchange(status === undefined ? {} : { query: { status } });
  const before = (exchanges: Exchange[], who: 'with the key' | 'without a valid key' = 'with the key'): string[] =>
    knowing(...exchanges).rejectedBefore(new Answer(exchanges.at(-1) as Exchange), who);

  test('include those of malformed bodies', () => {
    expect(before([rejected(), list()])).toEqual([NAME]);
    // A lenient parser could read a name in a malformed body.
    const malformed = { ...rejected(), request: { ...rejected().request, body: `{"name":"${NAME}"` } };
    expect(before([malformed, list()])).toEqual([NAME]);
    expect(before([rejected({ operation: 'listPets' }), list()])).toEqual([]);
  });

  test('include those of valid additions that were rejected', () => {
    const valid = addition('POST /pets, number 1 of many', 0, { name: 'Rex 1' }, { status: 400 });
    expect(before([valid, list()])).toEqual(['Rex 1']);
  });

  test('distinguish authenticated from unauthenticated requests', () => {
    const unauthenticated = rejected({ status: 401, credential: 'none' });
    expect(before([unauthenticated, list()], 'without a valid key')).toEqual([NAME]);
    expect(before([unauthenticated, list()])).toEqual([]);
    expect(before([rejected(), list()], 'without a valid key')).toEqual([]);
  });

  test('exclude those that were accepted on a retry', () => {
    const throttled = rejected({ status: 429 });
    expect(before([throttled, list()])).toEqual([NAME]);
    expect(before([throttled, rejected({ status: 201 }), list()])).toEqual([]);
  });

  test('exclude accepted, failed and later additions', () => {
    for (const other of [rejected({ status: 201 }), rejected({ status: 500 }), rejected({ failure: TIMEOUT })])
      expect(before([other, list()])).toEqual([]);
    const [early, late] = [list(), rejected()];
    expect(knowing(early, late).rejectedBefore(new Answer(early), 'with the key')).toEqual([]);
  });

  test('are those of the status of the list', () => {
    expect(before([rejected({}, { status: 'sold' }), list('sold')])).toEqual([NAME]);
    expect(before([rejected({}, { status: 'pending' }), list('sold')])).toEqual([]);
    expect(before([rejected(), list('sold')])).toEqual([]);
  });
});

test('a rejected valid addition limits the store, unless it may be refused', () => {
  const because = (...exchanges: Exchange[]): string | undefined => knowing(...exchanges).whyNoMore(3)?.message;
  const refused = addition('POST /pets, number 1 of many', 0, REX, { status: 400 });
  expect(knowing(refused).whyNoMore(1)?.message).toMatch(/^1 animal is needed, but no more could be added/);
  expect(because()).toBeUndefined();
  expect(because(addition(PLAIN, 1, REX))).toBeUndefined();
  expect(because(refused)).toMatch(
    /^3 animals are needed, but no more could be added: POST \/pets .* was answered 400/,
  );
  expect(because(addition('POST /pets with a name of digits', 0, REX, { status: 400 }))).toBeUndefined();
  expect(because(addition('POST /pets: a fault', 0, REX, { status: 400, valid: false }))).toBeUndefined();
  expect(because(addition('POST /pets: without a key', 0, REX, { status: 401, credential: 'none' }))).toBeUndefined();
  expect(because(addition(PLAIN, 1, REX, { body: [] }))).toBe('an animal was added whose id cannot be read');
});

test('an addition without a number as id is unreadable', () => {
  const unreadable = (...exchanges: Exchange[]): boolean => knowing(...exchanges).unreadableAddition() !== undefined;
  expect(unreadable(addition(PLAIN, 1, REX))).toBe(false);
  expect(unreadable(addition(PLAIN, -1, REX))).toBe(false);
  expect(unreadable(addition(PLAIN, 'a-b', REX))).toBe(true);
  expect(unreadable(addition(PLAIN, 1, REX, { body: [] }))).toBe(true);
  expect(unreadable(addition(PLAIN, 'a-b', REX, { status: 400 }))).toBe(false);
  expect(unreadable(addition(PLAIN, 'a-b', REX, { credential: 'none' }))).toBe(false);
});

test('an operation is removed from its announced date on, by the time of the target', () => {
  /** @param here the time of this machine. */
  const removed = (date: string, here = date, operation = 'getPet'): string | undefined =>
    knowing({ ...exchange({ headers: { Date: date } }), at: Date.parse(here) }).removalOf(operationOf(operation))?.code;
  expect(removed('Wed, 04 Dec 2030 23:59:59 GMT')).toBeUndefined();
  expect(removed('Thu, 05 Dec 2030 00:00:00 GMT')).toBe('removed');
  expect(removed('Fri, 05 Dec 2031 00:00:00 GMT')).toBe('removed');
  // Within a day the target's clock decides; beyond it both have to agree.
  expect(removed('Thu, 05 Dec 2030 00:10:00 GMT', 'Wed, 04 Dec 2030 02:00:00 GMT')).toBe('removed');
  expect(removed('Wed, 04 Dec 2030 02:00:00 GMT', 'Thu, 05 Dec 2030 00:10:00 GMT')).toBeUndefined();
  expect(removed('Fri, 05 Dec 2031 00:00:00 GMT', 'Sun, 22 Nov 2026 00:00:00 GMT')).toBe('removedByOneClock');
  expect(removed('Sun, 22 Nov 2026 00:00:00 GMT', 'Fri, 05 Dec 2031 00:00:00 GMT')).toBe('removedByOneClock');
  expect(removed('Sun, 22 Nov 2020 00:00:00 GMT', 'Sun, 22 Nov 2026 00:00:00 GMT')).toBeUndefined();
  expect(removed('Fri, 05 Dec 2031 00:00:00 GMT', 'Mon, 06 Dec 2032 00:00:00 GMT')).toBe('removed');
  expect(knowing().removalOf(operationOf('getPet'))).toBeUndefined();
  expect(removed('Fri, 05 Dec 2031 00:00:00 GMT', undefined, 'listPets')).toBeUndefined();
});
