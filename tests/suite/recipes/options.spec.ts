/** Playwright's own options: each run is judged correctly and claims no more than it tested. */
import { join } from 'node:path';
import { expect } from '@playwright/test';
import { type Change, defective, type Ended, suite, test } from '../gate/spawn.ts';

const KEY = 'option-key-b81d';
const DEFECT = 'get.unknown/ok-with-null';

/** Options that people use, on the tests of one requirement. */
const OPTIONS = [
  ['--repeat-each=2', '--grep=@get.unknown'],
  ['--retries=1', '--grep=@get.unknown'],
  ['--workers=4', '--grep=@get.unknown'],
  ['-x', '--grep=@get.unknown'],
  ['--project=', '--grep=@get.unknown'],
  ['--debug', '--grep=@get.unknown'],
  ['tests/conformance.spec.ts', '--grep=@get.unknown'],
] as const satisfies readonly (readonly string[])[];

for (const options of OPTIONS) {
  test(`${options[0]} finds the violation, and reports no other`, async ({ directory, serving }) => {
    const judge = async (name: string, change?: Change): Promise<Ended> => {
      const { baseUrl } = await serving(KEY, change);
      return suite(join(directory, name), { BASE_URL: baseUrl, API_KEY: KEY }, ...options);
    };
    const [red, green] = await Promise.all([judge('red', defective(DEFECT)), judge('green')]);
    expect(red.code, red.text).toBe(1);
    expect(red.report().verdict, red.text).toBe('violates');
    expect(green.code, green.text).toBe(0);
    expect(green.report().verdict).toBe('partial');
  });
}

test('--last-failed runs the failed tests: red until the target is fixed', async ({ directory, serving }) => {
  const broken = await serving(KEY, defective(DEFECT));
  const env = { BASE_URL: broken.baseUrl, API_KEY: KEY };
  await suite(directory, env, '--grep=@get.unknown');
  const again = await suite(directory, env, '--last-failed');
  expect(again.code, again.text).toBe(1);
  expect(again.report().verdict).toBe('violates');
  await broken.close();
  await serving(KEY, () => {}, Number(new URL(broken.baseUrl).port));
  const fixed = await suite(directory, env, '--last-failed');
  expect(fixed.code, fixed.text).toBe(0);
  expect(fixed.report().verdict).toBe('partial');
});

test('an unknown project is refused', async ({ directory }) => {
  const ran = await suite(directory, { TARGET: 'reference' }, '--project=firefox');
  expect(ran.code).toBe(1);
  expect(ran.text).toContain('firefox');
});
