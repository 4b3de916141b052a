import { expect } from '@playwright/test';
import { describeWait, readRateLimit } from '../../../fixtures/target/rate-limit/headers.ts';
import { exchange, NOW, test } from './make.ts';

function read(value: string | string[] | undefined) {
  const { limit, reset, sent } = readRateLimit(
    exchange({ headers: { 'X-RateLimit-Limit': value, 'x-ratelimit-reset': value, 'X-RateLimit-Reset': undefined } }),
  );
  return { numbers: [limit, reset], text: sent.limit.text, whole: sent.limit.whole, number: sent.reset.number };
}

test('a rate-limit header is a whole number, or a number, or nothing', () => {
  expect(['0', ' 60 ', '1795000000', ['60', '60']].map((value) => read(value).numbers)).toEqual([
    [0, 0],
    [60, 60],
    [1795000000, 1795000000],
    [60, 60],
  ]);
  expect(read('1795000000.25').numbers).toEqual([undefined, 1795000000.25]);
  for (const value of [undefined, '', '-1', '+1', '1e3', '0x10', 'soon', '1,5', '.5', '5.', 'NaN', '1'.repeat(17)])
    expect(read(value).numbers).toEqual([undefined, undefined]);
  expect(read(['60', '61']).numbers).toEqual([undefined, undefined]);
});

test('Reset and Retry-After are relative to the clock of the target', () => {
  const date = new Date((NOW + 40) * 1000).toUTCString();
  const at = (...values: string[]) => readRateLimit(exchange({ status: 429, headers: { 'Retry-After': values } }));
  expect(at('120')).toMatchObject({ reset: NOW + 30, resetIn: 30, retryAfter: 120 });
  expect(at(date).retryAfter).toBe(40);
  expect(at('7', '8')).toMatchObject({ retryAfter: 7, sent: { retryAfter: { values: ['7', '8'] } } });
  for (const values of [[], [''], ['soon'], ['-1']]) expect(at(...values)).not.toHaveProperty('retryAfter');
});

test('white space around a value is no part of it', () => {
  const { retryAfter, resetIn } = readRateLimit(
    exchange({
      status: 429,
      headers: { Date: `${new Date((NOW - 7) * 1000).toUTCString()} \t`, 'Retry-After': '\t5 ' },
    }),
  );
  expect([retryAfter, resetIn]).toEqual([5, 37]);
});

test('the longest wait that any Retry-After asks for is read, also from a malformed one', () => {
  const longest = (...values: string[]) =>
    readRateLimit(exchange({ status: 429, headers: { 'Retry-After': values } })).longestRetryAfter;
  const iso = new Date((NOW + 300) * 1000).toISOString();
  for (const values of [
    ['1', '300'],
    ['1, 300'],
    ['300s'],
    ['+300'],
    [String(NOW + 300)],
    [String((NOW + 300) * 1000)],
    [iso],
  ])
    expect(longest(...values), values.join(' and ')).toBe(300);
  expect(longest('299.583')).toBe(299.583);
  for (const value of ['soon', '', '-1', 'May 2099']) expect(longest(value)).toBe(0);
  expect(longest()).toBeUndefined();
});

const asked = (headers: Record<string, string | undefined>): string | undefined =>
  describeWait(exchange({ number: 77, status: 429, headers: { 'X-RateLimit-Reset': undefined, ...headers } }));

test('a wait is described by its header, exchange and length, and by its unit if that looks wrong', () => {
  const suspected = '; seconds are specified: milliseconds?';
  const table: [Record<string, string | undefined>, string | undefined][] = [
    [{ 'Retry-After': '56917' }, `Retry-After: 56917 (exchange 77) is 15.8 hours${suspected}`],
    [{ 'Retry-After': '5' }, 'Retry-After: 5 (exchange 77) is 5 s'],
    [{ 'Retry-After': '200000' }, 'Retry-After: 200000 (exchange 77) is 2.3 days'],
    // Reset confirms the seconds: the window of a day.
    [
      { 'Retry-After': '56917', 'X-RateLimit-Reset': String(NOW + 56_917) },
      'Retry-After: 56917 (exchange 77) is 15.8 hours',
    ],
    [
      { 'Retry-After': new Date((NOW + 7200) * 1000).toUTCString() },
      `Retry-After: ${new Date((NOW + 7200) * 1000).toUTCString()} (exchange 77) is 2 hours`,
    ],
    [
      { 'X-RateLimit-Reset': String((NOW + 30) * 1000) },
      `X-RateLimit-Reset: ${(NOW + 30) * 1000} (exchange 77) is 56862.2 years${suspected}`,
    ],
    [{ 'X-RateLimit-Reset': String(NOW + 3600 * 5) }, `X-RateLimit-Reset: ${NOW + 18_000} (exchange 77) is 5 hours`],
    [{ 'X-RateLimit-Reset': String(NOW - 5) }, undefined],
    [{}, undefined],
  ];
  for (const [headers, expected] of table) expect(asked(headers)).toBe(expected);
});
