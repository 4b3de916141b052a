/** The verdict comes from the set of gating requirements, not from the tests that ran. */
import { expect } from '@playwright/test';
import { requirementOf } from '../../../fixtures/contract/requirements.ts';
import { difference } from '../../../fixtures/trace/finding.ts';
import { isGreen } from '../../../fixtures/report/model/report.ts';
import { describeFailure, renderSentence, whyNotGating } from '../../../fixtures/report/model/outcomes.ts';
import type { Verdict } from '../../../fixtures/report/model/result.ts';
import { findNarrowing } from '../../../fixtures/report/run/selection.ts';
import { test } from '../unit/make.ts';
import { finding, judged, judgedAs, REQUIREMENTS, makeTest } from './given.ts';

test('the verdict is conforms if all gating requirements passed', () => {
  const summary = judged();
  expect(summary.verdict).toBe('conforms');
  expect(renderSentence(summary)).toBe('conforms: all 2 requirements hold');
});

const rows: { title: string; tests: Parameters<typeof judged>[0]; verdict: Verdict; words: string }[] = [
  { title: 'a failure', tests: [makeTest('add.echo', 'failed')], verdict: 'violates', words: 'violates 1 of 2' },
  {
    title: 'a requirement that could not be judged',
    tests: [makeTest('add.echo', 'cantTell')],
    verdict: 'cantTell',
    words: 'no verdict: 1 of 2 requirements could not be judged, none is violated',
  },
  {
    title: 'an untested requirement',
    tests: [makeTest('add.echo', 'untested')],
    verdict: 'partial',
    words: '1 requirement holds, none is violated, 1 not tested (because it untested)',
  },
  {
    title: 'a broken test',
    tests: [makeTest('add.echo', 'error')],
    verdict: 'error',
    words: 'the suite or its settings',
  },
  {
    title: 'a requirement that is not applicable',
    tests: [makeTest('add.echo', 'inapplicable')],
    verdict: 'conforms',
    words: 'conforms: all 1 requirement holds',
  },
  {
    title: 'a recommendation that is not followed',
    tests: [makeTest('add.location', 'failed')],
    verdict: 'conforms',
    words: 'all 2 requirements hold',
  },
  {
    title: 'a failure and a requirement that could not be judged',
    tests: [makeTest('add.echo', 'failed'), makeTest('list.succeeds', 'cantTell')],
    verdict: 'violates',
    words: '1 could not be judged',
  },
  {
    title: 'only recommendations that were judged',
    tests: [makeTest('add.echo', 'inapplicable'), makeTest('list.succeeds', 'untested')],
    verdict: 'cantTell',
    words: 'no verdict: only recommendations were judged (LEVEL=should makes them count), no requirement',
  },
];
for (const { title, tests, verdict, words } of rows) {
  test(`${title}: ${verdict}`, () => {
    const summary = judged(tests);
    expect(summary.verdict).toBe(verdict);
    expect(renderSentence(summary)).toContain(words);
  });
}

test('without a judged test there is no verdict on the target', () => {
  const tests = REQUIREMENTS.map(({ id }) => makeTest(id, 'inapplicable'));
  expect(judged(tests).verdict).toBe('cantTell');
  expect(renderSentence(judged(tests))).toBe('no verdict: nothing was judged');
});

test('conforms and partial exit with 0, with REQUIRE=conforms only conforms', () => {
  const verdicts = ['conforms', 'partial', 'violates', 'cantTell', 'error'] as const;
  expect(verdicts.filter((verdict) => isGreen(verdict))).toEqual(['conforms', 'partial']);
  expect(verdicts.filter((verdict) => isGreen(verdict, 'conforms'))).toEqual(['conforms']);
});

test('LEVEL=should lets recommendations fail the run', () => {
  expect(judged([makeTest('add.location', 'failed')], { level: 'should' }).verdict).toBe('violates');
});

test('a requirement without a test result does not pass', () => {
  const summary = judged([], { tests: [makeTest('list.succeeds', 'passed')] });
  expect(summary.verdict).toBe('cantTell');
  expect(judgedAs(summary, 'add.echo')).toMatchObject({
    outcome: 'cantTell',
    reasons: ['no test judges it: the contract no longer has what it speaks of'],
  });
});

test('a derived requirement is not in the summary if the contract has nothing for it', () => {
  const derived = REQUIREMENTS.map((each) => (each.id === 'add.echo' ? { ...each, derived: true as const } : each));
  const summary = judged([], { requirements: derived, tests: [makeTest('list.succeeds', 'passed')] });
  expect(summary.verdict).toBe('conforms');
  expect(summary.requirements.map(({ id }) => id)).not.toContain('add.echo');
  expect(renderSentence(summary)).toBe('conforms: all 1 requirement holds');
  // With a test it counts.
  const tests = [makeTest('list.succeeds', 'passed'), makeTest('add.echo', 'failed')];
  const larger = judged([], { requirements: derived, tests });
  expect(judgedAs(larger, 'add.echo').outcome).toBe('failed');
  expect(larger.verdict).toBe('violates');
});

test('a requirement with several cases passes if one could have failed, and lists the untested ones', () => {
  const tests = [
    makeTest('add.echo', 'passed'),
    makeTest('add.echo', 'untested', { reason: 'READ_ONLY=1', remedy: 'READ_ONLY=0' }),
    makeTest('add.echo', 'inapplicable', { reason: 'not in this contract' }),
  ];
  const summary = judged(tests);
  expect(summary.verdict).toBe('conforms');
  expect(judgedAs(summary, 'add.echo')).toMatchObject({ outcome: 'passed', cases: tests });
});

test('an untested requirement makes a run partial, with the remedy', () => {
  const tests = [
    makeTest('add.echo', 'inapplicable', { reason: 'not in this contract' }),
    makeTest('add.echo', 'untested', { reason: 'READ_ONLY=1', remedy: 'READ_ONLY=0' }),
  ];
  const summary = judged(tests);
  expect(summary.verdict).toBe('partial');
  expect(judgedAs(summary, 'add.echo').reasons).toEqual(['READ_ONLY=1. To test it: READ_ONLY=0']);
});

test('a requirement with one test passed and one not selected has not passed', () => {
  const summary = judged([
    makeTest('add.echo', 'passed'),
    makeTest('add.echo', 'untested', { reason: 'not selected', notRun: true }),
  ]);
  expect(judgedAs(summary, 'add.echo').outcome).toBe('untested');
  expect(summary.verdict).toBe('partial');
  expect(summary.leftOut).toEqual([{ reason: 'not selected', requirements: ['add.echo'] }]);
});

test('a run without a fully tested requirement is partial', () => {
  const half = ['list.succeeds', 'add.echo'].flatMap((id) => [
    makeTest(id, 'passed'),
    makeTest(id, 'untested', { notRun: true }),
  ]);
  expect(judged(half).verdict).toBe('partial');
});

test('findings are reported once for each test, with the decisive exchange first', () => {
  const tests = [
    makeTest('add.echo', 'failed', {
      findings: [finding({ exchanges: [9, 3] }), finding()],
      more: 4,
      exchanges: [3, 9, 12],
    }),
    makeTest('add.echo', 'passed', { title: 'another', exchanges: [1] }),
  ];
  const found = judgedAs(judged(tests), 'add.echo');
  expect(found.evidence).toEqual([9, 3, 7, 12]);
  expect(found.reasons).toEqual(['a test of add.echo: expected status 400; received status 422 (and 5 more)']);
  expect(found.cases).toEqual(tests);
});

test('a reason is one line without terminal commands', () => {
  const actual = 'a\n\u001b[2Jb\u202e';
  const differences = [difference('wrong header', 'header Location', { expected: 'a path', actual })];
  const reason = describeFailure(makeTest('add.echo', 'failed', { findings: [finding({ differences })] }));
  expect(reason).toContain('received Location: a \\u001b[2Jb\\u202e');
});

test('a mistake of the suite is not a violation', () => {
  const summary = judged([makeTest('add.echo', 'failed')], { errors: ['no test was selected'] });
  expect(summary.verdict).toBe('error');
  expect(renderSentence(summary, ['no test was selected'])).toContain('nothing is known of the target');
});

test('the same violations fail the run as test and as requirement', () => {
  const must = requirementOf('add.echo');
  const should = requirementOf('add.location');
  expect(whyNotGating(must, 'addPet', { level: 'must' })).toBeUndefined();
  expect(whyNotGating(should, 'addPet', { level: 'must' })).toMatch(/^a recommendation \(RFC 9110/);
  expect(whyNotGating(should, 'addPet', { level: 'should' })).toBeUndefined();
});

test('the reporter distinguishes options that skip tests from others', () => {
  const of = (...args: string[]) => findNarrowing(['node', 'cli.js', 'test', ...args]);
  expect(of('--reporter=list', '--reporter', 'dot', '-j', '2', '--trace=on', '-x', '--output', 'x')).toEqual([]);
  expect(of('--workers=4', '--fully-parallel', '--add-reporter=line')).toEqual([]);
  for (const args of [['-g', 'x'], ['list.spec.ts'], ['--last-failed'], ['--project=after'], ['--unheard-of']])
    expect(of(...args)).toEqual(args);
  expect(findNarrowing(['node', 'cli.js', 'show-report', 'folder'])).toEqual([]);
});
