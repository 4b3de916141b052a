/**
 * The proof of the suite: every seeded defect is caught by the requirement it breaks, and no lawful variant is accused.
 *
 *     npm run proof                       everything
 *     npm run proof -- list.limit         the defects and variants whose id begins with that
 *     npm run proof -- --sample           one defect for each requirement, and all variants
 *     npm run proof -- --jobs=4           runs at the same time (2 unless told)
 *
 * The servers live in this process; the suite runs against each as anybody would run it. Written are
 * `conformance-report/proof.md` and `proof.json`. The exit code is 1 where something does not hold.
 */
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { requirements } from '../../../fixtures/contract/requirements.ts';
import { type Defect, defects } from '../../../fixtures/reference/defects/index.ts';
import { createServer } from '../../../fixtures/reference/server.ts';
import { Service } from '../../../fixtures/reference/service.ts';
import { stockUp, type Variant, variants } from '../../../fixtures/reference/variants/index.ts';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const KEYS = { 'proof-Business-key': 'business', 'proof-Free-key': 'free' };

/** Most other requirements that may fail along with the one a defect breaks, unless it says which and why. */
const MOST_OTHERS = 3;
/** Runs that hang are ended after so many milliseconds. */
const LONGEST_RUN_MS = 240_000;

/** Requirements that no defect of a target can break, and why. */
const NOT_BY_A_TARGET: Record<string, string> = {
  'service.base-path': 'an address that does not end in the version is refused before the run',
  'service.invalid-body': 'every field of the contract has a requirement of its own',
  'contract.deprecation': 'it is about the contract',
};

interface Report {
  verdict: string;
  errors: string[];
  requirements: { id: string; level: string; outcome: string; reasons: string[] }[];
  requests: { sent: number };
}

/** What one run of the suite said of one server. */
interface Proven {
  kind: 'defect' | 'variant';
  id: string;
  title: string;
  breaks?: string;
  depth?: string;
  /** Requirements by outcome. */
  failed: string[];
  cantTell: string[];
  requests: number;
  seconds: number;
  /** What does not hold, a sentence each; none where all is well. */
  wrong: string[];
  /** The reasons of what failed or could not be told, for a reader. */
  reasons: Record<string, string>;
}

type Subject = { kind: 'defect'; subject: Defect } | { kind: 'variant'; subject: Variant };

/** Puts up the server of a defect or variant, runs the suite against it, and takes it down. */
async function prove(subject: Subject, cache: string): Promise<Proven> {
  const service = new Service({ keys: KEYS, windowMs: 60_000 });
  const { kind, subject: chosen } = subject;
  chosen.apply?.(service);
  stockUp(service, chosen.stock ?? 0);
  const prefix = (kind === 'variant' ? chosen.prefix : undefined) ?? '/v1';
  const server = createServer(service, prefix);
  if (kind === 'variant') chosen.serve?.(server, service);
  await server.listen({ port: 0, host: '127.0.0.1' });
  const { port } = server.server.address() as AddressInfo;
  const directory = mkdtempSync(join(tmpdir(), 'proof-'));
  const started = Date.now();
  try {
    const text = await runSuite({
      ...environment(),
      BASE_URL: `http://127.0.0.1:${port}${prefix}`,
      API_KEY: 'proof-Business-key',
      PLAN: 'business',
      THROTTLING: 'off',
      DEPTH: (kind === 'defect' && chosen.depth) || 'standard',
      REPORT_DIR: directory,
      PWTEST_CACHE_DIR: cache,
      ...(kind === 'variant' && chosen.settings),
    });
    const file = join(directory, 'conformance.json');
    const report = existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Report) : undefined;
    const seconds = Math.round((Date.now() - started) / 100) / 10;
    return { ...judged(subject, report, text), seconds };
  } finally {
    await server.close();
    rmSync(directory, { recursive: true, force: true });
  }
}

/** The environment without the settings of whoever runs the proof. */
function environment(): NodeJS.ProcessEnv {
  const own =
    /^(BASE_URL|API_KEY|THROTTLE|TARGET|PLAN|CATEGORY_ID|READ_ONLY|MAX_WAIT|LEVEL|DEPTH|WAIVERS|REPORT_DIR|CI|CONFORMANCE_)/;
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !own.test(name)));
}

/** @returns what the suite printed. */
async function runSuite(env: NodeJS.ProcessEnv): Promise<string> {
  const child = spawn(
    process.execPath,
    [
      'node_modules/@playwright/test/cli.js',
      'test',
      '--reporter=./fixtures/report/reporter.ts',
      `--output=${join(env.REPORT_DIR as string, 'results')}`,
    ],
    { cwd: ROOT, env, stdio: ['ignore', 'pipe', 'pipe'] },
  );
  const timer = setTimeout(() => child.kill('SIGKILL'), LONGEST_RUN_MS);
  let text = '';
  child.stdout.on('data', (data: Buffer) => (text += data.toString()));
  child.stderr.on('data', (data: Buffer) => (text += data.toString()));
  await new Promise((resolve) => child.on('close', resolve));
  clearTimeout(timer);
  return text;
}

function judged({ kind, subject }: Subject, report: Report | undefined, text: string): Omit<Proven, 'seconds'> {
  const { id, title } = subject;
  const of = (outcome: string): string[] =>
    (report?.requirements ?? []).filter((each) => each.outcome === outcome).map((each) => each.id);
  const level = new Map(requirements.map((each) => [each.id as string, each.level]));
  const [failed, cantTell, requests] = [of('failed'), of('cantTell'), report?.requests?.sent ?? 0];
  const wrong: string[] = [];
  if (!report?.requirements) wrong.push(`there is no report: ${text.trim().split('\n').slice(-3).join(' | ')}`);
  for (const error of report?.errors ?? []) wrong.push(`the suite itself erred: ${error.split('\n')[0]}`);
  const base = { kind, id, title, failed, cantTell, requests, wrong, reasons: reasonsOf(report) };
  if (kind === 'variant') {
    const allowed = subject.advice ?? [];
    const accused = [...failed, ...cantTell].filter((each) => !allowed.includes(each));
    if (accused.length > 0) wrong.push(`accused, or not judged: ${accused.join(', ')}`);
    if (subject.atMost !== undefined && requests > subject.atMost)
      wrong.push(`${requests} requests were sent, and ${subject.atMost} are the most`);
    return base;
  }
  const { breaks, also, depth } = subject;
  const explained = also?.ids.includes('*') ? failed : (also?.ids ?? []);
  const others = failed.filter((each) => each !== breaks && level.get(each) === 'must');
  const unexplained = others.filter((each) => !explained.includes(each));
  if (!failed.includes(breaks))
    wrong.push(failed.length > 0 ? `missed by ${breaks}, and caught by ${failed.join(', ')}` : `missed by ${breaks}`);
  if (unexplained.length > 0 && others.length > MOST_OTHERS)
    wrong.push(`${others.length} other requirements failed with it: ${others.join(', ')}`);
  return { ...base, breaks, ...(depth && { depth }) };
}

function reasonsOf(report: Report | undefined): Record<string, string> {
  const told = (report?.requirements ?? []).filter(({ outcome }) => outcome === 'failed' || outcome === 'cantTell');
  return Object.fromEntries(told.map(({ id, reasons }) => [id, (reasons[0] ?? '').slice(0, 400)]));
}

/** The first defect of each requirement that a standard run can tell. */
function sampleOf(all: readonly Defect[]): Defect[] {
  const seen = new Set<string>();
  return all.filter(({ breaks, depth }) => depth === undefined && !seen.has(breaks) && seen.add(breaks));
}

/** Requirements that have no two defects, although a target can break them. */
function undefended(): string[] {
  const count = (id: string): number => defects.filter(({ breaks }) => breaks === id).length;
  return requirements
    .filter(({ id, level, untestable }) => level === 'must' && untestable === undefined && !(id in NOT_BY_A_TARGET))
    .filter(({ id }) => count(id) < 2)
    .map(({ id }) => id);
}

async function inParallel<T, R>(items: readonly T[], jobs: number, work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  let next = 0;
  const worker = async (): Promise<void> => {
    for (let index = next++; index < items.length; index = next++) results[index] = await work(items[index] as T);
  };
  await Promise.all(Array.from({ length: jobs }, worker));
  return results;
}

const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('\n', ' ');

function markdown(proven: readonly Proven[], selection: string, sentence: string, gaps: readonly string[]): string {
  const ofKind = (kind: string): Proven[] => proven.filter((each) => each.kind === kind);
  const mark = ({ wrong }: Proven): string => (wrong.length === 0 ? 'yes' : `**no**: ${wrong.map(cell).join('; ')}`);
  const lines = ['# Proof of the suite', '', `${sentence} (${selection})`, ''];
  if (gaps.length > 0) lines.push(`Requirements without two defects: ${gaps.join(', ')}.`, '');
  lines.push(
    '## Defects',
    '',
    '| requirement | defect | failed with it | requests | holds |',
    '| --- | --- | --- | --- | --- |',
  );
  for (const each of ofKind('defect')) {
    const others = each.failed.filter((id) => id !== each.breaks).join(', ');
    const depth = each.depth ? ` (${each.depth})` : '';
    lines.push(`| ${each.breaks} | ${cell(each.title)}${depth} | ${others} | ${each.requests} | ${mark(each)} |`);
  }
  lines.push('', '## Lawful variants', '', '| variant | title | requests | holds |', '| --- | --- | --- | --- |');
  for (const each of ofKind('variant'))
    lines.push(`| ${each.id} | ${cell(each.title)} | ${each.requests} | ${mark(each)} |`);
  lines.push('', '## Requirements that no defect of a target can break', '');
  for (const [id, why] of Object.entries(NOT_BY_A_TARGET)) lines.push(`- ${id}: ${why}`);
  return `${lines.join('\n')}\n`;
}

async function main(): Promise<void> {
  const words = process.argv.slice(2);
  const isSample = words.includes('--sample');
  const jobs = Number(words.find((word) => word.startsWith('--jobs='))?.split('=')[1] ?? 2);
  const prefixes = words.filter((word) => !word.startsWith('--'));
  const isChosen = ({ id }: { id: string }): boolean =>
    prefixes.length === 0 || prefixes.some((prefix) => id.startsWith(prefix));
  const subjects: Subject[] = [
    ...variants.filter(isChosen).map((subject) => ({ kind: 'variant', subject }) as const),
    ...(isSample ? sampleOf(defects) : defects)
      .filter(isChosen)
      .map((subject) => ({ kind: 'defect', subject }) as const),
  ];
  const started = Date.now();
  const cache = process.env.PWTEST_CACHE_DIR ?? join(tmpdir(), `proof-cache-${process.pid}`);
  let done = 0;
  const proven = await inParallel(subjects, jobs, async (subject) => {
    const each = await prove(subject, cache);
    done += 1;
    const told = each.wrong.length === 0 ? 'holds' : `DOES NOT HOLD: ${each.wrong.join('; ')}`;
    console.log(`${done}/${subjects.length} ${each.id} (${each.requests} requests, ${each.seconds} s): ${told}`);
    return each;
  });
  if (process.env.PWTEST_CACHE_DIR === undefined) rmSync(cache, { recursive: true, force: true });
  const known = new Set(requirements.map(({ id }) => id as string));
  const unknown = defects
    .filter(({ breaks }) => !known.has(breaks))
    .map(({ breaks }) => `${breaks} (no such requirement)`);
  const gaps = [...undefended(), ...unknown];
  const seconds = Math.round((Date.now() - started) / 1000);
  const figures = {
    defects: proven.filter(({ kind }) => kind === 'defect').length,
    caught: proven.filter(({ kind, wrong }) => kind === 'defect' && wrong.length === 0).length,
    variants: proven.filter(({ kind }) => kind === 'variant').length,
    accepted: proven.filter(({ kind, wrong }) => kind === 'variant' && wrong.length === 0).length,
    requirements: new Set(proven.flatMap(({ breaks }) => breaks ?? [])).size,
    seconds,
  };
  const sentence =
    `${figures.caught} of ${figures.defects} defects, of ${figures.requirements} requirements, were blamed on the requirement they break, ` +
    `and ${figures.accepted} of ${figures.variants} lawful variants were accused of nothing, in ${Math.floor(seconds / 60)} min ${seconds % 60} s.`;
  const selection = prefixes.length > 0 ? `only ${prefixes.join(', ')}` : isSample ? 'a sample' : 'the whole proof';
  mkdirSync(join(ROOT, 'conformance-report'), { recursive: true });
  writeFileSync(
    join(ROOT, 'conformance-report/proof.json'),
    `${JSON.stringify({ selection, figures, requirementsWithoutTwoDefects: gaps, servers: proven }, null, 2)}\n`,
  );
  writeFileSync(join(ROOT, 'conformance-report/proof.md'), markdown(proven, selection, sentence, gaps));
  for (const each of proven.filter(({ wrong }) => wrong.length > 0))
    console.log(`\n${each.id}\n  ${each.wrong.join('\n  ')}`);
  if (gaps.length > 0) console.log(`\nRequirements without two defects: ${gaps.join(', ')}`);
  console.log(`\n${sentence}`);
  process.exitCode =
    subjects.length > 0 && proven.every(({ wrong }) => wrong.length === 0) && gaps.length === 0 ? 0 : 1;
}

await main();
