/** Replaces Playwright's runner, so that one process runs the suite on many servers. The proof compares both. */
import { fileURLToPath } from 'node:url';
import { expect as playwrightExpect, type TestDetails, type TestInfo } from '@playwright/test';
import type { FullConfig, Suite, TestCase, TestResult } from '@playwright/test/reporter';
import { handOverSelection } from '../../../fixtures/settings/run.ts';

const REPORTER = fileURLToPath(new URL('../../../fixtures/report/reporter.ts', import.meta.url));

type Body = (fixtures: Record<string, unknown>, info: TestInfo) => unknown;
type Fixture = (fixtures: Record<string, unknown>, use: (value?: unknown) => Promise<void>, info: TestInfo) => unknown;
type Fixtures = Record<string, Fixture | [Fixture, { scope?: 'worker'; auto?: boolean }]>;

interface Registered {
  title: string;
  titles: string[];
  annotations: { type: string; description?: string }[];
  body: Body;
  before: Body[];
  fixtures: Fixtures;
}

/** What a skip throws, as in Playwright. */
class Skipped extends Error {}

const registered: Registered[] = [];
let place: { titles: string[]; before: Body[] } = { titles: [], before: [] };
let current: TestInfo | undefined;

function within(next: Partial<typeof place>, work: () => void): void {
  const outer = place;
  place = { ...place, before: [...place.before], ...next };
  work();
  place = outer;
}

function testWith(fixtures: Fixtures) {
  const test = (title: string, details: TestDetails | Body, body?: Body): void => {
    const { annotation = [] } = typeof details === 'function' ? {} : details;
    registered.push({
      title,
      titles: [...place.titles, title],
      annotations: [annotation].flat() as Registered['annotations'],
      body: typeof details === 'function' ? details : (body as Body),
      before: place.before,
      fixtures,
    });
  };
  const describe = Object.assign(
    (title: string, work: () => void) => within({ titles: [...place.titles, title] }, work),
    { configure: () => {} },
  );
  return Object.assign(test, {
    describe,
    beforeEach: (hook: Body) => void place.before.push(hook),
    step: (_title: string, work: () => unknown) => work(),
    extend: (more: Fixtures) => testWith({ ...fixtures, ...more }),
    info: (): TestInfo => {
      if (!current) throw new Error('no test is running');
      return current;
    },
  });
}

export const expect = playwrightExpect;
export const _baseTest = testWith({});
export const test = _baseTest;

/** Loads test files; what they register runs in `runAll`. */
export async function loadTests(files: readonly string[]): Promise<void> {
  for (const file of files) {
    place = { titles: [file], before: [] };
    await import(file);
  }
}

/** The fixtures of a function, from its first parameter. */
function wanted(body: Body | Fixture): string[] {
  const names = /^[^(]*\(\s*\{([^}]*)\}/.exec(body.toString())?.[1] ?? '';
  return names.split(',').flatMap((name) => name.split(':')[0]?.trim() || []);
}

class Scope {
  readonly values = new Map<string, unknown>();
  readonly #ends: (() => Promise<void>)[] = [];
  constructor(private readonly outer?: Scope) {}

  async setUp(name: string, fixtures: Fixtures, info: TestInfo): Promise<void> {
    const own = fixtures[name];
    if (own === undefined) throw new Error(`unknown fixture ${name}`);
    const [fixture, options] = Array.isArray(own) ? own : [own, {}];
    if (options.scope === 'worker' && this.outer) return this.outer.setUp(name, fixtures, info);
    if (this.values.has(name)) return;
    const given = await this.all(wanted(fixture), fixtures, info);
    let end = (): void => {};
    const ended = new Promise<void>((resolve) => (end = resolve));
    await new Promise<void>((resolve, reject) => {
      const use = async (value?: unknown): Promise<void> => {
        this.values.set(name, value);
        resolve();
        await ended;
      };
      const running = Promise.resolve(fixture(given, use, info));
      running.catch(reject);
      this.#ends.push(async () => {
        end();
        await running;
      });
    });
  }

  async all(names: readonly string[], fixtures: Fixtures, info: TestInfo): Promise<Record<string, unknown>> {
    for (const name of names) await this.setUp(name, fixtures, info);
    return Object.fromEntries(names.map((name) => [name, this.values.get(name) ?? this.outer?.values.get(name)]));
  }

  async takeDown(): Promise<void> {
    for (const end of this.#ends.splice(0).reverse()) await end();
  }
}

interface Listener {
  onBegin: (config: FullConfig, suite: Suite) => void;
  onTestEnd: (test: TestCase, result: TestResult) => void;
}

/** Runs registered tests once, in order. @param only the requirement to run; by default all. */
export async function runAll(reporter: Listener, only?: string): Promise<void> {
  const chosen = registered.filter(({ annotations }) => only === undefined || judges(annotations, only));
  const cases = chosen.map((each) => ({
    title: each.title,
    annotations: each.annotations,
    titlePath: () => ['', '', ...each.titles],
    location: { file: each.titles[0], line: 1, column: 1 },
  })) as unknown as TestCase[];
  const config = { configFile: 'playwright.config.ts', reporter: [[REPORTER]] as unknown } as FullConfig;
  reporter.onBegin(config, { allTests: () => cases } as Suite);
  // As the reporter does for a selection of tests.
  if (only !== undefined) handOverSelection([only]);
  const worker = new Scope();
  for (const [index, each] of chosen.entries())
    reporter.onTestEnd(cases[index] as TestCase, await runOne(each, worker));
  await worker.takeDown();
}

const judges = (annotations: Registered['annotations'], requirement: string): boolean =>
  annotations.some(({ type, description }) => type === 'requirement' && description === requirement);

async function runOne(
  { title, titles, annotations, body, before, fixtures }: Registered,
  worker: Scope,
): Promise<TestResult> {
  const info = {
    title,
    annotations: [...annotations],
    attachments: [],
    errors: [] as { message: string }[],
    status: 'passed',
    expectedStatus: 'passed',
    timeout: 60_000,
    setTimeout: () => {},
    skip: (condition: boolean, reason: string) => {
      if (condition) throw new Skipped(reason);
    },
    config: { shard: null },
    file: titles[0] ?? '',
  };
  current = info as unknown as TestInfo;
  const scope = new Scope(worker);
  const attempt = async (work: () => Promise<unknown>): Promise<void> => {
    try {
      await work();
    } catch (error) {
      if (error instanceof Skipped) info.status = 'skipped';
      else {
        const { name, message } = error as Error;
        info.errors.push({ message: `${name}: ${message}` });
        info.status = 'failed';
      }
    }
  };
  const automatic = Object.entries(fixtures).flatMap(([name, own]) => (Array.isArray(own) && own[1].auto ? name : []));
  await attempt(async () => {
    await scope.all(automatic, fixtures, current as TestInfo);
    for (const each of [...before, body])
      await each(await scope.all(wanted(each), fixtures, current as TestInfo), current as TestInfo);
  });
  await attempt(() => scope.takeDown());
  current = undefined;
  return { ...info, error: info.errors[0], duration: 0 } as unknown as TestResult;
}
