/**
 * `npm run bench`: the suite on the embedded reference beside an empty Playwright run with as many tests, on the public
 * `test`; the two alternate, and medians are compared, because a machine is not equally fast all the time.
 * Throttling is off: its waits are the target's, not the suite's.
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const runs = Number(process.argv[2] ?? 5);
const root = new URL('../../..', import.meta.url).pathname;
const cli = join(root, 'node_modules/@playwright/test/cli.js');
const directory = mkdtempSync(join(tmpdir(), 'bench-'));

interface Measured {
  seconds: number;
  /** Peak of the sum of resident memory over the process tree, in MB (shared pages counted twice). */
  peak: number;
  output: string;
}

/** Resident memory of a process and its descendants, in MB; 0 where the system does not tell. */
function memoryOf(pid: number): number {
  try {
    const parents = new Map<number, number>();
    const resident = new Map<number, number>();
    for (const name of readdirSync('/proc').filter((entry) => /^\d+$/.test(entry))) {
      const status = readFileSync(`/proc/${name}/status`, 'utf8');
      parents.set(Number(name), Number(/PPid:\s+(\d+)/.exec(status)?.[1]));
      resident.set(Number(name), Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0));
    }
    const isBelow = (id: number | undefined): boolean => id !== undefined && (id === pid || isBelow(parents.get(id)));
    return [...resident].filter(([id]) => isBelow(id)).reduce((sum, [, kb]) => sum + kb, 0) / 1024;
  } catch {
    return 0;
  }
}

async function measure(args: string[], env: Record<string, string> = {}): Promise<Measured> {
  const started = performance.now();
  const child = spawn(process.execPath, [cli, 'test', ...args], {
    cwd: root,
    env: { ...process.env, CI: '', BASE_URL: '', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  let peak = 0;
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const timer = setInterval(() => (peak = Math.max(peak, memoryOf(child.pid ?? 0))), 100);
  await new Promise((resolve) => child.on('exit', resolve));
  clearInterval(timer);
  return { seconds: (performance.now() - started) / 1000, peak, output };
}

const suite = () =>
  measure(['--output', join(directory, 'out'), '--reporter', `dot,${join(root, 'fixtures/report/reporter.ts')}`], {
    TARGET: 'reference',
    THROTTLING: 'off',
    REPORT_DIR: join(directory, 'report'),
  });

const median = (values: number[]): number => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;

const first = await suite();
const count = [...first.output.matchAll(/(\d+) (?:passed|skipped|failed)/g)].reduce(
  (sum, match) => sum + Number(match[1]),
  0,
);
const requests = /(\d+) requests sent/.exec(first.output)?.[1] ?? '?';

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
const empty = () => measure(['-c', directory]);
await empty();

const own: Measured[] = [];
const bare: Measured[] = [];
for (let i = 0; i < runs; i += 1) {
  own.push(await suite());
  bare.push(await empty());
}
rmSync(directory, { recursive: true });
const wall = [median(own.map((run) => run.seconds)), median(bare.map((run) => run.seconds))] as const;
const ratios = own.map((run, i) => run.seconds / (bare[i]?.seconds ?? NaN));
console.log(
  `the suite            ${wall[0].toFixed(2)} s, ${count} tests, ${requests} requests, ${Math.round(median(own.map((run) => run.peak)))} MB at the peak`,
);
console.log(
  `an empty run         ${wall[1].toFixed(2)} s, ${count} tests on Playwright's public test, ${Math.round(median(bare.map((run) => run.peak)))} MB at the peak`,
);
console.log(`ratio of wall time   ${median(ratios).toFixed(2)} (median of ${runs} pairs)`);
