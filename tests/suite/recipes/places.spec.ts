/** The suite runs in any folder and as any user, or prints one message with the reason. */
import { chmodSync, chownSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect } from '@playwright/test';
import { folder, test as base } from '../gate/spawn.ts';
import { installedClone, openTo, otherUser, shell } from './checkout.ts';

const KEY = 'place-key-90d2';
const ONE = '--grep @list.succeeds';

/** `checkout`: an installed clone of the other user, below folders with names that could be taken for something else. */
const test = base.extend<object, { checkout: string }>({
  checkout: [
    async ({}, use) => {
      const { directory, remove } = folder();
      const above = ['tests', 'tests/suite', 'tests/suite/unit', 'tests/suite/unit/Übung mit Leerzeichen'];
      const folders = [...above, `${above.at(-1)}/checkout`].map((name) => join(directory, name));
      for (const name of folders) mkdirSync(name);
      openTo(directory, ...folders);
      const checkout = folders.at(-1) as string;
      if (otherUser.uid !== undefined) chownSync(checkout, otherUser.uid, otherUser.gid);
      await use(installedClone(checkout));
      remove();
    },
    { scope: 'worker' },
  ],
});

// One worker, since Playwright compiles each checkout again.
test.describe.configure({ mode: 'default' });

test('below folders of any name and from another folder, the run uses the settings and the report of that folder', async ({
  directory,
  serving,
  checkout,
}) => {
  const { baseUrl } = await serving(KEY);
  writeFileSync(join(directory, '.env.here'), `BASE_URL=${baseUrl}\nAPI_KEY=${KEY}\nIMPLEMENTATION=the shop 2.1\n`);
  const command = `"${checkout}/node_modules/.bin/playwright" test -c "${checkout}" ${ONE}`;
  const ran = await shell(command, { cwd: directory, env: { TARGET: 'here' } });
  expect(ran.code, ran.text).toBe(0);
  expect(ran.report()).toMatchObject({ verdict: 'partial', target: expect.stringContaining(baseUrl) as unknown });
});

test('as another user with a read-only home, in a read-only checkout, Playwright prints before the run what to set', async ({
  checkout,
}) => {
  // What a run as the owner wrote.
  for (const name of ['conformance-report', 'playwright-report', 'test-results'])
    rmSync(join(checkout, name), { recursive: true, force: true });
  chmodSync(checkout, 0o555);
  const env = { HOME: dirname(checkout), TARGET: 'reference' };
  const ran = await shell(`npx playwright test ${ONE}`, { cwd: checkout, env, user: otherUser });
  chmodSync(checkout, 0o755);
  expect(ran.code).toBe(1);
  expect(ran.text).toMatch(/cannot be written.*--output/s);
  expect(ran.text).not.toMatch(/^ +at /m);
});

test('below a folder called node_modules, the command prints the remedy', async ({ directory }) => {
  const cwd = installedClone(join(directory, 'node_modules/checkout'));
  const ran = await shell('node bin/animal-store-conformance.js --list', { cwd });
  expect(ran.code).toBe(1);
  expect(ran.text).toMatch(/below a folder called node_modules.*install the package/s);
});
