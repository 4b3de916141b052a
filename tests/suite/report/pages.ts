/** The reports for the tests of the pages: real runs, and a huge one made up. */
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { LIST, operations } from '../../../fixtures/contract/contract.ts';
import { requirements } from '../../../fixtures/contract/requirements.ts';
import { startReference } from '../../../fixtures/reference/main.ts';
import { type Decision } from '../../../fixtures/reference/limiter.ts';
import { type Problem, type Reply, Service, type Incoming } from '../../../fixtures/reference/service.ts';
import { difference } from '../../../fixtures/trace/finding.ts';
import type { Finding, TestOutcome } from '../../../fixtures/report/model/test-outcome.ts';
import { buildReport } from '../../../fixtures/report/model/build-report.ts';
import type { ConformanceReport } from '../../../fixtures/report/model/report.ts';
import { renderPage } from '../../../fixtures/report/out/page.ts';
import type { RunInfo } from '../../../fixtures/settings/run.ts';
import type { Exchange } from '../../../fixtures/target/http/exchange.ts';
import { exchange } from '../unit/make.ts';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));

/** A text that breaks out if it is not escaped. */
export const HOSTILE = `</script></style></pre><script>alert('in')</script><img src="https://outside.example/x" onerror=alert(1)>"'\`\${1}&amp;\u202e\u0000\ud800 -->`;

export interface Page {
  file: string;
  directory: string;
  report: ConformanceReport;
  /** What rendering took, where it was measured. */
  milliseconds?: number;
}

const read = (directory: string): Page => ({
  directory,
  file: join(directory, 'index.html'),
  report: JSON.parse(readFileSync(join(directory, 'conformance.json'), 'utf8')) as ConformanceReport,
});

async function run(env: Record<string, string>, ...args: string[]): Promise<Page> {
  const directory = mkdtempSync(join(tmpdir(), 'report-'));
  const cli = join(dirname(createRequire(import.meta.url).resolve('@playwright/test/package.json')), 'cli.js');
  const inherited = Object.entries(process.env).filter(([name]) => !/^(CONFORMANCE_|TEST_|PLAYWRIGHT_|PW)/.test(name));
  const child = spawn(
    process.execPath,
    [cli, 'test', '--reporter', './tests/reporter.ts', '--output', join(directory, 'results'), ...args],
    {
      cwd: ROOT,
      env: { ...Object.fromEntries(inherited), REPORT_DIR: directory, THROTTLING: 'off', ...env },
      stdio: 'ignore',
    },
  );
  await new Promise((resolve) => child.on('close', resolve));
  return read(directory);
}

export const goodPage = (): Promise<Page> => run({ TARGET: 'reference' });

/** The reference with a few faults, and a hostile message in every error. */
class Faulty extends Service {
  override readLimit(text: string | undefined): number {
    return text === undefined ? 20 : super.readLimit(text) + 1;
  }

  override readName(body: Record<string, unknown>): string {
    return typeof body.name === 'boolean' ? String(body.name) : super.readName(body);
  }

  override rateHeaders(decision: Decision, request: Incoming): Record<string, string> {
    return { ...super.rateHeaders(decision, request), 'X-RateLimit-Reset': '' };
  }

  override presentError({ code, status }: Problem): unknown {
    return { code, message: HOSTILE, status: String(status) };
  }

  override listOrders(): Reply {
    return { status: 500, headers: {}, raw: HOSTILE };
  }
}

/** The key that must not be in any report. */
export const KEY = 'a-key-that-no-report-may-hold';

async function faultyRun(env: Record<string, string>, ...args: string[]): Promise<Page> {
  const service = new Faulty({ keys: { [KEY]: 'business' }, windowMs: 60_000 });
  const server = await startReference({ service });
  try {
    return await run({ BASE_URL: server.baseUrl, API_KEY: KEY, ...env }, ...args);
  } finally {
    await server.close();
  }
}

export const badPage = (): Promise<Page> => faultyRun({ IMPLEMENTATION: 'Faulty Store 0.9' });

export function waivedPage(): Promise<Page> {
  const file = join(mkdtempSync(join(tmpdir(), 'waivers-')), 'waivers.yaml');
  writeFileSync(file, '- { requirement: orders.exists, reason: SHOP-12, owner: the shop team, expires: 2099-12-31 }\n');
  return faultyRun({ WAIVERS: file }, '--grep', '@orders.exists|@list.succeeds');
}

export const stoppedPage = (): Promise<Page> => run({ TARGET: 'reference', PLAN: 'gold' });

/** The report of a run with these test outcomes. */
export function makeReport(
  tests: readonly TestOutcome[],
  exchanges: readonly Exchange[] = [],
  { errors = [], ...facts }: Partial<RunInfo> & { errors?: string[] } = {},
): ConformanceReport {
  return buildReport({
    facts: {
      run: 'abc123',
      target: 'https://store.example/v1',
      level: 'must',
      require: 'partial',
      waivers: [],
      settings: [],
      again: 'TARGET=store',
      ...facts,
    },
    tests,
    exchanges,
    errors,
    observed: new Map(),
    waitedSeconds: 0,
    startedAt: new Date('2026-01-01T00:00:00Z'),
    durationMs: 3_723_000,
  });
}

/** Outcomes in which every other requirement passes. */
export function testsWith(given: readonly TestOutcome[] = []): TestOutcome[] {
  const named = new Set(given.map(({ requirement }) => requirement));
  const passed = requirements
    .filter(({ id, level, untestable }) => level !== 'open' && untestable === undefined && !named.has(id))
    .map(({ id }) => ({ requirement: id, title: `${id} holds`, outcome: 'passed' as const, exchanges: [] }));
  return [...passed, ...given];
}

/** A finding with hostile text from the target. */
const hostileFinding = (requirement: Finding['requirement'], i: number, exchanges: number[]): Finding => ({
  requirement,
  operation: 'addPet',
  exchanges,
  differences: [
    difference(
      (['wrong header', 'changed value', 'schema violated'] as const)[i % 3] ?? 'wrong header',
      `/${HOSTILE}`,
      {
        expected: HOSTILE,
        actual: HOSTILE.repeat(50),
        detail: HOSTILE,
        animal: { id: HOSTILE, name: HOSTILE },
      },
    ),
  ],
});

/** A run with many violations and exchanges, long and hostile. */
export function hugeRun(count: number): { report: ConformanceReport; exchanges: Exchange[] } {
  const exchanges = Array.from({ length: count }, (_, i) =>
    exchange({
      number: i + 1,
      operation: (operations[i % operations.length] ?? LIST).id,
      status: 400 + (i % 150),
      body: { text: HOSTILE.repeat(i % 100 === 0 ? 200 : 2) },
      headers: Object.fromEntries(Array.from({ length: 10 }, (_each, n) => [`X-Hostile-${n}`, HOSTILE])),
      sent: JSON.stringify({ name: HOSTILE }),
    }),
  );
  const tests = requirements
    .filter(({ level, untestable }) => level !== 'open' && untestable === undefined)
    .flatMap(({ id }, i): TestOutcome[] =>
      Array.from({ length: 30 }, (_, n) => {
        const outcome = (['failed', 'cantTell', 'passed', 'failed', 'inapplicable'] as const)[i % 5] ?? 'failed';
        const numbers = [1 + ((i * 30 + n) % count), 2];
        return {
          requirement: id,
          operation: 'addPet',
          title: `${n}: ${HOSTILE}`,
          outcome,
          exchanges: numbers,
          ...(outcome === 'failed'
            ? { findings: [hostileFinding(id, i, numbers)], affected: numbers.slice(0, 1), judged: numbers }
            : { reason: HOSTILE.repeat(10) }),
        };
      }),
    );
  const waivers = [{ requirement: 'service.json', reason: HOSTILE, owner: HOSTILE, expires: '2099-01-01' }];
  const target = `https://store.example/${HOSTILE}/v1`;
  const settings: [string, string][] = [['IMPLEMENTATION', HOSTILE]];
  return {
    exchanges,
    report: makeReport(tests, exchanges, {
      target,
      waivers,
      settings,
      implementation: HOSTILE,
      errors: [HOSTILE.repeat(100)],
    }),
  };
}

export function hugePage(): Page {
  const { report, exchanges } = hugeRun(10_000);
  const began = Date.now();
  const text = renderPage(report, exchanges);
  const milliseconds = Date.now() - began;
  const directory = mkdtempSync(join(tmpdir(), 'report-'));
  const file = join(directory, 'index.html');
  writeFileSync(file, text);
  return { file, directory, report, milliseconds };
}
