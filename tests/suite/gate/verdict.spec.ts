/** The verdict comes from the set of gating requirements, not from the tests that ran; a waiver covers violations of one. */
import { expect } from '@playwright/test';
import { renderSentence } from '../../../fixtures/report/model/build-report.ts';
import type { Input, Verdict } from '../../../fixtures/report/model/outcomes.ts';
import { proposeWaivers } from '../../../fixtures/report/out/summary.ts';
import { findSelected } from '../../../fixtures/begin.ts';
import { findNarrowing } from '../../../fixtures/settings/run.ts';
import { allowed } from '../../../fixtures/run.ts';
import { parseWaivers, type Waiver } from '../../../fixtures/settings/waivers.ts';
import { test } from '../unit/make.ts';
import { finding, judged, judgedAs, makeTest, REQUIREMENTS } from './given.ts';

const waiver = (more: Partial<Waiver> = {}): Waiver => ({
  ...{ requirement: 'add.echo', reason: 'SHOP-12', owner: 'the shop team', expires: '2026-06-15' },
  ...more,
});
type Tests = Parameters<typeof judged>[0];

const waived = { waivers: [waiver()] };
const ofAddition = { waivers: [waiver({ operation: 'addPet' })] };
const echo = (...given: Parameters<typeof makeTest> extends [string, ...infer Rest] ? Rest : never) =>
  makeTest('add.echo', ...given);
const on = (operation: string, outcome: 'failed' | 'passed' | 'cantTell') => echo(outcome, { operation });
const half = ['list.succeeds', 'add.echo'].flatMap((id) => [
  makeTest(id, 'passed'),
  makeTest(id, 'untested', { notSelected: true }),
]);

/** What two gating requirements and a recommendation lead to; those without a test passed. */
// prettier-ignore
const ROWS: [title: string, verdict: Verdict, words: string, tests?: Tests, more?: Partial<Input>][] = [
  ['nothing else', 'conforms', 'conforms: all 2 requirements hold'],
  ['a failure', 'violates', 'violates 1 of 2', [echo('failed')]],
  ['a requirement that could not be judged', 'cantTell', 'no verdict: 1 of 2 requirements could not be judged, none is violated', [echo('cantTell')]],
  ['an untested requirement', 'partial', '1 requirement holds, none is violated, 1 not tested', [echo('untested')]],
  ['a requirement that is not applicable', 'conforms', 'conforms: all 1 requirement holds', [echo('inapplicable')]],
  ['a recommendation that is not followed', 'conforms', 'all 2 requirements hold', [makeTest('add.location', 'failed')]],
  ['the same, with LEVEL=should', 'violates', 'violates 1 of 3', [makeTest('add.location', 'failed')], { level: 'should' }],
  ['a failure and a requirement that could not be judged', 'violates', '1 could not be judged', [echo('failed'), makeTest('list.succeeds', 'cantTell')]],
  ['only recommendations that were judged', 'cantTell', 'no verdict: no requirement was judged', [echo('inapplicable'), makeTest('list.succeeds', 'untested')]],
  ['no judged test', 'cantTell', 'no verdict: no requirement was judged', REQUIREMENTS.map(({ id }) => makeTest(id, 'inapplicable'))],
  ['no fully tested requirement', 'partial', 'partial', half],
  ['a mistake of the suite beside a failure', 'error', 'nothing is known of the target', [echo('failed')], { errors: ['a mistake'] }],
  ['a waived violation', 'conforms', 'conforms with 1 waiver: 1 of 2 requirements hold, 1 violated under a waiver', [echo('failed')], waived],
  ['a waiver on its last day', 'conforms', '1 waiver', [echo('failed')], { ...waived, now: new Date('2026-06-15T23:59:59Z') }],
  ['a waiver on the next day', 'violates', 'violates 1 of 2', [echo('failed')], { ...waived, now: new Date('2026-06-16T00:00:00Z') }],
  ['an expired waiver of what cannot be judged', 'error', 'the waivers are out of date', [echo('inapplicable')], { waivers: [waiver({ expires: '2026-01-01' })] }],
  ['a waiver of a passing requirement', 'error', 'the waivers are out of date, and nothing else is wrong', [], waived],
  ['a waiver of a partly tested requirement', 'conforms', 'all 2', [echo('passed'), echo('untested')], waived],
  ['a waiver of another requirement', 'violates', 'violates 1 of 2', [echo('failed'), makeTest('list.succeeds', 'failed')], waived],
  ['a waiver of what could not be judged', 'cantTell', 'no verdict', [echo('cantTell')], waived],
  ['a waiver for the operation that violates', 'conforms', '1 waiver', [on('addPet', 'failed'), on('getPet', 'passed')], ofAddition],
  ['a waiver for one of two operations that violate', 'violates', 'violates 1 of 2', [on('addPet', 'failed'), on('getPet', 'failed')], ofAddition],
  ['a waiver for an operation beside another one that could not be judged', 'cantTell', 'no verdict', [on('addPet', 'failed'), on('getPet', 'cantTell')], ofAddition],
  ['a waiver for an operation beside a violation without one', 'violates', 'violates 1 of 2', [on('addPet', 'failed'), echo('failed')], ofAddition],
];
for (const [title, verdict, words, tests = [], more = {}] of ROWS)
  test(`${title}: ${verdict}`, () => {
    const summary = judged(tests, more);
    expect(summary.verdict).toBe(verdict);
    expect(renderSentence(summary, more.errors)).toContain(words);
  });

test('a waiver that has expired or is stale is named', () => {
  const later = judged([echo('failed')], { ...waived, now: new Date('2026-06-16T00:00:00Z') });
  expect(later.waiverMistakes[0]).toContain('the waiver of add.echo (the shop team) expired on 2026-06-15');
  // There is nothing left to fix, if it has expired as well.
  for (const waivers of [[waiver()], [waiver({ expires: '2026-01-01' })]])
    expect(judged([], { waivers }).waiverMistakes).toEqual([
      expect.stringContaining('is stale: the requirement passes'),
    ]);
  // That operation passes, even if another one fails.
  const other = judged([on('addPet', 'passed'), on('getPet', 'failed')], ofAddition);
  expect(other.waiverMistakes[0]).toContain('the waiver of add.echo on addPet (the shop team) is stale');
});

test('a requirement without a test result does not pass, and a derived one is left out', () => {
  const tests = [makeTest('list.succeeds', 'passed')];
  expect(judgedAs(judged([], { tests }), 'add.echo')).toMatchObject({
    outcome: 'cantTell',
    reasons: ['no test judges it: the contract no longer has what it speaks of'],
  });
  const derived = REQUIREMENTS.map((each) => (each.id === 'add.echo' ? { ...each, derived: true as const } : each));
  const smaller = judged([], { requirements: derived, tests });
  expect(smaller.requirements.map(({ id }) => id)).not.toContain('add.echo');
  expect(smaller.verdict).toBe('conforms');
  // With a test it counts.
  expect(judged([], { requirements: derived, tests: [...tests, echo('failed')] }).verdict).toBe('violates');
});

test('a requirement passes if one of its tests could have failed and none was left out', () => {
  const passed = [echo('passed'), echo('untested', { reason: 'READ_ONLY=1', remedy: 'READ_ONLY=0' })];
  expect(judgedAs(judged(passed), 'add.echo')).toMatchObject({ outcome: 'passed', cases: passed });
  expect(judgedAs(judged(passed.slice(1)), 'add.echo').reasons).toEqual(['READ_ONLY=1. To test it: READ_ONLY=0']);
  const selected = judged([echo('passed'), echo('untested', { reason: 'not selected', notSelected: true })]);
  expect(judgedAs(selected, 'add.echo').outcome).toBe('untested');
  expect(selected.leftOut).toEqual([{ reason: 'not selected', requirements: ['add.echo'] }]);
});

test('findings are reported once for each test, with the decisive exchange first', () => {
  const tests = [
    echo('failed', {
      findings: [finding('add.echo', { exchanges: [9, 3] }), finding('add.echo')],
      more: 4,
      exchanges: [3, 9, 12],
    }),
    echo('passed', { title: 'another', exchanges: [1] }),
  ];
  const found = judgedAs(judged(tests), 'add.echo');
  expect(found.evidence).toEqual([9, 3, 7, 12]);
  expect(found.reasons).toEqual([
    'a test of add.echo: POST /pets: expected status 400; received status 422 (and 5 more)',
  ]);
});

test('the reporter distinguishes options that skip tests from others', () => {
  const narrowing = (...args: string[]) => findNarrowing(['node', 'cli.js', 'test', ...args]);
  expect(narrowing('--reporter=list', '--reporter', 'dot', '-j', '2', '--trace=on', '-x', '--output', 'x')).toEqual([]);
  expect(narrowing('--workers=4', '--fully-parallel', '--add-reporter=line')).toEqual([]);
  for (const args of [['-g', 'x'], ['list.spec.ts'], ['--last-failed'], ['--project=after'], ['--unheard-of']])
    expect(narrowing(...args)).toEqual(args);
  expect(findNarrowing(['node', 'cli.js', 'show-report', 'folder'])).toEqual([]);
});

test('the requests of a narrowed run are counted by the tags of its command, else as those of all', () => {
  for (const args of [['--grep', '@list.limit.caps|@get.found'], ['-g=@get.found|@list.limit.caps']])
    expect(findSelected(args)).toEqual(['list.limit.caps', 'get.found']);
  expect(findSelected(['--grep=@list.limit'])?.every((id) => id.startsWith('list.limit'))).toBe(true);
  expect(findSelected(['-g', '@must'])).toContain('add.created');
  for (const args of [[], ['-g', 'GET'], ['-g', '@get.found|GET'], ['-g', '@get.found', 'x'], ['--last-failed']])
    expect(findSelected(args)).toBeUndefined();
});

const ENTRY = `
- requirement: add.echo
  reason: SHOP-12
  owner: the shop team
  expires: 2026-06-15
`;

test('a waiver file is read unchanged, with its dates as text; it may be empty, or name what is no longer judged', () => {
  const read = (text: string) => parseWaivers(text, allowed);
  const waivers = [waiver({ operation: 'addPet' })];
  expect(read(`# known\n${ENTRY}  operation: addPet\n`)).toEqual({ waivers, mistakes: [] });
  for (const text of ['', '\n# nothing yet\n', '[]']) expect(read(text)).toEqual({ waivers: [], mistakes: [] });
  expect(read(ENTRY.replace('add.echo', 'service.stateless')).mistakes).toEqual([]);
});

const REFUSED: [title: string, text: string, mistake: string][] = [
  ['no YAML', '- [', 'waivers.yaml is not valid YAML'],
  ['no list', 'requirement: add.echo', 'expected a list of waivers'],
  ['an unknown requirement', ENTRY.replace('add.echo', 'add.ecco'), 'entry 1 (add.ecco): there is no such requirement'],
  ['no requirement', ENTRY.replace('add.echo', ''), 'requirement is missing'],
  ['no reason', ENTRY.replace('SHOP-12', ''), 'entry 1 (add.echo): reason is missing'],
  ['no owner', ENTRY.replace('  owner: the shop team\n', ''), 'owner is missing'],
  ['no expiry', ENTRY.replace('  expires: 2026-06-15\n', ''), 'expires is missing'],
  ['an expiry that is not a day', ENTRY.replace('2026-06-15', '2026-02-31'), 'expected a day as YYYY-MM-DD'],
  ['an expiry without an end', ENTRY.replace('2026-06-15', 'never'), 'expected a day as YYYY-MM-DD'],
  ['an unknown operation', `${ENTRY}  operation: addPets\n`, 'operation is "addPets"'],
  ['an unknown field', `${ENTRY}  expiry: 2027-01-01\n`, 'expiry is unknown'],
  ['a requirement that is never judged', ENTRY.replace('add.echo', 'open.order'), 'never judged'],
  ['an entry that is not a mapping', '- add.echo', 'requirement is missing'],
];
test('a waiver file with mistakes is refused', () => {
  for (const [title, text, mistake] of REFUSED) {
    const { waivers, mistakes } = parseWaivers(text, allowed);
    expect(waivers, title).toEqual([]);
    expect(mistakes.join('\n'), title).toContain(mistake);
  }
});

test('the entry to paste is refused until it is filled in', () => {
  const entry = proposeWaivers([{ id: 'add.echo', statement: 'x' }], new Date('2026-06-15T12:00:00Z'));
  const missing = ['reason', 'owner'].map((name) => `waivers.yaml, entry 1 (add.echo): ${name} is missing`);
  expect(parseWaivers(entry, allowed).mistakes).toEqual(missing);
  const filled = entry.replace('reason:', 'reason: SHOP-12').replace('owner:', 'owner: the shop team');
  expect(parseWaivers(filled, allowed).waivers).toEqual([waiver({ expires: '2026-07-15' })]);
});
