/** Runs the suite in this process with the stand-in for Playwright's runner. */
import { readdirSync } from 'node:fs';
import { register } from 'node:module';
import type { FullConfig, FullResult } from '@playwright/test/reporter';
import type ConformanceReporter from '../../../fixtures/report/reporter.ts';

const RUNNER = new URL('stand-in.ts', import.meta.url).href;
const TESTS = new URL('../../', import.meta.url);

export const NOT_BEGUN = 'the run could not begin';

/** Loads the tests of the suite. Later imports of Playwright's test get the runner of this process. */
export async function loadSuite(isWanted: (file: string) => boolean = () => true): Promise<void> {
  const hook = `export const resolve = (specifier, context, next) => specifier === '@playwright/test' &&
    context.parentURL?.startsWith(${JSON.stringify(RUNNER)}) === false
    ? { url: ${JSON.stringify(RUNNER)}, shortCircuit: true } : next(specifier, context);`;
  register(`data:text/javascript,${encodeURIComponent(hook)}`);
  const { loadTests } = await import('./stand-in.ts');
  const inFolder = (folder: string): string[] =>
    readdirSync(new URL(folder, TESTS))
      .filter((name) => name.endsWith('.spec.ts'))
      .sort()
      .map((name) => new URL(folder + name, TESTS).href);
  await loadTests([...inFolder('./'), ...inFolder('after/')].filter(isWanted));
}

/** Runs the suite, or the tests of one requirement. @returns its reporter, which has written the report. */
export async function runHere(only?: string): Promise<ConformanceReporter> {
  const [{ default: begin }, { default: Reporter }, { runAll }] = await Promise.all([
    import('../../../fixtures/begin.ts'),
    import('../../../fixtures/report/reporter.ts'),
    import('./stand-in.ts'),
  ]);
  const started = new Date();
  const reporter = new Reporter();
  const end = await begin({ workers: 1, shard: null, projects: [] } as unknown as FullConfig);
  await runAll(reporter, only);
  await end();
  const duration = Date.now() - started.getTime();
  await reporter.onEnd({ status: 'passed', startTime: started, duration } as FullResult);
  return reporter;
}

/** Captures output and error. A run that cannot start does not end the process. */
export async function captured(work: () => Promise<unknown>): Promise<{ text: string; error?: Error }> {
  let text = '';
  const [out, err] = [process.stdout.write, process.stderr.write];
  process.stdout.write = process.stderr.write = ((data: string | Uint8Array) => {
    text += String(data);
    return true;
  }) as never;
  process.exit = () => {
    throw new Error(NOT_BEGUN);
  };
  try {
    await work();
    return { text };
  } catch (error) {
    return { text, error: error as Error };
  } finally {
    process.stdout.write = out;
    process.stderr.write = err;
  }
}
