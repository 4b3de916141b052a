/** Texts of findings: every kind of difference has a line and a title, for any text of the target, and a message has all of it. */
import { operations } from '../../../fixtures/contract/contract.ts';
import {
  type Difference,
  difference,
  type Kind,
  KINDS,
  OPTIONAL,
  RAW,
  shown,
} from '../../../fixtures/trace/finding.ts';
import {
  describeActual,
  describeExpected,
  LONGEST_TITLE,
  renderTitle,
  type TitleParts,
} from '../../../fixtures/report/model/describe.ts';
import { makeRerunCommand } from '../../../fixtures/report/model/report.ts';
import { describeViolation } from '../../../fixtures/report/run/show.ts';
import { groupBy } from '../../../fixtures/text.ts';
import { exchange, expect, pet, pets, test } from './make.ts';

const NAME = 'conformance-abcdef-one';
const OTHER = 'conformance-abcdef-two';
const LIMIT = 'header X-RateLimit-Limit';
const REMAINING = 'header X-RateLimit-Remaining';
const FALLS = 'falls with each request while X-RateLimit-Reset stays the same';

const changed = (field: string, expected: string, actual: string, how?: 'upper case'): Difference =>
  difference('changed value', `/${field}`, { expected, actual, ...(how && { change: { how } }) });

// prettier-ignore
const examples: readonly Difference[] = [
  difference('wrong status', 'status', { expected: [201, 400, '4xx'], actual: 500 }),
  difference('wrong status', 'status', { expected: ['not 404', 'not 5xx'], actual: 404 }),
  difference('wrong media type', 'header Content-Type', { expected: 'application/json', actual: 'text/html' }),
  difference('not JSON', 'body', { actual: 'Unexpected token <', detail: '<html></html>' }),
  difference('not UTF-8', 'body', { actual: 'a body whose bytes are not UTF-8' }),
  difference('byte order mark', 'body', { actual: 'a body that begins with a byte order mark' }),
  difference('no body', 'body', { expected: 'application/json' }),
  difference('unexpected body', 'body', { actual: '{"detail":"no"}' }),
  difference('repeated name', 'body', { actual: ['id', 'name'] }),
  difference('wrong shape', 'body', { expected: 'array', actual: shown({ items: pets(9), total: 9 }) }),
  difference('wrong shape', '/*', { expected: 'object with id, name and categoryId', actual: '7' }),
  difference('missing', '/categoryId', { actual: shown({ category_id: 1 }), change: { how: 'another name', detail: 'category_id' } }),
  difference('wrong type', '/id', { expected: 'integer', actual: '"7"', change: { how: 'text for a number' } }),
  difference('value not allowed', '/status', { expected: ['available', 'pending', 'sold'], actual: '"AVAILABLE"', change: { how: 'upper case' } }),
  difference('not an int64', '/id', { expected: 'int64', actual: '9223372036854775808' }),
  difference('schema violated', '/name', { expected: 'must NOT have fewer than 1 characters', actual: '""' }),
  difference('changed value', '/name', { expected: `"${NAME}"`, actual: `"${NAME.toUpperCase()}"`, change: { how: 'upper case' }, animal: { id: '7', name: NAME } }),
  difference('lost value', '/status', { expected: '"sold"', animal: { id: '7', name: NAME } }),
  difference('wrong animal', '/id', { expected: '7', actual: '8', animal: { id: '7' } }),
  difference('wrong animal', '/name', { expected: `"${NAME}"`, actual: `"${OTHER}"`, change: { how: 'another animal' } }),
  difference('id taken over', '/id', { actual: '99', animal: { id: '99' } }),
  difference('wrong status field', '/status', { expected: 404, actual: 400 }),
  difference('secret in error', 'body', { actual: 'a stack trace' }),
  difference('too many animals', 'query limit', { expected: 5, actual: 20, detail: 'limit=5' }),
  difference('too few animals', 'query limit', { expected: 20, actual: 0, detail: 'no limit' }),
  difference('missing animal', '/*', { expected: 3, animal: { id: '7', name: NAME } }),
  difference('extra animal', '/*', { expected: 0, actual: 2, animal: { id: '7', name: NAME }, detail: 'of 9 that were rejected' }),
  difference('repeated animal', '/*', { actual: 2, animal: { id: '7' } }),
  difference('not filtered', 'query status', { expected: 'sold', actual: ['"available"'], detail: '3 of 5 items' }),
  difference('repeated id', '/id', { actual: '7', animal: { id: '7' }, detail: '12' }),
  difference('refused though similar', 'status', { expected: 201, actual: 400, detail: '12' }),
  difference('not counted', REMAINING, { expected: FALLS, actual: [59, 59], detail: 'never fell in 40 requests' }),
  difference('not counted', REMAINING, { expected: FALLS, actual: [59, 59], detail: 'never fell in 9 requests', which: 'with status 400' }),
  difference('count rises', REMAINING, { expected: FALLS, actual: [481, 999], detail: 'by 518' }),
  difference('limit of another plan', LIMIT, { expected: [60, 1000], actual: '300', detail: 'free' }),
  difference('refused early', 'status', { expected: 2, actual: 5, detail: 'limit 20' }),
  difference('not refused', 'status', { expected: 429, actual: 403, detail: '0 left' }),
  difference('not refused', 'status', { expected: [20, 24], actual: 40, detail: 'two counts' }),
  difference('not refused', 'status', { expected: [2, 4], actual: 9, detail: 'late' }),
  difference('not refused', 'status', { expected: [2, 4], actual: 9, detail: 'never' }),
  difference('operation not limited', 'status', { expected: 429, actual: 9, detail: 'GET /pets' }),
  difference('not served again', 'status', { expected: ['not 429', 'not 5xx'], actual: 429, detail: '30' }),
  difference('not served again', 'status', { expected: ['not 429', 'not 5xx'], actual: 503, detail: '' }),
  difference('not found again', 'status', { expected: 200, actual: 404 }),
  difference('missing header', LIMIT, { change: { how: 'another name', detail: 'RateLimit-Limit' } }),
  difference('wrong header', 'header X-RateLimit-Reset', { expected: 'a Unix timestamp in seconds, from now to a day ahead', actual: '1795000030000', change: { how: 'milliseconds for seconds' }, detail: 'Date: Fri, 01 Jan 2027 00:00:00 GMT, which is 1798761600' }),
];

const hostile: readonly string[] = [
  ...[{ name: NAME, tags: [OTHER] }, [{ name: NAME }], { [NAME]: pet() }, NAME].map((value) => shown(value) as string),
  ...[NAME, 'x'.repeat(RAW), ''],
];

/** An example with every hostile text as text of the target. */
const hostileOf = (found: Difference): Difference[] =>
  [found.actual].flat().some((each) => typeof each === 'string')
    ? hostile.map((text) => ({ ...found, actual: Array.isArray(found.actual) ? [text, text] : text }))
    : [];

const all = operations.map(({ id }) => id);
const LONG = 'a condition of hostile length '.repeat(20);

const sights: readonly Omit<TitleParts, 'differences'>[] = [
  { operations: ['listPets'], affected: { n: 3, of: 40 } },
  { operations: all.slice(0, 3), conditions: ['with limit'], quote: 'something went wrong', affected: { n: 1, of: 1 } },
  { operations: all, conditions: [LONG], quote: LONG, affected: { n: 123_456, of: 9_876_543 } },
  { operations: [], request: 'HEAD /pets', affected: { n: 0, of: 0 } },
  { operations: [], affected: { n: 0, of: 0 } },
];

const titlesOf = (...differences: Difference[]): string[] =>
  sights.map((sight) => renderTitle({ ...sight, differences }));

/** Mistakes of a title: names of the run, JSON, cut texts, missing values, too many characters. */
const faultsOf = (title: string): boolean =>
  title.trim() === '' || title.length > LONGEST_TITLE || /conformance-\w{6}|\{"|…|undefined/.test(title);

const byKind = groupBy(examples, ({ kind }) => kind);

test('every kind of difference has an example here', () => {
  expect([...byKind.keys()].toSorted()).toEqual((Object.keys(KINDS) as Kind[]).toSorted());
});

for (const [kind, own] of byKind)
  test(`"${kind}" has a line and a title for any text of the target, at any place, and without a value`, () => {
    const bare = difference(kind, own[0]?.place ?? 'body', { expected: own[0]?.expected });
    const far = own.map((found) => ({ ...found, place: `/${'x'.repeat(300)}` }));
    const lines = [...own, bare].flatMap((found) => [describeExpected(found), describeActual(found)]);
    expect(lines.filter((text) => text.trim() === '' || text.includes('undefined'))).toEqual([]);
    expect(
      [...own, bare, ...far, ...own.flatMap(hostileOf)].flatMap((found) => titlesOf(found)).filter(faultsOf),
    ).toEqual([]);
  });

/** What is expected, and received. */
// prettier-ignore
const LINES: [expected: string, received: string | RegExp, ...differences: Difference[]][] = [
  ['status 200', 'status 404; status 500', ...[404, 404, 500].map((actual) => difference('wrong status', 'status', { expected: [200], actual }))],
  ['status 200', /^status 400; .*; status 405; and 2 more$/, ...[400, 401, 402, 403, 404, 405, 406, 409].map((actual) => difference('wrong status', 'status', { expected: [200], actual }))],
  ['name is "Rex", as it was sent', 'name is "REX" (in upper case)', changed('name', '"Rex"', '"REX"', 'upper case')],
  // The way out, where a service may refuse: an unusual name or number, but no value of the contract.
  ['name is "Zo\u00eb", as it was sent, or a 400', 'name is "Zo?"', changed('name', '"Zo\u00eb"', '"Zo?"')],
  ['categoryId is 9007199254740993, as it was sent, or a 400', 'categoryId is 1', changed('categoryId', '9007199254740993', '1')],
  ['categoryId is 1, as it was sent', 'categoryId is 2', changed('categoryId', '1', '2')],
  ['status is one of a, b or c, or no status at all', 'status is null', difference('value not allowed', '/status', { expected: ['a', 'b', 'c'], actual: 'null', detail: OPTIONAL })],
  ['status is one of a or b', 'status is null', difference('value not allowed', '/status', { expected: ['a', 'b'], actual: 'null' })],
];

for (const [expected, received, ...differences] of LINES)
  test(`a line reads: ${expected}; ${String(received)}`, () => {
    expect(describeExpected({ differences })).toBe(expected);
    expect(describeActual({ differences })).toMatch(received);
  });

const missing = ['Limit', 'Remaining', 'Reset'].map((name) =>
  difference('missing header', `header X-RateLimit-${name}`),
);
const failed = difference('wrong status', 'status', { expected: ['not 5xx'], actual: 500 });
const few = (expected: number, actual: number, detail: string): Difference =>
  difference('too few animals', 'query limit', { expected, actual, detail });
const several = ['listPets', 'addPet', 'getPet'];

/** The title for GET /pets, unless the parts name other operations. */
// prettier-ignore
const TITLES: [title: string, differences: readonly Difference[], parts?: Partial<TitleParts>][] = [
  ['GET /pets: 500, any status but 5xx is specified (3 of 40)', [failed]],
  ['GET /pets, with limit: 500 ("no disk"), any status but 5xx is specified (3 of 40)', [failed], { conditions: ['with limit'], quote: 'no disk' }],
  ['GET /pets: 500, any status but 5xx is recommended (3 of 40)', [failed], { isAdvice: true }],
  ['GET /pets: 9 animals with limit=10&status=sold, exactly 10 are specified (3 of 40)', [few(10, 9, 'limit=10&status=sold')]],
  ['GET /pets: 20 animals with limit=99; at least 21 exist (3 of 40)', [few(21, 20, 'limit=99')]],
  ['Every operation: no X-RateLimit-Limit, -Remaining or -Reset header (3 of 40)', missing, { operations: all }],
  ['GET /pets: Sunset is a date without a two-digit day (3 of 40)', [difference('wrong header', 'header Sunset', { expected: 'an HTTP date on 2030-12-05', actual: 'Thu, 5 Dec 2030 00:00:00 GMT' })]],
  ['HEAD /pets: a body, none is specified', [difference('unexpected body', 'body', { actual: '[]' })], { operations: [], request: 'HEAD /pets', affected: { n: 0, of: 0 } }],
  // Too long: without the quote, without the condition, with the first operation, or with no more than the kind.
  ['GET /pets, with limit: 500, any status but 5xx is specified (3 of 40)', [failed], { conditions: ['with limit'], quote: LONG }],
  ['GET /pets: 500, any status but 5xx is specified (3 of 40)', [failed], { conditions: [`status=${'\0'.repeat(9)}`] }],
  ['GET /pets and 2 more, status 400: no X-RateLimit-Limit, -Remaining or -Reset header (3 of 40)', missing, { operations: several, conditions: ['status 400'] }],
  ['missing (3 of 40)', [difference('missing', `/${'x'.repeat(300)}`, { actual: '{}' })], { operations: all, conditions: [LONG] }],
];

for (const [i, [title, differences, parts]] of TITLES.entries())
  test(`title ${i + 1} reads: ${title}`, () => {
    expect(renderTitle({ operations: ['listPets'], affected: { n: 3, of: 40 }, differences, ...parts })).toBe(title);
  });

test('a message shows sent, expected, received and the commands', () => {
  const sent = exchange({ number: 7, operation: 'addPet', status: 422, sent: '{"name":5}', body: { detail: 'no' } });
  const messageOf = (requirement: 'add.name.type' | 'http.head', count: number): string => {
    const findings = Array.from({ length: count }, (_, i) => ({
      ...{ requirement, sent: 'POST /pets with the valid key, body {"name":5}', exchanges: [7 + i] },
      differences: [difference('wrong status', 'status', { expected: 400, actual: 422 })],
    }));
    const outcome = { requirement, title: 'POST /pets', outcome: 'failed' as const, findings, exchanges: [] };
    return describeViolation(outcome, [sent], { again: 'TARGET=staging' });
  };
  expect(messageOf('add.name.type', 1).split('\n')).toEqual([
    'A name that is not a string is answered 400. (add.name.type, specification, section 2, 4.2)',
    '',
    '  sent      POST /pets with the valid key, body {"name":5}',
    '  expected  status 400',
    '  received  status 422',
    '  evidence  exchange 7',
    `  by hand   curl -i -X POST "$BASE_URL/pets" -H 'Accept: application/json' -H "Authorization: Bearer $API_KEY" -H 'Content-Type: application/json' --data-binary '{"name":5}'`,
    '  again     TARGET=staging npx playwright test --grep @add.name.type',
  ]);
  expect(messageOf('http.head', 1)).toContain('(http.head, should: RFC 9110 section 9.3.2)');
  expect(messageOf('http.head', 3)).toContain('  and 2 more, in exchanges 8, 9');
  expect(messageOf('http.head', 501).length).toBeLessThan(2_000);
  expect(makeRerunCommand('add.echo', {})).toBe('npx playwright test --grep @add.echo');
});
