/** Runs the suite against a fault, and lists what does not hold. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { requirements, type RequirementId } from '../../../fixtures/contract/requirements.ts';
import { judgeServer, type Quick } from '../../../fixtures/quick.ts';
import type { ConformanceReport } from '../../../fixtures/report/model/report.ts';
import { RECORDING_FILE } from '../../../fixtures/report/out/files.ts';
import { renderTerminal } from '../../../fixtures/report/out/terminal.ts';
import { writeReport } from '../../../fixtures/report/out/write.ts';
import { checkClaim, readClaim } from '../../../fixtures/report/run/claim.ts';
import { judgeRecording } from '../../../fixtures/report/run/verify.ts';
import { readRecording } from '../../../fixtures/target/recording/read.ts';
import { suite } from '../../properties/index.ts';
import { watchGrowth } from '../gate/memory.ts';
import { commands, everything, leaks, findMistakes, unseen } from './artefacts.ts';
import { type Fault, MEGABYTES, REQUESTS, SECONDS } from './fault.ts';
import { KEY, misbehaving, type Target, TRIAL } from './server.ts';

const MOST_TOLD = 6;

/** Judges a target in this process, and writes the report into a folder. */
export async function judgeFault(
  fault: Fault,
  directory: string,
): Promise<Quick & { target: Target; printed: string }> {
  const target = await misbehaving(fault);
  try {
    const env = {
      ...{ BASE_URL: target.baseUrl, API_KEY: KEY, THROTTLE_API_KEY: TRIAL.key },
      // Untested requirements keep a run from conforming; a fault may have a limit that is not a plan's.
      PLAN: fault.verdict === 'conforms' ? 'business' : '',
      ...{ THROTTLING: 'off', MAX_WAIT: '20' },
      ...fault.env,
    };
    const lines: string[] = [];
    const quick = await judgeServer(suite, env, { print: (line) => void lines.push(line) });
    const { report, exchanges, recorded } = quick;
    writeReport(report, exchanges, { directory, run: recorded, baseUrl: target.baseUrl });
    return { ...quick, target, printed: [...lines, report.reason ?? renderTerminal(report)].join('\n') };
  } finally {
    target.close();
  }
}

/** @returns one sentence for each expectation that does not hold. */
export async function wrongWith(fault: Fault): Promise<string[]> {
  const { wrong, megabytes } = await runAgainst(fault);
  if (fault.waits || megabytes <= MEGABYTES) return wrong;
  // Garbage of earlier runs may be in the first measurement.
  const again = await runAgainst(fault);
  return again.megabytes <= MEGABYTES
    ? again.wrong
    : [...again.wrong, `it took ${megabytes} MB, then ${again.megabytes}, and ${MEGABYTES} are the most`];
}

async function runAgainst(fault: Fault): Promise<{ wrong: string[]; megabytes: number }> {
  const directory = mkdtempSync(join(tmpdir(), 'hostile-'));
  const { seconds = SECONDS } = fault;
  const [began, before, growth] = [performance.now(), process.cpuUsage(), watchGrowth()];
  try {
    const { report, recorded, target, printed } = await judgeFault(fault, directory);
    const megabytes = growth();
    const { user, system } = process.cpuUsage(before);
    // Other processes may slow down a working run.
    const took = fault.waits ? (performance.now() - began) / 1000 : (user + system) / 1e6;
    const wrong = [
      ...wrongInReport(fault, report),
      ...wrongAtTarget(fault, target),
      ...wrongInArtefacts(everything(directory).set('what was printed', printed)),
      ...(recorded ? wrongInClaim(directory) : []),
      ...(took > seconds ? [`it took ${Math.round(took)} s, and ${seconds} are the most`] : []),
    ];
    return { wrong, megabytes };
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

/** The report of each run that began verifies, whatever its target did. */
function wrongInClaim(directory: string): string[] {
  const recording = readRecording(join(directory, RECORDING_FILE));
  const differences = checkClaim(readClaim(directory), recording, judgeRecording(recording, suite));
  return differences.map((difference) => `it does not verify: ${difference}`);
}

function wrongInReport({ verdict, breaks = [], also = [], cause, env }: Fault, report: ConformanceReport): string[] {
  // Without throttling, a conforming run is partial.
  const expected = verdict === 'conforms' && env?.THROTTLING === undefined ? 'partial' : verdict;
  const must = new Set<string>(requirements.filter(({ level }) => level === 'must').map(({ id }) => id));
  const of = (outcome: string): RequirementId[] =>
    report.requirements.filter((each) => each.outcome === outcome && must.has(each.id)).map(({ id }) => id);
  const failed = of('failed');
  const difference = [
    ...failed.filter((id) => also !== '*' && ![...breaks, ...also].includes(id)).map((id) => `accused of ${id}`),
    ...breaks.filter((id) => !failed.includes(id)).map((id) => `not accused of ${id}`),
  ];
  const why = report.requirements
    .filter(({ outcome, id }) => (outcome === 'failed' || outcome === 'cantTell') && must.has(id))
    .sort((a, b) => Number(b.outcome === 'failed') - Number(a.outcome === 'failed'))
    .slice(0, MOST_TOLD)
    .map(({ id, outcome, reasons }) => `${outcome} ${id}: ${reasons[0]?.slice(0, 300)}`);
  const detail = [report.sentence, ...report.errors, ...why].join('\n    ');
  return [
    ...(report.verdict === expected ? [] : [`the verdict is ${report.verdict}, and ${expected} is due: ${detail}`]),
    ...(difference.length > 0 ? [difference.join(', ') + (report.verdict === expected ? `: ${detail}` : '')] : []),
    ...(cause === undefined || JSON.stringify(report).includes(cause)
      ? []
      : [`it does not contain "${cause}": ${report.sentence}`]),
  ];
}

const wrongAtTarget = ({ requests = REQUESTS }: Fault, { asked, early, astray }: Target): string[] => [
  ...(asked.length > requests ? [`${asked.length} requests were sent, and ${requests} are the most`] : []),
  ...(early.length > 0 ? [`${early.length} requests came before the end of a Retry-After: ${early[0]}`] : []),
  ...(astray.length > 0 ? [`another server was asked: ${astray[0]}`] : []),
];

export function wrongInArtefacts(left: ReadonlyMap<string, string>, own?: RegExp): string[] {
  return [...left].flatMap(([name, text]) => [
    ...leaks(name, text),
    ...unseen(name, text),
    ...(name === 'what was printed' ? commands(name, text, own) : []),
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
