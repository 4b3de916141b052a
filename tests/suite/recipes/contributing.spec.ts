/** The worked examples of CONTRIBUTING.md: written into a clone as they stand, they do what is said of them. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from '@playwright/test';
import { test } from '../gate/spawn.ts';
import { type Block, blocksOf } from './blocks.ts';
import { installedClone, shell } from './checkout.ts';

const blocks = blocksOf('CONTRIBUTING.md');

/** The block that has this text in it. */
function blockWith(text: string, language: string): Block {
  const found = blocks.filter((block) => block.language === language && block.text.includes(text));
  if (found.length !== 1) throw new Error(`CONTRIBUTING.md has ${found.length} blocks with ${text}`);
  return found[0] as Block;
}

/** Writes a text before the first line of a file that begins with `before`, as far to the right as the file has it. */
function write(checkout: string, file: string, before: string, text: string, indent = ''): void {
  const path = join(checkout, file);
  const whole = readFileSync(path, 'utf8');
  const at = whole.indexOf(`\n${before}`) + 1;
  if (at === 0) throw new Error(`${file} has no line that begins with ${before}`);
  const indented = text.replaceAll(/^(?=.)/gm, indent);
  writeFileSync(path, `${whole.slice(0, at)}${indented}${whole.slice(at)}`);
}

test('an operation that is added to the contract gets its tests, and the reference no longer conforms', async ({
  directory,
}) => {
  const cwd = installedClone(join(directory, 'checkout'));
  write(cwd, 'spec/openapi.yaml', '  /store/orders:', blockWith('removePet', 'yaml').text, '    ');
  const listed = await shell(blockWith('DELETE /pets', 'sh').text, { cwd });
  expect(listed.code, listed.text).toBe(0);
  for (const sentence of [
    'a valid call',
    'shows afterwards',
    'without a key',
    'that is wrong',
    'nothing has the id',
    'not a 5xx',
  ])
    expect(listed.text).toContain(sentence);
  const env = { TARGET: 'reference', THROTTLING: 'off' };
  const ran = await shell("npx playwright test --grep 'DELETE /pets'", { cwd, env });
  expect(ran.code, ran.text).toBe(1);
  expect(ran.report().verdict).toBe('violates');
});

const DEFECTS = 'fixtures/reference/defects/list.ts';

/** Where each step of the second example goes. */
const STEPS = [
  {
    with: 'id: list.status.again',
    file: 'spec/requirements.yaml',
    before: '  - { id: list.status.before-limit,',
    indent: '  ',
  },
  {
    with: "| 'GET /pets?limit=9&status={last}, once more'",
    file: 'fixtures/plan/names.ts',
    before: "  | 'GET /pets'\n",
    indent: '  ',
  },
  { with: 'query: { limit: ODD_LIMIT', file: 'fixtures/plan/lists.ts', before: "  'GET /pets': {", indent: '  ' },
  {
    with: "'a filter that is asked for again'",
    file: 'fixtures/plan/plan.ts',
    before: "    stage(\n      'lists',",
    indent: '    ',
  },
  {
    with: "test('filters a list",
    file: 'tests/list.spec.ts',
    before: '  for (const { row, limit } of FILTERED_AND_LIMITED)',
    indent: '  ',
    after: '\n',
  },
  { with: 'function whenAskedAgain', file: DEFECTS, before: 'const succeeds', after: '\n' },
  { with: 'const AGAIN', file: DEFECTS, before: 'const succeeds', after: '\n' },
  { with: 'cached-without-filter', file: DEFECTS, before: "  ...breaking('list.status.only'" },
] as const satisfies readonly { with: string; file: string; before: string; indent?: string; after?: string }[];

test('a requirement of its own holds on the reference, and fails on its defects', async ({ directory }) => {
  const cwd = installedClone(join(directory, 'checkout'));
  for (const step of STEPS) {
    const { text, language } = blockWith(step.with, step.file.endsWith('.yaml') ? 'yaml' : 'ts');
    expect(language).not.toBe('sh');
    write(cwd, step.file, step.before, text + ('after' in step ? step.after : ''), 'indent' in step ? step.indent : '');
  }
  const generated = await shell(blockWith('npm run generate', 'sh').text, { cwd });
  expect(generated.code, generated.text).toBe(0);
  const tried = await shell(blockWith('--grep @list.status.again', 'sh').text, { cwd, env: { TARGET: 'reference' } });
  expect(tried.report().verdict, tried.text).toBe('partial');
  expect(tried.text).toMatch(/2 of 2 defects, of 1 requirements, were blamed/);
  expect(tried.code, tried.text).toBe(0);
});
