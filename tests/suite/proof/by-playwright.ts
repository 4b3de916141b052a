/** Some servers are judged by Playwright itself as well, and the results must agree. */
import { folder, REPORTER, suite } from '../gate/spawn.ts';
import { judged, nameOf, type Proven, type Subject } from './judged.ts';
import { proveElsewhere, together } from './processes.ts';
import { putUp } from './servers.ts';

const CHOSEN = [
  'store/empty',
  'store/filled',
  'list.limit.caps/ignored',
  'add.id.unique/constant',
  'auth.valid/every-8th',
];

type Judged = Pick<Proven, 'failed' | 'cantTell' | 'requests'>;

async function proveByPlaywright(subject: Subject): Promise<Judged> {
  const server = await putUp(subject);
  const { directory, remove } = folder();
  try {
    const ended = await suite(directory, { ...server.env, DEPTH: subject.at }, REPORTER);
    return judged(subject, ended.report());
  } finally {
    await server.close();
    remove();
  }
}

/** Differences between the verdicts of Playwright's runs and those of the proof. */
export async function disagreements(subjects: readonly Subject[], proven: readonly Proven[]): Promise<string[]> {
  const describe = ({ failed, cantTell, requests }: Judged): string =>
    `failed ${failed.join(', ') || 'nothing'}; not judged ${cantTell.join(', ') || 'nothing'}; ${requests} requests`;
  const chosen = subjects.filter(({ id, at }) => CHOSEN.includes(id) && at === 'standard');
  console.log(`judged by Playwright as well: ${chosen.map(nameOf).join(', ') || 'none'}`);
  const lines: string[] = [];
  await together(2, chosen, async (subject) => {
    let here: Judged = proven.find(({ id, depth }) => id === subject.id && depth === subject.at) as Proven;
    let there = await proveByPlaywright(subject);
    // A busy machine changes waits and the order of requests in parallel, so the last run counts.
    for (let tries = 0; tries < 2 && describe(here) !== describe(there); tries += 1) {
      here = await proveElsewhere(subject);
      there = await proveByPlaywright(subject);
    }
    if (describe(here) !== describe(there))
      lines.push(`${subject.id}: here ${describe(here)}, and by Playwright ${describe(there)}`);
  });
  return lines;
}
