/** One way to count, in every form of the report; what a report names; and the file of all exchanges. */
import { expect } from '@playwright/test';
import { AREAS, HARMS, harms, requirements } from '../../../fixtures/contract/requirements.ts';
import { difference } from '../../../fixtures/judge/finding.ts';
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
  findings: [
    {
      ...{ requirement, operation: 'listPets', exchanges: [] },
      differences: [difference('wrong status', 'status', { expected: [200], actual: 418 })],
    },
  ],
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
  `${gating.length} requirements: 1 failed, 1 not tested, 1 waived, 1 not applicable, ${gating.length - 4} passed`,
  `${advice.length - 1} of ${advice.length} recommendations followed`,
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
  for (const line of LINES)
    for (const [name, text] of Object.entries({ page, terminal: tableOf(mixed), summary: summaryOf(mixed) }))
      expect(text, name).toContain(line);
  for (const [name, text] of Object.entries({ terminal: tableOf(mixed), summary: summaryOf(mixed) }))
    expect(text, name).toContain(countedLine(mixed, 'open'));
  expect(countedLine(mixed, 'open')).toBe(
    `Left open by the specification: ${open.length} points, ${mixed.open.observed} observed`,
  );
  expect(page).toContain(`(${mixed.observations.length} of ${open.length} observed)`);
  // What does not apply is not one of those that could have been violated.
  expect(mixed.sentence).toBe(`violates 1 of ${gating.length - 1} requirements, 1 problem`);
  expect(badgeJson(mixed).message).toBe('violates 1');
  const xml = junitOf(mixed);
  expect(xml).toContain(`<testsuite name="requirements" tests="${gating.length}" failures="1" errors="0" skipped="3"`);
  expect(xml).toContain(
    `<testsuite name="recommendations" tests="${advice.length}" failures="0" errors="0" skipped="1"`,
  );
  expect(xml).not.toContain('open points');
});

test('the numbers of a verdict are those of the counts', () => {
  const held = reportOf(testsWith([without('get.found', 'inapplicable'), failing('add.location')]));
  expect(held.sentence).toBe(`conforms: all ${gating.length - 1} requirements hold`);
  const partial = reportOf(testsWith([without('get.found', 'untested'), failing('add.location')]));
  expect(partial.sentence).toBe(
    `incomplete: ${gating.length - 1} requirements hold, none is violated, 1 not tested (because it is untested)`,
  );
});

test('LEVEL=should counts recommendations among what gates', () => {
  const report = reportOf(testsWith([failing('add.location')]), [], { level: 'should' });
  expect(report.counts.failed).toBe(1);
  expect(countedLine(report, 'advice')).toBe('0 of 0 recommendations followed');
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

test('the terminal shows each problem once, with the address of the report and the verdict last', () => {
  const titles = Array.from({ length: 30 }, (_, i) => failing('list.succeeds', `case ${i}`));
  const report = reportOf(testsWith([...titles, failing('add.echo')]));
  expect(report.sentence).toBe(`violates 2 of ${gating.length} requirements, 1 problem`);
  const lines = tableOf(report).split('\n');
  expect(lines.filter((line) => line.includes('list.succeeds'))).toEqual(['     violates  add.echo, list.succeeds']);
  expect(lines.filter((line) => line.startsWith('     again'))).toEqual([
    expect.stringMatching(/^ {5}again {5}TARGET=store .* --grep @add\.echo$/),
  ]);
  expect(lines.length).toBeLessThan(30);
  expect(lines.at(-2)).toMatch(/^Report: .*index\.html$/);
  expect(lines.at(-1)).toBe(`VIOLATES: 2 of ${gating.length} requirements, 1 problem`);
});

test('what could not be judged, or was not tested, for one reason stands in one entry', () => {
  const table = tableOf(reportOf(testsWith([without('add.echo', 'untested'), without('get.found', 'untested')])));
  // There and in the verdict.
  expect(table.match(/because it is untested/g)).toHaveLength(2);
  expect(table).toMatch(/– not tested: because it is untested\n +add\.echo, get\.found\n/);
});

test('the last line on the terminal fits a terminal, whatever the verdict is', () => {
  const long = 'because nothing of the kind was asked for in a run of this kind, '.repeat(5);
  const reports = {
    conforms: reportOf(testsWith()),
    'conforms with 1 waiver': reportOf(testsWith([failing('add.echo')]), [], { waivers: [waiver] }),
    violates: mixed,
    incomplete: reportOf(testsWith([{ ...without('add.echo', 'untested'), reason: long }])),
    'no verdict': reportOf(testsWith([{ ...without('add.echo', 'untested'), outcome: 'cantTell' }])),
    error: reportOf(testsWith(), [], { errors: [long] }),
  };
  for (const [words, report] of Object.entries(reports)) {
    const last = tableOf(report).split('\n').at(-1) ?? '';
    expect(last.length, last).toBeLessThanOrEqual(100);
    expect(last).not.toContain('…');
    expect(last.toLowerCase().startsWith(words), last).toBe(true);
    expect(last).toMatch(/^[A-Z ]+\b/);
  }
});

test('a problem of which a requirement stands in another one too is shown with what is new in it', () => {
  const found = (actual: number): TestOutcome => ({
    ...failing('list.succeeds', `a case of ${actual}`),
    findings: [
      {
        ...{ requirement: 'list.succeeds', operation: actual === 418 ? 'listPets' : 'listOrders', exchanges: [] },
        differences: [difference('wrong status', 'status', { expected: [200], actual })],
      },
    ],
  });
  const table = tableOf(reportOf(testsWith([found(418), found(419), failing('add.echo')])));
  expect(table.match(/^ {5}violates {2}.*list\.succeeds/gm)).toHaveLength(1);
  expect(table.match(/^ {5}see also {2}list\.succeeds \(above\)$/gm)).toHaveLength(1);
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
  const of = (headers: Record<string, string>, implementation?: string): ConformanceReport =>
    reportOf(testsWith(), [exchange({ headers })], { implementation });

  test('is what the settings say, else what the target says of itself, else unknown', () => {
    expect(of({ Server: 'shop/2' }, 'Shop 3').implementation).toBe('Shop 3');
    expect(of({ Server: 'shop/2', 'X-App-Version': '7' }).implementation).toBe('shop/2, X-App-Version: 7');
    expect(of({}).implementation).toBeUndefined();
  });

  test('is named with the suite, its commit, the contract and the run', () => {
    const { contract, suite, run } = of({});
    expect(contract.digest).toMatch(/^sha256:[0-9a-f]{64}$/);
    expect(suite.version).toMatch(/^\d+\.\d+\.\d+$/);
    expect(run).toMatchObject({ id: 'abc123', node: process.versions.node });
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
