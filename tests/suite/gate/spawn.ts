/** Runs the suite as a pipeline does, with all its output in one folder. */
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defects } from '../../../fixtures/reference/defects/index.ts';
import { createServer } from '../../../fixtures/reference/server.ts';
import { Service } from '../../../fixtures/reference/service.ts';
import type { ConformanceReport } from '../../../fixtures/report/model/report.ts';
import { settingNames } from '../../../fixtures/settings/table.ts';
import { test as base } from '../unit/make.ts';

export const ROOT = fileURLToPath(new URL('../../../', import.meta.url));

export interface Ended {
  code: number | null;
  stdout: string;
  stderr: string;
  text: string;
  file: (name: string) => string;
  report: () => ConformanceReport;
}

/** Milliseconds after which a hanging process is ended. */
const LONGEST_MS = 240_000;

/** Every setting, empty, so that no settings file counts; the contract is that of these tests. */
export const unset = (): Record<string, string> => ({
  ...Object.fromEntries(settingNames.map((name) => [name, ''])),
  CONTRACT: process.env.CONTRACT ?? '',
});

/** The environment of a run: nothing of this process, and no settings file, since empty variables are set. */
export function inherited(): NodeJS.ProcessEnv {
  const own =
    /^(CI$|GITHUB_|CONFORMANCE_|PLAYWRIGHT|PW|TEST_|DEBUG|NODE_DEBUG|NODE_OPTIONS|FORCE_COLOR|NO_COLOR|(HTTPS?|ALL|NO)_PROXY$|(https?|all|no)_proxy$)/;
  return {
    ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !own.test(name))),
    ...unset(),
    FORCE_COLOR: '0',
  };
}

/** Runs a program in the checkout. @param directory for all output: reports in `report/`, blobs in `blob-report/`. */
async function run(
  directory: string,
  env: NodeJS.ProcessEnv,
  program: string,
  args: string[],
  input?: string,
): Promise<Ended> {
  const reports = env.REPORT_DIR || join(directory, 'report');
  const child = spawn(program, args, {
    cwd: ROOT,
    env: {
      ...inherited(),
      REPORT_DIR: reports,
      PLAYWRIGHT_HTML_OUTPUT_DIR: join(directory, 'html'),
      PLAYWRIGHT_HTML_OPEN: 'never',
      PLAYWRIGHT_BLOB_OUTPUT_DIR: join(directory, 'blob-report'),
      ...env,
    },
    stdio: ['pipe', 'pipe', 'pipe'],
    timeout: LONGEST_MS,
  });
  child.stdin.end(input);
  const printed = { stdout: '', stderr: '', text: '' };
  for (const name of ['stdout', 'stderr'] as const)
    child[name].setEncoding('utf8').on('data', (data: string) => {
      printed[name] += data;
      printed.text += data;
    });
  const code = await new Promise<number | null>((resolve) => child.on('close', resolve));
  const file = (name: string): string => {
    const path = join(reports, name);
    if (!existsSync(path)) throw new Error(`${name} was not written:\n${printed.text}`);
    return readFileSync(path, 'utf8');
  };
  return { code, ...printed, file, report: () => JSON.parse(file('conformance.json')) as ConformanceReport };
}

export const playwright = (directory: string, env: NodeJS.ProcessEnv, args: string[]): Promise<Ended> =>
  run(directory, env, process.execPath, [join(ROOT, 'node_modules/@playwright/test/cli.js'), ...args]);

/** `npm run quick`. @param input orders, one a line. */
export const quick = (directory: string, args: string[], input?: string): Promise<Ended> =>
  run(
    directory,
    { REPORT_DIR: '' },
    process.execPath,
    ['--import', import.meta.resolve('tsx'), 'tests/quick.ts', ...args],
    input,
  );

/** Runs a printed command, with its own folder of results. */
export const typed = (directory: string, env: NodeJS.ProcessEnv, command: string): Promise<Ended> =>
  run(directory, env, 'sh', ['-c', `${command} --output='${join(directory, 'results')}'`]);

/** Runs the suite, by default without throttling. @param args beyond `playwright test`. */
export const suite = (directory: string, env: NodeJS.ProcessEnv, ...args: string[]): Promise<Ended> =>
  playwright(directory, { THROTTLING: 'off', ...env }, ['test', `--output=${join(directory, 'results')}`, ...args]);

export const REPORTER = '--reporter=./tests/reporter.ts';

export const idsOf = ({ requirements }: ConformanceReport, outcome: string): string[] =>
  requirements.filter((requirement) => requirement.outcome === outcome).map(({ id }) => id);

export type Change = (service: Service) => void;

export const defective =
  (...ids: string[]): Change =>
  (service) => {
    for (const id of ids) {
      const defect = defects.find((each) => each.id === id);
      if (!defect) throw new Error(`unknown defect ${id}`);
      defect.apply(service);
    }
  };

export const TRIAL_KEY = 'trial-key-77d1';

export interface Served {
  baseUrl: string;
  close: () => Promise<void>;
}

/** Serves the reference with a change. @param port 0 takes a free one. */
export async function serve(key: string, change: Change = () => {}, port = 0): Promise<Served> {
  const trial = { key: TRIAL_KEY, limit: 20, windowMs: 2000 };
  const service = new Service({ keys: { [key]: 'business' }, windowMs: 60_000, trial });
  change(service);
  const server = createServer(service);
  await server.listen({ port, host: '127.0.0.1' });
  const bound = (server.server.address() as AddressInfo).port;
  return { baseUrl: `http://127.0.0.1:${bound}/v1`, close: async () => server.close() };
}

export function folder(): { directory: string; remove: () => void } {
  const directory = mkdtempSync(join(tmpdir(), 'gate-'));
  return { directory, remove: () => rmSync(directory, { recursive: true, force: true }) };
}

interface Fixtures {
  directory: string;
  serving: typeof serve;
}

/** For tests that start runs: each takes seconds. */
export const test = base.extend<Fixtures>({
  directory: async ({}, use, info) => {
    info.setTimeout(3 * LONGEST_MS);
    const { directory, remove } = folder();
    await use(directory);
    remove();
  },
  serving: async ({}, use) => {
    const servers: Served[] = [];
    await use(async (...args) => {
      const server = await serve(...args);
      servers.push(server);
      return server;
    });
    for (const server of servers) await server.close();
  },
});
