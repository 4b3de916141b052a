/** The command of the package in the project of a user: words, folders, and output that is closed early. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from '@playwright/test';
import { BIN, command, type Ended, inherited, start, test as base } from '../gate/spawn.ts';
import { installedClone, shell } from './checkout.ts';

const ONE = '--grep=@list.succeeds';
const SETTINGS = { TARGET: 'reference', THROTTLING: 'off' };
const REPORT = 'conformance-report';

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

/** `project`: a folder with files of the user. */
const test = base.extend<{ project: string }>({
  project: async ({ directory }, use) => {
    for (const name of OWN) {
      mkdirSync(join(directory, name, '..'), { recursive: true });
      writeFileSync(join(directory, name), `of the user: ${name}`);
    }
    await use(directory);
  },
});

/** Runs the command in a project, by default on the embedded reference. */
const run = (project: string, args: readonly string[], env = {}) => command(project, args, { ...SETTINGS, ...env });

/** Runs the command with standard output and standard error closed before anything is written. */
function runClosed(cwd: string, ...args: string[]): Promise<Ended> {
  const { child, ended } = start(process.execPath, [BIN, ...args], { cwd, env: { ...inherited(), ...SETTINGS } });
  child.stdout?.destroy();
  child.stderr?.destroy();
  return ended;
}

const WORDS: [words: string, code: number, shown: RegExp][] = [
  ['verfiy conformance-report', 1, /^verfiy: did you mean verify\?/],
  ['Verify x', 1, /^Verify: did you mean verify\?/],
  ['tests/list.spec.ts', 1, /^tests\/list\.spec\.ts: this is not a command; they are compare, verify, judge, /],
  ['--grep=@list.succeeds verify', 1, /^verify: a command has to be the first argument/],
  ['--base-url http://127.0.0.1:1/v1 compar a', 1, /^compar: did you mean compare\?/],
  ['--config=own.json', 1, /^--config=own\.json: this command runs only its own tests/],
  ['help', 0, /^Usage: /],
  ['--version', 0, /^\d+\.\d+\.\d+\n$/],
];

test('an unknown command is refused, and nothing is sent or written', async ({ project }) => {
  const before = snapshot(project);
  for (const [words, code, shown] of WORDS) {
    const ended = await run(project, words.split(' '));
    expect([ended.code, ended.text], words).toEqual([code, expect.stringMatching(shown)]);
  }
  expect(snapshot(project)).toEqual(before);
});

test('no command writes over a file of the user or over what it reads, nor needs open output', async ({ project }) => {
  const untouched = snapshot(project);
  const refused = await run(project, [ONE], { REPORT_DIR: '.' });
  expect(refused.code, refused.text).toBe(1);
  expect(refused.text).toMatch(/\. holds \S+ and no report of this suite.*Set REPORT_DIR to a new or empty folder/);
  expect(refused.text).not.toMatch(/Judging|^ +at /m);

  const judged = await runClosed(project, ONE);
  expect(judged.code).toBe(0);
  expect(snapshot(project)).toMatchObject(untouched);
  expect(judged.report().verdict).toBe('partial');
  const { log } = JSON.parse(judged.file('exchanges.har')) as { log: { _run: { baseUrl: string } } };

  const before = snapshot(project);
  for (const [args, message] of [
    [['judge', `${REPORT}/exchanges.har`, '--base-url', log._run.baseUrl], /would be written over\. Set REPORT_DIR/],
    [['verify', REPORT, '--report-dir', REPORT], /would be written over\. Set --report-dir/],
    [['verify', REPORT, '--report-dir', '.'], /no report of this suite.*Set --report-dir to a new/],
    [['verify', REPORT, '--report-dir', 'index.html'], /^EEXIST: .*\n$/],
    [['verify', 'reprot'], /^there is no file or folder reprot\n$/],
    [['compare', REPORT, REPORT, '--page', 'index.html'], /The arguments are wrong/],
  ] as const) {
    const { code, text } = await run(project, args);
    expect(code, args.join(' ')).not.toBe(0);
    expect(text).toMatch(message);
    expect(text).not.toMatch(/^ +at /m);
    expect(snapshot(project)).toEqual(before);
  }
  expect((await runClosed(project, 'verify', REPORT)).code).toBe(0);
  expect((await runClosed(project, 'compare', REPORT, 'verified-report')).code).toBe(0);
  // Standard error stays open here: nothing may be printed there.
  const script = `"$0" "$1" verify ${REPORT} | head -1; echo "\${PIPESTATUS[0]}"`;
  const first = await start('bash', ['-c', script, process.execPath, BIN], { cwd: project }).ended;
  expect(first.stderr).toBe('');
  expect(first.stdout).toMatch(/^conformance-report\/exchanges\.har: recorded .*\n0\n$/);
  expect(snapshot(project)).toMatchObject(untouched);
});

test('a folder of the name that Playwright gets is kept if it is not ours', async ({ project }) => {
  mkdirSync(join(project, 'conformance-playwright'));
  writeFileSync(join(project, 'conformance-playwright/own.txt'), 'of the user');
  const before = snapshot(project);
  for (const option of [ONE, '--list']) {
    const { code, text } = await run(project, [option]);
    expect([code, text]).toEqual([1, expect.stringContaining('holds files that are not of this suite')]);
    expect(snapshot(project)).toEqual(before);
  }
});

test('below a folder called node_modules, the command prints the remedy', async ({ directory }) => {
  const cwd = installedClone(join(directory, 'node_modules/checkout'));
  const { code, text } = await shell('node bin/animal-store-conformance.js --list', { cwd });
  expect([code, text]).toEqual([1, expect.stringMatching(/below a folder called node_modules.*install the pack/s)]);
});
