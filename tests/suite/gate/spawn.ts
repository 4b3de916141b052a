/** Runs the conformance suite as a pipeline does, with everything that it writes in one folder. */
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createServer } from '../../../fixtures/reference/server.ts';
import { Service } from '../../../fixtures/reference/service.ts';
import type { ConformanceReport } from '../../../fixtures/report/model.ts';

export const ROOT = fileURLToPath(new URL('../../../', import.meta.url));

export interface Ended {
  code: number | null;
  /** Everything that was printed. */
  text: string;
  /** What the run wrote in REPORT_DIR. */
  file: (name: string) => string;
  report: () => ConformanceReport;
}

/** What a run inherits: nothing of the process that tests it, and no file of settings. */
function inherited(): NodeJS.ProcessEnv {
  const own =
    /^(BASE_URL|API_KEY|THROTTL|TARGET|PLAN|CATEGORY_ID|READ_ONLY|MAX_WAIT|LEVEL|DEPTH|WAIVERS|REQUIREMENTS|REPORT_DIR|CI|GITHUB_|CONFORMANCE_|PLAYWRIGHT_|TEST_|DEBUG|FORCE_COLOR)/;
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !own.test(name)));
}

/**
 * Runs `playwright <args>`.
 * @param directory where everything goes: reports in `report/`, test results in `results/`, blobs in `blob-report/`.
 */
export async function playwright(directory: string, env: NodeJS.ProcessEnv, args: string[]): Promise<Ended> {
  const reports = join(directory, 'report');
  const child = spawn(process.execPath, [join(ROOT, 'node_modules/@playwright/test/cli.js'), ...args], {
    cwd: ROOT,
    env: {
      ...inherited(),
      REPORT_DIR: reports,
      PLAYWRIGHT_HTML_OUTPUT_DIR: join(directory, 'html'),
      PLAYWRIGHT_HTML_OPEN: 'never',
      PLAYWRIGHT_BLOB_OUTPUT_DIR: join(directory, 'blob-report'),
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let text = '';
  child.stdout.on('data', (data: Buffer) => (text += data.toString()));
  child.stderr.on('data', (data: Buffer) => (text += data.toString()));
  const code = await new Promise<number | null>((resolve) => child.on('close', resolve));
  const file = (name: string): string => {
    const path = join(reports, name);
    if (!existsSync(path)) throw new Error(`${name} was not written:\n${text}`);
    return readFileSync(path, 'utf8');
  };
  return { code, text, file, report: () => JSON.parse(file('conformance.json')) as ConformanceReport };
}

/** Runs the suite. @param args beyond `playwright test`. */
export const suite = (directory: string, env: NodeJS.ProcessEnv, ...args: string[]): Promise<Ended> =>
  playwright(directory, { THROTTLING: 'off', ...env }, ['test', `--output=${join(directory, 'results')}`, ...args]);

/** The conformance report alone, as `--reporter`. */
export const REPORTER = '--reporter=./fixtures/report/reporter.ts';

export interface Served {
  baseUrl: string;
  close: () => Promise<void>;
}

/** Serves the reference implementation, with one thing about it changed. */
export async function serve(key: string, change: (service: Service) => void = () => {}): Promise<Served> {
  const service = new Service({ keys: { [key]: 'business' }, windowMs: 60_000 });
  change(service);
  const server = createServer(service);
  await server.listen({ port: 0, host: '127.0.0.1' });
  const { port } = server.server.address() as AddressInfo;
  return { baseUrl: `http://127.0.0.1:${port}/v1`, close: async () => server.close() };
}

/** A folder for one test, and what removes it. */
export function folder(): { directory: string; remove: () => void } {
  const directory = mkdtempSync(join(tmpdir(), 'gate-'));
  return { directory, remove: () => rmSync(directory, { recursive: true, force: true }) };
}
