/** The corpus: recorded runs of real servers, with the accepted findings of each. */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync, gzipSync } from 'node:zlib';
import { judgeServer } from '../../../fixtures/quick.ts';
import type { ConformanceReport } from '../../../fixtures/report/model/report.ts';
import { writeReport } from '../../../fixtures/report/out/files.ts';
import { renderHar } from '../../../fixtures/target/recording/recorded.ts';
import { judgeRecording } from '../../../fixtures/report/run/verify.ts';
import { readRecording, type Recording } from '../../../fixtures/target/recording/read.ts';
import { properties } from '../../properties/index.ts';

const FOLDER = fileURLToPath(new URL('.', import.meta.url));

export const names = (): string[] =>
  readdirSync(FOLDER)
    .filter((name) => name.endsWith('.har.gz'))
    .map((name) => name.replace(/\.har\.gz$/, ''))
    .sort();

const recordingOf = (name: string): string => join(FOLDER, `${name}.har.gz`);
const findingsOf = (name: string): string => join(FOLDER, `${name}.txt`);

/** The accepted findings of a recording. */
export const accepted = (name: string): string =>
  existsSync(findingsOf(name)) ? readFileSync(findingsOf(name), 'utf8') : '';

export const accept = (name: string, findings: string): void => writeFileSync(findingsOf(name), findings);

export const readText = (name: string): string => gunzipSync(readFileSync(recordingOf(name))).toString('utf8');

const read = (name: string): Recording => readRecording(`${name}.har`, readText(name));

/** The findings of a recording, judged again, as text. */
export const listFindings = (name: string): string => findingsIn(judgeRecording(read(name), properties));

/** Writes the report of a recording into a folder, as a claim. */
export function claim(name: string, folder: string): void {
  const recording = read(name);
  const { run, exchanges, at } = recording;
  writeReport(judgeRecording(recording, properties), exchanges, { directory: folder, run, recordedAt: at });
}

/** Records a run, and accepts its findings. */
export async function record(name: string, env: Record<string, string>): Promise<void> {
  const { report, exchanges, recorded } = await judgeServer(properties, env);
  if (!recorded) throw new Error(report.sentence);
  writeFileSync(recordingOf(name), gzipSync(renderHar(report, exchanges, recorded.baseUrl, recorded), { level: 9 }));
  accept(name, listFindings(name));
}

function findingsIn({ sentence, problems, requirements, errors }: ConformanceReport): string {
  return [
    sentence,
    ...errors.map((error) => `error: ${error}`),
    ...problems.map((each) => `problem (${each.list}, ${each.harm}): ${each.title}: ${each.requirements.join(', ')}`),
    ...requirements
      .filter(({ list }) => list !== 'open')
      .map(({ id, outcome, reasons }) => `${outcome} ${id}${outcome === 'passed' ? '' : `: ${reasons.join(' | ')}`}`),
    '',
  ].join('\n');
}
