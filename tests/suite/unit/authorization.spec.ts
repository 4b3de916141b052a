/** Credentials on the wire: only valid ones authenticate, and no key is shown. */
import fc from 'fast-check';
import type { Credential } from '../../../fixtures/contract/credentials.ts';
import { allWrongCredentials, hasValidKey, isThrottleKey } from '../../../fixtures/contract/credentials.ts';
import { makeAuthorization } from '../../../fixtures/contract/credentials.ts';
import { expect, forAll, test } from './make.ts';

const KEYS = { apiKey: 'Key-1', throttleApiKey: 'Key-2' };

/** The key that a conforming server reads: the one after the scheme Bearer. */
const keyIn = ({ headers }: ReturnType<typeof makeAuthorization>): string | undefined => {
  const [, value] = headers.find(([name]) => name === 'Authorization') ?? [];
  return /^Bearer +(\S+)$/i.exec(value ?? '')?.[1];
};

test('a valid credential is the key after the scheme', () => {
  const authorize = (...args: Parameters<typeof makeAuthorization>) =>
    makeAuthorization(...args)
      .headers.flat()
      .slice(1);
  expect(authorize('key', KEYS)).toEqual(['Bearer Key-1', 'Bearer $API_KEY']);
  expect(authorize('throttle', KEYS)).toEqual(['Bearer Key-2', 'Bearer $THROTTLE_API_KEY']);
  expect(authorize('throttle', { ...KEYS, throttleApiKey: 'Key-1' })).toEqual(['Bearer Key-1', 'Bearer $API_KEY']);
  expect(authorize('lower-case scheme', KEYS)).toEqual(['bearer Key-1', 'bearer $API_KEY']);
  expect(makeAuthorization('none', KEYS)).toEqual({ headers: [], query: [] });
  const valid = (['key', 'throttle', 'lower-case scheme', 'none'] as const).filter(hasValidKey);
  expect(valid).toEqual(['key', 'throttle', 'lower-case scheme']);
});

const key = fc.string({
  unit: fc.integer({ min: 0x21, max: 0x7e }).map((n) => String.fromCharCode(n)),
  minLength: 6,
});

const OWN_WORDS =
  'Bearer conformance-no-such-key, constructor, api_key=$API_KEY; access_token=; Token Basic printf base64 echo tr';

for (const credential of [...allWrongCredentials, 'key', 'throttle', 'lower-case scheme'] as const)
  test(`${credential}: the shown text has no key, and a wrong credential has none in its right place`, () => {
    const isWrong = allWrongCredentials.includes(credential);
    expect(hasValidKey(credential)).toBe(!isWrong);
    // A key without letters has no other case.
    forAll(key, { examples: [['1234567890']] }, (apiKey) => {
      const made = makeAuthorization(credential, { apiKey, throttleApiKey: `${apiKey}2` });
      if (isWrong) expect(keyIn(made)).not.toBe(apiKey);
      fc.pre(!OWN_WORDS.includes(apiKey));
      for (const [, , shown] of [...made.headers, ...made.query]) expect(shown).not.toContain(apiKey);
    });
  });

for (const [credential, apiKey, throttleApiKey] of [
  ['truncated', 'team-key-12', 'team-key-1'],
  ['extended', 'abcdef12', 'abcdef12x'],
  ['in another case', 'secretkey1', 'SECRETKEY1'],
  ['unknown', 'abcdef12', 'abcdef1~'],
  ['unknown', 'abcdef1~', 'abcdef1+'],
  ['made up', 'abcdef12', 'constructor'],
] as const satisfies readonly (readonly [Credential, string, string])[])
  test(`${credential}: is recognized as the key for throttling, beside ${apiKey}`, () => {
    const keys = { apiKey, throttleApiKey };
    const matching = [...allWrongCredentials, 'key', 'throttle', 'none'] as const;
    expect(matching.filter((each) => isThrottleKey(each, keys))).toEqual([credential]);
    expect(matching.filter((each) => isThrottleKey(each, KEYS))).toEqual([]);
    expect(matching.filter((each) => isThrottleKey(each, { apiKey, throttleApiKey: apiKey }))).toEqual([]);
  });

test('every wrong credential differs from the others, and a key in a query parameter arrives unchanged', () => {
  const written = allWrongCredentials.map((credential) => JSON.stringify(makeAuthorization(credential, KEYS)));
  expect(new Set(written).size).toBe(allWrongCredentials.length);
  const { query } = makeAuthorization('in a query parameter', { ...KEYS, apiKey: 'a&b=c/+%' });
  const decoded = query.map(([name, value]) => [name, decodeURIComponent(value)]);
  expect(decoded).toEqual(['access_token', 'api_key', 'apikey', 'key', 'token'].map((name) => [name, 'a&b=c/+%']));
});
