/** No files of `fixtures/` import each other in a cycle, types included. */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import ts from 'typescript';
import { expect, test } from './make.ts';

const ROOT = new URL('../../../fixtures/', import.meta.url).pathname;

/** The imports of a file, with dynamic imports and types. */
const importedBy = (file: string): string[] =>
  ts
    .preProcessFile(readFileSync(join(ROOT, file), 'utf8'))
    .importedFiles.filter(({ fileName }) => fileName.startsWith('.'))
    .map(({ fileName }) => normalize(join(dirname(file), fileName)));

/** A circle for each import that closes one, as `a.ts → b.ts → a.ts`. */
function circlesIn(imports: ReadonlyMap<string, readonly string[]>): string[] {
  const done = new Set<string>();
  const circlesFrom = (file: string, path: readonly string[]): string[] => {
    if (path.includes(file)) return [[...path.slice(path.indexOf(file)), file].join(' → ')];
    if (done.has(file)) return [];
    const circles = (imports.get(file) ?? []).flatMap((next) => circlesFrom(next, [...path, file]));
    done.add(file);
    return circles;
  };
  return [...imports.keys()].flatMap((file) => circlesFrom(file, []));
}

test('no files of the product import each other in a circle', () => {
  const files = readdirSync(ROOT, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));
  const imports = new Map(files.map((file) => [file, importedBy(file)]));
  expect(imports.get('trace/step.ts')).toContain('target/http/exchange.ts');
  expect(imports.get('begin.ts')).toContain('scenario/rehearsal.ts');
  const added = new Map([...imports, ['b.ts', ['text.ts', 'c.ts']], ['c.ts', ['b.ts']]]);
  expect(circlesIn(added)).toEqual(['b.ts → c.ts → b.ts']);
  expect(circlesIn(imports)).toEqual([]);
});
