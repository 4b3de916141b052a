/** Runs of Playwright that are interrupted, cannot write, or have every reporter on a target that repeats the key. */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from '@playwright/test';
import { type Ended, REPORTER, type Running, starting, suite, test as base } from '../gate/spawn.ts';
import { everything, leaks } from './artefacts.ts';
import { words } from './faults/words.ts';
import { wrongInArtefacts } from './runs.ts';
import { type Handle, type How, KEY, misbehaving, type Target, TRIAL } from './server.ts';

/** The text of an earlier, green report. */
const EARLIER = JSON.stringify({ verdict: 'conforms', suite: { version: '1.0.0' }, requirements: [] });
const PAGES = ['index.html', 'summary.md', 'junit.xml'];

interface Fixtures {
  /** Serves what misbehaves. */
  put: (how?: How) => Promise<{ target: Target; env: Record<string, string> }>;
  /** Starts a run over an earlier report. @param before a command of the shell that starts it. */
  begin: (how: How, args?: readonly string[], before?: string) => Promise<Running & { target: Target }>;
}

const test = base.extend<Fixtures>({
  put: async ({}, use) => {
    const closing: (() => void)[] = [];
    await use(async (how = {}) => {
      const target = await misbehaving(how);
      closing.push(target.close);
      const keys = { API_KEY: KEY, THROTTLE_API_KEY: TRIAL.key };
      return { target, env: { BASE_URL: target.baseUrl, ...keys, MAX_WAIT: '20' } };
    });
    for (const close of closing) close();
  },
  begin: async ({ directory, put }, use) => {
    await use(async (how, args = [], before = ':') => {
      const { target, env } = await put(how);
      mkdirSync(join(directory, 'report'));
      for (const name of ['conformance.json', ...PAGES]) writeFileSync(join(directory, 'report', name), EARLIER);
      return { ...starting(directory, env, args, before), target };
    });
  },
});

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((done) => setTimeout(done, 20));
}

/** A target that is slow from some request on, so that a run can be interrupted. */
const slowFrom = (count: number): How => ({
  handle: async (asked, ask) => {
    if (asked.count >= count) await new Promise((done) => setTimeout(done, 400));
    return ask();
  },
});

for (const [signal, title] of [
  ['SIGINT', 'a person presses Ctrl-C'],
  ['SIGTERM', 'a CI system cancels the job'],
  ['SIGKILL', 'memory runs out'],
] as const)
  test(`${signal} in mid-run (${title}): the report is neither an earlier nor a green one`, async ({
    begin,
    directory,
  }) => {
    const { target, child, ended } = await begin(slowFrom(20));
    await until(() => target.asked.length >= 22 || child.exitCode !== null);
    const sent = target.asked.length;
    child.kill(signal);
    const { code, text, report, file } = await ended;
    expect(code, text).not.toBe(0);
    // Requests in flight still arrive; no new one is sent.
    expect(target.asked.length, text).toBeLessThanOrEqual(sent + 5);
    // What is written at the begin stays if nothing can be written later.
    expect(report(), text).toMatchObject({ verdict: 'error' });
    if (signal === 'SIGKILL') expect(report().sentence).toContain('not finished');
    for (const name of PAGES) expect(file(name), name).not.toBe(EARLIER);
    const left = everything(join(directory, 'report')).set('what was printed', text);
    expect(wrongInArtefacts(left)).toEqual([]);
  });

test('a REPORT_DIR removed in mid-run is written again', async ({ begin }) => {
  const { target, reports, ended } = await begin(slowFrom(1), ['--grep=@orders.exists']);
  await until(() => target.asked.length > 0);
  rmSync(reports, { recursive: true });
  const { report, text } = await ended;
  expect(report(), text).toMatchObject({ verdict: 'partial' });
});

test('a full disk fails the run', async ({ begin }) => {
  // Playwright has written its own files before. The shell limits each file to 80 or 160 kB.
  const { code, text, report } = await (await begin({}, [REPORTER], 'ulimit -f 160')).ended;
  expect(code, text).not.toBe(0);
  expect(text).toContain('EFBIG');
  expect(report(), text).toMatchObject({ verdict: 'error' });
});

/** Hostile text and the key in each way that a table has, after an ordinary beginning. */
const inEveryWay: Handle = (asked, ask) => {
  const own = words[asked.count % words.length]?.handle ?? ask;
  return asked.count <= 3 || asked.path.includes('store') ? ask() : own(asked, ask);
};

const OF_PLAYWRIGHT = 'list,html,json,junit,blob,github';
const FORMATS = [
  ...['results.json', 'results.xml', 'html/index.html', 'blob-report', 'report/conformance.json', 'page.md'],
  ...['› report.jsonl', 'index.html › packed 0 › report.json'],
];

/** Judges the target with all that Playwright writes. */
async function writeAll(
  directory: string,
  env: Record<string, string>,
  ...args: string[]
): Promise<{ ended: Ended; left: Map<string, string> }> {
  const files = {
    PLAYWRIGHT_JSON_OUTPUT_FILE: join(directory, 'results.json'),
    PLAYWRIGHT_JUNIT_OUTPUT_FILE: join(directory, 'results.xml'),
    GITHUB_STEP_SUMMARY: join(directory, 'page.md'),
  };
  const ended = await suite(directory, { GITHUB_ACTIONS: 'true', ...files, ...env }, '--trace=on', ...args);
  const left = everything(directory).set('what was printed', ended.text);
  for (const name of FORMATS) expect([...left.keys()].join('\n')).toContain(name);
  expect([...left].flatMap(([name, text]) => leaks(name, text))).toEqual([]);
  expect(ended.code, ended.text).toBe(1);
  return { ended, left };
}

test('hostile text and the key in every way, with every reporter: no file has them', async ({ put, directory }) => {
  const { env, target } = await put({ handle: inEveryWay });
  const { ended } = await writeAll(directory, env, `${REPORTER},${OF_PLAYWRIGHT}`);
  expect(target.asked.length).toBeLessThanOrEqual(130);
  expect(ended.file('conformance.json')).toContain('$API_KEY');
  // The suite's own annotations are commands on purpose.
  const own = everything(join(directory, 'report')).set('what was printed', ended.text);
  expect(wrongInArtefacts(own, /^::(error|warning|notice) (title|file)=/)).toEqual([]);
});

test("the same with Playwright's public test, its messages, traces and debug output", async ({ put, directory }) => {
  const { env } = await put({ handle: inEveryWay });
  // The suite's reporter comes last: tests fail by themselves.
  const reporters = REPORTER.replace('=', `=${OF_PLAYWRIGHT},`);
  const debugging = { ...env, CONFORMANCE_PUBLIC_TEST: '1', DEBUG: '*' };
  const { left } = await writeAll(directory, debugging, reporters, '--grep=@add.echo|@auth.missing|@service.json');
  expect([...left.keys()].join('\n')).toContain('trace.zip › test.trace');
  expect(left.get('what was printed')).toMatch(/\d+ failed/);
  expect(left.get('what was printed')).toContain('pw:');
});
