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

test('no files of the product import each other in a circle', () => {
  const files = readdirSync(ROOT, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));
  const imports = new Map(files.map((file) => [file, importedBy(file)]));
  expect(imports.get('trace/step.ts')).toContain('target/http/exchange.ts');
  expect(imports.get('begin.ts')).toContain('scenario/rehearsal.ts');
  // What imports nothing that is left is in no circle.
  const takeFree = (): string[] =>
    [...imports].filter(([, all]) => !all.some((each) => imports.has(each))).map(([file]) => file);
  for (let free = takeFree(); free.length > 0; free = takeFree()) for (const file of free) imports.delete(file);
  expect([...imports]).toEqual([]);
});
