/** Contracts of others: that of this suite with additions. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { _baseTest } from '@playwright/test';
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

interface Contracts {
  /** Writes the contract of this suite with these additions. @returns its path. */
  write: (...additions: readonly unknown[]) => string;
  /** The path of that of the tests. */
  contract: string;
}

/** The contract is read when its modules are imported: a worker of these tests imports them by one with these additions. */
export const testBy = (...ofTests: readonly unknown[]) =>
  _baseTest.extend<object, Contracts>({
    write: [
      async ({}, use) => {
        const directory = mkdtempSync(join(tmpdir(), 'contract-'));
        let written = 0;
        await use((...additions) => {
          const path = join(directory, `openapi-${(written += 1)}.yaml`);
          const text = JSON.stringify(additions.reduce(merge, readFile('spec/openapi.yaml')));
          // A merge key of YAML has no quotes.
          writeFileSync(path, text.replaceAll('"<<":', '<<: '));
          return path;
        });
        rmSync(directory, { recursive: true });
      },
      { scope: 'worker' },
    ],
    contract: [async ({ write }, use) => use((process.env.CONTRACT = write(...ofTests))), { scope: 'worker' }],
  });
