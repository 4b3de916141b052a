/** A test whose precondition is missing gets the outcome of the reason. */
import { expect } from '@playwright/test';
import { requirement, startRecording, test as conformanceTest } from '../../../fixtures/index.ts';
import { notJudged } from '../../../fixtures/plan/not-judged.ts';
import { Undecided } from '../../../fixtures/target/http/undecided.ts';

const test = conformanceTest.extend<object, { worker: never }>({
  worker: [
    async ({}, use) => use({ run: { facts: {} }, client: { redact: (text: string) => text } } as never),
    { scope: 'worker' },
  ],
});

for (const [outcome, why] of [
  ['inapplicable', notJudged.customPlan('Business')],
  ['untested', notJudged.readOnly()],
  ['untested', notJudged.othersTaken()],
  ['cantTell', notJudged.notAsked()],
  ['cantTell', new Undecided('no answer')],
] as const)
  test(
    `a test whose precondition is missing is ${outcome}: ${why.message}`,
    requirement('list.succeeds'),
    ({ worker }, info) => {
      const recorder = startRecording(info, worker);
      // Playwright would end this test before it reads the outcome.
      info.skip = () => {};
      conformanceTest.skip(false, why);
      expect(recorder.outcome()).toMatchObject({ outcome: 'passed' });
      expect(() => conformanceTest.skip(true, why)).toThrow(why.message);
      expect(recorder.outcome()).toMatchObject({ requirement: 'list.succeeds', outcome, reason: why.message });
    },
  );

test('a test without a reason continues', requirement('list.succeeds'), ({ worker }, info) => {
  const recorder = startRecording(info, worker);
  conformanceTest.skip(true, undefined);
  expect(recorder.outcome()).toMatchObject({ outcome: 'passed' });
});
