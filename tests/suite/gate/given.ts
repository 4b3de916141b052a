/** Makes what the gate judges: tests that said something, and reports, lawful in everything but what a test gives. */
import type { Requirement, RequirementId } from '../../../fixtures/contract/requirements.ts';
import type { TestOutcome, Wrong } from '../../../fixtures/judge/outcome.ts';
import { causesOf } from '../../../fixtures/report/causes.ts';
import { composeReport } from '../../../fixtures/report/compose.ts';
import type { ConformanceReport } from '../../../fixtures/report/model.ts';
import { type Input, type Judged, sentenceOf, type Summary, summarize } from '../../../fixtures/report/outcomes.ts';

/** Two requirements that must hold, one that should, and one that is open. */
export const REQUIREMENTS = [
  { id: 'list.succeeds', level: 'must', section: '4.1', statement: 'A list is answered.' },
  { id: 'add.echo', level: 'must', section: '4.2', statement: 'What was sent is echoed.' },
  { id: 'add.location', level: 'should', section: '4.2', statement: 'A 201 carries Location.', source: 'RFC 9110' },
  { id: 'open.order', level: 'open', section: '4.1', statement: 'The order of a list.' },
].map((requirement) => ({ since: { contract: '1.0.0', suite: '1.0.0' }, ...requirement })) as Requirement[];

const NOW = new Date('2026-06-15T12:00:00Z');

/** What a test said: of a failure what was sent, allowed and received, of anything else but a pass the reason. */
export const said = (
  requirement: string,
  outcome: TestOutcome['outcome'],
  more: Partial<TestOutcome> = {},
): TestOutcome => ({
  requirement: requirement as RequirementId,
  title: `a test of ${requirement}`,
  outcome,
  ...(outcome === 'failed' && { wrong: [wrong()] }),
  ...(outcome !== 'passed' && outcome !== 'failed' && { reason: `because it ${outcome}` }),
  exchanges: [],
  ...more,
});

/** Something that is wrong, seen in exchange 7. */
export const wrong = (more: Partial<Wrong> = {}): Wrong => ({
  sent: 'POST /pets with the key',
  allowed: 'status 400',
  received: '422 application/json {}',
  exchanges: [7],
  ...more,
});

export const PASSED = REQUIREMENTS.filter(({ level }) => level !== 'open').map(({ id }) => said(id, 'passed'));

/** All requirements passed, but for those with tests among `tests`. */
export function judged(tests: readonly TestOutcome[] = [], more: Partial<Input> = {}): Summary {
  const named = new Set(tests.map(({ requirement }) => requirement));
  return summarize({
    requirements: REQUIREMENTS,
    tests: [...PASSED.filter(({ requirement }) => !named.has(requirement)), ...tests],
    level: 'must',
    errors: [],
    observed: new Map(),
    now: NOW,
    ...more,
  });
}

export function judgedAs(summary: Summary, id: string): Judged {
  const found = summary.requirements.find((requirement) => requirement.id === id);
  if (!found) throw new Error(`the summary says nothing of ${id}`);
  return found;
}

/** A report of such a judgement, as a run without any test makes it but for that. */
export function reported(summary: Summary = judged(), errors: readonly string[] = []): ConformanceReport {
  const ran = { facts: undefined, tests: [], exchanges: [], waitedSeconds: 0, startedAt: NOW, durationMs: 4000 };
  const causes = causesOf(summary.requirements, []);
  return {
    ...composeReport({ ...ran, errors }),
    ...summary,
    causes,
    sentence: sentenceOf(summary, errors, causes),
    target: 'https://shop.example/v1',
    again: 'BASE_URL=https://shop.example/v1',
  };
}
