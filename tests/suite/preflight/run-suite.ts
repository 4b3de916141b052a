/** Runs the suite in its own process and a temporary folder. @param env over an environment without a target. */
import { join } from 'node:path';
import type { ConformanceReport } from '../../../fixtures/report/model/report.ts';
import { type Ended as Run, folder, playwright, ROOT } from '../gate/spawn.ts';

export const root = ROOT;

export interface Ended extends Pick<Run, 'code' | 'stdout' | 'stderr' | 'text'> {
  report: ConformanceReport | undefined;
}

export async function runSuite(env: Record<string, string>, ...args: string[]): Promise<Ended> {
  const { directory, remove } = folder();
  try {
    const ended = await playwright(directory, env, ['test', '--output', join(directory, 'results'), ...args]);
    return { ...ended, report: readReport(ended) };
  } finally {
    remove();
  }
}

function readReport(ended: Run): ConformanceReport | undefined {
  try {
    return ended.report();
  } catch {
    return undefined;
  }
}
