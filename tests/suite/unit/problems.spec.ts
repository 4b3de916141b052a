/** Which findings are one problem, and which are several. */
import { expect } from '@playwright/test';
import { requirements } from '../../../fixtures/contract/requirements.ts';
import { judgeRun } from '../../../fixtures/report/model/judge-run.ts';
import { summarize } from '../../../fixtures/report/model/outcomes.ts';
import { findProblems } from '../../../fixtures/report/model/problems.ts';
import type { Exchange } from '../../../fixtures/target/http/exchange.ts';
import { suite } from '../../properties/index.ts';
import { test } from './make.ts';
import { add, animal, ask, makeStore, post } from './traces.ts';

/** The titles of the problems that count for the verdict. */
function nameProblems(given: readonly Exchange[]): string[] {
  const { steps, facts } = makeStore(given);
  const exchanges = steps.map(({ exchange }) => exchange);
  const judged = judgeRun(suite, exchanges, facts);
  const summary = summarize({ requirements, ...judged, level: 'must', errors: [] });
  return findProblems(summary.requirements, exchanges).flatMap(({ list, title }) => (list === 'gates' ? title : []));
}

const { categoryId: _, ...LACKING } = animal(7);
const BODY = '{"name":"conformance-abcdef-7","categoryId":1,"status":"available"}';
const lacking = (at: number) => post(at, BODY, 201, { ...LACKING, id: at });
const wrapped = (at: number) => post(at, BODY, 201, { data: animal(at) });
const typed = { headers: { 'Content-Type': 'text/json' } };

// prettier-ignore
const ROWS: [title: string, exchanges: Exchange[], expected: (string | RegExp)[]][] = [
  ['one fault of all answers', [lacking(1), lacking(2)], [/categoryId is missing/]],
  ['a wrong key is accepted, and all answers have another fault', [lacking(1), post(2, BODY, 201, { ...LACKING, id: 2 }, { as: 'unknown' })], [/wrong credential.*: 201/, /categoryId is missing/]],
  ['malformed JSON is accepted, and all answers are useless', [wrapped(1), wrapped(2), post(3, '{"name":', 201, { data: animal(3) })], [/malformed JSON: 201/, /missing|is an? /]],
  ['only an accepted body has a useless answer', [add(1, 1), post(3, '{"name":', 201, { data: animal(3) })], [/malformed JSON: 201/]],
  ['a media type of all answers, and the shape of some', [add(1, 1, {}, typed), ask(2, 'GET /pets?limit=0', 400, 'x', typed), post(3, '{}', 400, ['x'], typed)], [/Content-Type is text\/json/, /array|list|not JSON/]],
];

for (const [title, exchanges, expected] of ROWS)
  test(`problems: ${title}`, () => {
    const found = nameProblems(exchanges);
    const describe = (pattern: string | RegExp): string => found.find((each) => each.match(pattern)) ?? String(pattern);
    expect(found.toSorted()).toEqual(expected.map(describe).toSorted());
  });
