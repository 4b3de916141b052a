import { expect } from '@playwright/test';
import { notJudged } from '../../../fixtures/plan/not-judged.ts';
import { toBeSatisfied } from '../../../fixtures/expect/matchers.ts';
import { cantTell, judged, skipped } from '../../../fixtures/judge/judgement.ts';
import { exchange, runMatcher, test, wrongStatus } from './make.ts';

test('toHold passes if a judgement holds, and keeps its basis', () => {
  const held = judged([], [exchange({ number: 3 })], '121 of 121 responses');
  expect(runMatcher(() => toBeSatisfied(held))).toBe('passes');
  expect(toBeSatisfied(held)).toBe(held);
});

test('toHold fails with the first violation, and keeps the others', () => {
  const violated = judged(
    [4, 9, 11].map((number) => wrongStatus(400 + number, exchange({ number }))),
    [],
  );
  expect(runMatcher(() => toBeSatisfied(violated))).toBe('fails: status 404');
  expect(toBeSatisfied(violated)).toBe(violated);
});

test('toHold neither passes nor fails without a judgement', () => {
  expect(runMatcher(() => toBeSatisfied(skipped(notJudged.emptyStore())))).toBe('untested: the store is empty');
  expect(runMatcher(() => toBeSatisfied(skipped(notJudged.customPlan('x'))))).toMatch(/^inapplicable: /);
  const unread = cantTell('it is not JSON', [exchange({ number: 5 })]);
  expect(runMatcher(() => toBeSatisfied(unread))).toBe('cantTell: it is not JSON');
  expect(toBeSatisfied(unread)).toBe(unread);
});
