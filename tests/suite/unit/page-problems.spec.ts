/** The headings of the sections on problems. */
import { expect } from '@playwright/test';
import { renderProblems } from '../../../fixtures/report/out/page-problems.ts';
import type { ConformanceReport } from '../../../fixtures/report/model/report.ts';
import type { Exchanges } from '../../../fixtures/report/out/page-exchange.ts';
import { difference } from '../../../fixtures/trace/finding.ts';
import { test } from './make.ts';

const problem = (...requirements: string[]) => ({
  ...{ title: 'a problem', list: 'advice', harm: 'status', operations: [], requirements },
  ...{ affected: { n: 1, of: 1 }, hides: [] },
  findings: [{ requirement: requirements[0], exchanges: [], title: 'a case', ...difference('no body', 'body') }],
});

test('a requirement of an unstable operation is not counted as a recommendation', () => {
  const report = {
    problems: [problem('add.location'), problem('http.head', 'auth.challenge'), problem('get.found')],
    requirements: [
      { id: 'add.location', level: 'should' },
      { id: 'http.head', level: 'should' },
      { id: 'auth.challenge', level: 'should' },
      { id: 'get.found', level: 'must' },
    ],
    again: '',
    run: {},
  } as unknown as ConformanceReport;
  const page = renderProblems(report, {} as Exchanges).text;
  expect([...page.matchAll(/<h2[^>]*>([^<]*)</g)].map(([, title]) => title)).toEqual([
    'Recommendations not followed (3)',
    'Violated, without effect on the verdict (1)',
  ]);
});
