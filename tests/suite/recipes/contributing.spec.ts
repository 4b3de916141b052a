/** The worked examples of CONTRIBUTING.md, written into a clone, work as described. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from '@playwright/test';
import { test } from '../gate/spawn.ts';
import { type Block, findBlocks, textOf } from './blocks.ts';
import { installedClone, shell } from './checkout.ts';

const blocks = findBlocks('CONTRIBUTING.md');

function blockWith(text: string, language: string): Block {
  const found = blocks.filter((block) => block.language === language && block.text.includes(text));
  if (found.length !== 1) throw new Error(`CONTRIBUTING.md has ${found.length} blocks with ${text}`);
  return found[0] as Block;
}

/** The place of a block: before the first line that begins so. */
interface Step {
  with: string;
  file: string;
  before: string;
  indent?: string;
  after?: string;
}

function write(checkout: string, { with: part, file, before, indent = '', after = '' }: Step): void {
  const { text } = blockWith(part, file.split('.').at(-1) ?? '');
  insert(checkout, file, before, text.replaceAll(/^(?=.)/gm, indent) + after);
}

function insert(checkout: string, file: string, before: string, lines: string): void {
  const path = join(checkout, file);
  const whole = readFileSync(path, 'utf8');
  const at = whole.indexOf(`\n${before}`) + 1;
  if (at === 0) throw new Error(`${file} has no line that begins with ${before}`);
  writeFileSync(path, whole.slice(0, at) + lines + whole.slice(at));
}

const DELETE = { with: 'removePet', file: 'spec/openapi.yaml', before: '  /store/orders:', indent: '    ' };
const LISTING = /`(npx playwright test --list [^`]+)`/;

test('an operation added to the contract gets tests, and the reference no longer conforms', async ({ directory }) => {
  const cwd = installedClone(join(directory, 'checkout'));
  write(cwd, DELETE);
  const listed = await shell(LISTING.exec(textOf('CONTRIBUTING.md'))?.[1] ?? 'false', { cwd });
  expect(listed.code, listed.text).toBe(0);
  for (const words of ['A valid request', 'If nothing has the id', 'Without a key', 'invalid key', 'with a 5xx'])
    expect(listed.text).toMatch(new RegExp(`DELETE /pets/\\{petId\\}: .*${words}`));
  const env = { TARGET: 'reference', THROTTLING: 'off' };
  const ran = await shell("npx playwright test --grep 'DELETE /pets'", { cwd, env });
  expect(ran.code, ran.text).toBe(1);
  expect(ran.report().verdict).toBe('violates');
});

const PROPERTIES = 'tests/properties/add.ts';
const DEFECTS = 'fixtures/reference/defects/add.ts';

const TABLE = 'tests/suite/unit/properties-add.spec.ts';

/** The place of each block of the second example. */
const STEPS: readonly Step[] = [
  { with: 'id: add.address', file: 'spec/requirements.yaml', before: '  # 4.3 Get an animal', indent: '  ' },
  { with: "'add.address': of", file: PROPERTIES, before: "  'add.location':" },
  { with: "'add.address': [", file: TABLE, before: "  'add.location':" },
  { with: 'const addresses', file: DEFECTS, before: 'export const add', after: '\n' },
];

/** Names that the reader adds: to imports, and to the list of defects. */
const NAMED = [
  { file: PROPERTIES, old: '{ valuesOf }', new: '{ header, valuesOf }' },
  {
    file: PROPERTIES,
    old: '{ difference, differenceIf, shown }',
    new: '{ difference, differenceIf, shown, wrongHeader }',
  },
  { file: PROPERTIES, old: '{ carries }', new: '{ carries, ofResponses }' },
  { file: DEFECTS, old: '...refusedAdds]', new: '...refusedAdds, ...addresses]' },
] as const satisfies readonly { file: string; old: string; new: string }[];

/** Most files and lines of the second example, without generated ones. */
const MOST = { files: 5, lines: 40 } as const;

test('a new requirement holds on the reference, and fails on its defects', async ({ directory }) => {
  const cwd = installedClone(join(directory, 'checkout'));
  const run = async (script: string): Promise<string> => {
    const { code, text } = await shell(script, { cwd });
    expect(code, text).toBe(0);
    return text;
  };
  const ours = "-- . ':!node_modules'";
  await run(`git init -q && git add -A ${ours}`);
  for (const step of STEPS) write(cwd, step);
  for (const { file, old, new: text } of NAMED) {
    const whole = readFileSync(join(cwd, file), 'utf8');
    expect(whole.split(old), `${file}: ${old}`).toHaveLength(2);
    writeFileSync(
      join(cwd, file),
      whole.replace(old, () => text),
    );
  }

  const line = '- `add.address`: if a 201 carries Location, that is the address of the new animal.\n';
  insert(cwd, 'CHANGELOG.md', '- ', line);

  // Only new lines are counted.
  const counted = (await run(`git add -AN ${ours} && git diff --numstat`)).trim().split('\n');
  const lines = counted.map((line) => Number(line.split('\t')[0])).reduce((sum, each) => sum + each);
  expect(counted.length, counted.join('\n')).toBeLessThanOrEqual(MOST.files);
  expect(lines, counted.join('\n')).toBeLessThanOrEqual(MOST.lines);

  await run('npm run generate');
  const [conformance, proof] = ['npm run conformance', 'npm run proof -- add.address'];
  for (const line of ['npm run generate', 'npm run test:quick', conformance, proof])
    expect(blockWith('npm run proof', 'sh').text).toContain(`${line}\n`);
  const judging = shell(conformance, { cwd });
  const [, , judged, proven] = await Promise.all([
    run('npx tsc --incremental false'),
    run('npx playwright test -c tests/suite --project=unit --reporter=line unit/requirements unit/properties-add'),
    judging,
    // Afterwards, so that Playwright compiles the clone once.
    judging.then(() => run(proof)),
  ]);
  const { verdict, requirements } = judged.report();
  expect(verdict, judged.text).toBe('conforms');
  expect(requirements).toContainEqual(expect.objectContaining({ id: 'add.address', outcome: 'passed' }));
  for (const name of ['list', 'next']) expect(proven).toMatch(new RegExp(`add.address/${name} .*: holds`));
  expect(proven).toMatch(/2 of 2 defects, of 1 requirements, were blamed/);
});
