/** A waiver covers violations of one requirement until it expires. */
import { expect } from '@playwright/test';
import { allowed } from '../../../fixtures/run.ts';
import { renderTerminal } from '../../../fixtures/report/out/terminal.ts';
import { renderSentence } from '../../../fixtures/report/model/outcomes.ts';
import { proposeWaivers, renderSummary } from '../../../fixtures/report/out/summary.ts';
import { parseWaivers, type Waiver } from '../../../fixtures/settings/waivers.ts';
import { test } from '../unit/make.ts';
import { judged, judgedAs, reported, makeTest } from './given.ts';

const waiver = (more: Partial<Waiver> = {}): Waiver => ({
  requirement: 'add.echo',
  reason: 'SHOP-12',
  owner: 'the shop team',
  expires: '2026-06-15',
  ...more,
});

const ENTRY = `
- requirement: add.echo
  reason: SHOP-12
  owner: the shop team
  expires: 2026-06-15
`;

test('an entry is read unchanged, with its date as text', () => {
  expect(parseWaivers(`# known\n${ENTRY}  operation: addPet\n`, allowed)).toEqual({
    waivers: [waiver({ operation: 'addPet' })],
    mistakes: [],
  });
});

for (const text of ['', '\n# nothing yet\n', '[]']) {
  test(`an empty waiver file is valid: ${JSON.stringify(text)}`, () => {
    expect(parseWaivers(text, allowed)).toEqual({ waivers: [], mistakes: [] });
  });
}

test('an entry for a requirement that is no longer judged is accepted', () => {
  expect(parseWaivers(ENTRY.replace('add.echo', 'service.stateless'), allowed).mistakes).toEqual([]);
});

const wrong: [title: string, text: string, mistake: string][] = [
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
  ['the same requirement twice', ENTRY + ENTRY, 'waived twice'],
  ['a requirement that is never judged', ENTRY.replace('add.echo', 'open.order'), 'never judged'],
  ['an entry that is not a mapping', '- add.echo', 'requirement is missing'],
];
for (const [title, text, mistake] of wrong) {
  test(`a waiver file is refused for ${title}`, () => {
    const { waivers, mistakes } = parseWaivers(text, allowed);
    expect(waivers).toEqual([]);
    expect(mistakes.join('\n')).toContain(mistake);
  });
}

test('a waived violation is shown, and does not fail the run', () => {
  const summary = judged([makeTest('add.echo', 'failed')], { waivers: [waiver()] });
  expect(summary.verdict).toBe('conforms');
  expect(summary.counts).toMatchObject({ waived: 1, failed: 0 });
  expect(judgedAs(summary, 'add.echo')).toMatchObject({ outcome: 'failed', waiver: waiver() });
  expect(renderSentence(summary)).toBe('conforms with 1 waiver: 1 of 2 requirements hold, 1 violated under a waiver');
});

test('a waiver holds on its last day, and fails the run on the next', () => {
  const on = (now: string) => judged([makeTest('add.echo', 'failed')], { waivers: [waiver()], now: new Date(now) });
  expect(on('2026-06-15T23:59:59Z').verdict).toBe('conforms');
  const later = on('2026-06-16T00:00:00Z');
  expect(later.verdict).toBe('violates');
  expect(later.waiverMistakes[0]).toContain('the waiver of add.echo (the shop team) expired on 2026-06-15');
});

test('an expired waiver fails the run, even if its requirement cannot be judged', () => {
  const summary = judged([makeTest('add.echo', 'inapplicable')], { waivers: [waiver({ expires: '2026-01-01' })] });
  expect(summary.verdict).toBe('error');
});

test('a waiver of a passing requirement fails the run', () => {
  const summary = judged([], { waivers: [waiver()] });
  expect(summary.verdict).toBe('error');
  expect(summary.waiverMistakes).toEqual([expect.stringContaining('is stale: the requirement passes now')]);
  expect(renderSentence(summary)).toContain('the waivers are out of date, and nothing else is wrong');
});

test('a waiver of a partly tested requirement is not stale', () => {
  const tests = [makeTest('add.echo', 'passed'), makeTest('add.echo', 'untested')];
  expect(judged(tests, { waivers: [waiver()] })).toMatchObject({ verdict: 'conforms', waiverMistakes: [] });
});

test('a waiver covers no other requirement', () => {
  const tests = [makeTest('add.echo', 'failed'), makeTest('list.succeeds', 'failed')];
  const summary = judged(tests, { waivers: [waiver()] });
  expect(summary.verdict).toBe('violates');
  expect(renderSentence(summary)).toContain('violates 1 of 2');
});

test('a waiver does not cover a requirement that could not be judged', () => {
  expect(judged([makeTest('add.echo', 'cantTell')], { waivers: [waiver()] }).verdict).toBe('cantTell');
});

test('a waiver does not cover an error of the suite', () => {
  expect(judged([makeTest('add.echo', 'error')], { waivers: [waiver()] }).verdict).toBe('error');
});

test.describe('a waiver for one operation', () => {
  const limited = { waivers: [waiver({ operation: 'addPet' })] };
  const on = (operation: string, outcome: 'failed' | 'passed' | 'cantTell') =>
    makeTest('add.echo', outcome, { operation });

  test('covers a violation of that operation', () => {
    expect(judged([on('addPet', 'failed'), on('getPet', 'passed')], limited).verdict).toBe('conforms');
  });

  test('does not cover a violation of another operation', () => {
    expect(judged([on('addPet', 'failed'), on('getPet', 'failed')], limited).verdict).toBe('violates');
  });

  test('does not cover an unjudged result of another operation', () => {
    expect(judged([on('addPet', 'failed'), on('getPet', 'cantTell')], limited).verdict).toBe('cantTell');
  });

  test('is stale if that operation passes, even if another one fails', () => {
    const summary = judged([on('addPet', 'passed'), on('getPet', 'failed')], limited);
    expect(summary.verdict).toBe('violates');
    expect(summary.waiverMistakes[0]).toContain('the waiver of add.echo on addPet (the shop team) is stale');
  });

  test('does not cover a violation without an operation', () => {
    const unnamed = makeTest('add.echo', 'failed');
    expect(judged([on('addPet', 'failed'), unnamed], limited).verdict).toBe('violates');
  });
});

test('a failing run prints the entry to paste, which is refused until it is filled in', () => {
  const violating = reported(judged([makeTest('add.echo', 'failed')]));
  expect(renderTerminal(violating)).toContain('paste its waiver from summary.md into waivers.yaml');
  expect(renderSummary(violating)).toContain('- requirement: add.echo # What was sent is echoed.');
  const entry = proposeWaivers([{ id: 'add.echo', statement: 'x' }], new Date('2026-06-15T12:00:00Z'));
  expect(parseWaivers(entry, allowed).mistakes).toEqual([
    'waivers.yaml, entry 1 (add.echo): reason is missing',
    'waivers.yaml, entry 1 (add.echo): owner is missing',
  ]);
  const filled = entry.replace('reason:', 'reason: SHOP-12').replace('owner:', 'owner: the shop team');
  expect(parseWaivers(filled, allowed).waivers).toEqual([waiver({ expires: '2026-07-15' })]);
});

test('a conforming run and a waived run print no entry', () => {
  const waived = judged([makeTest('add.echo', 'failed')], { waivers: [waiver()] });
  for (const report of [reported(), reported(waived)]) {
    expect(renderTerminal(report)).not.toContain('paste');
    expect(renderSummary(report)).not.toContain('- requirement:');
  }
});
