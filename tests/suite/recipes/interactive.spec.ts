/** A UI mode session while the target is being fixed: each run sends its requests again. */
import { expect, mergeTests, type Page } from '@playwright/test';
import { defective } from '../gate/serve.ts';
import { starting, test as serving } from '../gate/spawn.ts';
import { test as browsing } from '../report/browser.ts';

/** Of UI mode itself, which the address of the target is not. */
const ADDRESS = /http:\/\/127\.0\.0\.1:\d+(?!\/v1)(?=\s)/;

/** Runs all visible tests. @returns their number and results: `3/3 (100%) — 3 failed`. */
async function runAll(page: Page): Promise<string> {
  const line = page.getByTestId('status-line');
  await page.getByTitle('Run all').click();
  await expect(line).toContainText('Running');
  await expect(line).toHaveText(/^\d/, { timeout: 120_000 });
  return (await line.textContent()) ?? '';
}

const test = mergeTests(serving, browsing);

test('a broken target is red, and once fixed on the same port green', async ({ page, directory, serving, closing }) => {
  const broken = await serving({ service: defective('get.unknown/ok-with-null') });
  const { child, printed, ended } = starting(directory, broken.env, ['--ui-host=127.0.0.1', '--ui-port=0']);
  closing({ close: () => child.kill('SIGINT') && ended });
  const [address] = await printed(ADDRESS);
  await page.goto(address);
  await page.getByPlaceholder('Filter (e.g. text, @tag)').fill('@get.unknown');
  expect(await runAll(page)).toMatch(/^(\d+)\/\1 .*\1 failed/);
  broken.close();
  await serving({ port: Number(new URL(broken.baseUrl).port) });
  expect(await runAll(page)).toMatch(/^([1-9]\d*)\/\1 (?!.*failed)/);
});
