/** Some servers are judged by Playwright itself as well, and the results must agree. */
import { folder, REPORTER, suite } from '../gate/spawn.ts';
import { judged, nameOf, type Proven, type Subject } from './judged.ts';
import { proveElsewhere, together } from './processes.ts';
import { putUp } from './servers.ts';

const CHOSEN = [
  ...['store/empty', 'store/filled', 'list.limit.caps/ignored', 'add.id.unique/constant', 'auth.valid/every-8th'],
];

type Judged = Pick<Proven, 'failed' | 'cantTell' | 'requests'>;

async function proveByPlaywright(subject: Subject): Promise<Judged> {
  const server = await putUp(subject);
  const { directory, remove } = folder();
  try {
    return judged(subject, (await suite(directory, { ...server.env, DEPTH: subject.at }, REPORTER)).report());
  } finally {
    await server.close();
    remove();
  }
}

const describe = ({ failed, cantTell, requests }: Judged): string =>
  `failed ${failed.join(', ') || 'nothing'}; not judged ${cantTell.join(', ') || 'nothing'}; ${requests} requests`;

/** Differences between the verdicts of Playwright's runs and those of the proof. */
export async function disagreements(subjects: readonly Subject[], proven: readonly Proven[]): Promise<string[]> {
  const chosen = subjects.filter(({ id, at }) => CHOSEN.includes(id) && at === 'standard');
  console.log(`judged by Playwright as well: ${chosen.map(nameOf).join(', ') || 'none'}`);
  const lines: string[] = [];
  await together(2, chosen, async (subject) => {
    let here: Judged | undefined = proven.find(({ id, depth }) => id === subject.id && depth === subject.at);
    // A busy machine changes waits and the order of requests in parallel, so the last of three comparisons counts.
    for (let left = 2; left >= 0; left -= 1) {
      const pair = [(here ??= await proveElsewhere(subject)), await proveByPlaywright(subject)].map(describe);
      if (pair[0] === pair[1]) return;
      if (left === 0) lines.push(`${subject.id}: here ${pair[0]}, and by Playwright ${pair[1]}`);
      here = undefined;
    }
  });
  return lines;
}
