/** The formats that pipelines read show the same result, and nothing of the target breaks them. */
import { expect } from '@playwright/test';
import fc from 'fast-check';
import type { RequirementId } from '../../../fixtures/contract/requirements.ts';
import { difference } from '../../../fixtures/trace/finding.ts';
import { makeBadge } from '../../../fixtures/report/out/files.ts';
import { renderAnnotations } from '../../../fixtures/report/out/github.ts';
import { renderJUnit } from '../../../fixtures/report/out/junit.ts';
import { renderSummary } from '../../../fixtures/report/out/summary.ts';
import { findMistakes } from '../hostile/artefacts.ts';
import { test } from '../unit/make.ts';
import { finding, judged, makeTest, reported, REQUIREMENTS } from './given.ts';
import type { Verdict } from '../../../fixtures/report/model/result.ts';

const waivers = [
  { requirement: 'add.echo' as const, reason: 'SHOP-12', owner: 'the shop team', expires: '2026-12-31' },
];
const WAIVED: Parameters<typeof judged> = [[makeTest('add.echo', 'failed')], { waivers }];
const received = (text: string, requirement = 'add.echo') =>
  makeTest(requirement, 'failed', {
    findings: [
      finding({
        requirement: requirement as RequirementId,
        differences: [difference('wrong header', 'header Location', { expected: 'a path', actual: text })],
      }),
    ],
  });

/** Each element in its parent with its attributes, as Jenkins' junit-10.xsd takes them: no others, and times in seconds. */
const TAKEN = [
  'testsuites: name tests failures errors time',
  'testsuites testsuite: name tests failures errors skipped timestamp',
  'testsuite properties: ',
  'properties property: name value',
  'testsuite testcase: classname name',
  'testcase skipped: message',
  'testcase failure: type message',
  'testcase error: type message',
];

function findJenkinsErrors(xml: string): string[] {
  const open: string[] = [];
  const shapes = [...xml.matchAll(/<(\/?)([\w-]+)((?: [\w:-]+="[^"<]*")*)(\/?)>/g)].flatMap(
    ([, end, name = '', inside = '', empty]) => {
      if (end !== '') open.pop();
      const place = [...open.slice(-1), name].join(' ');
      if (end === '' && empty === '') open.push(name);
      const attributes = [...inside.matchAll(/([\w:-]+)="/g)].map(([, attribute]) => attribute);
      return end === '' ? [`${place}: ${attributes.join(' ')}`] : [];
    },
  );
  const times = [...xml.matchAll(/<testsuites [^>]*( time="[^"]*")/g)].map(([, time = '']) => time);
  return [
    ...findMistakes('junit.xml', xml),
    ...shapes.filter((shape) => !TAKEN.includes(shape)),
    ...times.filter((time) => !/^ time="\d+\.\d{3}"$/.test(time)),
  ];
}

test('the check refuses XML that is broken, or that Jenkins does not accept', () => {
  for (const broken of ['<a><b></a></b>', '<a>', '<a>&</a>', '<a b="<"/>'])
    expect(findMistakes('a file', broken), broken).not.toEqual([]);
  const sound = renderJUnit(reported());
  for (const [from, to, ...wrong] of [
    ['b', 'b'],
    ['<testsuites ', '<testsuites skipped="1" ', 'testsuites: skipped name tests failures errors time'],
    ['time="4.000"', 'time="4 s"', ' time="4 s"'],
    ['</testsuite>', '<error/></testsuite>', 'testsuite error: '],
  ] as const)
    expect(findJenkinsErrors(sound.replace(from, to))).toEqual(wrong);
});

const FINE = 'tests="3" failures="0" errors="0"';
/** The test case of add.echo, by the outcome of its test. */
const CASES: [outcome: string, given: Parameters<typeof judged>, inside: RegExp, figures?: string][] = [
  ['passed', [[]], /^<testcase [^>]*\/>$/],
  [
    'failed',
    [[received('200 <GET> & "more"')]],
    /<failure type="failed" message="Problem 1: .*&lt;GET&gt; &amp; &quot;more&quot;/s,
    'tests="3" failures="1" errors="0"',
  ],
  ['cantTell', [[makeTest('add.echo', 'cantTell')]], /<error type="cantTell"/, 'tests="3" failures="0" errors="1"'],
  ['untested', [[makeTest('add.echo', 'untested')]], /<skipped message="not tested: because it untested"\/>/],
  ['inapplicable', [[makeTest('add.echo', 'inapplicable')]], /<skipped message="not applicable: because it inapp/],
  ['waived', WAIVED, /<skipped message="waived until 2026-12-31 by the shop team: SHOP-12/],
];

for (const [outcome, given, inside, figures = FINE] of CASES)
  test(`junit.xml has a requirement that is ${outcome} as Jenkins shows it`, () => {
    const xml = renderJUnit(reported(judged(...given)));
    expect(findJenkinsErrors(xml)).toEqual([]);
    const [own = ''] = /<testcase [^>]*name="add\.echo: [^"]*"[^>]*?(\/>|>.*?<\/testcase>)/s.exec(xml) ?? [];
    expect(own).toMatch(inside);
    expect(own).toContain('classname="conformance.POST /pets.other"');
    expect(xml).toContain(figures);
    // Open points are not test cases.
    const closed = REQUIREMENTS.filter(({ level }) => level !== 'open');
    for (const { id, statement } of closed) expect(xml).toContain(` name="${id}: ${statement}"`);
    expect(xml).not.toContain('open.order');
  });

test('junit.xml has mistakes of the suite beside the requirements, and a run without a verdict', () => {
  const xml = renderJUnit(reported(judged([], { errors: ['boom'] }), ['boom']));
  expect(findJenkinsErrors(xml)).toEqual([]);
  expect(xml).toMatch(/<testsuite name="the suite itself" tests="1" failures="0" errors="1".*boom/s);
  const none = REQUIREMENTS.map(({ id }) => makeTest(id, 'untested'));
  const own = '<testcase classname="conformance.the suite itself" name="no verdict"';
  expect(renderJUnit(reported(judged(none)))).toContain(own);
});

test('junit.xml stays XML for any text of the target', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (reason) => {
      const tests = [received(reason), makeTest('list.succeeds', 'untested', { reason })];
      const [mistake] = findMistakes('junit.xml', renderJUnit(reported(judged(tests))));
      if (mistake !== undefined) throw new Error(mistake);
    }),
  );
});

test('annotations have one error of one line for each problem and for each unjudged requirement', () => {
  const given = [received('50 %\nof: them', 'list.succeeds'), makeTest('add.echo', 'cantTell')];
  expect(renderAnnotations(reported(judged(given)))).toEqual([
    [
      '::error title=Problem 1::POST /pets: Location is 50 %25 of: them, a path is specified',
      ...['expected: Location: a path', 'received: Location: 50 %25 of: them (exchange 7)'],
      ...['specified: A list is answered. (section 4.1)', 'violates: list.succeeds'],
      'again: BASE_URL=https://shop.example/v1 npx playwright test --grep @list.succeeds',
    ].join('%0A'),
    '::error title=Not judged%3A add.echo::What was sent is echoed.%0Aa test of add.echo: because it cantTell',
  ]);
  const errors = Array.from({ length: 30 }, (_, i) => `error ${i}`);
  // GitHub shows ten.
  const many = renderAnnotations(reported(judged([], { errors }), errors));
  expect([many.length, many.at(-1)]).toEqual([10, expect.stringContaining('21 more')]);
});

test('annotations have no error for a green run', () => {
  const annotate = (...given: Parameters<typeof judged>) => renderAnnotations(reported(judged(...given)));
  expect(annotate()).toEqual([]);
  expect(annotate([makeTest('add.echo', 'untested')])).toEqual([expect.stringMatching(/^::warning title=Partial::/)]);
  expect(annotate(...WAIVED)).toEqual(['::notice title=Waived add.echo::until 2026-12-31 by the shop team: SHOP-12']);
});

test('summary.md escapes all text of the target', () => {
  const reason = 'expect(x)\n<script>|[a](http://x)![b](c)\n# head `code` @team';
  // Between backticks are ids and commands of the suite.
  const plain = (text: string): string => text.replaceAll(/\\./g, '').replaceAll(/`[^`]*`/g, '');
  const report = reported(judged([received(reason)]));
  const text = renderSummary({ ...report, problems: report.problems.map((each) => ({ ...each, title: reason })) });
  const own = text.slice(text.indexOf('### Problems'), text.indexOf('   - run again'));
  expect(own).toContain('received: Location: expect');
  expect(own).not.toContain('<script>');
  for (const line of own.split('\n').slice(2))
    expect(plain(line).replaceAll(/^\d\. \*\*|\*\*$|<\/?(details|summary)>/g, '')).not.toMatch(/[[\]!@*<|]/);
  const row = renderSummary(reported(judged([makeTest('add.echo', 'cantTell', { reason })])))
    .split('\n')
    .find((line) => line.startsWith('|') && line.includes('`add.echo`'));
  expect(row?.replaceAll(/\\./g, '').match(/\|/g)).toHaveLength(4);
  expect(plain(row ?? '')).not.toMatch(/[[\]!@<]/);
});

/** The first words of the summary, and the badge. */
const HEADS: [Verdict, summary: RegExp, badge: string, Parameters<typeof judged>][] = [
  ['conforms', /^## ✅/, 'conforms to 1.0.0', [[]]],
  ['conforms', /the shop team \| SHOP-12 \|/, 'conforms with 1 waiver', WAIVED],
  ['violates', /^## ❌ .*\n.*\n\nThe implementation violates/s, 'violates 1', [[makeTest('add.echo', 'failed')]]],
  ['cantTell', /^## ❓ .*\n.*\n\nNo verdict: not enough/s, 'no verdict', [[makeTest('add.echo', 'cantTell')]]],
  ['partial', /because it untested \| `add.echo` \|/, 'partial', [[makeTest('add.echo', 'untested')]]],
  ['error', /^## 💥 .*\n.*\n\nThe suite or its settings/s, 'error', [[], { errors: ['boom'] }]],
];
for (const [verdict, summary, message, given] of HEADS)
  test(`the badge shows "${message}" for ${verdict}, and summary.md explains it`, () => {
    const report = reported(judged(...given));
    expect(report.verdict).toBe(verdict);
    const badge = makeBadge(report);
    expect(badge).toMatchObject({ schemaVersion: 1, label: 'conformance', message });
    expect(badge.color === 'brightgreen').toBe(message === 'conforms to 1.0.0');
    const text = renderSummary(report);
    expect(text).toMatch(summary);
    expect(text.includes('- requirement: add.echo #')).toBe(verdict === 'violates');
  });
