import { expect } from '@playwright/test';
import { operations } from '../../../fixtures/contract/contract.ts';
import { type RequirementId, requirements } from '../../../fixtures/contract/requirements.ts';
import { observe } from '../../../fixtures/judge/observe.ts';
import { BEYOND_DOUBLE } from '../../../fixtures/plan/samples.ts';
import type { Exchange } from '../../../fixtures/target/http/exchange.ts';
import { addition, exchange, type Given, pet, pets, test, TIMEOUT } from './make.ts';

const seen = (id: RequirementId, ...exchanges: Exchange[]): string | undefined => observe(exchanges).get(id);
const REX = { name: 'Rex', categoryId: 1 };

test('exactly the testable open points are observed', () => {
  const open = requirements.filter(({ level, untestable }) => level === 'open' && !untestable).map(({ id }) => id);
  const observed: Exchange[] = [
    addition('add: one', 1, REX),
    addition('add: own id', 2, { ...REX, id: 9 }),
    addition('POST /pets with a name of digits and categoryId 2^53 + 1', 3, { ...REX, categoryId: BEYOND_DOUBLE }),
    exchange({ body: [pet(1), pet(2), pet(3)] }),
    exchange({ query: { limit: '0' }, valid: false, status: 400 }),
    exchange({ query: { status: 'lost' }, valid: false, status: 400 }),
    exchange({ operation: 'getPet', id: '7abc', valid: false, status: 404 }),
    exchange({ operation: 'listOrders' }),
    exchange({ status: 401, credential: 'none' }),
    exchange({ status: 401, credential: 'unknown' }),
    exchange({ operation: 'listOrders', credential: 'with a word behind it' }),
    { ...exchange({ status: 429, credential: 'throttle' }), request: throttlingRequest },
    exchange(),
  ];
  expect([...observe(observed).keys()].sort()).toEqual(open.sort());
});

const throttlingRequest = {
  method: 'GET',
  target: '/pets',
  headers: [['Authorization', 'Bearer $THROTTLE_API_KEY']] as [string, string][],
};

test('unseen points are omitted', () => {
  expect([...observe([]).keys()]).toEqual(['open.stability']);
  expect([...observe([exchange({ failure: TIMEOUT })]).keys()]).toEqual(['open.stability']);
  expect(seen('open.stability')).toBe(operations.map(({ name }) => `${name}: stable`).join('; '));
});

test('the status of an animal added without one is observed', () => {
  expect(seen('open.default-status', addition('a', 1, REX, { body: pet(1, { status: 'pending' }) }))).toBe('"pending"');
  expect(seen('open.default-status', addition('a', 1, REX))).toBe('absent');
  expect(seen('open.default-status', addition('a', 1, { ...REX, status: 'sold' }))).toBeUndefined();
  expect(seen('open.default-status', addition('a', 1, REX, { status: 400 }))).toBeUndefined();
});

test('the order of lists is observed', () => {
  const order = (...ids: (number | bigint | string)[]): string | undefined =>
    seen('open.order', exchange({ body: ids.map((id) => pet(id)) }));
  expect(order(1, 2, 10)).toBe('by id, rising');
  expect(order(10, 2, 1)).toBe('by id, falling');
  expect(order(2, 10, 1)).toBe('not by id');
  expect(order(2n ** 53n, 2n ** 53n + 1n, 2n ** 53n + 2n)).toBe('by id, rising');
  expect(order(1, 2)).toBeUndefined();
  expect(order('a', 'b', 'c')).toBeUndefined();
});

test('paging metadata is observed', () => {
  expect(seen('open.paging', exchange())).toBe('none seen');
  expect(seen('open.paging', exchange({ headers: { Link: '<x>', 'X-Total-Count': '7' } }))).toBe('Link; X-Total-Count');
});

test('responses to invalid parameters and ids are observed', () => {
  const odd: Given[] = [
    { query: { limit: '0' }, valid: false, status: 400 },
    { query: { limit: '101' }, valid: false, body: pets(100) },
  ];
  expect(seen('open.limit-outside', ...odd.map(exchange))).toBe('limit=0: 400; limit=101: 200 with 100 animals');
  expect(seen('open.unknown-status', exchange({ query: { status: 'lost' }, valid: false, body: [] }))).toBe(
    'status=lost: 200 with 0 animals',
  );
  expect(seen('open.id-not-an-integer', exchange({ operation: 'getPet', id: '7abc', valid: false, status: 404 }))).toBe(
    '/pets/7abc: 404',
  );
  // Unauthenticated requests do not count.
  expect(seen('open.limit-outside', exchange({ ...odd[0], credential: 'none', status: 401 }))).toBeUndefined();
});

test('names, categories and unknown properties are observed', () => {
  const digits = addition('POST /pets with a name of digits and categoryId 2^53 + 1', 3, {
    name: '007',
    categoryId: BEYOND_DOUBLE,
  });
  expect(seen('open.names', digits)).toBe('POST /pets with a name of digits and categoryId 2^53 + 1: 201');
  expect(seen('open.categories', digits)).toBe('a category that is unlikely to exist: 201');
  for (const [id, row] of [
    ['open.names', 'POST /pets: name is empty'],
    ['open.categories', 'POST /pets: categoryId is 0'],
  ] as const)
    expect(seen(id, addition(row, 1, REX, { valid: false, status: 400 }))).toBe(`${row}: 400`);
  expect(seen('open.unknown-names', addition('a', 1, { ...REX, id: 9 }, { status: 400 }))).toBe(
    'a body with an id: 400',
  );
  const asked = exchange({ query: { 'conformance-unknown': '1' }, valid: false, body: [] });
  expect(seen('open.unknown-names', asked)).toBe('conformance-unknown=1: 200 with 0 animals');
  expect(seen('open.categories', addition('a', 1, REX))).toBeUndefined();
});

test('orders, codes and the body of a 429 are observed', () => {
  const orders = (body: Given['body'], status = 200): string | undefined =>
    seen('open.orders', exchange({ operation: 'listOrders', status, ...(body !== undefined && { body }) }));
  expect(orders([])).toBe('200 an array of 0');
  expect(orders({ orders: [], next: null })).toBe('200 an object with orders, next');
  expect(orders({})).toBe('200 an object with no members');
  expect(orders({ text: '' }, 204)).toBe('204 no body');
  expect(orders({ text: 'none' })).toBe('200 none');
  expect(orders([], 401)).toBeUndefined();
  const error = exchange({ status: 404, operation: 'getPet', body: { code: 'gone', message: '', status: 404 } });
  expect(seen('open.error-codes', error, error)).toBe('404 gone');
  expect(seen('open.throttled-body', exchange({ status: 429 }))).toBe('none');
  expect(seen('open.throttled-body', exchange({ status: 429, body: { wait: 1 } }))).toBe('{"wait":1}');
});

test('long texts of a target are shortened', () => {
  const long = 'x'.repeat(1e5);
  const given: Given[] = [
    { operation: 'listOrders', body: { [long]: 1 } },
    { operation: 'listOrders', body: { text: long } },
    { status: 429, body: { text: long } },
    { operation: 'getPet', status: 404, body: { code: long, message: '', status: 404 } },
    { headers: { 'X-RateLimit-Limit': long } },
  ];
  for (const one of given)
    for (const [id, text] of observe([exchange(one)])) expect(text.length, id).toBeLessThan(1_000);
});

test('the window of the headers is observed', () => {
  const window = (limit: string | undefined): string | undefined =>
    seen('open.rate-window', exchange({ headers: { 'X-RateLimit-Limit': limit } }));
  expect(window('60')).toBe('Limit 60 (plan free, a minute); Reset from 30 to 30 s ahead');
  expect(window('1000')).toBe('Limit 1000 (plan free, a day or business, a minute); Reset from 30 to 30 s ahead');
  expect(window('7')).toBe('Limit 7; Reset from 30 to 30 s ahead');
  expect(window(undefined)).toBeUndefined();
  expect(
    seen('open.rate-window', exchange({ headers: { 'X-RateLimit-Limit': '7', 'X-RateLimit-Reset': undefined } })),
  ).toBe('Limit 7');
});

test('the counting of 401s is observed', () => {
  const unauthenticated = (remaining: string | undefined): Exchange =>
    exchange({ status: 401, credential: 'none', headers: { 'X-RateLimit-Remaining': remaining } });
  expect(seen('open.rate-unauthorized', unauthenticated('9'), unauthenticated('8'))).toBe(
    'the 2 401s showed 2 values of Remaining: counted',
  );
  expect(seen('open.rate-unauthorized', unauthenticated('9'), unauthenticated('9'))).toMatch(
    /^every 401 showed Remaining 9: not counted/,
  );
  expect(seen('open.rate-unauthorized', unauthenticated('9'))).toBeUndefined();
});

test('valid requests with another response on retry are observed', () => {
  const again = (...exchanges: Exchange[]): string | undefined => seen('open.asked-again', ...exchanges);
  const list = (status: number, more: Given = {}): Exchange => exchange({ row: 'GET /pets?limit=1', status, ...more });
  const other = exchange({ row: 'GET /pets?limit=2' });
  expect(again(list(503), list(200), other)).toBe('GET /pets: answered 503 first, 1 of 2 requests');
  expect(again(list(200, { body: [] }), list(200), other)).toBe(
    'GET /pets: polled until it showed the added animal, 1 of 2 requests',
  );
  const getById = (status: number): Exchange => exchange({ row: 'GET /pets/7', operation: 'getPet', status });
  expect(again(list(503), list(200), getById(404), getById(404), getById(200))).toBe(
    'GET /pets: answered 503 first, 1 of 1 requests; GET /pets/{petId}: answered 404 first, 1 of 1 requests',
  );
});

test('a request without a retry, or of throttling, is not a retry', () => {
  const again = (...given: Given[]): string | undefined =>
    seen('open.asked-again', ...given.map((each) => exchange({ row: 'GET /pets?limit=1', ...each })));
  expect(again({}, { row: 'GET /pets?limit=2' })).toBeUndefined();
  expect(again({ status: 503 }, { status: 503 })).toBeUndefined();
  expect(again({ status: 429 }, {})).toBeUndefined();
  expect(again({ status: 400, valid: false }, { valid: false })).toBeUndefined();
  expect(again({ status: 401, credential: 'none' }, { credential: 'none' })).toBeUndefined();
  expect(again({ credential: 'throttle' }, { credential: 'throttle' })).toBeUndefined();
});

test('a shared budget of keys is observed', () => {
  const spent = exchange({ status: 429, headers: { 'X-RateLimit-Remaining': '0' } });
  const throttled = { ...spent, request: throttlingRequest };
  const next = (remaining: string): Exchange => exchange({ headers: { 'X-RateLimit-Remaining': remaining } });
  expect(seen('open.rate-shared', throttled, next('0'))).toBe('the two keys of the run share one');
  expect(seen('open.rate-shared', throttled, next('50'))).toBe('each of the two keys of the run has its own');
  expect(seen('open.rate-shared', spent, next('0'))).toBeUndefined();
  expect(seen('open.rate-shared', throttled)).toBeUndefined();
});
