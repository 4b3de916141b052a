/** Real runs: exit codes, waivers, selections, requests, annotations and Playwright's own reporters. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from '@playwright/test';
import { Problem } from '../../../fixtures/reference/service.ts';
import { stockUp } from '../../../fixtures/reference/variants/index.ts';
import { type Change, defective, idsOf, playwright, REPORTER, ROOT, suite, test, TRIAL_KEY, typed } from './spawn.ts';

const KEY = 'gate-key-7f3a';

/** Names of the suite's own errors, sent by a target. */
const OUR_WORDS = 'Undecided: NotAsked: untested, inapplicable, cantTell: expect(received).toHold()';

const gone: Change = (service) => {
  service.notFound = () => new Problem(410, 'Undecided', OUR_WORDS);
};

const entry = (id: string, expires = '2999-12-31'): string =>
  `- requirement: ${id}\n  reason: SHOP-12\n  owner: the shop team\n  expires: ${expires}\n`;

function recording(change: Change = () => {}): { asked: string[]; change: Change } {
  const asked: string[] = [];
  return {
    asked,
    change: (service) => {
      change(service);
      const finish = service.finish.bind(service);
      service.finish = (request, reply) => {
        asked.push(`${request.method} ${request.path}`);
        return finish(request, reply);
      };
    },
  };
}

test('a violation fails the run, is annotated on GitHub, and can be waived', async ({ directory, serving }) => {
  const { baseUrl } = await serving(KEY, gone);
  const env = { BASE_URL: baseUrl, API_KEY: KEY };
  const page = join(directory, 'page.md');
  const red = await suite(directory, { ...env, GITHUB_ACTIONS: 'true', GITHUB_STEP_SUMMARY: page }, REPORTER);
  expect(red.code, red.text).toBe(1);
  expect(red.report().verdict).toBe('violates');
  const violated = red
    .report()
    .requirements.filter(({ outcome, gating }) => outcome === 'failed' && gating)
    .map(({ id }) => id);
  // Names of the suite's errors in a response change nothing.
  expect(violated).toEqual(['service.no-undocumented-status', 'get.unknown']);
  expect(idsOf(red.report(), 'cantTell')).toEqual([]);
  const errors = red.text.split('\n').filter((line) => line.startsWith('::error'));
  expect(errors).toEqual([expect.stringMatching(/^::error title=Problem 1::GET \/pets\/\{petId\}.*410/)]);
  expect(errors[0]).toMatch(
    /%0AViolates (get\.unknown, service\.no-undocumented-status|service\.no-undocumented-status, get\.unknown)\.%0A/,
  );
  expect(red.text.trimEnd().split('\n').at(-1)?.length).toBeLessThanOrEqual(100);
  expect(red.text).toContain('paste its waiver from summary.md');
  expect(red.file('summary.md')).toContain('- requirement: get.unknown #');
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

test('invalid waivers are reported before anything is sent', async ({ directory }) => {
  const waivers = join(directory, 'waivers.yaml');
  writeFileSync(waivers, entry('list.limit.cap'));
  const ended = await suite(directory, { TARGET: 'reference', WAIVERS: waivers }, REPORTER);
  expect(ended.code, ended.text).toBe(1);
  expect(ended.text).toContain('entry 1 (list.limit.cap): there is no such requirement');
  expect(ended.report()).toMatchObject({ verdict: 'error', requests: { sent: 0 } });
  expect(ended.file('junit.xml')).toContain('name="the run did not begin"');
  expect(JSON.parse(ended.file('badge.json'))).toMatchObject({ message: 'error' });
});

test('a run with shards is refused with the reason before anything is sent', async ({ directory, serving }) => {
  const { asked, change } = recording();
  const { baseUrl } = await serving(KEY, change);
  const env = { BASE_URL: baseUrl, API_KEY: KEY };
  const ended = await suite(directory, env, REPORTER, '--shard=1/2');
  expect(ended.code, ended.text).toBe(1);
  expect(ended.stderr).toContain('--shard=1/2 is not supported: a run sends about a hundred requests with one key');
  expect(ended.report()).toMatchObject({ verdict: 'error', requests: { sent: 0 } });
  expect(asked).toEqual([]);
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

test('a waiver does not excuse an unreachable target, and every requirement is untested', async ({ directory }) => {
  const waivers = join(directory, 'waivers.yaml');
  writeFileSync(waivers, entry('list.succeeds'));
  const env = { BASE_URL: 'http://127.0.0.1:9/v1', API_KEY: KEY, WAIVERS: waivers, GITHUB_ACTIONS: 'true' };
  const ended = await suite(directory, env, REPORTER);
  expect(ended.code, ended.text).toBe(1);
  expect(ended.report()).toMatchObject({ verdict: 'cantTell', counts: { waived: 0 } });
  expect(ended.text).toContain('::error title=The run did not begin::');
  const { requirements } = ended.report();
  const gating = requirements.filter((requirement) => requirement.gating);
  expect(gating.filter(({ outcome }) => outcome !== 'untested').map(({ id }) => id)).toEqual([]);
  for (const { reasons } of gating) expect(reasons).toEqual([expect.stringContaining('the run did not begin')]);
});

test('a filtered run is partial, and passes no requirement that has a test left out', async ({ directory }) => {
  const ended = await suite(
    directory,
    { TARGET: 'reference' },
    REPORTER,
    '--grep',
    'GET /pets/\\{petId\\}: Without a key',
  );
  expect(ended.code, ended.text).toBe(0);
  const report = ended.report();
  expect(report.verdict).toBe('partial');
  expect(report.requirements.find(({ id }) => id === 'auth.missing')).toMatchObject({ outcome: 'untested' });
  const own = await suite(directory, { TARGET: 'reference' }, REPORTER, '--grep', '@orders.exists');
  expect(own.code, own.text).toBe(0);
  expect(idsOf(own.report(), 'passed')).toEqual(['orders.exists']);
  expect(own.report().sentence).toMatch(/^partial: 1 requirement holds, none is violated, \d+ not selected$/);
  expect(own.report().leftOut.map(({ reason }) => reason)).toEqual([
    expect.stringContaining('not selected in this run (--grep @orders.exists'),
  ]);
  expect(own.file('summary.md')).toContain('### Not tested');
  expect(own.stdout).toContain('✓ passed: orders.exists');
  expect(own.stdout).toMatch(/^1 requirement: 1 passed \(\d+\.\d s\)$/m);
  expect(own.stdout).not.toMatch(/list\.limit|recommendation|Left open/);
});

test('a run without tests is an error, and --list writes nothing', async ({ directory }) => {
  const none = await suite(directory, { TARGET: 'reference' }, REPORTER, '--grep', 'no such test');
  expect(none.code, none.text).toBe(1);
  expect(none.report().verdict).toBe('error');
  const listed = await playwright(join(directory, 'list'), {}, ['test', '--list', REPORTER]);
  expect(listed.code, listed.text).toBe(0);
  expect(() => listed.report()).toThrow('was not written');
});

interface Spec {
  title: string;
  ok: boolean;
  tags: string[];
  tests: {
    annotations: { type: string; description?: string }[];
    results: { status: string; workerIndex: number; annotations: { type: string; description?: string }[] }[];
  }[];
}

interface JsonReport {
  suites: { specs: Spec[]; suites?: JsonReport['suites'] }[];
  stats: { unexpected: number };
}

const specsOf = ({ suites }: Pick<JsonReport, 'suites'>): Spec[] =>
  suites.flatMap((one) => [...one.specs, ...specsOf({ suites: one.suites ?? [] })]);

test('the tag of a requirement selects only its tests', async ({ directory }) => {
  const listed = await playwright(directory, {}, ['test', '--list', '--reporter=json']);
  const specs = specsOf(JSON.parse(listed.stdout) as JsonReport);
  const own = new Map(
    specs.map((spec) => [spec, spec.tests[0]?.annotations.find(({ type }) => type === 'requirement')?.description]),
  );
  const ids = new Set(own.values());
  expect(ids.size).toBeGreaterThan(60);
  for (const id of ids) {
    // As Playwright's --grep: a case-insensitive expression on title and tags.
    const grep = new RegExp(`@${id}`, 'i');
    const selected = specs.filter(({ title, tags }) =>
      grep.test([title, ...tags.map((tag) => `@${tag.replace(/^@/, '')}`)].join(' ')),
    );
    expect([...new Set(selected.map((spec) => own.get(spec)))]).toEqual([id]);
  }
});

test.describe('a violation that does not fail the run', () => {
  test('is shown as skipped by Playwright, with the reason, and ends with exit 0, in one worker', async ({
    directory,
    serving,
  }) => {
    const { baseUrl } = await serving(KEY, (service) => {
      gone(service);
      defective('add.location/missing', 'orders.exists/not-found')(service);
    });
    const contract = join(directory, 'openapi.yaml');
    const stable = /(operationId: listOrders\b[^]*?x-stability: )stable/;
    writeFileSync(contract, readFileSync(join(ROOT, 'spec/openapi.yaml'), 'utf8').replace(stable, '$1experimental'));
    const waivers = join(directory, 'waivers.yaml');
    writeFileSync(waivers, ['get.unknown', 'service.no-undocumented-status'].map((id) => entry(id)).join(''));
    const ended = await suite(
      directory,
      {
        BASE_URL: baseUrl,
        API_KEY: KEY,
        CONTRACT: contract,
        WAIVERS: waivers,
        PLAYWRIGHT_JSON_OUTPUT_FILE: join(directory, 'results.json'),
        PLAYWRIGHT_JUNIT_OUTPUT_FILE: join(directory, 'results.xml'),
      },
      `${REPORTER},list,json,junit`,
      '--workers=4',
      '--fully-parallel',
    );
    expect(ended.code, ended.text).toBe(0);
    expect(ended.report()).toMatchObject({ verdict: 'partial', counts: { waived: 2 } });

    const results = JSON.parse(readFileSync(join(directory, 'results.json'), 'utf8')) as JsonReport;
    const specs = specsOf(results);
    // No report of Playwright has a red test if the run conforms.
    expect(specs.filter(({ ok }) => !ok)).toEqual([]);
    expect(results.stats.unexpected).toBe(0);
    const annotated = (spec: Spec): { type: string; description?: string }[] =>
      (spec.tests[0]?.results[0]?.annotations ?? []).filter(({ type }) => type === 'waived' || type === 'not followed');
    const violating = specs.filter((spec) => annotated(spec).length > 0);
    expect(violating.map(({ tests }) => tests[0]?.results.map(({ status }) => status))).toEqual(
      violating.map(() => ['skipped']),
    );
    const why = (id: string): string[] => [
      ...new Set(
        violating
          .filter(({ tags }) => tags.includes(id))
          .flatMap(annotated)
          .map(({ type, description }) => `${type}: ${description}`),
      ),
    ];
    expect(why('add.location')).toEqual([
      'not followed: a recommendation (RFC 9110 section 15.3.2): LEVEL=must does not fail on it',
    ]);
    expect(why('orders.exists')).toEqual(['not followed: GET /store/orders is marked experimental']);
    expect(why('get.unknown')).toEqual(['waived: until 2999-12-31: SHOP-12']);
    // Exactly the tests with findings are among them.
    const found = ended
      .report()
      .requirements.flatMap(({ cases }) => cases.filter(({ outcome }) => outcome === 'failed'));
    expect(violating).toHaveLength(found.length);
    expect(found.length).toBeGreaterThan(3);

    expect(ended.text).not.toMatch(/^ +\d+ failed$/m);
    expect(ended.text).not.toContain('✘');
    expect(ended.text).toMatch(/- .*A 201 carries Location/);
    const junit = readFileSync(join(directory, 'results.xml'), 'utf8');
    expect(junit).toContain('failures="0"');

    // A failed test starts no new worker, and no option adds one.
    expect(specs.length).toBeGreaterThan(100);
    expect(new Set(specs.flatMap(({ tests }) => tests[0]?.results.map(({ workerIndex }) => workerIndex)))).toEqual(
      new Set([0]),
    );
  });

  test('fails the run with LEVEL=should and without a waiver', async ({ directory, serving }) => {
    const { baseUrl } = await serving(KEY, defective('add.location/missing'));
    const env = { BASE_URL: baseUrl, API_KEY: KEY, LEVEL: 'should' };
    const ended = await suite(directory, env, REPORTER, '--grep', '@add.location');
    expect(ended.code, ended.text).toBe(1);
    expect(ended.report().verdict).toBe('violates');
  });
});

test('the printed command runs a requirement again: it fails, and passes once the server is fixed', async ({
  directory,
  serving,
}) => {
  // Without CATEGORY_ID, which the command has to carry, no animal can be added.
  const oneCategory: Change = (service) => {
    const read = service.readCategory.bind(service);
    service.readCategory = (body) => {
      const category = read(body);
      if (category !== 7n) throw new Problem(400, 'unknown_category', 'There is no such category');
      return category;
    };
  };
  const ids = ['rate.headers', 'add.name.required'];
  const broken: Change = (service) => {
    oneCategory(service);
    defective('rate.headers/not-on-401', 'add.name.required/unprocessable')(service);
  };
  const target = await serving(KEY, broken);
  const settings = { CATEGORY_ID: '7', PLAN: 'business' };
  const env = { BASE_URL: target.baseUrl, API_KEY: KEY, ...settings };
  const first = await suite(directory, env, '--add-reporter=list');
  expect(idsOf(first.report(), 'failed'), first.text).toEqual(expect.arrayContaining(ids));
  const commands = ids.map((id) => new RegExp(`^ +again +(.* --grep @${id})$`, 'm').exec(first.stdout)?.[1] ?? '');
  for (const command of commands) {
    expect(command).toMatch(/^API_KEY="\$API_KEY" /);
    expect(command).toContain(`BASE_URL=${target.baseUrl} PLAN=business CATEGORY_ID=7 THROTTLING=off npx`);
    expect(command).not.toContain(KEY);
  }
  const again = (): Promise<[number | null, string, string[]][]> =>
    Promise.all(
      commands.map(async (command, index) => {
        const ended = await typed(join(directory, String(index)), { API_KEY: KEY }, command);
        const report = ended.report();
        const judged = report.requirements.filter(({ cases }) => cases.some(({ outcome }) => outcome !== 'untested'));
        return [ended.code, report.verdict, judged.map(({ id, outcome }) => `${id} ${outcome}`)];
      }),
    );
  expect(await again()).toEqual(ids.map((id) => [1, 'violates', [`${id} failed`]]));
  await target.close();
  await serving(KEY, oneCategory, Number(new URL(target.baseUrl).port));
  expect(await again()).toEqual(ids.map((id) => [0, 'partial', [`${id} passed`]]));
});

test("Playwright's public test does the same as what it is made from", async ({ directory }) => {
  const env = { TARGET: 'reference', CONFORMANCE_PUBLIC_TEST: '1' };
  const ended = await suite(directory, env, REPORTER, '--grep', '@orders.exists|@auth.missing');
  expect(ended.code, ended.text).toBe(0);
  expect(ended.report()).toMatchObject({ verdict: 'partial', counts: { passed: 2, failed: 0, cantTell: 0 } });
});

test('READ_ONLY=1 sends only GET and HEAD', async ({ directory, serving }) => {
  const { asked, change } = recording((service) => stockUp(service, 70));
  const { baseUrl } = await serving(KEY, change);
  const env = { BASE_URL: baseUrl, API_KEY: KEY, READ_ONLY: '1', DEPTH: 'thorough', THROTTLING: 'auto' };
  const ended = await suite(directory, env, REPORTER);
  expect(ended.code, ended.text).toBe(0);
  expect(ended.report().verdict).toBe('partial');
  expect(asked).toHaveLength(ended.report().requests.sent);
  expect([...new Set(asked.map((line) => line.split(' ')[0]))].sort()).toEqual(['GET', 'HEAD']);
  for (const path of ['/pets', '/store/orders']) expect(asked).toContain(`GET ${path}`);
  expect(asked.filter((line) => line.startsWith('GET /pets/')).length).toBeGreaterThan(0);
  const untested = idsOf(ended.report(), 'untested');
  expect(untested).toEqual(expect.arrayContaining(['add.created', 'add.name.required', 'throttle.429']));
  expect(idsOf(ended.report(), 'passed')).toEqual(expect.arrayContaining(['list.limit.caps', 'get.found']));
});

test('error names of the suite in responses change no outcome', async ({ directory, serving }) => {
  const { baseUrl } = await serving(KEY, (service) => {
    service.presentError = ({ status }) => ({ code: 'Undecided', message: OUR_WORDS, status });
    service.present = (pet) => ({ ...pet, note: OUR_WORDS });
  });
  const env = { BASE_URL: baseUrl, API_KEY: KEY, THROTTLING: 'off' };
  const ended = await suite(directory, env, REPORTER);
  expect(ended.code, ended.text).toBe(0);
  expect(ended.report().counts).toMatchObject({ failed: 0, cantTell: 0 });
  expect(idsOf(ended.report(), 'untested').filter((id) => id.startsWith('throttle.'))).toHaveLength(5);
  expect(ended.report().leftOut.map(({ reason }) => reason)).toEqual([
    expect.stringMatching(/^PLAN is not set/),
    expect.stringMatching(/^THROTTLING=off/),
  ]);
});

test.describe('a run of throttling only', () => {
  test('judges its own key, and sends little else', async ({ directory, serving }) => {
    const { asked, change } = recording();
    const { baseUrl } = await serving(KEY, change);
    const env = { BASE_URL: baseUrl, API_KEY: KEY, THROTTLE_API_KEY: TRIAL_KEY, THROTTLING: 'auto', MAX_WAIT: '25' };
    const ended = await suite(directory, env, REPORTER, '--grep', '@throttle');
    expect(ended.code, ended.text).toBe(0);
    expect(idsOf(ended.report(), 'passed')).toEqual(
      expect.arrayContaining(['throttle.429', 'throttle.retry-after', 'throttle.recovers']),
    );
    expect(ended.report().requests.byKey.API_KEY ?? 0).toBeLessThanOrEqual(3);
    expect(asked).toHaveLength(ended.report().requests.sent);
  });

  test('finds a defect of the limiter', async ({ directory, serving }) => {
    const { baseUrl } = await serving(KEY, defective('throttle.429/early', 'throttle.retry-after/in-words'));
    const env = { BASE_URL: baseUrl, API_KEY: KEY, THROTTLE_API_KEY: TRIAL_KEY, THROTTLING: 'auto', MAX_WAIT: '5' };
    const ended = await suite(directory, env, REPORTER, '--grep', '@throttle');
    expect(ended.code, ended.text).toBe(1);
    expect(idsOf(ended.report(), 'failed')).toEqual(['throttle.429', 'throttle.retry-after']);
  });
});
