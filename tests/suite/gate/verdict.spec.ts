/** The verdict comes from the set of gating requirements, and not from the tests that happened to run. */
import { expect } from '@playwright/test';
import { compareVersions, countsAsOf, requirements } from '../../../fixtures/contract/requirements.ts';
import { contractVersion } from '../../../fixtures/contract/contract.ts';
import { suiteVersion } from '../../../fixtures/contract/version.ts';
import { isGreen } from '../../../fixtures/report/model.ts';
import { sentenceOf, type Verdict } from '../../../fixtures/report/outcomes.ts';
import { narrowing } from '../../../fixtures/report/selection.ts';
import { readSettings } from '../../../fixtures/target/settings.ts';
import { exchange, test } from '../unit/make.ts';
import { judged, outcomeOf, REQUIREMENTS, said } from './given.ts';

test('conforms where all that gates passed', () => {
  const summary = judged();
  expect(summary.verdict).toBe('conforms');
  expect(sentenceOf(summary)).toBe('conforms: holds all 2 requirements that can be judged');
});

const rows: { title: string; tests: Parameters<typeof judged>[0]; verdict: Verdict; words: string }[] = [
  { title: 'a failure', tests: [said('add.echo', 'failed')], verdict: 'violates', words: 'violates 1 of 2' },
  {
    title: 'what could not be told',
    tests: [said('add.echo', 'cantTell')],
    verdict: 'cantTell',
    words: 'cannot tell: 1',
  },
  {
    title: 'what was left out',
    tests: [said('add.echo', 'untested')],
    verdict: 'partial',
    words: '(1: because it untested)',
  },
  { title: 'a broken test', tests: [said('add.echo', 'error')], verdict: 'error', words: 'the suite or its settings' },
  {
    title: 'what did not apply',
    tests: [said('add.echo', 'inapplicable')],
    verdict: 'conforms',
    words: '1 did not apply',
  },
  {
    title: 'advice that is not followed',
    tests: [said('add.location', 'failed')],
    verdict: 'conforms',
    words: 'all 2',
  },
  {
    title: 'a failure beside what could not be told',
    tests: [said('add.echo', 'failed'), said('list.succeeds', 'cantTell')],
    verdict: 'violates',
    words: '1 more could not be judged',
  },
  {
    title: 'nothing but skips',
    tests: [said('add.echo', 'inapplicable'), said('list.succeeds', 'untested')],
    verdict: 'cantTell',
    words: 'nothing was judged',
  },
];
for (const { title, tests, verdict, words } of rows) {
  test(`${title}: ${verdict}`, () => {
    const summary = judged(tests);
    expect(summary.verdict).toBe(verdict);
    expect(sentenceOf(summary)).toContain(words);
  });
}

test('only conforms and partial are green', () => {
  expect((['conforms', 'partial', 'violates', 'cantTell', 'error'] as const).filter(isGreen)).toEqual([
    'conforms',
    'partial',
  ]);
});

test('LEVEL=should lets advice fail the run', () => {
  expect(judged([said('add.location', 'failed')], { level: 'should' }).verdict).toBe('violates');
});

test('a requirement that no test spoke of is never green by silence', () => {
  const summary = judged([], { tests: [said('list.succeeds', 'passed')] });
  expect(summary.verdict).toBe('partial');
  expect(outcomeOf(summary, 'add.echo')).toBe('untested');
  expect(summary.leftOut).toEqual([{ reason: 'not selected in this run', requirements: ['add.echo'] }]);
});

test('a requirement with one test passed and one not selected has not passed', () => {
  const summary = judged([said('add.echo', 'passed'), said('add.echo', 'untested', { reason: 'not selected' })]);
  expect(outcomeOf(summary, 'add.echo')).toBe('untested');
  expect(summary.verdict).toBe('partial');
});

test('where no requirement was tested in full, what passed is partial', () => {
  const half = ['list.succeeds', 'add.echo'].flatMap((id) => [said(id, 'passed'), said(id, 'untested')]);
  expect(judged(half).verdict).toBe('partial');
});

test('a test that can only show a violation does not make a requirement pass', () => {
  expect(outcomeOf(judged([said('add.echo', 'passed', { supporting: true })]), 'add.echo')).toBe('untested');
  expect(outcomeOf(judged([said('add.echo', 'failed', { supporting: true })]), 'add.echo')).toBe('failed');
});

test('what the universal judgement found counts, though its test saw nothing of it', () => {
  const found = exchange({ operation: 'addPet', status: 201 });
  found.findings.push({ requirement: 'add.echo', allowed: 'Rex', received: 'Max' });
  const summary = judged([], { exchanges: [found] });
  expect(summary.verdict).toBe('violates');
  expect(summary.requirements.find(({ id }) => id === 'add.echo')?.evidence).toEqual([found.number]);
});

test('a mistake of the suite is no violation', () => {
  const summary = judged([], { errors: ['no test was selected'] });
  expect(summary.verdict).toBe('error');
  expect(sentenceOf(summary, ['no test was selected'])).toContain('nothing is said of the target');
});

test('an older set of requirements shows the newer ones, and does not gate by them', () => {
  const newer = REQUIREMENTS.map((requirement) =>
    requirement.id === 'add.echo' ? { ...requirement, since: { contract: '1.1.0', suite: '1.2.0' } } : requirement,
  );
  const tests = [said('add.echo', 'failed')];
  expect(judged(tests, { requirements: newer }).verdict).toBe('violates');
  expect(judged(tests, { requirements: newer, asOf: '1.2.0' }).verdict).toBe('violates');
  const older = judged(tests, { requirements: newer, asOf: '1.1.9' });
  expect(older.verdict).toBe('conforms');
  expect(older.requirements.find(({ id }) => id === 'add.echo')).toMatchObject({
    outcome: 'failed',
    gating: false,
    newer: 'counts since suite 1.2.0, and not in the set of 1.1.9',
  });
});

test('versions compare by number', () => {
  expect(['1.10.0', '1.2.0', '1.2.10', '1.2.9'].sort(compareVersions)).toEqual(['1.2.0', '1.2.9', '1.2.10', '1.10.0']);
  expect(countsAsOf({ since: { contract: '1.0.0', suite: '1.2.0' } }, '1.10.0')).toBe(true);
});

test('no requirement counts from a version that is yet to come', () => {
  for (const { id, since } of requirements) {
    expect(compareVersions(since.contract, contractVersion), id).toBeLessThanOrEqual(0);
    expect(compareVersions(since.suite, suiteVersion), id).toBeLessThanOrEqual(0);
  }
});

for (const [value, message] of [
  ['1.0', 'in three numbers'],
  ['latest', 'in three numbers'],
  ['0.9.0', 'the oldest set of requirements is that of 1.0.0'],
  ['99.0.0', 'does not know what comes after it'],
]) {
  test(`REQUIREMENTS_AS_OF=${value} is refused`, () => {
    expect(() => readSettings({ REQUIREMENTS_AS_OF: value })).toThrow(message);
  });
}

test('REQUIREMENTS_AS_OF=1.0.0 is taken', () => {
  expect(readSettings({ REQUIREMENTS_AS_OF: ' 1.0.0 ' }).asOf).toBe('1.0.0');
});

test('tells options that leave tests out from those that do not', () => {
  const of = (...args: string[]) => narrowing(['node', 'cli.js', 'test', ...args]);
  expect(of('--reporter=list', '--reporter', 'dot', '-j', '2', '--trace=on', '-x', '--output', 'x')).toEqual([]);
  for (const args of [
    ['-g', 'x'],
    ['--shard=1/3'],
    ['list.spec.ts'],
    ['--last-failed'],
    ['--project=after'],
    ['--unheard-of'],
  ])
    expect(of(...args)).toEqual(args);
  expect(narrowing(['node', 'cli.js', 'merge-reports', 'blobs'])).toEqual([]);
});
