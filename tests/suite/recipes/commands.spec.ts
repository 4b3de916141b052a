/** The command of the package in the project of a user: words, folders, and output that is closed early. */
import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from '@playwright/test';
import type { ConformanceReport } from '../../../fixtures/report/model/report.ts';
import { inherited, ROOT, test as base } from '../gate/spawn.ts';

const BIN = join(ROOT, 'bin/animal-store-conformance.js');
const ONE = '--grep=@list.succeeds';

/** Files of the user, in places that this suite or Playwright might write. */
const OWN = [
  ...['index.html', 'summary.md', 'compare.html', 'own.json'],
  ...['playwright-report/index.html', 'test-results/own.txt', 'tests/list.spec.ts'],
];

function snapshot(folder: string): Record<string, string> {
  const names = readdirSync(folder, { recursive: true, withFileTypes: true });
  const files = names.filter((each) => each.isFile()).map((each) => join(each.parentPath, each.name));
  return Object.fromEntries(files.sort().map((file) => [file, readFileSync(file, 'latin1')]));
}

interface Ended {
  code: number | null;
  text: string;
}

interface Fixtures {
  /** The folder of a project with files of the user. */
  project: string;
  /** Runs the command in it, by default on the embedded reference. */
  command: (args: readonly string[], env?: Record<string, string>) => Ended;
}

const test = base.extend<Fixtures>({
  project: async ({ directory }, use) => {
    for (const name of OWN) {
      mkdirSync(join(directory, name, '..'), { recursive: true });
      writeFileSync(join(directory, name), `of the user: ${name}`);
    }
    await use(directory);
  },
  command: async ({ project }, use) => {
    await use((args, env = {}) => {
      const { status, stdout, stderr } = spawnSync(process.execPath, [BIN, ...args], {
        cwd: project,
        env: { ...inherited(), TARGET: 'reference', THROTTLING: 'off', ...env },
        encoding: 'utf8',
      });
      return { code: status, text: stdout + stderr };
    });
  },
});
test.describe.configure({ mode: 'default' });

const REFUSED = [
  ['verfiy conformance-report', /^verfiy: did you mean verify\?/],
  ['compar a b', /^compar: did you mean compare\?/],
  ['Verify x', /^Verify: did you mean verify\?/],
  ['halp', /^halp: did you mean help\?/],
  ['tests/list.spec.ts', /^tests\/list\.spec\.ts: this is not a command; they are compare, verify, judge, /],
  ['--grep=@list.succeeds verify', /^verify: a command has to be the first argument/],
  ['--grep @list.succeeds verfiy', /^verfiy: did you mean verify\?/],
  ['--base-url http://127.0.0.1:1/v1 compar a', /^compar: did you mean compare\?/],
] as const satisfies readonly (readonly [string, RegExp])[];

for (const [words, message] of REFUSED)
  test(`\`${words}\` is refused, and nothing is sent or written`, ({ project, command }) => {
    const before = snapshot(project);
    const { code, text } = command(words.split(' '));
    expect(code).toBe(1);
    expect(text).toMatch(message);
    expect(snapshot(project)).toEqual(before);
  });

for (const [words, shown] of [
  ['help', /^Usage: /],
  ['--help', /^Usage: /],
  ['version', /^\d+\.\d+\.\d+\n$/],
  ['--version', /^\d+\.\d+\.\d+\n$/],
] as const)
  test(`\`${words}\` prints, and writes nothing`, ({ project, command }) => {
    const before = snapshot(project);
    const { code, text } = command([words]);
    expect([code, text]).toEqual([0, expect.stringMatching(shown)]);
    expect(snapshot(project)).toEqual(before);
  });

test('no command writes over a file of the user, or over what it reads', ({ project, command }) => {
  const own = snapshot(project);
  const current = (): ConformanceReport =>
    JSON.parse(readFileSync(join(project, 'conformance-report/conformance.json'), 'utf8')) as ConformanceReport;

  const refused = command([ONE], { REPORT_DIR: '.' });
  expect(refused.code, refused.text).toBe(1);
  expect(refused.text).toMatch(/\. holds \S+ and no report of this suite.*Set REPORT_DIR to a new or empty folder/);
  expect(refused.text).not.toMatch(/Judging|^ +at /m);

  expect(command([ONE]).code).toBe(0);
  expect(snapshot(project)).toMatchObject(own);
  expect(current().verdict).toBe('partial');
  const { baseUrl } = (
    JSON.parse(readFileSync(join(project, 'conformance-report/exchanges.har'), 'utf8')) as {
      log: { _run: { baseUrl: string } };
    }
  ).log._run;

  const before = snapshot(project);
  for (const [args, message] of [
    [['judge', 'conformance-report/exchanges.har', '--base-url', baseUrl], /would be written over\. Set REPORT_DIR/],
    [
      ['verify', 'conformance-report', '--report-dir', 'conformance-report'],
      /would be written over\. Set --report-dir/,
    ],
    [['verify', 'conformance-report', '--report-dir', '.'], /no report of this suite.*Set --report-dir to a new/],
    [['compare', 'conformance-report', 'conformance-report', '--page', 'index.html'], /The arguments are wrong/],
  ] as const) {
    const { code, text } = command(args);
    expect(code, args.join(' ')).not.toBe(0);
    expect(text).toMatch(message);
    expect(text).not.toMatch(/^ +at /m);
    expect(snapshot(project)).toEqual(before);
  }
  const again = command(['verify', 'conformance-report']);
  expect(again.code, again.text).toBe(0);
  expect(command(['compare', 'conformance-report', 'verified-report']).code).toBe(0);
  expect(command([ONE]).code).toBe(0);
  expect(snapshot(project)).toMatchObject(own);
});

test('a folder of the name that Playwright gets is kept if it is not ours', ({ project, command }) => {
  mkdirSync(join(project, 'conformance-playwright/test-results'), { recursive: true });
  writeFileSync(join(project, 'conformance-playwright/test-results/own.txt'), 'of the user');
  const before = snapshot(project);
  const { code, text } = command([ONE]);
  expect([code, text]).toEqual([
    1,
    expect.stringContaining('conformance-playwright holds files that are not of this suite'),
  ]);
  expect(snapshot(project)).toEqual(before);
});

test('closed output ends output: the report is written, and the exit code is that of the verdict', async ({
  project,
  command,
}) => {
  /** With both streams closed before anything is written. */
  const closed = (args: readonly string[], env: Record<string, string> = {}): Promise<number | string | null> =>
    new Promise((done) => {
      const child = spawn(process.execPath, [...args], {
        cwd: project,
        env: { ...inherited(), TARGET: 'reference', THROTTLING: 'off', ...env },
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      child.stdout.destroy();
      child.stderr.destroy();
      child.on('exit', (code, signal) => done(code ?? signal));
    });
  expect(await closed([BIN, ONE])).toBe(0);
  const cli = join(ROOT, 'node_modules/@playwright/test/cli.js');
  const env = { REPORT_DIR: 'plain', REQUIRE: 'conforms', PLAYWRIGHT_HTML_OUTPUT_DIR: join(project, 'html') };
  expect(await closed([cli, 'test', '-c', ROOT, `--output=${join(project, 'results')}`, ONE], env)).toBe(1);
  for (const folder of ['conformance-report', 'plain'])
    expect(JSON.parse(readFileSync(join(project, folder, 'conformance.json'), 'utf8'))).toMatchObject({
      verdict: 'partial',
    });
  expect(await closed([BIN, 'verify', 'conformance-report'])).toBe(0);
  expect(await closed([BIN, 'compare', 'conformance-report', 'verified-report'])).toBe(0);
  expect(await closed([BIN, 'help'])).toBe(0);
  // Standard error stays open here: nothing may be printed there.
  const first = spawnSync(
    'bash',
    ['-c', `"$0" "$1" verify conformance-report | head -1; echo "\${PIPESTATUS[0]}"`, process.execPath, BIN],
    {
      cwd: project,
      env: inherited(),
      encoding: 'utf8',
    },
  );
  expect(first.stderr).toBe('');
  expect(first.stdout).toMatch(/^conformance-report\/exchanges\.har: recorded .*\n0\n$/);
  expect(command(['verify', 'conformance-report']).text).toContain('VERIFIED');
});
