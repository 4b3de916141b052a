/** The properties of every response, of authentication and of the service as a whole, and what is only observed. */
import type { Credential } from '../../../fixtures/contract/credentials.ts';
import type { RequirementId } from '../../../fixtures/contract/requirements.ts';
import { error, NOW } from './make.ts';
import { add, animal, ask, conditional, type Facts, get, list, NO_LIMIT, post, type Row, testRows } from './traces.ts';

const pet = (more: object) => ask(0, 'GET /pets/7', 200, animal(7, more as never));
const typed = (type: string | undefined) => ask(0, 'GET /pets', 200, [], { headers: { 'Content-Type': type } });
const REX = '{"name":"conformance-abcdef-x","categoryId":1}';
const SHOWN = animal(9, { name: 'conformance-abcdef-x' });
const BIG = 9007199254740993n;
const ONE = { name: 'conformance-abcdef-1' };
const OF_OTHER = ask(1, 'GET /pets', 200, [animal(1)], { as: 'throttle' });
const UNCUT = '{"name":"conformance-abcdef-1","categoryId":9007199254740993}';
const CUT = animal(1, { categoryId: 9007199254740992n });
const TRACE = { ...error(404), message: 'Error: x\n    at f (/app/server.js:1:2)' };
const STATUS = 'failed: wrong status status';
const WORD = 'with a word behind it';
const BYTES = 'with bytes above 0x7f';
const IN_FRONT = ask(1, 'GET /pets', 400, '<p>', { as: BYTES, headers: NO_LIMIT });
/** A request without the valid key. */
const refusing = (at: number, request: string, status: number, as: Credential = 'none') =>
  ask(at, request, status, undefined, { as });
const TAKEN = ask(0, `POST /pets ${REX}`, 201, SHOWN, { as: 'none' });
const AS_TEXT = ask(1, `POST /pets ${REX}`, 500, undefined, { as: 'none', type: 'text/plain' });
/** An invalid body that the service took. */
const ACCEPTED = post(0, { name: 5, categoryId: 1 }, 201, animal(9));
const CONDITIONAL = conditional('GET /pets', 304);
const cutOff = (status: number) => ({ kind: 'cut off', message: '', status }) as const;
const BANNED = [ask(0, 'GET /pets', 429), ask(1, 'GET /pets', 429), ask(2, 'GET /pets', 401)];

const leftOut = (id: RequirementId): Facts => ({
  unsent: [{ requirements: [id], reason: 'the budget was used up', remedy: 'DEPTH=thorough' }],
});

testRows({
  'service.base-path': [['another path', [list(0, '')], 'cantTell: …', { baseUrl: 'no address/v2' }]],
  'contract.deprecation': [['an empty trace', [], 'untested: …']],
  'service.json': [
    ['with a charset', [typed('Application/JSON; charset=utf-8')], 'passed'],
    ['no JSON', [ask(0, 'GET /pets/7', 404, '<p>')], 'failed: not JSON body'],
    ['no body of a 429', [ask(0, 'GET /pets', 429, '')], 'untested: …'],
    ['not UTF-8', [ask(0, 'GET /pets', 200, '["\ufffd"]', { fault: 'not UTF-8' })], 'failed: not UTF-8 body'],
    ['too deep', [ask(0, 'GET /pets', 200, `${'['.repeat(6000)}${']'.repeat(6000)}`)], 'cantTell: it cannot be read…'],
    ['a page of a 502', [ask(0, 'GET /pets', 502, '<p>', { headers: { 'Content-Type': 'text/html' } })], 'untested: …'],
    ['a page for an id with U+0000', [ask(0, 'GET /pets/%00', 400, '<p>', { headers: NO_LIMIT })], 'untested: …'],
    ['the service refuses such an id', [ask(0, 'GET /pets/%00', 400, '<p>')], 'failed: not JSON body'],
  ],
  'service.no-undocumented-status': [
    ['not documented', [ask(0, 'GET /pets', 204)], STATUS],
    ['202 for an odd name', [post(0, { ...animal(1), name: 'x\0' }, 202, animal(1))], STATUS],
    ['400 for an odd name', [post(0, { ...animal(1), name: 'x\0' }, 400)], 'untested: …'],
    ['409 for a copy', [add(0, 1), post(0, animal(1), 409)], 'passed'],
    ['409 to a list', [post(0, {}, 400), ask(1, 'GET /pets', 409)], 'failed: wrong status status'],
    ['409 for a name that others may have', [post(0, animal(1), 409)], 'untested: …', { isForeign: true }],
    ['an invalid request, and a conditional one', [ask(0, 'GET /pets?limit=0', 418), CONDITIONAL], 'untested: …'],
    ['403 of a banned key', [...BANNED.slice(0, 2), ask(2, 'GET /pets', 403)], 'passed'],
    ['410 after the removal', [ask(Date.parse('2030-12-06') / 1000 - NOW, 'GET /pets/7', 410)], 'untested: …'],
  ],
  'service.no-server-error': [
    ['503, and 200 when repeated', [ask(0, 'GET /pets', 503), list(1, '')], STATUS],
    ['500 in front of the service', [ask(0, 'GET /pets/%00', 500, '<p>', { headers: NO_LIMIT })], STATUS],
    ['501 for HEAD', [ask(0, 'HEAD /pets', 501)], 'passed'],
    ['no response', [ask(0, 'GET /pets', 0)], 'untested: …'],
    ['500, whose body is cut off', [{ ...ask(0, 'PUT /pets', 0), failure: cutOff(500) }], STATUS],
    ['200, whose body is cut off', [{ ...ask(0, 'PUT /pets', 0), failure: cutOff(200) }], 'untested: …'],
  ],
  'pet.schema': [
    ['also without a status', [pet({ more: 1 }), get(0, 7, 200, { id: 7, name: 'x', categoryId: 1 })], 'passed'],
    ['of an invalid body', [ACCEPTED, get(1, 9, 200, animal(9, { name: 5 }))], 'passed'],
    ['to another notation of an id', [ask(0, 'GET /pets/0x7', 200, null)], 'untested: …'],
  ],
  'pets.schema': [
    ['an item without a category', [list(0, '', { id: 1, name: 'x' })], 'failed: missing /categoryId'],
    ['of an invalid body', [ACCEPTED, list(1, '', animal(9, { name: 5 }))], 'passed'],
  ],
  'error.schema': [
    ['no code', [get(0, 7, 404, { message: 'x', status: 404 })], 'failed: missing /code'],
    ['of a 429, or a 4xx to "abc"', [ask(0, 'GET /pets', 429, { a: 1 }), get(0, 'abc', 400, { a: 1 })], 'untested: …'],
    ['in front of it', [ask(0, 'GET /pets/7%00', 404, { a: 1 }, { as: 'none', headers: NO_LIMIT })], 'untested: …'],
  ],
  'error.status': [
    ['another', [get(0, 7, 404, error(400))], 'failed: wrong status field /status'],
    ['of many digits', [get(0, 7, 404, { ...error(404), status: BIG })], 'failed: wrong status field /status'],
  ],
  'pet.int64': [
    ['the whole range', [list(0, '', -9223372036854775808n, 0, 9223372036854775807n)], 'passed'],
    ['beyond it', [list(0, '', 9223372036854775808n)], 'failed: not an int64 /id'],
    ['rounded', [post(0, UNCUT, 201, CUT)], 'failed: changed value /categoryId'],
    ['that of another animal', [add(0, 1, { name: '42', categoryId: BIG }), add(0, 2, ONE), list(1, '', 1)], 'passed'],
    ['that of another key', [add(0, 1, { categoryId: BIG }), OF_OTHER], 'passed', { hasThrottleKey: true }],
  ],
  'http.duplicate-keys': [['twice', [ask(0, 'GET /pets', 200, '[{"id":1,"id":2}]')], 'failed: repeated name body']],
  'error.no-secrets': [['a stack trace', [get(0, 7, 404, TRACE)], 'failed: secret in error body']],
  'orders.exists': [
    ...[410, 501].map((status): Row => [String(status), [ask(0, 'GET /store/orders', status)], STATUS]),
    ['403', [ask(0, 'GET /store/orders', 403)], 'passed'],
    ['a body of many megabytes', [ask(0, 'GET /store/orders', 200, '', { fault: 'too long' })], 'passed'],
    ['404', [ask(0, 'GET /store/orders', 404)], STATUS],
    ['500, and 200 when repeated', [ask(0, 'GET /store/orders', 500), ask(1, 'GET /store/orders', 200, [])], 'passed'],
    ['500 after a 200', [ask(0, 'GET /store/orders', 200, []), ask(1, 'GET /store/orders', 500)], 'passed'],
    ['a redirect', [ask(0, 'GET /store/orders', 307)], 'cantTell: …is a redirect'],
  ],
  'http.head': [
    ['a body', [ask(0, 'HEAD /pets', 200, '[]')], 'failed: unexpected body body'],
    ['its row was left out', [list(0, '')], 'untested: the budget…', leftOut('http.head')],
    ['another row was left out', [list(0, '')], 'untested: no answer…', leftOut('add.location')],
  ],
  'http.method-not-allowed': [
    ['a path that the contract does not have', [ask(0, 'GET /shops', 404)], 'untested: …'],
    ['without Allow', [ask(0, 'PUT /pets', 405)], 'failed: missing header header Allow'],
    ['404', [ask(0, 'DELETE /store/orders', 404)], STATUS],
  ],

  'auth.missing': [['no response', [ask(0, 'GET /pets', 0, '', { as: 'none' })], 'cantTell: …; asks GET /pets at 0']],
  'auth.invalid': [
    ['served without headers of the limit', [ask(0, 'GET /pets', 200, [], { as: BYTES, headers: NO_LIMIT })], STATUS],
    ['400 for one', [refusing(0, 'GET /pets', 401, 'unknown'), refusing(0, 'GET /pets', 400, BYTES)], STATUS],
    ['in front of it', [IN_FRONT], 'untested: …in front'],
    ['in front, and another form', [refusing(0, 'GET /pets', 401, 'unknown'), IN_FRONT], 'passed'],
  ],
  'auth.first': [
    ['no answer, nothing else wrong', [refusing(0, 'GET /pets', 0), refusing(1, 'GET /pets?limit=abc', 400)], STATUS],
    ['400 for a bad body', [refusing(0, 'POST /pets {}', 400)], STATUS],
    ['500 for a media type', [add(0, 9), AS_TEXT, refusing(2, `POST /pets ${REX}`, 401)], STATUS],
    ['no key is checked', [TAKEN, refusing(0, 'POST /pets {}', 400)], 'untested: …'],
    ['404 for an odd path', [refusing(0, 'GET /pets/a', 404)], 'untested: …'],
    ['400 for an odd path', [refusing(0, 'GET /pets/a', 400)], STATUS],
    ['in front of it', [ask(0, 'GET /pets/%00', 400, '<p>', { as: 'none', headers: NO_LIMIT })], 'untested: …in front'],
    ['a word behind the valid key', [refusing(0, 'POST /pets {}', 400, WORD)], 'untested: …'],
  ],
  'auth.valid': [
    ['401', [ask(0, 'GET /pets', 401)], STATUS],
    ['401 after several 429s', BANNED, 'passed'],
    ['401 for a scheme in lower case', [refusing(0, 'GET /pets', 401, 'lower-case scheme')], 'untested: …'],
  ],
  'auth.refused.adds-nothing': [
    ['in a list', [refusing(0, `POST /pets ${REX}`, 401), list(1, '', SHOWN)], 'failed: extra animal /*'],
    ['a word behind the valid key', [refusing(0, `POST /pets ${REX}`, 401, WORD), list(1, '', SHOWN)], 'untested: …'],
  ],
  'auth.challenge': [['not there', [refusing(0, 'GET /pets', 401)], 'failed: missing header header WWW-Authenticate']],
  'auth.scheme-case': [
    ['401', [refusing(0, 'GET /pets', 401, 'lower-case scheme')], STATUS],
    ['no answer', [refusing(0, 'GET /pets', 0, 'lower-case scheme')], 'untested: …'],
  ],

  'open.default-status': [['available', [post(0, REX, 201, SHOWN)], 'observed: …available']],
  'open.order': [
    ['by id', [list(0, '', 3, 2, 1)], 'observed: by id, falling'],
    ['too short', [list(0, '', 1)], 'untested: …'],
  ],
  'open.paging': [
    ['none', [list(0, '')], 'observed: none seen'],
    ['a header', [ask(0, 'GET /pets', 200, [], { headers: { Link: '<x>' } })], 'observed: Link'],
  ],
  'open.limit-outside': [['400', [ask(0, 'GET /pets?limit=0', 400)], 'observed: limit=0: 400']],
  'open.unknown-status': [['empty', [list(0, 'status=')], 'observed: status=: 200 with 0 animals']],
  'open.id-not-an-integer': [['04', [get(0, '04', 404)], 'observed: /pets/04: 404']],
  'open.unknown-names': [
    ['in a body', [post(0, { x: 1, name: 'y', categoryId: 1 }, 400)], 'observed: …the unknown field x: 400'],
  ],
  'open.names': [['empty', [post(0, { name: '', categoryId: 1 }, 400)], 'observed: name is empty: 400']],
  'open.categories': [['0', [post(0, { name: 'x', categoryId: 0 }, 400)], 'observed: categoryId 0: 400']],
  'open.orders': [['an array', [ask(0, 'GET /store/orders', 200, [])], 'observed: 200 an array of 0']],
  'open.error-codes': [['each', [get(0, 7, 404)], 'observed: 404 x']],
  'open.throttled-body': [['none', [ask(0, 'GET /pets', 429)], 'observed: none']],
  'open.rate-window': [['of the minute', [list(0, '')], 'observed: …free, a minute']],
  'open.rate-unauthorized': [
    ['one 401 is too few', [refusing(0, 'GET /pets', 401)], 'untested: …'],
    ['two', [0, 1].map((at) => refusing(at, 'GET /pets', 401)), 'observed: every 401 showed Remaining 50…not counted'],
  ],
  'open.rate-shared': [['one key', [list(0, '')], 'untested: …']],
  'open.asked-again': [
    ['another status', [ask(0, 'GET /pets', 500), list(1, '')], 'observed: …'],
    ['around an addition', [list(0, ''), get(0, 1, 404), add(1, 1), get(2, 1), list(3, '', 1)], 'untested: …'],
    ['a list that lags', [add(0, 1), list(1, ''), list(3, '', 1)], 'observed: …'],
  ],
  'open.word-behind-key': [['served', [ask(0, 'GET /pets', 200, [], { as: WORD })], 'observed: …200']],
  'open.stability': [['of the contract', [list(0, '')], 'observed: …GET /pets: stable']],
});
