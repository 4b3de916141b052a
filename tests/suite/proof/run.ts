/**
 * The proof of the suite: every seeded defect is caught by the requirement it breaks, and no lawful variant is accused.
 *
 *     npm run proof                       everything
 *     npm run proof -- list.limit         the defects and variants whose id begins with that
 *     npm run proof -- --sample           one defect for each requirement, and all variants
 *     npm run proof -- --variants         variants only; --defects: defects and escapes only; --standard: no thorough runs
 *     npm run proof -- --alone list.limit the same, and the requirements whose id begins so run alone
 *     npm run proof -- --playwright       each run by Playwright itself (slow)
 *     npm run proof -- --jobs=4           processes at the same time (two for each core unless told: many runs wait)
 *
 * The servers and the suite live in a few processes (see `../runner/stand-in.ts`); some servers are judged by Playwright itself as well,
 * which has to say the same. Written are `conformance-report/proof.md` and `proof.json`. The exit code is 1 where something
 * does not hold.
 */
import { type ChildProcess, fork, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { requirements } from '../../../fixtures/contract/requirements.ts';
import { type Defect, defects, type Escape, escapes } from '../../../fixtures/reference/defects/index.ts';
import { type Variant, variants } from '../../../fixtures/reference/variants/index.ts';
import { settingNames } from '../../../fixtures/settings/table.ts';
import { AS_MANY, combinations, mistakesOfTitle, ofDefect, ONE_PROBLEM, type Reported } from './problems.ts';
import { AND, putUp, type Task } from './prove.ts';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));

/** Most other requirements that may fail along with the one a defect breaks, unless it says which and why. */
const MOST_OTHERS = 3;
/** A run that hangs is ended after so many milliseconds. */
const LONGEST_RUN_MS = 240_000;

/** Requirements that no defect of a target can break, and why. */
const NOT_BY_A_TARGET: Record<string, string> = {
  'service.base-path': 'an address that does not end in the version is refused before the run',
  // The second contract has what they speak of, and its tests have the defects (tests/suite/contract).
  ...Object.fromEntries(
    requirements.filter(({ derived }) => derived).map(({ id }) => [id, 'the contract has nothing that it speaks of']),
  ),
  'contract.deprecation': 'it is about the contract',
};

/** What Playwright itself judges as well. */
const BY_PLAYWRIGHT = [
  'store/empty',
  'store/filled',
  'list.limit.caps/ignored',
  'add.id.unique/constant',
  'auth.valid/every-8th',
];

interface Report {
  verdict: string;
  errors?: string[];
  requirements?: { id: string; level: string; outcome: string; reasons: string[] }[];
  requests?: { sent: number };
  problems?: Reported[];
}

/** What one run of the suite said of one server. */
interface Proven {
  kind: Kind;
  id: string;
  title: string;
  breaks?: string;
  depth: Depth;
  verdict: string;
  /** Requirements by outcome. */
  failed: string[];
  cantTell: string[];
  requests: number;
  seconds: number;
  /** What does not hold, a sentence each; none where all is well. */
  wrong: string[];
  /** The titles of the problems. */
  problems: string[];
  /** Whether the one problem hides nothing: such defects are combined. */
  hidesNothing: boolean;
  /** The reasons of what failed or was not judged, for a reader. */
  reasons: Record<string, string>;
}

type Kind = 'defect' | 'escape' | 'variant';
type Depth = 'standard' | 'thorough';

/** A server, and the depth at which it is judged. */
type Subject = { at: Depth } & (
  ({ kind: 'defect' } & Defect) | ({ kind: 'escape' } & Escape) | ({ kind: 'variant' } & Variant)
);

/** A server at each depth at which it is judged: what only a thorough run can find at that one. */
const atDepths = <S extends Omit<Subject, 'at'>>(subject: S): (S & { at: Depth })[] =>
  ('depth' in subject && subject.depth === 'thorough'
    ? (['thorough'] as const)
    : (['standard', 'thorough'] as const)
  ).map((at) => ({ ...subject, at }));

const nameOf = ({ id, at }: Subject): string => (at === 'thorough' ? `${id} (thorough)` : id);

/** The environment without the settings of whoever runs the proof. */
function environment(depth: string): NodeJS.ProcessEnv {
  const own = (name: string): boolean => [...settingNames, 'CI'].includes(name) || name.startsWith('CONFORMANCE_');
  return { ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !own(name))), DEPTH: depth };
}

/** A process that runs the suite against one server after another, at one depth. */
class Prover {
  #child: ChildProcess | undefined;
  #depth = '';

  async run(subject: Subject, directory: string, more: Omit<Task, 'id' | 'directory'> = {}): Promise<string> {
    const child = await this.#childOf(subject.at);
    return new Promise((resolve) => {
      const timer = setTimeout(() => child.kill('SIGKILL'), LONGEST_RUN_MS);
      const done = (text: string): void => {
        clearTimeout(timer);
        child.removeAllListeners('message').removeAllListeners('exit');
        resolve(text);
      };
      child.once('exit', (code) => {
        this.#child = undefined;
        done(`the process of the proof ended (${code})`);
      });
      child.once('message', ({ text }: { text: string }) => done(text));
      child.send({ id: subject.id, directory, ...more } satisfies Task);
    });
  }

  end(): void {
    this.#child?.removeAllListeners('exit');
    this.#child?.disconnect();
    this.#child = undefined;
  }

  async #childOf(depth: string): Promise<ChildProcess> {
    if (this.#child && this.#depth === depth) return this.#child;
    this.end();
    const child = fork(fileURLToPath(new URL('prove.ts', import.meta.url)), [], { cwd: ROOT, env: environment(depth) });
    this.#child = child;
    this.#depth = depth;
    await new Promise((resolve, reject) => {
      child.once('message', resolve);
      child.once('exit', reject);
    });
    return child.removeAllListeners('exit');
  }
}

/** Does something with each item, in a few processes at the same time. */
async function inProcesses<T>(
  jobs: number,
  items: readonly T[],
  work: (item: T, prover: Prover) => Promise<void>,
): Promise<void> {
  const left = [...items];
  const one = async (): Promise<void> => {
    const prover = new Prover();
    for (let item = left.shift(); item; item = left.shift()) await work(item, prover);
    prover.end();
  };
  await Promise.all(Array.from({ length: jobs }, one));
}

/** Runs the suite against one server by Playwright itself. */
async function runByPlaywright(subject: Subject, directory: string): Promise<string> {
  const server = await putUp(subject.id);
  const args = ['test', '--reporter=./fixtures/report/reporter.ts', `--output=${join(directory, 'results')}`];
  const env = { ...environment(subject.at), ...server.env, REPORT_DIR: directory };
  const child = spawn(process.execPath, ['node_modules/@playwright/test/cli.js', ...args], { cwd: ROOT, env });
  const timer = setTimeout(() => child.kill('SIGKILL'), LONGEST_RUN_MS);
  let text = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (data: Buffer) => (text += data.toString()));
  await new Promise((resolve) => child.on('close', resolve));
  clearTimeout(timer);
  await server.close();
  return text;
}

/** One run, and what is to be said of it. */
async function prove(subject: Subject, run: (subject: Subject, directory: string) => Promise<string>): Promise<Proven> {
  const directory = mkdtempSync(join(tmpdir(), 'proof-'));
  const started = Date.now();
  try {
    const text = await run(subject, directory);
    const file = join(directory, 'conformance.json');
    const report = existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Report) : undefined;
    return { ...judged(subject, report, text), seconds: Math.round((Date.now() - started) / 100) / 10 };
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

function judged(subject: Subject, report: Report | undefined, text: string): Omit<Proven, 'seconds'> {
  const { kind, id, title, at: depth } = subject;
  const of = (outcome: string): string[] =>
    (report?.requirements ?? []).filter((each) => each.outcome === outcome).map((each) => each.id);
  const level = new Map(requirements.map((each) => [each.id as string, each.level]));
  const [failed, cantTell, requests] = [of('failed'), of('cantTell'), report?.requests?.sent ?? 0];
  const wrong: string[] = [];
  if (!report?.requirements?.length) wrong.push(`there is no report: ${text.trim().split('\n').slice(-6).join(' | ')}`);
  const errors = report?.errors ?? [];
  if (errors[0] !== undefined) wrong.push(`the suite itself erred ${errors.length} times: ${errors[0].split('\n')[0]}`);
  const verdict = report?.verdict ?? 'none';
  const problems = report?.problems ?? [];
  const own = kind === 'defect' ? ofDefect(problems, subject.breaks) : problems.filter(({ list }) => list === 'gates');
  const base = {
    ...{ kind, id, title, depth, verdict, failed, cantTell, requests, wrong, reasons: reasonsOf(report) },
    problems: own.map((problem) => problem.title),
    hidesNothing: own.every(({ hides }) => hides.length === 0),
  };
  if (kind === 'escape') {
    if (verdict === 'conforms' || verdict === 'error') wrong.push(`the verdict is ${verdict}`);
    return base;
  }
  if (kind === 'variant') {
    const accused = [...failed, ...cantTell].filter((each) => !subject.advice?.includes(each));
    if (accused.length > 0) wrong.push(`accused, or not judged: ${accused.join(', ')}`);
    if (subject.verdict !== undefined && verdict !== subject.verdict)
      wrong.push(`the verdict is ${verdict}, and not ${subject.verdict}`);
    if (depth === 'standard' && subject.atMost !== undefined && requests > subject.atMost)
      wrong.push(`${requests} requests were sent, and ${subject.atMost} are the most`);
    return base;
  }
  const { breaks, also } = subject;
  const others = failed.filter((each) => each !== breaks && level.get(each) === 'must');
  const unexplained = also?.ids.includes('*') ? [] : others.filter((each) => !also?.ids.includes(each));
  if (!failed.includes(breaks))
    wrong.push(failed.length > 0 ? `missed by ${breaks}, and caught by ${failed.join(', ')}` : `missed by ${breaks}`);
  if (unexplained.length > 0 && others.length > MOST_OTHERS)
    wrong.push(`${others.length} other requirements failed with it: ${others.join(', ')}`);
  if (own[0] && failed.includes(breaks)) wrong.push(...mistakesOfTitle(own[0].title, breaks));
  return { ...base, breaks };
}

function reasonsOf(report: Report | undefined): Record<string, string> {
  const told = (report?.requirements ?? []).filter(({ outcome }) => outcome === 'failed' || outcome === 'cantTell');
  return Object.fromEntries(told.map(({ id, reasons }) => [id, (reasons[0] ?? '').slice(0, 600)]));
}

/** The first defect of each requirement that a standard run can tell. */
function sampleOf(all: readonly Defect[]): Defect[] {
  const seen = new Set<string>();
  return all.filter(({ breaks, depth }) => depth === undefined && !seen.has(breaks) && seen.add(breaks));
}

/** Requirements that have no two defects, although a target can break them; and what defects break that is none. */
function gapsOfDefects(): string[] {
  const count = (id: string): number => defects.filter(({ breaks }) => breaks === id).length;
  const known = new Set<string>(requirements.map(({ id }) => id));
  const undefended = requirements
    .filter(({ id, level, untestable }) => level === 'must' && untestable === undefined && !(id in NOT_BY_A_TARGET))
    .filter(({ id }) => count(id) < 2)
    .map(({ id }) => `${id} has ${count(id)} defects`);
  return [
    ...undefended,
    ...defects.filter(({ breaks }) => !known.has(breaks)).map(({ breaks }) => `${breaks} is no requirement`),
  ];
}

const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('\n', ' ');

function markdown(proven: readonly Proven[], summary: string, gaps: readonly string[]): string {
  const ofKind = (kind: string): Proven[] => proven.filter((each) => each.kind === kind);
  const mark = ({ wrong }: Proven): string => (wrong.length === 0 ? 'yes' : `**no**: ${wrong.map(cell).join('; ')}`);
  const lines = ['# Proof of the suite', '', summary, '', ...gaps.map((gap) => `- **${gap}**`)];
  const defectHead = ['requirement', 'defect', 'failed with it', 'requests', 'holds'];
  lines.push('', '## Defects', '', `| ${defectHead.join(' | ')} |`, '| --- | --- | --- | --- | --- |');
  for (const each of ofKind('defect')) {
    const others = each.failed.filter((id) => id !== each.breaks).join(', ');
    const depth = each.depth === 'thorough' ? ` (DEPTH=${each.depth})` : '';
    lines.push(`| ${each.breaks} | ${cell(each.title)}${depth} | ${others} | ${each.requests} | ${mark(each)} |`);
  }
  lines.push(
    '',
    '## Lawful variants',
    '',
    '| variant | what is different | requests | holds |',
    '| --- | --- | --- | --- |',
  );
  for (const each of ofKind('variant'))
    lines.push(`| ${each.id} | ${cell(each.title)} | ${each.requests} | ${mark(each)} |`);
  lines.push('', '## Escapes: servers that no run may call conforming', '');
  lines.push('| escape | what it does | verdict | holds |', '| --- | --- | --- | --- |');
  for (const each of ofKind('escape'))
    lines.push(`| ${each.id} | ${cell(each.title)} | ${each.verdict} | ${mark(each)} |`);
  lines.push('', '## Requirements that no defect of a target can break', '');
  for (const [id, why] of Object.entries(NOT_BY_A_TARGET)) lines.push(`- ${id}: ${why}`);
  return `${lines.join('\n')}\n`;
}

/**
 * Requirements of which `--grep @id` alone says something else than the whole run does: on a conforming server, or on the
 * first of its defects.
 */
async function disagreementsAlone(jobs: number, selected: (id: string) => boolean): Promise<string[]> {
  const outcomes = async (
    prover: Prover,
    subject: Subject,
    more: Omit<Task, 'id' | 'directory'>,
  ): Promise<Map<string, string>> => {
    const directory = mkdtempSync(join(tmpdir(), 'proof-'));
    await prover.run(subject, directory, more);
    const { requirements: all = [] } = JSON.parse(readFileSync(join(directory, 'conformance.json'), 'utf8')) as Report;
    rmSync(directory, { recursive: true, force: true });
    return new Map(all.map(({ id, outcome }) => [id, outcome]));
  };
  const conforming = variants.find(({ id }) => id === 'store/empty') as Variant;
  const settings = { THROTTLING: 'on' };
  const sound: Subject = { kind: 'variant', at: 'standard', ...conforming };
  const judgedAlone = requirements.filter(
    ({ id, level, untestable }) => level !== 'open' && untestable === undefined && selected(id),
  );
  if (judgedAlone.length === 0) return [];
  const lines: string[] = [];
  let whole = new Map<string, string>();
  await inProcesses(1, [sound], async (_, prover) => void (whole = await outcomes(prover, sound, { settings })));
  await inProcesses(jobs, judgedAlone, async ({ id }, prover) => {
    const alone = (await outcomes(prover, sound, { only: id, settings })).get(id);
    if (alone !== whole.get(id))
      lines.push(`@${id} alone is ${alone} on ${sound.id}, and ${whole.get(id)} in the whole run`);
    const defect = defects.find(({ breaks, depth }) => breaks === id && depth === undefined);
    if (!defect) return;
    const broken = (await outcomes(prover, { kind: 'defect', at: 'standard', ...defect }, { only: id })).get(id);
    if (broken !== 'failed') lines.push(`@${id} alone is ${broken} on ${defect.id}, and failed in the whole run`);
  });
  console.log(`${judgedAlone.length} requirements run alone`);
  return lines;
}

/** Where Playwright's own runner says something else than the one of the proof. */
async function disagreements(jobs: number, subjects: readonly Subject[], proven: readonly Proven[]): Promise<string[]> {
  // How many requests it takes to reach a limit depends on the moment.
  const told = ({ failed, cantTell, requests }: Proven, { kind, id }: Subject): string => {
    const isThrottled = kind === 'defect' && defects.some((each) => each.id === id && each.isThrottled);
    return `failed ${failed.join(', ') || 'nothing'}; could not tell ${cantTell.join(', ') || 'nothing'}; ${isThrottled ? 'some' : requests} requests`;
  };
  const lines: string[] = [];
  // Some at random as well: in time, all of them.
  const drawn = Array.from({ length: 2 }, () => subjects[Math.floor(Math.random() * subjects.length)]);
  const chosen = subjects.filter(
    (subject) => (BY_PLAYWRIGHT.includes(subject.id) && subject.at === 'standard') || drawn.includes(subject),
  );
  console.log(`judged by Playwright as well: ${chosen.map(({ id }) => id).join(', ') || 'none'}`);
  await inProcesses(Math.min(jobs, 2), chosen, async (subject) => {
    const here = proven.find(({ id, depth }) => id === subject.id && depth === subject.at) as Proven;
    const there = await prove(subject, runByPlaywright);
    const [one, other] = [told(here, subject), told(there, subject)];
    if (one !== other) lines.push(`${subject.id}: here ${one}, and by Playwright ${other}`);
  });
  return lines;
}

/** Runs servers with several independent defects. @returns how many gave as many problems as defects, and those that did not. */
async function combined(
  jobs: number,
  proven: readonly Proven[],
): Promise<{ tried: number; asMany: number; others: string[] }> {
  const usable = defects.filter(
    ({ id, depth, isThrottled, serve, stock }) =>
      !depth &&
      !isThrottled &&
      !serve &&
      !stock &&
      proven.some(
        (each) =>
          each.id === id &&
          each.depth === 'standard' &&
          each.verdict === 'violates' &&
          each.problems.length === 1 &&
          each.hidesNothing,
      ),
  );
  const chosen = combinations(usable);
  const others: string[] = [];
  await inProcesses(jobs, chosen, async (own, prover) => {
    const id = own.map((defect) => defect.id).join(AND);
    const subject: Subject = { kind: 'escape', at: 'standard', id, title: '', apply: () => {} };
    const { problems } = await prove(subject, prover.run.bind(prover));
    if (problems.length !== own.length) others.push(`${id}: ${problems.length} problems: ${problems.join(' | ')}`);
  });
  return { tried: chosen.length, asMany: chosen.length - others.length, others };
}

async function main(): Promise<void> {
  const words = process.argv.slice(2);
  const isSample = words.includes('--sample');
  const jobs = Number(words.find((word) => word.startsWith('--jobs='))?.split('=')[1] ?? 2 * availableParallelism());
  const prefixes = words.filter((word) => !word.startsWith('--'));
  const isChosen = ({ id, kind, at }: Subject): boolean =>
    !words.includes(kind === 'variant' ? '--defects' : '--variants') &&
    !(words.includes('--standard') && at === 'thorough') &&
    (prefixes.length === 0 || prefixes.some((prefix) => id.startsWith(prefix)));
  const all: Subject[] = [
    ...variants.flatMap((variant) => atDepths({ kind: 'variant' as const, ...variant })),
    ...escapes.flatMap((escape) => atDepths({ kind: 'escape' as const, ...escape })),
    ...(isSample ? sampleOf(defects) : defects).flatMap((defect) => atDepths({ kind: 'defect' as const, ...defect })),
  ];
  // Those that wait longest begin first; those of one depth are together, since a process keeps to one.
  const isWaiting = (subject: Subject): number =>
    Number(subject.kind === 'escape' || (subject.kind === 'defect' && subject.isThrottled === true));
  const subjects = all.filter(isChosen).sort((a, b) => a.at.localeCompare(b.at) || isWaiting(b) - isWaiting(a));
  const started = Date.now();
  const proven: Proven[] = [];
  await inProcesses(jobs, subjects, async (subject, prover) => {
    const run = words.includes('--playwright') ? runByPlaywright : prover.run.bind(prover);
    const each = await prove(subject, run);
    proven.push(each);
    const told = each.wrong.length === 0 ? 'holds' : `DOES NOT HOLD: ${each.wrong.join('; ')}`;
    console.log(
      `${proven.length}/${subjects.length} ${nameOf(subject)} (${each.requests} requests, ${each.seconds} s): ${told}`,
    );
  });
  const order = all.map(({ id }) => id);
  proven.sort((a, b) => order.indexOf(a.id) - order.indexOf(b.id));
  const isAlone = (id: string): boolean =>
    !isSample &&
    (prefixes.length === 0 || (words.includes('--alone') && prefixes.some((prefix) => id.startsWith(prefix))));
  const wrong = [
    ...gapsOfDefects(),
    ...(await disagreements(jobs, subjects, proven)),
    ...(await disagreementsAlone(jobs, isAlone)),
  ];
  const combination = prefixes.length === 0 && !words.includes('--variants') ? await combined(jobs, proven) : undefined;
  for (const line of combination?.others ?? []) console.log(`not as many problems as defects: ${line}`);
  wrong.push(...mistakesOfProblems(proven, combination));
  const isWhole = prefixes.length === 0 && words.every((word) => word.startsWith('--jobs'));
  const selection = isWhole ? 'the whole proof' : `a part of it: ${words.join(' ')}`;
  const seconds = Math.round((Date.now() - started) / 1000);
  const { figures, sentence } = figuresOf(proven, seconds, combination);
  const folder = join(ROOT, 'conformance-report');
  mkdirSync(folder, { recursive: true });
  const json = { selection, figures, wrong, servers: proven };
  writeFileSync(join(folder, 'proof.json'), `${JSON.stringify(json, null, 2)}\n`);
  writeFileSync(join(folder, 'proof.md'), markdown(proven, `${sentence} (${selection})`, wrong));
  for (const each of proven.filter((one) => one.wrong.length > 0)) {
    console.log(`\n${each.id} (${each.depth}): ${each.title}\n  ${each.wrong.join('\n  ')}`);
    for (const title of each.problems) console.log(`    problem: ${title}`);
    for (const [id, reason] of Object.entries(each.reasons))
      console.log(`    ${id}: ${reason.split('\n').slice(0, 6).join(' ')}`);
  }
  for (const line of wrong) console.log(`\n${line}`);
  console.log(`\n${sentence}`);
  const holds = proven.length > 0 && proven.every((each) => each.wrong.length === 0) && wrong.length === 0;
  process.exitCode = holds ? 0 : 1;
}

/** Runs of found defects, and those of them that are one problem. */
function ofOneProblem(proven: readonly Proven[]): { found: Proven[]; one: Proven[] } {
  const found = proven.filter(({ kind, breaks, failed }) => kind === 'defect' && failed.includes(breaks ?? ''));
  return { found, one: found.filter(({ problems }) => problems.length === 1) };
}

/** Whether too many defects are several problems, or too many combinations are not as many problems as defects. */
function mistakesOfProblems(
  proven: readonly Proven[],
  combination: { tried: number; asMany: number } | undefined,
): string[] {
  const { found, one } = ofOneProblem(proven);
  const isEnough = (part: number, whole: number, least: number): boolean => whole < 50 || part >= whole * least;
  return [
    ...(isEnough(one.length, found.length, ONE_PROBLEM)
      ? []
      : [`${one.length} of ${found.length} runs of a defect give one problem, and ${ONE_PROBLEM * 100} % have to`]),
    ...(!combination || isEnough(combination.asMany, combination.tried, AS_MANY)
      ? []
      : [`${combination.asMany} of ${combination.tried} combinations give as many problems as defects`]),
  ];
}

function figuresOf(
  proven: readonly Proven[],
  seconds: number,
  combination: { tried: number; asMany: number } | undefined,
): { figures: Record<string, number>; sentence: string } {
  const ids = (kind: Kind, isHeld = true): Set<string> => {
    const own = proven.filter((each) => each.kind === kind);
    const wrong = new Set(own.filter((each) => each.wrong.length > 0).map(({ id }) => id));
    return new Set(own.map(({ id }) => id).filter((id) => !isHeld || !wrong.has(id)));
  };
  const figures = {
    defects: ids('defect', false).size,
    caught: ids('defect').size,
    requirements: new Set(proven.flatMap(({ breaks }) => breaks ?? [])).size,
    escapes: ids('escape', false).size,
    notConforming: ids('escape').size,
    variants: ids('variant', false).size,
    accepted: ids('variant').size,
    oneProblem: ofOneProblem(proven).one.length,
    ofRuns: ofOneProblem(proven).found.length,
    combinations: combination?.tried ?? 0,
    asManyProblems: combination?.asMany ?? 0,
    runs: proven.length,
    seconds,
  };
  const sentence =
    `${figures.caught} of ${figures.defects} defects, of ${figures.requirements} requirements, were blamed on the requirement they break, ` +
    `${figures.notConforming} of ${figures.escapes} escapes were not called conforming, ` +
    `${figures.accepted} of ${figures.variants} lawful variants were accused of nothing, ` +
    `${figures.oneProblem} of ${figures.ofRuns} runs of a defect gave exactly one problem, ` +
    `${figures.asManyProblems} of ${figures.combinations} pairs and triples of defects as many problems as defects, ` +
    `in ${figures.runs} runs and ${Math.floor(seconds / 60)} min ${seconds % 60} s.`;
  return { figures, sentence };
}

await main();
