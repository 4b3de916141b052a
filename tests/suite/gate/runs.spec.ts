/** Whole runs by Playwright: annotations, blobs, tags, tests of waived violations, and the command that repeats a part. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from '@playwright/test';
import type { JSONReport, JSONReportSpec, JSONReportSuite } from '@playwright/test/reporter';
import { combine, refuseStored, wrap } from '../../../fixtures/reference/defects/defect.ts';
import { Problem } from '../../../fixtures/reference/service.ts';
import { defective, idsOf, playwright, REPORTER, ROOT, suite, test, typed } from './spawn.ts';

const KEY = 'gate-key-7f3a';

const gone = wrap('notFound', () => () => new Problem(410, 'gone', 'It is gone.'));

test('a violation fails the run, is annotated on GitHub, and is found by the printed command again', async ({
  directory,
  serving,
}) => {
  // Without CATEGORY_ID, which the command has to carry, no animal can be added.
  const onlySeventh = refuseStored(400, ({ categoryId }) => categoryId !== 7n);
  const { baseUrl } = await serving(KEY, combine(gone, onlySeventh));
  const env = { BASE_URL: baseUrl, API_KEY: KEY, CATEGORY_ID: '7', PLAN: 'business' };
  const page = join(directory, 'page.md');
  const red = await suite(directory, { ...env, GITHUB_ACTIONS: 'true', GITHUB_STEP_SUMMARY: page }, REPORTER);
  expect(red.code, red.text).toBe(1);
  const { requirements, verdict } = red.report();
  expect(verdict).toBe('violates');
  const violated = requirements.filter(({ outcome, gating }) => outcome === 'failed' && gating).map(({ id }) => id);
  expect(violated).toEqual(['service.no-undocumented-status', 'get.unknown']);
  expect(idsOf(red.report(), 'cantTell')).toEqual([]);
  const errors = red.text.split('\n').filter((line) => line.startsWith('::error'));
  expect(errors).toEqual([
    expect.stringMatching(/^::error title=Problem 1::GET \/pets\/\{petId\}.*410.*%0Aviolates: (\S+, )?get\.unknown/),
  ]);
  expect(red.text.trimEnd().split('\n').at(-1)?.length).toBeLessThanOrEqual(100);
  expect(red.text).toContain('or paste its waiver from summary.md into waivers.yaml');
  expect(red.file('summary.md')).toContain('- requirement: get.unknown #');
  expect(readFileSync(page, 'utf8')).toBe(red.file('summary.md'));

  const [, command = '', id] = /^ +again +(.* --grep @(\S+))$/m.exec(red.stdout) ?? [];
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

test('a list of tests and merged reports of Playwright change nothing', async ({ directory }) => {
  const listed = await playwright(directory, {}, ['test', '--list']);
  expect(() => listed.report()).toThrow('was not written');
  const env = { TARGET: 'reference' };
  const whole = await suite(directory, env, `${REPORTER},blob`, '--shard=1/1', '--grep', '@list.succeeds');
  expect(whole.code, whole.text).toBe(0);
  expect(idsOf(whole.report(), 'passed')).toEqual(['list.succeeds']);
  const written = whole.file('conformance.json');
  const blobs = join(directory, 'blob-report');
  const merged = await playwright(directory, {}, ['merge-reports', '--config=playwright.config.ts', blobs]);
  expect(merged.code, merged.text).toBe(0);
  expect(merged.stderr).toContain('merge-reports is not a run');
  expect(merged.file('conformance.json')).toBe(written);
});

const specsOf = ({ suites }: { suites?: JSONReportSuite[] }): JSONReportSpec[] =>
  (suites ?? []).flatMap((one) => [...one.specs, ...specsOf(one)]);

const workersOf = (specs: readonly JSONReportSpec[]): Set<number | undefined> =>
  new Set(specs.flatMap(({ tests }) => tests[0]?.results.map(({ workerIndex }) => workerIndex)));

test('--reporter=json has standard output for itself, sees failed tests, and keeps their worker', async ({
  directory,
  serving,
}) => {
  const { baseUrl } = await serving(KEY, gone);
  const page = join(directory, 'page.md');
  const env = { BASE_URL: baseUrl, API_KEY: KEY, GITHUB_ACTIONS: 'true', GITHUB_STEP_SUMMARY: page };
  const ended = await suite(directory, env, '--reporter=json', '--grep=@get\\.|@service.no-undocumented');
  expect(ended.code, ended.text).toBe(1);
  const results = JSON.parse(ended.stdout) as JSONReport;
  expect(Object.keys(results.config)).not.toContain('@playwright/test');
  const specs = specsOf(results);
  expect(specs.filter(({ ok }) => !ok).length).toBeGreaterThan(1);
  expect(workersOf(specs)).toEqual(new Set([0]));
  expect(ended.stderr).toMatch(/^Judging .*^::error title=Problem 1::.*^VIOLATES: \d+ of /ms);
});

test('a violation that does not fail the run is shown as skipped by Playwright, with the reason, in one worker', async ({
  directory,
  serving,
}) => {
  const { baseUrl } = await serving(KEY, combine(gone, defective('add.location/missing', 'orders.exists/not-found')));
  const contract = join(directory, 'openapi.yaml');
  const stable = /(operationId: listOrders\b[^]*?x-stability: )stable/;
  writeFileSync(contract, readFileSync(join(ROOT, 'spec/openapi.yaml'), 'utf8').replace(stable, '$1experimental'));
  const waivers = join(directory, 'waivers.yaml');
  const terms = { reason: 'SHOP-12', owner: 'the shop team', expires: '2999-12-31' };
  const entries = ['get.unknown', 'service.no-undocumented-status'].map((requirement) => ({ requirement, ...terms }));
  writeFileSync(waivers, JSON.stringify(entries));
  const env = {
    ...{ BASE_URL: baseUrl, API_KEY: KEY, CONTRACT: contract, WAIVERS: waivers },
    PLAYWRIGHT_JSON_OUTPUT_FILE: join(directory, 'results.json'),
    PLAYWRIGHT_JUNIT_OUTPUT_FILE: join(directory, 'results.xml'),
  };
  const ended = await suite(directory, env, `${REPORTER},list,json,junit`, '--workers=4', '--fully-parallel');
  expect(ended.code, ended.text).toBe(0);
  expect(ended.report()).toMatchObject({ verdict: 'partial', counts: { waived: 2 } });

  const results = JSON.parse(readFileSync(join(directory, 'results.json'), 'utf8')) as JSONReport;
  const specs = specsOf(results);
  // No report of Playwright has a red test if the run conforms.
  expect(specs.filter(({ ok }) => !ok)).toEqual([]);
  expect(results.stats.unexpected).toBe(0);
  const annotated = ({ tests: [one] }: JSONReportSpec): string[] =>
    (one?.results[0]?.annotations ?? []).flatMap(({ type, description }) =>
      ['waived', 'not followed'].includes(type) ? `${type}: ${description}` : [],
    );
  const violating = specs.filter((spec) => annotated(spec).length > 0);
  for (const { tests } of violating) expect(tests[0]?.results.map(({ status }) => status)).toEqual(['skipped']);
  for (const [id, why] of [
    ['add.location', 'not followed: a recommendation (RFC 9110 section 15.3.2): LEVEL=must does not fail on it'],
    ['orders.exists', 'not followed: GET /store/orders is marked experimental'],
    ['get.unknown', 'waived: until 2999-12-31: SHOP-12'],
  ] as const) {
    const whys = violating.filter(({ tags }) => tags.includes(id)).flatMap(annotated);
    expect([...new Set(whys)]).toEqual([why]);
  }
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
