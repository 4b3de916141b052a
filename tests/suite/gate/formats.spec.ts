/** The formats that pipelines read show the same result, and nothing of the target breaks them. */
import { expect } from '@playwright/test';
import fc from 'fast-check';
import { difference } from '../../../fixtures/trace/finding.ts';
import { requirementOf } from '../../../fixtures/contract/requirements.ts';
import { makeBadge } from '../../../fixtures/report/out/files.ts';
import { renderAnnotations, renderSummary } from '../../../fixtures/report/out/summary.ts';
import { renderJUnit } from '../../../fixtures/report/out/junit.ts';
import { findMistakes } from '../hostile/artefacts.ts';
import { forAll, test } from '../unit/make.ts';
import { makeReport, testsWith } from '../report/pages.ts';
import { finding, makeTest } from './given.ts';
import type { TestOutcome, Verdict } from '../../../fixtures/report/model/outcomes.ts';
import type { ConformanceReport } from '../../../fixtures/report/model/report.ts';

type Given = [tests: TestOutcome[], run?: Parameters<typeof makeReport>[2]];
const reportOf = (...[tests, run]: Given): ConformanceReport => makeReport(testsWith(tests), [], run);

const waiver = { requirement: 'add.echo', reason: 'SHOP-12', owner: 'the shop team', expires: '2099-12-31' } as const;
const FAILED: Given = [[makeTest('add.echo', 'failed')]];
const WAIVED: Given = [FAILED[0], { waivers: [waiver] }];
const received = (text: string, id = 'add.echo') => {
  const differences = [difference('wrong header', 'header Location', { expected: 'a path', actual: text })];
  return makeTest(id, 'failed', { findings: [finding(id, { differences })] });
};

/** The attributes that Jenkins' junit-10.xsd takes, by element: no other elements, and times in seconds. */
const TAKEN: Record<string, string> = {
  testsuites: 'name tests failures errors time',
  ...{ testsuite: 'name tests failures errors skipped timestamp', testcase: 'classname name' },
  ...{ failure: 'type message', error: 'type message', skipped: 'message' },
};

const JUDGED = testsWith().length;
const GATING = reportOf([]).counts.passed;
/** What junit.xml has, by the outcome of the test of add.echo, or of the run. */
const CASES: [given: Given, inside: string][] = [
  [FAILED, `<testsuites name="Animal Store Service" tests="${JUDGED}" failures="1" errors="0" time="3723.000">`],
  [
    FAILED,
    `<testsuite name="requirements" tests="${GATING}" failures="1" errors="0" skipped="0" timestamp="2026-11-18T`,
  ],
  [FAILED, '<testcase classname="conformance.GET /pets.listing" name="list.succeeds: GET /pets without parameters'],
  [FAILED, '><failure type="failed" message="Problem 1: POST /pets: 422, 400 is specified">The Pet in the response'],
  [[[received('<GET> & "more"')]], 'Location is &lt;GET&gt; &amp; &quot;more&quot;, a path is specified'],
  [[[makeTest('add.echo', 'cantTell')]], '<error type="cantTell" message="because it'],
  [[[makeTest('add.echo', 'untested')]], '<skipped message="not tested: because it untested"/>'],
  [[[makeTest('add.echo', 'inapplicable')]], '<skipped message="not applicable: because it inapp'],
  [WAIVED, '<skipped message="waived until 2099-12-31 by the shop team: SHOP-12'],
  [[[], { errors: ['boom'] }], '<testsuite name="the suite itself" tests="1" failures="0" errors="1"'],
  [
    [testsWith().map(({ requirement }) => makeTest(requirement, 'untested'))],
    'classname="conformance.the suite itself" name="no verdict"',
  ],
];

test('junit.xml is as Jenkins takes it, and has each outcome as Jenkins shows it', () => {
  for (const [given, inside] of CASES) {
    const xml = renderJUnit(reportOf(...given));
    expect(xml).toContain(inside);
    for (const [, tag = '', attributes = ''] of xml.matchAll(/<(\w+)((?: \w+="[^"]*")*)/g)) {
      const names = [...attributes.matchAll(/(\w+)="/g)].map(([, name]) => name);
      expect(TAKEN[tag]?.split(' '), tag).toEqual(expect.arrayContaining(names));
    }
  }
  for (const broken of ['<a><b></a></b>', '<a>', '<a>&</a>', '<a b="<"/>'])
    expect(findMistakes('a file', broken), broken).not.toEqual([]);
});

test('junit.xml stays XML for any text of the target', () => {
  forAll(fc.string({ unit: 'binary' }), { examples: [['a\r\nb']] }, (reason) => {
    const tests = [received(reason), makeTest('list.succeeds', 'untested', { reason })];
    const text = renderJUnit(reportOf(tests));
    // XML reads a bare one as a line feed.
    expect([...findMistakes('junit.xml', text), ...(text.match(/\r/g) ?? [])]).toEqual([]);
  });
});

test('annotations have one error of one line for each problem and for each unjudged requirement, and none for a green run', () => {
  const given = [received('50 %\nof: them', 'list.succeeds'), makeTest('add.echo', 'cantTell')];
  expect(renderAnnotations(reportOf(given))).toEqual([
    [
      '::error title=Problem 1::POST /pets: Location is 50 %25 of: them, a path is specified',
      ...['sent: POST /pets', 'expected: Location: a path', 'received: Location: 50 %25 of: them (exchange 7)'],
      ...[`specified: ${requirementOf('list.succeeds').statement} (section 4.1)`, 'violates: list.succeeds'],
      'again: TARGET=store npx playwright test --grep @list.succeeds',
    ].join('%0A'),
    '::error title=Not judged%3A add.echo::because it cantTell',
  ]);
  const errors = ['error \u001b[2J'];
  expect(renderAnnotations(reportOf([], { errors })).join()).not.toContain('\u001b');
  expect(renderAnnotations(reportOf([]))).toEqual([]);
});

test('summary.md escapes all text of the target', () => {
  const reason = 'expect(x)\n<script>|[a](http://x)![b](c)\n# head `code` @team';
  // Between backticks are ids and commands of the suite.
  const plain = (text: string): string => text.replaceAll(/\\./g, '').replaceAll(/`[^`]*`/g, '');
  const report = reportOf([received(reason)]);
  const text = renderSummary({ ...report, problems: report.problems.map((each) => ({ ...each, title: reason })) });
  const problems = text.slice(text.indexOf('### Problems'));
  expect(problems).toContain('received: Location: expect');
  expect(problems).not.toContain('<script>');
  for (const line of problems.split('\n').slice(2))
    expect(plain(line).replaceAll(/^\d\. \*\*|\*\*$|<\/?(details|summary)>/g, '')).not.toMatch(/[[\]!@*<|]/);
  const row = renderSummary(reportOf([makeTest('add.echo', 'cantTell', { reason })]))
    .split('\n')
    .find((line) => line.startsWith('- `add.echo`: '));
  expect(plain(row ?? '')).not.toMatch(/[[\]!@<|]/);
});

/** The first words of the summary, and the badge. */
const HEADS: [Verdict, summary: RegExp, badge: string, Given][] = [
  ['conforms', /^## ✅/, 'conforms to 1.0.0', [[]]],
  ['conforms', /Waived until 2099-12-31 by the shop team: SHOP-12/, 'conforms with 1 waiver', WAIVED],
  ['violates', /^## ❌ .*\n.*\n\nThe implementation violates/s, 'violates 1', FAILED],
  ['cantTell', /^## ❓ .*\n.*\n\nNo verdict: not enough/s, 'no verdict', [[makeTest('add.echo', 'cantTell')]]],
  ['partial', /- `add.echo`: .*because it untested/, 'partial', [[makeTest('add.echo', 'untested')]]],
  ['error', /^## 💥 .*\n.*\n\nThe suite or its settings/s, 'error', [[], { errors: ['boom'] }]],
];
for (const [verdict, summary, message, given] of HEADS)
  test(`the badge shows "${message}" for ${verdict}, and summary.md explains it`, () => {
    const report = reportOf(...given);
    expect(report.verdict).toBe(verdict);
    const badge = makeBadge(report);
    expect(badge).toMatchObject({ schemaVersion: 1, label: 'conformance', message });
    expect(badge.color === 'brightgreen').toBe(message === 'conforms to 1.0.0');
    const text = renderSummary(report);
    expect(text).toMatch(summary);
    expect(text.includes('- requirement: add.echo #')).toBe(verdict === 'violates');
  });
