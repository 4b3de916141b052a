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

for (const form of forms)
  test(`a date in ${form} is read`, () => {
    expect(parseHttpDate(form)).toBe(MOMENT);
    expect(parseRetryAfter(form, MOMENT - 90)).toBe(90);
    // A past moment needs no wait.
    expect(parseRetryAfter(form, MOMENT + 90)).toBe(0);
  });

test('whole seconds are read', () => {
  expect(['0', '1', '120', '3600'].map((text) => parseRetryAfter(text, 0))).toEqual([0, 1, 120, 3600]);
});

test('a Unix timestamp is no wait', () => {
  const [now, day] = [1_790_000_000, 86_400];
  for (const [value, read] of [
    [now, undefined],
    [now + 30, undefined],
    [now * 1000 + 30, undefined],
    [now - 2 * day, now - 2 * day],
    [now + 2 * day, now + 2 * day],
    [day, day],
  ] as const)
    expect(parseRetryAfter(String(value), now)).toBe(read);
});

test('anything else is invalid', () => {
  const garbage = ['', '-1', '1.5', '+5', '5s', 'soon', '0x10', '1e3', '2030-01-01T00:00:00Z', '1795000000000 ms'];
  for (const text of [...garbage, 'sun, 06 nov 1994 08:49:37 gmt'])
    expect(`${text}: ${parseRetryAfter(text, 0)}`).toBe(`${text}: undefined`);
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
    expect(parseRetryAfter(text, 1_790_000_000)).toBeUndefined();
    expect(explainRetryAfter(text, 1_790_000_000)).toBe(wrong);
  });

test('every date that is written is read again, and not described as wrong', () => {
  for (const form of forms) expect(explainDate(form)).toBeUndefined();
  const moment = fc.integer({ min: 0, max: 4_000_000_000 });
  fc.assert(
    fc.property(moment, (seconds) => {
      const text = new Date(seconds * 1000).toUTCString();
      expect([parseHttpDate(text), explainDate(text)]).toEqual([seconds, undefined]);
    }),
  );
});
