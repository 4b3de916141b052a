/** Every format counts the same and names what was judged; exchanges.har has every exchange. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { AREAS, HARMS, type Level, type RequirementId, requirements } from '../../../fixtures/contract/requirements.ts';
import { KINDS, LAYERS, type ValueChange } from '../../../fixtures/trace/finding.ts';
import type { ProblemList } from '../../../fixtures/report/model/causes.ts';
import { makeBadge, writeUnfinished } from '../../../fixtures/report/out/files.ts';
import { renderHar } from '../../../fixtures/target/recording/recorded.ts';
import { renderJUnit } from '../../../fixtures/report/out/junit.ts';
import type { ConformanceReport } from '../../../fixtures/report/model/report.ts';
import type { Outcome, TestOutcome } from '../../../fixtures/report/model/outcomes.ts';
import { LISTS, VERDICTS } from '../../../fixtures/report/model/outcomes.ts';
import { renderTerminal } from '../../../fixtures/report/out/terminal.ts';
import { renderPage } from '../../../fixtures/report/out/page.ts';
import { makeStoppedReport } from '../../../fixtures/report/model/build-report.ts';
import { renderSummary } from '../../../fixtures/report/out/summary.ts';
import { makeTest } from '../gate/given.ts';
import { exchange, expect, test } from '../unit/make.ts';
import { hugeRun, makeReport, testsWith } from './pages.ts';
import { edit, findSchemaErrors, schema, unknownFields } from './schema.ts';

const gating = requirements.filter(({ level, untestable }) => level === 'must' && untestable === undefined);
const advice = requirements.filter(({ level }) => level === 'should');
const open = requirements.filter(({ level, untestable }) => level === 'open' || untestable !== undefined);
const waiver = { requirement: 'add.echo', reason: 'SHOP-12', owner: 'the shop team', expires: '2099-01-01' };

const mixed = makeReport(
  testsWith([
    ...['list.succeeds', 'add.echo', 'add.location'].map((id) => makeTest(id, 'failed')),
    ...[makeTest('add.persists', 'untested'), makeTest('get.found', 'inapplicable')],
  ]),
  [],
  { waivers: [waiver] },
);
const LINES = [
  `${gating.length} requirements: 1 failed, 1 not tested, 1 waived, 1 not applicable, ${gating.length - 4} passed`,
  `${advice.length - 1} of ${advice.length} recommendations followed`,
];

test('every format has the same counts of requirements, recommendations and open points', () => {
  const others = { failed: 1, cantTell: 0, inapplicable: 1, untested: 1, waived: 1 };
  expect(mixed.counts).toEqual({ passed: gating.length - 4, ...others });
  expect(gating.length + advice.length + open.length).toBe(requirements.length);
  const page = renderPage(mixed, []).replaceAll(/<[^>]+>/g, '');
  const texts = { page, terminal: renderTerminal(mixed), summary: renderSummary(mixed) };
  const observed = `Left open by the specification: ${open.length} points, ${mixed.open.observed} observed`;
  for (const line of [...LINES, observed])
    for (const [name, text] of Object.entries(texts)) expect(text, name).toContain(line);
  expect(texts.terminal).toContain('recommendations followed, not add.location\n');
  // Requirements that are not applicable do not count.
  expect(mixed.sentence).toBe(`violates 1 of ${gating.length - 1} requirements, 1 problem`);
  expect(makeBadge(mixed).message).toBe('violates 1');
  const xml = renderJUnit(mixed);
  expect(xml).toContain(`<testsuite name="requirements" tests="${gating.length}" failures="1" errors="0" skipped="3"`);
  expect(xml).toContain(
    `<testsuite name="recommendations" tests="${advice.length}" failures="0" errors="0" skipped="1"`,
  );
  expect(xml).not.toContain('open points');
});

test('the terminal shows each problem once, with the address of the report and the verdict last', () => {
  const titles = Array.from({ length: 30 }, (_, i) => makeTest('list.succeeds', 'failed', { title: `case ${i}` }));
  const report = makeReport(testsWith([...titles, makeTest('add.echo', 'failed')]));
  expect(report.sentence).toBe(`violates 2 of ${gating.length} requirements, 1 problem`);
  const lines = renderTerminal(report).split('\n');
  expect(lines.filter((line) => line.includes('list.succeeds'))).toEqual(['     violates  add.echo, list.succeeds']);
  expect(lines.filter((line) => line.startsWith('     again'))).toEqual([
    expect.stringMatching(/^ {5}again {5}TARGET=store .* --grep @add\.echo$/),
  ]);
  expect(lines.length).toBeLessThan(30);
  expect(lines).toContainEqual(expect.stringMatching(/^\d+ requirements: 2 failed, \d+ passed \(62 min 3 s\)$/));
  expect(lines.at(-2)).toMatch(/^Report: .*index\.html$/);
  expect(lines.at(-1)).toBe(`VIOLATES: 2 of ${gating.length} requirements, 1 problem`);
});

test('the terminal shows errors of the suite without commands of a terminal or a CI system', () => {
  const text = renderTerminal(makeReport(testsWith(), [], { errors: ['boom\n::error::\u001b[2J'] }));
  expect(text).toContain('  ! the suite: boom\n    \\u003a:error::\\u001b[2J\n');
});

/** The lines of a run in which only these tests were selected. */
function linesOf(selected: Partial<Record<RequirementId, Outcome>>): string[] {
  const chosen = Object.entries(selected).map(([id, outcome]) => makeTest(id, outcome));
  const leftOut = { outcome: 'untested', reason: 'not selected', notSelected: true } as const;
  const tests = testsWith(chosen).map((each): TestOutcome => (chosen.includes(each) ? each : { ...each, ...leftOut }));
  return renderTerminal(makeReport(tests)).split('\n');
}

test('a part of a run shows the selected requirement, and the number of the others', () => {
  for (const outcome of ['passed', 'cantTell', 'untested', 'inapplicable'] as const) {
    const lines = linesOf({ 'list.limit.caps': outcome });
    const shown = requirements.filter(({ id }) => lines.join('\n').includes(id)).map(({ id }) => id);
    expect(shown).toEqual(outcome === 'passed' ? [] : ['list.limit.caps']);
    expect(lines).toContainEqual(expect.stringMatching(/^\d+ requirements: .*\d+ not tested.* \(62 min 3 s\)$/));
    expect(lines.filter((each) => each.includes('not selected')).length).toBeLessThanOrEqual(1);
  }
  const last = linesOf({ 'add.echo': 'passed', 'list.limit.caps': 'untested' }).at(-1);
  expect(last).toMatch(/^PARTIAL: 1 requirement holds, none is violated, 1 not tested, \d+ not selected$/);
});

test('a waiver is offered only where summary.md has its entry', () => {
  const OFFER = 'paste its waiver from summary.md';
  const judged = { ...mixed, traffic: 'traffic.har' };
  expect(renderTerminal(mixed)).toContain(OFFER);
  expect(renderTerminal(mixed, false)).not.toContain(OFFER);
  expect(renderTerminal(judged)).not.toContain('waiver');
  for (const render of [renderSummary, (report: typeof mixed) => renderPage(report, [])]) {
    expect(render(mixed)).toContain(OFFER);
    expect(render(judged)).not.toContain(OFFER);
  }
});

test('the last line fits a terminal for every verdict', () => {
  const long = 'because nothing of the kind was asked for in a run of this kind, '.repeat(5);
  const reports = {
    conforms: makeReport(testsWith()),
    'conforms with 1 waiver': makeReport(testsWith([makeTest('add.echo', 'failed')]), [], { waivers: [waiver] }),
    violates: mixed,
    partial: makeReport(testsWith([makeTest('add.echo', 'untested', { reason: long })])),
    'no verdict': makeReport(testsWith([makeTest('add.echo', 'cantTell')])),
    error: makeReport(testsWith(), [], { errors: [long] }),
  };
  for (const [words, report] of Object.entries(reports)) {
    const last = renderTerminal(report).split('\n').at(-1) ?? '';
    expect(last).toMatch(/^[A-Z ]+\b[^…]{0,90}$/);
    expect(last.toLowerCase().startsWith(words), last).toBe(true);
  }
});

test('the implementation has the name of the settings, else of the target, else unknown', () => {
  const reportOf = (headers: Record<string, string>, implementation?: string): ConformanceReport =>
    makeReport(testsWith(), [exchange({ headers })], { implementation });
  expect(reportOf({ Server: 'shop/2' }, 'Shop 3').implementation).toBe('Shop 3');
  expect(reportOf({ Server: 'shop/2', 'X-App-Version': '7' }).implementation).toBe('shop/2, X-App-Version: 7');
  expect(reportOf({}).implementation).toBeUndefined();
});

test('a run that did not begin names its target', ({ setVariables }) => {
  const embedded = 'the embedded reference implementation';
  const [plain, withPassword] = ['https://store.example/v1', 'https://me:hunter2@store.example/v1'];
  const shown = { '': embedded, [plain]: plain, [withPassword]: 'https://…@store.example/v1' };
  for (const [given, target] of Object.entries(shown)) {
    setVariables({ BASE_URL: given });
    expect(makeStoppedReport({ verdict: 'error', message: 'PLAN is "gold"' }).target).toBe(target);
  }
});

test('exchanges.har has what HAR 1.2 demands of each entry, and of its request and response', () => {
  const failure = { kind: 'timeout', message: 'no answer within 10 s' } as const;
  const text = renderHar(mixed, [exchange(), exchange({ failure })], 'https://store.example/v1');
  const message = Object.fromEntries(
    ['httpVersion', 'cookies', 'headers', 'headersSize', 'bodySize'].map((name) => [name, expect.anything()]),
  );
  const entry = {
    ...{ startedDateTime: expect.any(String), time: expect.any(Number), cache: {}, timings: expect.anything() },
    ...{ request: message, response: message },
  };
  expect(JSON.parse(text)).toMatchObject({ log: { version: '1.2', entries: [entry, entry] } });
});

test.describe('the schema of conformance.json', () => {
  const asRead = (report: object): unknown => JSON.parse(JSON.stringify(report));

  const reports: Record<string, (directory: string) => object> = {
    conforms: () => makeReport(testsWith(), [exchange({ headers: { Server: 'shop/2' } })]),
    'violates, with problems and a waiver': () => mixed,
    'violates nearly everything': () => hugeRun(300)[0],
    'did not begin': () => makeStoppedReport({ verdict: 'error', message: 'The settings are wrong:\n  - PLAN' }),
    'has not finished': (directory) => {
      writeUnfinished(directory);
      return JSON.parse(readFileSync(join(directory, 'conformance.json'), 'utf8')) as object;
    },
  };

  for (const [title, report] of Object.entries(reports))
    test(`describes the report of a run that ${title}`, ({ directory }) => {
      const written = asRead(report(directory));
      expect(findSchemaErrors(written)).toEqual([]);
      expect(unknownFields(written)).toEqual([]);
    });

  test('lets later versions add fields', () => {
    const [first] = mixed.requirements;
    const later = { ...mixed, new: 1, requirements: [{ ...first, new: [] }], counts: { ...mixed.counts, new: 0 } };
    expect(findSchemaErrors(asRead(later))).toEqual([]);
  });

  const indexOf = (isMeant: (judged: (typeof mixed.requirements)[0]) => boolean): string =>
    `/requirements/${mixed.requirements.findIndex(isMeant)}`;
  const failed = indexOf(({ cases }) => cases.some(({ findings }) => findings));
  const waived = `${indexOf((judged) => judged.waiver !== undefined)}/waiver`;
  const REQUIRED = [
    ...(schema.required ?? []).map((name) => `/${name}`),
    ...['/counts/waived', '/problems/0/findings/0/layer', `${failed}/cases/0/findings/0/differences/0/place`],
    ...[`${failed}/reasons`, `${waived}/owner`, '/leftOut/0/reason'],
  ];
  const WRONG: Record<string, unknown> = {
    ...{ '/verdict': 'green', '/sentence': null, '/contract/digest': 'sha1:00', '/run/settings': [['READ_ONLY']] },
    ...{ '/counts/passed': -1, '/problems/0/list': 'open', '/problems/0/harm': 'none', '/problems/0/affected/of': 0.5 },
    ...{ '/problems/0/findings/0/kind': 'odd status', '/problems/0/findings/0/actual': { status: 418 } },
    ...{ [failed]: 'list.succeeds', [`${failed}/level`]: 'may', [`${failed}/area`]: 'other' },
    ...{ [`${failed}/evidence`]: [0], [`${failed}/cases/0/outcome`]: 'skipped', [`${waived}/expires`]: 'tomorrow' },
    ...{ '/startedAt': '1 January 2026', '/coverage/0/status': 200, '/requests/byKey': { API_KEY: 'many' } },
  };

  test('refuses a report that lacks a member, or has a wrong one, and names it', () => {
    for (const place of REQUIRED)
      expect(findSchemaErrors(edit(mixed, place)).join(), place).toContain(`'${place.split('/').at(-1)}'`);
    for (const [place, value] of Object.entries(WRONG))
      expect(findSchemaErrors(edit(mixed, place, () => value)).join(), place).toContain(place);
  });

  /** The names of a type; the compiler finds missing and unknown ones. */
  const namesOf = <Name extends string>(names: Record<Name, true>): string[] => Object.keys(names);

  const outcomes = namesOf<Outcome>({ passed: true, failed: true, cantTell: true, inapplicable: true, untested: true });

  const enumerations: Record<string, readonly string[]> = {
    verdict: Object.keys(VERDICTS),
    outcome: outcomes,
    list: Object.keys(LISTS),
    problemList: namesOf<ProblemList>({ gates: true, waived: true, advice: true }),
    level: namesOf<Level>({ must: true, should: true, open: true }),
    area: AREAS,
    harm: HARMS,
    layer: LAYERS,
    kind: Object.keys(KINDS),
    how: namesOf<ValueChange['how']>({
      ...{ 'in lower case': true, 'in upper case': true, 'with UTF-8 read as Latin-1': true, cut: true },
      ...{ 'without blanks at its ends': true, 'rounded to a double': true, 'cut to int32': true, named: true },
      ...{ 'text, not a number': true, 'a number, not text': true, 'in milliseconds, not seconds': true, null: true },
      ...{ 'in the past': true, 'more than a day ahead': true, 'more than a minute ahead': true },
      ...{ 'written as': true, 'of another animal': true },
    }),
  };

  test('every enumeration of the schema is that of the suite', () => {
    const named = Object.entries(schema.$defs).flatMap(([name, part]) => (part.enum ? [name] : []));
    expect(named.sort()).toEqual(Object.keys(enumerations).sort());
    for (const [name, values] of Object.entries(enumerations))
      expect([...(schema.$defs[name]?.enum ?? [])].sort(), name).toEqual([...values].sort());
    expect(JSON.stringify(schema).match(/"enum":/g)).toHaveLength(named.length);
    expect([...(schema.$defs.counts?.required ?? [])].sort()).toEqual(['waived', ...outcomes].sort());
    for (const { id } of requirements) expect(findSchemaErrors(id, 'requirementId'), id).toEqual([]);
  });
});
