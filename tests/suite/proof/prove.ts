/** Runs the suite against servers of the proof, several at the same time. */
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { availableParallelism, cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { RECORDING } from '../../../fixtures/settings/run.ts';
import { REPORTER, suite, unset } from '../gate/spawn.ts';
import type { Order } from '../runner/child.ts';
import { Runner } from '../runner/process.ts';
import { judged, type Proven, type Report, type Subject } from './judged.ts';
import { putUp } from './servers.ts';

const LONGEST_RUN = 180;

/** Runs the suite against a server. @returns what was printed; the report is in the directory. */
export type Run = (subject: Subject, directory: string, more?: More) => Promise<string>;

/** The one requirement to run, further settings, and a recording to judge without a server. */
type More = Pick<Order, 'only'> & { settings?: Record<string, string>; recording?: string };

/** Milliseconds between two looks at the cores. */
const LOOK_MS = 100;
/** Share of a core that is enough for a further run. */
const ENOUGH = 0.3;

/** Milliseconds that all cores together were idle. */
const readIdleTime = (): number => cpus().reduce((sum, { times }) => sum + times.idle, 0);

/** Those that want to begin a run, and how many runs are under way. */
const queue: (() => void)[] = [];
let running = 0;
let looking: NodeJS.Timeout | undefined;

/** At each look: one run may begin if a core was idle since the last one. */
function look(): void {
  let last = { idleTime: readIdleTime(), at: performance.now() };
  looking = setInterval(() => {
    const now = { idleTime: readIdleTime(), at: performance.now() };
    const isIdle = now.idleTime - last.idleTime >= ENOUGH * (now.at - last.at);
    if (isIdle || running < availableParallelism()) queue.shift()?.();
    if (queue.length === 0) looking = void clearInterval(looking);
    last = now;
  }, LOOK_MS);
}

/**
 * Lets a run begin when a core is idle. Some runs wait most of the time and others compute: a fixed number of them leaves
 * cores idle, or makes each of them take a third more processor time.
 */
async function begin(): Promise<void> {
  await new Promise<void>((resolve) => {
    queue.push(resolve);
    if (looking === undefined) look();
  });
  running += 1;
}

/** Does the work for each item: at most `jobs` at the same time, and no more than keep the cores busy. */
export async function together<T>(jobs: number, items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const left = [...items];
  const one = async (): Promise<void> => {
    for (let item = left.shift(); item; item = left.shift()) {
      await begin();
      await work(item).finally(() => (running -= 1));
    }
  };
  await Promise.all(Array.from({ length: jobs }, one));
}

/** Room for the short-lived objects of a run: collecting them takes a tenth of its processor time. */
const OPTIONS = ['--max-semi-space-size=32'];
/** Idle processes; each keeps to one depth. */
const idle: Runner[] = [];

/** Runs the suite in an idle process or in a new one. */
export const run: Run = async ({ id, at }, directory, { only, settings, recording } = {}) => {
  const place = idle.findLastIndex(({ env }) => env.DEPTH === at);
  if (place < 0) idle.shift()?.end();
  const runner = idle.splice(place, place < 0 ? 0 : 1)[0] ?? new Runner({ DEPTH: at }, OPTIONS);
  const env = { ...unset(), DEPTH: at, REPORT_DIR: directory, [RECORDING]: recording ?? '' };
  const server = recording === undefined && { server: { id, ...(settings && { settings }) } };
  const order = { env, ...server, ...(only !== undefined && { only }) };
  const { text } = await runner.run(order, LONGEST_RUN);
  idle.push(runner);
  return text;
};

export const endProcesses = (): void => idle.splice(0).forEach((runner) => runner.end());

/** Runs the suite against one server by Playwright itself. */
export const runByPlaywright: Run = async ({ id, at }, directory) => {
  const server = await putUp({ id });
  const { text } = await suite(directory, { ...server.env, DEPTH: at, REPORT_DIR: directory }, REPORTER);
  await server.close();
  return text;
};

/** Checks the folder of a run. @returns one sentence for each mistake. */
type Look = (directory: string) => Promise<string[]>;

/** The report of one run, its output, and the mistakes in its folder. */
export async function runServer(
  run: Run,
  subject: Subject,
  more?: More,
  look: Look = async () => [],
): Promise<{ report: Report | undefined; text: string; seconds: number; wrong: string[] }> {
  const directory = mkdtempSync(join(tmpdir(), 'proof-'));
  const started = Date.now();
  try {
    const text = await run(subject, directory, more);
    const seconds = Math.round((Date.now() - started) / 100) / 10;
    const file = join(directory, 'conformance.json');
    if (!existsSync(file)) return { report: undefined, text, seconds, wrong: [] };
    return { report: JSON.parse(readFileSync(file, 'utf8')) as Report, text, seconds, wrong: await look(directory) };
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

export async function prove(subject: Subject, run: Run, look?: Look): Promise<Proven> {
  const { report, text, seconds, wrong } = await runServer(run, subject, undefined, look);
  const proven = judged(subject, report, text);
  return { ...proven, seconds, wrong: [...proven.wrong, ...wrong] };
}
