/** The universal judgement: each finding in both directions, and nothing held against what the specification leaves open. */
import { expect } from '@playwright/test';
import { judge } from '../../../fixtures/expect/judge.ts';
import { NOT_UTF8 } from '../../../fixtures/target/client.ts';
import { blamed, error, exchange, type Given, NOW, pet, test } from './make.ts';

interface Row {
  title: string;
  given: Given;
  /** The requirements blamed; none where it is lawful. */
  blames?: string[];
}

const animals = (count: number, more: (index: number) => Record<string, string> = () => ({})) =>
  Array.from({ length: count }, (_, index) => pet(index, more(index)));
const text = (body: string) => ({ text: body });
const contentType = (value: string | string[] | undefined) => ({ 'Content-Type': value });

const tables: Record<string, readonly Row[]> = {
  'a lawful response of each operation': [
    { title: 'a list', given: {} },
    { title: 'an empty list', given: { body: [] } },
    { title: 'an animal', given: { operation: 'getPet' } },
    { title: 'an added animal', given: { operation: 'addPet', status: 201 } },
    { title: 'an animal without a status', given: { operation: 'getPet', body: { id: 1, name: '', categoryId: 0 } } },
    { title: 'additional properties', given: { body: [pet(1, { tags: [] })] } },
    { title: 'a refused body', given: { operation: 'addPet', status: 400, valid: false } },
    { title: 'no such animal', given: { operation: 'getPet', status: 404 } },
    { title: 'a missing key', given: { status: 401, credential: 'none', valid: false } },
    { title: 'orders of any shape', given: { operation: 'listOrders', body: { page: 'x' } } },
    { title: 'orders with no content', given: { operation: 'listOrders', status: 204, body: text('') } },
    { title: 'orders that want a parameter', given: { operation: 'listOrders', status: 422, body: { detail: [] } } },
    { title: 'a request that the contract does not know', given: { operation: null, status: 500, body: text('') } },
  ],
  'service.json': [
    { title: 'charset', given: { headers: contentType('application/json; charset=utf-8') } },
    { title: 'capitals', given: { headers: contentType('Application/JSON;Charset="UTF-8"') } },
    { title: 'gzip, chunked', given: { headers: { 'Content-Encoding': 'gzip', 'Transfer-Encoding': 'chunked' } } },
    { title: 'white space around it', given: { body: text(' \r\n[ ] \n') } },
    { title: 'escapes', given: { body: text('[{"id":1,"categoryId":1,"name":"\\ud83d\\ude00 \\u0000"}]') } },
    { title: 'a 429 with no body', given: { status: 429, headers: contentType(undefined) } },
    { title: 'a 429 with JSON of any shape', given: { status: 429, body: 'slow down' } },
    {
      title: 'a 429 with text',
      given: { status: 429, body: text('slow down'), headers: contentType('text/plain') },
      blames: ['service.json'],
    },
    { title: 'text/json', given: { headers: contentType('text/json') }, blames: ['service.json'] },
    { title: 'application/jsonp', given: { headers: contentType('application/jsonp') }, blames: ['service.json'] },
    {
      title: 'application/problem+json',
      given: { status: 401, credential: 'none', headers: contentType('application/problem+json') },
      blames: ['service.json'],
    },
    { title: 'no Content-Type', given: { headers: contentType(undefined) }, blames: ['service.json'] },
    {
      title: 'two of them',
      given: { headers: contentType(['application/json', 'text/html']) },
      blames: ['service.json'],
    },
    { title: 'the same one twice', given: { headers: contentType(['application/json', 'application/json']) } },
    { title: 'no body', given: { body: text('') }, blames: ['service.json'] },
    {
      title: 'a 401 with no body',
      given: { status: 401, credential: 'none', body: text('') },
      blames: ['service.json'],
    },
    {
      title: 'a 404 with no body',
      given: { operation: 'getPet', status: 404, body: text('') },
      blames: ['service.json'],
    },
    {
      title: 'a 404 with no body where the id is no integer',
      given: { operation: 'getPet', id: '7abc', valid: false, status: 404, body: text('') },
    },
    { title: 'malformed JSON', given: { body: text('[{]') }, blames: ['service.json'] },
    { title: 'single quotes', given: { body: text("[{'id':1}]") }, blames: ['service.json'] },
    { title: 'NaN', given: { body: text('[NaN]') }, blames: ['service.json'] },
    { title: 'a trailing comma', given: { body: text('[1,]') }, blames: ['service.json'] },
    { title: 'a leading zero', given: { body: text('[01]') }, blames: ['service.json'] },
    { title: 'two texts', given: { body: text('[][]') }, blames: ['service.json'] },
    { title: 'HTML', given: { body: text('<html></html>') }, blames: ['service.json'] },
    { title: 'bytes that are not UTF-8', given: { body: text(`${NOT_UTF8}[]`) }, blames: ['service.json'] },
  ],
  'service.no-server-error': [
    { title: '500', given: { status: 500 }, blames: ['service.no-server-error'] },
    {
      title: '503 to an invalid request, with nothing right about it',
      given: {
        status: 503,
        valid: false,
        body: text('<html>'),
        headers: { ...contentType('text/html'), 'X-RateLimit-Limit': undefined },
      },
      blames: ['service.no-server-error'],
    },
    { title: 'a plain 429', given: { status: 429 } },
  ],
  'service.no-undocumented-status': [
    { title: '404 to a list', given: { status: 404 }, blames: ['service.no-undocumented-status'] },
    {
      title: '200 to an addition',
      given: { operation: 'addPet', status: 200 },
      blames: ['service.no-undocumented-status'],
    },
    { title: '204 to a list', given: { status: 204, body: text('') }, blames: ['service.no-undocumented-status'] },
    { title: 'a redirect', given: { status: 302, body: text('') }, blames: ['service.no-undocumented-status'] },
    { title: '409 to an invalid request', given: { operation: 'addPet', status: 409, valid: false } },
    { title: '422 to an odd parameter', given: { status: 422, valid: false } },
    { title: '403 of orders', given: { operation: 'listOrders', status: 403 } },
  ],
  'auth.valid': [
    { title: 'a valid key refused', given: { status: 401 }, blames: ['auth.valid'] },
    { title: 'the throttling key refused', given: { status: 401, credential: 'throttle' }, blames: ['auth.valid'] },
    { title: 'the scheme in lower case refused', given: { status: 401, credential: 'lower-case scheme' } },
    { title: 'a wrong key refused', given: { status: 401, credential: 'unknown', valid: false } },
  ],
  schemas: [
    { title: 'an object for a list', given: { body: { items: [] } }, blames: ['pets.schema'] },
    { title: 'null for a list', given: { body: null }, blames: ['pets.schema'] },
    { title: 'an animal without a name', given: { body: [{ id: 1, categoryId: 1 }] }, blames: ['pets.schema'] },
    {
      title: 'an animal without an id',
      given: { operation: 'getPet', body: { name: '', categoryId: 1 } },
      blames: ['pet.schema'],
    },
    { title: 'an id that is a string', given: { operation: 'getPet', body: pet('7') }, blames: ['pet.schema'] },
    {
      title: 'a status of null',
      given: { operation: 'getPet', body: { ...pet(), status: null } },
      blames: ['pet.schema'],
    },
    {
      title: 'an unknown status',
      given: { operation: 'addPet', status: 201, body: { ...pet(), status: 'AVAILABLE' } },
      blames: ['pet.schema'],
    },
    { title: 'a list for an animal', given: { operation: 'getPet', body: [pet()] }, blames: ['pet.schema'] },
    {
      title: 'an Error without a code',
      given: { operation: 'addPet', status: 400, body: { message: '', status: 400 } },
      blames: ['error.schema'],
    },
    {
      title: 'an Error whose code is a number',
      given: { operation: 'getPet', status: 404, body: { ...error(404), code: 4 } },
      blames: ['error.schema'],
    },
    {
      title: 'another shape for a 401',
      given: { status: 401, credential: 'none', body: { detail: 'no' } },
      blames: ['error.schema'],
    },
    {
      title: 'another shape for a refused parameter',
      given: { status: 422, valid: false, body: { detail: [] } },
      blames: ['error.schema'],
    },
    {
      title: 'any shape where the id is no integer',
      given: { operation: 'getPet', id: 'abc', valid: false, status: 422, body: { detail: [] } },
    },
    {
      title: 'a 401 of orders of another shape',
      given: { operation: 'listOrders', status: 401, credential: 'none', body: {} },
      blames: ['error.schema'],
    },
  ],
  'error.status': [
    {
      title: 'another status',
      given: { operation: 'getPet', status: 404, body: error(400) },
      blames: ['error.status'],
    },
    {
      title: 'a status that is no number is its schema alone',
      given: { operation: 'getPet', status: 404, body: { ...error(404), status: '404' } },
      blames: ['error.schema'],
    },
    {
      title: '404.0',
      given: { operation: 'getPet', status: 404, body: text('{"code":"","message":"","status":404.0}') },
    },
    { title: 'a 429 that names another', given: { status: 429, body: error(400) } },
  ],
  'pet.int64': [
    ...['9223372036854775807', '-9223372036854775808', '0', '-1', '1.0', '9007199254740993', '1e3'].map((id) => ({
      title: `${id} is one`,
      given: { body: text(`[{"id":${id},"name":"","categoryId":${id}}]`) },
    })),
    ...['9223372036854775808', '-9223372036854775809', '1e300', '100000000000000000000'].map((id) => ({
      title: `${id} is none`,
      given: { body: text(`[{"id":${id},"name":"","categoryId":1}]`) },
      blames: ['pet.int64'],
    })),
    {
      title: '1.5 is no integer at all',
      given: { body: text('[{"id":1.5,"name":"","categoryId":1}]') },
      blames: ['pets.schema'],
    },
  ],
  'rate-limit headers': [
    { title: 'names in any case', given: { headers: lower() } },
    { title: 'the same value twice', given: { headers: { 'X-RateLimit-Limit': ['60', '60'] } } },
    { title: 'two values', given: { headers: { 'X-RateLimit-Limit': ['60', '1000'] } }, blames: ['rate.limit.value'] },
    ...(['Limit', 'Remaining', 'Reset'] as const).map((name) => ({
      title: `no ${name}`,
      given: { headers: { [`X-RateLimit-${name}`]: undefined } },
      blames: ['rate.headers'],
    })),
    {
      title: 'none on a 401',
      given: { status: 401, credential: 'none' as const, headers: without() },
      blames: ['rate.headers'],
    },
    { title: 'none on a 429', given: { status: 429, headers: without() }, blames: ['rate.headers'] },
    ...['0', '-1', '1.5', 'sixty', '', '60, 60;w=60'].map((value) => ({
      title: `Limit: ${value}`,
      given: { headers: { 'X-RateLimit-Limit': value } },
      blames: ['rate.limit.value'],
    })),
    ...['-1', '1.5', 'many', '61'].map((value) => ({
      title: `Remaining: ${value}`,
      given: { headers: { 'X-RateLimit-Remaining': value } },
      blames: ['rate.remaining.value'],
    })),
    ...['0', '60'].map((value) => ({
      title: `Remaining: ${value}`,
      given: { headers: { 'X-RateLimit-Remaining': value } },
    })),
    ...[NOW, NOW - 3, NOW + 60, NOW + 24 * 3600].map((value) => ({
      title: `Reset ${value - NOW} s after Date`,
      given: { headers: { 'X-RateLimit-Reset': String(value) } },
    })),
    ...[NOW - 60, NOW + 2 * 24 * 3600, 30, NOW * 1000].map((value) => ({
      title: `Reset ${value}, where Date is ${NOW}`,
      given: { headers: { 'X-RateLimit-Reset': String(value) } },
      blames: ['rate.reset.value'],
    })),
    ...['soon', '', '-5', '2030-01-01T00:00:00Z'].map((value) => ({
      title: `Reset: ${value}`,
      given: { headers: { 'X-RateLimit-Reset': value } },
      blames: ['rate.reset.value'],
    })),
    {
      title: 'no Date, and clocks minutes apart',
      given: { headers: { Date: undefined, 'X-RateLimit-Reset': String(NOW - 300) } },
    },
  ],
  lists: [
    { title: 'as many as limit', given: { query: { limit: '2' }, body: animals(2) } },
    { title: 'more than limit', given: { query: { limit: '2' }, body: animals(3) }, blames: ['list.limit.caps'] },
    { title: 'the default', given: { body: animals(20) } },
    { title: 'more than the default', given: { body: animals(21) }, blames: ['list.limit.default'] },
    {
      title: 'more than the default, with a status',
      given: { query: { status: 'available' }, body: animals(21) },
      blames: ['list.limit.default'],
    },
    { title: 'limit=1000, clamped', given: { query: { limit: '1000' }, valid: false, body: animals(100) } },
    {
      title: 'limit=1000, not clamped',
      given: { query: { limit: '1000' }, valid: false, body: animals(101) },
      blames: ['list.limit.never-above-maximum'],
    },
    {
      title: 'limit=-1, not capped',
      given: { query: { limit: '-1' }, valid: false, body: animals(101) },
      blames: ['list.limit.never-above-maximum'],
    },
    { title: 'limit=abc, as the default', given: { query: { limit: 'abc' }, valid: false, body: animals(20) } },
    { title: 'that status alone', given: { query: { status: 'available' }, body: animals(3) } },
    {
      title: 'another status among them',
      given: { query: { status: 'sold' }, body: [...animals(2, () => ({ status: 'sold' })), pet(9)] },
      blames: ['list.status.only'],
    },
    {
      title: 'one without a status among them',
      given: { query: { status: 'sold' }, body: [{ id: 1, name: '', categoryId: 1 }] },
      blames: ['list.status.only'],
    },
    { title: 'an unknown status, nothing', given: { query: { status: 'lost' }, valid: false, body: [] } },
    {
      title: 'an unknown status, everything',
      given: { query: { status: 'lost' }, valid: false, body: [pet()] },
      blames: ['list.status.unknown'],
    },
    { title: 'one animal twice', given: { body: [pet(1), pet(2), pet(1)] }, blames: ['list.shows-added'] },
    { title: 'neighbours beyond 2^53', given: { body: [pet(2n ** 53n), pet(2n ** 53n + 1n)] } },
  ],
  advice: [
    {
      title: 'a 401 without WWW-Authenticate',
      given: { status: 401, credential: 'none', headers: { 'WWW-Authenticate': undefined } },
      blames: ['auth.challenge'],
    },
    {
      title: 'a 201 without Location',
      given: { operation: 'addPet', status: 201, headers: { Location: undefined } },
      blames: ['add.location'],
    },
    {
      title: 'no Deprecation',
      given: { operation: 'getPet', headers: { Deprecation: undefined } },
      blames: ['get.deprecation-header'],
    },
    {
      title: 'Deprecation: true',
      given: { operation: 'getPet', headers: { Deprecation: 'true' } },
      blames: ['get.deprecation-header'],
    },
    {
      title: 'no Sunset',
      given: { operation: 'getPet', headers: { Sunset: undefined } },
      blames: ['get.sunset-header'],
    },
    {
      title: 'another Sunset',
      given: { operation: 'getPet', headers: { Sunset: 'Thu, 12 Dec 2030 00:00:00 GMT' } },
      blames: ['get.sunset-header'],
    },
    {
      title: 'neither where there is no animal',
      given: { operation: 'getPet', status: 404, headers: { Deprecation: undefined, Sunset: undefined } },
    },
    {
      title: 'repeated names',
      given: { body: text('[{"id":2,"id":1,"name":"","categoryId":1}]') },
      blames: ['http.duplicate-keys'],
    },
    {
      title: 'a stack trace',
      given: { operation: 'addPet', status: 400, body: { ...error(400), message: 'x\n  at a.b (c.js:1:2)' } },
      blames: ['error.no-secrets'],
    },
    {
      title: 'the key in an error',
      given: { operation: 'getPet', status: 404, body: { ...error(404), message: 'k-secret' } },
      blames: ['error.no-secrets'],
    },
  ],
};

function lower(): Record<string, string | undefined> {
  const names = { limit: '60', remaining: '5', reset: String(NOW + 9) };
  return Object.fromEntries(
    Object.entries(names).flatMap(([name, value]) => [
      [`X-RateLimit-${name[0]?.toUpperCase()}${name.slice(1)}`, undefined],
      [`x-ratelimit-${name}`, value],
    ]),
  );
}

function without(): Record<string, undefined> {
  return { 'X-RateLimit-Limit': undefined, 'X-RateLimit-Remaining': undefined, 'X-RateLimit-Reset': undefined };
}

for (const [topic, rows] of Object.entries(tables)) {
  test.describe(topic, () => {
    for (const { title, given, blames = [] } of rows)
      test(`${blames.length > 0 ? 'blames' : 'lets pass'} ${title}`, () => {
        expect(blamed(given, ['k-secret'])).toEqual(blames);
      });
  });
}

test('a finding says what is allowed and what came', () => {
  expect(judge(exchange({ query: { limit: '2' }, body: animals(3) }))).toEqual([
    { requirement: 'list.limit.caps', allowed: 'at most 2 animals', received: '3 animals' },
  ]);
});

test('a response that did not come is not judged', () => {
  expect(judge(exchange({ failure: { kind: 'timeout', message: '' } }))).toEqual([]);
});
