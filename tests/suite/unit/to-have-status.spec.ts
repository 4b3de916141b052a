import { expect } from '@playwright/test';
import { toHaveHeader, toHaveNoBody, type AllowedStatus, toHaveStatus } from '../../../fixtures/expect/matchers.ts';
import { describeActual, describeExpected } from '../../../fixtures/report/model/describe.ts';
import { answer, differencesOf, type Given, runMatcher, test } from './make.ts';

const of = (given: Given, ...allowed: AllowedStatus[]): string =>
  runMatcher(() => toHaveStatus(answer(given), ...allowed));

test('toHaveStatus passes on an allowed status', () => {
  expect(of({ status: 200 }, 200)).toBe('passes');
  expect(of({ status: 201 }, 200, 201)).toBe('passes');
  expect(of({ status: 206, operation: 'listOrders' }, '2xx')).toBe('passes');
  for (const status of [400, 403, 404, 405, 409, 410, 415, 422]) expect(of({ status }, '4xx')).toBe('passes');
});

test('toHaveStatus fails on another status, and shows it', () => {
  const refused = answer({ operation: 'addPet', status: 422, body: { detail: 'no' } });
  expect(toHaveStatus(refused, 400, '2xx')).toMatchObject({
    kind: 'violated',
    violations: [
      {
        differences: [{ kind: 'wrong status', expected: [400, '2xx'], actual: 422 }],
        exchanges: [refused.exchange],
      },
    ],
  });
  const differences = differencesOf(toHaveStatus(refused, 400, '2xx'));
  expect(`${describeActual({ differences })}, not ${describeExpected({ differences })}`).toMatch(
    /^status 422, not (status )?400 or any 2xx$/,
  );
  expect(of({ status: 302 }, '2xx')).toMatch(/^fails: status 302$/);
  expect(of({ status: 199 }, '2xx')).toMatch(/^fails: status 199$/);
});

test('a 5xx does not count as 4xx', () => {
  for (const status of [500, 501]) expect(of({ status }, '4xx')).toMatch(/^fails/);
});

test('a response of a gateway is cantTell', () => {
  for (const status of [502, 503, 504]) expect(of({ status }, '4xx')).toMatch(/^cantTell: .* which is a gateway error/);
});

test('a 401 and a 429 do not count as 4xx: they concern key and limiter', () => {
  expect(of({ status: 401, credential: 'none' }, '4xx')).toMatch(/^fails: status 401$/);
  expect(of({ status: 401 }, '4xx')).toMatch(/^cantTell: the valid key was rejected/);
  expect(of({ status: 429 }, '4xx')).toMatch(/^cantTell: rate limited/);
});

test('an expected 401 or 429 passes', () => {
  expect(of({ status: 429 }, 429)).toBe('passes');
  expect(of({ status: 401 }, 401)).toBe('passes');
  expect(of({ status: 200 }, 401)).toMatch(/^fails: status 200$/);
});

test('toHaveHeader ignores the case of names', () => {
  expect(runMatcher(() => toHaveHeader(answer({ status: 405, headers: { aLLow: 'GET' } }), 'Allow'))).toBe('passes');
  expect(runMatcher(() => toHaveHeader(answer({ status: 405, headers: { Allow: '' } }), 'Allow'))).toBe('passes');
  expect(runMatcher(() => toHaveHeader(answer({ status: 405 }), 'Allow'))).toBe('fails: no Allow');
});

test('toHaveNoBody requires an empty body', () => {
  expect(runMatcher(() => toHaveNoBody(answer({ method: 'HEAD', body: { text: '' } })))).toBe('passes');
  expect(runMatcher(() => toHaveNoBody(answer({ method: 'HEAD', body: [] })))).toBe('fails: []');
});
