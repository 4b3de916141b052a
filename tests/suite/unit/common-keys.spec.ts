import { expect } from '@playwright/test';
import { findCommonKeys } from '../../../fixtures/target/http/common-keys.ts';
import { makeRedactor } from '../../../fixtures/target/http/redact.ts';
import { test } from './make.ts';

const REFUSED = ['a', 'id', 'x1', 'name', 'Name', 'status', 'pets', 'sold', 'categoryId', '1', '123456', 'json', 'Nov'];
const USABLE = ['key', 'test', 'secret', 'invalid', 'token', 'admin', 'foo', 'k3y', '12345678', 'dev-key', 'Bear-1'];

test('a key that judgements would miss in what they read is refused, and not printed', () => {
  for (const key of REFUSED)
    expect(findCommonKeys({ API_KEY: 'sound-key-1', THROTTLE_API_KEY: key }), key).toEqual([
      expect.stringMatching(/^THROTTLE_API_KEY is so short or so common a word/),
    ]);
  expect(findCommonKeys({ API_KEY: '":[' })).toHaveLength(1);
});

for (const key of USABLE)
  test(`the key ${key} can be used: answers keep their names and values`, () => {
    expect(findCommonKeys({ API_KEY: key })).toEqual([]);
    const redact = makeRedactor({ API_KEY: key });
    const lawful = '[{"id":17,"name":"Rex","categoryId":1,"status":"available"}]';
    expect(redact(lawful)).toBe(lawful);
    const error = redact(`{"code":"UNAUTHORIZED","message":"The ${key} is wrong","status":401}`);
    expect(JSON.parse(error)).toEqual({ code: 'UNAUTHORIZED', message: 'The $API_KEY is wrong', status: 401 });
  });
