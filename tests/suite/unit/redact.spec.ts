import fc from 'fast-check';
import { findCommonKeys, makeRedactor } from '../../../fixtures/target/http/redact.ts';
import { clip } from '../../../fixtures/text.ts';
import { expect, expectLinear, forAll, test } from './make.ts';

// They take long: each tries many texts.
test.describe.configure({ mode: 'parallel' });

/** Keys of every printable character, as allowed in an Authorization header. */
const key = fc.string({ unit: fc.integer({ min: 0x21, max: 0x7e }).map((n) => String.fromCharCode(n)), minLength: 8 });
const around = fc.string({ unit: 'binary', maxLength: 20 });
/** Text around base64 that is not base64. */
const plain = fc.string({ unit: fc.constantFrom(' ', ':', ',', '"'), maxLength: 5 });

const forms: Record<string, (key: string) => string> = {
  'as it is': (key) => key,
  'in capitals': (key) => key.toUpperCase(),
  'in small letters': (key) => key.toLowerCase(),
  'URL-encoded': encodeURIComponent,
  'URL-encoded twice': (key) => encodeURIComponent(encodeURIComponent(key)),
  'in JSON': (key) => JSON.stringify(key),
  'in hex': (key) => Buffer.from(key).toString('hex'),
  'in UTF-16, as characters': (key) => [...key].join('\0'),
  'in UTF-16, the other end first': (key) => [...key].map((character) => `\0${character}`).join(''),
  'in UTF-32': (key) => [...key].join('\0\0\0'),
  'in UTF-16, as JSON writes it': (key) => JSON.stringify([...key].join('\0')),
  'in UTF-16, URL-encoded': (key) => encodeURIComponent([...key].join('\0')),
  truncated: (key) => key.slice(0, -1),
  'without its first character': (key) => key.slice(1),
  extended: (key) => `${key}x`,
};

/** Keys that look encoded with what follows, or with what comes before. */
const LOOKING_ENCODED = ['!!!!!!%0', '41!!!!!!', '!!!!!!\\'].map((secret): [[string, string, string]] => [
  [secret, '%', '0'],
]);

for (const [form, make] of Object.entries(forms))
  test(`redaction removes the key from any text, ${form}`, () => {
    forAll(fc.tuple(key, around, around), { examples: LOOKING_ENCODED }, ([secret, before, after]) => {
      const redacted = makeRedactor({ API_KEY: secret })(`${before}${make(secret)}${after}`);
      fc.pre(!`${before}${after}`.toLowerCase().includes(secret.slice(0, 3).toLowerCase()));
      expect(redacted.toLowerCase()).not.toContain(make(secret).toLowerCase());
      expect(redacted).toContain('$API_KEY');
    });
  });

test('redaction removes the key from base64 with any text around it', () => {
  forAll(fc.tuple(key, around, around, plain), ([secret, before, after, text]) => {
    for (const alphabet of ['base64', 'base64url'] as const) {
      const encoded = Buffer.from(`${before}${secret}${after}`).toString(alphabet);
      const redacted = makeRedactor({ API_KEY: secret })(`${text}${encoded}${text}`);
      expect(redacted).toContain('(base64 of $API_KEY)');
      // The rest decodes to less than the key at any offset.
      for (const part of redacted.split('(base64 of $API_KEY)'))
        for (const offset of [0, 1, 2, 3])
          expect(Buffer.from(part.trim().slice(offset), alphabet).toString('latin1')).not.toContain(secret);
    }
  });
});

test('redaction replaces only keys, each by its variable, and leaves an id that has the digits of one in hex', () => {
  const redact = makeRedactor({ API_KEY: 'first-key-1', THROTTLE_API_KEY: 'first-key-12', OTHER: '' });
  expect(redact('a first-key-12 b first-key-1 c')).toBe('a $THROTTLE_API_KEY b $API_KEY c');
  for (const key of ['a', 'ab', 'dev', 'abcd', 'abcde'])
    expect(makeRedactor({ API_KEY: key })(`"${key}":17646576`)).toBe('"$API_KEY":17646576');
});

test('redaction removes the rest of a cut key', () => {
  const redact = makeRedactor({ API_KEY: 'secret-Key-42' });
  const text = 'the key secret-Key-42 is wrong';
  for (let length = 'the key secr'.length; length < text.length; length += 1)
    expect(redact(clip(text, length))).not.toMatch(/secr/);
  expect(redact('a secretary… (20 characters)')).toContain('secretary…');
});

/** Texts in which a key could begin at every character. */
const hostile: Record<string, (n: number) => string> = {
  'the beginning of a key': (n) => 'a'.repeat(n * 25_000),
  'nearly a key': (n) => 'secret-Key-4'.repeat(n * 2_500),
  backslashes: (n) => '\\'.repeat(n * 6_250),
  'percent signs': (n) => '%25'.repeat(n * 25_000),
  ampersands: (n) => '&amp;'.repeat(n * 12_500),
  'zero bytes': (n) => '\0'.repeat(n * 500_000),
};

for (const [about, make] of Object.entries(hostile))
  test(`redaction takes time that grows with the length of repetitions of: ${about}`, () => {
    const redact = makeRedactor({ API_KEY: 'aaaaaaaaaaaaaaaaaaaaaaab', THROTTLE_API_KEY: 'secret-Key-42' });
    expectLinear(make, redact);
  });

/** Keys as long as signed tokens, of one issuer. */
const long = (end: string): string => `eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.${'aB3-_/+9'.repeat(500)}.${end}`;

test('redaction replaces tokens of 4,000 characters in every form, in time that grows with the length', () => {
  const redact = makeRedactor({ API_KEY: long('first'), THROTTLE_API_KEY: long('second') });
  for (const make of Object.values(forms).slice(0, -3)) {
    const text = `${make(long('first'))} and ${make(long('second'))}`;
    expect(redact(text)).toMatch(/^"?\0{0,3}\(?[^()]*\$API_KEY\)?"? and "?\0{0,3}\(?[^()]*\$THROTTLE_API_KEY\)?"?$/);
  }
  expectLinear((n) => long('first').repeat(n * 5), redact);
});

test('redaction replaces a token that is truncated or cut', () => {
  const redact = makeRedactor({ API_KEY: long('first') });
  expect(redact(`<${long('first').slice(0, -1)}>`)).toBe('<($API_KEY truncated)>');
  expect(redact(`<${long('first').slice(0, 500)}…>`)).toBe('<$API_KEY…>');
  expect(redact(`<${long('first').slice(0, 40)}…>`)).toBe('<$API_KEY…>');
  expect(redact(`<${long('first').slice(0, 255)}>`)).toBe('<($API_KEY truncated)>');
});

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
    const lawful = '[{"id":1234567,"name":"Rex","categoryId":1,"status":"available"}]';
    expect(redact(lawful)).toBe(lawful);
    const error = redact(`{"code":"UNAUTHORIZED","message":"The ${key} is wrong","status":401}`);
    expect(JSON.parse(error)).toEqual({ code: 'UNAUTHORIZED', message: 'The $API_KEY is wrong', status: 401 });
  });
