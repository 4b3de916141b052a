/** Comparing runs and implementations: what counts as worse, the exit codes, the tables and the pages. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { requirements } from '../../../fixtures/contract/requirements.ts';
import {
  type Comparable,
  compare,
  comparePage,
  compareTable,
  isWorse,
  manyPage,
  manyTable,
  rowsOf,
  sentenceOf,
} from '../../../fixtures/report/compare.ts';
import type { Judged } from '../../../fixtures/report/outcomes.ts';
import { test as unit } from '../unit/make.ts';
import { expect, test, violationsOf } from './browser.ts';
import { HOSTILE } from './pages.ts';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const waiver = { requirement: 'list.limit.caps', reason: 'known', owner: 'us', expires: '2030-01-01' } as const;

/** A report in which everything passed, but what is given. */
function report(outcomes: Record<string, Partial<Judged>> = {}, observed: Record<string, string> = {}): Comparable {
  return {
    verdict: 'conforms',
    target: 'https://store.example/v1',
    requirements: requirements.map(({ id, level, section, statement }) => ({
      ...{ id, level, section, statement },
      list: level === 'open' ? 'open' : level === 'must' ? 'gates' : 'advice',
      outcome: level === 'open' ? 'inapplicable' : 'passed',
      gating: level === 'must',
      reasons: [],
      evidence: [],
      cases: [],
      ...outcomes[id],
    })),
    observations: Object.entries(observed).map(([id, value]) => ({ id, statement: `${id}.`, observed: value })),
  };
}

const only = (outcome: Judged['outcome'], more: Partial<Judged> = {}): Comparable =>
  report({ 'list.limit.caps': { outcome, ...more } });
const absent = (): Comparable => ({
  ...report(),
  requirements: report().requirements.filter(({ id }) => id !== 'list.limit.caps'),
});

const changes = [
  ['worse', 'passed', 'failed', only('passed'), only('failed')],
  ['worse', 'passed', 'failed under a waiver', only('passed'), only('failed', { waiver })],
  ['worse', 'passed', 'cantTell', only('passed'), only('cantTell')],
  ['worse', 'untested', 'failed', only('untested'), only('failed')],
  ['worse', 'cantTell', 'failed', only('cantTell'), only('failed')],
  ['worse', 'not there before', 'failed', absent(), only('failed')],
  ['worse', 'waived', 'failed', only('failed', { waiver }), only('failed')],
  ['better', 'failed', 'passed', only('failed'), only('passed')],
  ['better', 'cantTell', 'passed', only('cantTell'), only('passed')],
  ['better', 'waived', 'passed', only('failed', { waiver }), only('passed')],
  ['untested', 'passed', 'untested', only('passed'), only('untested')],
  ['untested', 'failed', 'untested', only('failed'), only('untested')],
  ['untested', 'passed', 'no longer there', only('passed'), absent()],
  ['changed', 'failed', 'waived', only('failed'), only('failed', { waiver })],
  ['changed', 'untested', 'passed', only('untested'), only('passed')],
  ['changed', 'passed', 'inapplicable', only('passed'), only('inapplicable')],
  ['changed', 'not there before', 'passed', absent(), only('passed')],
] as const satisfies readonly (readonly [string, string, string, Comparable, Comparable])[];

for (const [kind, was, is, before, after] of changes)
  unit(`${was} → ${is}: ${kind}`, () => {
    const { worse, better, untested, changed } = compare(before, after);
    expect({ worse, better, untested, changed }[kind].map(({ id }) => id)).toEqual(['list.limit.caps']);
    expect([...worse, ...better, ...untested, ...changed]).toHaveLength(1);
  });

const gates = [
  ['a requirement that fails', only('failed'), true],
  ['a requirement that cannot be told', only('cantTell'), true],
  ['advice that is not followed', report({ 'add.location': { outcome: 'failed' } }), false],
  ['a violation under a waiver', only('failed', { waiver }), false],
  ['what was not tested this time', only('untested'), false],
  ['what is no longer there', absent(), false],
  ['what does not apply', only('inapplicable'), false],
  ['a run whose suite is broken', { ...report(), verdict: 'error' }, true],
] as const satisfies readonly (readonly [string, Comparable, boolean])[];

for (const [title, after, stops] of gates)
  unit(`${title} ${stops ? 'stops' : 'does not stop'} a pipeline`, () => {
    expect(isWorse(compare(report(), after))).toBe(stops);
  });

unit('the sentence tells what gates from what does not, and from what was only not tested', () => {
  const after = report({
    'list.limit.caps': { outcome: 'failed' },
    'add.location': { outcome: 'failed' },
    ...Object.fromEntries(['add.echo', 'get.found', 'get.unknown'].map((id) => [id, { outcome: 'untested' as const }])),
  });
  expect(sentenceOf(compare(report(), after))).toBe(
    '1 requirement got worse, 1 that does not gate did, 3 only not tested this time',
  );
  expect(sentenceOf(compare(report(), report()))).toBe('nothing that gates got worse');
});

unit('the same run twice: nothing changed', () => {
  const same = report({}, { 'open.order': 'by id' });
  expect(compare(same, same)).toEqual({
    ...{ worse: [], better: [], untested: [], changed: [], choices: [], unreliable: false },
  });
});

unit('open choices: those that changed, and not what differs from run to run', () => {
  const before = report(
    {},
    {
      'open.order': 'by id',
      'open.rate-window': 'Limit 60; Reset from 3 to 60 s ahead',
      'open.limit-outside': 'limit=0: 200 with 1 animal; limit=-1: 400',
      'open.error-codes': '401 unauthorized; 404 not_found',
    },
  );
  const after = report(
    {},
    {
      'open.order': 'not by id',
      'open.rate-window': 'Limit 60; Reset from 1 to 9 s ahead',
      'open.limit-outside': 'limit=0: 200 with 20 animals; limit=-1: 400',
      'open.error-codes': '404 not_found; 401 unauthorized',
    },
  );
  const { choices } = compare(before, after);
  expect(choices).toEqual([
    { id: 'open.order', statement: 'open.order.', before: 'by id', after: 'not by id', gates: false },
  ]);
  const other = report({}, { 'open.limit-outside': 'limit=0: 200 with 1 animal; limit=-1: 422' });
  expect(compare(before, other).choices.map(({ id }) => id)).toContain('open.limit-outside');
  expect(compare(after, report()).choices.map(({ after: now }) => now)).toEqual(Array(4).fill('not seen'));
});

unit('the table shows the change, the reason and nothing that steers a terminal', () => {
  const after = only('failed', { reasons: [`no\u001b[2J ${HOSTILE}`] });
  const table = compareTable(compare(report(), after), report(), after);
  expect(table).toMatch(/What got worse\n {2}list\.limit\.caps {2}passed → failed\n +no\\u001b/);
  expect(table).toContain('1 requirement got worse');
  expect(table).not.toContain('\u001b');
});

unit(
  'many implementations: a row for each requirement, a column for each, and the choices in which they differ',
  () => {
    const many = [
      { ...report({}, { 'open.order': 'by id', 'open.paging': 'none' }), implementation: 'One 1.0' },
      {
        ...only('failed', { waiver }),
        observations: report({}, { 'open.order': 'not by id', 'open.paging': 'none' }).observations,
      },
      { ...absent(), observations: report({}, { 'open.order': 'by id', 'open.paging': 'none' }).observations },
    ];
    const row = rowsOf(many, 'gates').find(({ id }) => id === 'list.limit.caps');
    expect(row?.cells).toEqual(['passed', 'waived', undefined]);
    expect(rowsOf(many, 'gates').every(({ cells }) => cells.length === 3)).toBe(true);
    const table = manyTable(many);
    expect(table).toMatch(/^A: One 1\.0, https:\/\/store\.example\/v1: conforms\nB: /);
    expect(table).toMatch(/\nlist\.limit\.caps {2}✓ ≈ {2}\n/);
    expect(table).not.toContain('list.succeeds');
    expect(table).toMatch(/open\.order\n +A: by id\n +B: not by id\n +C: by id\n/);
    expect(table).not.toContain('open.paging');
  },
);

/** Runs the command as `npm run compare` does. */
function command(...args: string[]): { code: number | null; out: string; err: string } {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    ['--import', 'tsx', 'fixtures/report/compare.ts', ...args],
    { cwd: ROOT, encoding: 'utf8' },
  );
  return { code: status, out: stdout, err: stderr };
}

const written = (directory: string, name: string, content: unknown): string => {
  const file = join(directory, name);
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
  return file;
};

unit('exit codes: 0 where nothing got worse, 1 where something did, 2 for files that cannot be compared', () => {
  const directory = mkdtempSync(join(tmpdir(), 'compare-'));
  const good = written(directory, 'good.json', report());
  const bad = written(directory, 'bad.json', only('failed'));
  const page = join(directory, 'own.html');
  expect(command(bad, good, '--page', page)).toMatchObject({ code: 0, err: '' });
  expect(readFileSync(page, 'utf8')).toContain('nothing that gates got worse, 1 got better');
  const worse = command(good, bad);
  expect(worse).toMatchObject({ code: 1, err: '' });
  expect(worse.out).toContain('list.limit.caps  passed → failed');
  expect(readFileSync(join(directory, 'compare.html'), 'utf8')).toContain('1 requirement got worse');

  const untested = written(directory, 'untested.json', only('untested'));
  expect(command(good, untested).code).toBe(0);

  // Any number, folders too: a table, which nothing can fail.
  const folder = join(directory, 'all');
  for (const [name, content] of [
    ['a', report()],
    ['b', only('failed')],
  ] as const) {
    mkdirSync(join(folder, name), { recursive: true });
    written(join(folder, name), 'conformance.json', content);
  }
  const many = command(folder, good, join(folder, 'b'), '--page', page);
  expect(many).toMatchObject({ code: 0, err: '' });
  expect(many.out).toMatch(/\nlist\.limit\.caps {2}✓ ✘ ✓ ✘\n/);
  expect(readFileSync(page, 'utf8')).toContain('4 runs of the conformance suite compared');

  const unusable = [
    [directory],
    [good],
    [good, join(directory, 'none.json')],
    [good, written(directory, 'text.json', 'no JSON')],
    [good, written(directory, 'null.json', 'null')],
    [good, written(directory, 'other.json', { name: 'a package' })],
    [good, written(directory, 'odd.json', { ...report(), requirements: [null] })],
    [good, bad, '--page', join(directory, 'no', 'such', 'folder.html')],
    [good, bad, '--unknown'],
  ];
  for (const args of unusable) {
    const { code, out, err } = command(...args);
    expect([args, code, out]).toEqual([args, 2, '']);
    expect(err).not.toBe('');
    expect(err).not.toMatch(/^ +at /m);
  }
});

for (const colorScheme of ['light', 'dark'] as const)
  test(`the page has nothing that axe-core finds wrong, and fits a phone, ${colorScheme}`, async ({ open, page }) => {
    const before = report({ 'get.found': { outcome: 'failed' } }, { 'open.order': HOSTILE });
    const after = only('failed', { reasons: [HOSTILE], statement: HOSTILE });
    const file = join(mkdtempSync(join(tmpdir(), 'compare-')), 'compare.html');
    writeFileSync(file, comparePage(compare(before, after), before, after));
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize({ width: 360, height: 740 });
    await open(file);
    await expect(page.locator('.sentence')).toHaveText('1 requirement got worse, 1 got better, 1 open choice changed');
    expect(await violationsOf(page)).toEqual([]);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(360);
  });

for (const colorScheme of ['light', 'dark'] as const)
  test(`the page of many has nothing that axe-core finds wrong, and fits a phone, ${colorScheme}`, async ({
    open,
    page,
  }) => {
    const many = [report({}, { 'open.order': HOSTILE }), only('failed'), { ...absent(), implementation: HOSTILE }];
    const file = join(mkdtempSync(join(tmpdir(), 'compare-')), 'compare.html');
    writeFileSync(file, manyPage(many));
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize({ width: 360, height: 740 });
    await open(file);
    const row = page.getByRole('row').filter({ hasText: 'list.limit.caps' });
    await expect(row.getByRole('cell')).toHaveText([/passed/, /failed/, /not there/]);
    expect(await violationsOf(page)).toEqual([]);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(360);
  });
