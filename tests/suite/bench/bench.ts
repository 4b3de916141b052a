/** `npm run bench [runs] [target]`: the cost of a run, beside an empty Playwright run. It alternates runs, and compares medians. */
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import * as change from '../../../fixtures/reference/defects/defect.ts';
import { startReference } from '../../../fixtures/reference/main.ts';
import { Service } from '../../../fixtures/reference/service.ts';
import { stockUp } from '../../../fixtures/reference/variants/index.ts';
import { cases } from '../../properties/index.ts';
import { CLI, folder, inherited, ROOT, start } from '../gate/spawn.ts';

interface Target {
  name: string;
  apply?: change.Apply;
  serve?: (server: FastifyInstance) => void;
  stock?: number;
  settings?: Readonly<Record<string, string>>;
}

const API_KEY = 'bench-business-key';
const never = async (): Promise<never> => new Promise<never>(() => {});

/** The first one conforms, and the others are compared with it. */
const targets = [
  { name: 'conforming' },
  { name: 'no authentication at all', apply: change.wrap('keyOf', () => () => API_KEY) },
  { name: '500 to everything', apply: change.changeReply({}, change.makeError(500)) },
  {
    name: 'POST hangs',
    apply: change.wrap(
      'finish',
      (finish) => (request, reply) => (change.is.add(request) ? never() : finish(request, reply)),
    ),
  },
  { name: 'nothing is ever answered', serve: (server) => void server.addHook('onRequest', never) },
  { name: 'a line of 150 ms', serve: (server) => void server.addHook('onRequest', async () => sleep(150)) },
  { name: '2,000 animals in the store', stock: 2000 },
  { name: 'DEPTH=thorough', settings: { DEPTH: 'thorough' } },
] as const satisfies readonly Target[];

const [runs = 5, only] = [Number(process.argv[2] ?? 5), process.argv[3]];
const { directory, remove } = folder();

interface Measured {
  seconds: number;
  /** Peak of the sum of resident memory over the process tree, in MB (shared pages counted twice). */
  peak: number;
  requests: number;
  verdict: string;
}

/** Resident memory of a process and its descendants, in MB. */
function memoryOf(pid: number): number {
  const rows = execFileSync('ps', ['-eo', 'pid=,ppid=,rss='], { encoding: 'utf8' }).matchAll(/(\d+) +(\d+) +(\d+)/g);
  const all = new Map(Array.from(rows, ([, id, parent, kB]) => [Number(id), [Number(parent), Number(kB)] as const]));
  const isBelow = (id = 0): boolean => id === pid || (id > 0 && isBelow(all.get(id)?.[0]));
  return [...all].reduce((sum, [id, [, kB]]) => sum + (isBelow(id) ? kB / 1024 : 0), 0);
}

/** Runs Playwright with all output in the folder. */
async function measure(args: string[], settings: Record<string, string> = {}) {
  const begun = performance.now();
  const env = { ...inherited(), REPORT_DIR: join(directory, 'report'), ...settings };
  const { child, ended } = start(process.execPath, [CLI, 'test', ...args], { env });
  let peak = 0;
  const timer = setInterval(() => (peak = Math.max(peak, memoryOf(child.pid ?? 0))), 100);
  const { report } = await ended;
  clearInterval(timer);
  return { seconds: (performance.now() - begun) / 1000, peak, report };
}

async function measureSuite({ apply, serve, stock = 0, settings }: Target): Promise<Measured> {
  const service = new Service({ keys: { [API_KEY]: 'business' }, windowMs: 60_000 });
  // Throttling is off, and no run waits for another one's window.
  service.limitOf = () => 100_000;
  apply?.(service);
  stockUp(service, stock);
  const { baseUrl, close } = await startReference({ service, ...(serve && { serve }) });
  const reporters = `${join(ROOT, 'tests/reporter.ts')},dot`;
  const env = { BASE_URL: baseUrl, API_KEY, THROTTLING: 'off', ...settings };
  const { report, ...measured } = await measure(['--output', join(directory, 'out'), '--reporter', reporters], env);
  await close();
  const { verdict, requests } = report();
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
remove();

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
