/** Chromium for the tests of the pages, and checks that hold for every page. */
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { chromium, expect, type Page, test as base } from '@playwright/test';

const candidates = process.env.CHROMIUM
  ? [process.env.CHROMIUM]
  : ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome', chromium.executablePath()];
/** The path of Chromium; empty without one. */
export const executablePath = candidates.find((path) => existsSync(path)) ?? '';
export const hasBrowser = executablePath !== '';
const WITHOUT = 'no Chromium was found (install Debian’s chromium, or name one in CHROMIUM)';

/** Chromium shows files from disk, and sends no request. */
export const chromiumArguments = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--no-first-run',
  '--disable-quic',
];

interface Watched {
  /** Opens a page from disk, and checks at the end that it printed and requested nothing. */
  open: (file: string) => Promise<Page>;
}

export const test = base.extend<Watched & { needed: void }>({
  launchOptions: {
    executablePath,
    args: chromiumArguments,
  },
  needed: [
    async ({}, use, info) => {
      if (!hasBrowser && process.env.REQUIRE_BROWSER === '1') throw new Error(`REQUIRE_BROWSER=1, and ${WITHOUT}`);
      info.skip(!hasBrowser, WITHOUT);
      await use();
    },
    { auto: true },
  ],
  open: async ({ page }, use) => {
    const heard: string[] = [];
    page.on('console', (message) => heard.push(`console: ${message.text()}`));
    page.on('pageerror', (error) => heard.push(`error: ${error.message}`));
    page.on('dialog', (dialog) => {
      heard.push(`dialog: ${dialog.message()}`);
      void dialog.dismiss();
    });
    page.on('request', (request) => {
      if (!/^(file|data):/.test(request.url())) heard.push(`request: ${request.url()}`);
    });
    await use(async (file) => {
      await page.goto(`file://${file}`);
      return page;
    });
    expect(heard).toEqual([]);
  },
});

interface Axe {
  run: (options: object) => Promise<{ violations: { id: string; help: string; nodes: { target: string[] }[] }[] }>;
}

/** Accessibility violations, by axe-core. */
export async function findAxeViolations(page: Page): Promise<string[]> {
  const { source } = createRequire(import.meta.url)('axe-core') as { source: string };
  // Evaluated, because the policy of the page forbids further scripts.
  await page.evaluate(source);
  const { violations } = await page.evaluate(() => {
    const { axe } = globalThis as unknown as { axe: Axe };
    return axe.run({ resultTypes: ['violations'] });
  });
  return violations.map(({ id, help, nodes }) => `${id}: ${help} (${nodes.length}: ${nodes[0]?.target.join(' ')})`);
}

export { expect } from '@playwright/test';
