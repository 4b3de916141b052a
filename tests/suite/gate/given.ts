/** Makes test outcomes and summaries of them. */
import type { Requirement, RequirementId } from '../../../fixtures/contract/requirements.ts';
import { difference } from '../../../fixtures/trace/finding.ts';
import type { Finding, Input, Outcome, RequirementResult } from '../../../fixtures/report/model/outcomes.ts';
import { summarize, type Summary, type TestOutcome } from '../../../fixtures/report/model/outcomes.ts';

export const REQUIREMENTS = [
  { id: 'list.succeeds', level: 'must', section: '4.1', statement: 'A list is answered.' },
  { id: 'add.echo', level: 'must', section: '4.2', statement: 'What was sent is echoed.' },
  { id: 'add.location', level: 'should', section: '4.2', statement: 'A 201 carries Location.', source: 'RFC 9110' },
  { id: 'open.order', level: 'open', section: '4.1', statement: 'The order of a list.' },
] as Requirement[];

/** What a test found: of a failure what is wrong, of anything else but a pass the reason. */
export const makeTest = (id: string, outcome: Outcome, more: Partial<TestOutcome> = {}): TestOutcome => ({
  ...{ requirement: id as RequirementId, title: `a test of ${id}`, outcome, exchanges: [] },
  ...(outcome === 'failed' && { findings: [finding(id)] }),
  ...(outcome !== 'passed' && outcome !== 'failed' && { reason: `because it ${outcome}` }),
  ...more,
});

export const finding = (id: string, more: Partial<Finding> = {}): Finding => ({
  ...{ requirement: id as RequirementId, operation: 'addPet', sent: 'POST /pets', exchanges: [7] },
  differences: [difference('wrong status', 'status', { expected: [400], actual: 422 })],
  ...more,
});

/** The tests, and a pass of each other requirement. */
export function withPasses(requirements: readonly Requirement[], tests: readonly TestOutcome[]): TestOutcome[] {
  const others = requirements.filter(({ id }) => !tests.some(({ requirement }) => requirement === id));
  return [...others.map(({ id }) => makeTest(id, 'passed')), ...tests];
}

const JUDGED = REQUIREMENTS.filter(({ level }) => level !== 'open');

export const judged = (tests: readonly TestOutcome[] = [], more: Partial<Input> = {}): Summary =>
  summarize({
    ...{ requirements: REQUIREMENTS, tests: withPasses(JUDGED, tests), level: 'must', errors: [] },
    ...{ observed: new Map(), now: new Date('2026-06-15T12:00:00Z') },
    ...more,
  });

export function judgedAs(summary: Summary, id: string): RequirementResult {
  const found = summary.requirements.find((requirement) => requirement.id === id);
  if (!found) throw new Error(`the summary lacks ${id}`);
  return found;
}
