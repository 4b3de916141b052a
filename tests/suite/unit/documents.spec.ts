/** Documents have exactly the dependencies, words and Node versions of the project, and no files of `fixtures/` import each other in a circle. */
import { readdirSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { load } from 'js-yaml';
import ts from 'typescript';
import { LISTS, OUTCOMES, VERDICTS } from '../../../fixtures/report/model/outcomes.ts';
import { textOf } from '../recipes/blocks.ts';
import { expect, test } from './make.ts';

/** The rows of a table below a heading of CONTRIBUTING.md. */
const rowsBelow = (heading: string): string[][] => {
  const [, section = ''] = textOf('CONTRIBUTING.md').split(`\n## ${heading}\n`);
  const [, table = ''] = /\n\n((?:\|.*\n)+)/.exec(section) ?? [];
  const lines = table.trim().split('\n').slice(2);
  return lines.map((line) => line.split(/ *\| */).slice(1, -1));
};

test('CONTRIBUTING.md names the dependencies that wait for Node 20, with their versions', () => {
  const { dependencies, devDependencies } = JSON.parse(textOf('package.json')) as Record<string, object>;
  const versions = { ...dependencies, ...devDependencies } as Record<string, string>;
  const rows = rowsBelow('Which dependencies wait for Node 20?');
  expect(rows.length).toBeGreaterThan(3);
  for (const [names = '', version] of rows)
    for (const [, name = ''] of names.matchAll(/`([^`]+)`/g))
      expect(`${name} ${version}`).toBe(`${name} ${versions[name]}`);
});

test('CONTRIBUTING.md has exactly the words of the report for verdicts, outcomes and levels', () => {
  const { gates, advice, open } = LISTS;
  const words = rowsBelow('What do the words mean?').map(([of, all = '']) => [
    of,
    Object.fromEntries([...all.matchAll(/`(\w+)`: ([\w ]+)/g)].map(([, data, word]) => [data, word])),
  ]);
  const wordsOf = (table: Record<string, { words: string }>) =>
    Object.fromEntries(Object.entries(table).map(([name, row]) => [name, row.words]));
  expect(Object.fromEntries(words)).toEqual({
    verdict: wordsOf(VERDICTS),
    outcome: wordsOf(OUTCOMES),
    level: { must: gates, should: advice, open },
  });
});

test('documents are short enough to be read', () => {
  const most = { 'README.md': 80, 'CONTRIBUTING.md': 200 };
  for (const [file, lines] of Object.entries(most))
    expect(textOf(file).split('\n').length - 1, file).toBeLessThanOrEqual(lines);
  const [, current = ''] = textOf('CHANGELOG.md').split(/^## .*$/m);
  expect(current.trim().split('\n').length).toBeLessThanOrEqual(40);
});

test('the versions of Node are the same everywhere', () => {
  const { engines } = JSON.parse(textOf('package.json')) as { engines: { node: string } };
  const majors = [...engines.node.matchAll(/\^(\d+)/g)].map(([, major]) => major);
  expect(majors.length).toBeGreaterThan(1);
  const workflow = load(textOf('.github/workflows/ci.yml')) as {
    jobs: Record<string, { strategy?: { matrix: { node: (string | number)[] } } }>;
  };
  for (const job of ['quick', 'reference'])
    expect(workflow.jobs[job]?.strategy?.matrix.node.map(String), job).toEqual(majors);
  const named = /Node ((?:\d+, )+\d+ or \d+)/.exec(textOf('README.md'))?.[1]?.split(/, | or /);
  expect(named).toEqual(majors);
  const lock = JSON.parse(textOf('package-lock.json')) as { packages: Record<string, { engines?: { node: string } }> };
  expect(lock.packages['']?.engines?.node).toBe(engines.node);
});

test('CONTRIBUTING.md follows a requirement through at most 20 files, which exist', () => {
  const [, section = ''] = /\n## How does the data flow\?\n([^]*?)\n## /.exec(textOf('CONTRIBUTING.md')) ?? [];
  const named = [...section.matchAll(/\*\*`([^`]+)`\*\*/g)].map(([, file = '']) => file);
  const files = ['fixtures', 'spec', 'tests'].flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((file) => `/${folder}/${file}`),
  );
  expect(named.filter((name) => !files.some((file) => file.endsWith(`/${name}`)))).toEqual([]);
  expect(Math.abs(named.length - 15)).toBeLessThanOrEqual(5);
});

/** The imports of a file, with dynamic imports and types. */
const importedBy = (file: string): string[] =>
  ts
    .preProcessFile(textOf(`fixtures/${file}`))
    .importedFiles.filter(({ fileName }) => fileName.startsWith('.'))
    .map(({ fileName }) => normalize(join(dirname(file), fileName)));

test('no files of the product import each other in a circle', () => {
  const all = readdirSync('fixtures', { recursive: true, encoding: 'utf8' });
  const files = all.filter((file) => file.endsWith('.ts'));
  const imports = new Map(files.map((file) => [file, importedBy(file)]));
  expect(imports.get('trace/step.ts')).toContain('target/http/exchange.ts');
  expect(imports.get('begin.ts')).toContain('report/out/files.ts');
  // What imports nothing that is left is in no circle.
  const takeFree = (): string[] =>
    [...imports].filter(([, all]) => !all.some((each) => imports.has(each))).map(([file]) => file);
  for (let free = takeFree(); free.length > 0; free = takeFree()) for (const file of free) imports.delete(file);
  expect([...imports]).toEqual([]);
});
