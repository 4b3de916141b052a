/** The suite runs in any folder and as any user, or prints one message with the reason. */
import { chmodSync, chownSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from '@playwright/test';
import { cases } from '../../properties/index.ts';
import { folder, test as base } from '../gate/spawn.ts';
import { installedClone, openTo, otherUser, shell } from './checkout.ts';

const KEY = 'place-key-90d2';
const ONE = '--grep @list.succeeds';

interface Fixtures {
  /** A read-only home of the other user. */
  home: string;
}

interface Shared {
  /** An installed clone that the other user owns, below folders with names that could be taken for something else. */
  checkout: string;
}

/** Makes a folder that the other user owns. */
function own(path: string): string {
  mkdirSync(path);
  if (otherUser.uid !== undefined) chownSync(path, otherUser.uid, otherUser.gid ?? 0);
  return path;
}

const test = base.extend<Fixtures, Shared>({
  home: async ({ directory }, use) => {
    const home = join(directory, 'home');
    mkdirSync(home);
    openTo(directory, home);
    chmodSync(home, 0o555);
    await use(home);
    chmodSync(home, 0o755);
  },
  checkout: [
    async ({}, use) => {
      const { directory, remove } = folder();
      const above = ['tests', 'tests/suite', 'tests/suite/unit', 'tests/suite/unit/Übung mit Leerzeichen'];
      const folders = above.map((name) => join(directory, name));
      for (const name of folders) mkdirSync(name);
      openTo(directory, ...folders);
      await use(installedClone(own(join(folders.at(-1) ?? '', 'checkout'))));
      remove();
    },
    { scope: 'worker' },
  ],
});

// One worker, since Playwright compiles each checkout again.
test.describe.configure({ mode: 'default' });

test('below folders of any name, every test is found', async ({ checkout }) => {
  const { text } = await shell('npx playwright test --list', { cwd: checkout });
  expect(text).toContain(`Total: ${cases.length} tests in 1 file`);
});

test('from another folder, the run uses the settings and the report of that folder', async ({
  directory,
  serving,
  checkout,
}) => {
  const { baseUrl } = await serving(KEY);
  const cwd = join(directory, 'elsewhere');
  mkdirSync(cwd);
  writeFileSync(join(cwd, '.env.here'), `BASE_URL=${baseUrl}\nAPI_KEY=${KEY}\nIMPLEMENTATION=the shop 2.1\n`);
  const command = `"${checkout}/node_modules/.bin/playwright" test -c "${checkout}" ${ONE}`;
  const ran = await shell(command, { cwd, env: { TARGET: 'here' } });
  expect(ran.code, ran.text).toBe(0);
  expect(ran.report()).toMatchObject({ verdict: 'partial', target: expect.stringContaining(baseUrl) });
});

test.describe('As another user with a read-only home, in a read-only checkout', () => {
  test.beforeEach(({ checkout }) => {
    // What a run as the owner wrote.
    for (const name of ['conformance-report', 'playwright-report', 'test-results'])
      rmSync(join(checkout, name), { recursive: true, force: true });
    chmodSync(checkout, 0o555);
  });
  test.afterEach(({ checkout }) => chmodSync(checkout, 0o755));

  test('the command of the package reports into the folder of the caller', async ({
    directory,
    serving,
    home,
    checkout,
  }) => {
    const { baseUrl } = await serving(KEY);
    const cwd = own(join(directory, 'own'));
    const env = { HOME: home, BASE_URL: baseUrl, API_KEY: KEY };
    const command = `node "${checkout}/bin/animal-store-conformance.js" ${ONE}`;
    const ran = await shell(command, { cwd, env, user: otherUser });
    expect(ran.code, ran.text).toBe(0);
    expect(ran.report().verdict).toBe('partial');
  });

  test('Playwright itself prints before the run what to set', async ({ checkout, home }) => {
    const env = { HOME: home, TARGET: 'reference' };
    const ran = await shell(`npx playwright test ${ONE}`, { cwd: checkout, env, user: otherUser });
    expect(ran.code).toBe(1);
    expect(ran.text).toMatch(/cannot be written.*--output/s);
    expect(ran.text).not.toMatch(/^ +at /m);
  });
});

test('below a folder called node_modules, the command prints the remedy', async ({ directory }) => {
  const cwd = installedClone(join(directory, 'node_modules/checkout'));
  const ran = await shell('node bin/animal-store-conformance.js --list', { cwd });
  expect(ran.code).toBe(1);
  expect(ran.text).toMatch(/below a folder called node_modules.*install the package/s);
});
