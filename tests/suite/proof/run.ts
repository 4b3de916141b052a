/**
 * The proof of the suite: every seeded defect is caught by the requirement it breaks, and no lawful variant is accused.
 *
 *     npm run proof                       everything
 *     npm run proof -- list.limit         the defects and variants whose id begins with that
 *     npm run proof -- --sample           one defect for each requirement, and every third variant, without cross-checks
 *     npm run proof -- --variants         variants only; --defects: defects and escapes only; --standard: no thorough runs
 *     npm run proof -- --keep=FOLDER      the same, and the recording of each run is kept there
 *     npm run proof -- --pairs=50 [--seed=7]  fifty pairs of variants, and as many defects on a variant, drawn at random
 *     npm run proof -- --jobs=8           eight runs at the same time for each core (the default), and twice as many if they wait
 *
 * Servers and suite share a process for each core (`processes.ts`). The recording of each run is judged again: by `verify` it must
 * give the same report, and by `judge`, as traffic of another tool, it must accuse no variant. Playwright itself judges some servers as
 * well. It writes `proof-report/proof.md` and `proof.json`. The exit code is 1 if something does not hold.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { dirname, join } from 'node:path';
import { requirements } from '../../../fixtures/contract/requirements.ts';
import { type Defect, defects, escapes } from '../../../fixtures/reference/defects/index.ts';
import { variants } from '../../../fixtures/reference/variants/index.ts';
import { ROOT } from '../gate/spawn.ts';
import { disagreements } from './by-playwright.ts';
import { combined, drawPairs } from './combined.ts';
import { atDepths, nameOf, type Proven, type Subject } from './judged.ts';
import { endProcesses, proveElsewhere, together } from './processes.ts';
import { countFigures, markdown, NOT_BY_A_TARGET } from './publish.ts';

const PROOF = join(ROOT, 'proof-report/proof.json');
const RUNS_OF_A_CORE = 8;

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

async function main(): Promise<void> {
  const words = process.argv.slice(2);
  const isSample = words.includes('--sample');
  const optionOf = (name: string): string | undefined =>
    words.find((word) => word.startsWith(`--${name}=`))?.slice(name.length + 3);
  const jobs = Number(optionOf('jobs') ?? RUNS_OF_A_CORE) * availableParallelism();
  const keep = optionOf('keep');
  const pairs = optionOf('pairs');
  const seed = optionOf('seed');
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
  // Thorough runs take longest, so they start first.
  const subjects =
    pairs !== undefined
      ? drawPairs(Number(pairs), ...(seed === undefined ? [] : [Number(seed)]))
      : all.filter(isChosen).sort((a, b) => b.at.localeCompare(a.at));
  const proven: Proven[] = [];
  const isWaiting = (subject: Subject): boolean =>
    subject.kind === 'escape' ||
    (subject.kind === 'defect' ? subject.isThrottled === true : subject.settings?.THROTTLING === 'on');
  const started = Date.now();
  const missed: Subject[] = [];
  const proveEach = (atOnce: number, own: readonly Subject[], isLast: (subject: Subject) => boolean): Promise<void> =>
    together(atOnce, own, async (subject) => {
      const each = await proveElsewhere(subject, keep);
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
  const waiting = subjects.filter(isWaiting);
  const working = subjects.filter((subject) => !isWaiting(subject));
  await Promise.all([proveEach(2 * jobs, waiting, () => false), proveEach(jobs, working, () => true)]);
  const ended = (what: string): void => console.log(`${what}: at ${Math.round((Date.now() - started) / 1000)} s`);
  ended(`all runs but ${missed.length}, which are repeated`);
  // They mostly wait, so one for each core leaves it free.
  await proveEach(availableParallelism(), missed.splice(0), () => true);
  ended('all runs');
  const order = all.map(({ id }) => id);
  proven.sort((a, b) => order.indexOf(a.id) - order.indexOf(b.id));
  const isCombined = !isSample && prefixes.length === 0 && pairs === undefined && !words.includes('--variants');
  const [byPlaywright, combination] = await Promise.all([
    disagreements(isSample ? [] : subjects, proven),
    isCombined ? combined(jobs, proven) : undefined,
  ]);
  endProcesses();
  const isWhole = prefixes.length === 0 && words.every((word) => /^--(jobs|keep)=/.test(word));
  const selection = isWhole ? 'the whole proof' : `a part of it: ${words.join(' ')}`;
  const seconds = Math.round((Date.now() - started) / 1000);
  const { figures, lines, wrong: tooFew } = countFigures(proven, combination);
  const wrong = [...gapsOfDefects(), ...byPlaywright, ...tooFew];
  lines.push(`${proven.length} runs in ${Math.floor(seconds / 60)} min ${seconds % 60} s`);
  mkdirSync(dirname(PROOF), { recursive: true });
  const json = { selection, seconds, figures, wrong, servers: proven };
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
