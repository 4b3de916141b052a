/** A process of the proof: puts up one server after another, and runs the suite against each. Told what to do by `run.ts`. */
import { readdirSync } from 'node:fs';
import { register } from 'node:module';
import type { AddressInfo } from 'node:net';
import type { FullConfig, FullResult } from '@playwright/test/reporter';
import { defects } from '../../../fixtures/reference/defects/index.ts';
import { createServer } from '../../../fixtures/reference/server.ts';
import { Service } from '../../../fixtures/reference/service.ts';
import { stockUp, type Variant, variants } from '../../../fixtures/reference/variants/index.ts';

const RUNNER = new URL('runner.ts', import.meta.url).href;
const TESTS = new URL('../../', import.meta.url);

/** The key of the runs, and a small one for throttling. Both have letters of either case. */
export const KEYS = { 'proof-Business-key': 'business' };
const TRIAL = { key: 'proof-Trial-key', limit: 20, windowMs: 2000 };

/** What a process of the proof is told to do. */
export interface Task {
  /** The defect or variant. */
  id: string;
  /** Where the report goes. */
  directory: string;
  /** The requirement whose tests are run alone. */
  only?: string;
  /** Settings of the run, beside those of the server. */
  settings?: Record<string, string>;
}

/** A server of a defect or variant, at a free port. */
export async function putUp(id: string): Promise<{ env: Record<string, string>; close: () => Promise<unknown> }> {
  const service = new Service({ keys: KEYS, windowMs: 60_000, trial: TRIAL });
  const chosen = [...defects, ...variants].find((each) => each.id === id);
  if (!chosen) throw new Error(`there is no defect or variant ${id}`);
  const { prefix = '/v1', serve, settings }: Partial<Variant> = 'breaks' in chosen ? {} : chosen;
  chosen.apply?.(service);
  stockUp(service, chosen.stock ?? 0);
  const server = createServer(service, prefix);
  serve?.(server, service);
  await server.listen({ port: 0, host: '127.0.0.1' });
  const { port } = server.server.address() as AddressInfo;
  return {
    env: {
      BASE_URL: `http://127.0.0.1:${port}${prefix}`,
      API_KEY: 'proof-Business-key',
      THROTTLE_API_KEY: TRIAL.key,
      PLAN: 'business',
      // As long as it takes to go through every operation, where that is the question.
      MAX_WAIT: id.startsWith('throttle.every-operation') ? '120' : '20',
      THROTTLING: id.startsWith('throttle.') ? 'on' : 'off',
      ...settings,
    },
    close: () => server.close(),
  };
}

/** Runs the suite in this process, as the environment says: all of it, or the tests of one requirement. */
async function runHere(only?: string): Promise<void> {
  const [{ default: begin }, { default: Reporter }, { runAll }] = await Promise.all([
    import('../../../fixtures/begin.ts'),
    import('../../../fixtures/report/reporter.ts'),
    import('./runner.ts'),
  ]);
  const started = new Date();
  const reporter = new Reporter();
  const end = await begin({ workers: 1, shard: null, projects: [] } as unknown as FullConfig);
  await runAll(reporter, only);
  await end();
  const duration = Date.now() - started.getTime();
  await reporter.onEnd({ status: 'passed', startTime: started, duration } as FullResult);
}

async function load(): Promise<void> {
  // Whoever imports Playwright's test from here on gets the runner of this process; the runner itself gets Playwright's expect.
  const hook = `export const resolve = (specifier, context, next) => specifier === '@playwright/test' &&
    context.parentURL?.startsWith(${JSON.stringify(RUNNER)}) === false
    ? { url: ${JSON.stringify(RUNNER)}, shortCircuit: true } : next(specifier, context);`;
  register(`data:text/javascript,${encodeURIComponent(hook)}`);
  const { loadTests } = await import('./runner.ts');
  const inFolder = (folder: string): string[] =>
    readdirSync(new URL(folder, TESTS))
      .filter((name) => name.endsWith('.spec.ts'))
      .sort()
      .map((name) => new URL(folder + name, TESTS).href);
  await loadTests([...inFolder('./'), ...inFolder('after/')]);
}

if (process.send) {
  const exit = process.exit.bind(process);
  await load();
  const write = process.stdout.write.bind(process.stdout);
  process.on('message', (task: Task) => void work(task));
  process.on('disconnect', () => exit(0));
  process.send({ ready: true });

  const work = async ({ id, directory, only, settings }: Task): Promise<void> => {
    let text = '';
    const server = await putUp(id);
    Object.assign(process.env, { CATEGORY_ID: '' }, server.env, { REPORT_DIR: directory }, settings);
    process.stdout.write = process.stderr.write = ((data: string) => {
      text += data;
      return true;
    }) as never;
    // A run that cannot begin ends its process; here it ends the run alone.
    process.exit = () => {
      throw new Error('the run could not begin');
    };
    try {
      await runHere(only);
    } catch (error) {
      text += String((error as Error).stack);
    } finally {
      process.stdout.write = write;
      await server.close();
    }
    process.send?.({ id, text });
  };
}
