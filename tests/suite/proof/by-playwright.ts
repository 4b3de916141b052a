/** Some servers are judged by Playwright itself as well, and the results must agree. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defects } from '../../../fixtures/reference/defects/index.ts';
import { variants } from '../../../fixtures/reference/variants/index.ts';
import { REPORTER, suite } from '../gate/spawn.ts';
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
const TOGETHER = 2;

type Judged = Pick<Proven, 'failed' | 'cantTell' | 'requests'>;

async function proveByPlaywright(subject: Subject): Promise<Judged> {
  const server = await putUp(subject);
  const directory = mkdtempSync(join(tmpdir(), 'proof-'));
  try {
    const ended = await suite(directory, { ...server.env, DEPTH: subject.at }, REPORTER);
    return judged(subject, ended.report());
  } finally {
    await server.close();
    rmSync(directory, { recursive: true, force: true });
  }
}

/** Differences between the verdicts of Playwright's runs and those of the proof. */
export async function disagreements(subjects: readonly Subject[], proven: readonly Proven[]): Promise<string[]> {
  // The number of requests up to a limit or until an animal is visible varies, and so does what another client does.
  const isVarying = new Set([
    ...defects.filter((each) => each.isThrottled).map(({ id }) => id),
    ...variants.filter(({ serve, isTimed }) => serve !== undefined || isTimed).map(({ id }) => id),
  ]);
  const describe = ({ failed, cantTell, requests }: Judged, { id }: Subject): string =>
    `failed ${failed.join(', ') || 'nothing'}; not judged ${cantTell.join(', ') || 'nothing'}; ${isVarying.has(id) ? 'some' : requests} requests`;
  const chosen = subjects.filter(({ id, at }) => CHOSEN.includes(id) && at === 'standard');
  console.log(`judged by Playwright as well: ${chosen.map(nameOf).join(', ') || 'none'}`);
  const lines: string[] = [];
  await together(TOGETHER, chosen, async (subject) => {
    let here: Judged = proven.find(({ id, depth }) => id === subject.id && depth === subject.at) as Proven;
    let there = await proveByPlaywright(subject);
    // A busy machine changes waits and the order of requests in parallel, so the last run counts.
    for (let tries = 0; tries < 2 && describe(here, subject) !== describe(there, subject); tries += 1) {
      here = await proveElsewhere(subject);
      there = await proveByPlaywright(subject);
    }
    const [one, other] = [describe(here, subject), describe(there, subject)];
    if (one !== other) lines.push(`${subject.id}: here ${one}, and by Playwright ${other}`);
  });
  return lines;
}
