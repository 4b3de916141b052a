/** The exit code is the verdict's, whatever the reporters are and however little was run. */
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from '@playwright/test';
import { Problem } from '../../../fixtures/reference/service.ts';
import { defective, idsOf, quick, suite, test } from './spawn.ts';

const KEY = 'exit-key-51c2';
const ONE = '--grep=@orders.exists';
const REFERENCE = { TARGET: 'reference' };

interface JsonSuite {
  specs: { ok: boolean; tests: { results: { workerIndex: number }[] }[] }[];
  suites?: JsonSuite[];
}

const specsOf = (suites: JsonSuite[]): JsonSuite['specs'] =>
  suites.flatMap((one) => [...one.specs, ...specsOf(one.suites ?? [])]);

for (const reporters of ['line', 'list,./tests/reporter.ts'])
  test(`--reporter=${reporters}: a partial run exits with 1 if REQUIRE=conforms`, async ({ directory }) => {
    const env = { ...REFERENCE, REQUIRE: 'conforms' };
    const ended = await suite(directory, env, `--reporter=${reporters}`, ONE);
    expect(ended.code, ended.text).toBe(1);
    expect(ended.report().verdict).toBe('partial');
    expect(idsOf(ended.report(), 'passed')).toEqual(['orders.exists']);
    expect(ended.stdout.trimEnd().split('\n').at(-1)).toMatch(/^PARTIAL: 1 requirement holds/);
    expect(ended.stderr).toBe('');
  });

test('--reporter=json has standard output for itself, sees failed tests, and keeps their worker', async ({
  directory,
  serving,
}) => {
  const { baseUrl } = await serving(KEY, (service) => {
    service.notFound = () => new Problem(410, 'gone', 'It is gone.');
  });
  const page = join(directory, 'page.md');
  const env = { BASE_URL: baseUrl, API_KEY: KEY, GITHUB_ACTIONS: 'true', GITHUB_STEP_SUMMARY: page };
  const ended = await suite(directory, env, '--reporter=json', '--grep=@get\\.|@service.no-undocumented');
  expect(ended.code, ended.text).toBe(1);
  const { suites, config } = JSON.parse(ended.stdout) as { suites: JsonSuite[]; config: object };
  const specs = specsOf(suites);
  expect(specs.filter(({ ok }) => !ok).length).toBeGreaterThan(1);
  const workers = specs.flatMap(({ tests }) => tests[0]?.results.map(({ workerIndex }) => workerIndex));
  expect(new Set(workers)).toEqual(new Set([0]));
  expect(Object.keys(config)).not.toContain('@playwright/test');
  expect(ended.stderr).toMatch(/^Judging .*^::error title=Problem 1::.*^VIOLATES: \d+ of /ms);
});

test('quick exits and reports as a run does, and answers each order with one line', async ({ directory, serving }) => {
  const [good, bad] = [await serving(KEY), await serving(KEY, defective('orders.exists/not-found'))];
  const options = (baseUrl: string) => ['--base-url', baseUrl, '--key', KEY, '--throttling=off'];
  const red = await quick(directory, [...options(bad.baseUrl), '--report', join(directory, 'report')]);
  expect(red.code, red.text).toBe(1);
  expect(idsOf(red.report(), 'failed')).toContain('orders.exists');
  expect(red.stdout).toContain(`Report: ${join(directory, 'report', 'index.html')}`);
  const strict = await quick(directory, [...options(good.baseUrl), '--require', 'conforms']);
  expect(strict.code, strict.text).toBe(1);
  expect(strict.stdout).toMatch(/\nPARTIAL: /);
  expect(strict.stdout).not.toContain('Report:');
  const order = (baseUrl: string, more = {}) =>
    JSON.stringify({ 'base-url': baseUrl, key: KEY, throttling: 'off', ...more });
  const orders = [order(good.baseUrl), 'no JSON', order(bad.baseUrl, { colour: 'red' }), order(bad.baseUrl)];
  const { code, stdout } = await quick(directory, ['--orders'], orders.join('\n'));
  expect(code, stdout).toBe(0);
  const answers = stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as object);
  expect(answers).toEqual([
    expect.objectContaining({ verdict: 'partial', failed: [], problems: [] }),
    { verdict: 'error', reason: expect.stringContaining('JSON') as unknown },
    { verdict: 'error', reason: 'COLOUR is not a setting' },
    expect.objectContaining({
      verdict: 'violates',
      problems: [expect.stringMatching(/^GET \/store\/orders.*: 404/)] as unknown,
    }),
  ]);
  expect(red.text + strict.text + stdout).not.toContain(KEY);
});

test('what the environment makes a child print or write changes nothing', async ({ directory }) => {
  const [preload, own] = [join(directory, 'preload.cjs'), join(directory, 'own.json')];
  writeFileSync(preload, 'console.log("preloaded")');
  writeFileSync(own, 'a file of the user');
  const env = { ...REFERENCE, NODE_OPTIONS: `--require=${preload}`, PLAYWRIGHT_JSON_OUTPUT_NAME: own };
  const ended = await suite(directory, env, 'tests/conformance.spec.ts', ONE);
  expect(ended.code, ended.text).toBe(0);
  expect(ended.report()).toMatchObject({ verdict: 'partial', errors: [] });
  expect(ended.report().sentence).toMatch(/^partial: 1 requirement holds, none is violated, \d\d not selected$/);
  expect(readFileSync(own, 'utf8')).toBe('a file of the user');
});

test('a run in which nothing was selected that counts has no verdict', async ({ directory }) => {
  const ended = await suite(directory, REFERENCE, '--grep=@http.method-not-allowed');
  expect(ended.code, ended.text).toBe(1);
  expect(ended.report()).toMatchObject({
    verdict: 'cantTell',
    sentence: 'no verdict: only recommendations were judged (LEVEL=should makes them count), no requirement',
  });
  expect(ended.file('junit.xml')).toContain('<testcase classname="conformance.the suite itself" name="no verdict"');
  const counting = await suite(directory, { ...REFERENCE, LEVEL: 'should' }, '--grep=@http.method-not-allowed');
  expect(counting.code, counting.text).toBe(0);
  expect(counting.report().verdict).toBe('partial');
});

test('--last-failed after a green run, and --only-changed without a change, have nothing to run', async ({
  directory,
}) => {
  const git = (...args: string[]) => spawnSync('git', args, { cwd: directory, encoding: 'utf8' });
  git('init', '-q');
  git('-c', 'user.name=x', '-c', 'user.email=x@example.com', 'commit', '-q', '--allow-empty', '-m', 'x');
  const repository = { GIT_DIR: join(directory, '.git'), GIT_WORK_TREE: join(directory, '.git') };
  const green = await suite(directory, REFERENCE, '--reporter=dot', ONE);
  expect(green.code, green.text).toBe(0);
  for (const [option, env, why] of [
    ['--last-failed', {}, 'no test failed in the last run'],
    ['--only-changed', repository, 'no file of tests has changed'],
  ] as const) {
    const ended = await suite(directory, { ...REFERENCE, ...env }, option);
    expect(ended.code, ended.text).toBe(1);
    const sentence = `no verdict: nothing to run: ${why} (${option})`;
    expect(ended.report()).toMatchObject({ verdict: 'cantTell', sentence, errors: [] });
    expect(ended.stdout.trimEnd().split('\n').at(-1)).toBe(sentence.replace('no verdict', 'NO VERDICT'));
  }
});

/** What ends a worker at its first request. */
const ENDS = [
  { title: 'killed', code: 'process.kill(process.pid, "SIGKILL")', words: 'was killed (SIGKILL), as systems do when' },
  {
    title: 'out of heap',
    code: `require('node:fs').writeSync(2, 'Allocation failed - JavaScript heap out of memory'), process.abort()`,
    words: 'the run ran out of memory: NODE_OPTIONS=--max-old-space-size=4096 gives it more',
  },
] as const satisfies readonly { title: string; code: string; words: string }[];

for (const { title, code, words } of ENDS)
  test(`a run whose process of tests is ${title} names the memory`, async ({ directory }) => {
    const preload = join(directory, 'preload.cjs');
    const end = `() => process.env.TEST_WORKER_INDEX && (${code})`;
    writeFileSync(preload, `require('node:diagnostics_channel').subscribe('undici:request:create', ${end});`);
    const ended = await suite(directory, { ...REFERENCE, NODE_OPTIONS: `--require=${preload}` }, '--grep=@get.found');
    expect(ended.code, ended.text).toBe(1);
    expect(ended.report()).toMatchObject({ verdict: 'error', sentence: expect.stringContaining(words) as unknown });
    expect(ended.stdout.trimEnd().split('\n').at(-1)).toContain(`ERROR: `);
  });
