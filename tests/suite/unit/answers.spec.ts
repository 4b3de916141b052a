/** What tests read, and when there is nothing to read: a condition that is missing is told from what got in the way. */
import { expect } from '@playwright/test';
import { operationOf } from '../../../fixtures/contract/contract.ts';
import { PLAIN } from '../../../fixtures/plan/derived.ts';
import { RAREST_LIST, WHOLE_LIST } from '../../../fixtures/plan/lists.ts';
import { FIRST_LOOK_UP } from '../../../fixtures/plan/get-by-id.ts';
import { ORDERS_LOWER_CASE, ORDERS_ROW, planOf } from '../../../fixtures/plan/plan.ts';
import { NotJudged, notJudged } from '../../../fixtures/plan/not-judged.ts';
import type { Row } from '../../../fixtures/plan/row.ts';
import { sampleRow } from '../../../fixtures/plan/samples.ts';
import { Answer } from '../../../fixtures/target/run/answer.ts';
import { Answers, roomOf } from '../../../fixtures/target/run/answers.ts';
import { CannotTell } from '../../../fixtures/target/http/cannot-tell.ts';
import type { Exchange } from '../../../fixtures/target/http/exchange.ts';
import type { Addition } from '../../../fixtures/target/run/known.ts';
import type { Performer } from '../../../fixtures/target/run/perform.ts';
import type { Throttling } from '../../../fixtures/target/run/throttling.ts';
import { addition, exchange, type Given, pet, pets, runOf, test, TIMEOUT } from './make.ts';

const stages = planOf({ isThorough: false });
const REX = { name: 'Rex', categoryId: 1, status: 'available' };

interface Reading {
  answers: Answers;
  /** The numbers of the exchanges that were read. */
  read: number[];
}

/** The answers of a run whose plan has been performed, with these exchanges. */
function reading(exchanges: Exchange[], throttling: Partial<Throttling> = {}): Reading {
  const { log, known } = runOf(exchanges);
  const answerTo = async (name: string): Promise<Answer> => {
    const answer = known.answer(name);
    if (!answer) throw notJudged.unclear(`${name} was not asked`);
    return answer;
  };
  const rowNamed = (name: string): Row =>
    stages.flatMap(({ rows }) => rows).find((row) => row.name === name) ?? ({ name, reads: [] } as unknown as Row);
  const performer = {
    client: { log },
    known,
    stages,
    answerTo,
    knowingOutages: (answer: Answer) => answer,
    rowNamed,
    all: async () => {},
  };
  const read: number[] = [];
  const reader = {
    onRead: async ({ number }: Exchange) => void read.push(number),
    stop: (why: Error): never => {
      throw why;
    },
  };
  const parts = { performer: performer as unknown as Performer, throttling: throttling as Throttling };
  return { answers: new Answers(parts, reader), read };
}

const of = (...exchanges: Exchange[]): Answers => reading(exchanges).answers;

/** Why a test ends. */
async function ended(act: () => unknown): Promise<string> {
  try {
    await act();
  } catch (error) {
    if (error instanceof NotJudged) return `${error.outcome}: ${error.message}`;
    if (error instanceof CannotTell) return `cantTell: ${error.message}`;
    throw error;
  }
  return 'it goes on';
}

const list = (row: string, count: number, more: Given = {}): Exchange =>
  exchange({ row, query: { limit: '100' }, body: pets(count), ...more });

test('who reads a row reads each of its exchanges, and judges the last one', async () => {
  const [first, second] = [exchange({ row: PLAIN, status: 503 }), exchange({ row: PLAIN, status: 200 })];
  const { answers, read } = reading([first, second]);
  expect((await answers.to(PLAIN)).status).toBe(200);
  expect(read).toEqual([first.number, second.number]);
  expect(await ended(() => answers.to(WHOLE_LIST))).toBe(`cantTell: ${WHOLE_LIST} was not asked`);
});

test('the responses of an operation are those that came, of one documented status or of any', async () => {
  const ok = exchange({ operation: 'listOrders', status: 206 });
  const refused = exchange({ operation: 'listOrders', status: 401, credential: 'none' });
  const none = exchange({ operation: 'listOrders', failure: TIMEOUT });
  const answers = of(ok, refused, none, exchange());
  const orders = operationOf('listOrders');
  expect(await answers.responsesOf(orders)).toEqual([ok, refused]);
  expect(await answers.responsesOf(orders, '2XX')).toEqual([ok]);
  expect(await answers.responsesOf(orders, '429')).toEqual([]);
});

test('the animal of a row, or why there is none', async () => {
  const answers = of(addition(PLAIN, 1, REX), addition(sampleRow('digits'), 0, REX, { status: 400 }));
  expect((await answers.added(PLAIN)).animal.id).toBe('1');
  expect(await ended(() => answers.added(sampleRow('digits')))).toMatch(/^untested: it was answered 400/);
  expect(await ended(() => answers.added(sampleRow('rich')))).toMatch(/^cantTell/);
});

test('the animal that was added with a value, by its digits', async () => {
  const beyond = 2n ** 53n + 1n;
  const answers = of(addition(sampleRow('digits'), 1, { ...REX, categoryId: beyond }));
  expect((await answers.addedWith({ categoryId: beyond })).animal.id).toBe('1');
  expect(await ended(() => answers.addedWith({ categoryId: beyond - 1n }))).toMatch(
    /^untested: no animal with {"categoryId":9007199254740992} was accepted/,
  );
});

test('the animals that were added before an answer', () => {
  const [early, whole, late] = [addition(PLAIN, 1, REX), list(WHOLE_LIST, 0), addition('add: late', 2, REX)];
  const before = of(early, whole, late).addedBefore(new Answer(whole));
  expect(before.map(({ animal }) => animal.id)).toEqual(['1']);
});

test('the addition of the animal that a look-up asked for', async () => {
  const found = exchange({ row: FIRST_LOOK_UP, operation: 'getPet', id: '1', body: pet(1) });
  expect(of(addition(PLAIN, 1, REX), found).additionFor(new Answer(found)).sent).toEqual(REX);
  expect(await ended(() => of(found).additionFor(new Answer(found)))).toMatch(/^untested/);
});

test('a look-up that found another animal is for others to judge', async () => {
  const look = (id: number): Exchange => exchange({ row: FIRST_LOOK_UP, operation: 'getPet', id: '1', body: pet(id) });
  const added = of(addition(PLAIN, 1, REX)).known.added(PLAIN);
  expect((await of(look(1)).found([FIRST_LOOK_UP], added)).animal?.id).toBe('1');
  expect(await ended(() => of(look(2)).found([FIRST_LOOK_UP], added))).toMatch(/^cantTell: .*see add.persists/);
  expect(await ended(() => of().found([FIRST_LOOK_UP], added))).toMatch(/^cantTell: .* was not asked/);
});

test('where look-ups find nothing at all, what a list shows is kept, and one that none shows is lost', async () => {
  const missing = exchange({ row: FIRST_LOOK_UP, operation: 'getPet', id: '1', status: 404 });
  const other = exchange({ operation: 'getPet', id: '2', body: pet(2) });
  const look = (...exchanges: Exchange[]): Promise<string> =>
    ended(() => of(missing, ...exchanges).mustBeFindable(new Answer(missing)));
  expect(await look(list(WHOLE_LIST, 1))).toMatch(/^cantTell: GET \/pets\/{petId} finds no animal at all/);
  expect(await look(list(WHOLE_LIST, 1), other)).toBe('it goes on');
  expect(await look(list(WHOLE_LIST, 0))).toBe('it goes on');
  expect(await look(exchange({ row: WHOLE_LIST, status: 500 }))).toBe('it goes on');
});

test('an id that nothing was meant to have may be taken meanwhile', async () => {
  const answer = (status: number, id: number): Answer =>
    new Answer(exchange({ operation: 'getPet', id: '9', status, body: pet(id) }));
  expect(await ended(() => of().mustBeUnknown(answer(200, 9)))).toMatch(
    /^untested: an animal with that very id exists/,
  );
  // Another animal is not what was asked for, and a 404 says that there is none.
  expect(await ended(() => of().mustBeUnknown(answer(200, 8)))).toBe('it goes on');
  expect(await ended(() => of().mustBeUnknown(answer(404, 9)))).toBe('it goes on');
});

test('a list that may be cut is replaced by the one of the rarest status, unless that may be cut as well', async () => {
  const rarest = (count: number): Exchange => list(RAREST_LIST, count, { query: { limit: '100', status: 'sold' } });
  expect((await of(list(WHOLE_LIST, 99)).whole()).list.animals).toHaveLength(99);
  expect(await ended(() => of(list(WHOLE_LIST, 100), rarest(100)).whole())).toMatch(/^untested: .* may lie beyond/);
  expect(await ended(() => of(list(WHOLE_LIST, 0, { body: {} })).whole())).toBe('it goes on');
  const [sold, other] = [addition('a', 1, { ...REX, status: 'sold' }), addition('b', 2, REX)];
  const { list: shown, added } = await of(sold, other, list(WHOLE_LIST, 100), rarest(7)).whole();
  expect(shown.animals).toHaveLength(7);
  expect(added.map(({ animal }) => animal.id)).toEqual(['1']);
});

test('a list that shows an animal, or another requirement answers for it', async () => {
  const added = (id: number): Addition => of(addition(PLAIN, id, REX)).known.added(PLAIN);
  const [shown, missing] = [added(2), added(109)];
  const answers = of(list(WHOLE_LIST, 3));
  expect((await answers.listShowing(WHOLE_LIST, shown)).animals).toHaveLength(3);
  expect(await ended(() => answers.listShowing(WHOLE_LIST, missing))).toMatch(/^cantTell: .*see list.shows-added/);
  expect(await ended(() => of(list(WHOLE_LIST, 100)).listShowing(WHOLE_LIST, missing))).toMatch(/^untested/);
  expect(await ended(() => answers.listShowing(WHOLE_LIST, added(109)))).toMatch(/^untested: .* added after the list/);
});

test.describe('a list after additions that were refused', () => {
  const NAME = 'conformance-abcdef-refused-3-';
  const refused = (more: Given = {}): Exchange =>
    addition('POST /pets: a fault', 0, { name: NAME }, { status: 400, valid: false, ...more });
  const after = (exchanges: Exchange[], who: 'with the key' | 'without a valid key' = 'with the key') =>
    of(...exchanges).afterRefusals(who);

  test('has the names that must not be there', async () => {
    expect((await after([refused(), list(WHOLE_LIST, 3)])).marks).toEqual([NAME]);
    // A lenient parser could read a name in a malformed body, too.
    const malformed = {
      ...refused(),
      request: { method: 'POST', target: '/pets', headers: [], body: `{"name":"${NAME}"` },
    };
    expect((await after([malformed as Exchange, list(WHOLE_LIST, 3)])).marks).toEqual([NAME]);
  });

  test('tells those with the key from those without one', async () => {
    const stranger = refused({ status: 401, credential: 'none' });
    expect((await after([stranger, list(WHOLE_LIST, 3)], 'without a valid key')).marks).toEqual([NAME]);
    expect(await ended(() => after([stranger, list(WHOLE_LIST, 3)]))).toMatch(/^untested: no addition with the key/);
  });

  test('is not one where nothing was refused, or only afterwards, or with a 5xx', async () => {
    const lists = list(WHOLE_LIST, 3);
    for (const other of [refused({ status: 201 }), refused({ status: 500 }), refused({ failure: TIMEOUT })])
      expect(await ended(() => after([other, list(WHOLE_LIST, 3)]))).toMatch(/^untested/);
    expect(await ended(() => after([lists, refused()]))).toMatch(/^untested/);
  });

  test('says nothing where it may be cut and shows none of them; what it shows is there', async () => {
    const ofSold = (count: number): Exchange =>
      list(RAREST_LIST, count, { query: { limit: '100', status: 'sold' }, body: pets(count) });
    const full = [refused(), list(WHOLE_LIST, 100)];
    expect(await ended(() => after([...full, ofSold(100)]))).toMatch(/^untested: .* may lie beyond/);
    // Nothing of that status was rejected, so its list says nothing.
    expect(await ended(() => after([...full, ofSold(3)]))).toMatch(/^untested: .* may lie beyond/);
    const sold = addition('POST /pets: a fault', 0, { name: NAME, status: 'sold' }, { status: 400, valid: false });
    expect((await after([sold, list(WHOLE_LIST, 100), ofSold(3)])).marks).toEqual([NAME]);
    const before = refused();
    const shown = list(WHOLE_LIST, 0, { body: [...pets(99), pet(100, { name: NAME })] });
    expect((await after([before, shown])).list.animals).toHaveLength(100);
  });
});

test('the first of some rows that was answered as wanted, else the last that was asked', async () => {
  const rows = [ORDERS_LOWER_CASE, ORDERS_ROW];
  const first = (...exchanges: Exchange[]): Promise<Answer> =>
    of(...exchanges).firstOf(rows, ({ status }) => status !== 401);
  const answer = (row: string, status: number): Exchange => exchange({ row, operation: 'listOrders', status });
  expect((await first(answer(ORDERS_LOWER_CASE, 401), answer(ORDERS_ROW, 200))).status).toBe(200);
  expect((await first(answer(ORDERS_LOWER_CASE, 404))).status).toBe(404);
  expect((await first(answer(ORDERS_LOWER_CASE, 401), answer(ORDERS_ROW, 401))).exchange.row).toBe(ORDERS_ROW);
  expect(await ended(() => first())).toMatch(/^cantTell: .* was not asked/);
});

test('the list of a status is the one with the most room', async () => {
  const own = (limit: string, more: Given = {}): Exchange =>
    exchange({ query: { limit, status: 'sold' }, body: [], ...more });
  const best = own('100');
  expect((await of(own('9'), best, own('20')).ofStatus('sold')).exchange).toBe(best);
  expect(await ended(() => of(own('9', { credential: 'none' })).ofStatus('sold'))).toMatch(
    /^cantTell: no list of status sold was answered/,
  );
  expect(await ended(() => of(own('9', { failure: TIMEOUT })).ofStatus('sold'))).toMatch(/^cantTell/);
});

test('a list tells something where enough animals are known to have been there', async () => {
  const [early, whole] = [exchange({ body: pets(2) }), list(WHOLE_LIST, 0)];
  const answers = of(early, whole);
  expect(answers.existedAt(new Answer(whole))).toBe(2);
  expect(await ended(() => answers.mustHaveExisted(new Answer(whole), 2))).toBe('it goes on');
  expect(await ended(() => answers.mustHaveExisted(new Answer(whole), 3))).toBe(
    'untested: 2 such animals are known, and it takes 3',
  );
  const refusal = addition('add: one of many, number 1', 0, REX, { status: 400 });
  expect(await ended(() => of(early, refusal, whole).mustHaveExisted(new Answer(whole), 3))).toMatch(
    /^cantTell: it takes 3 animals, and no more could be added: POST \/pets .* was answered 400/,
  );
  // Limits on names are not shown: that a name with accents is rejected is no reason.
  const lawful = addition(sampleRow('rich'), 0, REX, { status: 400 });
  expect(await ended(() => of(early, lawful, whole).mustHaveExisted(new Answer(whole), 3))).toMatch(/^untested/);
});

test('a limit beyond the largest one decides only if too many could have come', async () => {
  const [early, odd] = [exchange({ body: pets(30) }), (more: Given): Exchange => exchange({ valid: false, ...more })];
  const decides = (answer: Exchange): Promise<string> =>
    ended(() => of(early, answer).mustBeDecisive(new Answer(answer), 100));
  expect(await decides(odd({ status: 400 }))).toBe('it goes on');
  expect(await decides(odd({ body: pets(20) }))).toBe('it goes on');
  expect(await decides(odd({ body: pets(30) }))).toMatch(/^untested: 30 animals are known, and more than 100/);
  const many = [exchange({ body: pets(130) }), odd({ body: pets(100) })] as const;
  expect(await ended(() => of(...many).mustBeDecisive(new Answer(many[1]), 100))).toBe('it goes on');
});

test('a filter shows something only if animals of another status exist', async () => {
  const sold = exchange({ body: pets(2, { status: 'sold' }) });
  const must = (...exchanges: Exchange[]): Promise<string> =>
    ended(() => of(...exchanges).mustHaveOthers(new Answer(sold), 'sold'));
  expect(await must(sold)).toMatch(/^untested: no animal of another status than sold/);
  expect(await must(sold, exchange({ body: [pet(9, { status: 'pending' })] }))).toBe('it goes on');
});

test('a list has room for as many as it asked for; the default is for another requirement to judge', () => {
  expect(roomOf(exchange({ query: { limit: '9' } }))).toBe(9);
  expect(roomOf(exchange({ query: { status: 'sold' } }))).toBe(0);
});

test('a call without a body, and one that was not done, say nothing of what it changed', async () => {
  const orders = operationOf('listOrders');
  const row = `${orders.name}: a valid call`;
  const valid = (status: number, body: Given['body'] = { text: '' }): Answers =>
    of(exchange({ row, operation: 'listOrders', status, ...(body !== undefined && { body }) }));
  expect(await ended(() => valid(204).withObject(row))).toMatch(/^inapplicable: the contract shows no body/);
  expect((await valid(200, { a: 1 }).withObject(row)).json).toEqual({ a: 1 });
  expect((await valid(204).succeeded(row)).status).toBe(204);
  for (const status of [302, 404]) expect(await ended(() => valid(status).succeeded(row))).toMatch(/^cantTell/);
  expect(await ended(() => valid(202).succeeded(row))).toMatch(/^untested: it was answered 202/);
});

test('throttling that was not tried is untested, with the reason', async () => {
  const leftOut = { outcome: 'untested', reason: 'THROTTLING=off', remedy: 'THROTTLING=auto' } as const;
  const { answers } = reading([], { experiment: async () => ({ leftOut, rounds: [] }) });
  expect(await ended(() => answers.throttled())).toBe('untested: THROTTLING=off');
  expect(await ended(() => answers.afterThrottling())).toBe('untested: THROTTLING=off');
  const refusal = exchange({ status: 429 });
  const round = { operation: 'listPets', sent: [refusal.number], refusal: refusal.number, pressed: 0 };
  const { answers: tried, read } = reading([refusal], { experiment: async () => ({ rounds: [round] }) });
  expect((await tried.throttled()).rounds).toEqual([round]);
  expect(read).toEqual([refusal.number]);
});
