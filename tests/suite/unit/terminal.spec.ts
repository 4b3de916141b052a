import { expect } from '@playwright/test';
import { type RequirementId, requirements } from '../../../fixtures/contract/requirements.ts';
import { rerunPrefix, readSettings } from '../../../fixtures/settings/settings.ts';
import { allowed } from '../../../fixtures/run.ts';
import { renderTerminal } from '../../../fixtures/report/out/terminal.ts';
import { finding } from '../gate/given.ts';
import { makeReport, testsWith } from '../report/pages.ts';
import { test } from './make.ts';
import type { TestOutcome } from '../../../fixtures/report/model/result.ts';

const outcomeOf = (requirement: RequirementId, outcome: TestOutcome['outcome']): TestOutcome => ({
  ...{ requirement, outcome, title: `a test of ${requirement}`, exchanges: [] },
  ...(outcome === 'failed' && { findings: [finding({ requirement })] }),
  ...((outcome === 'cantTell' || outcome === 'untested') && { reason: 'the target hangs' }),
});

const partOf = (...selected: TestOutcome[]): TestOutcome[] =>
  testsWith(selected).map((each) =>
    selected.includes(each)
      ? each
      : { ...each, outcome: 'untested', reason: 'not selected in this run', notRun: true, notSelected: true },
  );

const linesOf = (tests: readonly TestOutcome[], again = ''): string[] =>
  renderTerminal(makeReport(tests, [], { again })).split('\n');
const idsIn = (text: string): string[] => requirements.map(({ id }) => id).filter((id) => text.includes(id));

test('a part of a run shows selected outcomes, and the number of the others', () => {
  for (const [outcome, line] of [
    ['passed', '  ✓ passed: list.limit.caps'],
    ['cantTell', '      list.limit.caps'],
    ['untested', '      list.limit.caps'],
    ['inapplicable', '      list.limit.caps'],
  ] as const) {
    const lines = linesOf(partOf(outcomeOf('list.limit.caps', outcome)));
    expect(lines).toContain(line);
    expect(idsIn(lines.join('\n'))).toEqual(['list.limit.caps']);
    expect(lines.filter((each) => /recommendation|Left open/.test(each))).toEqual([]);
    expect(lines).toContainEqual(expect.stringMatching(/^1 requirement: 1 .* \(62 min 3 s\)$/));
  }
  const passed = linesOf(partOf(outcomeOf('list.limit.caps', 'passed')));
  expect(passed.filter((each) => each.includes('not selected'))).toEqual([passed.at(-1)]);
  expect(passed.at(-1)).toMatch(/^PARTIAL: 1 requirement holds, none is violated, \d+ not selected$/);
});

test('selected untested requirements are counted separately from unselected ones', () => {
  const lines = linesOf(partOf(outcomeOf('add.echo', 'passed'), outcomeOf('list.limit.caps', 'untested')));
  expect(lines.at(-1)).toMatch(/none is violated, 1 not tested, \d+ not selected$/);
});

test('the command of a problem takes the key from its variable', () => {
  const env = { BASE_URL: 'https://store.example/v1', API_KEY: 'the-key-itself' };
  const command = rerunPrefix(readSettings(allowed, env), env);
  const text = linesOf(partOf(outcomeOf('add.echo', 'failed')), command).join('\n');
  expect(text).toContain(
    'again     API_KEY="$API_KEY" BASE_URL=https://store.example/v1 npx playwright test --grep @add.echo',
  );
  expect(text).not.toContain('the-key-itself');
  expect(
    rerunPrefix(readSettings(allowed, { BASE_URL: env.BASE_URL, API_KEY: 'x' }), { BASE_URL: env.BASE_URL }),
  ).not.toContain('API_KEY');
});
