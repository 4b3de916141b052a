/**
 * A process that runs the suite against the target its environment names, one run after another: the servers live in
 * another process, so that what this one takes of memory is the suite's own. Told what to do by `runs.ts`.
 */
import { readdirSync } from 'node:fs';
import { register } from 'node:module';
import type { FullConfig, FullResult } from '@playwright/test/reporter';

/** One run, as it is asked for. */
export interface Order {
  env: Record<string, string>;
}

/** What is said of it besides its report. */
export interface Done {
  /** Everything that was printed. */
  text: string;
  /** Most megabytes that the process has taken so far. */
  megabytes: number;
  /** Seconds of work that the run took of it, whatever else this machine had to do. */
  worked: number;
  /** Seconds from its beginning to its end. */
  took: number;
}

const RUNNER = new URL('../proof/runner.ts', import.meta.url).href;
const TESTS = new URL('../../', import.meta.url);

/** Whoever imports Playwright's test from here on gets the stand-in of the proof, and that one gets Playwright's expect. */
async function load(): Promise<void> {
  const hook = `export const resolve = (specifier, context, next) => specifier === '@playwright/test' &&
    context.parentURL?.startsWith(${JSON.stringify(RUNNER)}) === false
    ? { url: ${JSON.stringify(RUNNER)}, shortCircuit: true } : next(specifier, context);`;
  register(`data:text/javascript,${encodeURIComponent(hook)}`);
  const { loadTests } = await import('../proof/runner.ts');
  const inFolder = (folder: string): string[] =>
    readdirSync(new URL(folder, TESTS))
      .filter((name) => name.endsWith('.spec.ts'))
      .sort()
      .map((name) => new URL(folder + name, TESTS).href);
  await loadTests([...inFolder('./'), ...inFolder('after/')]);
}

/** Runs the suite in this process, as the environment says. */
async function runHere(): Promise<void> {
  const [{ default: begin }, { default: Reporter }, { runAll }] = await Promise.all([
    import('../../../fixtures/begin.ts'),
    import('../../../fixtures/report/reporter.ts'),
    import('../proof/runner.ts'),
  ]);
  const started = new Date();
  const reporter = new Reporter();
  const end = await begin({ workers: 1, shard: null, projects: [] } as unknown as FullConfig);
  await runAll(reporter);
  await end();
  const duration = Date.now() - started.getTime();
  await reporter.onEnd({ status: 'passed', startTime: started, duration } as FullResult);
  await reporter.onExit();
}

const exit = process.exit.bind(process);
const write = process.stdout.write.bind(process.stdout);
await load();

async function run({ env }: Order): Promise<void> {
  let text = '';
  const before = process.cpuUsage();
  const began = Date.now();
  Object.assign(process.env, env);
  process.stdout.write = process.stderr.write = ((data: string | Uint8Array) => {
    text += String(data);
    return true;
  }) as never;
  // A run that cannot begin ends its process; here it ends the run alone.
  process.exit = () => {
    throw new Error('the run could not begin');
  };
  try {
    await runHere();
  } catch (error) {
    if ((error as Error).message !== 'the run could not begin') text += String((error as Error).stack);
  } finally {
    process.stdout.write = write;
  }
  const { user, system } = process.cpuUsage(before);
  const megabytes = Math.round(process.resourceUsage().maxRSS / 1024);
  process.send?.({ text, megabytes, worked: (user + system) / 1e6, took: (Date.now() - began) / 1000 } satisfies Done);
}

process.on('message', (order: Order) => void run(order));
process.on('disconnect', () => exit(0));
process.send?.('ready');
