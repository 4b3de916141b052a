/** Bodies that differ only in the digits of their name: all accepted or all rejected. */
import { expect } from '@playwright/test';
import type { Json } from '../../../fixtures/contract/json.ts';
import { judgeSimilarBodies } from '../../../fixtures/judge/additions.ts';
import type { Exchange } from '../../../fixtures/target/http/exchange.ts';
import { addition, type Given, test, describeJudgement } from './make.ts';

let id = 0;

const add = (name: Json, more: Given = {}, categoryId = 1): Exchange =>
  addition(`add: ${String(name)}`, (id += 1), { name, categoryId }, more);

const refused: Given = { status: 400 };

test('accepting all is lawful', () => {
  expect(describeJudgement(judgeSimilarBodies([add('x-1'), add('x-2')]))).toBe('holds: 2 animals that the run added');
});

test('refusing a body like an accepted one is a violation', () => {
  const exchanges = [add('x-1'), add('x-2'), add('x-3', refused)];
  const judgement = judgeSimilarBodies(exchanges);
  expect(describeJudgement(judgement)).toBe('violated: status 400');
  const like = String(exchanges[0]?.number);
  expect(judgement).toMatchObject({
    violations: [
      { differences: [{ kind: 'refused though similar', detail: like }], exchanges: [exchanges[2], exchanges[0]] },
    ],
    judged: exchanges,
  });
});

test('limits on names and categories are lawful', () => {
  for (const other of [
    add('longer-than-x-1', refused),
    add('y-1', refused),
    add('x-31', refused),
    add('x-3', refused, 9),
    add('Zo\u00eb-1', refused),
  ])
    expect(describeJudgement(judgeSimilarBodies([add('x-1'), add('x-2'), other]))).toMatch(/^holds/);
});

test('only valid additions with the key are compared, and only 400 counts as refusal', () => {
  for (const more of [
    { ...refused, valid: false },
    { ...refused, credential: 'unknown' as const },
    { status: 409 },
    { status: 500 },
  ])
    expect(describeJudgement(judgeSimilarBodies([add('x-1'), add('x-2'), add('x-3', more)]))).toMatch(/^holds/);
});

test('fewer than two accepted bodies are untested', () => {
  expect(describeJudgement(judgeSimilarBodies([add('x-1'), add('x-2', refused)]))).toMatch(/^untested: fewer than two/);
});
