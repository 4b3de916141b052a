/** The gate on real runs: exit codes, waivers, narrowed runs, and what CI is told. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from '@playwright/test';
import { Problem, type Service } from '../../../fixtures/reference/service.ts';
import { test as base } from '../unit/make.ts';
import { folder, playwright, REPORTER, serve, type Served, suite } from './spawn.ts';

const KEY = 'gate-key-7f3a';

const test = base.extend<{ directory: string; running: (served: Promise<Served>) => Promise<string> }>({
  directory: async ({}, use) => {
    const { directory, remove } = folder();
    await use(directory);
    remove();
  },
  /** The address of a server that is closed after the test. */
  running: async ({}, use) => {
    const servers: Served[] = [];
    await use(async (served) => {
      const server = await served;
      servers.push(server);
      return server.baseUrl;
    });
    for (const server of servers) await server.close();
  },
});

test.describe.configure({ timeout: 120_000 });

/** An id that no animal has is answered 410. */
const gone = (service: Service): void => {
  service.notFound = () => new Problem(410, 'gone', 'There is no animal with that id');
};

const entry = (id: string, expires = '2999-12-31'): string =>
  `- requirement: ${id}\n  reason: SHOP-12\n  owner: the shop team\n  expires: ${expires}\n`;

test('a violation fails the run, is told to GitHub, and can be waived requirement by requirement', async ({
  directory,
  running,
}) => {
  const env = { BASE_URL: await running(serve(KEY, gone)), API_KEY: KEY };
  const page = join(directory, 'page.md');
  const red = await suite(directory, { ...env, GITHUB_ACTIONS: 'true', GITHUB_STEP_SUMMARY: page }, REPORTER);
  expect(red.code, red.text).toBe(1);
  const violated = red
    .report()
    .requirements.filter(({ outcome, gating }) => outcome === 'failed' && gating)
    .map(({ id }) => id);
  expect(red.report().verdict).toBe('violates');
  expect(violated).toContain('get.unknown');
  expect(red.text).toContain('::error title=Violates get.unknown::');
  expect(red.text).toContain('- requirement: get.unknown #');
  expect(readFileSync(page, 'utf8')).toBe(red.file('summary.md'));

  const waivers = join(directory, 'waivers.yaml');
  writeFileSync(waivers, violated.map((id) => entry(id)).join(''));
  const waived = await suite(directory, { ...env, WAIVERS: waivers }, REPORTER, '--add-reporter=line');
  expect(waived.code, waived.text).toBe(0);
  expect(waived.report().counts).toMatchObject({ failed: 0, waived: violated.length });
  expect(waived.report().requirements.find(({ id }) => id === 'get.unknown')).toMatchObject({
    outcome: 'failed',
    waiver: { owner: 'the shop team' },
  });

  writeFileSync(waivers, [...violated.map((id) => entry(id)), entry('orders.exists')].join(''));
  const stale = await suite(directory, { ...env, WAIVERS: waivers }, REPORTER);
  expect(stale.code, stale.text).toBe(1);
  expect(stale.report()).toMatchObject({
    verdict: 'error',
    waiverMistakes: [expect.stringContaining('the waiver of orders.exists (the shop team) is stale')],
  });
});

test('waivers that are wrong are told before anything is sent', async ({ directory }) => {
  const waivers = join(directory, 'waivers.yaml');
  writeFileSync(waivers, entry('list.limit.cap'));
  const ended = await suite(directory, { TARGET: 'reference', WAIVERS: waivers }, REPORTER);
  expect(ended.code, ended.text).toBe(1);
  expect(ended.text).toContain('entry 1 (list.limit.cap): there is no such requirement');
  expect(ended.report()).toMatchObject({ verdict: 'error', requests: { sent: 0 } });
  expect(ended.file('junit.xml')).toContain('name="the run did not begin"');
  expect(JSON.parse(ended.file('badge.json'))).toMatchObject({ message: 'error' });
});

test('no waiver covers a target that cannot be reached', async ({ directory }) => {
  const waivers = join(directory, 'waivers.yaml');
  writeFileSync(waivers, entry('list.succeeds'));
  const env = { BASE_URL: 'http://127.0.0.1:9/v1', API_KEY: KEY, WAIVERS: waivers, GITHUB_ACTIONS: 'true' };
  const ended = await suite(directory, env, REPORTER);
  expect(ended.code, ended.text).toBe(1);
  expect(ended.report()).toMatchObject({ verdict: 'cantTell', counts: { waived: 0 } });
  expect(ended.text).toContain('::error title=The run did not begin::');
});

test('a narrowed run is partial, says what it left out, and passes no requirement by half', async ({ directory }) => {
  const ended = await suite(
    directory,
    { TARGET: 'reference' },
    REPORTER,
    '--grep',
    'GET /pets/\\{petId\\} answers 401',
  );
  expect(ended.code, ended.text).toBe(0);
  const report = ended.report();
  expect(report.verdict).toBe('partial');
  expect(report.requirements.find(({ id }) => id === 'auth.missing')).toMatchObject({ outcome: 'untested' });
  const own = await suite(directory, { TARGET: 'reference' }, REPORTER, '--grep', '@orders.exists(?![\\w.-])');
  expect(own.code, own.text).toBe(0);
  expect(own.report().counts.passed).toBe(1);
  expect(own.report().sentence).toContain('not selected in this run (--grep @orders.exists');
  expect(own.file('summary.md')).toContain('### Left out');
});

test('a run that selects nothing is an error, and --list writes nothing', async ({ directory }) => {
  const none = await suite(directory, { TARGET: 'reference' }, REPORTER, '--grep', 'no such test');
  expect(none.code, none.text).toBe(1);
  expect(none.report().verdict).toBe('error');
  const listed = await playwright(join(directory, 'list'), {}, ['test', '--list', REPORTER]);
  expect(listed.code, listed.text).toBe(0);
  expect(() => listed.report()).toThrow('was not written');
});

test('without its reporter a run says that it gives no verdict', async ({ directory }) => {
  const ended = await suite(directory, { TARGET: 'reference' }, '--reporter=line', '--grep', '@orders.exists');
  expect(ended.code, ended.text).toBe(0);
  expect(ended.text).toContain('No conformance report and no verdict');
});
