/** Runs that cannot begin, as processes: what they print, send and write, and their exit code. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from '@playwright/test';
import { type Ended, REPORTER, ROOT, suite, test as base } from '../gate/spawn.ts';
import { findSchemaErrors } from '../report/schema.ts';

const KEY = 'stopped-key-3b90';

interface Target {
  baseUrl: string;
  /** `GET /pets` */
  asked: string[];
}

const test = base.extend<{ target: Target }>({
  target: async ({ serving }, use) => {
    const asked: string[] = [];
    const { baseUrl } = await serving(KEY, (service) => {
      const finish = service.finish.bind(service);
      service.finish = (request, reply) => {
        asked.push(`${request.method} ${request.path}`);
        return finish(request, reply);
      };
    });
    await use({ baseUrl, asked });
  },
});

/** Expects one message of few lines, without stack trace, key or tests, and a report with it. */
function expectStop(ended: Ended, verdict: string, ...words: readonly string[]): void {
  const { code, text } = ended;
  expect(code, text).toBe(1);
  for (const each of words) expect(text).toContain(each);
  expect(text).not.toMatch(/^\s+at .+:\d+/m);
  expect(text).not.toMatch(/\d+ (passed|failed|did not run)/);
  expect(text.trim().split('\n').length, text).toBeLessThanOrEqual(8);
  const report = ended.report();
  expect(report, text).toMatchObject({ verdict, counts: { passed: 0, failed: 0, waived: 0 } });
  expect(findSchemaErrors(report)).toEqual([]);
  expect(text + JSON.stringify(report)).not.toContain(KEY);
}

/** The text of an earlier, green report. */
const EARLIER = JSON.stringify({ verdict: 'conforms', suite: { version: '1.0.0' }, requirements: [] });
const REPORT_FILES = ['conformance.json', 'index.html', 'summary.md', 'junit.xml', 'badge.json'];

/** Writes an earlier report. @returns its folder. */
function reportBefore(directory: string): string {
  const reports = join(directory, 'report');
  mkdirSync(reports);
  for (const name of REPORT_FILES) writeFileSync(join(reports, name), EARLIER);
  return reports;
}

const ofEarlierRun = (reports: string): string[] =>
  readdirSync(reports).filter((name) => readFileSync(join(reports, name), 'utf8') === EARLIER);

const THIS_FILE = fileURLToPath(import.meta.url);

/** A contract that differs in one text. */
const contractWith = (from: string, to: string) => (directory: string) => {
  const CONTRACT = join(directory, 'openapi.yaml');
  writeFileSync(CONTRACT, readFileSync(join(ROOT, 'spec/openapi.yaml'), 'utf8').replace(from, to));
  return { CONTRACT };
};

const STOPS: {
  title: string;
  env?: (directory: string) => Record<string, string>;
  args?: string[];
  verdict?: string;
  words: string[];
}[] = [
  { title: 'settings are invalid', env: () => ({ PLAN: 'gold' }), words: ['PLAN is "gold": expected one of'] },
  { title: 'the contract is not YAML', env: contractWith('info:', '\tinfo: ['), words: ['cannot be read'] },
  {
    title: 'the contract has no orders',
    env: contractWith('/store/orders:', '/store/sales:'),
    words: ['has no GET /store/orders'],
  },
  {
    title: 'shards are asked for',
    args: ['--shard=1/2'],
    words: ['--shard=1/2 is not supported: a run sends about a hundred requests with one key'],
  },
  {
    title: 'the temporary folder is missing',
    env: () => ({ TMPDIR: join(THIS_FILE, 'tmp') }),
    words: ['Set TMPDIR to a folder that can be written'],
  },
  {
    title: 'nothing listens, on GitHub and with a waiver',
    env: (directory) => {
      const waiver = { requirement: 'list.succeeds', reason: 'SHOP-12', owner: 'shop', expires: '2999-12-31' };
      writeFileSync(join(directory, 'waivers.yaml'), JSON.stringify([waiver]));
      const waivers = { WAIVERS: join(directory, 'waivers.yaml') };
      return { ...waivers, BASE_URL: 'http://127.0.0.1:9/v1', GITHUB_ACTIONS: 'true' };
    },
    verdict: 'cantTell',
    words: ['Nothing listens at http://127.0.0.1:9/v1', '::error title=The run did not begin::'],
  },
];

for (const { title, env = () => ({}), args = [], verdict = 'error', words } of STOPS)
  test(`if ${title}, nothing is sent, and the report is that of this run`, async ({ directory, target }) => {
    const reports = reportBefore(directory);
    const settings = { BASE_URL: target.baseUrl, API_KEY: KEY, ...env(directory) };
    const ended = await suite(directory, settings, REPORTER, ...args);
    expectStop(ended, verdict, ...words);
    expect(target.asked).toEqual([]);
    expect(ofEarlierRun(reports)).toEqual([]);
    expect(ended.file('junit.xml')).toContain('name="the run did not begin"');
    const gating = ended.report().requirements.filter((each) => each.gating);
    expect(new Set(gating.map(({ outcome }) => outcome))).toEqual(new Set(['untested']));
  });

test('a REPORT_DIR that is a file is reported before anything is sent', async ({ directory, target }) => {
  const env = { BASE_URL: target.baseUrl, API_KEY: KEY, REPORT_DIR: THIS_FILE };
  const { code, text } = await suite(directory, env, REPORTER);
  expect([code, text]).toEqual([1, expect.stringContaining('REPORT_DIR')]);
  expect(text).not.toMatch(/^\s+at .+:\d+/m);
  expect(target.asked).toEqual([]);
});

/** Runs a script in every process of the run before anything else, which breaks something there. */
const preloading = (script: string) => ({
  NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(script)}`,
});

for (const { title, script, thrown } of [
  {
    title: 'the global set-up',
    script: 'URL.canParse = () => { throw new TypeError(`broken by ${process.env.API_KEY}`); };',
    thrown: /before it could judge anything: TypeError: broken by \$API_KEY\n/,
  },
  {
    title: 'the set-up of a worker',
    script: "if (process.send) process.env.CONFORMANCE_RUN = '{';",
    thrown: /before it could judge anything: SyntaxError: .*\n/,
  },
])
  test(`an unexpected error in ${title} is printed once, with where to report it`, async ({ directory, target }) => {
    const env = { BASE_URL: target.baseUrl, API_KEY: KEY, ...preloading(script) };
    const ended = await suite(directory, env, '--grep', '@list.succeeds');
    const { text } = ended;
    expect(ended.code, text).toBe(1);
    expect(text).toMatch(thrown);
    for (const words of ['before it could judge anything', 'SECURITY.md'])
      expect(text.split(words), text).toHaveLength(2);
    expect(text + ended.file('conformance.json')).not.toContain(KEY);
    expect(text).not.toContain('no test judges it');
    expect(ended.report()).toMatchObject({ verdict: 'error', counts: { passed: 0, failed: 0, cantTell: 0 } });
  });

test('DRY_RUN=1 prints the requests, sends nothing, and keeps the report of an earlier run', async ({
  directory,
  target,
}) => {
  const reports = join(directory, 'report');
  mkdirSync(reports);
  writeFileSync(join(reports, 'conformance.json'), 'of an earlier run');
  const ended = await suite(directory, { BASE_URL: target.baseUrl, API_KEY: KEY, THROTTLING: '', DRY_RUN: '1' });
  expect(ended.code, ended.text).toBe(0);
  expect(ended.text).toMatch(/At most \d+ requests are sent to.*At most \d+ animals.*DRY_RUN=1: nothing is sent/s);
  expect(target.asked).toEqual([]);
  expect(readdirSync(reports)).toEqual(['conformance.json']);
  expect(ended.file('conformance.json')).toBe('of an earlier run');
});
