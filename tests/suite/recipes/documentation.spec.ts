/** Every shell block of the documentation runs in a fresh clone, against the reference. */
import { copyFileSync, existsSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from '@playwright/test';
import { load } from 'js-yaml';
import { folder, ROOT, test as base } from '../gate/spawn.ts';
import { claim } from '../recordings/corpus.ts';
import { type Block, findBlocks, documents, EXAMPLE, isOfExample, isOfPackage, recipes, textOf } from './blocks.ts';
import { clone, installedClone, shell } from './checkout.ts';

const KEY = 'recipe-key-3b1f';

/** Commands that take minutes, or would run this test, run on one server; the gate runs them in full. */
const SMALLER: readonly [line: RegExp, instead: string][] = [
  [/^npm run proof( +#.*)?$/m, 'npm run proof -- --jobs=1 --sample --standard store/filled'],
  [/^npm run proof -- --sample( +#.*)?$/m, 'npm run proof -- --jobs=1 --sample --standard store/empty'],
  [/^npm run proof -- list\.limit( +#.*)?$/m, 'npm run proof -- --jobs=1 --sample --standard list.limit.default'],
];

/** Commands that run until they are ended, with their first output. */
const SERVERS = [{ line: /^npm run reference/m, until: /listens at http/, env: { PORT: '0' } }];

const smaller = (text: string): string =>
  SMALLER.reduce((shorter, [line, instead]) => shorter.replace(line, instead), text);

/** Settings that the reader fills in. */
const filledIn = (text: string, baseUrl: string): string =>
  text.replace(
    /^cp \.env\.example (\S+).*$/m,
    `$&\nsed -i -e 's#^BASE_URL=.*#BASE_URL=${baseUrl}#' -e 's#^API_KEY=.*#API_KEY=${KEY}#' $1`,
  );

const scriptOf = (block: Block, baseUrl: string): string =>
  filledIn(smaller(block.text), baseUrl).replaceAll(EXAMPLE, baseUrl);

const isOfDeveloper = ({ text }: Block): boolean =>
  /npm run (--silent )?(proof|generate|test|bench|quick)/.test(smaller(text));
/** Installs what developers need as well; a run needs less, and the shared clone has only that. */
const isInstalling = ({ text }: Block): boolean => /^npm ci(?! --omit=dev)/m.test(smaller(text));

/** `checkout`: a clone with only the dependencies of a run. */
const test = base.extend<object, { checkout: string }>({
  checkout: [
    async ({}, use) => {
      const { directory, remove } = folder();
      const checkout = clone(join(directory, 'suite'));
      const installed = await shell('npm ci --omit=dev', { cwd: checkout });
      expect(installed.code, installed.text).toBe(0);
      // A package that needs another Node.
      expect(installed.text).not.toContain('EBADENGINE');
      await use(checkout);
      remove();
    },
    { scope: 'worker', timeout: 300_000 },
  ],
});

const siteOf = (block: Block, directory: string, checkout: string): string =>
  isInstalling(block)
    ? clone(join(directory, 'suite'))
    : isOfDeveloper(block)
      ? installedClone(join(directory, 'suite'))
      : checkout;

/** Writes reports for blocks that compare some. */
function prepare({ text }: Block, cwd: string): void {
  if (!text.includes('old.json')) return;
  claim('reference', join(cwd, 'recorded'));
  for (const name of ['old.json', 'new.json']) copyFileSync(join(cwd, 'recorded/conformance.json'), join(cwd, name));
}

const firstLine = ({ text }: Block): string =>
  text.split('\n').find((line) => /^\S+ .*(npm|npx|playwright|node)|^(npm|npx|node)/.test(line)) ??
  text.split('\n')[0] ??
  '';

test.describe('The recipe', () => {
  // One worker, since each would install the shared clone.
  test.describe.configure({ mode: 'default' });

  for (const block of recipes.filter((each) => !isOfPackage(each) && !isOfExample(each))) {
    test(`${block.place}: ${firstLine(block)}`, async ({ directory, serving, checkout: shared }) => {
      const target = await serving(KEY);
      const checkout = siteOf(block, directory, shared);
      rmSync(join(checkout, 'conformance-report'), { recursive: true, force: true });
      const elsewhere = join(directory, 'elsewhere');
      mkdirSync(elsewhere);
      const server = SERVERS.find(({ line }) => line.test(block.text));
      const env = { STAGING_KEY: KEY, SUITE: checkout, THROTTLING: 'off' };
      const how = { cwd: block.text.includes('$SUITE') ? elsewhere : checkout, env };
      prepare(block, how.cwd);
      const ran = await shell(scriptOf(block, target.baseUrl), {
        ...how,
        env: { ...env, ...server?.env },
        ...(server && { until: server.until }),
      });
      expect(ran.code, ran.text).toBe(0);
      const isJudging = /Judging (\S+)/.test(ran.text);
      expect(isJudging, ran.text).toBe(/playwright"? test|bin\/animal-store/.test(block.text));
      if (isJudging) expect(ran.report().verdict).toBe('partial');
      const isNaming = /BASE_URL|TARGET/.test(block.text);
      if (isJudging && isNaming) expect(ran.report().target).toContain(target.baseUrl);
    });
  }
});

test('each kind of recipe exists', () => {
  for (const isOfKind of [isOfPackage, isOfExample, isInstalling, isOfDeveloper])
    expect(recipes.filter(isOfKind).length, isOfKind.name).toBeGreaterThan(0);
  expect(recipes.length).toBeGreaterThan(15);
});

test('the GitLab recipe judges the target of its project', async ({ directory, serving }) => {
  const [recipe] = findBlocks('docs/operators.md').filter(({ text }) => text.includes('CI_PROJECT_DIR'));
  const { conformance: job } = load(recipe?.text ?? '') as {
    conformance: { script: string[]; variables: Record<string, string>; artifacts: { paths: string[] } };
  };
  const target = await serving(KEY);
  const repository = clone(join(directory, 'repository'));
  const git = 'git -c user.name=x -c user.email=x@example.com';
  const made = await shell(`git init -q -b main . && git add -A && ${git} commit -qm x && git tag v1`, {
    cwd: repository,
  });
  expect(made.code, made.text).toBe(0);
  const project = join(directory, 'project');
  mkdirSync(join(project, 'conformance'), { recursive: true });
  const variables = Object.entries(job.variables).map(([name, value]) => [
    name,
    value.replaceAll('$CI_PROJECT_DIR', project).replaceAll(EXAMPLE, target.baseUrl),
  ]);
  const waivers = await shell('touch conformance/waivers.yaml', { cwd: project });
  expect(waivers.code).toBe(0);
  const ran = await shell(job.script.join('\n'), {
    cwd: project,
    env: {
      ...(Object.fromEntries(variables) as Record<string, string>),
      CI: 'true',
      CI_PROJECT_DIR: project,
      SUITE_URL: `file://${repository}`,
      API_KEY: KEY,
      THROTTLING: 'off',
    },
  });
  expect(ran.code, ran.text).toBe(0);
  expect(ran.report().verdict).toBe('partial');
  expect(ran.report().target).toContain(target.baseUrl);
  for (const path of job.artifacts.paths) expect(existsSync(join(project, path))).toBe(true);
});

test('every link of the documentation has a target', () => {
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
