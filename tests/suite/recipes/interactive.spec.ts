/** A UI mode session while the target is being fixed: each run sends its requests again. */
import { expect, mergeTests, type Page } from '@playwright/test';
import { defective, type Running, starting, test as serving } from '../gate/spawn.ts';
import { test as browsing } from '../report/browser.ts';

const KEY = 'interactive-key-2c55';
/** Of UI mode itself, which the address of the target is not. */
const ADDRESS = /http:\/\/127\.0\.0\.1:\d+(?!\/v1)(?=\s)/;

const test = mergeTests(serving, browsing).extend<{ openUi: (baseUrl: string) => Promise<Page> }>({
  openUi: async ({ page, directory }, use) => {
    let running: Running | undefined;
    await use(async (baseUrl) => {
      running = starting(directory, { BASE_URL: baseUrl, API_KEY: KEY }, ['--ui-host=127.0.0.1', '--ui-port=0']);
      const [address] = await running.printed(ADDRESS);
      await page.goto(address);
      return page;
    });
    running?.child.kill('SIGINT');
    await running?.ended;
  },
});

/** Runs all visible tests. @returns their number and results: `3/3 (100%) — 3 failed`. */
async function runAll(page: Page): Promise<string> {
  const line = page.getByTestId('status-line');
  await page.getByTitle('Run all').click();
  await expect(line).toContainText('Running');
  await expect(line).toHaveText(/^\d/, { timeout: 120_000 });
  return (await line.textContent()) ?? '';
}

const RED = /^(\d+)\/\1 .*\1 failed/;
const GREEN = /^([1-9]\d*)\/\1 (?!.*failed)/;

test('a broken target is red, and once fixed on the same port green', async ({ openUi, serving }) => {
  const broken = await serving(KEY, defective('get.unknown/ok-with-null'));
  const port = Number(new URL(broken.baseUrl).port);
  const page = await openUi(broken.baseUrl);
  await page.getByPlaceholder('Filter (e.g. text, @tag)').fill('@get.unknown');
  expect(await runAll(page)).toMatch(RED);
  await broken.close();
  await serving(KEY, () => {}, port);
  expect(await runAll(page)).toMatch(GREEN);
});
