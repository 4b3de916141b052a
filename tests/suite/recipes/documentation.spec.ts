/** Every shell block of the documentation runs in a fresh clone, against the reference. */
import { chmodSync, copyFileSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect } from '@playwright/test';
import { load } from 'js-yaml';
import { groupBy } from '../../../fixtures/text.ts';
import { KEY } from '../gate/serve.ts';
import { folder, ROOT, test as base } from '../gate/spawn.ts';
import { claim } from '../recordings/corpus.ts';
import { type Block, findBlocks, documents, EXAMPLE, isOfExample, isOfPackage, recipes, textOf } from './blocks.ts';
import { clone, done, openToOthers, otherUser, shell } from './checkout.ts';

/** What has run before, or takes long. */
const SMALLER: readonly [line: RegExp, instead: string][] = [
  // The clone was installed so.
  [/^npm ci && /m, ''],
  [/npx playwright test(?= \|\||$)/gm, '$& --grep @list.succeeds'],
  [/^(BASE_URL=.*) @list\.limit\.caps$/m, '$1 @list.succeeds'],
  // `npm test` and the gate run them in full.
  [/^npm run proof( -- --(sample|again))?( +#.*)?$/gm, ':'],
  [/^npm run proof -- list\.limit( +#.*)?$/m, 'npm run proof -- --jobs=1 --sample --standard list.limit.default'],
  [/^npm run reference/m, 'PORT=0 $&'],
];

/** With settings that the reader fills in. */
const scriptOf = ({ text }: Block): string =>
  SMALLER.reduce((shorter, [line, instead]) => shorter.replace(line, instead), text).replace(
    /^cp \.env\.example (\S+).*$/m,
    `$&\nsed -i -e 's#^BASE_URL=.*#BASE_URL=${EXAMPLE}#' -e 's#^API_KEY=.*#API_KEY=${KEY}#' $1`,
  );

/** Installs only what a run needs. */
const isInstalling = ({ text }: Block): boolean => text.includes('npm ci --omit=dev');

/** `checkout`: an installed clone, below folders with names that could be taken for something else. */
const test = base.extend<object, { checkout: string }>({
  checkout: [
    async ({}, use) => {
      const { directory, remove } = folder();
      openToOthers(directory);
      const checkout = clone(join(directory, 'tests/suite/unit/Übung mit Leerzeichen/suite'));
      const { text } = await done('npm ci', { cwd: checkout });
      // A package that needs another Node.
      expect(text).not.toContain('EBADENGINE');
      claim('reference', join(directory, 'recorded'));
      for (const name of ['old.json', 'new.json'])
        copyFileSync(join(directory, 'recorded/conformance.json'), join(checkout, name));
      await use(checkout);
      remove();
    },
    { scope: 'worker', timeout: 300_000 },
  ],
});

/** The blocks by the script that is run for them. */
const blocksOf = groupBy(
  recipes.filter((each) => !isOfPackage(each) && !isOfExample(each)),
  scriptOf,
);

test.describe('The recipe', () => {
  // One worker, since each would install the clone.
  test.describe.configure({ mode: 'default' });

  for (const [script, blocks] of blocksOf)
    test(`${blocks.map(({ place }) => place).join(', ')}: ${script.split('\n').find((line) => /\b(npm|npx|node|playwright)\b/.test(line))}`, async ({
      directory,
      serving,
      checkout: shared,
    }) => {
      const [block] = blocks as [Block];
      const { baseUrl } = await serving();
      const checkout = isInstalling(block) ? clone(join(directory, 'suite')) : shared;
      rmSync(join(checkout, 'conformance-report'), { recursive: true, force: true });
      const ran = await done(script.replaceAll(EXAMPLE, baseUrl), {
        cwd: block.text.includes('$SUITE') ? directory : checkout,
        // A variable that is set to nothing is as one that is not set.
        env: { STAGING_KEY: KEY, SUITE: checkout, THROTTLING: 'off', PLAYWRIGHT_HTML_OUTPUT_DIR: '' },
        ...(block.text.startsWith('npm run reference') && { until: /listens at http/ }),
      });
      const isJudging = /Judging (\S+)/.test(ran.text);
      expect(isJudging, ran.text).toBe(/playwright"? test|bin\/animal-store/.test(block.text));
      if (!isJudging) return;
      expect(ran.report().verdict).toBe('partial');
      if (/BASE_URL|TARGET/.test(block.text)) expect(ran.report().target).toContain(baseUrl);
    });

  test('as another user with a read-only home, in a read-only checkout, Playwright prints before the run what to set', async ({
    checkout,
  }) => {
    for (const name of ['conformance-report', 'playwright-report', 'test-results'])
      rmSync(join(checkout, name), { recursive: true, force: true });
    chmodSync(checkout, 0o555);
    const how = { cwd: checkout, env: { HOME: dirname(checkout), TARGET: 'reference' }, user: otherUser };
    const { code, text } = await shell('npx playwright test --grep @list.succeeds', how);
    chmodSync(checkout, 0o755);
    expect([code, text]).toEqual([1, expect.stringMatching(/cannot be written.*--output/s)]);
    expect(text).not.toMatch(/^ +at /m);
  });
});

test('the GitLab recipe judges the target of its project', async ({ directory, serving }) => {
  const { text } = findBlocks('docs/operators.md').find((block) => block.text.includes('CI_PROJECT_DIR')) as Block;
  const { conformance: job } = load(text) as {
    conformance: { script: string[]; variables: Record<string, string>; artifacts: { paths: string[] } };
  };
  const { baseUrl } = await serving();
  const repository = clone(join(directory, 'repository'));
  const git = 'git -c user.name=x -c user.email=x@example.com';
  await done(`git init -q -b main . && git add -A && ${git} commit -qm x && git tag v1`, { cwd: repository });
  const cwd = join(directory, 'project');
  mkdirSync(join(cwd, 'conformance'), { recursive: true });
  writeFileSync(join(cwd, 'conformance/waivers.yaml'), '');
  const fill = (value: string): string => value.replaceAll('$CI_PROJECT_DIR', cwd).replaceAll(EXAMPLE, baseUrl);
  const variables = Object.fromEntries(Object.entries(job.variables).map(([name, value]) => [name, fill(value)]));
  // Another recipe installs so.
  const script = job.script.join('\n').replace('npm ci --omit=dev', `ln -s "${ROOT}/node_modules" .`);
  const env = { ...variables, CI: 'true', SUITE_URL: `file://${repository}`, API_KEY: KEY, THROTTLING: 'off' };
  const ran = await done(`${script} --grep @list.succeeds`, { cwd, env });
  expect(ran.report()).toMatchObject({ verdict: 'partial', target: expect.stringContaining(baseUrl) as unknown });
  for (const path of job.artifacts.paths) expect(existsSync(join(cwd, path))).toBe(true);
});

test('each kind of recipe exists, and every link and picture of the documentation has a target', () => {
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
    for (const [, link = ''] of textOf(file).matchAll(/(?:\]\(|src="|srcset=")([^)\s"]+)/g)) {
      const [path = '', anchor] = link.split('#');
      const linked = path === '' ? file : join(file, '..', path);
      expect(existsSync(join(ROOT, linked)), `${file}: ${link}`).toBe(true);
      if (anchor !== undefined) expect(anchorsOf(linked), `${file}: ${link}`).toContain(anchor);
    }
});
