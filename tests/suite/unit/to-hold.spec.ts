import { expect } from '@playwright/test';
import { notJudged } from '../../../fixtures/plan/not-judged.ts';
import { toHold } from '../../../fixtures/expect/to-hold.ts';
import { cantTell, judged, leftOut } from '../../../fixtures/judge/judgement.ts';
import { CannotTell } from '../../../fixtures/target/cannot-tell.ts';
import { exchange, said, test } from './make.ts';

const violation = (number: number) => ({
  allowed: 'three headers',
  received: `two in ${number}`,
  exchanges: [exchange({ number })],
});

test('passes where a judgement holds, and says on what', () => {
  const seen = [exchange({ number: 3 })];
  expect(toHold(judged([], '121 of 121 responses', seen))).toMatchObject({
    pass: true,
    on: '121 of 121 responses',
    exchanges: seen,
  });
});

test('fails with the first violation, and keeps the others', () => {
  const [first, second, third] = [violation(4), violation(9), violation(11)];
  const match = toHold(judged([first, second, third], '', []));
  expect(match).toMatchObject({ pass: false, ...first, others: [second, third] });
});

test('neither passes nor fails where it could not be judged', () => {
  expect(said(() => toHold(leftOut(notJudged.emptyStore())))).toBe('untested: the store is empty');
  expect(said(() => toHold(leftOut(notJudged.customPlan('x'))))).toMatch(/^inapplicable: /);
  const unread = exchange({ number: 5 });
  expect(said(() => toHold(cantTell('it is no JSON', [unread])))).toBe('cannot tell: it is no JSON');
  expect(() => toHold(cantTell('it is no JSON', [unread]))).toThrow(
    expect.objectContaining({ exchanges: [unread] }) as CannotTell,
  );
});
