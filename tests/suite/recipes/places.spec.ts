/** The suite runs in any folder and as any user, or prints one message with the reason. */
import { chmodSync, chownSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from '@playwright/test';
import { ROOT, test as base } from '../gate/spawn.ts';
import { clone, type How, installedClone, openTo, shell, otherUser } from './checkout.ts';

const KEY = 'place-key-90d2';

interface Fixtures {
  /** As a non-root user with a read-only home. */
  asOtherUser: (how: Omit<How, 'user'>) => How;
}

const test = base.extend<Fixtures>({
  asOtherUser: async ({ directory }, use) => {
    const home = join(directory, 'home');
    mkdirSync(home);
    openTo(directory, home);
    chmodSync(home, 0o555);
    await use(({ env, ...how }) => ({ ...how, user: otherUser, env: { ...env, HOME: home } }));
    chmodSync(home, 0o755);
  },
});

const ONE = 'npx playwright test --grep @list.succeeds';

/** A folder that the other user owns. */
function own(path: string): string {
  mkdirSync(path);
  if (otherUser.uid !== undefined) chownSync(path, otherUser.uid, otherUser.gid ?? 0);
  return path;
}

for (const place of ['suite', 'tests/suite/unit', 'Übung mit Leerzeichen/ä']) {
  test(`below a folder called ${place}, every test is found`, async ({ directory }) => {
    const list = (cwd: string): ReturnType<typeof shell> => shell('npx playwright test --list', { cwd });
    const [here, there] = await Promise.all([list(ROOT), list(installedClone(join(directory, place, 'checkout')))]);
    const found = /Total: \d+ tests in \d+ files/;
    expect(found.exec(there.text)?.[0], there.text).toBe(found.exec(here.text)?.[0]);
    expect(here.text).toMatch(found);
  });
}

test('below a folder with a blank and a letter beyond ASCII, a target is judged', async ({ directory, serving }) => {
  const { baseUrl } = await serving(KEY);
  const cwd = installedClone(join(directory, 'suite/Übung mit Leerzeichen/checkout'));
  const ran = await shell(ONE, { cwd, env: { BASE_URL: baseUrl, API_KEY: KEY } });
  expect(ran.code, ran.text).toBe(0);
  expect(ran.report()).toMatchObject({ verdict: 'partial', target: baseUrl });
});

test('below a folder called node_modules, the command prints the remedy', async ({ directory }) => {
  const cwd = installedClone(join(directory, 'node_modules/checkout'));
  const ran = await shell('node bin/animal-store-conformance.js --list', { cwd });
  expect(ran.code).toBe(1);
  expect(ran.text).toMatch(/below a folder called node_modules.*install the package/s);
});

test('from another folder, the run uses the settings and the report of that folder', async ({ directory, serving }) => {
  const { baseUrl } = await serving(KEY);
  const checkout = installedClone(join(directory, 'checkout'));
  const cwd = join(directory, 'elsewhere');
  mkdirSync(cwd);
  writeFileSync(join(cwd, '.env.here'), `BASE_URL=${baseUrl}\nAPI_KEY=${KEY}\nIMPLEMENTATION=the shop 2.1\n`);
  const command = `"${checkout}/node_modules/.bin/playwright" test -c "${checkout}" --grep @list.succeeds`;
  const ran = await shell(command, { cwd, env: { TARGET: 'here' } });
  expect(ran.code, ran.text).toBe(0);
  expect(ran.report()).toMatchObject({ verdict: 'partial', target: expect.stringContaining(baseUrl) });
});

test('as another user with a read-only home, in their own checkout', async ({ directory, serving, asOtherUser }) => {
  const { baseUrl } = await serving(KEY);
  const cwd = clone(own(join(directory, 'checkout')));
  symlinkSync(join(ROOT, 'node_modules'), join(cwd, 'node_modules'));
  const ran = await shell(ONE, asOtherUser({ cwd, env: { BASE_URL: baseUrl, API_KEY: KEY } }));
  expect(ran.code, ran.text).toBe(0);
  expect(ran.report().verdict).toBe('partial');
});

test.describe('in a read-only checkout', () => {
  test('the command of the package reports into the folder of the caller', async ({
    directory,
    serving,
    asOtherUser,
  }) => {
    const { baseUrl } = await serving(KEY);
    const checkout = installedClone(join(directory, 'checkout'));
    chmodSync(checkout, 0o555);
    const cwd = own(join(directory, 'own'));
    const command = `node "${checkout}/bin/animal-store-conformance.js" --grep @list.succeeds`;
    const ran = await shell(command, asOtherUser({ cwd, env: { BASE_URL: baseUrl, API_KEY: KEY } }));
    expect(ran.code, ran.text).toBe(0);
    expect(ran.report().verdict).toBe('partial');
  });

  test('Playwright itself prints before the run what to set', async ({ directory, asOtherUser }) => {
    const cwd = installedClone(join(directory, 'checkout'));
    chmodSync(cwd, 0o555);
    const ran = await shell(ONE, asOtherUser({ cwd, env: { TARGET: 'reference' } }));
    expect(ran.code).toBe(1);
    expect(ran.text).toMatch(/cannot be written.*--output/s);
    expect(ran.text).not.toMatch(/^ +at /m);
  });
});

for (const [what, path] of [
  ['is a file', 'a-file'],
  ['lies below a file', 'a-file/report'],
] as const) {
  test(`a REPORT_DIR that ${what} is reported before anything is sent`, async ({ directory, serving }) => {
    let sent = 0;
    const { baseUrl } = await serving(KEY, (service) => {
      const list = service.listPets.bind(service);
      service.listPets = (request) => {
        sent += 1;
        return list(request);
      };
    });
    writeFileSync(join(directory, 'a-file'), '');
    const env = { BASE_URL: baseUrl, API_KEY: KEY, REPORT_DIR: join(directory, path) };
    const ran = await shell(ONE, { cwd: installedClone(join(directory, 'checkout')), env });
    expect(ran.code).toBe(1);
    expect(ran.text).toContain('REPORT_DIR');
    expect(sent).toBe(0);
  });
}
