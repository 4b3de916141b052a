/** Documents have exactly the dependencies, words and Node versions of the project. */
import { readFileSync } from 'node:fs';
import { expect } from '@playwright/test';
import { load } from 'js-yaml';
import { LISTS, VERDICT, WORDS } from '../../../fixtures/report/model/labels.ts';
import { majors } from '../nodes/chosen.ts';
import { test } from './make.ts';

const textOf = (file: string): string => readFileSync(new URL(`../../../${file}`, import.meta.url), 'utf8');

test('CONTRIBUTING.md has a reason for each dependency, and for no other', () => {
  const { dependencies, devDependencies } = JSON.parse(textOf('package.json')) as Record<string, object>;
  const section = /\n## Why is each dependency there\?\n(.*?)\n## /s.exec(textOf('CONTRIBUTING.md'))?.[1] ?? '';
  const named = [...section.matchAll(/^- ((?:`[^`]+`,?\s+)*`[^`]+`): \w/gm)].flatMap(([, names = '']) =>
    [...names.matchAll(/`([^`]+)`/g)].map(([, name]) => name),
  );
  expect(named.sort()).toEqual(Object.keys({ ...dependencies, ...devDependencies }).sort());
});

/** The words of a table of the glossary, by their form in data. */
function readGlossary(title: string): Record<string, string> {
  const section = /\n## What do the words mean\?\n(.*?)\n## /s.exec(textOf('CONTRIBUTING.md'))?.[1] ?? '';
  const table = new RegExp(`\\n${title}:\\n\\n((?:\\|.*\\n)+)`).exec(section)?.[1] ?? '';
  return Object.fromEntries(
    [...table.matchAll(/^\| (.+?) +\| `(\w+)` +\|/gm)].map(([, word = '', data = '']) => [data, word]),
  );
}

test('the glossary has exactly the words of the report for verdicts, outcomes and levels', () => {
  expect(readGlossary('Verdicts')).toEqual(VERDICT);
  expect(readGlossary('Outcomes of a requirement')).toEqual(WORDS);
  const { gates, advice, open } = LISTS;
  expect(readGlossary('Levels')).toEqual({ must: gates.one, should: advice.one, open: open.one });
});

test('the versions of Node are the same everywhere', () => {
  expect(majors.length).toBeGreaterThan(1);
  const workflow = load(textOf('.github/workflows/ci.yml')) as {
    jobs: Record<string, { strategy?: { matrix: { node: (string | number)[] } } }>;
  };
  for (const job of ['quick', 'reference'])
    expect(workflow.jobs[job]?.strategy?.matrix.node.map(String), job).toEqual([...majors]);
  const named = /Node ((?:\d+, )+\d+ or \d+)/.exec(textOf('README.md'))?.[1]?.split(/, | or /);
  expect(named).toEqual([...majors]);
  const lock = JSON.parse(textOf('package-lock.json')) as { packages: Record<string, { engines?: { node: string } }> };
  const { engines } = JSON.parse(textOf('package.json')) as { engines: { node: string } };
  expect(lock.packages['']?.engines?.node).toBe(engines.node);
});
