/** The reviewer's page in a real Chromium: a good run, a bad one, and a huge one with hostile content. */
import { statSync } from 'node:fs';
import type { Page as Tab } from '@playwright/test';
import { document as contract, operations } from '../../../fixtures/contract/contract.ts';
import { shownSettings } from '../../../fixtures/report/page.ts';
import { expect, hasBrowser, test, violationsOf } from './browser.ts';
import { badPage, goodPage, HOSTILE, hugePage, type Page } from './pages.ts';

// The runs that the pages come from are made once.
test.describe.configure({ mode: 'default' });

const pages: { good?: Page; bad?: Page & { key: string }; huge?: Page } = {};
const named = <Name extends keyof typeof pages>(name: Name): NonNullable<(typeof pages)[Name]> => {
  const page = pages[name];
  if (!page) throw new Error(`there is no ${name} page`);
  return page;
};

test.beforeAll(async () => {
  if (!hasBrowser) return;
  test.setTimeout(120_000);
  [pages.good, pages.bad] = await Promise.all([goodPage(), badPage()]);
  pages.huge = hugePage();
});

const shownIds = (tab: Tab): Promise<string[]> =>
  tab.locator('.requirement:visible').evaluateAll((articles) => articles.map((article) => article.id));

for (const name of ['good', 'bad', 'huge'] as const) {
  test.describe(`the page of a ${name} run`, () => {
    for (const colorScheme of ['light', 'dark'] as const) {
      test(`has nothing that axe-core finds wrong, ${colorScheme}`, async ({ open, page }) => {
        test.setTimeout(120_000);
        await page.emulateMedia({ colorScheme });
        const tab = await open(named(name).file);
        for (const details of await tab.locator('header details, .requirement > details').all())
          await details.evaluate((element) => element.setAttribute('open', ''));
        expect(await violationsOf(tab)).toEqual([]);
      });
    }

    test('fits a phone', async ({ open, page }) => {
      await page.setViewportSize({ width: 360, height: 740 });
      const tab = await open(named(name).file);
      for (const details of await tab.locator('details').all())
        await details.evaluate((element) => element.setAttribute('open', ''));
      expect(await tab.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(360);
    });

    test('leads every link within it to its place', async ({ open }) => {
      const tab = await open(named(name).file);
      const hrefs = await tab.locator('a').evaluateAll((links) => links.map((link) => link.getAttribute('href') ?? ''));
      const ids = new Set(await tab.locator('[id]').evaluateAll((elements) => elements.map(({ id }) => `#${id}`)));
      expect(ids.size).toBe(await tab.locator('[id]').count());
      const dangling = hrefs.filter((href) => !ids.has(href));
      expect(dangling).toEqual([]);
    });

    test('stays below 5 MB and opens quickly', async ({ open }) => {
      expect(statSync(named(name).file).size).toBeLessThan(5_000_000);
      const began = Date.now();
      await open(named(name).file);
      expect(Date.now() - began).toBeLessThan(5_000);
    });
  });
}

test('tells on top what was judged, and how', async ({ open }) => {
  const { file, report } = named('bad');
  const tab = await open(file);
  const { sentence, target, contract: of, suite, requests } = report;
  await expect(tab.locator('.sentence')).toHaveText(sentence.replace(/^./, (letter) => letter.toUpperCase()));
  for (const text of [target, `${of.title} ${of.version}`, suite.version, `${requests.sent} (`, '0 s', ' UTC'])
    await expect(tab.locator('header')).toContainText(text);
  const setting = (variable: string) => tab.locator('header tr').filter({ hasText: new RegExp(`^\\s*${variable}\\s`) });
  await tab.getByText('Settings, and how to repeat').click();
  await expect(setting('API_KEY')).toContainText(/set$/m);
  await expect(setting('DEPTH')).toContainText('standard (default)');
});

test('holds no key', async ({ open }) => {
  const { file, key } = named('bad');
  const tab = await open(file);
  expect(await tab.content()).not.toContain(key);
  expect(JSON.stringify(shownSettings({ API_KEY: key, THROTTLE_API_KEY: key }))).not.toContain(key);
});

test('filters by outcome, level and text, and shows all again', async ({ open }) => {
  const { file, report } = named('bad');
  const tab = await open(file);
  const ids = (wanted: (judged: (typeof report.requirements)[number]) => boolean): string[] =>
    report.requirements.filter(wanted).map(({ id }) => id);
  const box = (name: string, value: string) => tab.locator(`input[name=${name}][value=${value}]`);
  for (const outcome of ['untested', 'inapplicable', 'passed', 'open']) await box('outcome', outcome).uncheck();
  const failed = ids(({ outcome }) => outcome === 'failed');
  expect(failed.length).toBeGreaterThan(2);
  expect((await shownIds(tab)).sort()).toEqual(failed.sort());
  await expect(tab.getByRole('status')).toHaveText(
    `${failed.length} of ${report.requirements.length} requirements shown`,
  );
  await expect(tab.getByRole('heading', { name: '3. States and transitions' })).toBeHidden();

  await tab.getByRole('button', { name: 'Show all' }).click();
  await expect(tab.locator('.requirement:visible')).toHaveCount(report.requirements.length);
  await box('level', 'must').uncheck();
  await box('level', 'open').uncheck();
  expect((await shownIds(tab)).sort()).toEqual(ids(({ level }) => level === 'should').sort());

  await tab.getByRole('button', { name: 'Show all' }).click();
  await tab.getByLabel('Text in id, sentence or reason').fill('LIST.limit caps');
  expect(await shownIds(tab)).toEqual(['list.limit.caps']);
});

test('links to each requirement, also to one that is filtered out', async ({ open, page }) => {
  const { file, report } = named('bad');
  const tab = await open(file);
  expect((await shownIds(tab)).sort()).toEqual(report.requirements.map(({ id }) => id).sort());
  await tab.getByLabel('Text in id, sentence or reason').fill('nothing has this text');
  expect(await shownIds(tab)).toEqual([]);
  await tab.locator('#contract ~ * a[href="#list.limit.caps"]').first().click();
  await expect(page.locator('[id="list.limit.caps"]')).toBeInViewport();
  await page.goto(`file://${file}#get.unknown`);
  await page.reload();
  await expect(page.locator('[id="get.unknown"] h4')).toBeInViewport();
});

test('works from the keyboard', async ({ open, page }) => {
  await open(named('bad').file);
  const focused = page.locator(':focus');
  await page.keyboard.press('Tab');
  await expect(focused).toHaveText('Skip to the content');
  await page.keyboard.press('Tab');
  await expect(focused).toContainText('Settings');
  await page.keyboard.press('Enter');
  await expect(page.getByText('Keys are never shown')).toBeVisible();
  await page.locator('input[value=passed]').focus();
  await page.keyboard.press('Space');
  await expect(page.locator('[id="list.succeeds"]')).toBeHidden();
  await page.getByLabel('Text in id, sentence or reason').focus();
  await page.keyboard.press('Enter');
  await page.keyboard.press('Tab');
  await expect(focused).toHaveText('Show all');
  await page.keyboard.press('Space');
  await expect(page.locator('[id="list.succeeds"]')).toBeVisible();
  await page.locator('[id="list.succeeds"] summary').first().focus();
  await page.keyboard.press('Enter');
  await expect(page.locator('[id="list.succeeds"] details').first()).toHaveAttribute('open');
});

test('shows what was sent, allowed and received, a curl command and how to run just this again', async ({ open }) => {
  const tab = await open(named('bad').file);
  const article = tab.locator('[id="list.limit.caps"]');
  await expect(article.locator('.told').first()).toContainText(/Sent\s*GET \/pets\?limit=\d+ with the key/);
  await expect(article.locator('.told').first()).toContainText(/Allowed\s*200 with exactly \d+ animals/);
  await expect(article.locator('.told').first()).toContainText(/Received\s*200 with \d+ animals/);
  await expect(article.locator('pre').filter({ hasText: 'HTTP 200' }).first()).toContainText('"id":');
  await expect(article.locator('.command pre').first()).toHaveText(
    /^curl -i "\$BASE_URL\/pets\?limit=\d+" .*\$API_KEY"$/,
  );
  await expect(article.locator('.command pre').last()).toHaveText('npx playwright test --grep @list.limit.caps');
  const [command] = await article.locator('.command pre').allTextContents();
  await article.locator('button.copy').first().click();
  await expect(article.locator('button.copy').first()).toHaveText('Copied');
  expect(await tab.evaluate('String(getSelection())')).toBe(command);
});

test('tells what was not tested, and why, as plainly as what failed', async ({ open }) => {
  const { file, report } = named('good');
  const tab = await open(file);
  const untested = report.requirements.filter(({ level, outcome }) => outcome === 'untested' && level !== 'open');
  expect(untested.length).toBeGreaterThan(2);
  await expect(tab.getByRole('heading', { name: `What was not tested (${untested.length})` })).toBeVisible();
  for (const { id, reasons } of untested) {
    await expect(tab.locator('.attention li').filter({ has: tab.locator(`a[href="#${id}"]`) })).toContainText(
      reasons[0] as string,
    );
    await expect(tab.locator(`[id="${id}"]`)).toContainText(reasons[0] as string);
  }
});

test('shows the coverage, gaps marked', async ({ open }) => {
  const { file, report } = named('good');
  const tab = await open(file);
  const headings = await tab.locator('.coverage thead th').allTextContents();
  for (const { operation, status, responses, documented } of report.coverage) {
    const row = tab.locator('.coverage tbody tr').filter({ has: tab.locator(`th:text-is("${operation}")`) });
    const cell = row.locator('th, td').nth(headings.indexOf(status));
    await expect(cell).toHaveText(
      responses === 0 ? 'gap: none' : documented ? String(responses) : `${responses}, not documented`,
    );
  }
  expect(report.coverage.filter(({ responses }) => responses === 0).length).toBeGreaterThan(0);
});

test('shows what is left open and what was chosen', async ({ open }) => {
  const { file, report } = named('good');
  const tab = await open(file);
  expect(report.observations.length).toBeGreaterThan(5);
  for (const { id, observed } of report.observations)
    await expect(
      tab.locator('section[aria-labelledby=open] tr').filter({ has: tab.locator(`a[href="#${id}"]`) }),
    ).toContainText(observed.slice(0, 200));
});

test('annotates every operation, parameter and field of the contract', async ({ open }) => {
  const tab = await open(named('bad').file);
  const section = (title: string) =>
    tab.locator('.operation').filter({ has: tab.getByRole('heading', { name: title, exact: true }) });
  const row = (title: string, name: string) =>
    section(title)
      .locator('tbody tr')
      .filter({ has: tab.locator(`th:text-is("${name}")`) });
  for (const operation of operations) {
    for (const parameter of operation.parameters)
      await expect(row(operation.name, `${parameter.in} ${parameter.name}`)).toHaveCount(1);
    for (const field of Object.keys(operation.body?.schema.properties ?? {}))
      await expect(row(operation.name, `body ${field}`)).toHaveCount(1);
    for (const status of Object.keys(operation.responses)) await expect(row(operation.name, status)).toHaveCount(1);
  }
  for (const [name, schema] of Object.entries(contract.components?.schemas ?? {}))
    for (const field of Object.keys(schema.properties ?? {})) await expect(row(`Schema ${name}`, field)).toHaveCount(1);
  await expect(row('GET /pets', 'query limit')).toContainText('✘ list.limit.caps (failed)');
  await expect(row('POST /pets', 'body name')).toContainText('✘ add.name.type (failed)');
  await expect(row('Schema Error', 'status')).toContainText(/✘ wrong in \d+ responses/);
});

test('places every requirement in the contract', async ({ open }) => {
  const { file, report } = named('good');
  const tab = await open(file);
  const placed = await tab.locator('.annotated a').evaluateAll((links) => links.map((link) => link.textContent ?? ''));
  for (const { id } of report.requirements) expect(placed.join('\n')).toContain(` ${id}`);
});

test('prints what did not pass with its evidence, and no controls', async ({ open, page }) => {
  await open(named('bad').file);
  const evidence = page.locator('[id="list.limit.caps"] > details');
  await evidence.locator('summary').first().click();
  await expect(evidence).not.toHaveAttribute('open');
  await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
  await page.evaluate('dispatchEvent(new Event("beforeprint"))');
  await expect(evidence.locator('pre').first()).toBeVisible();
  await expect(page.locator('form')).toBeHidden();
  await expect(page.locator('button').first()).toBeHidden();
  await expect(page.locator('[id="list.succeeds"] details').first()).toBeHidden();
  await expect(page.locator('body')).toHaveCSS('background-color', 'rgb(255, 255, 255)');
  await page.evaluate('dispatchEvent(new Event("afterprint"))');
  await expect(evidence).not.toHaveAttribute('open');
  const pdf = await page.pdf({ format: 'A4' });
  expect(pdf.length).toBeGreaterThan(50_000);
});

test('lets hostile content do nothing, and hides none of it', async ({ open }) => {
  const tab = await open(named('huge').file);
  expect(await tab.evaluate('document.scripts.length')).toBe(1);
  expect(await tab.evaluate('document.images.length')).toBe(0);
  const visible = HOSTILE.replace('\u202e', '\\u202e').replace('\u0000', '\\u0000').replace('\ud800', '\\ud800');
  await expect(tab.locator('.target')).toContainText(visible);
  await expect(tab.locator('.exchange pre').filter({ hasText: visible }).first()).toBeVisible();
});

test('shows the evidence that matters of thousands of exchanges', async ({ open }) => {
  const { file, report } = named('huge');
  const tab = await open(file);
  for (const { id, outcome } of report.requirements.filter(({ level }) => level === 'must').slice(0, 10)) {
    const shown = await tab.locator(`[id="${id}"] .exchange`).count();
    expect(shown).toBeGreaterThanOrEqual(outcome === 'failed' ? 3 : 0);
    expect(shown).toBeLessThanOrEqual(5);
  }
});

test.describe('without scripts', () => {
  test.use({ javaScriptEnabled: false });

  test('all is there to be read', async ({ open }) => {
    const { file, report } = named('good');
    const tab = await open(file);
    await expect(tab.locator('.requirement')).toHaveCount(report.requirements.length);
    await expect(tab.locator('form')).toBeHidden();
    await expect(tab.getByRole('button')).toHaveCount(0);
  });
});
