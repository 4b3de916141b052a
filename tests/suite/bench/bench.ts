/** `npm run bench [runs] [target]`: the cost of a run, beside an empty Playwright run. It alternates runs, and compares medians. */
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { cases } from '../../properties/index.ts';
import { takenBelow } from '../gate/memory.ts';
import { putUp, type Target, targets } from './targets.ts';

const runs = Number(process.argv[2] ?? 5);
const only = process.argv[3];
const root = fileURLToPath(new URL('../../..', import.meta.url));
const cli = join(root, 'node_modules/@playwright/test/cli.js');
const directory = mkdtempSync(join(tmpdir(), 'bench-'));

interface Measured {
  seconds: number;
  /** Peak of the sum of resident memory over the process tree, in MB (shared pages counted twice). */
  peak: number;
  requests: number;
  verdict: string;
}

interface Report {
  verdict: string;
  requests: { sent: number };
}

/** Resident memory of a process and its descendants, in MB; 0 if unknown. */
const memoryOf = (pid: number): number => takenBelow(pid).reduce((sum, { resident }) => sum + resident, 0);

async function measure(args: string[], env: Record<string, string> = {}): Promise<Pick<Measured, 'seconds' | 'peak'>> {
  const started = performance.now();
  const child = spawn(process.execPath, [cli, 'test', ...args], {
    cwd: root,
    env: { ...process.env, CI: '', TARGET: '', ...env },
    stdio: 'ignore',
  });
  let peak = 0;
  const timer = setInterval(() => (peak = Math.max(peak, memoryOf(child.pid ?? 0))), 100);
  await new Promise((resolve) => child.on('exit', resolve));
  clearInterval(timer);
  return { seconds: (performance.now() - started) / 1000, peak };
}

async function measureSuite(target: Target): Promise<Measured> {
  const { env, close } = await putUp(target);
  const report = join(directory, 'report');
  const reporters = `${join(root, 'tests/reporter.ts')},dot`;
  const args = ['--output', join(directory, 'out'), '--reporter', reporters];
  const measured = await measure(args, { ...env, REPORT_DIR: report });
  await close();
  const { verdict, requests } = JSON.parse(readFileSync(join(report, 'conformance.json'), 'utf8')) as Report;
  return { ...measured, verdict, requests: requests.sent };
}

function writeEmpty(count: number): void {
  const playwright = createRequire(import.meta.url).resolve('@playwright/test');
  writeFileSync(join(directory, 'package.json'), '{"type":"module"}');
  writeFileSync(
    join(directory, 'empty.spec.ts'),
    `import playwright from '${playwright}';\nfor (let i = 0; i < ${count}; i += 1) playwright.test('empty ' + i, () => {});\n`,
  );
  writeFileSync(
    join(directory, 'playwright.config.ts'),
    `export default { workers: 1, reporter: 'dot', outputDir: './out-empty' };\n`,
  );
}

const median = (values: number[]): number => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;

/** The tests of a run. */
const count = cases.length;
writeEmpty(count);
const chosen: readonly Target[] = targets.filter(({ name }, i) => i === 0 || only === undefined || name.includes(only));
const all = new Map<Target, Measured[]>(chosen.map((target) => [target, []]));
const empty: Pick<Measured, 'seconds' | 'peak'>[] = [];
await measureSuite(targets[0]);
for (let i = 0; i < runs; i += 1) {
  for (const target of chosen) {
    all.get(target)?.push(await measureSuite(target));
    empty.push(await measure(['-c', directory]));
  }
}
rmSync(directory, { recursive: true });

const bare = median(empty.map(({ seconds }) => seconds));
const conforming = median((all.get(targets[0]) ?? []).map(({ seconds }) => seconds));
console.log(`Medians of ${runs} runs. The empty run has as many tests, ${count}, that do nothing.\n`);
console.log(
  '| target | seconds | beside the conforming one | beside an empty run | requests | peak memory | verdict |',
);
console.log('| --- | ---: | ---: | ---: | ---: | ---: | --- |');
const rows: [
  name: string,
  measured: readonly Pick<Measured, 'seconds' | 'peak'>[],
  requests: number,
  verdict: string,
][] = [
  ['an empty run', empty, 0, ''],
  ...[...all].map(([{ name }, measured]): (typeof rows)[number] => {
    const [first] = measured;
    return [name, measured, first?.requests ?? 0, first?.verdict ?? ''];
  }),
];
for (const [name, measured, requests, verdict] of rows) {
  const seconds = median(measured.map((each) => each.seconds));
  const cells = [
    name,
    seconds.toFixed(2),
    (seconds / conforming).toFixed(2),
    (seconds / bare).toFixed(2),
    String(requests),
    `${Math.round(median(measured.map(({ peak }) => peak)))} MB`,
    verdict,
  ];
  console.log(`| ${cells.join(' | ')} |`);
}
