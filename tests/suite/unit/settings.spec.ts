import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { allowed } from '../../../fixtures/run.ts';
import { fileNotices, loaded, loadEnvironmentFiles } from '../../../fixtures/settings/settings.ts';
import { readEnvironmentFile, readSettings, rerunPrefix, shownSettings } from '../../../fixtures/settings/settings.ts';
import { type SettingName, toMemberName } from '../../../fixtures/settings/table.ts';
import { expect, test } from './make.ts';

const lawful = { BASE_URL: 'https://host/shop/v1', API_KEY: 'secret' };

function mistakes(env: Record<string, string>): readonly string[] {
  try {
    readSettings(allowed, env);
    return [];
  } catch (error) {
    return (error as Error).message.split('\n  - ').slice(1);
  }
}

const EVERY: [name: SettingName, given: string, read: unknown, unset: unknown][] = [
  ['BASE_URL', ' http://127.0.0.1:8080/v1// ', 'http://127.0.0.1:8080/v1', undefined],
  ['API_KEY', 'secret', 'secret', ''],
  ['THROTTLE_API_KEY', 'other', 'other', ''],
  ['PLAN', 'pro', 'pro', undefined],
  ['CATEGORY_ID', '-9223372036854775808', '-9223372036854775808', '1'],
  ['READ_ONLY', '1', true, false],
  ['THROTTLING', 'off', 'off', 'auto'],
  ['MAX_WAIT', '7.5', 7.5, 90],
  ['LEVEL', 'should', 'should', 'must'],
  ['DEPTH', 'thorough', 'thorough', 'standard'],
  ['REQUIRE', 'conforms', 'conforms', 'partial'],
  ['IMPLEMENTATION', ' Shop 3 ', 'Shop 3', undefined],
  ['REPORT_DIR', 'out', 'out', 'conformance-report'],
];

test('every variable is read, and has its default if it is unset or empty', () => {
  const read = (env: Record<string, string>) => {
    const settings = readSettings(allowed, env);
    return EVERY.map(([name]) => settings[toMemberName(name) as keyof typeof settings]);
  };
  expect(read(Object.fromEntries(EVERY))).toEqual(EVERY.map((row) => row[2]));
  const empty = Object.fromEntries(EVERY.map(([name], i) => [name, i % 2 === 0 ? ' ' : '']));
  for (const env of [{}, empty]) expect(read(env)).toEqual(EVERY.map((row) => row[3]));
  expect(readSettings(allowed, lawful).throttleApiKey).toBe('secret');
});

const wrong: readonly [Record<string, string>, string][] = [
  [{ ...lawful, BASE_URL: 'host:80/v1' }, 'BASE_URL is "host:80/v1": not an address'],
  [{ ...lawful, BASE_URL: 'ftp://host/v1' }, 'BASE_URL begins with ftp://: expected http'],
  [{ ...lawful, BASE_URL: 'https://host' }, 'the path of the base address ends in /v1'],
  [{ ...lawful, BASE_URL: 'https://host/v1?key=hunter2' }, 'must not have a query or a fragment'],
  [{ ...lawful, BASE_URL: 'https://host/v1?' }, 'must not have a query or a fragment'],
  [{ ...lawful, BASE_URL: 'https://me:hunter2?@a:99999/v1' }, 'BASE_URL is "https://…@a:99999/v1": not an address'],
  [{ ...lawful, BASE_URL: 'https://host/secret/v1' }, 'BASE_URL has a key in it'],
  [{ API_KEY: 'of-hunter2', BASE_URL: 'https://of-hunter2.host/v1' }, 'BASE_URL has a key in it'],
  [{ ...lawful, API_KEY: 'of-hunter2', PLAN: 'of-hunter2' }, 'PLAN has a key in it'],
  [{ API_KEY: 'hunter2', BASE_URL: 'https://hunter2/v1' }, 'BASE_URL has a key in it'],
  [{ ...lawful, THROTTLE_API_KEY: 'hunter2/', BASE_URL: 'https://host/k=hunter2%2f/v1' }, 'BASE_URL has a key in it'],
  [{ BASE_URL: 'https://host/v1' }, 'API_KEY is not set: it is required with BASE_URL'],
  [{ ...lawful, API_KEY: 'a b' }, 'API_KEY contains characters that are not allowed'],
  [{ ...lawful, THROTTLE_API_KEY: '\ufffd' }, 'THROTTLE_API_KEY contains characters that are not allowed'],
  [{ PLAN: 'gold' }, 'PLAN is "gold": expected one of free, pro, business, enterprise'],
  [{ CATEGORY_ID: 'one' }, 'CATEGORY_ID is "one"'],
  [{ CATEGORY_ID: '9223372036854775808' }, 'CATEGORY_ID is "9223372036854775808"'],
  [{ READ_ONLY: '1', THROTTLING: 'on' }, 'exclude each other'],
  [{ MAX_WAIT: 'long' }, 'MAX_WAIT is "long"'],
  [{ MAX_WAIT: '-1' }, 'MAX_WAIT is "-1"'],
  [{ MAX_WAIT: '2200000' }, 'MAX_WAIT is "2200000"'],
  [{ WAIVERS: 'no-such-file.yaml' }, 'no-such-file.yaml'],
  [{ WAIVERS: 'tests' }, 'WAIVERS names tests, which is not a file'],
  [{ NODE_DEBUG: 'http' }, 'NODE_DEBUG=http: Node and its HTTP client would print requests'],
  [{ TARGET: 'nowhere' }, 'there is no file .env.nowhere, and BASE_URL is not set'],
  [{ TARGET: 'reference', ...lawful }, 'set only one of them'],
  [{ CI: 'true' }, 'only with TARGET=reference'],
  [{ ...lawful, BASE_URL: 'https://me:hunter2@host/v1' }, 'the key belongs in API_KEY'],
  [{ ...lawful, THROTTLE_API_KY: 'x' }, 'THROTTLE_API_KY is not a setting of this suite: did you mean THROTTLE_API_'],
  [{ ...lawful, READONLY: '1' }, 'did you mean READ_ONLY?'],
];

test('one mistake is reported of each, and all of several at once', () => {
  for (const [env, message] of wrong) {
    expect(mistakes(env)).toEqual([expect.stringContaining(message)]);
    expect(`${mistakes(env).join()} ${JSON.stringify(shownSettings(env))}`).not.toContain('hunter2');
  }
  const names = ['BASE_URL', 'PLAN', 'CATEGORY_ID', 'READ_ONLY', 'THROTTLING', 'MAX_WAIT', 'LEVEL', 'DEPTH', 'WAIVERS'];
  const all = mistakes(Object.fromEntries(names.map((name) => [name, 'x']))).join('\n');
  for (const name of [...names, 'API_KEY']) expect(all).toContain(name);
  for (const CI of ['false', '0', 'False']) expect(mistakes({ CI })).toEqual([]);
  for (const more of [{ TARGET: 'reference' }, lawful]) expect(mistakes({ CI: '1', ...more })).toEqual([]);
});

test.describe('files', () => {
  const PLAIN = { BASE_URL: 'http://plain/v1', API_KEY: 'plain', DEPTH: 'thorough' };
  const TEXT = 'BASE_URL=http://plain/v1\r\nAPI_KEY=plain\r\nDEPTH=thorough\r\n';
  test.beforeEach(({ directory, setVariables: _ }) => {
    writeFileSync(join(directory, '.env'), TEXT);
    writeFileSync(join(directory, '.env.staging'), 'BASE_URL=http://staging/v1\nAPI_KEY=staging\n');
  });
  test.afterEach(() => {
    loaded.clear();
    fileNotices.length = 0;
  });

  const ENCODED: [title: string, bytes: Buffer, refused?: RegExp][] = [
    ['UTF-8 with a byte order mark', Buffer.from(`\ufeff${TEXT}`)],
    ['Latin-1, with an accent in a comment', Buffer.from(`# clé\n${TEXT}`, 'latin1')],
    ['a # behind quotes and a blank', Buffer.from(TEXT.replace('=thorough', "='thorough' # a#b"))],
    ['a # in a value', Buffer.from('export API_KEY=abc#def'), /API_KEY would end at its #/],
  ];
  for (const [title, bytes, refused] of ENCODED)
    test(`.env with ${title} is ${refused ? 'refused, with its name' : 'read'}`, ({ directory }) => {
      const file = join(directory, '.env');
      writeFileSync(file, bytes);
      if (refused) expect(() => readEnvironmentFile(file)).toThrow(refused);
      else expect(readEnvironmentFile(file)).toEqual(PLAIN);
      // A folder of this name has no settings.
      expect(readEnvironmentFile(directory)).toBeUndefined();
    });

  const STAGING = { BASE_URL: 'http://staging/v1', API_KEY: 'staging', DEPTH: 'thorough' };
  for (const [title, env, expected] of [
    ['.env is read', {}, PLAIN],
    ['.env.<TARGET> wins over .env', { TARGET: 'staging' }, STAGING],
    ['the environment wins over both', { TARGET: 'staging', API_KEY: 'mine' }, { ...STAGING, API_KEY: 'mine' }],
    ['the embedded reference ignores files', { TARGET: 'reference' }, {}],
    ['TARGET in .env loads its file', 'TARGET=staging', STAGING],
  ] as const)
    test(title, ({ directory }) => {
      for (const name of ['TARGET', ...Object.keys(PLAIN)]) delete process.env[name];
      if (typeof env === 'string') writeFileSync(join(directory, '.env'), TEXT + env);
      else Object.assign(process.env, env);
      loadEnvironmentFiles(directory);
      const { BASE_URL, API_KEY, DEPTH } = process.env;
      expect({ BASE_URL, API_KEY, DEPTH }).toEqual(expected);
    });

  test('.env without a setting of this suite is reported, and does not lead to the reference', ({ directory }) => {
    // As PowerShell may write it.
    writeFileSync(join(directory, '.env'), `\ufeff${TEXT}`, 'utf16le');
    loadEnvironmentFiles(directory);
    const notice = '.env, read as UTF-8, has no setting of this suite';
    expect(fileNotices).toEqual([notice]);
    expect(mistakes({})).toEqual([expect.stringContaining(`${notice}: set BASE_URL and API_KEY in it`)]);
    expect(mistakes(lawful)).toEqual([]);
  });
});

test.describe('shown settings', () => {
  const given = { ...lawful, THROTTLE_API_KEY: 'other', DEPTH: 'thorough', PLAN: ' pro ' };

  test('a key is shown only as set or unset', () => {
    expect(Object.fromEntries(shownSettings(given))).toMatchObject({
      ...{ BASE_URL: 'https://host/shop/v1', API_KEY: 'set', THROTTLE_API_KEY: 'set', DEPTH: 'thorough', PLAN: 'pro' },
      ...{ MAX_WAIT: '90 (default)', TARGET: 'not set' },
    });
    expect(JSON.stringify(shownSettings(given))).not.toMatch(/secret|other/);
    expect(Object.fromEntries(shownSettings({})).API_KEY).toBe('not set');
    expect(Object.fromEntries(shownSettings({ ...given, BASE_URL: 'other' })).BASE_URL).toBe('/…');
  });

  const KEYS = 'API_KEY="$API_KEY" THROTTLE_API_KEY="$THROTTLE_API_KEY"';
  const STAGING = { ...given, TARGET: 'staging' };
  const FILES = ['PLAN', 'DEPTH'];
  const AGAIN: [command: string, env: Record<string, string>, fromFiles?: string[]][] = [
    [`${KEYS} BASE_URL=https://host/shop/v1 PLAN=pro DEPTH=thorough`, given],
    ['TARGET=reference', { TARGET: 'reference', API_KEY: 'secret-9' }],
    ['API_KEY="$API_KEY" TARGET=staging', { ...lawful, TARGET: 'staging' }],
    ['API_KEY="$API_KEY" BASE_URL=https://host/shop/v1 MAX_WAIT=5', { ...lawful, MAX_WAIT: '5' }],
    [`${KEYS} TARGET=staging`, STAGING, FILES],
    ['TARGET=staging', STAGING, [...FILES, 'API_KEY', 'THROTTLE_API_KEY']],
    [`API_KEY="$API_KEY" BASE_URL='https://host/a'\\''b$(id)/v1'`, { ...lawful, BASE_URL: "https://host/a'b$(id)/v1" }],
  ];
  test('a part of a run is repeated with what changes its judgement, and the names of its keys', () => {
    for (const [command, env, fromFiles] of AGAIN)
      expect(rerunPrefix(readSettings(allowed, env), env, new Set(fromFiles))).toBe(command);
  });
});
