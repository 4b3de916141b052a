/** Runs Playwright in its own process, with all output in a temporary folder. @param env over one without a target. */
import { type Ended, folder, ROOT, suite } from '../gate/spawn.ts';

export const root = ROOT;

export async function runSuite(env: Record<string, string>, ...args: string[]): Promise<Ended> {
  const { directory, remove } = folder();
  return suite(directory, { THROTTLING: '', ...env }, ...args).finally(remove);
}
