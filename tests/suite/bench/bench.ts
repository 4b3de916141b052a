/** `npm run bench [runs] [target]`: the cost of a run, beside an empty Playwright run. It alternates runs, and compares medians. */
import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cases } from '../../properties/index.ts';
import { CLI, ROOT } from '../gate/spawn.ts';
import { putUp, type Target, targets } from './targets.ts';

const [runs = 5, only] = [Number(process.argv[2] ?? 5), process.argv[3]];
const directory = mkdtempSync(join(tmpdir(), 'bench-'));

interface Measured {
  seconds: number;
  /** Peak of the sum of resident memory over the process tree, in MB (shared pages counted twice). */
  peak: number;
  requests: number;
  verdict: string;
}

/** Resident memory of a process and its descendants, in MB; 0 if unknown. */
function memoryOf(pid: number): number {
  const read = (id: string, name: string): number => {
    try {
      return Number(new RegExp(`${name}:\\s+(\\d+)`).exec(readFileSync(`/proc/${id}/status`, 'utf8'))?.[1] ?? 0);
    } catch {
      return 0;
    }
  };
  if (process.platform !== 'linux') return 0;
  const parents = new Map(
    readdirSync('/proc').flatMap((id) => (/^\d+$/.test(id) ? [[Number(id), read(id, 'PPid')]] : [])),
  );
  const isBelow = (id = 0): boolean => id === pid || (id > 0 && isBelow(parents.get(id)));
  const own = [...parents.keys()].filter((id) => isBelow(id));
  return own.reduce((sum, id) => sum + read(String(id), 'VmRSS') / 1024, 0);
}

async function measure(args: string[], env: Record<string, string> = {}): Promise<Pick<Measured, 'seconds' | 'peak'>> {
  const started = performance.now();
  const child = spawn(process.execPath, [CLI, 'test', ...args], {
    cwd: ROOT,
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
  const reporters = `${join(ROOT, 'tests/reporter.ts')},dot`;
  const args = ['--output', join(directory, 'out'), '--reporter', reporters];
  const measured = await measure(args, { ...env, REPORT_DIR: join(directory, 'report') });
  await close();
  const text = readFileSync(join(directory, 'report/conformance.json'), 'utf8');
  const { verdict, requests } = JSON.parse(text) as { verdict: string; requests: { sent: number } };
  return { ...measured, verdict, requests: requests.sent };
}

/** An empty run has as many tests, which do nothing. */
function writeEmpty(): void {
  const playwright = createRequire(import.meta.url).resolve('@playwright/test');
  const test = `for (let i = 0; i < ${cases.length}; i += 1) playwright.test('empty ' + i, () => {});`;
  for (const [name, text] of [
    ['package.json', '{"type":"module"}'],
    ['empty.spec.ts', `import playwright from '${playwright}';\n${test}\n`],
    ['playwright.config.ts', `export default { workers: 1, reporter: 'dot', outputDir: './out-empty' };\n`],
  ] as const)
    writeFileSync(join(directory, name), text);
}

const median = (values: number[]): number => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;

writeEmpty();
const chosen = targets.filter(({ name }, i) => i === 0 || only === undefined || name.includes(only));
const all = new Map<string, Measured[]>(['an empty run', ...chosen.map(({ name }) => name)].map((name) => [name, []]));
await measureSuite(targets[0]);
for (let i = 0; i < runs; i += 1)
  for (const target of chosen) {
    all.get(target.name)?.push(await measureSuite(target));
    all.get('an empty run')?.push({ ...(await measure(['-c', directory])), requests: 0, verdict: '' });
  }
rmSync(directory, { recursive: true });

const secondsOf = (name: string): number => median((all.get(name) ?? []).map(({ seconds }) => seconds));
console.log(`Medians of ${runs} runs. The empty run has as many tests, ${cases.length}, that do nothing.\n`);
const head = ['target', 'seconds', 'beside the conforming one', 'beside an empty run', 'requests', 'peak memory'];
console.log(`| ${[...head, 'verdict'].join(' | ')} |\n| --- | ---: | ---: | ---: | ---: | ---: | --- |`);
for (const [name, measured] of all) {
  const seconds = secondsOf(name);
  const ratios = [targets[0].name, 'an empty run'].map((other) => (seconds / secondsOf(other)).toFixed(2));
  const peak = `${Math.round(median(measured.map((each) => each.peak)))} MB`;
  console.log(
    `| ${[name, seconds.toFixed(2), ...ratios, measured[0]?.requests, peak, measured[0]?.verdict].join(' | ')} |`,
  );
}
