/**
 * Runs `judge` on the recordings of `npm run proof -- --keep=FOLDER`:
 *
 *     npx tsx tests/suite/proof/traffic.ts FOLDER
 *
 * It prints the defects that it finds, and the variants that it accuses: none are allowed.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { captured, loadSuite, runHere } from '../runner/in-process.ts';

interface Report {
  verdict: string;
  requirements: { id: string; outcome: string; list: string }[];
}

async function judged(folder: string, reports: string): Promise<Report> {
  const file = join(folder, 'exchanges.har');
  const { log } = JSON.parse(readFileSync(file, 'utf8')) as { log: { _run: { baseUrl: string } } };
  const own = { CONFORMANCE_TRAFFIC: log._run.baseUrl, CONFORMANCE_RECORDING: file, REPORT_DIR: reports };
  Object.assign(process.env, own);
  const { error } = await captured(() => runHere());
  if (error) throw error;
  return JSON.parse(readFileSync(join(reports, 'conformance.json'), 'utf8')) as Report;
}

async function main([from = '']: string[]): Promise<void> {
  // Tests of traffic exist only while traffic is judged.
  process.env.CONFORMANCE_TRAFFIC = 'http://127.0.0.1/v1';
  await loadSuite((file) => /after\/(universal|traffic)\.spec/.test(file));
  const reports = mkdtempSync(join(tmpdir(), 'traffic-'));
  const counts = { defect: { red: 0, of: 0 }, escape: { red: 0, of: 0 }, variant: { red: 0, of: 0 } };
  const started = Date.now();
  for (const name of readdirSync(from).sort()) {
    const kind = name.split('-')[0] as keyof typeof counts;
    const { requirements } = await judged(join(from, name), reports);
    // A recommendation that a variant does not follow is not an accusation.
    const lists = kind === 'variant' ? ['gates'] : ['gates', 'advice'];
    const failed = requirements.filter(({ outcome, list }) => outcome === 'failed' && lists.includes(list));
    counts[kind].of += 1;
    if (failed.length > 0) counts[kind].red += 1;
    console.log(`${name}: ${failed.map(({ id }) => id).join(', ') || 'nothing'}`);
  }
  rmSync(reports, { recursive: true, force: true });
  const { defect, escape, variant } = counts;
  console.log(
    `${defect.red} of ${defect.of} defects and ${escape.red} of ${escape.of} escapes found, ${variant.red} of ${variant.of} variants accused, in ${Math.round((Date.now() - started) / 1000)} s`,
  );
  process.exitCode = variant.red > 0 ? 1 : 0;
}

await main(process.argv.slice(2));
