/** Runs the conformance suite in its own process, as a user would, in a folder that is removed again. */
import { join } from 'node:path';
import type { ConformanceReport } from '../../../fixtures/report/model/report.ts';
import { type Ended as Run, folder, playwright, ROOT } from '../gate/spawn.ts';

export const root = ROOT;

export interface Ended extends Pick<Run, 'code' | 'stdout' | 'stderr' | 'text'> {
  /** conformance.json, if one was written. */
  report: ConformanceReport | undefined;
}

/**
 * @param env over an environment that names no target.
 * @param args of `playwright test`.
 */
export async function runSuite(env: Record<string, string>, ...args: string[]): Promise<Ended> {
  const { directory, remove } = folder();
  try {
    const ended = await playwright(directory, env, ['test', '--output', join(directory, 'results'), ...args]);
    return { ...ended, report: readReport(ended) };
  } finally {
    remove();
  }
}

/** The report of a run, if it wrote one. */
function readReport(ended: Run): ConformanceReport | undefined {
  try {
    return ended.report();
  } catch {
    return undefined;
  }
}
