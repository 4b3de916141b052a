/** The suite runs in any folder and as any user, or prints one message with the reason. */
import { chmodSync, chownSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from '@playwright/test';
import { folder, ROOT, test as base } from '../gate/spawn.ts';
import { type How, installedClone, openTo, shell, otherUser } from './checkout.ts';

const KEY = 'place-key-90d2';

interface Fixtures {
  /** As a non-root user with a read-only home. */
  asOtherUser: (how: Omit<How, 'user'>) => How;
}

interface Shared {
  /** An installed clone that the other user owns. */
  checkout: string;
}

const test = base.extend<Fixtures, Shared>({
  asOtherUser: async ({ directory }, use) => {
    const home = join(directory, 'home');
    mkdirSync(home);
    openTo(directory, home);
    chmodSync(home, 0o555);
    await use(({ env, ...how }) => ({ ...how, user: otherUser, env: { ...env, HOME: home } }));
    chmodSync(home, 0o755);
  },
  checkout: [
    async ({}, use) => {
      const { directory, remove } = folder();
      openTo(directory);
      await use(installedClone(own(join(directory, 'checkout'))));
      remove();
    },
    { scope: 'worker' },
  ],
});

const ONE = 'npx playwright test --grep @list.succeeds';

/** Makes a folder that the other user owns. */
function own(path: string): string {
  mkdirSync(path);
  if (otherUser.uid !== undefined) chownSync(path, otherUser.uid, otherUser.gid ?? 0);
  return path;
}

/** Removes what an earlier run wrote, perhaps as another user. */
function clear(checkout: string): void {
  for (const name of ['conformance-report', 'playwright-report', 'test-results'])
    rmSync(join(checkout, name), { recursive: true, force: true });
}

test('below a folder of any name, every test is found and a target is judged', async ({ directory, serving }) => {
  const { baseUrl } = await serving(KEY);
  const places = ['suite', 'tests/suite/unit', 'Übung mit Leerzeichen/ä'];
  const checkouts = places.map((place) => installedClone(join(directory, place, 'checkout')));
  const listed = await Promise.all([ROOT, ...checkouts].map((cwd) => shell('npx playwright test --list', { cwd })));
  const found = listed.map(({ text }) => /Total: \d+ tests in \d+ files?/.exec(text)?.[0]);
  expect(found[0], listed[0]?.text).toBeDefined();
  for (const [index, place] of places.entries()) expect(found[index + 1], place).toBe(found[0]);
  // What has a blank and a letter beyond ASCII.
  const ran = await shell(ONE, { cwd: checkouts[2] ?? '', env: { BASE_URL: baseUrl, API_KEY: KEY } });
  expect(ran.code, ran.text).toBe(0);
  expect(ran.report()).toMatchObject({ verdict: 'partial', target: baseUrl });
});

test('below a folder called node_modules, the command prints the remedy', async ({ directory }) => {
  const cwd = installedClone(join(directory, 'node_modules/checkout'));
  const ran = await shell('node bin/animal-store-conformance.js --list', { cwd });
  expect(ran.code).toBe(1);
  expect(ran.text).toMatch(/below a folder called node_modules.*install the package/s);
});

test.describe('In one checkout', () => {
  // One worker, since Playwright compiles each checkout again.
  test.describe.configure({ mode: 'default' });

  test('from another folder, the run uses the settings and the report of that folder', async ({
    directory,
    serving,
    checkout,
  }) => {
    const { baseUrl } = await serving(KEY);
    const cwd = join(directory, 'elsewhere');
    mkdirSync(cwd);
    writeFileSync(join(cwd, '.env.here'), `BASE_URL=${baseUrl}\nAPI_KEY=${KEY}\nIMPLEMENTATION=the shop 2.1\n`);
    const command = `"${checkout}/node_modules/.bin/playwright" test -c "${checkout}" --grep @list.succeeds`;
    const ran = await shell(command, { cwd, env: { TARGET: 'here' } });
    expect(ran.code, ran.text).toBe(0);
    expect(ran.report()).toMatchObject({ verdict: 'partial', target: expect.stringContaining(baseUrl) });
  });

  test('as another user with a read-only home, in their own checkout', async ({ serving, asOtherUser, checkout }) => {
    clear(checkout);
    const { baseUrl } = await serving(KEY);
    const ran = await shell(ONE, asOtherUser({ cwd: checkout, env: { BASE_URL: baseUrl, API_KEY: KEY } }));
    expect(ran.code, ran.text).toBe(0);
    expect(ran.report().verdict).toBe('partial');
  });

  test.describe('that is read-only', () => {
    test.beforeEach(({ checkout }) => {
      clear(checkout);
      chmodSync(checkout, 0o555);
    });
    test.afterEach(({ checkout }) => chmodSync(checkout, 0o755));

    test('the command of the package reports into the folder of the caller', async ({
      directory,
      serving,
      asOtherUser,
      checkout,
    }) => {
      const { baseUrl } = await serving(KEY);
      const cwd = own(join(directory, 'own'));
      const command = `node "${checkout}/bin/animal-store-conformance.js" --grep @list.succeeds`;
      const ran = await shell(command, asOtherUser({ cwd, env: { BASE_URL: baseUrl, API_KEY: KEY } }));
      expect(ran.code, ran.text).toBe(0);
      expect(ran.report().verdict).toBe('partial');
    });

    test('Playwright itself prints before the run what to set', async ({ checkout, asOtherUser }) => {
      const ran = await shell(ONE, asOtherUser({ cwd: checkout, env: { TARGET: 'reference' } }));
      expect(ran.code).toBe(1);
      expect(ran.text).toMatch(/cannot be written.*--output/s);
      expect(ran.text).not.toMatch(/^ +at /m);
    });
  });
});
