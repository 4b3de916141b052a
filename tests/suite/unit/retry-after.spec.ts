import { expect } from '@playwright/test';
import fc from 'fast-check';
import {
  explainDate,
  explainRetryAfter,
  parseHttpDate,
  parseRetryAfter,
} from '../../../fixtures/target/http/retry-after.ts';
import { test } from './make.ts';

// RFC 9110, section 5.6.7: one moment in its three forms.
const MOMENT = Date.UTC(1994, 10, 6, 8, 49, 37) / 1000;
const forms = ['Sun, 06 Nov 1994 08:49:37 GMT', 'Sunday, 06-Nov-94 08:49:37 GMT', 'Sun Nov  6 08:49:37 1994'];

test('a date is read in each of its three forms', () => {
  for (const form of forms) expect([parseHttpDate(form), explainDate(form)], form).toEqual([MOMENT, undefined]);
});

const [NOW, DAY] = [1_790_000_000, 86_400];

for (const [text, seconds, now = NOW] of [
  ...['0', '1', '120', '3600', String(DAY)].map((value) => [value, Number(value)] as const),
  [String(NOW - 2 * DAY), NOW - 2 * DAY],
  [String(NOW + 2 * DAY), NOW + 2 * DAY],
  // A past moment needs no wait.
  ...forms.flatMap((form) => [[form, 90, MOMENT - 90] as const, [form, 0, MOMENT + 90] as const]),
  ...['', '-1', '1.5', '+5', '5s', 'soon', '0x10', '1e3', '2030-01-01T00:00:00Z', '1795000000000 ms'].map(
    (value) => [value, undefined] as const,
  ),
  ['sun, 06 nov 1994 08:49:37 gmt', undefined],
  [String(NOW), undefined],
  [String(NOW + 30), undefined],
  [String(NOW * 1000 + 30), undefined],
] as const satisfies readonly (readonly [text: string, seconds: number | undefined, now?: number])[])
  test(`"${text}" at ${now} asks for ${seconds} s`, () => {
    expect(parseRetryAfter(text, now)).toBe(seconds);
  });

for (const [text, wrong] of [
  ['Sun, 6 Nov 1994 08:49:37 GMT', 'a date without a two-digit day'],
  ['06 Nov 1994 08:49:37 GMT', 'a date without a day of the week such as "Sun,"'],
  ['Sun, 06 Foo 1994 08:49:37 GMT', 'a date without a month such as "Nov"'],
  ['Sun, 06 Nov 94 08:49:37 GMT', 'a date without a four-digit year'],
  ['Sun, 06 Nov 1994 8:49 GMT', 'a date without a time such as "08:49:37"'],
  ['Sun, 06 Nov 1994 08:49:37 +0000', 'a date without GMT'],
  ['Sun, 06 Nov 1994 08:49:37 GMT+1', 'a date with text after it'],
  ['Sun, 99 Nov 1994 08:49:37 GMT', 'a date that does not exist'],
  ['1790000000', 'a Unix timestamp'],
  ['soon', undefined],
] as const)
  test(`${text} is rejected and described by one pattern`, () => {
    expect(parseRetryAfter(text, NOW)).toBeUndefined();
    expect(explainRetryAfter(text, NOW)).toBe(wrong);
  });

test('every date that is written is read again, and not described as wrong', () => {
  const moment = fc.integer({ min: 0, max: 4_000_000_000 });
  fc.assert(
    fc.property(moment, (seconds) => {
      const text = new Date(seconds * 1000).toUTCString();
      expect([parseHttpDate(text), explainDate(text)]).toEqual([seconds, undefined]);
    }),
  );
});
