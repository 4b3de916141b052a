/** Runs that cannot begin, are interrupted or cannot write: what they print, send and leave behind, and their exit code. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from '@playwright/test';
import { everything } from '../hostile/artefacts.ts';
import { wrongInArtefacts } from '../hostile/runs.ts';
import { findSchemaErrors } from '../report/schema.ts';
import { type Handle, KEY, ODD_KEY } from './serve.ts';
import { REPORTER, starting, suite, test as base } from './spawn.ts';

/** The text of an earlier, green report. */
const EARLIER = JSON.stringify({ verdict: 'conforms', suite: { version: '1.0.0' }, requirements: [] });
const FILES = ['conformance.json', 'index.html', 'summary.md', 'junit.xml', 'badge.json'];

/** `reports`: the folder of an earlier report. */
const test = base.extend<{ reports: string }>({
  reports: async ({ directory }, use) => {
    const reports = join(directory, 'report');
    mkdirSync(reports);
    for (const name of FILES) writeFileSync(join(reports, name), EARLIER);
    await use(reports);
  },
});

const ofEarlierRun = (reports: string): string[] =>
  readdirSync(reports).filter((name) => readFileSync(join(reports, name), 'utf8') === EARLIER);

/** Settings of runs that cannot begin, below the folder of the test. */
const STOPS: [title: string, env: Record<string, string>, words: string[], ...args: string[]][] = [
  ['settings are invalid', { PLAN: 'gold' }, ['PLAN is "gold": expected one of']],
  ['the contract is not YAML', { CONTRACT: './openapi.yaml' }, ['cannot be read']],
  [
    'shards are asked for',
    {},
    ['--shard=1/2 is not supported: a run sends about a hundred requests with one key'],
    '--shard=1/2',
  ],
  ['Playwright empties that folder', { PLAYWRIGHT_HTML_OUTPUT_DIR: './' }, ['Set REPORT_DIR to another folder']],
  ['the temporary folder is missing', { TMPDIR: './openapi.yaml/tmp' }, ['The system stopped the run: ENOTDIR']],
  [
    'nothing listens, on GitHub and with a waiver',
    { BASE_URL: 'http://127.0.0.1:9/v1', GITHUB_ACTIONS: 'true', WAIVERS: './waivers.yaml' },
    ['http://127.0.0.1:9/v1 cannot be reached: ECONNREFUSED', '::error title=The run did not begin::'],
  ],
];
for (const [title, more, words, ...args] of STOPS)
  test(`if ${title}, one message is printed, nothing is sent, and the report is that of this run`, async ({
    directory,
    reports,
    serving,
  }) => {
    writeFileSync(join(directory, 'openapi.yaml'), '\tinfo: [');
    const waiver = { requirement: 'list.succeeds', reason: 'SHOP-12', owner: 'shop', expires: '2999-12-31' };
    writeFileSync(join(directory, 'waivers.yaml'), JSON.stringify([waiver]));
    const { env, asked } = await serving();
    const given = Object.entries(more).map(([name, value]) => [name, value.replace(/^\.(?=\/)/, directory)]);
    const ended = await suite(directory, { ...env, ...Object.fromEntries(given) }, REPORTER, ...args);
    const { code, text } = ended;
    expect(code, text).toBe(1);
    for (const each of words) expect(text).toContain(each);
    expect(text).not.toMatch(/^\s+at .+:\d+|\d+ (passed|failed|did not run)/m);
    expect(text.trim().split('\n').length, text).toBeLessThanOrEqual(8);
    const report = ended.report();
    const verdict = more.BASE_URL === undefined ? 'error' : 'cantTell';
    expect(report, text).toMatchObject({ verdict, counts: { passed: 0, failed: 0, waived: 0 } });
    expect(findSchemaErrors(report)).toEqual([]);
    expect(text + JSON.stringify(report)).not.toContain(KEY);
    expect(asked).toEqual([]);
    expect(ofEarlierRun(reports)).toEqual([]);
    expect(ended.file('junit.xml')).toContain('name="the run did not begin"');
    const gating = report.requirements.filter((each) => each.gating);
    expect(new Set(gating.map(({ outcome }) => outcome))).toEqual(new Set(['untested']));
  });

test('a REPORT_DIR that is a file is reported before anything is sent', async ({ directory, serving }) => {
  const { env, asked } = await serving();
  const { code, text } = await suite(directory, { ...env, REPORT_DIR: import.meta.filename }, REPORTER);
  expect([code, text]).toEqual([1, expect.stringContaining('Set REPORT_DIR to a folder that can be written')]);
  expect(text).not.toMatch(/^\s+at .+:\d+/m);
  expect(asked).toEqual([]);
});

/** Where an error that nobody expects is thrown, by a script that runs in every process before anything else. */
const BROKEN: [where: string, script: string, thrown: RegExp][] = [
  [
    'the global set-up',
    // The first call is of the configuration, and the report has later ones.
    'let left = 2; const { canParse } = URL; URL.canParse = (url) => { if ((left -= 1) === 0) throw new TypeError(`broken by ${process.env.API_KEY}`); return canParse(url); };',
    /before it could judge anything: TypeError: broken by \$API_KEY\n/,
  ],
  [
    'the set-up of a worker',
    "if (process.send) process.env.CONFORMANCE_RUN = '{';",
    /before it could judge anything: SyntaxError: .*\n/,
  ],
];
for (const [where, script, thrown] of BROKEN)
  test(`an unexpected error in ${where} is printed once, with where to report it`, async ({ directory, serving }) => {
    const { env } = await serving();
    const preload = { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(script)}` };
    const ended = await suite(directory, { ...env, ...preload }, '--grep', '@list.succeeds');
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
  reports,
  serving,
}) => {
  const { env, asked } = await serving();
  const ended = await suite(directory, { ...env, THROTTLING: '', DRY_RUN: '1' });
  expect(ended.code, ended.text).toBe(0);
  expect(ended.text).toMatch(/At most \d+ requests are sent to.*at most \d+ animals.*DRY_RUN=1: nothing is sent/s);
  expect(asked).toEqual([]);
  expect(ofEarlierRun(reports).sort()).toEqual([...FILES].sort());
});

/** Slow from a request on, so that a run can be interrupted. */
const slow: Handle = async ({ count }, ask) => {
  if (count >= 20) await sleep(400);
  return ask();
};

for (const [signal, title] of [
  ['SIGINT', 'a person presses Ctrl-C'],
  ['SIGTERM', 'a CI system cancels the job'],
  ['SIGKILL', 'memory runs out'],
] as const)
  test(`${signal} in mid-run (${title}): the report is neither an earlier nor a green one`, async ({
    directory,
    reports,
    serving,
  }) => {
    const { env, asked } = await serving({ key: ODD_KEY, handle: slow });
    const { child, ended } = starting(directory, env, []);
    while (asked.length < 22 && child.exitCode === null) await sleep(20);
    const sent = asked.length;
    child.kill(signal);
    const { code, text, report } = await ended;
    expect(code, text).not.toBe(0);
    // Requests in flight still arrive; no new one is sent.
    expect(asked.length, text).toBeLessThanOrEqual(sent + 5);
    // What is written at the beginning stays if nothing can be written later.
    expect(report(), text).toMatchObject({ verdict: 'error' });
    expect(report().sentence).toContain(signal === 'SIGKILL' ? 'not finished' : 'ended early (interrupted)');
    expect(ofEarlierRun(reports)).toEqual([]);
    expect(wrongInArtefacts(everything(reports).set('what was printed', text))).toEqual([]);
  });

test('a full disk fails the run', async ({ directory, serving, reports }) => {
  const { env } = await serving();
  // Playwright has written its own files before. The shell limits each file to 125 or 250 kB: an empty report fits.
  const { code, text, report } = await starting(directory, env, [REPORTER], 'ulimit -f 250').ended;
  expect(code, text).not.toBe(0);
  expect(text).toMatch(/EFBIG.*^ERROR: /ms);
  expect(report(), text).toMatchObject({ verdict: 'error' });
  expect(ofEarlierRun(reports)).not.toContain('conformance.json');
});
