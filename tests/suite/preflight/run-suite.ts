/** Runs the conformance suite in a process of its own, as a user would, with reports in a folder of its own. */
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('../../..', import.meta.url));

export interface Ended {
  code: number | null;
  stdout: string;
  stderr: string;
  /** conformance.json, where one was written. */
  report: { verdict: string; reason?: string; counts: Record<string, number> } | undefined;
}

/**
 * @param env over an environment that names no target.
 * @param args of `playwright test`.
 */
export async function runSuite(env: Record<string, string>, ...args: string[]): Promise<Ended> {
  const directory = mkdtempSync(join(tmpdir(), 'suite-'));
  const reports = join(directory, 'report');
  // Nothing of the process that tests the suite may reach the one that is tested, and no file either.
  const unset = { BASE_URL: '', API_KEY: '', THROTTLE_API_KEY: '', PLAN: '', CI: '', TARGET: '', WAIVERS: '' };
  const inherited = Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !/^(PLAYWRIGHT|PW|TEST_|CONFORMANCE_)/.test(name)),
  );
  const html = { PLAYWRIGHT_HTML_OUTPUT_DIR: join(directory, 'html'), PLAYWRIGHT_HTML_OPEN: 'never' };
  const cli = join(root, 'node_modules/@playwright/test/cli.js');
  try {
    const child = spawn(process.execPath, [cli, 'test', '--output', join(directory, 'results'), ...args], {
      cwd: root,
      env: { ...inherited, ...unset, ...html, FORCE_COLOR: '0', REPORT_DIR: reports, ...env },
    });
    let [stdout, stderr] = ['', ''];
    child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
    child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
    const code = await new Promise<number | null>((done) => child.on('close', done));
    return { code, stdout, stderr, report: reportIn(env.REPORT_DIR ?? reports) };
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

function reportIn(directory: string): Ended['report'] {
  try {
    return JSON.parse(readFileSync(join(directory, 'conformance.json'), 'utf8')) as Ended['report'];
  } catch {
    return undefined;
  }
}
