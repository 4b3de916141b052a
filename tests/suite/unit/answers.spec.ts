import { expect } from '@playwright/test';
import { operationOf } from '../../../fixtures/contract/contract.ts';
import type { RowName } from '../../../fixtures/plan/names.ts';
import { NotJudged, notJudged } from '../../../fixtures/plan/not-judged.ts';
import { Answer } from '../../../fixtures/target/run/answer.ts';
import { Answers, isFull, requestedLimit } from '../../../fixtures/target/run/answers.ts';
import { Undecided } from '../../../fixtures/target/http/undecided.ts';
import type { Exchange } from '../../../fixtures/target/http/exchange.ts';
import type { Addition } from '../../../fixtures/target/run/known.ts';
import type { Performer } from '../../../fixtures/target/run/perform.ts';
import type { Throttling } from '../../../fixtures/target/run/throttling.ts';
import { addition, exchange, type Given, pets, makeRun, test, TIMEOUT } from './make.ts';

const DIGITS = 'POST /pets with a name of digits and categoryId 2^53 + 1';
const ORDERS_LOWER_CASE = 'GET /store/orders, with "bearer" in lower case';
const ORDERS_ROW = 'GET /store/orders';
const PLAIN = 'POST /pets';
const WHOLE_LIST = 'GET /pets?limit={maximum}';

const REX = { name: 'Rex', categoryId: 1, status: 'available' };

interface Reading {
  answers: Answers;
  read: number[];
}

/** The answers of a performed plan, from these exchanges. */
function reading(exchanges: Exchange[], throttling: Partial<Throttling> = {}, isReadOnly = false): Reading {
  const { log, known } = makeRun(exchanges, isReadOnly);
  const answerTo = async (name: RowName): Promise<Answer> => {
    const answer = known.answer(name);
    if (!answer) throw notJudged.unclear(`${name} was not asked`);
    return answer;
  };
  const performer = {
    client: { log },
    known,
    isReadOnly,
    answerTo,
    markOutage: (answer: Answer) => answer,
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

async function ended(act: () => unknown): Promise<string> {
  try {
    await act();
  } catch (error) {
    if (error instanceof NotJudged) return `${error.outcome}: ${error.message}`;
    if (error instanceof Undecided) return `cantTell: ${error.message}`;
    throw error;
  }
  return 'it goes on';
}

const list = (row: string, count: number, more: Given = {}): Exchange =>
  exchange({ row, query: { limit: '100' }, body: pets(count), ...more });

test('reading a row reads all its exchanges, and judges the last one', async () => {
  const [first, second] = [exchange({ row: PLAIN, status: 503 }), exchange({ row: PLAIN, status: 200 })];
  const { answers, read } = reading([first, second]);
  expect((await answers.to(PLAIN)).status).toBe(200);
  expect(read).toEqual([first.number, second.number]);
  expect(await ended(() => answers.to(WHOLE_LIST))).toBe(`cantTell: ${WHOLE_LIST} was not asked`);
});

test('the responses of an operation are filtered by status', async () => {
  const ok = exchange({ operation: 'listOrders', status: 206 });
  const refused = exchange({ operation: 'listOrders', status: 401, credential: 'none' });
  const none = exchange({ operation: 'listOrders', failure: TIMEOUT });
  const answers = of(ok, refused, none, exchange());
  const orders = operationOf('listOrders');
  expect(await answers.responsesOf(orders)).toEqual([ok, refused]);
  expect(await answers.responsesOf(orders, '2XX')).toEqual([ok]);
  expect(await answers.responsesOf(orders, '429')).toEqual([]);
});

test('the responses exclude 401 and 403 to a key that got several 429s, and may be banned', async () => {
  const refused = exchange({ operation: 'listOrders', status: 429 });
  const early = exchange({ operation: 'listOrders', status: 403 });
  const again = exchange({ operation: 'listOrders', status: 429, credential: 'throttle' });
  const banned = exchange({ operation: 'listOrders', status: 403 });
  const wrong = exchange({ operation: 'listOrders', status: 401, credential: 'unknown' });
  const later = exchange({ operation: 'listOrders', status: 500 });
  const answers = of(refused, early, again, banned, wrong, later);
  expect(await answers.responsesOf(operationOf('listOrders'))).toEqual([refused, early, again, wrong, later]);
});

test('a row gives its animal, or the reason for its absence', async () => {
  const answers = of(
    addition(PLAIN, 1, REX),
    addition('POST /pets with a name of digits and categoryId 2^53 + 1', 0, REX, { status: 400 }),
  );
  expect((await answers.added(PLAIN)).animal.id).toBe('1');
  expect(await ended(() => answers.added('POST /pets with a name of digits and categoryId 2^53 + 1'))).toMatch(
    /^untested: its addition was rejected with 400/,
  );
  expect(
    await ended(() => answers.added('POST /pets with accents, quotes, markup and emoji in a name of 255 bytes')),
  ).toMatch(/^cantTell/);
});

test('a test gets its addition, or the reason for its absence', async () => {
  const beyond = 2n ** 53n + 1n;
  const { answers, read } = reading([addition(PLAIN, 1, REX), addition(DIGITS, 2, { ...REX, categoryId: beyond })]);
  const withCategory = (category: bigint): Promise<Addition> =>
    answers.additionWith(({ sent }) => sent.categoryId === category, notJudged.noneTaken(`categoryId ${category}`));
  const found = await withCategory(beyond);
  expect(found.animal.id).toBe('2');
  expect(read).toEqual([found.answer.exchange.number]);
  expect(await ended(() => withCategory(beyond - 1n))).toMatch(
    /^untested: no animal with categoryId 9007199254740992 was accepted/,
  );
});

test('on a read-only run the setting is the reason', async () => {
  const why = notJudged.noneTaken('it');
  const readOnly = reading([], {}, true).answers;
  expect(of().whyNot(why)).toBe(why);
  expect(readOnly.whyNot(why).code).toBe('readOnly');
  expect(await ended(() => readOnly.additionWith(() => true, why))).toMatch(/^untested: READ_ONLY=1/);
});

test('the complete list is the one of the rarest status if the whole list may be cut', async () => {
  const rarest = list('GET /pets?limit={maximum}&status={rarest}', 7, { query: { limit: '100', status: 'sold' } });
  const lengthOf = async (...exchanges: Exchange[]): Promise<number> =>
    (await of(...exchanges).completeList()).animals.length;
  expect(await lengthOf(list(WHOLE_LIST, 99), rarest)).toBe(99);
  expect(await lengthOf(list(WHOLE_LIST, 100), rarest)).toBe(7);
  expect(await ended(() => of(list(WHOLE_LIST, 100)).completeList())).toMatch(/^cantTell: .*rarest.* was not asked/);
  expect((await of(list(WHOLE_LIST, 0, { body: {} }), rarest).completeList()).isList).toBe(false);
});

test('several rows give their answers, or the reason of the first', async () => {
  const duplicates = [PLAIN, 'POST /pets, a duplicate at the same moment'] as const;
  const ids = async (...exchanges: Exchange[]): Promise<(string | undefined)[]> =>
    (await of(...exchanges).allOf(duplicates)).map(({ animal }) => animal?.id);
  expect(await ids(addition(duplicates[0], 1, REX), addition(duplicates[1], 2, REX))).toEqual(['1', '2']);
  expect(await ids(addition(duplicates[1], 2, REX))).toEqual(['2']);
  expect(await ended(() => of().allOf(duplicates))).toBe('cantTell: POST /pets was not asked');
});

test('several rows give the first wanted answer, else the last one', async () => {
  const rows = [ORDERS_LOWER_CASE, ORDERS_ROW] as const;
  const first = (...exchanges: Exchange[]): Promise<Answer> =>
    of(...exchanges).firstOf(rows, ({ status }) => status !== 401);
  const answer = (row: string, status: number): Exchange => exchange({ row, operation: 'listOrders', status });
  expect((await first(answer(ORDERS_LOWER_CASE, 401), answer(ORDERS_ROW, 200))).status).toBe(200);
  expect((await first(answer(ORDERS_LOWER_CASE, 404))).status).toBe(404);
  expect((await first(answer(ORDERS_LOWER_CASE, 401), answer(ORDERS_ROW, 401))).exchange.row).toBe(ORDERS_ROW);
  expect(await ended(() => first())).toMatch(/^cantTell: .* was not asked/);
});

test('a rejection that the specification leaves open decides nothing while its substitute is unanswered', async () => {
  const RICH = 'POST /pets with accents, quotes, markup and emoji in a name of 255 bytes';
  const rows = [RICH, 'POST /pets with status pending'] as const;
  const first = (...exchanges: Exchange[]): Promise<Answer> =>
    of(...exchanges).firstOf(rows, ({ status }) => status === 201);
  const rejected = addition(RICH, 0, REX, { status: 400 });
  expect(await ended(() => first(rejected))).toBe('cantTell: POST /pets with status pending was not asked');
  expect((await first(rejected, addition(rows[1], 0, REX, { status: 400 }))).exchange.row).toBe(rows[1]);
  expect((await first(addition(RICH, 0, REX, { status: 422 }))).status).toBe(422);
  const orders = (status: number): Promise<Answer> =>
    of(exchange({ row: ORDERS_LOWER_CASE, operation: 'listOrders', status })).firstOf(
      [ORDERS_LOWER_CASE, ORDERS_ROW],
      (answer) => answer.status !== 401,
    );
  expect(await ended(() => orders(401))).toBe('cantTell: GET /store/orders was not asked');
  expect((await orders(200)).status).toBe(200);
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

test('too few animals are untested, or not judged if the target rejected more', () => {
  const because = (...exchanges: Exchange[]): string => {
    const why = of(...exchanges).whyFew(2, 3);
    return `${why instanceof NotJudged ? why.outcome : 'cantTell'}: ${why.message}`;
  };
  expect(because()).toBe('untested: lists show 2 such animals, but 3 are needed');
  expect(because(addition('POST /pets, number 1 of many', 0, REX, { status: 400 }))).toMatch(
    /^cantTell: 3 animals are needed, but no more could be added: POST \/pets .* was answered 400/,
  );
});

test('a list has room for as many animals as its limit', () => {
  expect(requestedLimit(exchange({ query: { limit: '9' } }))).toBe(9);
  expect(requestedLimit(exchange({ query: { status: 'sold' } }))).toBe(0);
});

test('a list without room is full, another body is not', () => {
  const isFullWith = (count: number, more: Given = {}): boolean =>
    isFull(new Answer(exchange({ query: { limit: '9' }, body: pets(count), ...more })));
  expect([8, 9, 10].map((count) => isFullWith(count))).toEqual([false, true, true]);
  expect(isFullWith(9, { status: 404 })).toBe(false);
});

test('skipped throttling is untested, with the reason', async () => {
  const leftOut = { outcome: 'untested', reason: 'THROTTLING=off', remedy: 'THROTTLING=auto' } as const;
  const { answers } = reading([], { experiment: async () => ({ leftOut, rounds: [] }) });
  expect(await ended(() => answers.throttlingResults())).toBe('untested: THROTTLING=off');
  expect(await ended(() => answers.afterThrottling())).toBe('untested: THROTTLING=off');
  const refusal = exchange({ status: 429 });
  const round = { operation: 'listPets', sent: [refusal.number], refusal: refusal.number, pressed: 0 };
  const { answers: tried, read } = reading([refusal], { experiment: async () => ({ rounds: [round] }) });
  expect((await tried.throttlingResults()).rounds).toEqual([round]);
  expect(read).toEqual([refusal.number]);
});
