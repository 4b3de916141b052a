/** The npm package and the container: built by the Dockerfile's steps, installed into an empty folder, and used. */
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from '@playwright/test';
import { defective, folder, ROOT, test as base } from '../gate/spawn.ts';
import { EXAMPLE, isOfPackage, recipes } from '../recipes/blocks.ts';
import { clone, openTo, shell, otherUser } from '../recipes/checkout.ts';
import { parseCommands, last, parseStages } from './dockerfile.ts';

const KEY = 'package-key-6e04';
const [build = [], image = []] = parseStages();

interface Packed {
  root: string;
  archive: string;
  caller: string;
}

/** Runs a script that has to end well. @returns what it printed. */
async function done(script: string, cwd: string, env: Record<string, string> = {}): Promise<string> {
  const { code, text } = await shell(script, { cwd, env });
  expect(code, `${script}\n${text}`).toBe(0);
  return text;
}

/** A folder with its own package.json, so that npm does not look above it. */
function project(directory: string): string {
  mkdirSync(directory);
  writeFileSync(join(directory, 'package.json'), '{}');
  return directory;
}

async function pack(root: string): Promise<Packed> {
  const suite = clone(join(root, 'suite'));
  for (const command of parseCommands(build, root)) await done(command, suite);
  const [name = ''] = readdirSync(suite).filter((file) => file.endsWith('.tgz'));
  const caller = project(join(root, 'caller'));
  const printed = await done(`npm install --no-save "${join(suite, name)}"`, caller);
  // A package that needs another Node than the oldest supported one.
  expect(printed).not.toContain('EBADENGINE');
  return { root, archive: join(suite, name), caller };
}

const test = base.extend<object, { packed: Packed }>({
  packed: [
    async ({}, use) => {
      const { directory, remove } = folder();
      openTo(directory);
      await use(await pack(directory));
      remove();
    },
    { scope: 'worker', timeout: 400_000 },
  ],
});

// Serial, since each worker would build the package.
test.describe.configure({ mode: 'default', timeout: 300_000 });

const ONE = 'npx animal-store-conformance --grep @list.succeeds';

test.describe('The package', () => {
  test('holds the compiled files of a run and has its dependencies, and leaves no build behind', async ({ packed }) => {
    const files = (await done(`tar -tzf "${packed.archive}"`, packed.root)).split('\n');
    for (const name of [
      'bin/animal-store-conformance.js',
      'dist/playwright.config.js',
      'dist/spec/openapi.yaml',
      'dist/spec/conformance.schema.json',
      'LICENSE',
    ])
      expect(files).toContain(`package/${name}`);
    expect(files.filter((file) => /\.ts$|tests\/suite|\.env/.test(file))).toEqual([]);
    // Styles, scripts and data are included.
    const beside = readdirSync(join(ROOT, 'fixtures'), { recursive: true, encoding: 'utf8' }).filter((file) =>
      /\.(?!ts$)\w+$/.test(file),
    );
    expect(beside.length).toBeGreaterThan(0);
    for (const file of beside) expect(files).toContain(`package/dist/fixtures/${file}`);
    expect(existsSync(join(packed.root, 'suite/dist'))).toBe(false);
    const { dependencies, devDependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as Record<
      'dependencies' | 'devDependencies',
      Record<string, string>
    >;
    const installed = readdirSync(join(packed.caller, 'node_modules'));
    for (const name of [...Object.keys(devDependencies), 'esbuild'].filter((each) => !each.startsWith('@')))
      expect(installed).not.toContain(name);
    for (const name of Object.keys(dependencies))
      expect(existsSync(join(packed.caller, 'node_modules', name)), name).toBe(true);
  });

  test('judges the embedded reference, reports into the folder of the caller, and judges the recording again', async ({
    packed,
  }) => {
    const { caller } = packed;
    const ran = await shell('npx animal-store-conformance', { cwd: caller, env: { TARGET: 'reference' } });
    expect(ran.code, ran.text).toBe(0);
    expect(ran.report().verdict).toBe('conforms');
    const written = readdirSync(caller);
    for (const name of ['conformance-report', 'conformance-playwright']) expect(written).toContain(name);
    for (const name of ['playwright-report', 'test-results']) {
      expect(written).not.toContain(name);
      expect(readdirSync(join(caller, 'conformance-playwright'))).toContain(name);
    }
    const verify = 'npx animal-store-conformance verify conformance-report';
    expect(await done(verify, caller)).toContain('VERIFIED: conforms');
    const compare = 'npx animal-store-conformance compare conformance-report verified-report';
    expect(await done(compare, caller)).toMatch(/From A to B: no difference/);
    const { log } = JSON.parse(ran.file('exchanges.har')) as { log: { _run: { baseUrl: string } } };
    const judge = `npx animal-store-conformance judge conformance-report --base-url ${log._run.baseUrl}`;
    expect(await done(judge, caller, { REPORT_DIR: 'judged' })).toMatch(/touched \d+ of the 14 statuses/);
  });

  for (const block of recipes.filter(isOfPackage)) {
    test(`works as documented: ${block.place}`, async ({ packed, serving }) => {
      const { baseUrl } = await serving(KEY);
      const env = { STAGING_KEY: KEY, SUITE_ARCHIVE: packed.archive, THROTTLING: 'off' };
      const ran = await shell(block.text.replaceAll(EXAMPLE, baseUrl), { cwd: packed.caller, env });
      expect(ran.code, ran.text).toBe(0);
      expect(ran.report()).toMatchObject({ verdict: 'partial', target: baseUrl });
    });
  }

  test('takes settings files and waivers from the folder of the caller, and prints the command that runs a part again', async ({
    packed,
    directory,
    serving,
  }) => {
    const { baseUrl } = await serving(KEY, defective('get.unknown/ok-with-null'));
    const cwd = project(join(directory, 'project'));
    symlinkSync(join(packed.caller, 'node_modules'), join(cwd, 'node_modules'));
    writeFileSync(join(cwd, '.env.staging'), `BASE_URL=${baseUrl}\nAPI_KEY=${KEY}\n`);
    const env = { TARGET: 'staging' };
    const command = 'npx animal-store-conformance --grep @get.unknown';
    const failed = await shell(command, { cwd, env });
    expect(failed.code, failed.text).toBe(1);
    expect(failed.report().verdict).toBe('violates');
    const [, again = ''] = /^ *again +(\S.*)$/m.exec(failed.text) ?? [];
    expect(again).toMatch(/^TARGET=staging npx animal-store-conformance --grep @get\.unknown$/);
    const expires = new Date(Date.now() + 40 * 86_400_000).toISOString().slice(0, 10);
    const waiver = `- requirement: get.unknown\n  reason: the gateway\n  owner: the shop team\n  expires: ${expires}\n`;
    writeFileSync(join(cwd, 'waivers.yaml'), waiver);
    const waived = await shell(command, { cwd, env });
    expect(waived.code, waived.text).toBe(0);
    expect(waived.report().counts.waived).toBe(1);
  });

  test('judges by the contract that CONTRACT names, from the folder of the caller', async ({ packed }) => {
    const text = readFileSync(join(ROOT, 'spec/openapi.yaml'), 'utf8');
    writeFileSync(join(packed.caller, 'draft.yaml'), text.replace('version: 1.0.0', 'version: 1.1.0-draft'));
    const env = { TARGET: 'reference', CONTRACT: 'draft.yaml' };
    const ran = await shell(ONE, { cwd: packed.caller, env });
    expect(ran.code, ran.text).toBe(0);
    expect(ran.report().contract).toMatchObject({ version: '1.1.0-draft', file: 'draft.yaml' });
  });

  test('starts the reference implementation', async ({ packed }) => {
    const how = { cwd: packed.caller, env: { PORT: '0' }, until: /listens at http:\/\/127/ };
    const { text } = await shell('npx animal-store-conformance reference', how);
    expect(text).toMatch(/^ +BASE_URL=\S+ API_KEY=reference-business-key npx animal-store-conformance$/m);
  });

  test('exports the schema of the report, prints its version and usage, and refuses a key as an argument', async ({
    packed: { caller },
  }) => {
    const script = `console.log(require('animal-store-conformance/conformance.schema.json').title)`;
    expect(await done(`node -e "${script}"`, caller)).toBe('conformance.json\n');
    const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string };
    expect(await done('npx animal-store-conformance --version', caller)).toContain(`${version}\n`);
    expect(readFileSync(join(ROOT, 'CHANGELOG.md'), 'utf8')).toContain(`\n## ${version}`);
    expect(await done('npx animal-store-conformance compare --help', caller)).toContain('--base-url URL]');
    for (const [args, message] of [
      ['--api-key=secret-91', /set API_KEY in the environment/],
      ['--throttle-api-key secret-91', /set API_KEY in the environment/],
      ['--base-url', /an address such as https/],
      ['--base-url --list', /an address such as https/],
    ] as const) {
      const ran = await shell(`npx animal-store-conformance ${args}`, { cwd: caller });
      expect([ran.code, ran.text]).toEqual([1, expect.stringMatching(message)]);
      expect(ran.text).not.toContain('secret-91');
    }
  });
});

test.describe('The container', () => {
  test('follows the rules for images', () => {
    for (const stage of [build, image]) {
      // A pinned version, and only the intended files.
      expect(last(stage, 'FROM')).toMatch(/^node:\d+[\w.-]*-slim( AS \w+)?$/);
      for (const { word, rest } of stage) {
        expect(['FROM', 'WORKDIR', 'COPY', 'RUN', 'USER', 'ENTRYPOINT']).toContain(word);
        if (word === 'WORKDIR') expect(rest).toMatch(/^\//);
        if (word === 'RUN') expect(rest).not.toMatch(/\bsudo\b|\bcd \/|KEY|\bapt\b/);
      }
    }
    expect(last(image, 'USER')).toBe('node');
    expect(image.findIndex(({ word }) => word === 'USER')).toBeGreaterThan(
      image.findLastIndex(({ word }) => word === 'RUN'),
    );
    const ignored = readFileSync(join(ROOT, '.dockerignore'), 'utf8').split('\n');
    for (const name of ['.env', '.env.*', 'node_modules', '.git']) expect(ignored).toContain(name);
  });

  test('installs a command that judges a server, as a non-root user', async ({ packed, serving }) => {
    const { baseUrl } = await serving(KEY);
    const { root } = packed;
    const usr = join(root, 'usr');
    mkdirSync(join(root, 'opt'));
    await done(`cp "${packed.archive}" "${root}/opt/"`, root);
    const npm = { npm_config_prefix: usr, npm_config_cache: join(root, 'cache') };
    for (const command of parseCommands(image, root)) await done(command, root, npm);
    const [command = ''] = JSON.parse(last(image, 'ENTRYPOINT') ?? '[]') as string[];
    const cwd = join(root, last(image, 'WORKDIR') ?? '');
    const home = join(root, 'home');
    mkdirSync(home);
    chmodSync(home, 0o555);
    const ran = await shell(`PATH="${usr}/bin:$PATH" ${command} --grep @list.succeeds`, {
      cwd,
      user: otherUser,
      env: { BASE_URL: baseUrl, API_KEY: KEY, HOME: home },
    });
    expect(ran.code, ran.text).toBe(0);
    expect(ran.report()).toMatchObject({ verdict: 'partial', target: baseUrl });
  });
});
