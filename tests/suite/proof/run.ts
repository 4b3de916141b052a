/**
 * The proof of the suite: every seeded defect is caught by the requirement it breaks, and no lawful variant is accused.
 *
 *     npm run proof                       everything
 *     npm run proof -- list.limit         the defects and variants whose id begins with that
 *     npm run proof -- --sample           one defect for each requirement, and every third variant, without cross-checks
 *     npm run proof -- --variants         variants only; --defects: defects and escapes only; --standard: no thorough runs
 *     npm run proof -- --again            runs of the broken requirement only, as the command that its problem shows
 *     npm run proof -- --keep=FOLDER      the same, and the report of each run is kept there
 *     npm run proof -- --jobs=8           eight runs at the same time for each core (the default), and as many that wait
 *
 * Servers and suite share a process for each core (`processes.ts`). The recording of each run is judged again: by `verify` it must
 * give the same report, and by `judge`, as traffic of another tool, it must accuse no variant. Playwright itself judges some servers as
 * well. It writes `proof-report/proof.json`. The exit code is 1 if something does not hold.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { folder, REPORTER, ROOT, suite } from '../gate/spawn.ts';
import { drawCombinations } from './drawn.ts';
import { find, type Found, type Proven } from './judged.ts';
import { endProcesses, proveElsewhere, together } from './processes.ts';
import { countFigures, findGaps } from './publish.ts';
import { AND, nameOf, putUp, select, type Subject } from './servers.ts';

const PROOF = join(ROOT, 'proof-report/proof.json');
const RUNS_OF_A_CORE = 8;
/** Servers that Playwright judges as well. */
const BY_PLAYWRIGHT = [
  ...['store/empty', 'store/filled', 'list.limit.caps/ignored', 'add.id.unique/constant', 'auth.valid/every-8th'],
];

const [flag, value] = [{ type: 'boolean' }, { type: 'string' }] as const;
const { values: options, positionals: prefixes } = parseArgs({
  options: { sample: flag, standard: flag, variants: flag, defects: flag, again: flag, keep: value, jobs: value },
  allowPositionals: true,
});
const started = Date.now();
const cores = availableParallelism();
const jobs = Number(options.jobs ?? RUNS_OF_A_CORE) * cores;
const subjects = select(options, prefixes);
const results = new Map<Subject, Proven>();

/** Judges each, at most so many at once, and prints what came out. @returns those for which something does not hold. */
async function proveEach(atOnce: number, chosen: readonly Subject[]): Promise<Subject[]> {
  await together(atOnce, chosen, async (subject) => {
    const { wrong, requests, seconds } = results
      .set(subject, await proveElsewhere(subject, options.keep))
      .get(subject)!;
    const result = wrong.length === 0 ? 'holds' : `DOES NOT HOLD: ${wrong.join('; ')}`;
    console.log(
      `${results.size}/${subjects.length} ${nameOf(subject)} (${requests} requests, ${seconds} s): ${result}`,
    );
  });
  return chosen.filter((subject) => results.get(subject)?.wrong.length !== 0);
}

async function judgeByPlaywright(subject: Subject): Promise<Found> {
  const server = await putUp(subject);
  const { directory, remove } = folder();
  try {
    return find((await suite(directory, { ...server.env, DEPTH: subject.at }, REPORTER)).report());
  } finally {
    await server.close();
    remove();
  }
}

const describe = ({ failed, cantTell, requests }: Found): string =>
  `failed ${failed.join(', ') || 'nothing'}; not judged ${cantTell.join(', ') || 'nothing'}; ${requests} requests`;

const differing: string[] = [];
/** Compares the verdicts of Playwright's runs with those of the proof. */
async function compareWithPlaywright(chosen: readonly Subject[]): Promise<void> {
  console.log(`judged by Playwright as well: ${chosen.map(nameOf).join(', ') || 'none'}`);
  await together(2, chosen, async (subject) => {
    let here: Proven | undefined = results.get(subject);
    // A busy machine changes waits and the order of requests in parallel, so the last of three comparisons counts.
    for (let left = 2; left >= 0; left -= 1) {
      const pair = [here ?? (await proveElsewhere(subject)), await judgeByPlaywright(subject)].map(describe);
      if (pair[0] === pair[1]) return;
      if (left === 0) differing.push(`${subject.id}: here ${pair[0]}, and by Playwright ${pair[1]}`);
      here = undefined;
    }
  });
}

/** Runs servers with several defects, and prints those that have another number of problems. @returns which have one for each. */
async function proveCombinations(): Promise<boolean[]> {
  const asMany: boolean[] = [];
  await together(jobs, drawCombinations([...results.values()]), async (defects) => {
    const id = defects.map((defect) => defect.id).join(AND);
    const subject = { kind: 'escape', at: 'standard', isCombined: true, id, title: '', apply: () => {} } as const;
    const { problems } = await proveElsewhere(subject);
    asMany.push(problems.length === defects.length);
    if (!asMany.at(-1))
      console.log(`not as many problems as defects: ${id}: ${problems.length}: ${problems.join(' | ')}`);
  });
  return asMany;
}

const isWaiting = (subject: Subject): boolean =>
  subject.kind === 'escape' ||
  (subject.kind === 'defect' ? subject.isThrottled === true : subject.settings?.THROTTLING === 'on');

/** Runs that wait, and Playwright's, which go on beside the others. Short windows end early on a busy machine, so a second run counts. */
async function proveWaiting(waiting: readonly Subject[]): Promise<Subject[]> {
  const missed = await proveEach(cores, await proveEach(jobs, waiting));
  const isChosen = ({ id, at }: Subject): boolean => BY_PLAYWRIGHT.includes(id) && at === 'standard';
  await compareWithPlaywright(options.sample || options.again ? [] : subjects.filter(isChosen));
  return missed;
}

// Thorough runs take longest, so they start first.
const sorted = subjects.toSorted((a, b) => b.at.localeCompare(a.at));
const [missed] = await Promise.all([
  proveWaiting(sorted.filter(isWaiting)),
  proveEach(
    jobs,
    sorted.filter((subject) => !isWaiting(subject)),
  ),
]);
// Nothing else runs now.
await proveEach(cores, missed);
console.log(`all runs: at ${Math.round((Date.now() - started) / 1000)} s`);
const isCombined = !options.sample && !options.variants && !options.again && prefixes.length === 0;
const combinations = isCombined ? await proveCombinations() : [];
endProcesses();

const proven = subjects.map((subject) => results.get(subject) as Proven);
const words = process.argv.slice(2);
const isWhole = words.every((word) => /^--(jobs|keep)=/.test(word));
const selection = isWhole ? 'the whole proof' : `a part of it: ${words.join(' ')}`;
const seconds = Math.round((Date.now() - started) / 1000);
const figures = options.again ? { lines: [], wrong: [] } : countFigures(proven, combinations);
const wrong = [...findGaps(), ...differing, ...figures.wrong];
const lines = [...figures.lines, `${proven.length} runs in ${Math.floor(seconds / 60)} min ${seconds % 60} s`];
mkdirSync(dirname(PROOF), { recursive: true });
writeFileSync(PROOF, `${JSON.stringify({ selection, seconds, figures: lines, wrong, servers: proven }, null, 2)}\n`);
const failed = proven.filter((each) => each.wrong.length > 0);
for (const failure of failed) {
  console.log(`\n${failure.id} (${failure.depth}): ${failure.title}\n  ${failure.wrong.join('\n  ')}`);
  for (const title of failure.problems) console.log(`    problem: ${title}`);
  for (const [id, reason] of Object.entries(failure.reasons))
    console.log(`    ${id}: ${reason.split('\n').slice(0, 6).join(' ')}`);
}
console.log(`\n${[...wrong, ...lines].join('\n')}`);
process.exitCode = proven.length > 0 && failed.length + wrong.length === 0 ? 0 : 1;
