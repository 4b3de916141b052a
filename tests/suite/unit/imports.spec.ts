/** No files of `fixtures/` import each other in a cycle, types included. */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { expect } from '@playwright/test';
import ts from 'typescript';
import { test } from './make.ts';

const ROOT = new URL('../../../fixtures/', import.meta.url).pathname;

type Imports = ReadonlyMap<string, readonly string[]>;

/** The imports of each file of a folder, with dynamic imports and types. */
function importsIn(root: string): Imports {
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));
  const importedBy = (file: string): string[] =>
    ts
      .preProcessFile(readFileSync(join(root, file), 'utf8'))
      .importedFiles.filter(({ fileName }) => fileName.startsWith('.'))
      .map(({ fileName }) => normalize(join(dirname(file), fileName)));
  return new Map(files.map((file) => [file, importedBy(file)]));
}

/** A circle for each import that closes one, as `a.ts → b.ts → a.ts`. */
function circlesIn(imports: Imports): string[] {
  const done = new Set<string>();
  const circles: string[] = [];
  const follow = (file: string, path: readonly string[]): void => {
    if (path.includes(file)) circles.push([...path.slice(path.indexOf(file)), file].join(' → '));
    if (done.has(file) || path.includes(file)) return;
    for (const next of imports.get(file) ?? []) follow(next, [...path, file]);
    done.add(file);
  };
  for (const file of imports.keys()) follow(file, []);
  return circles;
}

test('no files of the product import each other in a circle', () => {
  const imports = importsIn(ROOT);
  expect(imports.get('trace/step.ts')).toContain('target/http/exchange.ts');
  expect(imports.get('begin.ts')).toContain('scenario/rehearsal.ts');
  expect(circlesIn(new Map([...imports, ['b.ts', ['text.ts', 'c.ts']], ['c.ts', ['b.ts']]]))).toEqual([
    'b.ts → c.ts → b.ts',
  ]);
  expect(circlesIn(imports)).toEqual([]);
});
