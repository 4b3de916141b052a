/** The reports the pages are tried with: two real runs, of a good and of a bad implementation, and a huge one made up. */
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { requirements } from '../../../fixtures/contract/requirements.ts';
import { startReference } from '../../../fixtures/reference/main.ts';
import { type Decision } from '../../../fixtures/reference/limiter.ts';
import { type Problem, type Reply, Service, type Incoming } from '../../../fixtures/reference/service.ts';
import type { ConformanceReport } from '../../../fixtures/report/model.ts';
import type { Judged } from '../../../fixtures/report/outcomes.ts';
import { renderPage } from '../../../fixtures/report/page.ts';
import type { Exchange } from '../../../fixtures/target/exchange.ts';
import { exchange } from '../unit/make.ts';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));

/** A text that would break out of any place where it was not escaped, and that hides what it says. */
export const HOSTILE = `</script></style></pre><script>alert('in')</script><img src="https://outside.example/x" onerror=alert(1)>"'\`\${1}&amp;\u202e\u0000\ud800 -->`;

export interface Page {
  file: string;
  directory: string;
  report: ConformanceReport;
}

const read = (directory: string): Page => ({
  directory,
  file: join(directory, 'index.html'),
  report: JSON.parse(readFileSync(join(directory, 'conformance.json'), 'utf8')) as ConformanceReport,
});

/** Runs the suite as anybody would. */
async function run(env: Record<string, string>): Promise<Page> {
  const directory = mkdtempSync(join(tmpdir(), 'report-'));
  const cli = join(dirname(createRequire(import.meta.url).resolve('@playwright/test/package.json')), 'cli.js');
  const inherited = Object.entries(process.env).filter(([name]) => !/^(CONFORMANCE_|TEST_|PLAYWRIGHT_|PW)/.test(name));
  const child = spawn(
    process.execPath,
    [cli, 'test', '--reporter', './fixtures/report/reporter.ts', '--output', join(directory, 'results')],
    {
      cwd: ROOT,
      env: { ...Object.fromEntries(inherited), REPORT_DIR: directory, THROTTLING: 'off', ...env },
      stdio: 'ignore',
    },
  );
  await new Promise((resolve) => child.on('close', resolve));
  return read(directory);
}

/** A run against the reference implementation: nothing is wrong, and throttling is left out. */
export const goodPage = (): Promise<Page> => run({ TARGET: 'reference' });

/** The reference implementation with a few faults, and a hostile message in every error. */
class Faulty extends Service {
  override limitOfQuery(text: string | undefined): number {
    return text === undefined ? 20 : super.limitOfQuery(text) + 1;
  }

  override nameOfBody(body: Record<string, unknown>): string {
    return typeof body.name === 'boolean' ? String(body.name) : super.nameOfBody(body);
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

/** A run against an implementation with faults. */
export async function badPage(): Promise<Page & { key: string }> {
  const key = 'a-key-that-no-report-may-hold';
  const service = new Faulty({ keys: { [key]: 'business' }, windowMs: 60_000 });
  const server = await startReference({ service });
  try {
    return { ...(await run({ BASE_URL: server.baseUrl, API_KEY: key })), key };
  } finally {
    await server.close();
  }
}

/** 5,000 exchanges, long and hostile wherever a target could make them so, in a report where most is wrong. */
export function hugePage(): Page {
  const exchanges = Array.from({ length: 5000 }, (_, i): Exchange => {
    const { id } = requirements[i % requirements.length] as { id: Exchange['requirement'] & string };
    return {
      ...exchange({
        number: i + 1,
        operation: (['listPets', 'addPet', 'getPet', 'listOrders'] as const)[i % 4] ?? 'listPets',
        status: 400 + (i % 150),
        body: { text: HOSTILE.repeat(200) },
        headers: Object.fromEntries(Array.from({ length: 30 }, (_each, n) => [`X-Hostile-${n}`, HOSTILE.repeat(5)])),
        sent: JSON.stringify({ name: HOSTILE.repeat(10) }),
      }),
      requirement: id,
      findings: [
        { requirement: 'pet.schema', allowed: HOSTILE, received: `/name must be string ${HOSTILE.repeat(20)}` },
      ],
    };
  });
  const judged = requirements.map(({ id, level, section, statement, untestable }, i): Judged => {
    const outcome = untestable
      ? 'untested'
      : (['failed', 'cantTell', 'passed', 'failed', 'inapplicable'] as const)[i % 5];
    return {
      id,
      level,
      section,
      statement,
      outcome: outcome ?? 'failed',
      gating: level === 'must' && !untestable,
      ...(i % 15 === 0 && { waiver: { requirement: id, reason: HOSTILE, owner: HOSTILE, expires: '2030-01-01' } }),
      reasons: Array.from({ length: 20 }, (_, n) => `${n}: ${HOSTILE.repeat(50)}`),
      evidence: Array.from({ length: 50 }, (_, n) => i + 1 + n * requirements.length),
    };
  });
  const count = (outcome: string): number => judged.filter((requirement) => requirement.outcome === outcome).length;
  const report: ConformanceReport = {
    verdict: 'violates',
    sentence: `violates ${count('failed')} of ${judged.length} requirements`,
    target: `https://store.example/${HOSTILE}/v1`,
    contract: { title: 'Animal Store Service', version: '1.0.0' },
    suite: { version: '1.0.0' },
    counts: {
      passed: count('passed'),
      failed: count('failed'),
      cantTell: count('cantTell'),
      inapplicable: count('inapplicable'),
      untested: count('untested'),
      waived: 0,
    },
    errors: [HOSTILE.repeat(100)],
    requirements: judged,
    leftOut: [],
    waiverMistakes: [HOSTILE],
    observations: [{ id: 'open.orders', statement: HOSTILE, observed: HOSTILE.repeat(500) }],
    coverage: Array.from({ length: 100 }, (_, i) => ({
      operation: 'GET /pets',
      status: String(400 + i),
      responses: i,
      documented: i < 2,
    })),
    requests: { sent: 5000, byKey: { API_KEY: 5000 }, waitedSeconds: 1234 },
    exchanges: [],
    startedAt: '2026-01-01T00:00:00.000Z',
    durationMs: 3_723_000,
  };
  const directory = mkdtempSync(join(tmpdir(), 'report-'));
  const file = join(directory, 'index.html');
  writeFileSync(file, renderPage(report, exchanges, [['TARGET', HOSTILE]]));
  return { file, directory, report };
}
