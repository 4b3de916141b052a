/** The terminal shows of a narrowed run what was selected. */
import { expect } from '@playwright/test';
import { type RequirementId, requirements } from '../../../fixtures/contract/requirements.ts';
import type { Outcome, TestOutcome } from '../../../fixtures/report/model/result.ts';
import { renderTerminal } from '../../../fixtures/report/out/terminal.ts';
import { makeTest } from '../gate/given.ts';
import { makeReport, testsWith } from '../report/pages.ts';
import { test } from './make.ts';

/** The lines of a run in which only these tests were selected. */
function linesOf(selected: Partial<Record<RequirementId, Outcome>>): string[] {
  const own = Object.entries(selected).map(([id, outcome]) => makeTest(id, outcome));
  const leftOut = { outcome: 'untested', reason: 'not selected', notRun: true, notSelected: true } as const;
  const tests = testsWith(own).map((each): TestOutcome => (own.includes(each) ? each : { ...each, ...leftOut }));
  return renderTerminal(makeReport(tests)).split('\n');
}

for (const [outcome, line] of [
  ['passed', '  ✓ passed: list.limit.caps'],
  ['cantTell', '      list.limit.caps'],
  ['untested', '      list.limit.caps'],
  ['inapplicable', '      list.limit.caps'],
] as const)
  test(`a part of a run shows the selected requirement that is ${outcome}, and the number of the others`, () => {
    const lines = linesOf({ 'list.limit.caps': outcome });
    expect(lines).toContain(line);
    const shown = requirements.flatMap(({ id }) => (lines.join('\n').includes(id) ? [id] : []));
    expect(shown).toEqual(['list.limit.caps']);
    expect(lines.filter((each) => /recommendation|Left open/.test(each))).toEqual([]);
    expect(lines).toContainEqual(expect.stringMatching(/^1 requirement: 1 .* \(62 min 3 s\)$/));
    expect(lines.filter((each) => each.includes('not selected')).length).toBeLessThanOrEqual(1);
  });

test('selected untested requirements are counted separately from unselected ones', () => {
  const last = linesOf({ 'add.echo': 'passed', 'list.limit.caps': 'untested' }).at(-1);
  expect(last).toMatch(/^PARTIAL: 1 requirement holds, none is violated, 1 not tested, \d+ not selected$/);
});
