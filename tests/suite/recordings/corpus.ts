/** The corpus: recorded runs of real servers, with the accepted findings of each. */
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync, gzipSync } from 'node:zlib';
import type { ConformanceReport } from '../../../fixtures/report/model/report.ts';
import { unset } from '../gate/spawn.ts';
import type { Runner } from '../runner/process.ts';

const FOLDER = fileURLToPath(new URL('.', import.meta.url));
const SECONDS = 120;

export const names = (): string[] =>
  readdirSync(FOLDER)
    .filter((name) => name.endsWith('.har.gz'))
    .map((name) => name.replace(/\.har\.gz$/, ''))
    .sort();

const recordingOf = (name: string): string => join(FOLDER, `${name}.har.gz`);
const listFindings = (name: string): string => join(FOLDER, `${name}.txt`);

/** The accepted findings of a recording. */
export const accepted = (name: string): string =>
  existsSync(listFindings(name)) ? readFileSync(listFindings(name), 'utf8') : '';

export const accept = (name: string, findings: string): void => writeFileSync(listFindings(name), findings);

/** Judges a recording offline. @returns the findings as text. */
export async function judgeRecording(name: string, runner: Runner): Promise<string> {
  return inFolder(async (directory) => {
    const recording = join(directory, 'exchanges.har');
    writeFileSync(recording, gunzipSync(readFileSync(recordingOf(name))));
    const report = await run({ CONFORMANCE_RECORDING: recording }, directory, runner);
    return findingsIn(report);
  });
}

/** Writes the report of a recording into a folder, as a claim. */
export async function claim(name: string, folder: string, runner: Runner): Promise<void> {
  await inFolder(async (directory) => {
    const recording = join(directory, 'exchanges.har');
    writeFileSync(recording, gunzipSync(readFileSync(recordingOf(name))));
    await run({ CONFORMANCE_RECORDING: recording }, directory, runner);
    cpSync(join(directory, 'report'), folder, { recursive: true });
  });
}

/** The report of a recording, judged offline. */
export const judgeAgain = (recording: string, runner: Runner): Promise<ConformanceReport> =>
  inFolder((directory) => run({ CONFORMANCE_RECORDING: recording }, directory, runner));

/** Records a run, and accepts its findings. */
export async function record(name: string, env: Record<string, string>, runner: Runner): Promise<void> {
  await inFolder(async (directory) => {
    const report = await run({ CONFORMANCE_RECORDING: '', ...env }, directory, runner);
    writeFileSync(recordingOf(name), gzipSync(readFileSync(join(directory, 'report', 'exchanges.har')), { level: 9 }));
    accept(name, findingsIn(report));
  });
}

async function run(env: Record<string, string>, directory: string, runner: Runner): Promise<ConformanceReport> {
  const reports = join(directory, 'report');
  const { text } = await runner.run({ env: { ...unset(), ...env, REPORT_DIR: reports } }, SECONDS);
  const file = join(reports, 'conformance.json');
  if (!existsSync(file)) throw new Error(`there is no report:\n${text}`);
  return JSON.parse(readFileSync(file, 'utf8')) as ConformanceReport;
}

async function inFolder<T>(work: (directory: string) => Promise<T>): Promise<T> {
  const directory = mkdtempSync(join(tmpdir(), 'recording-'));
  try {
    return await work(directory);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

function findingsIn({ sentence, problems, requirements, errors }: ConformanceReport): string {
  return [
    sentence,
    ...errors.map((error) => `error: ${error}`),
    ...problems.map(
      ({ list, harm, title, requirements: ids }) => `problem (${list}, ${harm}): ${title}: ${ids.join(', ')}`,
    ),
    ...requirements
      .filter(({ list }) => list !== 'open')
      .map(({ id, outcome, reasons }) => `${outcome} ${id}${outcome === 'passed' ? '' : `: ${reasons.join(' | ')}`}`),
    '',
  ].join('\n');
}
