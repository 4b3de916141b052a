/** The exit code is the verdict's, whatever the reporters are and however little was run. */
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from '@playwright/test';
import { defective, idsOf, quick, suite, test } from './spawn.ts';

const KEY = 'exit-key-51c2';
const ONE = '--grep=@orders.exists';
const REFERENCE = { TARGET: 'reference' };

test('--reporter=list,./tests/reporter.ts: a partial run exits with 1 if REQUIRE=conforms', async ({ directory }) => {
  const env = { ...REFERENCE, CONFORMANCE_PUBLIC_TEST: '1', REQUIRE: 'conforms' };
  const ended = await suite(directory, env, '--reporter=list,./tests/reporter.ts', ONE);
  expect(ended.code, ended.text).toBe(1);
  expect(ended.report().verdict).toBe('partial');
  expect(idsOf(ended.report(), 'passed')).toEqual(['orders.exists']);
  expect(ended.stdout.trimEnd().split('\n').at(-1)).toMatch(/^PARTIAL: 1 requirement holds/);
  expect(ended.stderr).toBe('');
});

test('quick exits and reports as a run does, and answers each order with one line', async ({ directory, serving }) => {
  const [good, bad] = [await serving(KEY), await serving(KEY, defective('orders.exists/not-found'))];
  const options = ['--base-url', bad.baseUrl, '--throttling=off', '--key'];
  const other = await quick(directory, [...options, '-no-key']);
  expect([other.code, other.text]).toEqual([1, expect.stringContaining('rejects the key')]);
  expect((await quick(directory, options)).text).toBe('--key needs a value\n');
  options.push(KEY);
  const red = await quick(directory, [...options, '--report', join(directory, 'report')]);
  expect(red.code, red.text).toBe(1);
  expect(idsOf(red.report(), 'failed')).toContain('orders.exists');
  expect(red.stdout).toContain(`Report: ${join(directory, 'report', 'index.html')}`);
  const order = (baseUrl: string, more = {}) =>
    JSON.stringify({ 'base-url': baseUrl, key: KEY, throttling: 'off', ...more });
  const orders = [
    order(good.baseUrl),
    'no JSON',
    order(bad.baseUrl, { colour: 'red' }),
    order(bad.baseUrl, { maxWait: 5 }),
  ];
  const { code, stdout } = await quick(directory, ['--orders'], { input: orders.join('\n') });
  expect(code, stdout).toBe(0);
  const answers = stdout.trimEnd().split('\n');
  expect(answers.map((line) => JSON.parse(line) as object)).toEqual([
    expect.objectContaining({ verdict: 'partial', failed: [], problems: [] }),
    { verdict: 'error', reason: expect.stringContaining('JSON') as unknown },
    { verdict: 'error', reason: 'COLOUR is not a setting' },
    expect.objectContaining({
      verdict: 'violates',
      problems: [expect.stringMatching(/^GET \/store\/orders.*: 404/)] as unknown,
    }),
  ]);
  expect(red.text + stdout).not.toContain(KEY);
});

test('a selected requirement is judged and reported by itself, whatever the environment makes a child print', async ({
  directory,
}) => {
  const [preload, own] = [join(directory, 'preload.cjs'), join(directory, 'own.json')];
  writeFileSync(preload, 'console.log("preloaded")');
  writeFileSync(own, 'a file of the user');
  const env = { ...REFERENCE, NODE_OPTIONS: `--require=${preload}`, PLAYWRIGHT_JSON_OUTPUT_NAME: own };
  const { code, text, stdout, file, report } = await suite(directory, env, 'tests/conformance.spec.ts', ONE);
  expect(code, text).toBe(0);
  expect(report()).toMatchObject({ verdict: 'partial', errors: [] });
  expect(report().sentence).toMatch(/^partial: 1 requirement holds, none is violated, \d\d not selected$/);
  expect(report().leftOut.map(({ reason }) => reason)).toEqual([
    expect.stringMatching(/^not selected .*@orders\.exists/),
  ]);
  expect(file('summary.md')).toContain('### Not tested');
  expect(stdout).toMatch(/^1 requirement: 1 passed \(\d+\.\d s\)$/m);
  expect(stdout).not.toMatch(/list\.limit|recommendation|Left open/);
  expect(readFileSync(own, 'utf8')).toBe('a file of the user');
});

const DEFECT = 'get.unknown/ok-with-null';

for (const options of [
  ['--repeat-each=2', '--retries=1', '--workers=4', '-x', '--project=', 'tests/conformance.spec.ts'],
  ['--debug'],
])
  test(`${options.join(' ')}: finds the violation, and reports no other`, async ({ directory, serving }) => {
    const { baseUrl } = await serving(KEY, defective(DEFECT));
    const ended = await suite(
      directory,
      { BASE_URL: baseUrl, API_KEY: KEY },
      ...options,
      '--grep=@get.(found|unknown)',
    );
    expect(ended.code, ended.text).toBe(1);
    expect(ended.report()).toMatchObject({ verdict: 'violates', errors: [], counts: { cantTell: 0 } });
    expect(idsOf(ended.report(), 'failed')).toEqual(['get.unknown']);
  });

test('--last-failed is green once the target is fixed, and then has nothing to run, as --only-changed without a change', async ({
  directory,
  serving,
}) => {
  const git = (...args: string[]) => spawnSync('git', args, { cwd: directory, encoding: 'utf8' });
  git('init', '-q');
  git('-c', 'user.name=x', '-c', 'user.email=x@example.com', 'commit', '-q', '--allow-empty', '-m', 'x');
  const repository = { GIT_DIR: join(directory, '.git'), GIT_WORK_TREE: join(directory, '.git') };
  const broken = await serving(KEY, defective(DEFECT));
  const run = (option: string, more = {}) =>
    suite(directory, { BASE_URL: broken.baseUrl, API_KEY: KEY, ...more }, option);
  expect((await run('--grep=@get.unknown')).report().verdict).toBe('violates');
  await broken.close();
  await serving(KEY, () => {}, Number(new URL(broken.baseUrl).port));
  const fixed = await run('--last-failed');
  expect(fixed.code, fixed.text).toBe(0);
  expect(fixed.report().verdict).toBe('partial');
  for (const [option, env] of [
    ['--last-failed', {}],
    ['--only-changed', repository],
  ] as const) {
    const ended = await run(option, env);
    expect(ended.code, ended.text).toBe(1);
    const sentence = `no verdict: nothing to run: no test is selected (${option})`;
    expect(ended.report()).toMatchObject({ verdict: 'cantTell', sentence, errors: [] });
    expect(ended.stdout.trimEnd().split('\n').at(-1)).toBe(sentence.replace('no verdict', 'NO VERDICT'));
  }
  const none = await run('--grep=no such test');
  expect([none.code, none.report().verdict]).toEqual([1, 'error']);
});

test('a run whose process of tests is killed names the memory', async ({ directory }) => {
  const preload = join(directory, 'preload.cjs');
  const end = '() => process.env.TEST_WORKER_INDEX && process.kill(process.pid, "SIGKILL")';
  writeFileSync(preload, `require('node:diagnostics_channel').subscribe('undici:request:create', ${end});`);
  const ended = await suite(directory, { ...REFERENCE, NODE_OPTIONS: `--require=${preload}` }, '--grep=@get.found');
  expect(ended.code, ended.text).toBe(1);
  const words = 'was killed, or ran out of memory: NODE_OPTIONS=--max-old-space-size=4096 gives it more';
  expect(ended.report()).toMatchObject({ verdict: 'error', sentence: expect.stringContaining(words) as unknown });
  expect(ended.stdout.trimEnd().split('\n').at(-1)).toContain('ERROR: ');
});
