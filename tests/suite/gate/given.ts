/** Makes what the gate judges: tests that said something, and reports, lawful in everything but what a test gives. */
import type { Requirement, RequirementId } from '../../../fixtures/contract/requirements.ts';
import type { ConformanceReport } from '../../../fixtures/report/model.ts';
import {
  type Input,
  type Outcome,
  sentenceOf,
  type Summary,
  summarize,
  type TestSaid,
} from '../../../fixtures/report/outcomes.ts';

/** Two requirements that must hold, one that should, and one that is open. */
export const REQUIREMENTS = [
  { id: 'list.succeeds', level: 'must', section: '4.1', statement: 'A list is answered.' },
  { id: 'add.echo', level: 'must', section: '4.2', statement: 'What was sent is echoed.' },
  { id: 'add.location', level: 'should', section: '4.2', statement: 'A 201 carries Location.', source: 'RFC 9110' },
  { id: 'open.order', level: 'open', section: '4.1', statement: 'The order of a list.' },
].map((requirement) => ({ since: { contract: '1.0.0', suite: '1.0.0' }, ...requirement })) as Requirement[];

export const said = (requirement: string, outcome: Outcome | 'error', more: Partial<TestSaid> = {}): TestSaid => ({
  requirement: requirement as RequirementId,
  title: `a test of ${requirement}`,
  outcome,
  ...(outcome !== 'passed' && { reason: `because it ${outcome}` }),
  supporting: false,
  evidence: [],
  ...more,
});

export const PASSED = REQUIREMENTS.filter(({ level }) => level !== 'open').map(({ id }) => said(id, 'passed'));

/** All requirements passed, but for those with tests among `tests`. */
export function judged(tests: readonly TestSaid[] = [], more: Partial<Input> = {}): Summary {
  const named = new Set(tests.map(({ requirement }) => requirement));
  return summarize({
    requirements: REQUIREMENTS,
    tests: [...PASSED.filter(({ requirement }) => !named.has(requirement)), ...tests],
    exchanges: [],
    level: 'must',
    errors: [],
    observed: new Map(),
    now: new Date('2026-06-15T12:00:00Z'),
    ...more,
  });
}

export const outcomeOf = (summary: Summary, id: string): Outcome | undefined =>
  summary.requirements.find((requirement) => requirement.id === id)?.outcome;

/** A report of such a judgement. */
export function reported(summary: Summary = judged(), errors: readonly string[] = []): ConformanceReport {
  return {
    ...summary,
    sentence: sentenceOf(summary, errors),
    target: 'https://shop.example/v1',
    contract: { title: 'Animal Store Service', version: '1.0.0' },
    suite: { version: '1.0.0' },
    errors,
    observations: [],
    coverage: [],
    requests: { sent: 12, byKey: {}, waitedSeconds: 0 },
    exchanges: [],
    startedAt: '2026-06-15T12:00:00.000Z',
    durationMs: 4000,
  };
}
