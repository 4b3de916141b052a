import { expect } from '@playwright/test';
import { notJudged } from '../../../fixtures/plan/not-judged.ts';
import { toHold } from '../../../fixtures/expect/matchers.ts';
import { cantTell, judged, leftOut } from '../../../fixtures/judge/judgement.ts';
import { exchange, runMatcher, test, wrongStatus } from './make.ts';

test('toHold passes if a judgement holds, and keeps its basis', () => {
  const held = judged([], '121 of 121 responses', [exchange({ number: 3 })]);
  expect(runMatcher(() => toHold(held))).toBe('passes');
  expect(toHold(held)).toBe(held);
});

test('toHold fails with the first violation, and keeps the others', () => {
  const violated = judged(
    [4, 9, 11].map((number) => wrongStatus(400 + number, exchange({ number }))),
    '',
    [],
  );
  expect(runMatcher(() => toHold(violated))).toBe('fails: status 404');
  expect(toHold(violated)).toBe(violated);
});

test('toHold neither passes nor fails without a judgement', () => {
  expect(runMatcher(() => toHold(leftOut(notJudged.emptyStore())))).toBe('untested: the store is empty');
  expect(runMatcher(() => toHold(leftOut(notJudged.customPlan('x'))))).toMatch(/^inapplicable: /);
  const unread = cantTell('it is not JSON', [exchange({ number: 5 })]);
  expect(runMatcher(() => toHold(unread))).toBe('cannot tell: it is not JSON');
  expect(toHold(unread)).toBe(unread);
});
