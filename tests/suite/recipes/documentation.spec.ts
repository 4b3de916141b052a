/** Every shell block of the documentation runs in a fresh clone, against the reference. */
import { copyFileSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from '@playwright/test';
import { load } from 'js-yaml';
import { folder, ROOT, test as base } from '../gate/spawn.ts';
import { claim } from '../recordings/corpus.ts';
import { type Block, findBlocks, documents, EXAMPLE, isOfExample, isOfPackage, recipes, textOf } from './blocks.ts';
import { clone, shell } from './checkout.ts';

const KEY = 'recipe-key-3b1f';

/** What has run before, or takes long. */
const SMALLER: readonly [line: RegExp, instead: string][] = [
  // The clone was installed so.
  [/^npm ci && /m, ''],
  [/npx playwright test(?= \|\||$)/gm, '$& --grep @list.succeeds'],
  // `npm test` and the gate run them in full.
  [/^npm run proof( -- --sample)?( +#.*)?$/gm, ':'],
  [/^npm run proof -- list\.limit( +#.*)?$/m, 'npm run proof -- --jobs=1 --sample --standard list.limit.default'],
  [/^npm run reference/m, 'PORT=0 $&'],
];

/** With settings that the reader fills in. */
const scriptOf = ({ text }: Block, baseUrl: string): string =>
  SMALLER.reduce((shorter, [line, instead]) => shorter.replace(line, instead), text)
    .replace(
      /^cp \.env\.example (\S+).*$/m,
      `$&\nsed -i -e 's#^BASE_URL=.*#BASE_URL=${baseUrl}#' -e 's#^API_KEY=.*#API_KEY=${KEY}#' $1`,
    )
    .replaceAll(EXAMPLE, baseUrl);

/** Installs only what a run needs. */
const isInstalling = ({ text }: Block): boolean => text.includes('npm ci --omit=dev');

/** `checkout`: an installed clone. */
const test = base.extend<object, { checkout: string }>({
  checkout: [
    async ({}, use) => {
      const { directory, remove } = folder();
      const checkout = clone(join(directory, 'suite'));
      const installed = await shell('npm ci', { cwd: checkout });
      expect(installed.code, installed.text).toBe(0);
      // A package that needs another Node.
      expect(installed.text).not.toContain('EBADENGINE');
      claim('reference', join(directory, 'recorded'));
      for (const name of ['old.json', 'new.json'])
        copyFileSync(join(directory, 'recorded/conformance.json'), join(checkout, name));
      await use(checkout);
      remove();
    },
    { scope: 'worker', timeout: 300_000 },
  ],
});

test.describe('The recipe', () => {
  // One worker, since each would install the clone.
  test.describe.configure({ mode: 'default' });

  for (const block of recipes.filter((each) => !isOfPackage(each) && !isOfExample(each)))
    test(`${block.place}: ${block.text.split('\n').find((line) => /\b(npm|npx|node|playwright)\b/.test(line))}`, async ({
      directory,
      serving,
      checkout: shared,
    }) => {
      const { baseUrl } = await serving(KEY);
      const checkout = isInstalling(block) ? clone(join(directory, 'suite')) : shared;
      rmSync(join(checkout, 'conformance-report'), { recursive: true, force: true });
      const ran = await shell(scriptOf(block, baseUrl), {
        cwd: block.text.includes('$SUITE') ? directory : checkout,
        env: { STAGING_KEY: KEY, SUITE: checkout, THROTTLING: 'off' },
        ...(block.text.startsWith('npm run reference') && { until: /listens at http/ }),
      });
      expect(ran.code, ran.text).toBe(0);
      const isJudging = /Judging (\S+)/.test(ran.text);
      expect(isJudging, ran.text).toBe(/playwright"? test|bin\/animal-store/.test(block.text));
      if (!isJudging) return;
      expect(ran.report().verdict).toBe('partial');
      if (/BASE_URL|TARGET/.test(block.text)) expect(ran.report().target).toContain(baseUrl);
    });
});

test('the GitLab recipe judges the target of its project', async ({ directory, serving }) => {
  const { text } = findBlocks('docs/operators.md').find((block) => block.text.includes('CI_PROJECT_DIR')) as Block;
  const { conformance: job } = load(text) as {
    conformance: { script: string[]; variables: Record<string, string>; artifacts: { paths: string[] } };
  };
  const { baseUrl } = await serving(KEY);
  const repository = clone(join(directory, 'repository'));
  const git = 'git -c user.name=x -c user.email=x@example.com';
  const made = await shell(`git init -q -b main . && git add -A && ${git} commit -qm x && git tag v1`, {
    cwd: repository,
  });
  expect(made.code, made.text).toBe(0);
  const project = join(directory, 'project');
  mkdirSync(join(project, 'conformance'), { recursive: true });
  writeFileSync(join(project, 'conformance/waivers.yaml'), '');
  const fill = (value: string): string => value.replaceAll('$CI_PROJECT_DIR', project).replaceAll(EXAMPLE, baseUrl);
  const variables = Object.fromEntries(Object.entries(job.variables).map(([name, value]) => [name, fill(value)]));
  // Another recipe installs so.
  const script = job.script.join('\n').replace('npm ci --omit=dev', `ln -s "${ROOT}/node_modules" .`);
  const ran = await shell(`${script} --grep @list.succeeds`, {
    cwd: project,
    env: { ...variables, CI: 'true', SUITE_URL: `file://${repository}`, API_KEY: KEY, THROTTLING: 'off' },
  });
  expect(ran.code, ran.text).toBe(0);
  expect(ran.report()).toMatchObject({ verdict: 'partial', target: expect.stringContaining(baseUrl) as unknown });
  for (const path of job.artifacts.paths) expect(existsSync(join(project, path))).toBe(true);
});

test('each kind of recipe exists, and every link of the documentation has a target', () => {
  for (const isOfKind of [isOfPackage, isOfExample, isInstalling])
    expect(recipes.filter(isOfKind).length, isOfKind.name).toBeGreaterThan(0);
  expect(recipes.length).toBeGreaterThan(15);
  const anchorsOf = (file: string): string[] =>
    [...textOf(file).matchAll(/^#+ (.+)$/gm)].map(([, title = '']) =>
      title
        .toLowerCase()
        .replaceAll(/[^\w -]/g, '')
        .replaceAll(' ', '-'),
    );
  for (const file of documents)
    for (const [, link = ''] of textOf(file).matchAll(/\]\(([^)\s]+)\)/g)) {
      const [path = '', anchor] = link.split('#');
      const linked = path === '' ? file : join(file, '..', path);
      expect(existsSync(join(ROOT, linked)), `${file}: ${link}`).toBe(true);
      if (anchor !== undefined) expect(anchorsOf(linked), `${file}: ${link}`).toContain(anchor);
    }
});
