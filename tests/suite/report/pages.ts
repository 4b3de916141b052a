/** The reports for the tests of the pages: real runs, and a huge one made up. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { LIST, operations } from '../../../fixtures/contract/contract.ts';
import { requirements } from '../../../fixtures/contract/requirements.ts';
import { difference } from '../../../fixtures/trace/finding.ts';
import { buildReport } from '../../../fixtures/report/model/build-report.ts';
import type { ConformanceReport } from '../../../fixtures/report/model/report.ts';
import type { TestOutcome } from '../../../fixtures/report/model/outcomes.ts';
import { renderPage } from '../../../fixtures/report/out/page.ts';
import type { RunInfo } from '../../../fixtures/settings/run.ts';
import type { Exchange } from '../../../fixtures/target/http/exchange.ts';
import { withPasses } from '../gate/given.ts';
import { type Change, defective, KEY, serve } from '../gate/serve.ts';
import { folder, REPORTER, suite } from '../gate/spawn.ts';
import { exchange } from '../unit/make.ts';

/** A text that breaks out if it is not escaped. */
export const HOSTILE = `</script></style></pre><script>alert('in')</script><img src="https://outside.example/x" onerror=alert(1)>"'\`\${1}&amp;\u202e\u0000\ud800 -->`;

export interface Page {
  file: string;
  report: ConformanceReport;
}

async function run(env: Record<string, string>, ...args: string[]): Promise<Page> {
  const { directory } = folder();
  const { report } = await suite(directory, env, REPORTER, ...args);
  return { file: join(directory, 'report/index.html'), report: report() };
}

export const goodPage = (): Promise<Page> => run({ TARGET: 'reference' });

/** A few faults, and a hostile message in every error. */
const spoil: Change = (service) => {
  defective('list.limit.caps/one-more', 'add.name.type/boolean-taken', 'rate.headers/no-reset')(service);
  service.presentError = ({ code, status }) => ({ code, message: HOSTILE, status: String(status) });
  service.listOrders = () => ({ status: 500, headers: {}, raw: HOSTILE });
};

async function faultyRun(more: Record<string, string>, ...args: string[]): Promise<Page> {
  const { env, close } = await serve({ service: spoil });
  return run({ ...env, ...more }, ...args).finally(close);
}

export const badPage = (): Promise<Page> => faultyRun({ IMPLEMENTATION: 'Faulty Store 0.9' });

export function waivedPage(): Promise<Page> {
  const file = join(folder().directory, 'waivers.yaml');
  writeFileSync(file, '- { requirement: orders.exists, reason: SHOP-12, owner: the shop team, expires: 2099-12-31 }\n');
  return faultyRun({ WAIVERS: file }, '--grep', '@orders.exists|@list.succeeds');
}

export const stoppedPage = (): Promise<Page> =>
  run({ BASE_URL: 'https://store.example/v1', API_KEY: KEY, PLAN: 'gold' });

/** The report of a run with these test outcomes. */
export function makeReport(
  tests: readonly TestOutcome[],
  exchanges: readonly Exchange[] = [],
  { errors = [], ...facts }: Partial<RunInfo> & { errors?: string[] } = {},
): ConformanceReport {
  return buildReport({
    run: {
      facts: {
        ...{ run: 'abc123', target: 'https://store.example/v1', level: 'must', require: 'partial', waivers: [] },
        ...{ settings: [], again: 'TARGET=store' },
        ...facts,
      },
    },
    judged: { outcomes: [...tests] },
    // That of the findings of `makeTest`, of 62 minutes.
    exchanges: exchanges.length > 0 ? exchanges : [{ ...exchange({ number: 7 }), ms: 3_723_000 }],
    errors,
  });
}

const JUDGED = requirements.filter(({ level, untestable }) => level !== 'open' && untestable === undefined);

/** Outcomes in which every other requirement passes. */
export const testsWith = (given: readonly TestOutcome[] = []): TestOutcome[] => withPasses(JUDGED, given);

/** A run with many violations and exchanges, long and hostile. */
export function hugeRun(count: number): [ConformanceReport, Exchange[]] {
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
  const more = {
    expected: HOSTILE,
    actual: HOSTILE.repeat(50),
    detail: HOSTILE,
    animal: { id: HOSTILE, name: HOSTILE },
  };
  const kinds = ['wrong header', 'changed value', 'schema violated'] as const;
  const differences = kinds.map((kind) => difference(kind, `/${HOSTILE}`, more));
  const outcomes = ['failed', 'cantTell', 'passed', 'failed', 'inapplicable'] as const;
  const tests = JUDGED.flatMap(({ id }, i): TestOutcome[] =>
    Array.from({ length: 30 }, (_, n) => {
      const numbers = [1 + ((i * 30 + n) % count), 2];
      const common = { requirement: id, operation: 'addPet', exchanges: numbers };
      const outcome = outcomes[i % 5] ?? 'failed';
      const finding = { ...common, sent: HOSTILE, differences: differences.slice(i % 3, (i % 3) + 1) };
      return {
        ...{ ...common, title: `${n}: ${HOSTILE}`, outcome },
        ...(outcome === 'failed'
          ? { findings: [finding], affected: numbers.slice(0, 1), judged: numbers }
          : { reason: HOSTILE.repeat(10) }),
      };
    }),
  );
  const report = makeReport(tests, exchanges, {
    target: `https://store.example/${HOSTILE}/v1`,
    waivers: [{ requirement: 'service.json', reason: HOSTILE, owner: HOSTILE, expires: '2099-01-01' }],
    settings: [['IMPLEMENTATION', HOSTILE]],
    ...{ implementation: HOSTILE, errors: [HOSTILE.repeat(100)] },
  });
  return [report, exchanges];
}

export function hugePage(): Page {
  const [run, file] = [hugeRun(10_000), join(folder().directory, 'index.html')];
  writeFileSync(file, renderPage(...run));
  return { file, report: run[0] };
}
