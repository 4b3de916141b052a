/** The formats that pipelines read show the same result, and nothing of the target breaks them. */
import { expect } from '@playwright/test';
import fc from 'fast-check';
import type { RequirementId } from '../../../fixtures/contract/requirements.ts';
import { difference } from '../../../fixtures/trace/finding.ts';
import { makeBadge } from '../../../fixtures/report/out/files.ts';
import { renderAnnotations } from '../../../fixtures/report/out/github.ts';
import { renderJUnit } from '../../../fixtures/report/out/junit.ts';
import type { Verdict } from '../../../fixtures/report/model/result.ts';
import { renderSummary } from '../../../fixtures/report/out/summary.ts';
import { test } from '../unit/make.ts';
import { finding, judged, reported, REQUIREMENTS, makeTest } from './given.ts';

const waivers = [
  { requirement: 'add.echo' as const, reason: 'SHOP-12', owner: 'the shop team', expires: '2026-12-31' },
];
const received = (text: string, requirement = 'add.echo') =>
  makeTest(requirement, 'failed', {
    findings: [
      finding({
        requirement: requirement as RequirementId,
        differences: [difference('wrong header', 'header Location', { expected: 'a path', actual: text })],
      }),
    ],
  });
const caseOf = (xml: string, id: string): string =>
  new RegExp(`<testcase [^>]*name="${id}(: [^"]*)?"[^>]*?(/>|>.*?</testcase>)`, 's').exec(xml)?.[0] ?? '';

interface Element {
  name: string;
  parent: string;
  attributes: Record<string, string>;
}

/** Uses no matcher, because each is a step. @throws Error if an element is not closed or a character not escaped. */
function parseElements(xml: string): Element[] {
  const open: string[] = [];
  const elements: Element[] = [];
  const text = xml
    .replace(/^<\?xml[^>]*\?>/, '')
    .replaceAll(/<(\/?)([\w-]+)((?: [\w:-]+="[^"<]*")*)(\/?)>/g, (...match) => {
      const [, closing, name, inside, empty] = match as unknown as [string, string, string, string, string];
      if (closing !== '' && open.pop() !== name) throw new Error(`</${name}> closes another element in ${xml}`);
      const attributes = Object.fromEntries(
        [...inside.matchAll(/([\w:-]+)="([^"]*)"/g)].map(([, key, value]) => [key, value]),
      );
      if (closing === '') elements.push({ name, parent: open.at(-1) ?? '', attributes });
      if (closing === '' && empty === '') open.push(name);
      return '';
    });
  if (open.length > 0) throw new Error(`not closed: ${open.join(', ')} in ${xml}`);
  const bare = /[<>"]|&(?!(amp|lt|gt|quot|#\d+);)/.exec(text);
  if (bare) throw new Error(`${bare[0]} stands bare in ${xml}`);
  return elements;
}

const namesOf = (xml: string): string[] => parseElements(xml).map(({ name }) => name);

test('the parser refuses invalid XML', () => {
  expect(parseElements('<?xml version="1.0"?><a b="&lt;"><c/>&amp;</a>')).toEqual([
    { name: 'a', parent: '', attributes: { b: '&lt;' } },
    { name: 'c', parent: 'a', attributes: {} },
  ]);
  for (const broken of ['<a><b></a></b>', '<a>', '<a>&</a>', '<a b="<"/>', '<a>"</a>'])
    expect(() => parseElements(broken), broken).toThrow();
});

/** Seconds, as Jenkins' junit-10.xsd (SUREFIRE_TIME) takes them. */
const SECONDS = /^[\d,]*(\.\d*)?$/;

const JENKINS: Record<string, { in: string[]; has: string[] }> = {
  testsuites: { in: [''], has: ['name', 'time', 'tests', 'failures', 'errors'] },
  testsuite: {
    in: ['', 'testsuites', 'testsuite'],
    has: [
      ...['name!', 'tests!', 'failures!', 'errors!', 'group', 'time', 'skipped', 'timestamp', 'hostname', 'id'],
      ...['package', 'file', 'log', 'url'],
    ],
  },
  properties: { in: ['testsuite'], has: [] },
  property: { in: ['properties'], has: ['name!', 'value!'] },
  testcase: { in: ['testsuite'], has: ['name!', 'time', 'classname', 'group'] },
  skipped: { in: ['testcase'], has: ['type', 'message'] },
  error: { in: ['testcase'], has: ['type', 'message'] },
  failure: { in: ['testcase'], has: ['type', 'message'] },
};

const findJenkinsErrors = (xml: string): string[] =>
  parseElements(xml).flatMap(({ name, parent, attributes }) => {
    const rule = JENKINS[name];
    if (!rule) return [`<${name}> is unknown`];
    const known = rule.has.map((each) => each.replace('!', ''));
    const required = rule.has.filter((each) => each.endsWith('!')).map((each) => each.slice(0, -1));
    return [
      ...(rule.in.includes(parent) ? [] : [`<${name}> stands in <${parent}>`]),
      ...Object.keys(attributes).flatMap((each) => (known.includes(each) ? [] : [`<${name}> has ${each}`])),
      ...required.flatMap((each) => (each in attributes ? [] : [`<${name}> has no ${each}`])),
      ...(name !== 'testcase' && !SECONDS.test(attributes.time ?? '0') ? [`<${name}> takes ${attributes.time} s`] : []),
    ];
  });

test('the check refuses XML that Jenkins does not accept', () => {
  const suite = 'name="a" tests="1" failures="0" errors="0"';
  const sound = `<testsuites><testsuite ${suite} time="0.25"><testcase name="b"/></testsuite></testsuites>`;
  expect(findJenkinsErrors(sound)).toEqual([]);
  for (const [from, to, wrong] of [
    ['<testsuites>', '<testsuites skipped="1">', '<testsuites> has skipped'],
    [' errors="0"', '', '<testsuite> has no errors'],
    ['time="0.25"', 'time="1 s"', '<testsuite> takes 1 s s'],
    ['<testcase name="b"/>', '<error/>', '<error> stands in <testsuite>'],
    ['<testcase name="b"/>', '<note/>', '<note> is unknown'],
  ] as const)
    expect(findJenkinsErrors(sound.replace(from, to))).toEqual([wrong]);
});

test.describe('junit.xml', () => {
  const xml = renderJUnit(
    reported(judged([received('200 text/html <GET> & "more"', 'list.succeeds'), makeTest('add.echo', 'cantTell')])),
  );

  test('satisfies Jenkins for every verdict', () => {
    const reports = [
      judged([makeTest('add.echo', 'inapplicable'), makeTest('list.succeeds', 'untested')]),
      judged([makeTest('add.location', 'failed'), makeTest('add.echo', 'failed')], { waivers }),
      judged([], { errors: ['boom'] }),
    ];
    expect([xml, ...reports.map((report) => renderJUnit(reported(report)))].flatMap(findJenkinsErrors)).toEqual([]);
  });

  test('names its test cases by requirement', () => {
    const closed = REQUIREMENTS.filter(({ level }) => level !== 'open');
    for (const { id, statement } of closed) expect(caseOf(xml, id)).toContain(` name="${id}: ${statement}"`);
    // Open points are not test cases.
    expect(namesOf(xml).filter((name) => name === 'testcase')).toHaveLength(closed.length);
    expect(xml).not.toContain('open.order');
    // Jenkins' schema has no `skipped` on testsuites.
    expect(xml).toMatch(/<testsuites [^>]*tests="3" failures="1" errors="1" time=/);
    expect(xml).toMatch(/<testsuite [^>]*skipped="0"/);
  });

  test('groups them by operation and area', () => {
    expect(caseOf(xml, 'add.echo')).toContain('classname="conformance.POST /pets.other" ');
    expect(caseOf(xml, 'list.succeeds')).toContain('classname="conformance.GET /pets.other" ');
  });

  test('a violation is a failure', () => {
    expect(caseOf(xml, 'list.succeeds')).toMatch(
      /<failure type="failed" message="Problem 1: .*&lt;GET&gt; &amp; &quot;more&quot;/s,
    );
  });

  test('a requirement that could not be judged is an error', () => {
    expect(caseOf(xml, 'add.echo')).toContain('<error type="cantTell"');
  });

  test('a passed requirement is an empty test case', () => {
    expect(caseOf(xml, 'add.location')).toMatch(/\/>$/);
  });

  test('a requirement that is not applicable or not tested is skipped with its reason', () => {
    const skipped = renderJUnit(
      reported(judged([makeTest('add.echo', 'inapplicable'), makeTest('list.succeeds', 'untested')])),
    );
    expect(caseOf(skipped, 'add.echo')).toContain('<skipped message="not applicable: because it inapplicable"/>');
    expect(caseOf(skipped, 'list.succeeds')).toContain('<skipped message="not tested: because it untested"/>');
  });

  test('a violation that does not fail the run is skipped with its findings', () => {
    const green = renderJUnit(
      reported(judged([makeTest('add.location', 'failed'), makeTest('add.echo', 'failed')], { waivers })),
    );
    expect(green).toContain('failures="0" errors="0"');
    expect(caseOf(green, 'add.location')).toMatch(
      /<skipped message="not followed, which does not fail the run: Problem \d: /,
    );
    expect(caseOf(green, 'add.echo')).toContain('waived until 2026-12-31 by the shop team: SHOP-12');
  });

  test('mistakes of the suite are separate from the requirements', () => {
    const broken = renderJUnit(reported(judged([], { errors: ['boom'] }), ['boom']));
    expect(broken).toMatch(/<testsuite name="the suite itself" tests="1" failures="0" errors="1"/);
    expect(caseOf(broken, 'error 1')).toContain('boom');
  });

  test('stays XML for any text of the target', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (reason) => {
        parseElements(
          renderJUnit(reported(judged([received(reason), makeTest('list.succeeds', 'untested', { reason })]))),
        );
      }),
    );
  });
});

test.describe('annotations', () => {
  test('have one error of one line for each problem and for each unjudged requirement', () => {
    const lines = renderAnnotations(
      reported(judged([received('50 %\nof: them', 'list.succeeds'), makeTest('add.echo', 'cantTell')])),
    );
    expect(lines).toEqual([
      [
        '::error title=Problem 1::POST /pets: Location is 50 %25 of: them, a path is specified',
        'Expected Location: a path; received Location: 50 %25 of: them.',
        'Violates list.succeeds.',
        'Run again: BASE_URL=https://shop.example/v1 npx playwright test --grep @list.succeeds',
      ].join('%0A'),
      '::error title=Not judged%3A add.echo::What was sent is echoed.%0Aa test of add.echo: because it cantTell',
    ]);
  });

  test('have one error for a problem of several requirements, and none for a hidden one', () => {
    const lines = renderAnnotations(
      reported(judged([makeTest('add.echo', 'failed'), makeTest('list.succeeds', 'cantTell', { see: 'add.echo' })])),
    );
    expect(lines).toHaveLength(1);
    expect(lines[0]).toContain('%0AHides 1 requirement that could not be judged.%0A');
    const twice = renderAnnotations(
      reported(judged([makeTest('add.echo', 'failed'), makeTest('list.succeeds', 'failed')])),
    );
    expect(twice).toEqual([expect.stringContaining('Violates list.succeeds, add.echo.')]);
  });

  test('have no more lines than GitHub shows', () => {
    const errors = Array.from({ length: 30 }, (_, i) => `error ${i}`);
    const lines = renderAnnotations(reported(judged([], { errors }), errors));
    expect(lines).toHaveLength(10);
    expect(lines.at(-1)).toContain('21 more');
  });

  test('have no error for a green run', () => {
    expect(renderAnnotations(reported())).toEqual([]);
    expect(renderAnnotations(reported(judged([makeTest('add.echo', 'untested')])))).toEqual([
      expect.stringMatching(/^::warning title=Partial::/),
    ]);
    expect(renderAnnotations(reported(judged([makeTest('add.echo', 'failed')], { waivers })))).toEqual([
      '::notice title=Waived add.echo::until 2026-12-31 by the shop team: SHOP-12',
    ]);
  });
});

test.describe('summary.md', () => {
  test('distinguishes the three kinds of red', () => {
    const of = (outcome: 'failed' | 'cantTell' | 'error', errors: string[] = []) =>
      renderSummary(reported(judged([makeTest('add.echo', outcome)], { errors }), errors));
    expect(of('failed')).toMatch(
      /^## ❌ Violates 1 of 2 requirements, 1 problem\n\nTarget: .*\n\nThe implementation violates the specification/,
    );
    expect(of('failed')).toContain('### Problems\n\n1. **POST /pets: 422, 400 is specified**\n');
    expect(of('cantTell')).toMatch(
      /^## ❓ No verdict: 1 of 2.*\n\nTarget: .*\n\nNo verdict: not enough could be judged/,
    );
    expect(of('cantTell')).toContain('### Not judged\n');
    expect(of('error', ['boom'])).toMatch(/^## 💥 .*\n\nTarget: .*\n\nThe suite or its settings are at fault/);
    expect(of('error', ['boom'])).toContain('- boom\n');
  });

  test('lists untested and waived requirements', () => {
    expect(renderSummary(reported(judged([makeTest('add.echo', 'untested')])))).toContain(
      '| because it untested | `add.echo` |',
    );
    expect(renderSummary(reported(judged([makeTest('add.echo', 'failed')], { waivers })))).toContain(
      '| `add.echo` | What was sent is echoed. | 2026-12-31 | the shop team | SHOP-12 |',
    );
  });

  test('escapes all text of the target', () => {
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
    expect(row).not.toContain('<script>');
    expect(plain(row ?? '')).not.toMatch(/[[\]!@]/);
  });
});

test.describe('the badge', () => {
  const badges: [Verdict, string, Parameters<typeof judged>][] = [
    ['conforms', 'conforms to 1.0.0', [[]]],
    ['conforms', 'conforms with 1 waiver', [[makeTest('add.echo', 'failed')], { waivers }]],
    ['violates', 'violates 1', [[makeTest('add.echo', 'failed')]]],
    ['cantTell', 'no verdict', [[makeTest('add.echo', 'cantTell')]]],
    ['partial', 'partial', [[makeTest('add.echo', 'untested')]]],
    ['error', 'error', [[], { errors: ['boom'] }]],
  ];
  for (const [verdict, message, given] of badges) {
    test(`shows "${message}" for ${verdict}`, () => {
      const report = reported(judged(...given));
      expect(report.verdict).toBe(verdict);
      expect(makeBadge(report)).toMatchObject({ schemaVersion: 1, label: 'conformance', message });
    });
  }

  test('is plain green only for a run that conforms without a waiver', () => {
    const green = badges.filter(([, , given]) => makeBadge(reported(judged(...given))).color === 'brightgreen');
    expect(green.map(([, message]) => message)).toEqual(['conforms to 1.0.0']);
  });
});
