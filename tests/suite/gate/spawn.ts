/** Starts programs and ends them: the harness of every test that starts a process. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ConformanceReport } from '../../../fixtures/report/model/report.ts';
import { settingNames } from '../../../fixtures/settings/table.ts';
import { test as base } from '../unit/make.ts';
import { serve } from './serve.ts';

export const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
export const BIN = join(ROOT, 'bin/animal-store-conformance.js');
export const CLI = join(ROOT, 'node_modules/@playwright/test/cli.js');

/** Milliseconds after which a hanging process is ended. */
const LONGEST_MS = 240_000;

/** Where Playwright keeps what it has compiled: not in the temporary folder of each run, which begins empty. */
const COMPILED = join(tmpdir(), `playwright-transform-cache-${process.geteuid?.()}`);

export interface Ended {
  code: number | null;
  stdout: string;
  stderr: string;
  text: string;
  /** A file of the report. */
  file: (name: string) => string;
  report: () => ConformanceReport;
}

export type Running = ReturnType<typeof start>;

export interface How {
  /** The checkout by default. */
  cwd?: string;
  /** The whole environment. */
  env?: NodeJS.ProcessEnv;
  input?: string;
  user?: { uid?: number; gid?: number };
  /** The program runs until it prints this. */
  until?: RegExp;
  /** Where it writes its report, by default as its environment has it. */
  reports?: string;
}

const OF_THIS_PROCESS =
  /^(CI$|CI_|GITHUB_|CONFORMANCE_|PLAYWRIGHT|PW|TEST_|DEBUG|NODE_DEBUG|NODE_OPTIONS|FORCE_COLOR|NO_COLOR|npm_|INIT_CWD|(HTTPS?|ALL|NO)_PROXY$|(https?|all|no)_proxy$)/;

/** An environment without settings, so that settings files count. */
export function environment(): NodeJS.ProcessEnv {
  const settings: readonly string[] = settingNames;
  const kept = Object.entries(process.env).filter(([name]) => !OF_THIS_PROCESS.test(name) && !settings.includes(name));
  return { ...Object.fromEntries(kept), PLAYWRIGHT_HTML_OPEN: 'never', npm_config_prefer_offline: 'true' };
}

/** An environment in which every setting is empty, so that no settings file counts; the contract is that of these tests. */
export const inherited = (): NodeJS.ProcessEnv => ({
  ...environment(),
  ...Object.fromEntries(settingNames.map((name) => [name, ''])),
  CONTRACT: process.env.CONTRACT ?? '',
  FORCE_COLOR: '0',
});

/** Starts a program in a process group, so that its children end with it. */
export function start(program: string, args: readonly string[], how: How = {}) {
  const { cwd = ROOT, env = inherited(), input, user = {}, until } = how;
  const { reports = env.REPORT_DIR || join(cwd, 'conformance-report') } = how;
  const child = spawn(program, args, { cwd, env, stdio: 'pipe', detached: true, ...user });
  const end = (): void => {
    try {
      process.kill(-(child.pid as number), 'SIGKILL');
    } catch {
      // All processes have ended.
    }
  };
  const timer = setTimeout(end, LONGEST_MS);
  child.stdin.on('error', () => {}).end(input);
  const all = { stdout: '', stderr: '', text: '' };
  for (const name of ['stdout', 'stderr'] as const)
    child[name].setEncoding('utf8').on('data', (data: string) => {
      all[name] += data;
      all.text += data;
      child.emit('printed');
      if (until?.test(all.text)) end();
    });
  child.on('exit', end);
  const file = (name: string): string => {
    const path = join(reports, name);
    if (!existsSync(path)) throw new Error(`${path} was not written:\n${all.text}`);
    return readFileSync(path, 'utf8');
  };
  const report = (): ConformanceReport => JSON.parse(file('conformance.json')) as ConformanceReport;
  const ended = new Promise<Ended>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => {
      clearTimeout(timer);
      resolve({ code: until?.test(all.text) ? 0 : code, ...all, file, report });
    });
  });
  /** Waits for a text. @throws Error if the program ends before. */
  const printed = async (text: RegExp): Promise<RegExpExecArray> => {
    for (;;) {
      const found = text.exec(all.text);
      if (found) return found;
      const over = await Promise.race([once(child, 'printed').then(() => false), ended.then(() => true)]);
      if (over && !text.test(all.text)) throw new Error(`it ended without ${String(text)}:\n${all.text}`);
    }
  };
  return { child, ended, printed };
}

/** The environment of a run with all its output in one folder: reports in `report/`, blobs in `blob-report/`. */
function within(directory: string, env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const temporary = join(directory, 'tmp');
  mkdirSync(temporary, { recursive: true });
  return {
    ...inherited(),
    ...{ REPORT_DIR: join(directory, 'report'), TMPDIR: temporary, PWTEST_CACHE_DIR: COMPILED },
    PLAYWRIGHT_HTML_OUTPUT_DIR: join(directory, 'html'),
    PLAYWRIGHT_BLOB_OUTPUT_DIR: join(directory, 'blob-report'),
    ...env,
  };
}

/** Starts Playwright in the checkout. @param args beyond the command. @param before a command of the shell that starts it. */
export function starting(directory: string, env: NodeJS.ProcessEnv, args: readonly string[], before = ':'): Running {
  const command = [process.execPath, CLI, 'test', `--output=${directory}/results`, ...args];
  const how = { env: within(directory, { THROTTLING: 'off', ...env }) };
  return start('sh', ['-c', `${before}; exec "$@"`, 'sh', ...command], how);
}

/** @throws Error if a run that ended by itself left a folder behind. */
async function tidy(directory: string, { ended }: Running): Promise<Ended> {
  const result = await ended;
  const left = readdirSync(join(directory, 'tmp')).filter((name) => name.startsWith('conformance-'));
  if (left.length > 0) throw new Error(`the run left ${left.join(' and ')} behind:\n${result.text}`);
  return result;
}

/** Runs the suite, by default without throttling. @param args beyond `playwright test`. */
export const suite = (directory: string, env: NodeJS.ProcessEnv, ...args: string[]): Promise<Ended> =>
  tidy(directory, starting(directory, env, args));

/** Runs another command of Playwright. */
export const playwright = (directory: string, ...args: string[]): Promise<Ended> =>
  tidy(directory, start(process.execPath, [CLI, ...args], { env: within(directory, {}) }));

/** Runs a printed command, with its own folder of results. */
export const typed = (directory: string, env: NodeJS.ProcessEnv, command: string): Promise<Ended> =>
  tidy(directory, start('sh', ['-c', `${command} --output='${directory}/results'`], { env: within(directory, env) }));

/** `npm run quick`. @param input orders, one a line. */
export function quick(directory: string, args: string[], input?: string, env = {}): Promise<Ended> {
  const program = ['--import', import.meta.resolve('tsx'), 'tests/quick.ts', ...args];
  const how = { env: within(directory, { REPORT_DIR: '', ...env }), reports: join(directory, 'report') };
  return tidy(directory, start(process.execPath, program, input === undefined ? how : { ...how, input }));
}

/** Runs the command of the package in a folder. */
export const command = (cwd: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<Ended> =>
  start(process.execPath, [BIN, ...args], { cwd, env: { ...inherited(), ...env } }).ended;

export const REPORTER = '--reporter=./tests/reporter.ts';

export function folder(): { directory: string; remove: () => void } {
  const directory = mkdtempSync(join(tmpdir(), 'gate-'));
  return { directory, remove: () => rmSync(directory, { recursive: true, force: true }) };
}

/** For tests that start runs: each takes seconds. */
export const test = base.extend<{ serving: typeof serve }>({
  directory: async ({ directory }, use, info) => {
    info.setTimeout(3 * LONGEST_MS);
    await use(directory);
  },
  serving: async ({ closing }, use) => {
    await use(async (how) => closing(await serve(how)));
  },
});
