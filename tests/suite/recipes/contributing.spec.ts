/** The worked examples of CONTRIBUTING.md, written into a clone, work as described. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from '@playwright/test';
import { test } from '../gate/spawn.ts';
import { findBlocks, textOf } from './blocks.ts';
import { done, installedClone, shell } from './checkout.ts';

/** Writes text before the first line of a file that begins so. */
function insert(checkout: string, file: string, before: string, lines: string): void {
  const path = join(checkout, file);
  const [head, ...rest] = readFileSync(path, 'utf8').split(`\n${before}`);
  expect(rest.length, `${file}: ${before}`).toBeGreaterThan(0);
  writeFileSync(path, [`${head}\n${lines.trimEnd()}`, ...rest].join(`\n${before}`));
}

/** Writes the one block that has a text. */
function write(checkout: string, part: string, file: string, before: string, indent = ''): void {
  const found = findBlocks('CONTRIBUTING.md').filter(({ text, language }) => {
    return text.includes(part) && file.endsWith(`.${language}`);
  });
  expect(found, part).toHaveLength(1);
  insert(checkout, file, before, (found[0]?.text ?? '').replaceAll(/^(?=.)/gm, indent));
}

const PROPERTIES = 'tests/properties/add.ts';
const DEFECTS = 'fixtures/reference/defects/add.ts';
const TABLE = 'tests/suite/unit/properties-add.spec.ts';

/** Names that the reader adds: to imports, and to the list of defects. */
const NAMED = [
  [PROPERTIES, 'valuesOf } from', 'header, valuesOf } from'],
  [PROPERTIES, 'carries } from', 'carries, ofResponses } from'],
  [DEFECTS, '...ids]', '...ids, ...waits]'],
] as const;

test('an operation gets tests, which the reference fails; a new requirement holds on it, and fails on its defects', async ({
  directory,
}) => {
  const cwd = installedClone(join(directory, 'checkout'));
  const contract = 'spec/openapi.yaml';
  write(cwd, 'removePet', contract, '  /store/orders:', '    ');
  const listing = /`(npx playwright test --list [^`]+)`/.exec(textOf('CONTRIBUTING.md'))?.[1] ?? 'false';
  const listed = await done(listing, { cwd });
  for (const words of ['A valid request', 'If nothing has the id', 'Without a key', 'invalid key', 'with a 5xx'])
    expect(listed.text).toMatch(new RegExp(`DELETE /pets/\\{petId\\}: .*${words}`));
  const env = { THROTTLING: 'off' };
  const ran = await shell("npm run conformance -- --grep 'DELETE /pets'", { cwd, env });
  writeFileSync(join(cwd, contract), textOf(contract));
  expect([ran.code, ran.report().verdict], ran.text).toEqual([1, 'violates']);

  const run = async (script: string): Promise<string> => (await done(script, { cwd })).text;
  const ours = "-- . ':!node_modules'";
  await run(`git init -q && git add -A ${ours}`);
  write(cwd, 'id: add.no-wait', 'spec/requirements.yaml', '  # 4.3 Get an animal', '  ');
  write(cwd, "'add.no-wait': of", PROPERTIES, "  'add.location':");
  write(cwd, "'add.no-wait': [", TABLE, "  'add.location':");
  write(cwd, 'const waits', DEFECTS, 'export const add');
  for (const [file, old, text] of NAMED) {
    const source = readFileSync(join(cwd, file), 'utf8');
    expect(source.split(old), `${file}: ${old}`).toHaveLength(2);
    writeFileSync(join(cwd, file), source.replace(old, text));
  }

  // Most requirements need no request: this one is counted with it.
  const [, request] = /`(await customer\.add.*?)`/.exec(textOf('CONTRIBUTING.md')) ?? [];
  insert(cwd, 'fixtures/scenario/animals.ts', '  const { commonStatus } =', `  ${request}\n`);

  // Only new lines are counted, without generated ones.
  const counted = (await run(`git add -AN ${ours} && git diff --numstat`)).trim().split('\n');
  const lines = counted.map((line) => Number(line.split('\t')[0])).reduce((sum, each) => sum + each);
  expect(counted.length, counted.join('\n')).toBeLessThanOrEqual(5);
  expect(lines, counted.join('\n')).toBeLessThanOrEqual(40);

  await run('npm run generate');
  const [conformance, proof] = ['npm run conformance', 'npm run proof -- add.no-wait'];
  const documented = findBlocks('CONTRIBUTING.md').map(({ text }) => text);
  const recordings = 'npm run recordings -- --update';
  const commands = ['npm run generate && npm run format', 'npm run test:quick', conformance, proof, recordings];
  expect(documented).toContain(`${commands.join('\n')} && git diff tests/suite/recordings\n`);
  writeFileSync(
    join(cwd, 'types.json'),
    JSON.stringify({
      extends: './tsconfig.json',
      compilerOptions: { incremental: false },
      include: [PROPERTIES, DEFECTS, TABLE],
    }),
  );
  const judging = shell(`${conformance} -- --grep @add.no-wait`, { cwd, env });
  const [, , judged, proven] = await Promise.all([
    run('npx tsc -p types.json'),
    run('npx playwright test -c tests/suite --project=unit --reporter=line requirements properties-add traffic'),
    judging,
    // Afterwards, so that Playwright compiles the clone once.
    judging.then(() => run(proof)),
  ]);
  expect(judged.code, judged.text).toBe(0);
  const passed = expect.objectContaining({ id: 'add.no-wait', outcome: 'passed' }) as unknown;
  expect(judged.report().requirements).toContainEqual(passed);
  for (const name of ['seconds', 'date']) expect(proven).toMatch(new RegExp(`add.no-wait/${name} .*: holds`));
  expect(proven).toMatch(/2 of 2 defects, of 1 requirements, were blamed/);
  // Each recording gets the line of the new requirement, and another number of them.
  const accepted = await run(`${recordings} && git diff --numstat tests/suite/recordings`);
  expect(new Set(accepted.match(/^\d+\t\d+\t/gm))).toEqual(new Set(['2\t1\t']));
});
