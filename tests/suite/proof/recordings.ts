/** Judges the recordings of the proof again without their servers, and keeps them for other tools. */
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { dropTimes } from '../../../fixtures/report/run/claim.ts';
import { nameOf, type Subject } from './judged.ts';
import { run } from './prove.ts';

interface Wish {
  isVerified: boolean;
  keep?: string | undefined;
}

export const lookAt =
  ({ isVerified, keep }: Wish, subject: Subject) =>
  async (directory: string): Promise<string[]> => {
    if (keep !== undefined)
      keepRecording(directory, join(keep, `${subject.kind}-${nameOf(subject).replaceAll(/\W+/g, '-')}`));
    return isVerified ? mistakesOfRecording(subject, directory) : [];
  };

/** Differences between the report of a run and that of its recording, except times. */
async function mistakesOfRecording(subject: Subject, directory: string): Promise<string[]> {
  const there = mkdtempSync(join(tmpdir(), 'proof-'));
  const text = await run(subject, there, { recording: join(directory, 'exchanges.har') });
  const read = (folder: string): string | undefined =>
    existsSync(join(folder, 'conformance.json')) ? readFileSync(join(folder, 'conformance.json'), 'utf8') : undefined;
  const [before, after] = [read(directory) as string, read(there)];
  rmSync(there, { recursive: true, force: true });
  if (after === undefined) return [`its recording cannot be judged: ${text.trim().split('\n').slice(-3).join(' | ')}`];
  const [one, other] = [dropTimes(before), dropTimes(after)].map((each) => each.split('\n')) as [string[], string[]];
  const at = one.findIndex((line, i) => line !== other[i]);
  return at < 0 && one.length === other.length
    ? []
    : [`its recording differs: ${one[at]?.trim()} became ${other[at]?.trim()} (line ${at + 1})`];
}

/** Copies what `verify` and `judge` read into a folder. */
function keepRecording(directory: string, folder: string): void {
  mkdirSync(folder, { recursive: true });
  for (const name of ['exchanges.har', 'conformance.json']) copyFileSync(join(directory, name), join(folder, name));
}
