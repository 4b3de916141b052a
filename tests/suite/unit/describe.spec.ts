/** Texts of findings: every kind of difference has a line and a title, for any text of the target, and a message has all of it. */
import fc from 'fast-check';
import { operations } from '../../../fixtures/contract/contract.ts';
import type { Difference, Kind, Value } from '../../../fixtures/trace/finding.ts';
import { difference, KINDS, OPTIONAL, RAW, shown } from '../../../fixtures/trace/finding.ts';
import { describeActual, describeExpected, LONGEST_TITLE } from '../../../fixtures/report/model/describe.ts';
import { renderTitle, type TitleParts } from '../../../fixtures/report/model/describe.ts';
import { makeRerunCommand } from '../../../fixtures/report/model/report.ts';
import { describeViolation } from '../../../fixtures/index.ts';
import { exchange, expect, forAll, pet, test } from './make.ts';

const all = operations.map(({ id }) => id);
const LONG = 'a condition of hostile length '.repeat(20);

const changed = (field: string, expected: string, actual: string, how?: 'in upper case'): Difference =>
  difference('changed value', `/${field}`, { expected, actual, ...(how && { change: { how } }) });

/** Kinds whose `actual` is a status or a number of something. That of the others is text of the target. */
const COUNTED: readonly Kind[] = [
  ...(['wrong status', 'too many animals', 'too few animals', 'extra animal', 'refused early'] as const),
  ...(['not refused', 'operation not limited', 'not served again', 'not found again'] as const),
];
const NAME = 'conformance-abcdef-one';
const TEXTS: readonly string[] = [
  ...[{ name: NAME, tags: [NAME] }, [{ name: NAME }], { [NAME]: pet() }, NAME].map((value) => shown(value) as string),
  ...[NAME, 'redacted-7', 'x'.repeat(RAW), '', '7', 'AVAILABLE', 'Thu, 05 Dec 2030 00:00:00 GMT', '1795000030000'],
];
const CHANGES: Difference['change'][] = [
  undefined,
  { how: 'in upper case' },
  { how: 'null' },
  { how: 'text, not a number' },
  { how: 'cut', detail: 'to 3 characters' },
  { how: 'named', detail: 'category_id' },
  { how: 'written as', detail: '1.0' },
];
const DETAILS = [undefined, '', '12', 'limit=5&status=sold', 'no limit', 'late', 'never', 'two counts', OPTIONAL];
const PLACES = ['status', 'body', '/*', '/name', 'query status', 'header Retry-After', `/${'x'.repeat(300)}`] as const;

const differenceOf = (kind: Kind): fc.Arbitrary<Difference> => {
  const one = fc.constantFrom(...TEXTS);
  const text: fc.Arbitrary<Value> = fc.oneof(one, fc.array(one, { minLength: 1 }));
  const count: fc.Arbitrary<Value> = fc.constantFrom(0, 1, 404, 500);
  const expected = kind === 'not refused' ? [[2, 4]] : [200, ['not 404', 'not 5xx'], '"sold"', [1, 2]];
  return fc
    .record({
      ...{ place: fc.constantFrom(...PLACES), expected: fc.constantFrom(...expected) },
      actual: fc.option(COUNTED.includes(kind) ? count : text, { nil: undefined }),
      ...{ detail: fc.constantFrom(...DETAILS), change: fc.constantFrom(...CHANGES) },
      animal: fc.constantFrom(undefined, { id: '7', name: NAME }),
    })
    .map(({ place, ...more }) => difference(kind, place, more));
};

const sights: readonly Omit<TitleParts, 'differences'>[] = [
  { operations: ['listPets'], affected: { n: 3, of: 40 } },
  { operations: all.slice(0, 3), conditions: ['with limit'], quote: 'something went wrong', affected: { n: 1, of: 1 } },
  { operations: all, conditions: [LONG], quote: LONG, affected: { n: 123_456, of: 9_876_543 } },
  { operations: [], request: 'HEAD /pets', affected: { n: 0, of: 0 } },
  { operations: [], affected: { n: 0, of: 0 } },
];

/** Mistakes of a title: a name of the run, JSON or a part that was not filled in, a cut text, a missing value. */
const isWrong = (title: string): boolean =>
  title.length > LONGEST_TITLE || /^\s*$|(conformance|redacted)-\w|\{(?!petId\})|…|undefined/.test(title);

for (const kind of Object.keys(KINDS) as Kind[])
  test(`"${kind}" has a line and a title for any text of the target, at any place, and without a value`, () => {
    forAll(differenceOf(kind), { numRuns: 50 }, (found) => {
      const titles = sights.map((sight) => renderTitle({ ...sight, differences: [found] }));
      const lines = [describeExpected(found), `received ${describeActual(found)}`];
      const wrong = lines.filter((line) => line.trim() === '' || line.includes('undefined'));
      expect([...wrong, ...titles.filter(isWrong)]).toEqual([]);
    });
  });

/** What is expected, and received. */
// prettier-ignore
const LINES: [expected: string, received: string | RegExp, ...differences: Difference[]][] = [
  ['status 200', 'status 404; status 500', ...[404, 404, 500].map((actual) => difference('wrong status', 'status', { expected: [200], actual }))],
  ['status 200', /^status 400; .*; status 405; and 2 more$/, ...[400, 401, 402, 403, 404, 405, 406, 409].map((actual) => difference('wrong status', 'status', { expected: [200], actual }))],
  ['429 beyond the limit', 'status 403 with 0 left', difference('not refused', 'status', { expected: 429, actual: 403, detail: '0 left' })],
  ['name is "Rex", as it was sent', 'name is "REX" (in upper case)', changed('name', '"Rex"', '"REX"', 'in upper case')],
  // The way out, where a service may refuse: an unusual name or number, but no value of the contract.
  ['name is "Zo\u00eb", as it was sent, or a 400', 'name is "Zo?"', changed('name', '"Zo\u00eb"', '"Zo?"')],
  ['categoryId is 9007199254740993, as it was sent, or a 400', 'categoryId is 1', changed('categoryId', '9007199254740993', '1')],
  [`name is "${LONG}<b", as it was sent, or a 400`, / of hostile length &lt;b" \(differs starting at &lt;b"\)$/, changed('name', `"${LONG}<b"`, `"${LONG}&lt;b"`)],
  ['categoryId is 1, as it was sent', 'categoryId is 2', changed('categoryId', '1', '2')],
  ['status is one of a, b or c, or no status at all', 'status is null', difference('value not allowed', '/status', { expected: ['a', 'b', 'c'], actual: 'null', detail: OPTIONAL })],
  ['Retry-After: seconds', 'Retry-After: empty', difference('wrong header', 'header Retry-After', { expected: 'seconds', actual: '' })],
  ['status is one of a or b', 'status is null', difference('value not allowed', '/status', { expected: ['a', 'b'], actual: 'null' })],
];

for (const [expected, received, ...differences] of LINES)
  test(`a line reads: ${expected}; ${String(received)}`, () => {
    expect(describeExpected({ differences })).toBe(expected);
    expect(describeActual({ differences })).toMatch(received);
  });

const missing = ['Limit', 'Remaining', 'Reset'].map((of) => difference('missing header', `header X-RateLimit-${of}`));
const failed = difference('wrong status', 'status', { expected: ['not 5xx'], actual: 500 });
const few = (expected: number, actual: number, detail: string): Difference =>
  difference('too few animals', 'query limit', { expected, actual, detail });
const several = ['listPets', 'addPet', 'getPet'];

/** The title for GET /pets, unless the parts name other operations. */
// prettier-ignore
const TITLES: [title: string, differences: readonly Difference[], parts?: Partial<TitleParts>][] = [
  ['GET /pets, with limit: 500 ("no disk"), any status but 5xx is specified (3 of 40)', [failed], { conditions: ['with limit'], quote: 'no disk' }],
  ['GET /pets: 200, 404 is recommended (3 of 40)', [difference('wrong status', 'status', { expected: [404], actual: 200 })], { isAdvice: true }],
  ['GET /pets: 20 animals with limit=99; at least 21 exist (3 of 40)', [few(21, 20, 'limit=99')]],
  ['GET /pets: 0 animals with limit=1&status=sold, exactly 1 is specified (3 of 40)', [few(1, 0, 'limit=1&status=sold')]],
  ['Every operation: no X-RateLimit-Limit, -Remaining or -Reset header (3 of 40)', missing, { operations: all }],
  ['GET /pets: Sunset is a date in another form, an HTTP date on 2030-12-05 is specified (3 of 40)', [difference('wrong header', 'header Sunset', { expected: 'an HTTP date on 2030-12-05', actual: 'Thu, 5 Dec 2030 00:00:00 GMT' })]],
  ['GET /pets: Content-Type is application/problem+json, application/json is specified (3 of 40)', [difference('wrong media type', 'header Content-Type', { expected: 'application/json', actual: 'application/problem+json; charset=utf-8' })]],
  ['HEAD /pets: a body, none is specified', [difference('unexpected body', 'body', { actual: '[]' })], { operations: [], request: 'HEAD /pets', affected: { n: 0, of: 0 } }],
  // Too long: without the quote, without what is specified, without the condition, with the first operation, or with no more than the kind.
  ['GET /pets, with limit: 500; 200 or any 4xx is specified (3 of 40)', [difference('wrong status', 'status', { expected: [200, '4xx'], actual: 500 })], { conditions: ['with limit'], quote: LONG }],
  ['GET /pets, status=\\u0000\\u0000\\u0000\\u0000\\u0000\\u0000\\u0000\\u0000\\u0000: 500 (3 of 40)', [failed], { conditions: [`status=${'\0'.repeat(9)}`] }],
  ['GET /pets: 500, any status but 5xx is specified (3 of 40)', [failed], { conditions: [LONG] }],
  ['GET /pets and 2 more, Authorization: Bearer $API_KEY without its last character: 500 (3 of 40)', [failed], { operations: several, conditions: ['Authorization: Bearer $API_KEY without its last character'] }],
  ['missing (3 of 40)', [difference('missing', `/${'x'.repeat(300)}`, { actual: '{}' })], { operations: all, conditions: [LONG] }],
];

for (const [i, [title, differences, parts]] of TITLES.entries())
  test(`title ${i + 1} reads: ${title}`, () =>
    expect(renderTitle({ operations: ['listPets'], affected: { n: 3, of: 40 }, differences, ...parts })).toBe(title));

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
  expect(messageOf('http.head', 3)).toContain('  and 2 more');
  expect(messageOf('http.head', 501).length).toBeLessThan(2_000);
  expect(makeRerunCommand('add.echo', {})).toBe('npx playwright test --grep @add.echo');
});
