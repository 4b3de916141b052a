/** Named transformations: each is recognised, and similar changes are not. */
import { expect } from '@playwright/test';
import type { Json } from '../../../fixtures/contract/json.ts';
import { type ValueChange, explainChange, explainTypeChange } from '../../../fixtures/trace/change.ts';
import { visible } from '../../../fixtures/text.ts';
import { test } from './make.ts';

type How = ValueChange['how'];

interface Row {
  how: How;
  before: Json;
  after: Json;
  detail?: number;
}

const MARK = 'conformance-abcdef-';
const BEYOND = 2n ** 53n + 1n;

const changes = [
  { how: 'lower case', before: 'Rex', after: 'rex' },
  { how: 'lower case', before: 'ZO\u00cb', after: 'zo\u00eb' },
  { how: 'upper case', before: 'Rex', after: 'REX' },
  { how: 'upper case', before: 'available', after: 'AVAILABLE' },
  { how: 'truncated', before: 'Rex the dog', after: 'Rex', detail: 3 },
  { how: 'truncated', before: 'a'.repeat(300), after: 'a'.repeat(255), detail: 255 },
  { how: 'UTF-8 read as Latin-1', before: 'Zo\u00eb', after: 'Zo\u00c3\u00ab' },
  { how: 'UTF-8 read as Latin-1', before: '🦊', after: '\u00f0\u009f\u00a6\u008a' },
  { how: 'UTF-8 encoded twice', before: 'Zo\u00eb', after: 'Zo\u00c3\u0083\u00c2\u00ab' },
  { how: 'escaped for HTML', before: 'a<b', after: 'a&lt;b' },
  { how: 'escaped for HTML', before: '<b>', after: '&lt;b>' },
  {
    how: 'escaped for HTML',
    before: `<b>"Rex" & 'Tom'</b>`,
    after: '&lt;b&gt;&quot;Rex&quot; &amp; &#39;Tom&#39;&lt;/b&gt;',
  },
  { how: 'escaped for HTML', before: `"Rex" & 'Tom'`, after: '&#34;Rex&#34; &amp; &#39;Tom&#39;' },
  { how: 'escaped for HTML', before: `"Rex" & 'Tom'`, after: '&quot;Rex&quot; &amp; &#x27;Tom&#x27;' },
  { how: 'escaped for HTML', before: `"Rex" & 'Tom'`, after: `&quot;Rex&quot; &amp; 'Tom'` },
  { how: 'normalised', before: 'Zo\u00eb', after: 'Zoe\u0308' },
  { how: 'normalised', before: 'Zoe\u0308', after: 'Zo\u00eb' },
  { how: 'normalised', before: '\ufb01sh', after: 'fish' },
  { how: 'trimmed', before: ' Rex ', after: 'Rex' },
  { how: 'trimmed', before: ' Rex ', after: 'Rex ' },
  { how: 'trimmed', before: ' Rex ', after: ' Rex' },
  { how: 'without rare characters', before: 'Zo\u00eb 🦊!', after: 'Zo? ?!' },
  { how: 'without rare characters', before: 'Zo\u00eb 🦊!', after: 'Zo? ??!' },
  { how: 'without rare characters', before: 'Zo\u00eb!', after: 'Zo\ufffd!' },
  { how: 'without rare characters', before: 'Zo\u00eb!', after: 'Zo!' },
  { how: 'without rare characters', before: 'Zo\u00eb 🦊!', after: 'Zo\u00eb ?!' },
  { how: 'without rare characters', before: '\u72d0\u72d0\u72d0', after: '?' },
  { how: 'without rare characters', before: '\u72d0', after: '' },
  { how: 'without accents', before: 'Zo\u00eb', after: 'Zoe' },
  { how: 'without accents', before: 'Cr\u00e8me br\u00fbl\u00e9e', after: 'Creme brulee' },
  { how: 'quotes doubled', before: "Rex' dog", after: "Rex'' dog" },
  { how: 'quotes doubled', before: "Rex' dog", after: "Rex\\' dog" },
  { how: 'quotes doubled', before: `Rex' "dog"`, after: `Rex\\' \\"dog\\"` },
  { how: 'without markup', before: 'a <b>Rex</b>', after: 'a Rex' },
  { how: 'rounded to a double', before: BEYOND, after: BEYOND - 1n },
  { how: 'rounded to a double', before: 2n ** 63n - 1n, after: 2n ** 63n },
  { how: 'cut to int32', before: 2n ** 53n + 5n, after: 5 },
  { how: 'cut to int32', before: 2 ** 31, after: -(2 ** 31) },
  { how: 'cut to int32', before: BEYOND, after: 2 ** 31 - 1 },
  { how: 'cut to int32', before: -BEYOND, after: -(2 ** 31) },
  { how: 'cut to int32', before: 2n ** 53n + 2n ** 31n, after: 2 ** 31 },
  { how: 'text for a number', before: 7, after: '7' },
  { how: 'text for a number', before: BEYOND, after: String(BEYOND) },
  { how: 'number for a text', before: '007', after: 7 },
  { how: 'number for a text', before: String(BEYOND), after: BEYOND },
  { how: 'milliseconds for seconds', before: 1_795_000_000, after: 1_795_000_000_000 },
  { how: 'null', before: 'Rex', after: null },
  { how: 'null', before: 7, after: null },
  { how: 'another animal', before: `${MARK}one`, after: `${MARK}two` },
] as const satisfies readonly Row[];

for (const { how, before, after, ...detail } of changes)
  test(visible(`${String(before).slice(0, 30)} that became ${String(after).slice(0, 30)} is named: ${how}`), () => {
    expect(explainChange(before, after)).toEqual({ how, ...detail });
  });

/** Transformations that need more than two values: another header, another field, a clock. */
const NAMED_ELSEWHERE = ['another name', 'another form', 'in the past', 'too far ahead'] as const satisfies How[];

test('every transformation has a row above', () => {
  type Unnamed = Exclude<How, (typeof NAMED_ELSEWHERE)[number] | (typeof changes)[number]['how']>;
  const unnamed: Record<Unnamed, never> = {};
  expect(unnamed).toEqual({});
  const named: readonly How[] = changes.map(({ how }) => how);
  expect(NAMED_ELSEWHERE.filter((how) => named.includes(how))).toEqual([]);
});

interface Near {
  title: string;
  before: Json;
  after: Json;
}

const nearMisses = [
  { title: 'one letter in another case', before: 'Rex', after: 'rEx' },
  { title: 'a text with another end', before: 'Rex the dog', after: 'Rex the cat' },
  { title: 'a text that is longer', before: 'Rex', after: 'Rex the dog' },
  { title: 'the end of a text', before: 'Rex the dog', after: 'the dog' },
  { title: 'an empty text', before: 'Rex', after: '' },
  { title: 'the end of the markup escaped, and not its beginning', before: '<b>', after: '<b&gt;' },
  { title: 'a quote escaped and an ampersand not', before: `"&"`, after: '&quot;&&quot;' },
  { title: 'the text between the markup', before: '<b>Rex</b>', after: '<b></b>' },
  { title: 'one of two quotes doubled', before: `'Rex'`, after: `''Rex'` },
  { title: 'markup that was escaped and came back as it is', before: '&lt;b&gt;', after: '<b>' },
  { title: 'blanks that were added', before: 'Rex', after: ' Rex ' },
  { title: 'another accent', before: 'Zo\u00eb', after: 'Zo\u00e9' },
  { title: 'an accent that was added', before: 'Zoe', after: 'Zo\u00eb' },
  { title: 'one of two characters replaced', before: '\u00eb🦊', after: '?🦊' },
  { title: 'an ASCII character replaced', before: 'Zo\u00eb', after: 'Z??' },
  { title: 'the next integer', before: BEYOND, after: BEYOND + 1n },
  { title: 'another small integer', before: 7, after: 8 },
  { title: 'the largest int32 in the place of a smaller one', before: 7, after: 2 ** 31 - 1 },
  { title: 'the smallest int32 in the place of a large integer', before: BEYOND, after: -(2 ** 31) },
  { title: 'a hundred times as many', before: 5, after: 500 },
  { title: 'another number as a text', before: 7, after: '8' },
  { title: 'a word for a number', before: 7, after: 'seven' },
  { title: 'another number for a text', before: '007', after: 8 },
  { title: 'a number for a word', before: 'Rex', after: 7 },
  { title: 'a boolean', before: 'true', after: true },
  { title: 'a list of it', before: 'Rex', after: ['Rex'] },
  { title: 'the name of an animal of another run', before: `${MARK}one`, after: 'conformance-fedcba-two' },
  { title: 'the same name with a blank behind it', before: `${MARK}one`, after: `${MARK}one ` },
  { title: 'a name that no run gave', before: `${MARK}one`, after: 'Rex' },
  { title: 'the name of an animal of the run in the place of any other', before: 'Rex', after: `${MARK}one` },
] as const satisfies readonly Near[];

for (const { title, before, after } of nearMisses)
  test(`${title} has no name`, () => {
    expect(explainChange(before, after)).toBeUndefined();
  });

test('a value of another JSON type is a text for a number, a number for a text, or null', () => {
  expect(explainTypeChange(false, '7')).toEqual({ how: 'text for a number' });
  expect(explainTypeChange(true, 7)).toEqual({ how: 'number for a text' });
  expect(explainTypeChange(true, BEYOND)).toEqual({ how: 'number for a text' });
  expect([explainTypeChange(true, null), explainTypeChange(false, null)]).toEqual([{ how: 'null' }, { how: 'null' }]);
});

test('any other type has no name', () => {
  const others = [
    explainTypeChange(false, 'Rex'),
    explainTypeChange(false, ''),
    explainTypeChange(false, true),
    explainTypeChange(true, {}),
  ];
  expect([...others, explainTypeChange(true, undefined)]).toEqual([
    undefined,
    undefined,
    undefined,
    undefined,
    undefined,
  ]);
});
