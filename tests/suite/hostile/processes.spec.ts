/** Runs of Playwright with every reporter, on a target that repeats hostile text and the key. */
import { join } from 'node:path';
import { expect } from '@playwright/test';
import { type Handle, ODD_KEY } from '../gate/serve.ts';
import { REPORTER, suite, test } from '../gate/spawn.ts';
import { everything, leaks } from './artefacts.ts';
import { words } from './faults/words.ts';
import { wrongInArtefacts } from './runs.ts';

/** Hostile text and the key in each way that a table has, after an ordinary beginning. */
const inEveryWay: Handle = (asked, ask) => {
  const own = words[asked.count % words.length]?.handle ?? ask;
  return asked.count <= 3 || asked.path.includes('store') ? ask() : own(asked, ask);
};

const OF_PLAYWRIGHT = 'list,html,json,junit,blob,github';
const FORMATS = [
  ...['results.json', 'results.xml', 'html/index.html', 'blob-report', 'report/conformance.json', 'page.md'],
  ...['› report.jsonl', 'index.html › packed 0 › report.json'],
];
/** The suite's own annotations are commands on purpose. */
const OWN = /^::(error|warning|notice) (title|file)=/;

const RUNS: [title: string, env: Record<string, string>, ...args: string[]][] = [
  ['with every reporter', {}, `${REPORTER},${OF_PLAYWRIGHT}`],
  [
    "with Playwright's public test, its messages, traces and debug output",
    { CONFORMANCE_PUBLIC_TEST: '1', DEBUG: '*' },
    // The suite's reporter comes last: tests fail by themselves.
    REPORTER.replace('=', `=${OF_PLAYWRIGHT},`),
    '--grep=@add.echo|@auth.missing|@service.json',
  ],
];
for (const [title, more, ...args] of RUNS)
  test(`hostile text and the key in every way, ${title}: no file has them`, async ({ directory, serving }) => {
    const { env, asked } = await serving({ key: ODD_KEY, handle: inEveryWay });
    const files = {
      PLAYWRIGHT_JSON_OUTPUT_FILE: join(directory, 'results.json'),
      PLAYWRIGHT_JUNIT_OUTPUT_FILE: join(directory, 'results.xml'),
      GITHUB_STEP_SUMMARY: join(directory, 'page.md'),
    };
    const given = { ...env, ...files, ...more, GITHUB_ACTIONS: 'true', MAX_WAIT: '20' };
    const { code, text, file } = await suite(directory, given, '--trace=on', ...args);
    expect(code, text).toBe(1);
    expect(asked.length).toBeLessThanOrEqual(130);
    const left = everything(directory).set('what was printed', text);
    const names = [...left.keys()].join('\n');
    for (const name of FORMATS) expect(names).toContain(name);
    expect([...left].flatMap(([name, text]) => leaks(name, text))).toEqual([]);
    expect(file('conformance.json')).toContain('$API_KEY');
    const written = everything(join(directory, 'report'));
    if (more.DEBUG) {
      expect(names).toContain('trace.zip › test.trace');
      expect(text).toMatch(/pw:.*\d+ failed/s);
    } else written.set('what was printed', text);
    expect(wrongInArtefacts(written, OWN)).toEqual([]);
  });
