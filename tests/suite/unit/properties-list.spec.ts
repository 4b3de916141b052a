/** The properties of lists, in both directions: which traces hold, violate and do not decide each requirement. */
import { add, animal, ask, conditional, get, list, post, range, testRows } from './traces.ts';

const FOREIGN = { isForeign: true };
const FILTER_REFUSED = ask(1, 'GET /pets?limit=9&status=sold', 400);
const SOLD = { status: 'sold' };
const SOLD_1 = animal(1, SOLD);
const UPPER = animal(9, { status: 'SOLD' });
const ACCEPTED = post(0, { name: 'x', categoryId: 1, status: 'SOLD' }, 201, UPPER);
const WITHOUT_STATUS = { id: 1, name: 'x', categoryId: 1 };
/** JavaScript cannot write its status. */
const NO_TEXT = animal(1, { status: { toString: 1 } });
const OF_TWO = ['sold', 'pending'].map((each) => list(1, `status=${each}`, WITHOUT_STATUS));
const SOLD_2 = animal(2, SOLD);
const TWO_SOLD = [list(0, '', SOLD_1, SOLD_2), list(6, 'status=sold&limit=2', SOLD_1), list(7, '', SOLD_1, SOLD_2)];
const LATE = [add(0, 3), list(1, 'status=available'), list(1, 'status=available', 3), add(0, 1, SOLD)];
const NOT_FOUND = [list(0, '', SOLD_1), list(9, 'status=sold'), list(10, '', SOLD_1)];
const FIVE = range(1, 5).map((id) => add(0, id));
const COPY = animal(2, { name: 'conformance-abcdef-1' });
const NONE = 'untested: …0 such animals';
const BROKEN = 'cantTell: …see list.status.only';
const STATUS = 'failed: wrong status status';
const TOO_FEW = 'failed: too few animals query limit';
const TOO_MANY = 'failed: too many animals query limit';
const NO_IDS = 'cantTell: …ids are not valid…';
const REPEATED = 'failed: repeated animal /*';
const MISSING = 'failed: missing animal /*';
const NOT_FILTERED = 'failed: not filtered query status';
const FOUND_BY_UNKNOWN = 'failed: found by an unknown value query status';
/** A list of so many animals, up to the maximum. */
const first = (at: number, count: number) => list(at, 'limit=100', ...range(1, count));
const NEST = `${'['.repeat(6000)}${']'.repeat(6000)}`;

const AT_LIMIT = { throttling: { from: 0, to: Infinity } };

testRows({
  'list.succeeds': [
    ['items that are not animals', [ask(0, 'GET /pets', 200, [1, 2])], 'failed: wrong shape /*'],
    ['500, and 503 when repeated', [list(0, 'limit=1'), ask(1, 'GET /pets', 500), ask(2, 'GET /pets', 503)], STATUS],
    ['500 to each list', [get(0, 1), ask(1, 'GET /pets?limit=1', 500), ask(1, 'GET /pets', 500)], 'cantTell: every…'],
    ['502 to one of two', [list(0, 'limit=1'), ask(1, 'GET /pets', 502)], 'cantTell: …a gateway error…'],
    ['a time-out', [ask(0, 'GET /pets', 0, undefined, { failure: 'timeout' })], 'cantTell: …timed out…'],
    ['404, then 429', [404, 429].map((status, at) => ask(at, 'GET /pets', status)), STATUS],
    ['an object around the list', [ask(0, 'GET /pets', 200, { items: [] })], 'failed: wrong shape body'],
    ['JSON that is too deep to be read', [ask(0, 'GET /pets', 200, NEST)], 'cantTell: …cannot be read'],
    ['no JSON', [ask(0, 'GET /pets', 200, '<p>')], 'failed: wrong shape body'],
    ['500, and 200 when it is repeated', [ask(0, 'GET /pets', 500), list(1, '')], 'passed'],
    ['401 with the valid key', [ask(0, 'GET /pets', 401)], 'cantTell: …see auth.valid'],
    ['429', [ask(0, 'GET /pets', 429)], 'cantTell: rate limited…'],
    ['429, in traffic of others', [ask(0, 'GET /pets', 429)], 'untested: rate limited…', FOREIGN],
    ['a closed connection', [ask(0, 'GET /pets', 0)], 'cantTell: …asks GET /pets at 0'],
    ['only lists with parameters', ['1', '$API_KEY'].map((of) => ask(0, `GET /pets?limit=${of}`, 404)), 'untested: …'],
  ],

  'list.limit.caps': [
    ['a filtered list lacks the field', [add(0, 1, SOLD), list(6, 'limit=1&status=sold', WITHOUT_STATUS)], 'passed'],
    ['as many as asked for', [list(0, '', 1, 2, 3), list(1, 'limit=2', 3, 1)], 'passed'],
    ['more', [list(0, '', 1, 2, 3), list(1, 'limit=2', 1, 2, 3)], TOO_MANY],
    ['one limit is refused', [list(0, 'limit=2', 1), ask(1, 'GET /pets?limit=9', 400)], STATUS],
    ['fewer than exist', [list(0, '', 1, 2, 3), list(9, 'limit=2', 1), list(10, '', 1, 2, 3)], TOO_FEW],
    ['another client removed one', [list(0, '', 1, 2), list(9, 'limit=2', 1)], 'untested: …; asks GET /pets/2 at …'],
    ['one of others lags', [list(1, 'limit=5', 1, 2), list(2, 'limit=5', 1), list(20, 'limit=5', 1, 2)], 'passed'],
    ['no animal is known', [list(0, 'limit=2'), FILTER_REFUSED], 'untested: …0 such animals'],
    ['no filter', [add(0, 1, SOLD), add(0, 2), list(6, '', SOLD_1, 2), list(7, 'status=sold&limit=2', 2)], BROKEN],
  ],
  'list.limit.minimum': [
    ['refused', [ask(0, 'GET /pets?limit=1', 400)], STATUS],
    ['with an unknown parameter', [ask(0, 'GET /pets?limit=1&x=1', 400)], 'untested: …'],
  ],
  'list.limit.maximum': [['refused', [ask(0, 'GET /pets?limit=100', 400)], STATUS]],
  'list.limit.never-above-maximum': [
    ['a 4xx', [ask(0, 'GET /pets?limit=1000', 400)], 'passed'],
    ['more than 100', [list(0, 'limit=101', ...range(1, 101))], TOO_MANY],
    ['20 of 30, as without a limit', [first(0, 30), list(1, 'limit=1000', ...range(1, 20)), first(9, 30)], 'passed'],
    ['too few exist', [first(0, 2), list(1, 'limit=0', 1), list(2, 'limit=101', 1, 2)], 'untested: …too long'],
    ['an object', [ask(0, 'GET /pets?limit=0', 200, { data: [] })], 'cantTell: …is not a list of animals: …'],
  ],
  'list.limit.not-a-number': [['an ordinary list, the key is abc', [list(0, 'limit=$API_KEY', 1)], 'passed']],
  'list.limit.default': [
    ['21', [list(1, '', ...range(1, 21))], TOO_MANY],
    ['10 of 21', [first(0, 21), list(6, '', ...range(1, 10)), first(9, 21)], TOO_FEW],
    ['10 of 10', [first(0, 10), list(1, '', ...range(1, 10))], 'untested: …10 such animals, but 21 are needed'],
  ],

  'list.status.only': [
    ['400', [ask(0, 'GET /pets?status=sold', 400)], STATUS],
    ['400 for another parameter', [ask(0, 'GET /pets?status=sold&page=2', 400)], 'untested: …'],
    ['400 for the limit', [ask(0, 'GET /pets?status=sold&limit=0', 400)], 'untested: …'],
    ['others', [list(1, 'status=sold', SOLD_2, 1)], NOT_FILTERED],
    ['the first of two', [list(0, '', 1, SOLD_2), list(1, 'status=sold&status=pending', SOLD_2)], 'untested: …'],
    ['an added one without its status', [add(0, 1, SOLD), list(1, 'status=sold', { id: 1 }), list(2, '', 2)], 'passed'],
    ['one whose status no answer shows', [list(0, '', 2), list(1, 'status=sold', WITHOUT_STATUS)], 'passed'],
    ['which others have changed', [get(0, 1), ...OF_TWO], 'passed'],
    ['an added one, of two', [post(0, { name: 'x', categoryId: 1 }, 201, WITHOUT_STATUS), ...OF_TWO], NOT_FILTERED],
    ['no others are known', [list(0, '', SOLD_2), list(1, 'status=sold', SOLD_2)], 'untested: …no animal of another…'],
    ['an object that has no text', [list(1, 'status=sold', NO_TEXT)], 'cantTell: …see pets.schema'],
    ['of an accepted invalid body', [ACCEPTED, list(1, 'status=sold', SOLD_2, UPPER)], 'passed'],
    [
      'of an accepted invalid name',
      [post(0, { name: 5 }, 201, animal(1)), list(1, 'status=sold', SOLD_2, 1)],
      NOT_FILTERED,
    ],
  ],
  'list.status.unknown': [
    ['an animal without status', [list(0, '', 1), list(1, 'status=x', WITHOUT_STATUS)], FOUND_BY_UNKNOWN],
    ['nothing', [list(0, '', 1), list(1, 'status=lost')], 'passed'],
    ['nothing yet', [add(0, 1), list(1, 'status=lost')], 'untested: …; asks GET /pets?status=lost at 5.1'],
    ['all', [list(0, 'status=SOLD', 1)], FOUND_BY_UNKNOWN],
    ['an object', [ask(0, 'GET /pets?status=SOLD', 200, { data: [] })], 'cantTell: …is not a list of animals: …'],
    ['304 to a condition', [conditional('GET /pets?status=SOLD', 304)], 'untested: …conditional'],
  ],
  'list.status.finds': [
    ['the added one', [add(0, 1, SOLD), list(1, 'status=sold', SOLD_1)], 'passed'],
    ['nothing after six seconds', [add(0, 1, SOLD), list(6, 'status=sold')], MISSING],
    ['which an order may have changed', NOT_FOUND, NONE, FOREIGN],
    ['nothing at once', [add(0, 1, SOLD), list(1, 'status=sold')], 'cantTell: …; asks GET /pets?status=sold at 5.1'],
    ['nothing of one status', [...LATE, list(1, 'status=sold')], 'cantTell: …; asks GET /pets?status=sold at 5.1'],
    ['animals of others', NOT_FOUND, MISSING],
    ['which has it only later', [list(0, '', WITHOUT_STATUS), list(9, 'status=sold'), list(10, '', SOLD_1)], NONE],
    ['which may have been removed', [list(0, '', SOLD_1), list(9, 'status=sold')], 'untested: …; asks GET /pets/1'],
  ],
  'list.status.before-limit': [
    ['one is found', [add(0, 1, SOLD), list(6, '', SOLD_1), list(6, 'status=sold&limit=1', SOLD_1)], 'passed'],
    ['none is found', [add(0, 1, SOLD), list(6, '', SOLD_1), list(6, 'status=sold&limit=1')], TOO_FEW],
    ['another', [add(0, 1, SOLD), list(6, '', SOLD_1), list(6, 'status=sold&limit=1', 2)], BROKEN],
    ['none at once', [add(0, 1, SOLD), list(0.5, '', SOLD_1), list(1, 'status=sold&limit=1')], 'cantTell: …yet'],
    [
      'one of two, beside a full list',
      [...TWO_SOLD, list(6, 'status=sold&limit=1', SOLD_1)],
      'cantTell: …list.limit.caps)',
    ],
  ],

  'list.shows-added': [
    ['no id', [add(0, 1), list(6, '', { name: 'conformance-abcdef-1', categoryId: 1 })], 'cantTell: …is not a list…'],
    ['another client removed one, which does not explain it', [list(0, '', 8, 9), add(1, 1), list(8, '', 8)], MISSING],
    ['a copy that was refused', [add(0, 1), post(1, { ...COPY, id: null }, 409), list(7, '', 1, COPY)], REPEATED],
    ['cut too early', [first(0, 25), add(1, 26), list(9, '', ...range(1, 10))], 'untested: …; asks GET /pets/11 at …'],
    ['not at once, in traffic of others', [add(0, 1), list(1, '')], 'untested: …; asks GET /pets at 5.1', FOREIGN],
    ['not at once, and later', [add(0, 1), list(1, ''), list(6, '', 1)], 'passed'],
    ['a full list', [add(0, 101), first(6, 100)], 'untested: …the list is full with 100'],
    ['one refused at the limit', [add(0, 101), first(6, 100), ask(7, 'GET /pets', 429)], 'untested: …full…', AT_LIMIT],
    ['one refused before it', [add(0, 101), first(6, 100), ask(7, 'GET /pets', 429)], 'cantTell: rate limited…'],
    ['twice', [add(0, 1), list(6, '', 1, 1)], REPEATED],
    ['twice, with ids that are not valid', [list(6, '', animal(1.5), animal(1.5))], 'untested: …'],
    ['a copy with another id', [add(0, 1), list(6, '', 1, COPY)], REPEATED],
    ['a copy, with ids as text', [add(0, 1), list(6, '', animal('1'), { ...COPY, id: '2' })], REPEATED],
    ['a copy, where it was sent twice', [post(0, animal(1), 500), add(1, 1), list(6, '', 1, COPY)], 'passed'],
    ['with another name', [add(0, 1), list(6, '', animal(1, { name: 'x' }))], 'failed: changed value /name'],
    ['changed by a PUT', [add(0, 1), ask(1, 'PUT /pets/1 {"status":"sold"}', 200), list(6, '', SOLD_1)], 'untested: …'],
    ['two additions got one id, which nothing shows', [add(0, 1), add(0, 1, { name: 'y' }), list(9, '')], 'failed: …'],
    ['two additions got one id', [add(0, 1), add(0, 1, { name: 'y' }), list(6, '', 1)], 'untested: …'],
    ['text as an id', [post(0, { name: 'x', categoryId: 1 }, 201, { ...animal(1), id: '0a' }), list(6, '', 1)], NO_IDS],
    ['none of several', [...FIVE, list(6, 'limit=3', 1, 2, 3), list(7, 'limit=3')], MISSING],
  ],
});
