/** Contracts of others: that of this suite with additions. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CORE_SCHEMA, load, mergeTag } from 'js-yaml';
import { isObject } from '../../../fixtures/contract/json.ts';

const SCHEMA = { schema: CORE_SCHEMA.withTags(mergeTag) };

/** Reads YAML of this project. */
export const readFile = (path: string): unknown =>
  load(readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8'), SCHEMA);

/** Objects are merged, and anything else is replaced; undefined removes. */
function merge(document: unknown, addition: unknown): unknown {
  if (!isObject(document) || !isObject(addition)) return addition;
  return { ...document, ...Object.fromEntries(Object.entries(addition).map(([k, v]) => [k, merge(document[k], v)])) };
}

/** Writes the contract of this suite with these additions into a folder. @returns its path. */
export function writeContract(directory: string, ...additions: readonly unknown[]): string {
  const path = join(directory, `openapi-${(written += 1)}.yaml`);
  const text = JSON.stringify(additions.reduce(merge, readFile('spec/openapi.yaml')));
  // A merge key of YAML has no quotes.
  writeFileSync(path, text.replaceAll('"<<":', '<<: '));
  return path;
}
let written = 0;
