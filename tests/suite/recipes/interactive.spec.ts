/** A UI mode session while the target is being fixed: each run sends its requests again. */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { expect, mergeTests, type Page } from '@playwright/test';
import { defective, ROOT, test as serving } from '../gate/spawn.ts';
import { test as browsing } from '../report/browser.ts';
import { environment } from './checkout.ts';

const KEY = 'interactive-key-2c55';

interface Session {
  openUi: (baseUrl: string, requirement: string) => Promise<Page>;
}

const test = mergeTests(serving, browsing).extend<Session>({
  openUi: async ({ page, directory }, use) => {
    const children: ReturnType<typeof spawn>[] = [];
    await use(async (baseUrl, requirement) => {
      const options = ['--ui-host=127.0.0.1', '--ui-port=0', `--output=${join(directory, 'results')}`];
      const env = { BASE_URL: baseUrl, API_KEY: KEY, THROTTLING: 'off', REPORT_DIR: join(directory, 'report') };
      const html = { PLAYWRIGHT_HTML_OUTPUT_DIR: join(directory, 'html') };
      const cli = join(ROOT, 'node_modules/@playwright/test/cli.js');
      const child = spawn(process.execPath, [cli, 'test', ...options], {
        cwd: ROOT,
        env: { ...environment(), ...env, ...html },
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      children.push(child);
      const address = await new Promise<string>((found, failed) => {
        let text = '';
        for (const stream of [child.stdout, child.stderr])
          stream.setEncoding('utf8').on('data', (data: string) => {
            text += data;
            const [url] = /http:\/\/127\.0\.0\.1:\d+(?!\/v1)(?=\s)/.exec(text.replaceAll(baseUrl, '')) ?? [];
            if (url !== undefined) found(url);
          });
        child.on('exit', () => failed(new Error(`UI mode has ended:\n${text}`)));
      });
      await page.goto(address);
      await page.getByPlaceholder('Filter (e.g. text, @tag)').fill(`@${requirement}`);
      return page;
    });
    for (const child of children) {
      const gone = new Promise((done) => child.on('exit', done));
      child.kill('SIGINT');
      await gone;
    }
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

test('a fixed target on the same port is green, and one broken again is red', async ({ openUi, serving }) => {
  const broken = await serving(KEY, defective('get.unknown/ok-with-null'));
  const port = Number(new URL(broken.baseUrl).port);
  const page = await openUi(broken.baseUrl, 'get.unknown');
  expect(await runAll(page)).toMatch(RED);
  await broken.close();
  const fixed = await serving(KEY, () => {}, port);
  expect(await runAll(page)).toMatch(GREEN);
  await fixed.close();
  await serving(KEY, defective('get.unknown/ok-with-null'), port);
  expect(await runAll(page)).toMatch(RED);
});
