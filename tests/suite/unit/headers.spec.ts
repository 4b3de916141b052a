/** The headers of the rate limit, and what a Retry-After asks for. */
import fc from 'fast-check';
import { parseHttpDate, parseRetryAfter } from '../../../fixtures/target/http/retry-after.ts';
import { describeWait, readRateLimit } from '../../../fixtures/target/rate-limit/headers.ts';
import { exchange, expect, forAll, NOW, test } from './make.ts';

test('a rate-limit header is a whole number, or a number, or nothing', () => {
  const read = (value: string | string[] | undefined) => {
    const headers = { 'X-RateLimit-Limit': value, 'x-ratelimit-reset': value, 'X-RateLimit-Reset': undefined };
    const { limit, reset } = readRateLimit(exchange({ headers }));
    return [limit, reset];
  };
  for (const value of ['0', ' 60 ', '1795000000', ['60', '60']]) {
    const number = Number([value].flat()[0]);
    expect(read(value), String(value)).toEqual([number, number]);
  }
  expect(read('1795000000.25')).toEqual([undefined, 1795000000.25]);
  const malformed = ['', '-1', '+1', '1e3', '0x10', 'soon', '1,5', '.5', '5.', 'NaN', '1'.repeat(17), ['60', '61']];
  for (const value of [undefined, ...malformed]) expect(read(value), String(value)).toEqual([undefined, undefined]);
});

const at = (...values: string[]) => readRateLimit(exchange({ status: 429, headers: { 'Retry-After': values } }));

test('Reset and Retry-After are relative to the clock of the target', () => {
  const date = new Date((NOW + 40) * 1000).toUTCString();
  expect(at('120')).toMatchObject({ reset: NOW + 30, resetIn: 30, retryAfter: 120 });
  expect(at(date).retryAfter).toBe(40);
  expect(at('7', '8')).toMatchObject({ retryAfter: 7, headers: { retryAfter: { values: ['7', '8'] } } });
  // White space around a value belongs to no value.
  const spaced = { Date: `${new Date((NOW - 7) * 1000).toUTCString()} \t`, 'Retry-After': '\t5 ' };
  expect(readRateLimit(exchange({ status: 429, headers: spaced }))).toMatchObject({ retryAfter: 5, resetIn: 37 });
  for (const values of [[], [''], ['soon'], ['-1']]) expect(at(...values).retryAfter).toBeUndefined();
});

test('the longest wait that any Retry-After asks for is read, also from a malformed one', () => {
  const longest = (...values: string[]) => at(...values).longestRetryAfter;
  const iso = new Date((NOW + 300) * 1000).toISOString();
  for (const value of ['1, 300', '300s', '+300', String(NOW + 300), String((NOW + 300) * 1000), iso])
    expect(longest(value), value).toBe(300);
  expect(longest('1', '300')).toBe(300);
  expect(longest('299.583')).toBe(299.583);
  for (const value of ['soon', '', '-1', 'May 2099']) expect(longest(value)).toBe(0);
  expect(longest()).toBe(0);
});

test('a wait is described by its headers and exchange', () => {
  const date = new Date((NOW + 7200) * 1000).toUTCString();
  for (const [retryAfter, reset, expected] of [
    ['56917', undefined, 'Retry-After: 56917 (exchange 77)'],
    [date, undefined, `Retry-After: ${date} (exchange 77)`],
    [undefined, NOW + 30, `X-RateLimit-Remaining: 50, X-RateLimit-Reset: ${NOW + 30} (exchange 77)`],
    [undefined, NOW - 5, undefined],
  ] as const) {
    const headers = { 'Retry-After': retryAfter, 'X-RateLimit-Reset': reset?.toString() };
    expect(describeWait(exchange({ number: 77, status: 429, headers }))).toBe(expected);
  }
});

// RFC 9110, section 5.6.7: one moment in its three forms.
const MOMENT = Date.UTC(1994, 10, 6, 8, 49, 37) / 1000;
const DAY = 86_400;

test('a Retry-After is a number of seconds, or a date in one of three forms, past ones included', () => {
  for (const seconds of [0, 1, 120, DAY, NOW - 2 * DAY, NOW + 2 * DAY])
    expect(parseRetryAfter(String(seconds), NOW)).toBe(seconds);
  for (const form of ['Sun, 06 Nov 1994 08:49:37 GMT', 'Sunday, 06-Nov-94 08:49:37 GMT', 'Sun Nov  6 08:49:37 1994']) {
    expect(parseHttpDate(form), form).toBe(MOMENT);
    expect([90, -90].map((ahead) => parseRetryAfter(form, MOMENT - ahead))).toEqual([90, 0]);
  }
});

test('another text is rejected', () => {
  const others = ['', '-1', '1.5', '+5', '5s', 'soon', '0x10', '1e3', '2030-01-01T00:00:00Z', '1795000000000 ms'];
  const times = [NOW, NOW + 30, NOW * 1000 + 30].map(String);
  const dates = ['Sun, 6 Nov 1994 08:49:37 GMT', 'Sun, 06 Nov 1994 08:49:37 +0000', 'Sun, 99 Nov 1994 08:49:37 GMT'];
  for (const text of [...others, ...times, ...dates, 'sun, 06 nov 1994 08:49:37 gmt'])
    expect(parseRetryAfter(text, NOW), text).toBeUndefined();
});

test('every date that is written is read again', () => {
  const moment = fc.integer({ min: 0, max: 4_000_000_000 });
  forAll(moment, (seconds) => {
    expect(parseHttpDate(new Date(seconds * 1000).toUTCString())).toBe(seconds);
  });
});
