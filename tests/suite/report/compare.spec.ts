/** Comparing two runs: what counts as worse, the exit codes, the table and the page. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { requirements } from '../../../fixtures/contract/requirements.ts';
import { type Comparable, compare, comparePage, compareTable } from '../../../fixtures/report/compare.ts';
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
      id,
      level,
      section,
      statement,
      outcome: level === 'open' ? 'inapplicable' : 'passed',
      gating: level === 'must',
      reasons: [],
      evidence: [],
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
  ['broke', 'passed', 'failed', only('passed'), only('failed')],
  ['broke', 'passed', 'failed under a waiver', only('passed'), only('failed', { waiver })],
  ['broke', 'passed', 'cantTell', only('passed'), only('cantTell')],
  ['broke', 'passed', 'untested', only('passed'), only('untested')],
  ['broke', 'passed', 'no longer there', only('passed'), absent()],
  ['broke', 'untested', 'failed', only('untested'), only('failed')],
  ['broke', 'cantTell', 'failed', only('cantTell'), only('failed')],
  ['broke', 'not there before', 'failed', absent(), only('failed')],
  ['broke', 'waived', 'failed', only('failed', { waiver }), only('failed')],
  ['mended', 'failed', 'passed', only('failed'), only('passed')],
  ['mended', 'cantTell', 'passed', only('cantTell'), only('passed')],
  ['mended', 'waived', 'passed', only('failed', { waiver }), only('passed')],
  ['changed', 'failed', 'waived', only('failed'), only('failed', { waiver })],
  ['changed', 'untested', 'passed', only('untested'), only('passed')],
  ['changed', 'passed', 'inapplicable', only('passed'), only('inapplicable')],
  ['changed', 'not there before', 'passed', absent(), only('passed')],
] as const;

for (const [kind, was, is, before, after] of changes)
  unit(`${was} → ${is}: ${kind}`, () => {
    const { broke, mended, changed } = compare(before, after);
    expect({ broke, mended, changed }[kind].map(({ id }) => id)).toEqual(['list.limit.caps']);
    expect([...broke, ...mended, ...changed]).toHaveLength(1);
  });

unit('the same run twice: nothing changed', () => {
  const same = report({}, { 'open.order': 'by id' });
  expect(compare(same, same)).toEqual({ broke: [], mended: [], changed: [], choices: [], unreliable: false });
});

unit('open choices: those that changed, and not what differs from run to run', () => {
  const before = report({}, { 'open.order': 'by id', 'open.rate-window': 'Limit 60; Reset from 3 to 60 s ahead' });
  const after = report({}, { 'open.order': 'not by id', 'open.rate-window': 'Limit 60; Reset from 1 to 9 s ahead' });
  const { choices } = compare(before, after);
  expect(choices).toEqual([{ id: 'open.order', statement: 'open.order.', before: 'by id', after: 'not by id' }]);
  expect(compare(after, report()).choices.map(({ after: now }) => now)).toEqual(['not seen', 'not seen']);
});

unit('a run whose suite is broken cannot be relied on', () => {
  expect(compare(report(), { ...report(), verdict: 'error' }).unreliable).toBe(true);
});

unit('the table shows the change, the reason and nothing that steers a terminal', () => {
  const after = only('failed', { reasons: [`no\u001b[2J ${HOSTILE}`] });
  const table = compareTable(compare(report(), after), report(), after);
  expect(table).toMatch(/What broke\n {2}list\.limit\.caps {2}passed → failed\n +no\\u001b/);
  expect(table).toContain('1 requirement got worse');
  expect(table).not.toContain('\u001b');
});

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
  expect(readFileSync(page, 'utf8')).toContain('1 requirement was mended');
  const worse = command(good, bad);
  expect(worse).toMatchObject({ code: 1, err: '' });
  expect(worse.out).toContain('list.limit.caps  passed → failed');
  expect(readFileSync(join(directory, 'compare.html'), 'utf8')).toContain('1 requirement got worse');

  const unusable = [
    [good],
    [good, bad, good],
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
    await expect(page.locator('.sentence')).toHaveText(
      '1 requirement got worse, 1 requirement was mended, 1 open choice changed',
    );
    expect(await violationsOf(page)).toEqual([]);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(360);
  });
