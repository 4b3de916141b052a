/** Rules for every response, by requirement, in both directions. */
import { type Difference, RAW } from '../../../fixtures/judge/finding.ts';
import { expect } from '@playwright/test';
import { type RequirementId, requirements } from '../../../fixtures/contract/requirements.ts';
import { judgeResponse, judgeResponses, RULED } from '../../../fixtures/judge/response.ts';
import { findBroken, error, exchange, type Given, NOW, pet, test, TIMEOUT, describeJudgement } from './make.ts';

interface Row {
  title: string;
  given: Given;
  blames?: string[];
}

const animals = (count: number, more: (index: number) => Record<string, string> = () => ({})) =>
  Array.from({ length: count }, (_, index) => pet(index + 1, more(index)));
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
    { title: 'an unknown animal', given: { operation: 'getPet', status: 404 } },
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
      title: 'a 404 with no body if the id is not an integer',
      given: { operation: 'getPet', id: '7abc', valid: false, status: 404, body: text('') },
    },
    { title: 'malformed JSON', given: { body: text('[{]') }, blames: ['service.json'] },
    { title: 'single quotes', given: { body: text("[{'id':1}]") }, blames: ['service.json'] },
    { title: 'NaN', given: { body: text('[NaN]') }, blames: ['service.json'] },
    { title: 'a trailing comma', given: { body: text('[1,]') }, blames: ['service.json'] },
    { title: 'a leading zero', given: { body: text('[01]') }, blames: ['service.json'] },
    { title: 'two texts', given: { body: text('[][]') }, blames: ['service.json'] },
    { title: 'HTML', given: { body: text('<html></html>') }, blames: ['service.json'] },
    {
      title: 'bytes that are not UTF-8',
      given: { body: text('\u00ff'), fault: { kind: 'not UTF-8', message: 'a body whose bytes are not UTF-8' } },
      blames: ['service.json'],
    },
    {
      title: 'a byte order mark',
      given: { fault: { kind: 'byte order mark', message: 'a body that begins with a byte order mark' } },
      blames: ['service.json'],
    },
    {
      title: 'a body that is too long to be read',
      given: { body: text(''), fault: { kind: 'too long', message: 'a body of more than 8 MB' } },
    },
    {
      title: 'a body that is too long to be read, of another type',
      given: {
        body: text(''),
        fault: { kind: 'too long', message: 'a body of more than 8 MB' },
        headers: contentType('text/html'),
      },
      blames: ['service.json'],
    },
    {
      title: 'a body that cannot be decoded',
      given: { body: text(''), fault: { kind: 'not decoded', message: 'a body with the content coding exi' } },
    },
    { title: 'JSON that is nested too deep to be read', given: { body: text('['.repeat(1e5) + ']'.repeat(1e5)) } },
    { title: 'a HEAD without a body', given: { operation: null, method: 'HEAD', body: text('') } },
    { title: 'a 304 without a body', given: { operation: 'listOrders', status: 304, body: text('') } },
  ],
  'service.no-server-error': [
    { title: '500', given: { status: 500 }, blames: ['service.no-server-error'] },
    {
      title: '503 to an invalid request, with an invalid response',
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
    { title: '409 to one of two equal animals', given: { operation: 'addPet', status: 409, row: 'POST /pets' } },
    {
      title: '409 to any other addition',
      given: { operation: 'addPet', status: 409 },
      blames: ['service.no-undocumented-status'],
    },
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
      title: 'another shape for an invalid parameter',
      given: { status: 422, valid: false, body: { detail: [] } },
      blames: ['error.schema'],
    },
    {
      title: 'any shape if the id is not an integer',
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
      title: 'a status that is not a number is only a fault of the schema',
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
      title: `${id} is an int64`,
      given: { body: text(`[{"id":${id},"name":"","categoryId":${id}}]`) },
    })),
    ...['9223372036854775808', '-9223372036854775809', '1e300', '100000000000000000000'].map((id) => ({
      title: `${id} is not an int64`,
      given: { body: text(`[{"id":${id},"name":"","categoryId":1}]`) },
      blames: ['pet.int64'],
    })),
    {
      title: '1.5 is only a fault of the schema',
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
      title: `Reset ${value}, if Date is ${NOW}`,
      given: { headers: { 'X-RateLimit-Reset': String(value) } },
      blames: ['rate.reset.value'],
    })),
    ...(
      [
        [`${NOW}`, '30'],
        [`${NOW}.7`, '30'],
        [`${NOW + 30}`, '30'],
        [`${NOW - 1}`, '1'],
      ] as const
    ).map(([reset, after]) => ({
      title: `Reset ${reset} on a 429, if Date is ${NOW} and Retry-After ${after}`,
      given: { status: 429, headers: { 'X-RateLimit-Reset': reset, 'Retry-After': after } },
    })),
    ...(
      [
        [`${NOW - 1}`, '30'],
        [`${NOW - 4}`, '4'],
        [`${NOW - 2}`, '1'],
      ] as const
    ).map(([reset, after]) => ({
      title: `Reset ${reset} on a 429, if Date is ${NOW} and Retry-After ${after}`,
      given: { status: 429, headers: { 'X-RateLimit-Reset': reset, 'Retry-After': after } },
      blames: ['rate.reset.value'],
    })),
    { title: 'Reset with a fraction', given: { headers: { 'X-RateLimit-Reset': `${NOW + 30}.125` } } },
    {
      title: 'no Date, and a Reset an hour ago',
      given: { headers: { Date: undefined, 'X-RateLimit-Reset': String(NOW - 3600) } },
      blames: ['rate.reset.value'],
    },
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
  'requests with bytes that HTTP software may refuse': [
    ...['%00', '%ff'].map((id) => ({
      title: `a proxy refuses ${id}`,
      given: { operation: 'getPet', id, valid: false, status: 400, headers: html(), body: text('<html>') },
    })),
    {
      title: 'the service refuses %00 as HTML',
      given: {
        operation: 'getPet',
        id: '%00',
        valid: false,
        status: 400,
        headers: { 'Content-Type': 'text/html' },
        body: text('<html>'),
      },
      blames: ['service.json'],
    },
    {
      title: 'a proxy refuses an ordinary id',
      given: { operation: 'getPet', id: '7abc', valid: false, status: 400, headers: html(), body: text('<html>') },
      blames: ['rate.headers', 'service.json'],
    },
    {
      title: 'a proxy fails at %00',
      given: { operation: 'getPet', id: '%00', valid: false, status: 500, headers: html(), body: text('<html>') },
      blames: ['service.no-server-error'],
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
    { title: 'only that status', given: { query: { status: 'available' }, body: animals(3) } },
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
      title: 'neither header without an animal',
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
      given: {
        operation: 'getPet',
        status: 404,
        body: { ...error(404), message: '(base64 of $API_KEY)' },
      },
      blames: ['error.no-secrets'],
    },
    {
      title: 'the key in an error of an earlier worker',
      given: { operation: 'getPet', status: 404, body: { ...error(404), message: '$THROTTLE_API_KEY' } },
      blames: ['error.no-secrets'],
    },
    { title: 'an error about a key', given: { status: 401, credential: 'none', body: error(401) } },
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

/** The headers of a proxy that answers for itself. */
function html(): Record<string, string | undefined> {
  return { ...without(), 'Content-Type': 'text/html' };
}

for (const [topic, rows] of Object.entries(tables)) {
  test.describe(topic, () => {
    for (const { title, given, blames = [] } of rows)
      test(`a response ${blames.length > 0 ? 'fails' : 'passes'}: ${title}`, () => {
        expect(findBroken(given).sort()).toEqual([...blames].sort());
      });
  });
}

test('a difference has expected and received values', () => {
  expect(judgeResponse('list.limit.caps', exchange({ query: { limit: '2' }, body: animals(3) }))).toEqual([
    { layer: 'list', kind: 'too many animals', place: 'query limit', expected: 2, actual: 3, detail: 'limit=2' },
  ]);
});

test.describe('a difference has its explanation:', () => {
  interface Explained {
    title: string;
    requirement: RequirementId;
    given: Given;
    difference: Partial<Difference>;
  }
  const reset = (value: number) => ({ headers: { 'X-RateLimit-Reset': String(value) } });
  const explained = [
    {
      title: 'the header that was sent instead',
      requirement: 'rate.headers',
      given: { headers: { 'X-RateLimit-Limit': undefined, 'RateLimit-Limit': '60' } },
      difference: {
        kind: 'missing header',
        place: 'header X-RateLimit-Limit',
        change: { how: 'another name', detail: 'RateLimit-Limit' },
      },
    },
    {
      title: 'milliseconds instead of seconds',
      requirement: 'rate.reset.value',
      given: reset((NOW + 30) * 1000),
      difference: { kind: 'wrong header', change: { how: 'milliseconds for seconds' } },
    },
    {
      title: 'a time in the past',
      requirement: 'rate.reset.value',
      given: reset(NOW - 60),
      difference: { kind: 'wrong header', change: { how: 'in the past' } },
    },
    {
      title: 'a time days ahead',
      requirement: 'rate.reset.value',
      given: reset(NOW + 9 * 24 * 3600),
      difference: { kind: 'wrong header', change: { how: 'too far ahead' } },
    },
    {
      title: 'the other spelling of a field, and the animal',
      requirement: 'pets.schema',
      given: { body: [pet(), { id: 8, name: 'Tom', category_id: 1 }] },
      difference: {
        kind: 'missing',
        place: '/categoryId',
        pointer: '/1',
        animal: { id: '8', name: 'Tom' },
        change: { how: 'another name', detail: 'category_id' },
      },
    },
    {
      title: 'an object around a list',
      requirement: 'pets.schema',
      given: { body: { items: [] } },
      difference: { kind: 'wrong shape', place: 'body', expected: 'array', actual: '{"items":[]}' },
    },
    {
      title: 'an object without any field of an animal',
      requirement: 'pet.schema',
      given: { operation: 'getPet', body: { data: pet() } },
      difference: { kind: 'wrong shape', place: 'body', expected: 'object with name, categoryId and id' },
    },
    {
      title: 'a text instead of a number, in any item',
      requirement: 'pets.schema',
      given: { body: [pet(1), pet('2')] },
      difference: {
        kind: 'wrong type',
        place: '/id',
        pointer: '/1/id',
        actual: '"2"',
        change: { how: 'text for a number' },
      },
    },
    {
      title: 'null instead of a value',
      requirement: 'pet.schema',
      given: { operation: 'getPet', body: pet(7, { name: null }) },
      difference: { kind: 'wrong type', place: '/name', change: { how: 'null' } },
    },
    {
      title: 'another case of an allowed value',
      requirement: 'pet.schema',
      given: { operation: 'getPet', body: pet(7, { status: 'SOLD' }) },
      difference: { kind: 'value not allowed', place: '/status', actual: '"SOLD"', change: { how: 'upper case' } },
    },
    {
      title: 'all digits of an integer',
      requirement: 'pet.int64',
      given: { operation: 'getPet', body: pet(2n ** 63n) },
      difference: { kind: 'not an int64', place: '/id', actual: '9223372036854775808' },
    },
    {
      title: 'both statuses of an Error',
      requirement: 'error.status',
      given: { operation: 'getPet', status: 404, body: error(400) },
      difference: { kind: 'wrong status field', expected: 404, actual: 400 },
    },
    {
      title: 'the values that passed a filter, and their number',
      requirement: 'list.status.only',
      given: { query: { status: 'sold' }, body: [pet(1), pet(2, { status: 'sold' }), pet(3)] },
      difference: { kind: 'not filtered', expected: 'sold', actual: ['"available"'], detail: '2 of 3 items' },
    },
    {
      title: 'the repeated names of an object',
      requirement: 'http.duplicate-keys',
      given: { body: text('[{"id":2,"id":1,"name":"","categoryId":1}]') },
      difference: { kind: 'repeated name', actual: ['id'] },
    },
  ] as const satisfies readonly Explained[];

  for (const { title, requirement, given, difference } of explained)
    test(title, () => {
      expect(judgeResponse(requirement, exchange(given))).toMatchObject([difference]);
    });
});

test('a difference without an explanation has none', () => {
  const [far] = judgeResponse('rate.reset.value', exchange({ headers: { 'X-RateLimit-Reset': '30' } })) as [Difference];
  const [other] = judgeResponse('pet.schema', exchange({ operation: 'getPet', body: pet(7, { status: 'lost' }) })) as [
    Difference,
  ];
  expect([far, other]).toMatchObject([{ kind: 'wrong header' }, { kind: 'value not allowed' }]);
  expect([far.change, other.change]).toEqual([undefined, undefined]);
});

test('a missing response is not judged', () => {
  expect(findBroken({ failure: TIMEOUT })).toEqual([]);
});

/** The requirements that one response can violate. */
const BY_RUN: readonly RequirementId[] = ['rate.remaining.counts', 'rate.plan'];
const byResponse = requirements
  .filter(({ on, untestable }) => on === 'every response' && !untestable)
  .map(({ id }) => id)
  .filter((id) => !BY_RUN.includes(id));

test('every requirement on every response has a rule, and some row above violates it', () => {
  for (const id of byResponse) expect(() => judgeResponse(id, exchange()), id).not.toThrow();
  expect(RULED).toEqual(expect.arrayContaining([...byResponse]));
  const broken = new Set(
    Object.values(tables)
      .flat()
      .flatMap(({ blames = [] }) => blames),
  );
  // Derived requirements: the contract has nothing for them today.
  expect(byResponse.filter((id) => !broken.has(id) && !['service.schema', 'service.headers'].includes(id))).toEqual([]);
  expect(() => judgeResponse('get.unknown', exchange())).toThrow('there is no rule for get.unknown');
});

test('a 5xx is judged only by its own requirement', () => {
  for (const id of byResponse.filter((each) => each !== 'service.no-server-error'))
    expect(judgeResponse(id, exchange({ status: 500 })), id).toBeUndefined();
});

test.describe('a response does not count for the judgement', () => {
  const silent: readonly [RequirementId, string, Given][] = [
    ['service.json', 'of JSON without a body, if none is required', { status: 429 }],
    ['http.duplicate-keys', 'of names if it is not JSON', { body: text('<html>') }],
    ['http.duplicate-keys', 'of names if it is not an object', { operation: 'listOrders', body: 1 }],
    ['pets.schema', 'of lists if it is an animal', { operation: 'getPet' }],
    ['pet.schema', 'of animals if it is a list', {}],
    ['error.schema', 'of Errors if it is a success', {}],
    ['error.status', 'of the status of an Error if it is not an Error', { status: 401, credential: 'none', body: [] }],
    ['pet.int64', 'of ids if it is an Error', { status: 401, credential: 'none' }],
    ['rate.limit.value', 'of Limit without the header', { headers: { 'X-RateLimit-Limit': undefined } }],
    ['rate.remaining.value', 'of Remaining without the header', { headers: { 'X-RateLimit-Remaining': undefined } }],
    ['rate.reset.value', 'of Reset without the header', { headers: { 'X-RateLimit-Reset': undefined } }],
    ['auth.valid', 'of the valid key if it was not sent', { status: 401, credential: 'none' }],
    ['service.no-undocumented-status', 'of statuses if the request was invalid', { status: 404, valid: false }],
    ['list.limit.caps', 'of limits without a limit', {}],
    ['list.limit.default', 'of the default with a limit', { query: { limit: '1' } }],
    ['list.limit.never-above-maximum', 'of the maximum with a limit in range', { query: { limit: '9' } }],
    ['list.status.only', 'of filters without one', {}],
    ['list.status.only', 'of filters if the value is unknown', { query: { status: 'lost' }, valid: false, body: [] }],
    ['list.status.unknown', 'of unknown values if it is refused', { query: { status: 'lost' }, status: 400 }],
    ['error.no-secrets', 'of secrets in errors if it is a success', {}],
    ['auth.challenge', 'of WWW-Authenticate without a 401', {}],
    ['add.location', 'of Location without a 201', { operation: 'addPet', status: 400 }],
    ['get.sunset-header', 'of Sunset if the operation stays', {}],
  ];
  for (const [id, title, given] of silent)
    test(title, () => {
      expect(judgeResponse(id, exchange(given))).toBeUndefined();
      expect(describeJudgement(judgeResponses(id, [exchange(given)], 'responses'))).toBe(
        'untested: none of the responses shows anything about it',
      );
    });
});

test.describe('responses of a run', () => {
  const of = (...given: Given[]): string =>
    describeJudgement(judgeResponses('pets.schema', given.map(exchange), 'lists'));

  test('hold if each of them does, with their number', () => {
    expect(of({}, {}, {})).toBe('holds: 3 of 3 responses');
    expect(of({})).toBe('holds: 1 of 1 response');
    // Responses that do not count are not in the number.
    expect(of({}, { status: 401, credential: 'none' }, { failure: TIMEOUT })).toBe('holds: 1 of 1 response');
    expect(of({}, { status: 500 })).toBe('holds: 1 of 2 responses (1 with 5xx not judged)');
  });

  test('have the number of readable ones', () => {
    const fault = { kind: 'too long', message: 'a body of more than 8 MB' } as const;
    expect(of({}, { body: text(''), fault })).toBe('holds: 1 of 2 responses');
  });

  test('cannot be judged if none with one of the statuses can be read, unless another one is wrong', () => {
    const judge = (id: RequirementId, ...given: Given[]): string =>
      describeJudgement(judgeResponses(id, given.map(exchange), 'responses'));
    const hidden = { status: 404, body: text(''), fault: { kind: 'not decoded', message: 'a body in exi' } } as const;
    expect(judge('service.json', {}, hidden)).toBe(
      'cantTell: no responses with status 404 could be read: a body in exi',
    );
    expect(judge('service.json', {}, hidden, { status: 404, body: {} })).toBe('holds: 2 of 3 responses');
    expect(judge('service.json', { headers: contentType('text/html') }, hidden)).toMatch(/^violated/);
    const deep = { status: 404, body: text('['.repeat(1e5) + ']'.repeat(1e5)) } as const;
    expect(judge('service.json', {}, deep)).toBe('holds: 1 of 2 responses');
  });

  test('are violated if one of them is, with its exchange', () => {
    const [right, wrong, other] = [exchange(), exchange({ body: {} }), exchange({ body: null })];
    const judgement = judgeResponses('pets.schema', [right, wrong, other], 'lists');
    expect(judgement).toMatchObject({
      kind: 'violated',
      violations: [
        { differences: [{ kind: 'wrong shape', place: 'body', expected: 'array' }], exchanges: [wrong] },
        { exchanges: [other] },
      ],
    });
  });

  test('cannot be judged if none of them can be read', () => {
    const fault = { kind: 'not decoded', message: 'a body with the content coding exi' } as const;
    expect(of({ body: text(''), fault })).toBe('cantTell: no lists could be read: a body with the content coding exi');
    expect(of({ body: text('['.repeat(1e5) + ']'.repeat(1e5)) })).toMatch(/^cantTell: .* nested too deep to be read/);
  });

  test('cannot be judged if each of them is a 5xx', () => {
    expect(of({ status: 500 }, { status: 503 })).toBe('cantTell: all lists were 5xx (see service.no-server-error)');
  });

  test('are untested without a response that counts', () => {
    expect(of()).toBe('untested: none of the lists shows anything about it');
    expect(of({ failure: TIMEOUT })).toMatch(/^untested/);
    expect(of({ status: 401, credential: 'none' })).toMatch(/^untested/);
  });

  test('never pass without a readable response, for every rule', () => {
    for (const id of byResponse) {
      expect(describeJudgement(judgeResponses(id, [], 'responses')), id).toMatch(/^untested/);
      const none = judgeResponses(id, [exchange({ failure: TIMEOUT })], 'responses');
      expect(describeJudgement(none), id).toMatch(/^(untested|cantTell)/);
    }
  });
});

test('a very long list is judged by its first animals', () => {
  const long = { query: { limit: '100' }, body: animals(1_500) };
  expect(findBroken(long)).toEqual(['list.limit.caps']);
  expect(findBroken({ ...long, body: [...animals(5), {}, ...animals(1_500)] })).toContain('pets.schema');
});

test('a value of hostile length is shortened', () => {
  const found = judgeResponse('pets.schema', exchange({ body: [pet(1, { status: 'x'.repeat(1e6) })] }));
  expect(found).toHaveLength(1);
  expect(JSON.stringify(found).length).toBeLessThan(RAW + 1_000);
});

test('filters of other parameters are judged by the values in lists', () => {
  expect(
    describeJudgement(judgeResponses('service.filter', [exchange({ query: { status: 'sold' } })], 'lists')),
  ).toMatch(/^untested/);
});

test('a Reset may be as old as the request of a slow response', () => {
  const slow = (ms: number): unknown => {
    const headers = {
      'X-RateLimit-Reset': String(NOW + 1),
      Date: new Date((NOW + 8) * 1000).toUTCString(),
    };
    return judgeResponse('rate.reset.value', { ...exchange({ headers }), ms });
  };
  expect(slow(8000)).toEqual([]);
  expect(slow(5)).toHaveLength(1);
});

test('a response is judged in its redacted form, so that its recording has the same result', () => {
  const error401 = exchange({ status: 401, credential: 'none', body: { code: '$API_KEY', message: 'x', status: 401 } });
  expect(judgeResponse('error.no-secrets', error401)).toHaveLength(1);
  expect(judgeResponse('error.schema', error401)).toEqual([]);
});
