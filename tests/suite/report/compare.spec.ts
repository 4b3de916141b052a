/** Comparing reports: which changes are worse, exit codes and tables. */
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { RequirementId } from '../../../fixtures/contract/requirements.ts';
import { compare, type Group, isWorse, renderText } from '../../../fixtures/report/out/compare.ts';
import type { ConformanceReport } from '../../../fixtures/report/model/report.ts';
import { readReport } from '../../../fixtures/report/run/command.ts';
import { writeReport, writeUnfinished } from '../../../fixtures/report/out/files.ts';
import { makeStoppedReport } from '../../../fixtures/report/model/build-report.ts';
import { difference } from '../../../fixtures/trace/finding.ts';
import type { Problem } from '../../../fixtures/report/model/problems.ts';
import type { Outcome, RequirementResult } from '../../../fixtures/report/model/outcomes.ts';
import { command, folder, ROOT } from '../gate/spawn.ts';
import { expect, test } from '../unit/make.ts';
import { HOSTILE, makeReport, testsWith } from './pages.ts';

const CAPS: RequirementId = 'list.limit.caps';
const waiver = { requirement: CAPS, reason: 'known', owner: 'us', expires: '2030-01-01' } as const;

const passing = makeReport(testsWith());
const { requirements } = passing;

/** Every requirement passes but for these. */
const report = (outcomes: Record<string, Partial<RequirementResult>> = {}): ConformanceReport => ({
  ...{ ...passing, verdict: 'conforms', sentence: 'conforms', target: 'https://store.example/v1', problems: [] },
  requirements: requirements.map((each) => ({ ...each, ...outcomes[each.id] })),
});

const only = (outcome: Outcome, more: Partial<RequirementResult> = {}): ConformanceReport =>
  report({ [CAPS]: { outcome, ...more } });
const lacking: ConformanceReport = { ...report(), requirements: requirements.filter(({ id }) => id !== CAPS) };

/** Violates list.limit.caps. */
const problem = (title: string): Problem => {
  const finding = { requirement: CAPS, sent: 'GET /pets', exchanges: [], title: 'x' };
  return {
    ...{ title, list: 'gates', harm: 'status', operations: ['listPets'], requirements: [CAPS] },
    ...{ affected: { n: 1, of: 2 }, hides: [] },
    findings: [{ ...finding, ...difference('wrong status', 'status', { actual: 500 }) }],
  };
};

const withProblems = (...problems: Problem[]): ConformanceReport => ({
  ...(problems.length > 0 ? only('failed') : report()),
  problems,
});

const rowsIn = (title: string, ...reports: ConformanceReport[]): Group['rows'] =>
  compare(reports).find((group) => group.title === title)?.rows ?? [];

const inState = (state: string): ConformanceReport => {
  if (state === 'absent') return lacking;
  if (state === 'waived') return only('failed', { waiver });
  if (state.endsWith('followed'))
    return report({ 'add.location': { outcome: state === 'followed' ? 'passed' : 'failed' } });
  return only(state as Outcome);
};

/** What becomes of an outcome, and whether it stops a pipeline. */
const CHANGES: [title: string, was: string, is: string, worse?: true][] = [
  ['New violations', 'passed', 'failed', true],
  ['New violations', 'untested', 'failed', true],
  ['New violations', 'absent', 'failed', true],
  ['New violations', 'waived', 'failed', true],
  ['Not judged this time', 'passed', 'cantTell', true],
  ['Fixed', 'failed', 'passed'],
  ['Fixed', 'waived', 'passed'],
  ['Not tested this time', 'failed', 'untested'],
  ['Not tested this time', 'passed', 'absent'],
  ['Other changes', 'passed', 'waived'],
  ['Other changes', 'cantTell', 'passed'],
  ['Other changes', 'inapplicable', 'untested'],
  ['Other changes', 'passed', 'inapplicable'],
  ['Other changes', 'followed', 'not followed'],
];

for (const [title, was, is, worse = false] of CHANGES)
  test(`${was} → ${is}: ${title}`, () => {
    const [before, after] = [inState(was), inState(is)];
    expect(compare([before, after])).toEqual([expect.objectContaining({ title, rows: [expect.anything()] })]);
    expect(compare([before, before])).toEqual([]);
    expect(isWorse([before, after])).toBe(worse);
  });

test('a change has its problems as reasons, else that of the requirement', () => {
  const bad = withProblems(problem('GET /pets: 500 (3 of 7)'), problem('names are missing'));
  const notes = ['GET /pets: 500 (3 of 7)', 'names are missing'];
  const reasons = ['a case: expected x; received y'];
  expect(rowsIn('New violations', withProblems(), bad)).toMatchObject([{ notes }]);
  expect(rowsIn('Fixed', bad, withProblems())).toMatchObject([{ notes }]);
  expect(rowsIn('New violations', report(), only('failed', { reasons }))).toMatchObject([{ notes: reasons }]);
});

test('two reports and more are one table of what differs, without terminal commands', () => {
  const two = renderText([report(), only('failed', { reasons: [`no\u001b[2J ${HOSTILE}`] })]);
  expect(two).toMatch(/^A: https:\/\/store\.example\/v1: conforms\nB: /);
  expect(two).toMatch(/\n {19}A B\n\nNew violations\n {2}list\.limit\.caps {2}✓ ✘\n +no\\u001b/);
  expect(two).toMatch(/\nFrom A to B: new violations 1$/);
  expect(two).not.toContain('\u001b');
  const waived = { [CAPS]: { outcome: 'failed', waiver }, 'add.location': { outcome: 'failed' } } as const;
  const many: ConformanceReport[] = [
    { ...report(), implementation: 'One 1.0' },
    { ...report(waived), sentence: 'violates 1 of 54' },
    lacking,
  ];
  expect(
    renderText(many)
      .split('\n')
      .filter((line) => !line.startsWith('✘ failed, ')),
  ).toEqual([
    ...['A: One 1.0, https://store.example/v1: conforms', 'B: https://store.example/v1: violates 1 of 54'],
    ...['C: https://store.example/v1: conforms', '', '                   A B C', ''],
    ...['Requirements that differ', '  list.limit.caps  ✓ ≈  ', ''],
    ...['Recommendations that differ', '  add.location     ✓ ✘ ✓', '', ''],
    'A, B and C: requirements that differ 1, recommendations that differ 1',
  ]);
  expect(isWorse(many)).toBe(false);
  const none = renderText(Array(3).fill(report({ ...waived, [CAPS]: { outcome: 'failed' } })));
  expect(none).toMatch(/\nRequirements that pass in none\n {2}list\.limit\.caps {2}✘ ✘ ✘\n\n.*\n\n.*pass in none 1$/);
  expect(renderText([report(), report()])).toMatch(/\nFrom A to B: no difference$/);
});

function written(content: unknown): string {
  const file = join(folder().directory, 'conformance.json');
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
  return file;
}

test('a run that judged nothing cannot be relied on, whichever it is', ({ directory }) => {
  const [dead, killed] = [join(directory, 'dead'), join(directory, 'killed')];
  const stopped = makeStoppedReport({ verdict: 'cantTell', message: 'Nothing listens at https://store.example/v1' });
  writeReport(stopped, [], { directory: dead });
  writeUnfinished(killed);
  expect(readFileSync(join(killed, 'junit.xml'), 'utf8')).toContain('name="no verdict"');
  const [none, unfinished] = [dead, killed].map((folder) => readReport(join(folder, 'conformance.json')));
  for (const [words, ...reports] of [
    ['From A to B: B cannot be relied on; not tested this time', report(), none],
    ['A cannot be relied on', none, report()],
    ['A and B cannot be relied on', unfinished, none],
    ['A, B and C: C cannot be relied on', report(), only('failed'), unfinished],
  ] as [string, ...ConformanceReport[]][]) {
    expect(renderText(reports).split('\n').at(-1)).toContain(words);
    expect(isWorse(reports)).toBe(true);
  }
});

test('the exit code is 0 if nothing got worse, 1 if something did, 2 for invalid files', async () => {
  const [good, bad] = [written(report()), written(only('failed'))];
  const run = (...args: string[]) => command(ROOT, ['compare', ...args]);
  const fixed = expect.stringContaining('From A to B: fixed 1') as unknown;
  expect(await run(bad, good)).toMatchObject({ code: 0, stderr: '', stdout: fixed });
  const worse = expect.stringContaining('list.limit.caps  ✓ ✘') as unknown;
  expect(await run(good, bad)).toMatchObject({ code: 1, stdout: worse });
  // Any number of files and folders: a table, with exit code 0 if each run judged something.
  const table = expect.stringMatching(/\n {2}list\.limit\.caps {2}✓ ✘ ✓\n/) as unknown;
  expect(await run(dirname(good), bad, good)).toMatchObject({ code: 0, stderr: '', stdout: table });
  const invalid = [[good], [good, '/nowhere/none.json'], [good, bad, '--unknown'], [good, written('no JSON')]];
  for (const { code, stdout, stderr } of await Promise.all(invalid.map((args) => run(...args)))) {
    expect([code, stdout], stderr).toEqual([2, '']);
    expect(stderr).toMatch(/^\S/);
    expect(stderr).not.toMatch(/^ +at /m);
  }
});

// Every value that is shown has to be a text.
test('a report with an invalid member is refused, and the message names the place', () => {
  const [first] = report().requirements;
  for (const [fields, place] of [
    [{ verdict: 'green' }, '/verdict'],
    [{ implementation: null }, '/implementation'],
    [{ target: undefined }, "required property 'target'"],
    [{ observations: [{ id: 'open.order', statement: 'x', observed: 1 }] }, '/observed'],
    [{ requirements: [{ ...first, reasons: [1] }] }, '/requirements/0/reasons/0'],
    [{ problems: [{ ...problem('x'), findings: [{ kind: 5 }] }] }, '/problems/0/findings/0'],
  ] as const)
    expect(() => readReport(written({ ...report(), ...fields })), place).toThrow(place);
  for (const other of [null, { name: 'a package' }]) expect(() => readReport(written(other))).toThrow('is not a');
});
