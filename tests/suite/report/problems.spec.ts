/** One cause, one problem: what a trace violates, in the order of its harm, with what it hides and its plainest example. */
import type { RequirementId } from '../../../fixtures/contract/requirements.ts';
import { judge } from '../../../fixtures/judge.ts';
import type { Problem } from '../../../fixtures/report/model/problems.ts';
import { showProblem } from '../../../fixtures/report/model/report.ts';
import type { Exchange } from '../../../fixtures/target/http/exchange.ts';
import { properties } from '../../properties/index.ts';
import { error, expect, test } from '../unit/make.ts';
import { add, animal, ask, get, list, makeStore, type More, post, range } from '../unit/traces.ts';
import { makeReport } from './pages.ts';

function problemsOf(given: readonly Exchange[], waived: readonly RequirementId[] = []): Problem[] {
  const store = makeStore(given);
  const waivers = waived.map((requirement) => ({ requirement, reason: 'x', owner: 'y', expires: '2099-01-01' }));
  const exchanges = store.steps.map(({ exchange }) => exchange);
  return makeReport(judge(store, properties).outcomes, exchanges, { waivers }).problems;
}

const LOCATED = { headers: { Location: '/v1/pets/1' } };
const REX = { name: 'conformance-abcdef-7', categoryId: 1, status: 'available' };
const UPPER = animal(7, { name: REX.name.toUpperCase() });
const { categoryId: _, ...LACKING } = animal(7);
const typed = { headers: { 'Content-Type': 'text/json', ...LOCATED.headers } };
const NEST = `${'['.repeat(6000)}${']'.repeat(6000)}`;
const withHeader = (name: string, status = 200) =>
  ask(2, 'GET /pets', status, [], { headers: { [`X-RateLimit-${name}`]: 'x' } });
const open = (at: number, target: string) => ask(at, `GET ${target}`, 200, [], { as: 'none' });
type Sent = Parameters<typeof post>[1];
/** The answer to an addition, with a Location. */
const added = (at: number, sent: Sent, body = animal(at), more: More = {}) =>
  post(at, sent, 201, body, { ...LOCATED, ...more });
const lacking = (at: number, more = {}) => added(at, REX, { ...LACKING, id: at }, more);
const wrapped = (at: number, sent: Sent = REX) => added(at, sent, { data: animal(at) });
/** Sixty lists in a second, of forty in a minute. */
// prettier-ignore
const stuck = (remaining: string) => range(1, 60).map((nth) => ask(nth / 60, 'GET /pets', 200, [], { headers: { 'X-RateLimit-Limit': '40', 'X-RateLimit-Remaining': remaining } }));

/** What each problem is about: its list and harm, its title, and the requirements that it violates and hides. */
const RENAMED = { id: 1, name: 'Rex', category_id: 1 };
const SOLD = animal(2, { status: 'sold' });
const [PAGE, TEXT] = ['html', 'plain'].map((type) => ({ headers: { 'Content-Type': `text/${type}` } }));

// prettier-ignore
const ROWS: [title: string, exchanges: Exchange[], problems: RegExp[], waived?: RequirementId[]][] = [
  ['requests without a valid key that several operations serve', [open(0, '/pets'), ask(1, 'GET /store/orders', 200, [], { as: 'Basic' })], [/^gates door: GET \/pets and GET \/store\/orders, .*: 200, 401 is specified \(2 of 2\); auth.missing, auth.invalid$/]],
  ['a credential that is accepted beside one that is refused with another status', [ask(0, 'GET /store/orders', 200, [], { as: 'Basic' }), ask(1, 'GET /pets', 403, error(403), { as: 'unknown' })], [/^gates door: GET \/store\/orders, .*: 200, 401 is specified \(1 of 1\)/, /^gates status: GET \/pets, .*: 403/]],
  ['a credential that one operation accepts, and a list that is refused with a key and without one', [ask(0, 'GET /pets?limit=100', 400), ask(1, 'GET /pets?limit=100', 400, error(400), { as: 'none' }), ask(2, 'GET /store/orders', 200, [], { as: 'in another case' })], [/^gates door: GET \/store\/orders, .* in another case: 200, 401 is specified/, /^gates refusal: GET \/pets: 400/]],
  ['a redirect to a login, which lets nobody in', [ask(0, 'GET /pets', 302, '', { as: 'none' }), ask(1, 'GET /pets/7', 302, '', { as: 'none' })], [/^gates status: GET \/pets and GET \/pets\/\{petId\}, without a key: 302, 401 is specified \(2 of 2\); auth.missing, auth.first$/]],
  ['the same change of a field, on several operations', [added(0, REX, UPPER), list(6, '', UPPER), get(7, 7, 200, UPPER)], [/^gates data: GET \/pets, POST \/pets and GET \/pets\/\{petId\}: name comes back in upper case.*; add.echo, list.shows-added, add.persists$/, /^advice/, /^advice/]],
  ['another animal, in several answers about one and in place of another', [added(1, { ...REX, name: 'Rex' }, animal(1, { name: 'Rex' })), added(2, { ...REX, name: 'Tom' }, animal(2, { name: 'Tom' })), list(9, '', animal(1, { name: 'Tom' })), get(10, 1, 200, animal(1, { name: 'Tom' }))], [/another animal/, /^advice/, /^advice/]],
  ['several layers of a fault at one place, with the harm of the lowest', [added(0, REX, animal(7)), list(6, '', animal(7, { categoryId: 'x'.repeat(36) }))], [/^gates status: GET \/pets: categoryId is a text of 36 characters, integer is specified.*; pets.schema, list.shows-added$/]],
  ['all faults of a response with a wrong status', [ask(6, 'GET /pets', 206, [{ id: 1 }])], [/^gates status: GET \/pets: 206, 200 is specified/]],
  ['a method that the path does not have', [list(0, ''), ask(1, 'PUT /pets', 500)], [/^gates status: PUT \/pets: 500 .*any status but 5xx is specified \(1 of 1\)/, /^advice/]],
  ['a 5xx in place of several statuses', [list(0, '', 1), ask(1, 'GET /pets?limit=1', 502, '<p>'), get(2, 7, 404), get(3, 8, 502, '<q>')], [/: GET \/pets and GET \/pets\/\{petId\}: 502, any status but 5xx is specified \(2 of 4\)/]],
  ['the same failure of several operations, without a code', [list(0, ''), ...['/pets', '/pets/7', '/store/orders'].map((target, i) => ask(i + 1, `GET ${target}`, 500, { message: 'x is not defined' })), ask(4, 'HEAD /pets', 500, '')], [/^gates refusal: GET \/pets, GET \/pets\/\{petId\} and GET \/store\/orders: 500/, /^advice/]],
  ['a failure of several operations, of which one is asked for nothing that exists', [get(0, 'x', 400), ...['/pets/7', '/store/orders'].map((target, i) => ask(i + 1, `GET ${target}`, 500, { message: 'x is not defined' }))], [/^gates refusal: GET \/pets\/\{petId\} and 1 more, valid requests: 500, any status but 5xx is specified/]],
  ['two failures with one code, of which one is about the value that was sent', [list(0, ''), ...['1.5%00', '2.5%00'].map((id, i) => get(i + 1, id, 500, { code: 'internal', message: `near "${id}": syntax error` })), get(3, 8, 500, { code: 'internal', message: 'integer out of range' })], [/valid requests: 500, .*\(1 of 1\)/, /petId is a fraction with U\+0000: 500, .*\(2 of 2\)/]],
  ['a failure for ids that nothing has, and one of them is added later', [get(0, 2, 500), add(1, 2, {}, LOCATED), get(2, 98, 500), get(3, 2), ...['x', '1x', '1.5'].map((id, i) => get(4 + i, id, 404))], [/GET \/pets\/\{petId\}, an unknown id: 500.*, 404 is specified/, /^advice/, /^advice/]],
  ['two failures on pages for browsers', [list(0, ''), post(3, '{}', 400), ...['TypeError: x is not a y', 'Error: duplicate id'].map((text, i) => post(i + 1, { name: i ? 'Rex' : 0, categoryId: i ? 'x' : 1 }, 500, `<pre>${text}<br> at z`))], [/POST \/pets.*500/, /POST \/pets.*500/]],
  ['failures with a general text, of two operations', [add(0, 1, {}, LOCATED), list(1, ''), ask(2, 'GET /pets?limit=abc', 500, { message: 'Internal Server Error' }), post(3, { ...REX, name: 'x\ud83e' }, 500, { message: 'Internal Server Error' })], [/GET \/pets, limit=abc: 500/, /POST \/pets, name holds half a surrogate pair: 500/]],
  ['failures where three statuses are specified', [list(0, ''), get(1, 'x', 400), ask(2, 'GET /pets', 500, undefined, { as: 'none' }), get(2, 98, 500), post(3, '{}', 500)], [/: 500 \("y"\), any status but 5xx is specified/]],
  ['failures without a message, of a value and of a text', [add(0, 1, {}, LOCATED), post(1, { ...REX, categoryId: 'x' }, 500, ''), post(2, { ...REX, name: 'x\ud83e' }, 500, '')], [/categoryId is "x": 500, 400 is specified/, / name holds half a surrogate pair: 500/]],
  ['three messages of one parser', [list(0, ''), post(1, '{}', 400), ...Object.entries({ '': 'Expecting value', '{"name":"x"}}': 'Extra data', '{"name":': 'unterminated' }).map(([body, message], i) => post(i + 2, body, 500, { message }))], [/POST \/pets, .*: 500, 400 is specified \(3 of 3\); add.body.object, service.no-server-error/]],
  ['one failure, whose message has a name that only some of its requests have', [list(0, ''), ...['/pets', '/pets?status=sold', '/store/orders'].map((target, i) => ask(i + 1, `GET ${target}`, 500, { message: 'invalid status code' }))], [/^gates refusal: GET \/pets and GET \/store\/orders: 500/]],
  ['one of two faults of a request, which another request has too', ['1', '1.0'].map((id, i) => post(i, `{"name":"x\\u0000","categoryId":${id}}`, id === '1' ? 400 : 500)), [/POST \/pets, an integer is written as 1.0: 500/]],
  ['two faults of a request, which no other request separates', [post(0, '{"name":"x\\u0000","categoryId":1}', 400), post(1, '{"name":"x\\ud83e","categoryId":1.0}', 500)], [/POST \/pets, name holds half a surrogate pair and an integer is written as 1.0: 500/]],
  ['an animal that is not stored, so that the next one gets its id', [added(1, REX, animal(1, REX)), added(2, { ...REX, name: 'conformance-abcdef-8' }, animal(1, { name: 'conformance-abcdef-8' })), list(9, ''), get(10, 1, 404)], [/^gates data: GET \/pets\/\{petId\}: 404 \("y"\), 200 is specified .*; add.persists, .*add.id.unique/]],
  ['an answer with the id of another animal, and with a changed value', [added(1, REX, animal(1, REX)), added(2, { ...REX, name: 'conformance-abcdef-8', status: 'sold' }, animal(1, { name: 'conformance-abcdef-8' }))], [/several animals have the same id/]],
  ['a creation with another status, and a value that is not checked', [post(0, REX, 200, animal(7, REX)), post(1, { ...REX, status: 'x' }, 200, animal(7, REX))], [/POST \/pets: 200; 201 or 400 is specified \(1 of 1\)/, /status is "x": 200, 400 is specified \(1 of 1\)/]],
  ['a creation with another status, also of a body with an id, which is taken over', [post(0, REX, 200, animal(7, REX)), post(1, { ...REX, id: 5 }, 200, animal(5, REX))], [/the id is taken from the body/, /POST \/pets: 200; 201 or 400 is specified \(2 of 2\)/]],
  ['an unknown value of a filter, which finds the animal that another one shares its id with', [added(1, REX, animal(1, REX)), added(2, { ...REX, name: 'conformance-abcdef-8' }, animal(1)), list(9, 'status=X', 1)], [/several animals have the same id/, /status=X returns items/]],
  ['a list that is too short, and a field that is null elsewhere', [added(7, { ...REX, status: 'sold' }, animal(7, { ...REX, status: 'sold' })), added(8, { name: 'Tom', categoryId: 1 }, animal(8, { name: 'Tom', status: null })), list(20, 'status=sold'), get(22, 7, 200, animal(7, { ...REX, status: 'sold' }))], [/the list lacks animals that were added.*; list.status.finds$/, /status is null.*; pet.schema$/, /^advice/, /^advice/]],
  ['a header that some answers lack, and others have with a wrong value', [withHeader('Limit'), ask(3, 'GET /pets', 200, [], { headers: { 'X-RateLimit-Limit': undefined } })], [/no X-RateLimit-Limit header \(1 of 2\)/, /X-RateLimit-Limit is x/]],
  ['one wrong status, to a valid body, its copy and an invalid one', [post(0, REX, 422), post(0, REX, 422), post(1, { categoryId: 1 }, 422)], [/ POST \/pets.*: 422 \("y"\); 201 or 400 is specified/]],
  ['a broken filter, which hides what needs it', [add(0, 1, { status: 'sold' }, LOCATED), add(0, 2, {}, LOCATED), list(6, 'status=sold&limit=2', 2), list(7, 'status=pending', animal(3, { status: 'pending' }))], [/status=sold returns items with other values.* \(1 of 2\); list.status.only; hides list.limit.caps, list.status.finds$/]],
  ['a wrong status, which hides what its body shows', [ask(0, 'GET /pets', 206, NEST)], [/206, 200 is specified.*; hides service.json$/]],
  ['a wrong status, beside another answer that is in the way', [ask(0, 'GET /pets', 206, NEST), ask(1, 'GET /store/orders', 200, '', { fault: 'not decoded' })], [/206, 200 is specified.*; list.succeeds, service.no-undocumented-status$/]],
  ['a wrong header, which hides nothing', [ask(0, 'GET /pets', 200, NEST, { headers: { 'X-RateLimit-Limit': 'x' } })], [/X-RateLimit-Limit is x.*; rate.limit.value$/]],
  ['accepted invalid values of two fields', [added(1, { categoryId: 1 }), added(2, { name: 'Rex', categoryId: 'x' })], [/name is missing: 201, 400 is specified/, /categoryId is "x": 201/]],
  ['a field that is lost, so that its filter finds too few', [added(1, REX, { id: 1, name: REX.name, categoryId: 1 }), list(10, 'status=available', 0)], [/^gates data: POST \/pets: status is missing.*; add.echo, list.status.finds$/]],
  ['a field that is not required, though its values are checked, and has another name in answers', [list(0, '', RENAMED), added(2, { name: 'Rex' }, { ...RENAMED, id: 2 }), post(3, { ...REX, categoryId: 'x' }, 400)], [/categoryId is missing: 201, 400 is specified/, /categoryId is missing, category_id came instead/]],
  ['a filter that is ignored, and a limit that is not kept', [list(0, '', 1, SOLD, 3), list(1, 'limit=1&status=sold', 1, SOLD), list(2, 'limit=9&status=sold', 1, SOLD, 3)], [/2 animals with limit=1/, /status=sold returns items/]],
  ['no default limit, and a filter after the limit', [list(0, '', SOLD, ...range(3, 22)), list(10, 'limit=1&status=sold'), list(11, 'status=sold', SOLD)], [/0 animals with limit=1&status=sold.*; list.limit.caps, list.status.finds, list.status.before-limit$/, /21 animals without limit.*; list.limit.default$/]],
  ['a list that is cut too early, and a field that is null', [list(0, 'limit=99', ...range(1, 25)), list(10, '', ...range(1, 19)), list(11, 'status=available', ...range(1, 19)), get(12, 3, 200, animal(3, { status: null })), list(20, 'limit=99', ...range(1, 25))], [/19 animals without limit/, /status is null.*; pet.schema/, /^advice/, /^advice/]],
  ['a query that is not read', [list(0, '', 1, SOLD), list(1, 'limit=1&status=sold', 1, SOLD)], [/2 animals with limit=1.*; list.limit.caps, list.status.only; hides list.status.finds/]],
  ['two media types of one operation', [ask(0, 'GET /pets', 200, [], PAGE), ask(1, 'GET /pets?limit=0', 400, error(400), TEXT)], [/Content-Type is text\/html/, /Content-Type is text\/plain/]],
  ['values of a parameter that are refused', [list(0, ''), ...[1, 9, 100].map((n, at) => ask(at + 1, `GET /pets?limit=${n}`, n === 9 ? 200 : 400, []))], [/GET \/pets, limit=1 or 100: 400, 200 is specified \(2 of 2\)/]],
  ['a value that is not checked, and fails or is accepted', [added(1, { name: 'Rex', categoryId: '1' }), post(2, { name: 'Rex', categoryId: {} }, 500)], [/categoryId is "1": 201, .* \(2 of 2\); add.category.type, service.no-server-error$/]],
  ['errors with the status of a success', [get(1, 99, 200, error(404)), ask(2, 'GET /pets', 200, error(401), { as: 'none' })], [/^gates door: .*: 200, 401 is specified \(2 of 2\)/, /^advice/]],
  ['an animal for an unknown id, and for one that is not an integer', [list(0, ''), get(1, 99, 200, error(404)), get(2, 'abc', 200, error(404))], [/, an unknown id: 200, 404 is specified \(2 of 2\)/, /^advice/]],
  ['a wrong key, with an invalid parameter, that is answered with another status and form', [ask(0, 'GET /pets?limit=x', 403, { error: 'x' }, { as: 'unknown' })], [/^gates status: GET \/pets, .*: 403, 401 is specified \(1 of 1\); auth.invalid, auth.first$/]],
  ['errors in a form of their own', [list(0, ''), get(1, 99, 404, { error: 'x' }), ask(2, 'GET /pets', 401, { error: 'x' }, { as: 'none' })], [/, status 401 or 404: the body is an object with error/, /^advice/]],
  ['a request with two faults and without a key', [ask(0, 'GET /pets?limit=abc&status=X', 400, error(400), { as: 'none' })], [/, without a key, limit=abc and status=X: 400/]],
  ['two fields of one answer, in two layers', [added(0, REX, animal(7)), list(6, '', animal(7, { categoryId: '1', name: 'X' }))], [/name comes back changed/, /categoryId is text, not a number; integer is specified/]],
  ['two headers of one answer', [withHeader('Limit'), withHeader('Reset')], [/^gates header: .*X-RateLimit-Limit is x/, /X-RateLimit-Reset is x/]],
  ['a wrong header of an answer whose status is wrong too', [withHeader('Limit', 206)], [/206, 200 is specified/, /X-RateLimit-Limit is x/]],
  ['a wrong header of all answers, of which some have the body of another status', [withHeader('Reset'), ask(1, 'GET /pets?limit=1', 404, [animal(1)], { headers: { 'X-RateLimit-Reset': 'x' } })], [/404, 200 is specified/, /X-RateLimit-Reset is x/]],
  ['the scheme in lower case, which a server need not know', [ask(0, 'GET /store/orders', 401, undefined, { as: 'lower-case scheme' })], [/^advice .*: GET \/store\/orders, Authorization: bearer \$API_KEY: 401, .*is recommended/, /^advice header/]],
  ['a recommendation and a requirement', [post(0, { categoryId: 1 }, 422), ask(1, 'POST /pets {"name":"x","categoryId":1}', 422, undefined, { type: 'text/plain' })], [/^gates .* 422 \("y"\), 400 is specified/, /^advice .* 422 \("y"\), 415 is recommended/]],
  ['a wrong key is accepted, and all answers have another fault', [lacking(1), lacking(2, { as: 'in another case' }), ...['/pets', '/store/orders'].map((path, i) => ask(i + 3, `GET ${path}`, 200, [], { as: 'in another case' }))], [/GET \/pets and 2 more, .* in another case: 200, 401 is specified/, /categoryId is missing/]],
  ['malformed JSON is accepted, and all answers are useless', [wrapped(1), wrapped(2), wrapped(3, '{"name":')], [/missing|is an? /, /malformed JSON: 201/]],
  ['only an accepted body has a useless answer', [add(1, 1, {}, LOCATED), wrapped(3, '{"name":"}')], [/malformed JSON: 201/]],
  ['a valid body is refused', [add(1, 11, {}, LOCATED), post(2, { ...REX, name: 'conformance-abcdef-12' }, 400)], [/ POST \/pets: 400 to a valid body; .* \(1 of 2\);/]],
  ['a media type of all answers, and the shape of some', [add(1, 1, {}, typed), ask(2, 'GET /pets?limit=0', 400, 'x', typed), post(3, '{}', 400, ['x'], typed)], [/Content-Type is text\/json/, /body is an array, an object/]],
  ['requests that are not counted, so that too many are served', stuck('39'), [/beyond the limit.*; throttle.429, rate.remaining.counts$/]],
  ['a missing operation, in requests that are not counted', stuck('40').toSpliced(1, 45, ask(0.02, 'GET /store/orders', 404, undefined, { headers: { 'X-RateLimit-Limit': '40', 'X-RateLimit-Remaining': '40' } })), [/: GET \/store\/orders.*: 404 .*; orders.exists$/, /Remaining does not fall.*; rate.remaining.counts$/]],
  ['a creation with another status, and ids that are not checked', [post(0, REX, 200, animal(7, REX)), post(1, { categoryId: 1 }, 200, 'x'), get(2, '1x', 200, animal(1))], [/: POST \/pets: 200; 201 or 400 is specified/, /: GET \/pets\/\{petId\}, .*: 200 .*; get.id.not-an-integer$/, /^advice/, /^advice/]],
  ['additions that are not counted', range(1, 40).map((nth) => ask(nth / 60, nth % 4 < 2 ? 'GET /pets' : 'POST /pets {"name":"x","categoryId":1}', 400, undefined, { headers: { 'X-RateLimit-Limit': '40', 'X-RateLimit-Remaining': String(39 - 2 * Math.floor(nth / 4) - Math.min(1, nth % 4)) } })), [/list.succeeds/, /: POST \/pets: X-RateLimit-Remaining does not fall with each request \(20 of 20\); rate.remaining.counts$/]],
  ['lists in an object, and errors in a form of their own', [ask(0, 'GET /pets', 200, { items: [] }), ...['/pets', '/store/orders'].map((path, i) => ask(i + 1, `GET ${path}`, 401, { error: 'x' }, { as: 'none' }))], [/GET \/pets: the body is an object with items/, /GET \/pets and GET \/store\/orders, .*: the body is an object with error/, /^advice/]],
  ['more left than the limit, which nothing else is judged by', stuck('61'), [/X-RateLimit-Remaining is 61.*; rate.remaining.value$/]],
  ['those that gate come first, then waived ones, then recommendations, each by harm', [add(0, 1), open(1, '/pets'), withHeader('Reset'), added(3, { name: 'Rex', categoryId: 1 }, animal(3, { name: 'rex' })), ask(4, 'GET /store/orders', 404), get(5, 'abc', 404, { ...error(404), message: 'Error: x\n    at f (/app/server.js:1:2)' }), get(6, 5577006791947779410n, 400)], [/^gates data: /, /^gates refusal: /, /^gates status: .*, an unknown id: 400.*, 404/, /^gates header: /, /^waived door: /, /^advice door: /, /^advice header: .* no Location/], ['auth.missing']],
];

for (const [title, exchanges, expected, waived] of ROWS)
  test(`problems: ${title}`, () => {
    const all = problemsOf(exchanges, waived).map(({ list: of, harm, title: own, requirements, hides }) => {
      const hidden = hides.length > 0 ? `; hides ${hides.join(', ')}` : '';
      return `${of} ${harm}: ${own}; ${requirements.join(', ')}${hidden}`;
    });
    expect(all).toEqual(expected.map((pattern) => expect.stringMatching(pattern) as unknown));
  });

const receivedBy = (problem?: Problem) => showProblem(problem as Problem, makeReport([], [])).received;

test('the example is the plainest request, with all that its response lacks, or the place of its mistake', () => {
  const headers = { 'X-RateLimit-Limit': undefined, 'X-RateLimit-Reset': undefined };
  const requests = [
    ask(0, 'GET /pets', 200, [], { as: 'lower-case scheme', headers }),
    ...range(1, 22).map((nth) => ask(nth, nth < 21 ? 'GET /pets?limit=5' : 'GET /pets', 200, [], { headers })),
  ];
  const [problem] = problemsOf(requests.map((each, i) => ({ ...each, parallel: i === 21 })));
  expect(problem?.findings[0]?.exchanges).toEqual([23]);
  expect(receivedBy(problem)).toBe('no X-RateLimit-Limit; no X-RateLimit-Reset');
  const upper = [-1, 1].map((categoryId, i) => added(i, { ...REX, categoryId }, { ...UPPER, id: i, categoryId }));
  expect(problemsOf(upper)[0]?.findings[0]?.exchanges).toEqual([2]);
  const [moved] = problemsOf([ask(0, 'GET /pets', 307, '', { headers: { Location: '/v1/pets/' } })]);
  expect(receivedBy(moved)).toBe('status 307 to /v1/pets/ application/json (no body)');
  const show = (body: Parameters<typeof ask>[3]) => receivedBy(problemsOf([ask(0, 'GET /pets', 200, body)])[0]);
  expect(show(`[${'1,'.repeat(5000)}]`)).toMatch(/ at position 10001: (1,){49,50}]$/);
  expect(show([LACKING, { ...LACKING, id: 8 }])).toMatch(/^categoryId is missing in \{[^}]*\}$/);
});

test('every value is named, below a title that can only count them', () => {
  const values = ['true', '1.5', 'null', '"a"', '9223372036854775808', '[]', '{}'];
  const show = (count: number): (string | undefined)[] => {
    const bodies = values.slice(0, count).map((value) => `{"name":"Rex","categoryId":${value}}`);
    const [problem] = problemsOf(bodies.map((body, at) => added(at, body)));
    return [problem?.title, showProblem(problem as Problem, makeReport([], [])).when];
  };
  expect(show(7)).toEqual([
    'POST /pets, 7 wrong values of categoryId: 201, 400 is specified (7 of 7)',
    'categoryId is true, 1.5, null, "a", 9223372036854775808, an empty array or an empty object',
  ]);
  const both = [added(0, '{"name":"Rex","categoryId":true}'), post(1, '{"name":"Rex","categoryId":true}', 500)];
  const { when } = showProblem(problemsOf(both)[0] as Problem, makeReport([], []));
  expect(when).toMatch(/ is true: 201; .* is true: 500$/);
  expect(show(3)).toEqual(['POST /pets, categoryId is true, 1.5 or null: 201, 400 is specified (3 of 3)', undefined]);
});
