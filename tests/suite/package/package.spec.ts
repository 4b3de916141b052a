/** The npm package and the container: built by the Dockerfile's steps, installed into an empty folder, and used. */
import { chmodSync, existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from '@playwright/test';
import { defective, KEY } from '../gate/serve.ts';
import { environment, folder, ROOT, start, test as base } from '../gate/spawn.ts';
import { EXAMPLE, isOfPackage, recipes, textOf } from '../recipes/blocks.ts';
import { clone, done, openToOthers, otherUser, shell } from '../recipes/checkout.ts';

type Instruction = [word: string, rest: string];

/** The instructions of each stage of the Dockerfile, with continued lines joined. */
const [build = [], image = []] = textOf('Dockerfile')
  .replaceAll(/^#.*\n/gm, '')
  .replaceAll(/\\\n\s*/g, '')
  .split(/^(?=FROM)/m)
  .map((stage) => [...stage.matchAll(/^(\w+)\s+(.*)$/gm)].map(([, word, rest]) => [word, rest] as Instruction));

/** What follows each of these words. */
const restsOf = (stage: readonly Instruction[], word: string): string[] =>
  stage.flatMap(([each, rest]) => (each === word ? rest : []));

/** Runs the commands of a stage, with the folders of the image below `root`. */
async function perform(stage: readonly Instruction[], root: string, cwd: string, env = {}): Promise<void> {
  for (const command of restsOf(stage, 'RUN'))
    await done(command.replaceAll(/(?<=\s)\/(?=suite|opt|work)/g, `${root}/`), { cwd, env });
}

/** `caller`: a folder in which the package is installed. */
const test = base.extend<object, { packed: Record<'root' | 'archive' | 'caller', string> }>({
  packed: [
    async ({}, use) => {
      const { directory: root, remove } = folder();
      openToOthers(root);
      const suite = clone(join(root, 'suite'));
      await perform(build, root, suite);
      const [name = ''] = readdirSync(suite).filter((file) => file.endsWith('.tgz'));
      const [archive, caller] = [join(suite, name), join(root, 'caller')];
      mkdirSync(caller);
      // With it, npm does not look above.
      writeFileSync(join(caller, 'package.json'), '{}');
      const { text } = await done(`npm install --no-save "${archive}"`, { cwd: caller });
      // A package that needs another Node than the oldest supported one.
      expect(text).not.toContain('EBADENGINE');
      await use({ root, archive, caller });
      remove();
    },
    { scope: 'worker', timeout: 400_000 },
  ],
});

// Serial, since each worker would build the package.
test.describe.configure({ mode: 'default', timeout: 300_000 });

test('the package holds the compiled files of a run and has its dependencies, and leaves no build behind', async ({
  packed,
}) => {
  const files = (await done(`tar -tzf "${packed.archive}"`, { cwd: packed.root })).text.split('\n');
  // Styles, scripts and data are included.
  const beside = readdirSync(join(ROOT, 'fixtures'), { recursive: true, encoding: 'utf8' }).flatMap((file) =>
    /\.(?!ts$)\w+$/.test(file) ? `dist/fixtures/${file}` : [],
  );
  expect(beside.length).toBeGreaterThan(0);
  for (const name of ['bin/animal-store-conformance.js', 'dist/playwright.config.js', 'LICENSE', ...beside])
    expect(files).toContain(`package/${name}`);
  expect(files.filter((file) => /\.ts$|tests\/suite|\.env/.test(file))).toEqual([]);
  expect(existsSync(join(packed.root, 'suite/dist'))).toBe(false);
  type Names = Record<string, string>;
  const manifest = JSON.parse(textOf('package.json')) as { dependencies: Names; devDependencies: Names };
  const installed = readdirSync(join(packed.caller, 'node_modules'));
  for (const name of [...Object.keys(manifest.devDependencies), 'esbuild'].filter((each) => !each.startsWith('@')))
    expect(installed).not.toContain(name);
  for (const name of Object.keys(manifest.dependencies))
    expect(existsSync(join(packed.caller, 'node_modules', name)), name).toBe(true);
});

test('it judges the reference by the contract that CONTRACT names, reports into the folder of the caller, and judges the recording again', async ({
  packed: { caller },
}) => {
  const draft = textOf('spec/openapi.yaml').replace('version: 1.0.0', 'version: 1.1.0-draft');
  writeFileSync(join(caller, 'draft.yaml'), draft);
  const env = { CONTRACT: 'draft.yaml' };
  const ran = await done('npx animal-store-conformance', { cwd: caller, env: { ...env, TARGET: 'reference' } });
  expect(ran.report()).toMatchObject({
    verdict: 'conforms',
    contract: { version: '1.1.0-draft', file: 'draft.yaml' },
  });
  const written = ['.gitignore', 'playwright-report', 'test-results'];
  expect(readdirSync(join(caller, 'conformance-playwright')).sort()).toEqual(written);
  for (const name of written) expect(readdirSync(caller)).not.toContain(name);
  const { log } = JSON.parse(ran.file('exchanges.har')) as { log: { _run: { baseUrl: string } } };
  for (const [command, words] of [
    ['verify conformance-report', 'VERIFIED: conforms'],
    ['compare conformance-report verified-report', 'From A to B: no difference'],
    [`judge conformance-report --base-url ${log._run.baseUrl}`, 'of the 14 statuses'],
  ]) {
    const how = { cwd: caller, env: { ...env, REPORT_DIR: 'judged' } };
    expect((await done(`npx animal-store-conformance ${command}`, how)).text).toContain(words);
  }
});

for (const block of recipes.filter(isOfPackage))
  test(`it works as documented: ${block.place}`, async ({ packed, serving }) => {
    const { baseUrl } = await serving();
    const env = { STAGING_KEY: KEY, SUITE_ARCHIVE: packed.archive, THROTTLING: 'off' };
    const script = `${block.text.trimEnd()} --grep @list.succeeds`.replaceAll(EXAMPLE, baseUrl);
    const ran = await done(script, { cwd: packed.caller, env });
    expect(ran.report()).toMatchObject({ verdict: 'partial', target: baseUrl });
  });

test('it takes settings files and waivers from the folder of the caller, and prints the command that runs a part again', async ({
  packed: { caller: cwd },
  serving,
}) => {
  const { baseUrl } = await serving({ service: defective('get.unknown/ok-with-null') });
  const env = { TARGET: 'staging' };
  const [settings, waivers] = [join(cwd, '.env.staging'), join(cwd, 'waivers.yaml')];
  writeFileSync(settings, `BASE_URL=${baseUrl}\nAPI_KEY=${KEY}\n`);
  const command = 'npx animal-store-conformance --grep @get.unknown';
  const failed = await shell(command, { cwd, env });
  expect(failed.code, failed.text).toBe(1);
  expect(failed.report().verdict).toBe('violates');
  expect(failed.text).toMatch(/^ *again +TARGET=staging npx animal-store-conformance --grep @get\.unknown$/m);
  const expires = new Date(Date.now() + 40 * 86_400_000).toISOString().slice(0, 10);
  const waiver = `- requirement: get.unknown\n  reason: the gateway\n  owner: the shop team\n  expires: ${expires}\n`;
  writeFileSync(waivers, waiver);
  const waived = await done(command, { cwd, env });
  expect(waived.report().counts.waived).toBe(1);
  for (const file of [settings, waivers]) rmSync(file);
});

test('it starts the reference, which prints the command that judges it, exports the schema of the report, prints its version and usage, and refuses a key as an argument', async ({
  packed: { caller: cwd },
}) => {
  const env = { ...environment(), PORT: '0' };
  const { child, printed, ended } = start('npx', ['animal-store-conformance', 'reference'], { cwd, env });
  const [, command, address] = await printed(/^ +(BASE_URL=(\S+) .+ PLAN=business npx animal-store-conformance)$/m);
  const judged = await shell(`${command} --grep @list.succeeds`, { cwd });
  child.kill();
  await ended;
  expect([judged.code, judged.report().target], judged.text).toEqual([0, address]);
  const script = `console.log(require('animal-store-conformance/conformance.schema.json').title)`;
  expect((await done(`node -e "${script}"`, { cwd })).text).toBe('conformance.json\n');
  const { version } = JSON.parse(textOf('package.json')) as { version: string };
  expect((await done('npx animal-store-conformance --version', { cwd })).text).toContain(`${version}\n`);
  expect(textOf('CHANGELOG.md')).toContain(`\n## ${version}`);
  for (const [args, message] of [
    ['--throttle-api-key secret-91', /set API_KEY in the environment/],
    ['--base-url --list', /an address such as https/],
  ] as const) {
    const ran = await shell(`npx animal-store-conformance ${args}`, { cwd });
    expect([ran.code, ran.text]).toEqual([1, expect.stringMatching(message)]);
    expect(ran.text).not.toContain('secret-91');
  }
});

test('the container follows the rules for images, and has a command that judges a server, as a non-root user', async ({
  packed,
  serving,
}) => {
  for (const stage of [build, image]) {
    // A pinned version.
    expect(restsOf(stage, 'FROM')).toEqual([expect.stringMatching(/^node:\d+[\w.-]*-slim( AS \w+)?$/)]);
    for (const command of restsOf(stage, 'RUN')) expect(command).not.toMatch(/\bsudo\b|KEY|\bapt\b/);
  }
  expect(image.slice(-2)).toEqual([['USER', 'node'], expect.arrayContaining(['ENTRYPOINT'])]);
  const ignored = textOf('.dockerignore').split('\n');
  for (const name of ['.env', '.env.*', 'node_modules', '.git']) expect(ignored).toContain(name);
  const { baseUrl } = await serving();
  const { root, archive } = packed;
  const home = join(root, 'home');
  for (const name of [join(root, 'opt'), home]) mkdirSync(name);
  await done(`cp "${archive}" "${root}/opt/"`, { cwd: root });
  await perform(image, root, root, { npm_config_prefix: join(root, 'usr'), npm_config_cache: join(root, 'cache') });
  chmodSync(home, 0o555);
  const [command = ''] = JSON.parse(restsOf(image, 'ENTRYPOINT')[0] ?? '[]') as string[];
  const ran = await done(`PATH="${root}/usr/bin:$PATH" ${command} --grep @list.succeeds`, {
    cwd: join(root, restsOf(image, 'WORKDIR').at(-1) ?? ''),
    user: otherUser,
    env: { BASE_URL: baseUrl, API_KEY: KEY, HOME: home },
  });
  expect(ran.report()).toMatchObject({ verdict: 'partial', target: baseUrl });
});
