import { expect } from '@playwright/test';
import { describeWait, readRateLimit } from '../../../fixtures/target/rate-limit/headers.ts';
import { exchange, NOW, test } from './make.ts';

test('a rate-limit header is a whole number, or a number, or nothing', () => {
  const read = (value: string | string[] | undefined) => {
    const { limit, reset } = readRateLimit(
      exchange({ headers: { 'X-RateLimit-Limit': value, 'x-ratelimit-reset': value, 'X-RateLimit-Reset': undefined } }),
    );
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

test('Reset and Retry-After are relative to the clock of the target', () => {
  const date = new Date((NOW + 40) * 1000).toUTCString();
  const at = (...values: string[]) => readRateLimit(exchange({ status: 429, headers: { 'Retry-After': values } }));
  expect(at('120')).toMatchObject({ reset: NOW + 30, resetIn: 30, retryAfter: 120 });
  expect(at(date).retryAfter).toBe(40);
  expect(at('7', '8')).toMatchObject({ retryAfter: 7, sent: { retryAfter: { values: ['7', '8'] } } });
  // White space around a value belongs to no value.
  const spaced = { Date: `${new Date((NOW - 7) * 1000).toUTCString()} \t`, 'Retry-After': '\t5 ' };
  expect(readRateLimit(exchange({ status: 429, headers: spaced }))).toMatchObject({ retryAfter: 5, resetIn: 37 });
  for (const values of [[], [''], ['soon'], ['-1']]) expect(at(...values).retryAfter).toBeUndefined();
});

test('the longest wait that any Retry-After asks for is read, also from a malformed one', () => {
  const longest = (...values: string[]) =>
    readRateLimit(exchange({ status: 429, headers: { 'Retry-After': values } })).longestRetryAfter;
  const iso = new Date((NOW + 300) * 1000).toISOString();
  for (const value of ['1, 300', '300s', '+300', String(NOW + 300), String((NOW + 300) * 1000), iso])
    expect(longest(value), value).toBe(300);
  expect(longest('1', '300')).toBe(300);
  expect(longest('299.583')).toBe(299.583);
  for (const value of ['soon', '', '-1', 'May 2099']) expect(longest(value)).toBe(0);
  expect(longest()).toBe(0);
});

test('a wait is described by its header, exchange and length, and by its unit if that looks wrong', () => {
  const suspected = '; seconds are specified: milliseconds?';
  const date = new Date((NOW + 7200) * 1000).toUTCString();
  for (const [retryAfter, reset, expected] of [
    ['56917', undefined, `Retry-After: 56917 (exchange 77) is 15.8 hours${suspected}`],
    ['5', undefined, 'Retry-After: 5 (exchange 77) is 5 s'],
    ['200000', undefined, 'Retry-After: 200000 (exchange 77) is 2.3 days'],
    // Reset confirms the seconds: the window of a day.
    ['56917', NOW + 56_917, 'Retry-After: 56917 (exchange 77) is 15.8 hours'],
    [date, undefined, `Retry-After: ${date} (exchange 77) is 2 hours`],
    [undefined, (NOW + 30) * 1000, `X-RateLimit-Reset: ${NOW + 30}000 (exchange 77) is 56862.2 years${suspected}`],
    [undefined, NOW + 18_000, `X-RateLimit-Reset: ${NOW + 18_000} (exchange 77) is 5 hours`],
    [undefined, NOW - 5, undefined],
    [undefined, undefined, undefined],
  ] as const) {
    const headers = { 'Retry-After': retryAfter, 'X-RateLimit-Reset': reset?.toString() };
    expect(describeWait(exchange({ number: 77, status: 429, headers }))).toBe(expected);
  }
});
