/** One way to count, in every form of the report; what a report names; and the file of all exchanges. */
import { expect } from '@playwright/test';
import { AREAS, HARMS, harms, requirements } from '../../../fixtures/contract/requirements.ts';
import type { TestOutcome } from '../../../fixtures/judge/outcome.ts';
import { badgeJson } from '../../../fixtures/report/badge.ts';
import { harOf } from '../../../fixtures/report/har.ts';
import { junitOf } from '../../../fixtures/report/junit.ts';
import { type ConformanceReport, countedLine, tableOf } from '../../../fixtures/report/model.ts';
import { renderPage } from '../../../fixtures/report/page.ts';
import { summaryOf } from '../../../fixtures/report/summary.ts';
import { placeOf } from '../../../fixtures/report/words.ts';
import { exchange, test } from '../unit/make.ts';
import { reportOf, testsWith } from './pages.ts';

const failing = (requirement: TestOutcome['requirement'], title = 'a case'): TestOutcome => ({
  requirement,
  title,
  outcome: 'failed',
  wrong: [{ sent: 'GET /pets', allowed: 'this', received: 'that', exchanges: [] }],
  exchanges: [],
});
const without = (requirement: TestOutcome['requirement'], outcome: 'untested' | 'inapplicable'): TestOutcome => ({
  ...{ requirement, title: 'a case', outcome, reason: `because it is ${outcome}`, exchanges: [] },
});
const gating = requirements.filter(({ level, untestable }) => level === 'must' && untestable === undefined);
const advice = requirements.filter(({ level }) => level === 'should');
const open = requirements.filter(({ level, untestable }) => level === 'open' || untestable !== undefined);
const waiver = { requirement: 'add.echo', reason: 'SHOP-12', owner: 'the shop team', expires: '2099-01-01' };

const mixed = reportOf(
  testsWith([
    failing('list.succeeds'),
    failing('add.echo'),
    failing('add.location'),
    without('add.persists', 'untested'),
    without('get.found', 'inapplicable'),
  ]),
  [],
  { waivers: [waiver] },
);
const LINES = [
  `${gating.length} requirements: 1 failed, 1 untested, 1 waived, 1 did not apply, ${gating.length - 4} passed`,
  `${advice.length} advice: 1 failed, ${advice.length - 1} passed`,
];

test('what gates, advice and what is open are counted apart, each requirement once', () => {
  const sum = (counts: Record<string, number>) => Object.values(counts).reduce((total, count) => total + count, 0);
  expect(mixed.counts).toEqual({
    passed: gating.length - 4,
    failed: 1,
    cantTell: 0,
    inapplicable: 1,
    untested: 1,
    waived: 1,
  });
  expect([sum(mixed.counts), sum(mixed.advice), sum(mixed.open)]).toEqual([gating.length, advice.length, open.length]);
  expect(gating.length + advice.length + open.length).toBe(requirements.length);
});

test('every form of the report counts alike', () => {
  const page = renderPage(mixed, []).replaceAll(/<[^>]+>/g, '');
  for (const line of [...LINES, countedLine(mixed, 'open')])
    for (const [name, text] of Object.entries({ page, terminal: tableOf(mixed), summary: summaryOf(mixed) }))
      expect(text, name).toContain(line);
  expect(mixed.sentence).toMatch(
    new RegExp(`^violates 1 of ${gating.length} requirements: .*1 violated under a waiver$`),
  );
  expect(badgeJson(mixed).message).toBe('violates 1');
  const xml = junitOf(mixed);
  expect(xml).toContain(`<testsuite name="requirements" tests="${gating.length}" failures="1" errors="0" skipped="3"`);
  expect(xml).toContain(`<testsuite name="advice" tests="${advice.length}" failures="0" errors="0" skipped="1"`);
  expect(xml).toContain(`<testsuite name="open points" tests="${open.length}" failures="0" errors="0"`);
});

test('the numbers of a verdict are those of the counts', () => {
  const held = reportOf(testsWith([without('get.found', 'inapplicable'), failing('add.location')]));
  expect(held.sentence).toBe(`conforms: ${gating.length - 1} of ${gating.length} requirements hold; 1 did not apply`);
  const partial = reportOf(testsWith([without('get.found', 'untested'), failing('add.location')]));
  expect(partial.sentence).toContain(`1 of ${gating.length} requirements were left out`);
});

test('LEVEL=should counts advice among what gates', () => {
  const report = reportOf(testsWith([failing('add.location')]), [], { level: 'should' });
  expect(report.counts.failed).toBe(1);
  expect(countedLine(report, 'advice')).toBe('0 advice: none');
  expect(report.sentence).toMatch(new RegExp(`^violates 1 of ${gating.length + advice.length} requirements`));
});

test('a waived run is no plain green, on the badge, in the headline and on the page', () => {
  const waived = reportOf(testsWith([failing('add.echo')]), [], { waivers: [waiver] });
  expect(waived.verdict).toBe('conforms');
  expect(waived.sentence).toMatch(/^conforms with 1 waiver: /);
  expect(badgeJson(waived)).toMatchObject({ message: 'conforms with 1 waiver', color: 'yellow' });
  expect(renderPage(waived, [])).toContain('<div class="verdict waived">');
  const clean = reportOf(testsWith());
  expect(badgeJson(clean)).toMatchObject({ message: 'conforms to 1.0.0', color: 'brightgreen' });
  expect(renderPage(clean, [])).toContain('<div class="verdict passed">');
  expect(renderPage(clean, [])).not.toContain('id="waivers"');
});

test('the verdict says why, and the terminal each requirement once, with the address of the report and the verdict last', () => {
  const titles = Array.from({ length: 30 }, (_, i) => failing('list.succeeds', `case ${i}`));
  const report = reportOf(testsWith([...titles, failing('add.echo')]));
  expect(report.sentence).toContain('requirements: that (specified: this)');
  const lines = tableOf(report).split('\n');
  expect(lines.filter((line) => /✘ list\.succeeds /.test(line))).toEqual([
    expect.stringContaining('case 0 (and 29 more)'),
  ]);
  expect(lines.length).toBeLessThan(30);
  expect(lines.at(-2)).toMatch(/^The report: .*index\.html$/);
  expect(lines.at(-1)).toBe(`${report.target}: ${report.sentence}`);
});

test('what could not be told, or was left out for one reason, stands in one entry', () => {
  const table = tableOf(reportOf(testsWith([without('add.echo', 'untested'), without('get.found', 'untested')])));
  expect(table.match(/because it is untested/g)).toHaveLength(2);
  expect(table).toMatch(/– untested: because it is untested\n +add\.echo, get\.found\n/);
});

test('no text of a matcher is in any form', () => {
  for (const text of [summaryOf(mixed), junitOf(mixed), tableOf(mixed), renderPage(mixed, [])])
    expect(text).not.toContain('expect(');
});

test('every requirement that is judged has an area and a harm, and every harm its reason', () => {
  for (const { id, area, harm } of [...gating, ...advice]) {
    expect(AREAS, id).toContain(area);
    expect(HARMS, id).toContain(harm);
  }
  expect(open.filter(({ area, harm }) => area !== undefined || harm !== undefined)).toEqual([]);
  expect(Object.keys(harms)).toEqual([...HARMS]);
});

test('a requirement names its sections by number and title', () => {
  expect(placeOf({ section: '4.1, 8' })).toBe('Specification 4.1 List animals, 8 Limits');
  expect(placeOf({ section: '5', source: 'RFC 9110' })).toBe('Specification 5 Authentication; RFC 9110');
  for (const requirement of requirements)
    expect(placeOf(requirement)).toMatch(/^Specification (\d(\.\d)? [A-Z][^,;]+(, )?)+/);
});

test.describe('what was judged', () => {
  const of = (headers: Record<string, string>, settings: [string, string][] = []): ConformanceReport =>
    reportOf(testsWith(), [exchange({ headers })], { settings });

  test('is what the settings say, else what the target says of itself, else unknown', () => {
    expect(of({ Server: 'shop/2' }, [['IMPLEMENTATION', 'Shop 3']]).implementation).toBe('Shop 3');
    expect(of({ Server: 'shop/2', 'X-App-Version': '7' }).implementation).toBe('shop/2, X-App-Version: 7');
    expect(of({}, [['IMPLEMENTATION', 'not set']]).implementation).toBeUndefined();
  });

  test('is named with the suite, its commit, the contract and the run', () => {
    const { contract, suite, run } = of({});
    expect(contract.digest).toMatch(/^sha256:[0-9a-f]{64}$/);
    expect(suite.version).toMatch(/^\d+\.\d+\.\d+$/);
    expect(run).toMatchObject({ id: 'abc123', node: process.versions.node, shards: 1 });
  });
});

test('exchanges.har is HAR 1.2, with every exchange', () => {
  const exchanges = [
    exchange({ query: { limit: '2', status: 'sold' } }),
    exchange({ operation: 'addPet', status: 201, sent: '{"name":"Zoë"}' }),
    exchange({ failure: { kind: 'timeout', message: 'no answer within 10 s' } }),
  ];
  const { log } = harOf(mixed, exchanges, 'https://store.example/v1') as {
    log: { version: string; creator: object; entries: Record<string, Record<string, unknown>>[] };
  };
  expect(log).toMatchObject({ version: '1.2', creator: { name: 'animal-store-conformance' } });
  expect(log.entries).toHaveLength(3);
  const [list, added, unanswered] = log.entries;
  expect(list?.request).toMatchObject({
    method: 'GET',
    url: 'https://store.example/v1/pets?limit=2&status=sold',
    queryString: [
      { name: 'limit', value: '2' },
      { name: 'status', value: 'sold' },
    ],
  });
  expect(list?.response).toMatchObject({ status: 200, content: { mimeType: 'application/json' } });
  expect(added?.request).toMatchObject({ postData: { text: '{"name":"Zoë"}' }, bodySize: 15 });
  expect(unanswered?.response).toMatchObject({ status: 0, _error: 'no answer within 10 s' });
  // What the format demands of each entry.
  for (const entry of log.entries) {
    expect(Object.keys(entry)).toEqual(
      expect.arrayContaining(['startedDateTime', 'time', 'request', 'response', 'cache', 'timings']),
    );
    for (const part of ['request', 'response'] as const)
      expect(Object.keys(entry[part] ?? {})).toEqual(
        expect.arrayContaining(['httpVersion', 'cookies', 'headers', 'headersSize', 'bodySize']),
      );
  }
});
