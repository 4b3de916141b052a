/** Judges a server of the proof in this process: its run, its recording, and the same requests as traffic of another tool. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { judgeServer } from '../../../fixtures/quick.ts';
import { judgeRun } from '../../../fixtures/report/model/judge-run.ts';
import type { ConformanceReport } from '../../../fixtures/report/model/report.ts';
import { renderRecording, RECORDING_FILE, REPORT } from '../../../fixtures/report/out/files.ts';
import { findDifferences } from '../../../fixtures/report/run/claim.ts';
import { judgeRecording } from '../../../fixtures/report/run/verify.ts';
import { computeDigest } from '../../../fixtures/target/recording/recorded.ts';
import { parseRecording } from '../../../fixtures/target/recording/read.ts';
import { convertTraffic } from '../../../fixtures/target/recording/traffic.ts';
import { factsOfTraffic } from '../../../fixtures/trace/store.ts';
import { summarize } from '../../../fixtures/report/model/outcomes.ts';
import { requirements } from '../../../fixtures/contract/requirements.ts';
import { suite } from '../../properties/index.ts';
import { judged, nameOf, type Proven, type Subject } from './judged.ts';
import { putUp } from './servers.ts';

const judge = suite;

/** @param keep the folder that gets the recording and the report. */
export async function prove(subject: Subject, keep?: string): Promise<Proven> {
  const { env, close } = await putUp(subject);
  const started = performance.now();
  const quick = await judgeServer(judge, { ...env, DEPTH: subject.at }).finally(close);
  const seconds = Math.round((performance.now() - started) / 100) / 10;
  const proven = judged(subject, quick.report);
  const baseUrl = env['BASE_URL'] ?? '';
  const text = [...renderRecording(quick.report, quick.exchanges, baseUrl, quick.recorded)].join('');
  if (keep !== undefined) keepRecording(join(keep, folderOf(subject)), text, quick.report);
  // Once for each server, since another depth would show nothing else of the file format.
  const isFirst = subject.at === 'standard' || ('depth' in subject && subject.depth === 'thorough');
  if (!quick.recorded || !isFirst) return { ...proven, seconds, foreign: [] };
  const verified = verify(text, quick.report);
  const foreign = judgeAsTraffic(text, baseUrl);
  return { ...proven, seconds, wrong: [...proven.wrong, ...verified], foreign };
}

/** The first difference between the report of a run and that of its recording, as `verify` judges it. */
function verify(text: string, report: ConformanceReport): string[] {
  const recording = parseRecording(RECORDING_FILE, text);
  const again = judgeRecording(recording, judge);
  const [first] = findDifferences({ ...report, recording: { digest: computeDigest(text) } }, recording, again);
  return first === undefined ? [] : [`its recording differs: ${first}`];
}

/** The gating and recommended requirements that a recording breaks if another tool made it. */
function judgeAsTraffic(text: string, baseUrl: string): string[] {
  const { entries } = (JSON.parse(text) as { log: { entries: unknown[] } }).log;
  const { exchanges } = convertTraffic(entries, baseUrl);
  const { tests, observed } = judgeRun(judge, exchanges, factsOfTraffic(baseUrl));
  const summary = summarize({ requirements, tests, level: 'must', errors: [], observed });
  return summary.requirements.filter(({ outcome }) => outcome === 'failed').map(({ id }) => id);
}

const folderOf = (subject: Subject): string => `${subject.kind}-${nameOf(subject).replaceAll(/\W+/g, '-')}`;

/** What `verify` and `judge` read. */
function keepRecording(folder: string, text: string, report: ConformanceReport): void {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, RECORDING_FILE), text);
  writeFileSync(join(folder, REPORT), `${JSON.stringify(report, null, 2)}\n`);
}
