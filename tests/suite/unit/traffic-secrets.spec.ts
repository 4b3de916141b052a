/** What is kept of a recording of others has no secret, and can still be judged. */
import { expect } from '@playwright/test';
import { renderHar } from '../../../fixtures/target/recording/write.ts';
import { Hidden } from '../../../fixtures/target/recording/hidden.ts';
import { hideAuthorization, keepBody } from '../../../fixtures/target/recording/kept.ts';
import { convertTraffic } from '../../../fixtures/target/recording/traffic.ts';
import { BASE, formsOf, planted, SECRETS } from '../recordings/planted.ts';
import { reported } from '../gate/given.ts';
import { findBroken, test } from './make.ts';

const { log } = planted();
const given = JSON.stringify(log);
const { exchanges, skipped } = convertTraffic(log.entries, BASE);
const written = [...renderHar(reported(), exchanges, BASE)].join('');

for (const [place, secret] of Object.entries(SECRETS))
  test(`a secret is not written: ${place}`, () => {
    const isIn = (text: string): boolean => formsOf(secret).some((form) => text.includes(form));
    expect([isIn(given), isIn(written)]).toEqual([true, false]);
  });

test('what judgement reads is kept', () => {
  expect(Object.fromEntries(skipped)).toEqual({ 'of another address': 1 });
  const shown = exchanges.map(({ request, response, credential }) => [
    ...[request.target.replaceAll(/redacted-\d+/g, '…'), response?.status, credential],
    request.headers.find(([name]) => name === 'Authorization')?.[1].replace(/redacted-\d+/, '…'),
  ]);
  expect(shown).toEqual([
    ['/pets', 200, 'key', 'Bearer $API_KEY'],
    ['/pets?limit=2&code=…&…=…&…=&word=…', 200, 'key', 'Bearer $API_KEY'],
    ['/pets', 401, 'unknown', 'Bearer …'],
    ['/pets', 401, 'unknown', 'Bearer …'],
    ['/pets', 502, 'key', 'Bearer $API_KEY'],
    ['/pets', 201, 'key', 'Bearer $API_KEY'],
    ['/pets/…', 404, 'key', 'Bearer $API_KEY'],
    ['/pets/123', 404, 'key', 'Bearer $API_KEY'],
    ['/pets', 200, 'key', 'Bearer $API_KEY'],
    ['/pets', 200, 'key', 'Bearer $API_KEY'],
    ['/pets?status=lost', 200, 'key', 'Bearer $API_KEY'],
  ]);
  expect(exchanges.map((each) => findBroken([each]))).toEqual([
    ...[[], [], []],
    ['auth.challenge'],
    ['service.no-server-error'],
    ...[[], []],
    ['error.no-secrets'],
    ['rate.limit.value'],
    ['service.json'],
    ['list.status.unknown'],
  ]);
});

test('equal values stay equal, and others differ', () => {
  const hidden = new Hidden();
  const body = { name: 'Rex', more: 'one-1', again: 'one-1', other: 'two-2' };
  const kept = JSON.parse(keepBody(JSON.stringify(body), undefined, hidden) ?? '') as typeof body;
  expect(kept.more).toBe(kept.again);
  expect(new Set(Object.values(kept)).size).toBe(3);
});

test('the form of a credential can still be judged', () => {
  const hidden = new Hidden();
  for (const [value, shown] of [
    ['Bearer abc', 'Bearer $API_KEY'],
    ['bearer  abc', 'bearer  $API_KEY'],
    ['abc', '$API_KEY'],
    ['Bearer "abc"', 'Bearer "$API_KEY"'],
    ['Bearer abc x', 'Bearer $API_KEY …'],
    ['XBearer abc', '$API_KEY …'],
    ['Bearer', 'Bearer'],
    ['Bearer $API_KEY', 'Bearer $API_KEY'],
  ] as const)
    expect(hideAuthorization(value, hidden, '$API_KEY').replace(/redacted-\d+/, '…')).toBe(shown);
});

test('the form of a JSON text is kept', () => {
  const hidden = new Hidden();
  const text = '{"a": 1.50e3, "a":"x", "b" : [true,null,{"c":-7}]}';
  expect(keepBody(text, undefined, hidden)).toMatch(/^\{"a": 0, "a":"redacted-\d+", "b" : \[true,null,\{"c":0\}\]\}$/);
  expect(keepBody('<p>x</p>', undefined, hidden)).toMatch(/^<redacted-\d+$/);
  // A stack trace and a key are judged.
  expect(keepBody('"at x (/srv/app.js:7)"', undefined, hidden)).toMatch(/\.js:1/);
});
