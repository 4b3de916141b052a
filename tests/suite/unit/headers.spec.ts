import { expect } from '@playwright/test';
import { readRateLimit } from '../../../fixtures/target/rate-limit/headers.ts';
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
  for (const value of [undefined, '', '-1', '+1', '1e3', '0x10', 'soon', '1,5', '.5', '5.', 'NaN', '1'.repeat(16)])
    expect(read(value).numbers).toEqual([undefined, undefined]);
  expect(read(['60', '61']).numbers).toEqual([undefined, undefined]);
});

test('an invalid header keeps its text', () => {
  expect(read(undefined)).toMatchObject({ text: undefined, whole: undefined, number: undefined });
  expect(read('')).toMatchObject({ text: '', whole: undefined, number: undefined });
  expect(read(['60', ' 61'])).toMatchObject({ text: '60, 61', whole: undefined, number: undefined });
  expect(read(['60', '60'])).toMatchObject({ text: '60', whole: 60n, number: 60 });
  expect(read('0.5')).toMatchObject({ whole: undefined, number: 0.5 });
  expect(read('12345678901234567')).toMatchObject({ whole: 12345678901234567n, number: 12345678901234568 });
});

test('Reset and Retry-After are relative to the clock of the target', () => {
  const date = new Date((NOW + 40) * 1000).toUTCString();
  const at = (...values: string[]) => readRateLimit(exchange({ status: 429, headers: { 'Retry-After': values } }));
  expect(at('120')).toMatchObject({ reset: NOW + 30, resetIn: 30, retryAfter: 120 });
  expect(at(date).retryAfter).toBe(40);
  expect(at('7', '8')).toMatchObject({ retryAfter: 7, sent: { retryAfter: { values: ['7', '8'] } } });
  for (const values of [[], [''], ['soon'], ['-1']]) expect(at(...values)).not.toHaveProperty('retryAfter');
});
