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
import { parseArgs } from 'node:util';
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

const [flag, value] = [{ type: 'boolean' }, { type: 'string' }] as const;
const { values: options, positionals: prefixes } = parseArgs({
  options: {
    sample: flag,
    standard: flag,
    variants: flag,
    defects: flag,
    keep: value,
    jobs: value,
    pairs: value,
    seed: value,
  },
  allowPositionals: true,
});

function select(): Subject[] {
  if (options.pairs !== undefined)
    return drawPairs(Number(options.pairs), Number(options.seed ?? Date.now() % 100_000));
  const isNamed = ({ id }: { id: string }): boolean =>
    prefixes.length === 0 || prefixes.some((prefix) => id.startsWith(prefix));
  const chosen = {
    variants: options.defects ? [] : variants.filter(isNamed),
    defects: options.variants ? [] : (options.sample ? pickSample(defects) : defects).filter(isNamed),
    escapes: options.variants || options.sample ? [] : escapes.filter(isNamed),
  };
  return [
    ...(options.sample ? everyThird(chosen.variants) : chosen.variants).map(
      (each) => ({ kind: 'variant', ...each }) as const,
    ),
    ...chosen.escapes.map((each) => ({ kind: 'escape', ...each }) as const),
    ...chosen.defects.map((each) => ({ kind: 'defect', ...each }) as const),
  ].flatMap((subject): Subject[] => atDepths(subject).filter(({ at }) => at === 'standard' || !options.standard));
}

const isWaiting = (subject: Subject): boolean =>
  subject.kind === 'escape' ||
  (subject.kind === 'defect' ? subject.isThrottled === true : subject.settings?.THROTTLING === 'on');

/** Judges each, prints what came out, and repeats what does not hold. @returns the results in the same order. */
async function proveAll(subjects: readonly Subject[], jobs: number): Promise<Proven[]> {
  const results = new Map<Subject, Proven>();
  const missed: Subject[] = [];
  const proveEach = (atOnce: number, some: readonly Subject[], isLast: boolean): Promise<void> =>
    together(atOnce, some, async (subject) => {
      const each = await proveElsewhere(subject, options.keep);
      const isRepeated = each.wrong.length > 0 && !isLast;
      if (isRepeated) missed.push(subject);
      else results.set(subject, each);
      const result =
        each.wrong.length === 0 ? 'holds' : `${isRepeated ? 'once more' : 'DOES NOT HOLD'}: ${each.wrong.join('; ')}`;
      const cost = `(${each.requests} requests, ${each.seconds} s)`;
      console.log(`${results.size}/${subjects.length} ${nameOf(subject)} ${cost}: ${result}`);
    });
  // Thorough runs take longest, so they start first; waiting runs go on beside the others.
  const sorted = subjects.toSorted((a, b) => b.at.localeCompare(a.at));
  const working = sorted.filter((subject) => !isWaiting(subject));
  await Promise.all([proveEach(2 * jobs, sorted.filter(isWaiting), false), proveEach(jobs, working, true)]);
  // Short windows end early on a busy machine: one for each core leaves it free, and the second run counts.
  await proveEach(availableParallelism(), missed.splice(0), true);
  return subjects.map((subject) => results.get(subject) as Proven);
}

const started = Date.now();
const jobs = Number(options.jobs ?? RUNS_OF_A_CORE) * availableParallelism();
const subjects = select();
const proven = await proveAll(subjects, jobs);
console.log(`all runs: at ${Math.round((Date.now() - started) / 1000)} s`);
const isCombined = !options.sample && !options.variants && prefixes.length === 0 && options.pairs === undefined;
const [byPlaywright, combination] = await Promise.all([
  disagreements(options.sample ? [] : subjects, proven),
  isCombined ? combined(jobs, proven) : undefined,
]);
endProcesses();
const words = process.argv.slice(2);
const isWhole = words.every((word) => /^--(jobs|keep)=/.test(word));
const selection = isWhole ? 'the whole proof' : `a part of it: ${words.join(' ')}`;
const seconds = Math.round((Date.now() - started) / 1000);
const { figures, lines, wrong: tooFew } = countFigures(proven, combination);
const wrong = [...gapsOfDefects(), ...byPlaywright, ...tooFew];
lines.push(`${proven.length} runs in ${Math.floor(seconds / 60)} min ${seconds % 60} s`);
mkdirSync(dirname(PROOF), { recursive: true });
const json = { selection, seconds, figures, wrong, servers: proven };
writeFileSync(PROOF, `${JSON.stringify(json, null, 2)}\n`);
writeFileSync(PROOF.replace(/json$/, 'md'), markdown(proven, [selection, ...lines], wrong));
const failed = proven.filter((each) => each.wrong.length > 0);
for (const each of failed) {
  console.log(`\n${each.id} (${each.depth}): ${each.title}\n  ${each.wrong.join('\n  ')}`);
  for (const title of each.problems) console.log(`    problem: ${title}`);
  for (const [id, reason] of Object.entries(each.reasons))
    console.log(`    ${id}: ${reason.split('\n').slice(0, 6).join(' ')}`);
}
console.log(`\n${[...wrong, ...lines].join('\n')}`);
process.exitCode = proven.length > 0 && failed.length + wrong.length === 0 ? 0 : 1;
