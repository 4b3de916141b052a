/** Whole runs by Playwright: the exit code is the verdict's, whatever the options and reporters are and however little was run. */
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from '@playwright/test';
import type { JSONReport, JSONReportSpec, JSONReportSuite } from '@playwright/test/reporter';
import { combine, refuseStored, wrap } from '../../../fixtures/reference/defects/defect.ts';
import { Problem } from '../../../fixtures/reference/service.ts';
import { defective, KEY } from './serve.ts';
import { idsOf } from '../proof/judged.ts';
import { type Ended, playwright, quick, REPORTER, ROOT, suite, test, typed } from './spawn.ts';

const REFERENCE = { TARGET: 'reference' };
const DEFECT = defective('get.unknown/ok-with-null');
const gone = wrap('notFound', () => () => new Problem(410, 'gone', 'It is gone.'));

const lastLine = ({ stdout }: Ended): string | undefined => stdout.trimEnd().split('\n').at(-1);

const specsOf = ({ suites }: { suites?: JSONReportSuite[] }): JSONReportSpec[] =>
  (suites ?? []).flatMap((one) => [...one.specs, ...specsOf(one)]);

const workersOf = (specs: readonly JSONReportSpec[]): Set<number | undefined> =>
  new Set(specs.flatMap(({ tests }) => tests[0]?.results.map(({ workerIndex }) => workerIndex)));

test('a violation fails the run, in one worker, is annotated beside --reporter=json, and is found by the printed command again', async ({
  directory,
  serving,
}) => {
  // Without CATEGORY_ID, which the command has to carry, no animal can be added.
  const onlySeventh = refuseStored(400, ({ categoryId }) => categoryId !== 7n);
  const { baseUrl, env: given } = await serving({ service: combine(gone, onlySeventh) });
  const page = join(directory, 'page.md');
  const env = { ...given, CATEGORY_ID: '7', PLAN: 'business', GITHUB_ACTIONS: 'true', GITHUB_STEP_SUMMARY: page };
  const red = await suite(directory, env, '--reporter=json');
  expect(red.code, red.text).toBe(1);
  const { requirements, verdict } = red.report();
  expect(verdict).toBe('violates');
  const violated = requirements.filter(({ outcome, gating }) => outcome === 'failed' && gating).map(({ id }) => id);
  expect(violated).toEqual(['service.no-undocumented-status', 'get.unknown']);
  expect(idsOf(red.report(), 'cantTell')).toEqual([]);
  const results = JSON.parse(red.stdout) as JSONReport;
  expect(Object.keys(results.config)).not.toContain('@playwright/test');
  expect(specsOf(results).filter(({ ok }) => !ok).length).toBeGreaterThan(1);
  expect(workersOf(specsOf(results))).toEqual(new Set([0]));
  const lines = red.stderr.trimEnd().split('\n');
  expect(lines.filter((line) => line.startsWith('::error'))).toEqual([
    expect.stringMatching(/^::error title=Problem 1::GET \/pets\/\{petId\}.*410.*%0Aviolates: (\S+, )?get\.unknown/),
  ]);
  expect(red.stderr).toMatch(/^Judging .*^::error title=Problem 1::.*^VIOLATES: \d+ of /ms);
  expect(lines.at(-1)?.length).toBeLessThanOrEqual(100);
  expect(red.stderr).toContain('or paste its waiver from summary.md into waivers.yaml');
  expect(red.file('summary.md')).toContain('- requirement: get.unknown #');
  expect(readFileSync(page, 'utf8')).toBe(red.file('summary.md'));

  const [, command = '', id] = /^ +again +(.* --grep @(\S+))$/m.exec(red.stderr) ?? [];
  expect(command).toMatch(/^API_KEY="\$API_KEY" /);
  expect(command).toContain(`BASE_URL=${baseUrl} PLAN=business CATEGORY_ID=7 THROTTLING=off npx`);
  expect(command).not.toContain(KEY);
  const again = await typed(directory, { API_KEY: KEY }, command);
  const judged = again
    .report()
    .requirements.filter(({ cases }) => cases.some(({ outcome }) => outcome !== 'untested'))
    .map((each) => `${each.id} ${each.outcome}`);
  expect([again.code, again.report().verdict, judged], again.text).toEqual([1, 'violates', [`${id} failed`]]);
});

test('a violation that does not fail the run is shown as skipped by Playwright, with the reason, in one worker', async ({
  directory,
  serving,
}) => {
  const service = combine(gone, defective('add.location/missing', 'orders.exists/not-found'));
  const { env: given } = await serving({ service });
  const [contract, waivers] = [join(directory, 'openapi.yaml'), join(directory, 'waivers.yaml')];
  const stable = /(operationId: listOrders\b[^]*?x-stability: )stable/;
  writeFileSync(contract, readFileSync(join(ROOT, 'spec/openapi.yaml'), 'utf8').replace(stable, '$1experimental'));
  const terms = { reason: 'SHOP-12', owner: 'the shop team', expires: '2999-12-31' };
  const entries = ['get.unknown', 'service.no-undocumented-status'].map((requirement) => ({ requirement, ...terms }));
  writeFileSync(waivers, JSON.stringify(entries));
  const env = {
    ...{ ...given, CONTRACT: contract, WAIVERS: waivers, GITHUB_STEP_SUMMARY: '/' },
    PLAYWRIGHT_JSON_OUTPUT_FILE: join(directory, 'results.json'),
    PLAYWRIGHT_JUNIT_OUTPUT_FILE: join(directory, 'results.xml'),
  };
  const ended = await suite(directory, env, `${REPORTER},list,json,junit`, '--workers=4', '--fully-parallel');
  expect(ended.code, ended.text).toBe(0);
  expect(ended.report()).toMatchObject({ verdict: 'partial', counts: { waived: 2 } });

  const specs = specsOf(JSON.parse(readFileSync(join(directory, 'results.json'), 'utf8')) as JSONReport);
  // No report of Playwright has a red test if the run conforms.
  expect(specs.filter(({ ok }) => !ok)).toEqual([]);
  const violating = specs.flatMap(({ tags, tests: [one] }) => {
    const { status = '', annotations = [] } = one?.results[0] ?? {};
    const why = annotations.find(({ type }) => ['waived', 'not followed'].includes(type));
    return why ? `${status}: ${tags.find((tag) => tag.includes('.'))} ${why.type}: ${why.description}` : [];
  });
  expect([...new Set(violating)].sort()).toEqual([
    'skipped: add.location not followed: a recommendation (RFC 9110 section 15.3.2): LEVEL=must does not fail on it',
    'skipped: get.unknown waived: until 2999-12-31: SHOP-12',
    'skipped: orders.exists not followed: GET /store/orders is marked experimental',
    'skipped: service.no-undocumented-status waived: until 2999-12-31: SHOP-12',
  ]);
  // Exactly the tests with findings are among them.
  const found = ended.report().requirements.flatMap(({ cases }) => cases.filter(({ outcome }) => outcome === 'failed'));
  expect(violating).toHaveLength(found.length);
  expect(found.length).toBeGreaterThan(3);

  expect(ended.text).not.toMatch(/^ +\d+ failed$|✘/m);
  expect(ended.text).toMatch(/- .*A 201 carries Location/);
  expect(readFileSync(join(directory, 'results.xml'), 'utf8')).toContain('failures="0"');
  // A failed test starts no new worker, and no option adds one.
  expect(specs.length).toBeGreaterThan(100);
  expect(workersOf(specs)).toEqual(new Set([0]));
});

test('a list of tests and merged reports of Playwright change nothing', async ({ directory }) => {
  const listed = await playwright(directory, 'test', '--list');
  expect(() => listed.report()).toThrow('was not written');
  const ended = await suite(directory, REFERENCE, `${REPORTER},blob`, '--shard=1/1', '--grep', '@list.succeeds');
  expect(ended.code, ended.text).toBe(0);
  expect(idsOf(ended.report(), 'passed')).toEqual(['list.succeeds']);
  const written = ended.file('conformance.json');
  const merge = ['merge-reports', '--config=playwright.config.ts', join(directory, 'blob-report')];
  const merged = await playwright(directory, ...merge);
  expect(merged.code, merged.text).toBe(0);
  expect(merged.stderr).toContain('merge-reports is not a run');
  expect(merged.file('conformance.json')).toBe(written);
});

test('a selected requirement is judged and reported by itself, whatever the environment makes a child print', async ({
  directory,
}) => {
  const [preload, output] = [join(directory, 'preload.cjs'), join(directory, 'own.json')];
  writeFileSync(preload, 'console.log("preloaded")');
  writeFileSync(output, 'a file of the user');
  const env = { NODE_OPTIONS: `--require=${preload}`, PLAYWRIGHT_JSON_OUTPUT_NAME: output, REQUIRE: 'conforms' };
  const args = ['--reporter=list,./tests/reporter.ts', 'tests/conformance.spec.ts', '--grep=@orders.exists'];
  const ended = await suite(directory, { ...REFERENCE, ...env, CONFORMANCE_PUBLIC_TEST: '1' }, ...args);
  // A partial run with REQUIRE=conforms.
  expect([ended.code, ended.stderr], ended.text).toEqual([1, '']);
  const report = ended.report();
  expect(report).toMatchObject({ verdict: 'partial', errors: [] });
  expect(idsOf(report, 'passed')).toEqual(['orders.exists']);
  expect(report.sentence).toMatch(/^partial: 1 requirement holds, none is violated, \d\d not selected$/);
  expect(report.leftOut.map(({ reason }) => reason)).toEqual([
    expect.stringMatching(/^not selected .*@orders\.exists/),
  ]);
  expect(ended.file('summary.md')).not.toContain('### Not tested');
  expect(ended.stdout).toMatch(/^\d\d requirements: \d\d not tested, 1 passed \(\d+\.\d s\)$/m);
  expect(ended.stdout).not.toMatch(/list\.limit/);
  expect(lastLine(ended)).toMatch(/^PARTIAL: 1 requirement holds/);
  expect(readFileSync(output, 'utf8')).toBe('a file of the user');
});

for (const options of [
  ['--repeat-each=2', '--retries=1', '--workers=4', '-x', '--project=', 'tests/conformance.spec.ts'],
  ['--debug'],
])
  test(`${options.join(' ')}: finds the violation, and reports no other`, async ({ directory, serving }) => {
    const { env } = await serving({ service: DEFECT });
    const ended = await suite(directory, env, ...options, '--grep=@get.(found|unknown)');
    expect(ended.code, ended.text).toBe(1);
    expect(ended.report()).toMatchObject({ verdict: 'violates', errors: [], counts: { cantTell: 0 } });
    expect(idsOf(ended.report(), 'failed')).toEqual(['get.unknown']);
  });

test('--last-failed is green once the target is fixed, and then has nothing to run, as any selection of no test', async ({
  directory,
  serving,
}) => {
  const git = (...args: string[]) => spawnSync('git', args, { cwd: directory, encoding: 'utf8' });
  git('init', '-q');
  git('-c', 'user.name=x', '-c', 'user.email=x@example.com', 'commit', '-q', '--allow-empty', '-m', 'x');
  const { env, baseUrl, close } = await serving({ service: DEFECT });
  const run = (option: string, more = {}) => suite(directory, { ...env, ...more }, option);
  expect((await run('--grep=@get.unknown')).report().verdict).toBe('violates');
  close();
  await serving({ port: Number(new URL(baseUrl).port) });
  const fixed = await run('--last-failed');
  expect([fixed.code, fixed.report().verdict], fixed.text).toEqual([0, 'partial']);
  for (const [option, more] of [
    ['--last-failed', {}],
    ['--only-changed', { GIT_DIR: join(directory, '.git'), GIT_WORK_TREE: join(directory, '.git') }],
    ['--grep=no such test', {}],
  ] as const) {
    const ended = await run(option, more);
    expect(ended.code, ended.text).toBe(1);
    const sentence = `no verdict: nothing to run: no test is selected (${option})`;
    expect(ended.report()).toMatchObject({ verdict: 'cantTell', sentence, errors: [] });
    expect(lastLine(ended)).toBe(sentence.replace('no verdict', 'NO VERDICT'));
  }
});

test('a run whose worker is killed names the memory, and sends nothing more', async ({ directory, serving }) => {
  const [preload, { env, asked }] = [join(directory, 'preload.cjs'), await serving()];
  const end = '() => process.env.TEST_WORKER_INDEX && process.kill(process.pid, "SIGKILL")';
  writeFileSync(preload, `require('node:diagnostics_channel').subscribe('undici:request:create', ${end});`);
  const ended = await suite(directory, { ...env, NODE_OPTIONS: `--require=${preload}` });
  expect([ended.code, asked.length <= 2], ended.text).toEqual([1, true]);
  const words = 'was killed, or ran out of memory: NODE_OPTIONS=--max-old-space-size=4096 gives it more';
  expect(ended.report()).toMatchObject({ verdict: 'error', sentence: expect.stringContaining(words) as unknown });
  expect(lastLine(ended)).toContain('ERROR: ');
});

test('quick exits and reports as a run does, and answers each order with one line', async ({ directory, serving }) => {
  const [good, bad] = [await serving(), await serving({ service: defective('orders.exists/not-found') })];
  const options = ['--base-url', `${bad.baseUrl}/`, '--throttling=off', '--key'];
  const other = await quick(directory, [...options, '-no-key']);
  expect([other.code, other.text]).toEqual([1, expect.stringContaining('rejects the key')]);
  expect((await quick(directory, options)).text).toBe('--key needs a value\n');
  const red = await quick(directory, [...options, KEY, '--report', join(directory, 'report')]);
  expect(red.code, red.text).toBe(1);
  expect(idsOf(red.report(), 'failed')).toContain('orders.exists');
  expect(red.stdout).toContain(`Report: ${join(directory, 'report', 'index.html')}`);
  expect(readFileSync(join(directory, 'report', 'exchanges.har'), 'utf8')).not.toContain(`${bad.baseUrl}//`);
  const order = (baseUrl: string, more = {}) =>
    JSON.stringify({ 'base-url': baseUrl, key: KEY, throttling: 'off', ...more });
  const orders = [
    order(good.baseUrl),
    'no JSON',
    order(bad.baseUrl, { colour: 'red' }),
    order(bad.baseUrl, { 'max-wait': 5 }),
    order(good.baseUrl, { 'dry-run': 1 }),
  ];
  const { code, stdout } = await quick(directory, ['--orders'], orders.join('\n'));
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
    expect.objectContaining({ verdict: 'error', requests: 0 }),
  ]);
  expect(red.text + stdout).not.toContain(KEY);
});
