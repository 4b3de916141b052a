import { expect } from '@playwright/test';
import { notJudged } from '../../../fixtures/plan/not-judged.ts';
import { toBeSatisfied } from '../../../fixtures/expect/matchers.ts';
import { cantTell, judged, skipped } from '../../../fixtures/judge/judgement.ts';
import { exchange, said, test, wrongStatus } from './make.ts';

test('passes if a judgement holds, and keeps on what', () => {
  const held = judged([], '121 of 121 responses', [exchange({ number: 3 })]);
  expect(said(() => toBeSatisfied(held))).toBe('passes');
  expect(toBeSatisfied(held)).toBe(held);
});

test('fails with the first violation, and keeps the others', () => {
  const violated = judged(
    [4, 9, 11].map((number) => wrongStatus(400 + number, exchange({ number }))),
    '',
    [],
  );
  expect(said(() => toBeSatisfied(violated))).toBe('fails: status 404');
  expect(toBeSatisfied(violated)).toBe(violated);
});

test('neither passes nor fails if it could not be judged', () => {
  expect(said(() => toBeSatisfied(skipped(notJudged.emptyStore())))).toBe('untested: the store is empty');
  expect(said(() => toBeSatisfied(skipped(notJudged.customPlan('x'))))).toMatch(/^inapplicable: /);
  const unread = cantTell('it is not JSON', [exchange({ number: 5 })]);
  expect(said(() => toBeSatisfied(unread))).toBe('cannot tell: it is not JSON');
  expect(toBeSatisfied(unread)).toBe(unread);
});
