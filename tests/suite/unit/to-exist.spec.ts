import { expect } from '@playwright/test';
import { toBeAuthenticated, toExist } from '../../../fixtures/expect/matchers.ts';
import { Answer } from '../../../fixtures/target/run/answer.ts';
import { answer, exchange, runMatcher, test, TIMEOUT } from './make.ts';

const orders = (status: number): Answer => answer({ operation: 'listOrders', status });

test('an operation exists if it answers, or needs an unspecified parameter', () => {
  for (const status of [200, 204, 206, 400, 403, 409, 422])
    expect(runMatcher(() => toExist(orders(status)))).toBe('passes');
});

test('an operation does not exist if it answers 404, 405, 410 or 5xx', () => {
  for (const status of [404, 405, 410, 500, 501, 503])
    expect(runMatcher(() => toExist(orders(status)))).toBe(`fails: status ${status}`);
  const outage = new Answer(exchange({ operation: 'listOrders', status: 501 }), true);
  expect(runMatcher(() => toExist(outage))).toBe('fails: status 501');
});

test('without an answer its existence is cantTell', () => {
  const none = answer({ operation: 'listOrders', failure: TIMEOUT });
  expect(runMatcher(() => toExist(none))).toBe('cantTell: no answer: no answer within 10 s');
});

test('a redirect does not show whether the operation exists', () => {
  for (const status of [301, 302, 307, 308])
    expect(runMatcher(() => toExist(orders(status)))).toMatch(
      /^cantTell: the answer to GET \/store\/orders is a redirect, which does not show whether the operation exists: .*30\d/,
    );
});

test('a refused key or a rate limit is cantTell', () => {
  expect(runMatcher(() => toExist(orders(401)))).toMatch(/^cantTell: the valid key was rejected/);
  expect(runMatcher(() => toExist(orders(429)))).toMatch(/^cantTell: rate limited/);
});

test('a credential is accepted unless the answer is 401', () => {
  for (const status of [200, 400, 403, 404])
    expect(runMatcher(() => toBeAuthenticated(answer({ status })))).toBe('passes');
  for (const credential of ['key', 'lower-case scheme'] as const) {
    const refused = answer({ status: 401, credential });
    expect(runMatcher(() => toBeAuthenticated(refused))).toBe('fails: status 401');
  }
});
