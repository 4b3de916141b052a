/** The properties of additions and of GET /pets/{petId}, in both directions. */
import { error, NOW } from './make.ts';
import { add, animal, ask, get, list, type More, NO_LIMIT, post, range, testRows } from './traces.ts';

const FOREIGN = { isForeign: true };
const LATER = (NOW + 1) * 1000;
const TENANTS = { hasThrottleKey: true };
const REX = { name: 'Rex', categoryId: 1 };
const NAMED = { ...REX, name: 'conformance-abcdef-refused' };
const TEXT = animal('x7');
const SHOWN = animal(9, { name: NAMED.name });
const UPPER = animal(9, { name: NAMED.name.toUpperCase() });
const REMOVED = (Date.parse('2030-12-05') / 1000 - NOW) as number;
const BIG = 9007199254740993n;
const ROUNDED = 9007199254740992n;
const STATUS = 'failed: wrong status status';
const EXTRA = 'failed: extra animal /*';
const STATUS_CHANGED = 'failed: changed value /status';
const NAME_CHANGED = 'failed: changed value /name';
const PAST_BY_ONE_CLOCK = ask(REMOVED, 'GET /pets/7', 404, undefined, {
  headers: { Date: 'Wed, 25 Nov 2026 00:00:00 GMT' },
});
const ABC = animal('abc');
const SOLD_7 = animal(7, { status: 'sold' });
const ofOther = (at: number) => ask(at, 'GET /pets', 200, [animal(7)], { as: 'throttle' });
const OF_TENANT = ask(6, 'GET /pets', 200, [animal(7, { name: 'Tom' })], { as: 'throttle' });
const LARGE = 5577006791947779410n;
const CHANGE = ask(1, `PUT /pets/${LARGE} {"name":"x"}`, 200);
const TWO_CATEGORIES = '{"name":"conformance-abcdef-2","categoryId":2,"categoryId":1}';
const MAY_EXIST = 'untested: something with this id may exist';
const INVALID = post(0, { ...NAMED, categoryId: 'x' }, 400);
const shown = (headers: NonNullable<More['headers']>) => ask(0, 'GET /pets/7', 200, animal(7), { headers });
const SECOND = { ...REX, name: 'conformance-abcdef-2', status: 'sold' };
const withId = (at: number, id: number, status = 201) =>
  post(at, { ...REX, name: `conformance-abcdef-${at}`, id }, status, status === 201 ? animal(8) : undefined);
const REX_7 = animal(7, REX);
const asText = (at: number) => list(at, '', animal(7, { categoryId: '1' }));
const SOLD_LATER = get(6, 7, 200, { ...REX_7, status: 'sold' });
const RENAMED = animal(7, { name: 'x' });
/** A name of bytes that are not UTF-8. */
const notUtf8 = (before = '') =>
  post(0, `${before}{"name":"\xff","categoryId":1}`, 201, animal(1, { name: '\ufffd' }), { encoding: 'latin1' });
const text = (body: string, status: number, type?: string) => ask(0, `POST /pets ${body}`, status, undefined, { type });
const TAKEN = 'failed: id taken over /id';
const SIMILAR = 'failed: refused though similar…';

/** Sent at the moment of an equal one. */
const ADDED_BESIDE = { ...add(0, 1, REX), parallel: true };

testRows({
  'add.created': [
    ['a longer name of its shape', [add(0, 1), post(1, { ...REX, name: 'conformance-abcdef-22' }, 400)], 'passed'],
    ['422', [post(0, REX, 422)], STATUS],
    ['no id', [post(0, REX, 201, REX)], 'failed: missing /id'],
    ['only an odd body is taken', [add(0, 1, { name: '' }), post(1, REX, 400)], 'cantTell: no valid…{"name"…400 a'],
    ['no body is taken from others', [post(0, REX, 400)], 'untested: …limits are not specified', FOREIGN],
    ['a name in another script is not taken', [add(0, 1), post(1, { ...REX, name: 'Łukasz' }, 400)], 'passed'],
    ['another category', [add(0, 1), post(1, { ...REX, name: 'x', categoryId: 9 }, 400)], 'passed'],
    ['two categories', [add(0, 1), post(1, TWO_CATEGORIES, 400)], 'passed'],
    ['an id that is sent, and taken later', [withId(1, 77, 400), withId(2, 77)], SIMILAR],
    ['another one is taken', [withId(1, 77, 400), withId(2, 78)], 'untested: …'],
    ['a status', [add(0, 1), post(1, SECOND, 400)], SIMILAR],
    ['a name shorter than any that is taken', [add(0, 11), post(1, SECOND, 400)], 'passed'],
    ['409 for a name that is taken', [add(0, 1), post(1, animal(1), 409)], 'passed'],
    ['400 to one of two equal ones, and a third is taken', [post(0, REX, 400), ADDED_BESIDE, add(3, 2, REX)], SIMILAR],
    ['400 to a third one, too', [post(0, REX, 400), ADDED_BESIDE, post(3, REX, 400)], 'passed'],
    ['400 between equal ones', [add(0, 1, REX), post(1, REX, 400), add(3, 2, REX)], 'passed'],
    ['a third one is taken from others', [post(0, REX, 400), ADDED_BESIDE, add(3, 2, REX)], 'passed', FOREIGN],
    ['409 to each of two equal ones', [list(0, ''), post(1, REX, 409), post(1, REX, 409)], STATUS],
    ['409 for a new name', [list(0, ''), post(1, REX, 409)], STATUS],
    ['409 for a name that a list shows', [list(0, '', animal(3, REX)), post(1, REX, 409)], 'untested: …'],
    ['400 for a name that others may have added', [add(0, 1, { name: 'Bello' }), post(1, REX, 400)], 'passed', FOREIGN],
    ['409, and whole lists lack it', [list(0, '', 1), post(1, REX, 409), list(7, '', 1)], STATUS, FOREIGN],
    ['409, added meanwhile', [list(0, '', 1), post(1, REX, 409), list(7, '', animal(2, REX))], 'untested: …', FOREIGN],
    ['no answer to a body unlike others', [add(0, 1), post(1, { ...SECOND, name: 'ł' }, 0)], 'cantTell: …no answer…'],
    ['no answer to a body like others', [add(0, 1), post(1, SECOND, 0), add(2, 2, { status: 'sold' })], 'passed'],
    ['500 and 201 when it is repeated', [post(0, animal(1), 500), add(1, 1)], 'passed'],
    ['text/plain is not taken', [text('{"name":"x","categoryId":1}', 415, 'text/plain')], 'untested: no answer…'],
    ['a read-only run', [list(0, '')], 'untested: READ_ONLY=1…', { settings: { readOnly: true } }],
  ],
  'add.echo': [
    ['another name', [post(0, REX, 201, animal(1, { name: 'rex' }))], NAME_CHANGED],
    ['a repeated field', [post(0, '{"name":"Rex","categoryId":1,"categoryId":2}', 201, animal(1, REX))], 'passed'],
    ['a name that is trimmed', [post(0, { ...REX, name: ' Rex ' }, 201, animal(1, REX))], 'passed'],
    ['bytes that are not UTF-8, also behind a byte order mark', [notUtf8(), notUtf8('\xef\xbb\xbf')], 'passed'],
  ],
  'add.id.unique': [
    ['ids differ, also beyond 2^53', [add(0, 1), add(0, 2), add(0, BIG), add(0, ROUNDED)], 'passed'],
    ['two additions at one moment have one id', [add(0, 1), add(0, 1)], 'failed: repeated id /id'],
    ['the id of another animal', [list(0, '', 1), add(1, 1)], 'failed: repeated id /id'],
    ['each key has its own store', [add(0, 1), add(1, 1, {}, { as: 'throttle' })], 'passed', TENANTS],
    ['also each key of others', [add(0, 1), add(1, 1, {}, { as: 'throttle' })], 'passed', FOREIGN],
    ['and one is removed later', [add(0, 1), add(1, 1), ask(2, 'DELETE /pets/1', 204, '')], 'failed: repeated id /id'],
    ['the first one was removed', [add(0, 1), ask(1, 'DELETE /pets/1', 204, ''), add(2, 1)], 'passed'],
  ],
  'add.id.assigned': [
    ['the id that was sent', [post(0, { ...REX, id: 77 }, 201, animal(77))], TAKEN],
    ['as a double, with 200', [post(0, { ...REX, id: BIG }, 200, animal(ROUNDED))], TAKEN],
    ['in 32 bits', [post(0, { ...REX, id: 2 ** 32 + 7 }, 201, animal(7))], TAKEN],
    ['the id next to a known one', [add(0, BIG), post(1, { ...REX, id: BIG }, 201, animal(ROUNDED))], 'passed'],
    ['which others sent', [post(0, { ...REX, id: 0 }, 201, animal(0))], 'untested: no recorded…', FOREIGN],
    ['refused', [post(0, { ...REX, id: 77 }, 400)], 'passed'],
    ['another id, with 200', [post(0, { ...REX, id: 77 }, 200, animal(5))], 'passed'],
  ],
  'add.name.required': [
    ['201', [post(0, { categoryId: 1 }, 201, { id: 1, categoryId: 1 })], STATUS],
    ['with another fault', [post(0, { status: 'lost' }, 422)], 'untested: …'],
    ['415 for text/plain', [text('{"categoryId":1}', 415, 'text/plain')], 'passed'],
  ],
  'add.category.required': [['400', [post(0, { name: 'x' }, 400)], 'passed']],
  'add.name.type': [
    ['201', [post(0, { ...REX, name: 5 }, 201)], STATUS],
    ['an object that has no text', [post(0, { ...REX, name: { toString: 1 } }, 400)], 'passed'],
    ['an object that ends the service', [post(0, { ...REX, name: {} }, 0)], 'cantTell: …"name":{}…got no answer'],
  ],
  'add.category.type': [
    ['400', [post(0, { ...REX, categoryId: 1.5 }, 400), post(0, { ...REX, categoryId: '1' }, 400)], 'passed'],
    ['beyond int64', [post(0, '{"name":"x","categoryId":9223372036854775808}', 201)], STATUS],
    ['int64', [post(0, '{"name":"x","categoryId":9223372036854775807}', 400)], 'untested: …'],
    ['1.0', [post(0, '{"name":"x","categoryId":1.0}', 400)], 'untested: …'],
    ['1, and then a text', [post(0, '{"name":"x","categoryId":1,"categoryId":"a"}', 201)], 'untested: …'],
  ],
  'add.status.enum': [['201', [post(0, { ...REX, status: null }, 201)], STATUS]],
  'add.body.object': [
    ['400', [ask(0, 'POST /pets', 400), text('[]', 400), text('{', 400), text('{}', 400), text('null', 400)], 'passed'],
    ['415, form', [text('[]', 415, 'text/plain'), text('name=R', 201, 'application/x-www-form-urlencoded')], 'passed'],
    ['extensions', [text("/* */{name:'}',}", 201), text('{"name":"R\n" "categoryId":01}', 201)], 'untested: …'],
    ['200 for no body', [ask(0, 'POST /pets', 200)], STATUS],
  ],
  'add.rejected.adds-nothing': [
    ['an empty name', [post(0, { ...REX, name: '' }, 400), list(1, '', animal(1, { name: '' }))], 'untested: …'],
    ['in a longer', [post(0, { ...REX, categoryId: 'x' }, 400), list(1, '', animal(1, { name: 'Rexy' }))], 'passed'],
    ['in another case, in a list of a status that was not sent', [INVALID, list(1, 'status=sold', UPPER)], EXTRA],
    ['cut lists', [INVALID, list(1, 'limit=1', 1), list(2, 'limit=20', ...range(1, 20))], 'untested: …is full'],
    ['that name was accepted, too', [INVALID, post(1, NAMED, 201, SHOWN), list(2, '', SHOWN)], 'untested: …'],
    ['it may have been added', [post(0, NAMED, 0), post(1, NAMED, 400), list(2, '', SHOWN)], 'untested: …'],
    ['by others', [list(0, '', 1), { ...INVALID, at: LATER }, list(2, '', 1, SHOWN)], 'untested: another …', FOREIGN],
    ['the list of another key', [INVALID, ask(1, 'GET /pets', 200, [], { as: 'throttle' })], 'untested: …', TENANTS],
  ],
  'add.unsupported-type': [
    ['201', [text(JSON.stringify(REX), 201, 'text/plain')], STATUS],
    ['no Content-Type, a fault', [text(JSON.stringify(REX), 201, ''), text('{}', 400, 'text/plain')], 'untested: …'],
    ['JSON that is too deep to be read', [text('['.repeat(3000) + ']'.repeat(3000), 400)], 'untested: …'],
  ],
  'add.location': [['not there', [add(0, 1)], 'failed: missing header header Location']],

  'get.found': [
    ['the list of another key', [ofOther(0), get(6, 7, 404), ofOther(12)], 'untested: …', TENANTS],
    ['only a GET showed it', [get(0, 7), get(6, 7, 404), get(12, 7)], 'untested: …'],
    ['another one than in a GET before', [get(0, 7), get(1, 7, 200, animal(8))], 'failed: wrong animal /id'],
    ['each key has its own store', [add(0, 7), OF_TENANT, get(7, 7), OF_TENANT], 'passed', TENANTS],
    ['a DELETE', [list(0, '', 7), ask(1, 'DELETE /pets/7', 204), get(8, 7, 404), list(14, '', 7)], 'untested: …'],
    ['with an unknown parameter', [add(0, 1), list(1, '', 1), ask(6, 'GET /pets/1?x=1', 400)], 'untested: …'],
    ['no animal', [list(0, '', 7), get(6, 7, 200, 'x'), list(12, '', 7)], 'cantTell: …is not an animal…'],
    ['404, and a later list shows it', [list(0, '', 7), get(6, 7, 404), list(12, '', 7)], STATUS],
    ['404 at once', [list(0, '', 7), get(1, 7, 404), list(12, '', 7)], 'untested: …; asks GET /pets/7 at 5.1'],
    ['404, and no later list', [list(0, '', 7), get(6, 7, 404), list(7, '', 7)], 'untested: …; asks GET /pets at 11.1'],
    ['404 of an own one at once', [add(0, 7), get(1, 7, 404)], 'cantTell: …; asks GET /pets/7 at 5.1'],
    [
      'one of two with its id',
      [add(0, 7), add(1, 7), list(6, '', 7), get(7, 7, 200, RENAMED), list(12, '', 7)],
      'passed',
    ],
    ['other values than two lists', [list(0, '', 7), get(1, 7, 200, RENAMED), list(2, '', 7)], NAME_CHANGED],
    ['lists with a number as text', [asText(0), get(1, 7), asText(2)], 'passed'],
    ['of others, who sell it', [list(0, '', 7), get(1, 7), get(1, 7, 200, SOLD_7), list(2, '', 7)], 'passed'],
    ['a status that nobody sent', [post(0, REX, 201, REX_7), list(1, '', REX_7), SOLD_LATER], STATUS_CHANGED],
    ['which an order gave it', [post(0, REX, 201, REX_7), list(1, '', REX_7), SOLD_LATER], 'passed', FOREIGN],
    ['an id in percent-encoding', [list(0, '', 7), get(1, '%37', 404), list(2, '', 7)], 'untested: …'],
    ['of another key', [ofOther(0), get(1, 7, 404), ofOther(2)], 'untested: …', TENANTS],
    ['it is past its removal date', [list(REMOVED, '', 7), get(REMOVED, 7, 410)], 'inapplicable: …2030-12-05'],
    ['it is past it by one clock', [PAST_BY_ONE_CLOCK], 'untested: …whose clock is right'],
  ],
  'add.persists': [
    ['never found, and in no list', [add(0, 1), get(6, 1, 404)], STATUS],
    ['404 after six seconds', [add(0, 7), get(6, 7, 404), get(7, 7)], STATUS],
    ['lost', [add(0, 7), get(1, 7), get(6, 7, 404)], 'failed: not found again status'],
    ['sold by others', [add(0, 7), get(9, 7, 200, animal(7, { status: 'sold' }))], 'passed', FOREIGN],
    ['none is found', [add(0, 7), list(1, '', 7), get(2, 7, 404), get(6, 7, 404)], 'cantTell: …see get.found'],
    ['each key has its own store', [add(0, 7, {}, { as: 'throttle' }), get(6, 7, 404)], 'untested: …', TENANTS],
    ['a list lacks it', [add(0, 7), list(6, '')], 'untested: …; asks GET /pets/7 at 5.1'],
    ['changed by a PUT', [add(0, 7), ask(1, 'PUT /pets/7 {"name":"x"}', 200), get(2, 7, 200, RENAMED)], 'untested: …'],
  ],
  'get.unknown': [
    ['200 with it, at random, and next to it', [get(0, LARGE), get(1, LARGE + 1n)], STATUS],
    ['another animal than a PUT changed', [add(0, LARGE), CHANGE, get(2, LARGE, 200, animal(8))], STATUS],
    ['200, of an addition that a PUT changed', [add(0, LARGE), CHANGE, get(2, LARGE)], 'untested: …'],
    ['200, since another client has added it', [list(0, '', 1), get(1, 2)], MAY_EXIST],
    ['200, and a client may have added it next', [list(0, '', 2n ** 62n + 1n), get(1, 2n ** 62n + 2n)], MAY_EXIST],
    ['200, and a later list shows it', [get(1, LARGE), list(2, '', LARGE)], MAY_EXIST],
    ['200 of an id that the client got elsewhere', [get(0, LARGE)], MAY_EXIST, FOREIGN],
    ['200, and it may be the one in that array', [list(0, '', 1), get(1, 2, 200, [animal(2)])], MAY_EXIST],
    ['an Error with the status 200', [list(0, '', 1), get(1, 2, 200, error(404))], STATUS],
    [
      'another animal, after an addition that cannot be read',
      [post(0, NAMED, 201, '{'), get(1, 5, 200, animal(1))],
      STATUS,
    ],
    [
      'one whose id is a text, as that of an addition',
      [post(0, NAMED, 201, TEXT), get(1, 5, 200, TEXT)],
      'cantTell: …',
    ],
    ['400', [get(0, 123, 400)], STATUS],
    ['400 for another notation of 0', [ask(0, 'GET /pets/-0', 400)], 'untested: …'],
    ['an addition under way got the id', [get(0, 5), add(0, 5)], 'untested: …'],
    ['another animal at that moment', [get(0, 5, 200, animal(1)), add(0, 5)], STATUS],
  ],
  'get.id.not-an-integer': [
    ['a 4xx', [get(0, 'abc', 404), get(0, '1.5', 400), get(0, '9223372036854775808', 400)], 'passed'],
    ['an animal', [get(0, 'abc', 200, animal(1))], STATUS],
    ['one of two ends the service', [get(0, 'abc', 404), get(0, '1abc', 0)], 'cantTell: …got no answer'],
    ['notations of an integer', [get(0, '0x7'), get(0, '4.0'), get(0, '%204')], 'untested: …'],
    ['a proxy refuses U+0000', [ask(0, 'GET /pets/%00', 400, '<p>', { headers: NO_LIMIT })], 'passed'],
    ['the service gives such ids', [list(0, '', ABC), get(1, 'abc', 200, ABC)], 'cantTell: …(see pet.schema)'],
  ],
  'get.deprecation-header': [['of an older draft', [shown({ Deprecation: 'true' })], 'failed: wrong header…']],
  'get.sunset-header': [['later', [shown({ Sunset: 'Thu, 05 Dec 2031 00:00:00 GMT' })], 'failed: wrong header…']],
});
