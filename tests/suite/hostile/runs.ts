/** Runs the suite against a fault, and lists what does not hold. */
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { requirements, type RequirementId } from '../../../fixtures/contract/requirements.ts';
import type { ConformanceReport } from '../../../fixtures/report/model/report.ts';
import { unset } from '../gate/spawn.ts';
import { commands, everything, leaks, findMistakes, unseen } from './artefacts.ts';
import type { Done } from '../runner/child.ts';
import type { Runner } from '../runner/process.ts';
import { type Fault, MEGABYTES, REQUESTS, SECONDS } from './fault.ts';
import { KEY, misbehaving, type Target, TRIAL } from './server.ts';

const MOST_TOLD = 6;

/** @returns one sentence for each expectation that does not hold. */
export async function wrongWith(fault: Fault, runner: Runner): Promise<string[]> {
  const { wrong, megabytes } = await runAgainst(fault, runner);
  if (megabytes <= MEGABYTES) return wrong;
  // Other processes delay garbage collection, so the lower of two measurements counts.
  runner.end();
  const again = await runAgainst(fault, runner);
  return again.megabytes <= MEGABYTES
    ? again.wrong
    : [...again.wrong, `it took ${megabytes} MB, then ${again.megabytes}, and ${MEGABYTES} are the most`];
}

async function runAgainst(fault: Fault, runner: Runner): Promise<{ wrong: string[]; megabytes: number }> {
  const target = await misbehaving(fault);
  const directory = mkdtempSync(join(tmpdir(), 'hostile-'));
  const { seconds = SECONDS } = fault;
  try {
    const env = {
      ...unset(),
      ...{ BASE_URL: target.baseUrl, API_KEY: KEY, THROTTLE_API_KEY: TRIAL.key },
      // Untested requirements keep a run from conforming; a fault may have a limit that is not a plan's.
      PLAN: fault.verdict === 'conforms' ? 'business' : '',
      ...{ THROTTLING: 'off', MAX_WAIT: '20', REPORT_DIR: directory },
      ...fault.env,
    };
    const done = await runner.run({ env }, seconds);
    // Other processes may slow down a working run.
    const took = fault.waits ? done.took : done.worked;
    const wrong = [
      ...wrongInReport(fault, directory, done),
      ...wrongAtTarget(fault, target),
      ...wrongInArtefacts(everything(directory).set('what was printed', done.text)),
      ...(took > seconds ? [`it took ${Math.round(took)} s, and ${seconds} are the most`] : []),
    ];
    return { wrong, megabytes: done.megabytes };
  } finally {
    target.close();
    rmSync(directory, { recursive: true, force: true });
  }
}

function wrongInReport(
  { verdict, breaks = [], also = [], cause, env }: Fault,
  directory: string,
  { text }: Done,
): string[] {
  const file = join(directory, 'conformance.json');
  if (!existsSync(file)) return [`there is no report: ${text.trim().split('\n').slice(-8).join(' | ')}`];
  const report = JSON.parse(readFileSync(file, 'utf8')) as ConformanceReport;
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
  const printed = report.verdict === 'error' ? text.trim().split('\n').slice(-MOST_TOLD) : [];
  const detail = [report.sentence, ...report.errors, ...why, ...printed].join('\n    ');
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
