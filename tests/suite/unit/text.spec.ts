import fc from 'fast-check';
import { clip, oneLine, visible } from '../../../fixtures/text.ts';
import { expect, forAll, test } from './make.ts';

test('a long text is cut, with its length', () => {
  expect(clip('abc', 3)).toBe('abc');
  expect(clip('abcd', 3)).toBe('abc… (4 characters)');
});

for (const [text, shown = text] of [
  ['a\u0000b\u001b[31m', 'a\\u0000b\\u001b[31m'],
  ['\u202egnp.exe', '\\u202egnp.exe'],
  ['a\u200bb\ufeffc\u2066', 'a\\u200bb\\ufeffc\\u2066'],
  ['\ud800 \udc00', '\\ud800 \\udc00'],
  ['Zoë 🦊𝒢\tx\ny'],
  ['::error::x', '\\u003a:error::x'],
  ['a\n \t::stop-commands::x', 'a\n \t\\u003a:stop-commands::x'],
  ['a ##[error]x ##vso[task.x]', 'a \\u0023#[error]x \\u0023#vso[task.x]'],
  ['a::b, std::c, # d ## e'],
] as const)
  test(`invisible characters and commands of CI systems are written out: ${JSON.stringify(text)}`, () =>
    expect(visible(text)).toBe(shown));

test('no text keeps terminal commands or changes of direction', () => {
  forAll(fc.string({ unit: 'binary' }), (text) => {
    expect(visible(text)).not.toMatch(
      /[\u0000-\u0008\u000e-\u001f\u007f-\u009f\u200b-\u200f\u202a-\u202e\u2066-\u2069\p{Surrogate}]/u,
    );
    expect(visible(visible(text))).toBe(visible(text));
  });
});

test('no text keeps commands to a CI system', () => {
  forAll(fc.string({ unit: fc.constantFrom(':', ' ', '\n', '\r', '\u2028', '#', '[', 'a') }), (text) => {
    for (const line of visible(text).split('\n')) expect(line.trim()).not.toMatch(/^::|##\w*\[/);
  });
});

test('a one-line text has no line break', () => {
  expect(oneLine(' a\r\n  b\u2028c\u2029d\t e ')).toBe('a b c d e');
  expect(oneLine('body \ufeff{}')).toBe('body \\ufeff{}');
  forAll(fc.string({ unit: 'binary' }), (text) => expect(oneLine(text)).not.toMatch(/[\n\r\u2028\u2029\u0085]/));
});
