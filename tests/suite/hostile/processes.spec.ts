/** Runs that are interrupted or cannot write: REPORT_DIR never keeps an earlier report, and no folder is left behind. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { _baseTest, expect } from '@playwright/test';
import { inherited, ROOT } from '../gate/spawn.ts';
import { canReadMemory, takenBelow } from '../gate/memory.ts';
import { everything } from './artefacts.ts';
import { answering, bodies, MEGABYTES, onErrors } from './fault.ts';
import { faults } from './faults/index.ts';
import { HOSTILE } from './faults/words.ts';
import { wrongInArtefacts } from './runs.ts';
import { type How, KEY, misbehaving, type Target, TRIAL } from './server.ts';

/** Marks a run whose files the shell limits to 80 or 160 kB. */
const SMALL_FILES = 'small files';
/** The text of an earlier, green report. */
const STALE = JSON.stringify({ verdict: 'conforms', suite: { version: '1.0.0' }, requirements: [] });
/** Milliseconds after which a hanging process is ended. */
const LONGEST_MS = 120_000;
/** Where Playwright keeps what it has compiled: not in the temporary folder of each run, which begins empty. */
const COMPILED = join(tmpdir(), `playwright-transform-cache-${process.geteuid?.()}`);

interface Started {
  target: Target;
  child: ChildProcess;
  directory: string;
  reports: string;
  ended: Promise<{ code: number | null; text: string }>;
}

interface Fixtures {
  start: (how?: How, env?: Record<string, string>, ...args: string[]) => Promise<Started>;
}

const test = _baseTest.extend<Fixtures>({
  start: async ({}, use, info) => {
    info.setTimeout(2 * LONGEST_MS);
    const closing: (() => void)[] = [];
    await use(async (how = {}, env = {}, ...args) => {
      const target = await misbehaving(how);
      const directory = mkdtempSync(join(tmpdir(), 'hostile-'));
      closing.push(target.close, () => rmSync(directory, { recursive: true, force: true }));
      const reports = env.REPORT_DIR ?? join(directory, 'report');
      const temporary = join(directory, 'tmp');
      for (const folder of [join(directory, 'report'), temporary]) mkdirSync(folder);
      for (const name of ['conformance.json', 'index.html', 'summary.md', 'junit.xml'])
        writeFileSync(join(directory, 'report', name), STALE);
      const command = [
        process.execPath,
        'node_modules/@playwright/test/cli.js',
        'test',
        `--output=${join(directory, 'results')}`,
      ];
      const isLimited = args.includes(SMALL_FILES);
      const child = spawn(
        'sh',
        [
          '-c',
          `${isLimited ? 'ulimit -f 160; ' : ''}exec "$@"`,
          'sh',
          ...command,
          ...args.filter((arg) => arg !== SMALL_FILES),
        ],
        {
          cwd: ROOT,
          env: {
            ...inherited(),
            ...{
              BASE_URL: target.baseUrl,
              API_KEY: KEY,
              THROTTLE_API_KEY: TRIAL.key,
              THROTTLING: 'off',
              MAX_WAIT: '20',
            },
            ...{
              TMPDIR: temporary,
              PWTEST_CACHE_DIR: COMPILED,
              PLAYWRIGHT_HTML_OUTPUT_DIR: join(directory, 'html'),
              PLAYWRIGHT_HTML_OPEN: 'never',
            },
            REPORT_DIR: reports,
            ...env,
          },
          stdio: ['ignore', 'pipe', 'pipe'],
          timeout: LONGEST_MS,
        },
      );
      let text = '';
      for (const stream of [child.stdout, child.stderr])
        stream.setEncoding('utf8').on('data', (data) => (text += data));
      const ended = new Promise<{ code: number | null; text: string }>((done) =>
        child.on('close', (code) => done({ code, text })),
      );
      return { target, child, directory, reports, ended };
    });
    for (const close of closing.reverse()) close();
  },
});

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((done) => setTimeout(done, 20));
}

const readReport = (reports: string): { verdict: string; sentence: string; reason?: string } =>
  JSON.parse(readFileSync(join(reports, 'conformance.json'), 'utf8')) as { verdict: string; sentence: string };

/** A target that is slow from some request on, so that a run can be interrupted. */
const slowFrom = (count: number): How => ({
  handle: async (asked, ask) => {
    if (asked.count >= count) await new Promise((done) => setTimeout(done, 400));
    return ask();
  },
});

/** A target that answers nothing until it is released. */
function holding(): { how: How; release: () => void } {
  let release = (): void => {};
  const released = new Promise<void>((done) => (release = done));
  return { how: { handle: async (_asked, ask) => released.then(ask) }, release };
}

const SIGNALS = [
  { signal: 'SIGINT', title: 'a person presses Ctrl-C' },
  { signal: 'SIGTERM', title: 'a CI system cancels the job' },
  { signal: 'SIGKILL', title: 'memory runs out' },
] as const satisfies readonly { signal: NodeJS.Signals; title: string }[];

for (const { signal, title } of SIGNALS)
  test(`${signal} in mid-run (${title}): the report is neither an earlier nor a green one`, async ({ start }) => {
    const { target, child, reports, ended, directory } = await start(slowFrom(20));
    await until(() => target.asked.length >= 22 || child.exitCode !== null);
    const sent = target.asked.length;
    child.kill(signal);
    const { code, text } = await ended;
    expect(code, text).not.toBe(0);
    // Requests in flight still arrive; no new one is sent.
    expect(target.asked.length, text).toBeLessThanOrEqual(sent + 5);
    expect(readReport(reports), text).toMatchObject({ verdict: 'error' });
    for (const name of ['index.html', 'summary.md', 'junit.xml'])
      expect(existsSync(join(reports, name)) && readFileSync(join(reports, name), 'utf8'), name).not.toBe(STALE);
    expect(wrongInArtefacts(everything(directory).set('what was printed', text))).toEqual([]);
  });

test('the report of a run in progress is marked as unfinished', async ({ start }) => {
  const { how, release } = holding();
  const { target, child, reports, ended } = await start(how, {}, '--grep=@orders.exists');
  await until(() => target.asked.length > 0 || child.exitCode !== null);
  expect(readReport(reports)).toMatchObject({
    verdict: 'error',
    sentence: expect.stringContaining('not finished') as unknown as string,
  });
  release();
  const { text } = await ended;
  expect(readReport(reports), text).toMatchObject({ verdict: 'partial' });
});

test('invalid settings replace the report of an earlier run', async ({ start }) => {
  const { reports, ended, target } = await start({}, { PLAN: 'gold' });
  const { code, text } = await ended;
  expect(code, text).toBe(1);
  expect(readReport(reports), text).toMatchObject({
    verdict: 'error',
    reason: expect.stringContaining('PLAN is "gold"') as unknown as string,
  });
  expect(target.asked).toHaveLength(0);
});

const UNWRITABLE = [
  { title: 'a file', env: () => ({ REPORT_DIR: fileURLToPath(import.meta.url) }), message: 'REPORT_DIR' },
  {
    title: 'below a file',
    env: () => ({ REPORT_DIR: join(fileURLToPath(import.meta.url), 'report') }),
    message: 'REPORT_DIR',
  },
  {
    title: 'a device that takes nothing',
    env: () => ({ REPORT_DIR: '/proc/self/fd/none/report' }),
    message: 'REPORT_DIR',
  },
] as const satisfies readonly { title: string; env: () => Record<string, string>; message: string }[];

for (const { title, env, message } of UNWRITABLE)
  test(`a REPORT_DIR that is ${title} is reported before anything is sent`, async ({ start }) => {
    const { target, ended } = await start({}, env());
    const { code, text } = await ended;
    expect(code, text).toBe(1);
    expect(text).toContain(message);
    expect(text).not.toMatch(/^\s+at .+:\d+/m);
    expect(target.asked).toHaveLength(0);
  });

test('a missing temporary folder is reported before anything is sent, and in the report', async ({ start }) => {
  const { target, reports, ended } = await start({}, { TMPDIR: join(fileURLToPath(import.meta.url), 'tmp') });
  const { code, text } = await ended;
  expect(code, text).toBe(1);
  expect(text).toMatch(/TMPDIR|temporary folder/);
  expect(target.asked).toHaveLength(0);
  expect(readReport(reports), text).toMatchObject({ verdict: 'error' });
});

test('a REPORT_DIR removed in mid-run is created again, with the report', async ({ start }) => {
  const { how, release } = holding();
  const { target, child, reports, ended } = await start(how, {}, '--grep=@orders.exists');
  await until(() => target.asked.length > 0 || child.exitCode !== null);
  rmSync(reports, { recursive: true });
  release();
  const { text } = await ended;
  expect(readReport(reports), text).toMatchObject({ verdict: 'partial' });
});

test('a full disk fails the run, and never keeps the earlier report', async ({ start }) => {
  // Playwright has written its own files before.
  await (
    await start({}, {}, '--grep=@orders.exists')
  ).ended;
  const { reports, ended } = await start({}, {}, SMALL_FILES, '--reporter=./fixtures/report/reporter.ts');
  const { code, text } = await ended;
  expect(code, text).not.toBe(0);
  expect(text).toContain('EFBIG');
  expect(readReport(reports), text).toMatchObject({ verdict: 'error' });
});

test('hostile text and the key in every response, with the reporters of a CI system', async ({ start }) => {
  const { ended, directory, target } = await start(
    {
      handle: async (asked, ask) => {
        const hostile = bodies(
          (body) =>
            body
              .toString()
              .replace(/"(code|message)":"[^"]*"/g, () => `"code":${JSON.stringify(HOSTILE + KEY)}`)
              .replace(/"status":\d+/, '"status":299'),
          onErrors,
        );
        const broken = answering((answer) => ({ body: Buffer.from(`${answer.body.toString()}\n${HOSTILE}${KEY}`) }));
        return asked.path.includes('orders') ? broken(asked, ask) : hostile(asked, ask);
      },
    },
    { GITHUB_ACTIONS: 'true', GITHUB_STEP_SUMMARY: '' },
    '--reporter=./fixtures/report/reporter.ts,list,html,junit,json,github',
  );
  const { code, text } = await ended;
  expect(code).toBe(1);
  expect(target.asked.length).toBeLessThanOrEqual(130);
  const left = everything(join(directory, 'report')).set('what was printed', text);
  // The suite's own annotations are commands on purpose.
  expect(wrongInArtefacts(left, /^::(error|warning|notice) (title|file)=/)).toEqual([]);
});

for (const id of ['size/everything-of-50-MB', 'coding/brotli-bomb', 'size/a-million-invalid-items'])
  test(`${id}: no process of Playwright takes more than ${MEGABYTES} MB`, async ({ start }) => {
    test.skip(!canReadMemory(), 'the memory of a process is unknown on this system');
    const fault = faults.find((each) => each.id === id);
    const { child, ended } = await start(fault);
    const most = new Map<number, number>();
    const timer = setInterval(() => {
      // The memory of a process that has ended is unknown.
      for (const { pid, peak } of takenBelow(child.pid ?? 0)) most.set(pid, Math.max(peak, most.get(pid) ?? 0));
    }, 50);
    const { text } = await ended;
    clearInterval(timer);
    // At least two processes of Playwright; new ones do not count.
    expect([...most.values()].filter((megabytes) => megabytes > 80).length, text).toBeGreaterThanOrEqual(2);
    expect(Math.max(...most.values()), text).toBeLessThanOrEqual(MEGABYTES);
  });

/** Ends the process of the target when it parses a body that is null. */
const fatal: NonNullable<How['restart']>['at'] = ({ method, body, hasKey }) =>
  hasKey && method === 'POST' && body === 'null';

interface Outage {
  verdict: string;
  outages: string[];
  requests: { sent: number };
  requirements: { list: string; outcome: string; reasons: string[] }[];
  exchanges: { number: number; sent: string }[];
}

test('a request that ends the target is named first and once, and nothing more is sent', async ({ start }) => {
  const { target, reports, ended, directory } = await start({ restart: { at: fatal, ms: 600_000 } });
  const { code, text } = await ended;
  expect(code, text).toBe(1);
  const { verdict, outages, requests, requirements } = readReport(reports) as unknown as Outage;
  expect(verdict, text).toBe('cantTell');
  const sentence =
    /^The target stopped answering: POST \/pets with the valid key, body null \(exchange (\d+)\): the connection was closed without an answer; every later request was refused\. Look at its log for this request\.$/;
  expect(outages).toEqual([expect.stringMatching(sentence)]);
  const number = Number(sentence.exec(outages[0] ?? '')?.[1]);
  // Three connections are refused, the last one after more than a second.
  expect(requests.sent).toBe(number + 3);
  expect(target.asked.length).toBe(number);
  const unjudged = requirements.filter(({ list, outcome }) => list === 'gates' && outcome === 'cantTell');
  const reasons = new Set(unjudged.flatMap((each) => each.reasons.map((reason) => reason.replace(/^.*: /, ''))));
  expect(unjudged.length).toBeGreaterThan(5);
  expect([...reasons].sort(), text).toEqual([
    'the connection was closed without an answer',
    `the target stopped answering at exchange ${number}`,
  ]);
  expect(text.split('The target stopped answering: POST /pets').length, text).toBe(2);
  expect(readFileSync(join(reports, 'summary.md'), 'utf8').indexOf('The target stopped answering')).toBeLessThan(600);
  expect(wrongInArtefacts(everything(directory).set('what was printed', text))).toEqual([]);
});

test('a target that restarts within a second is judged, and the request before it is named', async ({ start }) => {
  const { reports, ended } = await start({ restart: { at: fatal, ms: 900 } });
  const { text } = await ended;
  const { outages, requirements } = readReport(reports) as unknown as Outage;
  expect(outages, text).toEqual([
    expect.stringMatching(
      /^The target stopped answering and came back, .*: POST \/pets with the valid key, body null \(exchange \d+\): the connection was closed without an answer; then [23] requests were refused, until exchange \d+ was answered\./,
    ),
  ]);
  const unjudged = requirements.filter(({ list, outcome }) => list === 'gates' && outcome === 'cantTell');
  expect(unjudged.length, text).toBe(1);
});

for (const ms of [900, 600_000])
  test(`a run whose target was gone for ${ms / 1000} s can be verified`, async ({ start }) => {
    const { reports, ended, directory } = await start({ restart: { at: fatal, ms } });
    await ended;
    const verified = join(directory, 'verified');
    const verify = [join(ROOT, 'bin/animal-store-conformance.js'), 'verify', reports, '--report-dir', verified];
    const { stdout } = spawnSync(process.execPath, verify, { cwd: ROOT, env: inherited(), encoding: 'utf8' });
    expect(stdout).toContain('\nVERIFIED: ');
  });

test('no end of a run leaves a folder behind', async ({ start }) => {
  const ends = [{}, { PLAN: 'gold' }, { BASE_URL: 'http://127.0.0.1:9/v1' }].map(async (env) => {
    const { ended, directory } = await start({}, env, '--grep=@orders.exists');
    const { text } = await ended;
    expect(
      readdirSync(join(directory, 'tmp')).filter((name) => name.startsWith('conformance-')),
      text,
    ).toEqual([]);
  });
  await Promise.all(ends);
});
