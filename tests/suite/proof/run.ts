/**
 * The proof of the suite: every seeded defect is caught by the requirement it breaks, and no lawful variant is accused.
 *
 *     npm run proof                       everything
 *     npm run proof -- list.limit         the defects and variants whose id begins with that
 *     npm run proof -- --sample           one defect for each requirement, and every third variant, without cross-checks
 *     npm run proof -- --variants         variants only; --defects: defects and escapes only; --standard: no thorough runs
 *     npm run proof -- --alone list.limit the same, and each of those requirements in its own run
 *     npm run proof -- --verify list      the same, and the recording of each run is judged again
 *     npm run proof -- --keep=FOLDER      the same, and the recording of each run is kept there
 *     npm run proof -- --continue         without the runs that held in the last proof of the same commit, unless recordings
 *                                         are verified or kept
 *     npm run proof -- --playwright       each run by Playwright itself (slow)
 *     npm run proof -- --jobs=4           four times as many runs at the same time (default: the cores), five times if they wait
 *
 * A few processes hold servers and suite (see `../runner/stand-in.ts`); Playwright itself judges some servers as well. It writes
 * `proof-report/proof.md` and `proof.json`. The exit code is 1 if something does not hold.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { dirname, join } from 'node:path';
import { requirements } from '../../../fixtures/contract/requirements.ts';
import { type Defect, defects, escapes } from '../../../fixtures/reference/defects/index.ts';
import { variants } from '../../../fixtures/reference/variants/index.ts';
import { ROOT } from '../gate/spawn.ts';
import { combined, disagreements, disagreementsAlone } from './cross-checks.ts';
import { atDepths, nameOf, type Proven, type Subject } from './judged.ts';
import { endProcesses, prove, run, runByPlaywright, together } from './prove.ts';
import { countFigures, markdown, mistakesOfProblems, NOT_BY_A_TARGET } from './publish.ts';
import { lookAt } from './recordings.ts';

const PROOF = join(ROOT, 'proof-report/proof.json');

/** The first defect of each requirement that a standard run finds. */
function pickSample(all: readonly Defect[]): Defect[] {
  const seen = new Set<string>();
  return all.filter(({ breaks, depth }) => depth === undefined && !seen.has(breaks) && seen.add(breaks));
}

/** The first one, so that no selection is empty, and every third after it. */
const everyThird = <T>(all: readonly T[]): T[] => all.filter((_, i) => i % 3 === 0);

/** Requirements with fewer than two defects, and defects of unknown requirements. */
function gapsOfDefects(): string[] {
  const count = (id: string): number => defects.filter(({ breaks }) => breaks === id).length;
  const known = new Set<string>(requirements.map(({ id }) => id));
  const undefended = requirements
    .filter(({ id, level, untestable }) => level === 'must' && untestable === undefined && !(id in NOT_BY_A_TARGET))
    .filter(({ id }) => count(id) < 2)
    .map(({ id }) => `${id} has ${count(id)} defects`);
  return [
    ...undefended,
    ...defects.filter(({ breaks }) => !known.has(breaks)).map(({ breaks }) => `${breaks} is not a requirement`),
  ];
}

/** The commit of a checkout without changes. */
function readCommit(): string | undefined {
  const git = (...args: string[]): string | undefined =>
    spawnSync('git', args, { cwd: ROOT, encoding: 'utf8' }).stdout?.trim();
  return git('status', '--porcelain') === '' ? git('rev-parse', 'HEAD') : undefined;
}

/** The runs that held in the last proof, if it was of the same commit. */
function readHeld(commit: string | undefined): Proven[] {
  if (commit === undefined || !existsSync(PROOF)) return [];
  const last = JSON.parse(readFileSync(PROOF, 'utf8')) as { commit?: string; servers: Proven[] };
  return last.commit === commit ? last.servers.filter(({ wrong }) => wrong.length === 0) : [];
}

async function main(): Promise<void> {
  const words = process.argv.slice(2);
  const isSample = words.includes('--sample');
  const jobs = Number(words.find((word) => word.startsWith('--jobs='))?.split('=')[1] ?? availableParallelism());
  const keep = words.find((word) => word.startsWith('--keep='))?.slice('--keep='.length);
  const wish = { isVerified: words.includes('--verify'), keep };
  const prefixes = words.filter((word) => !word.startsWith('--'));
  const isNamed = ({ id }: { id: string }): boolean =>
    prefixes.length === 0 || prefixes.some((prefix) => id.startsWith(prefix));
  const isChosen = (subject: Subject): boolean =>
    !words.includes(subject.kind === 'variant' ? '--defects' : '--variants') &&
    !(words.includes('--standard') && subject.at === 'thorough') &&
    isNamed(subject);
  const drawn = isSample
    ? { variants: everyThird(variants.filter(isNamed)), escapes: [], defects: pickSample(defects) }
    : { variants, escapes, defects };
  const all: Subject[] = [
    ...drawn.variants.flatMap((variant) => atDepths({ kind: 'variant' as const, ...variant })),
    ...drawn.escapes.flatMap((escape) => atDepths({ kind: 'escape' as const, ...escape })),
    ...drawn.defects.flatMap((defect) => atDepths({ kind: 'defect' as const, ...defect })),
  ];
  // By depth, since a process keeps to one; thorough runs take longest, so they start first.
  const subjects = all.filter(isChosen).sort((a, b) => b.at.localeCompare(a.at));
  const commit = readCommit();
  const isContinued = words.includes('--continue') && !wish.isVerified && keep === undefined;
  const before = isContinued ? readHeld(commit) : [];
  const findHeld = ({ id, at }: Subject): Proven | undefined =>
    before.find((each) => each.id === id && each.depth === at);
  const proven = subjects.flatMap((subject) => findHeld(subject) ?? []);
  const held = proven.length;
  if (held > 0) console.log(`${held} runs held in the last proof of the same commit`);
  const left = subjects.filter((subject) => !findHeld(subject));
  const isWaiting = (subject: Subject): boolean =>
    subject.kind === 'escape' ||
    (subject.kind === 'defect' ? subject.isThrottled === true : subject.settings?.THROTTLING === 'on');
  const started = Date.now();
  const missed: Subject[] = [];
  const proveEach = (atOnce: number, own: readonly Subject[], isLast: (subject: Subject) => boolean): Promise<void> =>
    together(atOnce, own, async (subject) => {
      const each = await prove(subject, words.includes('--playwright') ? runByPlaywright : run, lookAt(wish, subject));
      if (each.wrong.length > 0 && !isLast(subject)) {
        console.log(`${nameOf(subject)} ${each.seconds} s: once more, since ${each.wrong.join('; ')}`);
        return void missed.push(subject);
      }
      proven.push(each);
      const result = each.wrong.length === 0 ? 'holds' : `DOES NOT HOLD: ${each.wrong.join('; ')}`;
      const cost = `(${each.requests} requests, ${each.seconds} s)`;
      console.log(`${proven.length}/${subjects.length} ${nameOf(subject)} ${cost}: ${result}`);
    });
  // Waiting runs go on beside the others. A run that fails is repeated after the others, and
  // the second one counts, since short windows end early on a busy machine.
  const waiting = left.filter(isWaiting);
  const working = left.filter((subject) => !isWaiting(subject));
  await Promise.all([proveEach(5 * jobs, waiting, () => false), proveEach(4 * jobs, working, () => true)]);
  await proveEach(1, missed.splice(0), () => true);
  const order = all.map(({ id }) => id);
  proven.sort((a, b) => order.indexOf(a.id) - order.indexOf(b.id));
  const isAlone = (id: string): boolean =>
    !isSample &&
    (prefixes.length === 0 || (words.includes('--alone') && prefixes.some((prefix) => id.startsWith(prefix))));
  const isCombined = !isSample && prefixes.length === 0 && !words.includes('--variants');
  const [byPlaywright, [alone, combination]] = await Promise.all([
    disagreements(isSample ? [] : subjects, proven),
    disagreementsAlone(2 * jobs, isAlone).then(
      async (lines) => [lines, isCombined ? await combined(2 * jobs, proven) : undefined] as const,
    ),
  ]);
  endProcesses();
  const wrong = [...gapsOfDefects(), ...byPlaywright, ...alone];
  for (const line of combination?.others ?? []) console.log(`not as many problems as defects: ${line}`);
  wrong.push(...mistakesOfProblems(proven, combination));
  const isWhole = prefixes.length === 0 && words.every((word) => /^--(jobs|continue)/.test(word));
  const selection = isWhole ? 'the whole proof' : `a part of it: ${words.join(' ')}`;
  const seconds = Math.round((Date.now() - started) / 1000);
  const { figures, lines } = countFigures(proven, { seconds, held }, combination);
  mkdirSync(dirname(PROOF), { recursive: true });
  const json = { selection, commit, figures, wrong, servers: proven };
  writeFileSync(PROOF, `${JSON.stringify(json, null, 2)}\n`);
  writeFileSync(PROOF.replace(/json$/, 'md'), markdown(proven, [selection, ...lines], wrong));
  for (const each of proven.filter((one) => one.wrong.length > 0)) {
    console.log(`\n${each.id} (${each.depth}): ${each.title}\n  ${each.wrong.join('\n  ')}`);
    for (const title of each.problems) console.log(`    problem: ${title}`);
    for (const [id, reason] of Object.entries(each.reasons))
      console.log(`    ${id}: ${reason.split('\n').slice(0, 6).join(' ')}`);
  }
  for (const line of wrong) console.log(`\n${line}`);
  console.log(`\n${lines.join('\n')}`);
  const holds = proven.length > 0 && proven.every((each) => each.wrong.length === 0) && wrong.length === 0;
  process.exitCode = holds ? 0 : 1;
}

await main();
