/** Runs the suite against a fault, and lists what does not hold. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { judgeServer, type QuickResult } from '../../../fixtures/quick.ts';
import type { ConformanceReport } from '../../../fixtures/report/model/report.ts';
import { renderTerminal } from '../../../fixtures/report/out/terminal.ts';
import { RECORDING_FILE, writeReport } from '../../../fixtures/report/out/files.ts';
import { checkClaim, judgeRecording, readClaim } from '../../../fixtures/report/run/verify.ts';
import { readRecording } from '../../../fixtures/target/recording/read.ts';
import { properties } from '../../properties/index.ts';
import { ODD_KEY, serve, type Target, TRIAL } from '../gate/serve.ts';
import { folder } from '../gate/spawn.ts';
import { commands, everything, leaks, findMistakes, unseen } from './artefacts.ts';
import { type Fault, MEGABYTES, REQUESTS, SECONDS } from './fault.ts';

/** Judges a target in this process, and writes the report into a folder. */
async function judgeFault(fault: Fault, directory: string): Promise<QuickResult & { target: Target; printed: string }> {
  const target = await serve({ key: ODD_KEY, ...fault });
  const env = {
    ...{ ...target.env, THROTTLE_API_KEY: TRIAL.key, THROTTLING: 'off', MAX_WAIT: '20' },
    // Untested requirements keep a run from conforming; a fault may have a limit that is not a plan's.
    PLAN: fault.expected.length === 0 ? 'business' : '',
    ...fault.env,
  };
  const lines: string[] = [];
  const quick = await judgeServer(properties, env, { print: (line) => void lines.push(line) }).finally(target.close);
  const { report, exchanges, recorded } = quick;
  writeReport(report, exchanges, { directory, run: recorded, baseUrl: target.baseUrl });
  return { ...quick, target, printed: [...lines, report.reason ?? renderTerminal(report)].join('\n') };
}

/** By how many megabytes this process has grown at most since then; 0 if unknown. */
function watchGrowth(): () => number {
  const read = (name: string): number =>
    Number(new RegExp(`${name}:\\s+(\\d+)`).exec(readFileSync('/proc/self/status', 'utf8'))?.[1]) / 1024;
  try {
    // Makes the present size the peak (proc(5), clear_refs).
    writeFileSync('/proc/self/clear_refs', '5');
    const before = read('VmRSS');
    return () => Math.round(read('VmHWM') - before);
  } catch {
    return () => 0;
  }
}

/** @returns one sentence for each expectation that does not hold. */
export async function wrongWith(fault: Fault, isLast = false): Promise<string[]> {
  const { directory, remove } = folder();
  const { seconds = SECONDS } = fault;
  const [began, before, growth] = [performance.now(), process.cpuUsage(), watchGrowth()];
  try {
    const { report, recorded, target, printed } = await judgeFault(fault, directory);
    const megabytes = growth();
    const { user, system } = process.cpuUsage(before);
    // Other processes may slow down a working run.
    const took = fault.waits ? (performance.now() - began) / 1000 : (user + system) / 1e6;
    const isLarge = !fault.waits && megabytes > MEGABYTES;
    // Garbage of earlier runs may be in the first measurement.
    if (isLarge && !isLast) return await wrongWith(fault, true);
    return [
      ...wrongInReport(fault, report),
      ...wrongAtTarget(fault, target),
      ...wrongInArtefacts(everything(directory).set('what was printed', printed)),
      ...(recorded ? wrongInClaim(directory) : []),
      ...(took > seconds ? [`it took ${Math.round(took)} s, and ${seconds} are the most`] : []),
      ...(isLarge ? [`it took ${megabytes} MB, and ${MEGABYTES} are the most`] : []),
    ];
  } finally {
    remove();
  }
}

/** The report of each run that began verifies, whatever its target did. */
function wrongInClaim(directory: string): string[] {
  const recording = readRecording(join(directory, RECORDING_FILE));
  const differences = checkClaim(readClaim(directory), recording, judgeRecording(recording, properties));
  return differences.map((difference) => `it does not verify: ${difference}`);
}

function* wrongInReport(fault: Fault, report: ConformanceReport): Generator<string> {
  const { expected, also = [], env } = fault;
  const [breaks, cause = ''] = typeof expected === 'string' ? [[], expected] : [expected];
  // Without throttling, a conforming run is partial.
  const lawful = env?.THROTTLING === undefined ? 'partial' : 'conforms';
  const verdict = cause === '' ? (breaks.length > 0 ? 'violates' : lawful) : 'cantTell';
  const failed = report.requirements.filter(({ outcome, level }) => outcome === 'failed' && level === 'must');
  const detail = [report.sentence, ...report.errors, ...report.problems.map(({ title }) => title)].join('\n    ');
  if (report.verdict !== verdict) yield `the verdict is ${report.verdict}, and ${verdict} is due: ${detail}`;
  for (const { id } of failed)
    if (also !== '*' && ![...breaks, ...also].includes(id)) yield `accused of ${id}: ${detail}`;
  for (const id of breaks) if (!failed.some((each) => each.id === id)) yield `not accused of ${id}: ${detail}`;
  if (!JSON.stringify(report).includes(cause)) yield `it does not contain "${cause}": ${report.sentence}`;
}

function* wrongAtTarget({ requests = REQUESTS }: Fault, { asked, early, astray }: Target): Generator<string> {
  if (asked.length > requests) yield `${asked.length} requests were sent, and ${requests} are the most`;
  if (early.length > 0) yield `${early.length} requests came before the end of a Retry-After: ${early[0]}`;
  if (astray.length > 0) yield `another server was asked: ${astray[0]}`;
}

export function wrongInArtefacts(left: ReadonlyMap<string, string>, allowed?: RegExp): string[] {
  return [...left].flatMap(([name, text]) => [
    ...leaks(name, text),
    ...unseen(name, text),
    ...(name === 'what was printed' ? commands(name, text, allowed) : []),
    ...(/\.(xml|svg)$/.test(name) ? findMistakes(name, text) : []),
    ...(/^index\.html$/.test(name) ? findMistakes(name, text, true) : []),
    ...(name.endsWith('.json') ? notJson(name, text) : []),
  ]);
}

function notJson(name: string, text: string): string[] {
  try {
    JSON.parse(text);
    return [];
  } catch (error) {
    return [`${name} is not JSON: ${(error as Error).message}`];
  }
}
