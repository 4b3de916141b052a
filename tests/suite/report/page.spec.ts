/** The report page in Chromium: conforming, violating, waived, stopped and huge runs with hostile content. */
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Page as Tab } from '@playwright/test';
import { operations } from '../../../fixtures/contract/contract.ts';
import { describeActual, describeExpected } from '../../../fixtures/report/model/describe.ts';
import { describeCounts } from '../../../fixtures/report/model/report.ts';
import { WORDS } from '../../../fixtures/report/model/labels.ts';
import { visible } from '../../../fixtures/text.ts';
import { expect, hasBrowser, test, findAxeViolations } from './browser.ts';
import { badPage, goodPage, HOSTILE, hugePage, KEY, type Page, stoppedPage, waivedPage } from './pages.ts';

test.describe.configure({ mode: 'default' });

const NAMES = ['good', 'bad', 'waived', 'stopped', 'huge'] as const;
const pages: Partial<Record<(typeof NAMES)[number], Page>> = {};
const named = (name: (typeof NAMES)[number]): Page => {
  const page = pages[name];
  if (!page) throw new Error(`there is no ${name} page`);
  return page;
};
let milliseconds = 0;

test.beforeAll(async () => {
  if (!hasBrowser) return;
  test.setTimeout(180_000);
  [pages.good, pages.bad] = await Promise.all([goodPage(), badPage()]);
  [pages.waived, pages.stopped] = await Promise.all([waivedPage(), stoppedPage()]);
  const huge = hugePage();
  pages.huge = huge;
  milliseconds = huge.milliseconds;
});

const shownIds = (tab: Tab): Promise<string[]> =>
  tab.locator('.requirement:not([hidden])').evaluateAll((articles) => articles.map((article) => article.id));
const unfoldAll = (tab: Tab): Promise<void> =>
  tab.locator('details').evaluateAll((all) => all.forEach((details) => details.setAttribute('open', '')));

for (const name of NAMES) {
  test.describe(`the page of a ${name} run`, () => {
    // Opening a page takes longest, so one test checks much of it.
    test('passes axe-core, light and dark', async ({ open, page }) => {
      test.setTimeout(120_000);
      const tab = await open(named(name).file);
      // A huge page has thousands of similar exchanges: they stay folded.
      if (name !== 'huge') await unfoldAll(tab);
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme });
        expect(await findAxeViolations(tab), colorScheme).toEqual([]);
      }
    });

    test('is small, opens quickly, fits every width, and names what it links and offers', async ({ open, page }) => {
      expect(statSync(named(name).file).size).toBeLessThan(5_000_000);
      const began = Date.now();
      const tab = await open(named(name).file);
      expect(Date.now() - began).toBeLessThan(5_000);

      const hrefs = await tab.locator('a').evaluateAll((links) => links.map((link) => link.getAttribute('href') ?? ''));
      const ids = new Set(await tab.locator('[id]').evaluateAll((elements) => elements.map(({ id }) => `#${id}`)));
      expect(ids.size).toBe(await tab.locator('[id]').count());
      expect(hrefs.filter((href) => !href.startsWith('#?') && !ids.has(href))).toEqual([]);

      const levels = await tab
        .locator('h1, h2, h3, h4')
        .evaluateAll((headings) => headings.map(({ tagName }) => Number(tagName[1])));
      expect(levels[0]).toBe(1);
      expect(levels.filter((level, i) => i > 0 && level > (levels[i - 1] ?? 0) + 1)).toEqual([]);
      const labels = await tab
        .locator('button.copy')
        .evaluateAll((buttons) => buttons.map((button) => button.getAttribute('aria-label') ?? ''));
      expect(
        labels.filter((label) => !/^Copy the (curl command of exchange \d+|command that runs \S+ again)$/.test(label)),
      ).toEqual([]);

      // Also unfolded.
      if (name !== 'huge') await unfoldAll(tab);
      for (const width of [360, 390, 768, 1440]) {
        await page.setViewportSize({ width, height: 800 });
        expect(await tab.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
      }
    });
  });
}

test('the page of ten thousand exchanges is rendered in seconds', () => {
  expect(milliseconds).toBeGreaterThan(0);
  expect(milliseconds).toBeLessThan(10_000);
});

test.describe('the first screen', () => {
  test('shows verdict, reason, implementation, target and counts', async ({ open }) => {
    const { file, report } = named('bad');
    const tab = await open(file);
    await expect(tab).toHaveTitle(`Violates ${report.counts.failed}: ${report.target}`);
    const gates = report.problems.filter(({ list }) => list === 'gates');
    await expect(tab.locator('h1')).toHaveText(
      new RegExp(`^Violates ${report.counts.failed} of \\d+ requirements, ${gates.length} problems$`),
    );
    await expect(tab.locator('.verdict h1')).toHaveCount(1);
    for (const text of ['Faulty Store 0.9', report.target, ' UTC', `${report.requests.sent} requests`])
      await expect(tab.locator('.target')).toContainText(text);
    for (const list of ['gates', 'advice'] as const)
      await expect(tab.locator('.lists')).toContainText(describeCounts(report, list));
  });

  for (const colorScheme of ['light', 'dark'] as const)
    for (const [width, height] of [
      [1280, 800],
      [390, 844],
    ] as const)
      test(`has the verdict and the first problem on ${width}×${height}, ${colorScheme}`, async ({ open, page }) => {
        await page.emulateMedia({ colorScheme });
        await page.setViewportSize({ width, height });
        const { file, report } = named('bad');
        const tab = await open(file);
        const title = tab.locator('#problem-1 h3');
        await expect(tab.locator('h1')).toHaveText(/^Violates/);
        await expect(title).toHaveText(`1. ${report.problems[0]?.title}`);
        for (const each of [tab.locator('h1'), title]) await expect(each).toBeInViewport({ ratio: 1 });
        expect(await tab.evaluate('scrollY')).toBe(0);
        // The sticky bar takes one line.
        expect((await tab.locator('.bar').boundingBox())?.height).toBeLessThan(48);
        expect(await findAxeViolations(tab)).toEqual([]);
      });

  test('shows operation and area of every fault, and links each cell to its requirements', async ({ open }) => {
    const { file, report } = named('bad');
    const tab = await open(file);
    const headings = await tab.locator('.matrix thead th').allTextContents();
    const cell = (operation: string, area: string) =>
      tab
        .locator('.matrix tbody tr')
        .filter({ has: tab.locator(`th:text-is("${operation}")`) })
        .locator('th, td')
        .nth(headings.indexOf(area));
    await expect(cell('GET /pets', 'Listing')).toHaveClass(/failed/);
    await expect(cell('GET /store/orders', 'Errors')).toHaveClass(/failed/);
    await expect(cell('GET /store/orders', 'Listing')).toContainText('none');
    for (const { id, name } of operations) {
      const link = cell(name, 'Errors').locator('a');
      const counts = ((await link.textContent()) ?? '').match(/\d+/g)?.map(Number) ?? [];
      await link.click();
      const ids = report.requirements
        .filter(
          ({ list, area, cases }) =>
            list === 'gates' && area === 'errors' && cases.some(({ operation }) => operation === id),
        )
        .map((judged) => judged.id as string);
      await expect.poll(async () => (await shownIds(tab)).sort()).toEqual(ids.sort());
      expect(counts.reduce((sum, count) => sum + count, 0)).toBe(ids.length);
    }
  });

  for (const name of ['good', 'bad'] as const)
    test(`counts in each cell the requirements of the linked list, ${name}`, async ({ open }) => {
      const { file, report } = named(name);
      const tab = await open(file);
      const links = await tab.locator('.matrix a').all();
      expect(links.length).toBeGreaterThan(8);
      const isWrong = (words: string): boolean => ['failed', 'not judged'].includes(words);
      for (const link of links) {
        const counts = [...((await link.textContent()) ?? '').matchAll(/(\d+) ([a-z ]+[a-z])/g)].map(
          ([, count, words = '']) => [words, Number(count)] as const,
        );
        await link.click();
        // The list is filtered after the address has changed.
        const all = counts.reduce((sum, [, count]) => sum + count, 0);
        await expect.poll(async () => (await shownIds(tab)).length).toBe(all);
        const ids = await shownIds(tab);
        const shown = report.requirements.filter(({ id }) => ids.includes(id)).map(({ outcome }) => WORDS[outcome]);
        // A requirement that fails only on another operation may have passed on this one.
        const red = shown.filter(isWrong).length;
        for (const [words, count] of counts.filter(([each]) => !isWrong(each))) {
          const own = shown.filter((each) => each === words).length;
          expect(count).toBeGreaterThanOrEqual(own);
          expect(count).toBeLessThanOrEqual(own + red);
        }
      }
    });

  test('a cell without a fault is not red', async ({ open }) => {
    const tab = await open(named('good').file);
    await expect(tab.locator('.matrix .cell.passed')).not.toHaveCount(0);
    await expect(tab.locator('.matrix .cell.failed')).toHaveCount(0);
  });

  test('shows waivers with owner, expiry and violation, and is not green', async ({ open }) => {
    const tab = await open(named('waived').file);
    const row = tab.locator('section[aria-labelledby=waivers] tbody tr');
    await expect(row).toHaveCount(1);
    for (const text of ['orders.exists', 'GET /store/orders exists', '2099-12-31', 'the shop team', 'SHOP-12'])
      await expect(row).toContainText(text);
    await expect(tab.locator('.chip')).toHaveText(/with 1 waiver/);
    await expect(tab.locator('.verdict')).not.toHaveClass(/passed/);
    await expect(tab.locator('.verdict')).toBeInViewport();
  });

  test('of a run that did not start shows the reason', async ({ open }) => {
    const tab = await open(named('stopped').file);
    await expect(tab.locator('header pre')).toContainText('PLAN is "gold": expected one of free');
    await expect(tab.locator('h1')).toContainText(
      'Error: the run did not begin; nothing is known of the target: PLAN is "gold"',
    );
    await expect(tab).toHaveTitle(/^Error: /);
    await expect(tab.locator('.target')).toContainText('0 requests');
    await expect(tab.locator('.matrix')).toHaveCount(0);
  });
});

test.describe('the list of problems', () => {
  test('is ordered by severity, each with its first finding and its requirements', async ({ open }) => {
    const { file, report } = named('bad');
    const tab = await open(file);
    const gates = report.problems.filter(({ list }) => list === 'gates');
    expect(gates.length).toBeGreaterThan(2);
    for (const [i, { title, requirements, findings, hides }] of gates.entries()) {
      const article = tab.locator(`#problem-${i + 1}`);
      await expect(article.locator('h3')).toHaveText(`${i + 1}. ${title}`);
      expect(title.length).toBeLessThanOrEqual(100);
      await expect(article.locator('> p a')).toHaveText([...requirements, ...hides]);
      const [first] = findings as [(typeof findings)[0]];
      if (first.sent !== undefined) await expect(article.locator('.details')).toContainText(first.sent.slice(0, 60));
      for (const text of [describeExpected(first), describeActual(first)])
        await expect(article.locator('.details')).toContainText(visible(text.slice(0, 60)));
    }
  });

  test('names exactly its requirements in its own list', async ({ open }) => {
    const { file, report } = named('bad');
    const tab = await open(file);
    const gates = report.problems.filter(({ list }) => list === 'gates');
    await expect(tab.locator('#problems')).toHaveText(`${gates.length} problems`);
    const failed = report.requirements.filter(({ list, outcome }) => list === 'gates' && outcome === 'failed');
    const linked = new Set(
      await tab.locator('section[aria-labelledby=problems] .cause > p:not(.small) a').allTextContents(),
    );
    expect([...linked].sort()).toEqual(failed.map(({ id }) => id as string).sort());
  });

  test('is missing if nothing failed', async ({ open }) => {
    await expect((await open(named('good').file)).locator('#problems')).toHaveCount(0);
  });

  test('is linked from the list of requirements', async ({ open }) => {
    const { file, report } = named('bad');
    const tab = await open(file);
    for (const { id } of report.requirements.filter(({ outcome }) => outcome === 'failed')) {
      const numbers = report.problems.flatMap(({ requirements }, i) => (requirements.includes(id) ? [i + 1] : []));
      expect(numbers).not.toEqual([]);
      const links = await tab
        .locator(`[id="${id}"] .why a`)
        .evaluateAll((all) => all.map((link) => link.getAttribute('href')));
      expect(links).toEqual(numbers.map((number) => `#problem-${number}`));
    }
  });
});

test.describe('an exchange', () => {
  test('has an address, and every mention of its number is a link', async ({ open, page }) => {
    const { file, report } = named('bad');
    const tab = await open(file);
    await expect(tab.locator('.exchange')).toHaveCount(report.requests.sent);
    const number = report.problems[0]?.findings[0]?.exchanges[0] as number;
    await tab.locator('#problem-1 .details a').first().click();
    await expect(tab).toHaveURL(new RegExp(`#exchange-${number}$`));
    await expect(tab.locator(`#exchange-${number} pre`).first()).toBeInViewport();
    await page.goto(`file://${file}#exchange-2`);
    await page.reload();
    await expect(tab.locator('#exchange-2')).toHaveAttribute('open');
    await expect(tab.locator('#exchange-2')).toBeInViewport();
  });

  test('shows indented JSON, with marks only on faults', async ({ open }) => {
    const tab = await open(named('bad').file);
    const number = named('bad').report.requirements.find(({ id }) => id === 'error.schema')?.evidence[0] as number;
    const body = tab.locator(`#exchange-${number} pre`).nth(1);
    expect(await body.textContent()).toMatch(/\n {2}"code": "[a-z_]+",\n {2}"message": /);
    await expect(body.locator('mark')).toHaveText([/^"status": "4\d\d"$/]);
    const failing = tab
      .locator('.exchange')
      .filter({ hasText: /GET \/store\/orders with (the valid key|Authorization: bearer)/ })
      .first();
    await expect(failing.locator('mark').first()).toHaveText('HTTP 500');
    const good = await open(named('good').file);
    await expect(good.locator('.exchange mark')).toHaveCount(0);
  });

  test('is in exchanges.har, without a key', () => {
    const { directory, report } = named('bad');
    const har = readFileSync(join(directory, 'exchanges.har'), 'utf8');
    const { log } = JSON.parse(har) as { log: { entries: { request: { url: string } }[] } };
    expect(log.entries).toHaveLength(report.requests.sent);
    expect(log.entries.every(({ request }) => request.url.startsWith(report.target))).toBe(true);
    expect(har).not.toContain(KEY);
    expect(har).toContain('Bearer $API_KEY');
  });

  test('of a huge run is on the page if it shows a failure; a line refers to the file for the rest', async ({
    open,
  }) => {
    const { file, report } = named('huge');
    const tab = await open(file);
    await expect(tab.locator('section[aria-labelledby=exchanges] > p')).toContainText('of 10000 requests');
    expect(report.problems.length).toBeGreaterThan(0);
    for (const [i, { findings }] of report.problems.entries()) {
      const number = findings[0]?.exchanges[0] as number;
      await expect(tab.locator(`#problem-${i + 1} .details a`).first()).toHaveText(String(number));
    }
  });
});

test.describe('a pass', () => {
  test('shows its cases, the number of responses, and the exchanges', async ({ open }) => {
    const { file, report } = named('good');
    const tab = await open(file);
    const cases = tab.locator('[id="auth.valid"] .cases li');
    await expect(cases).toHaveCount(operations.length);
    await expect(cases.first()).toContainText(/GET \/pets \d+ exchanges/);
    const passed = report.requirements.filter(({ outcome, evidence }) => outcome === 'passed' && evidence.length > 0);
    expect(passed.length).toBeGreaterThan(30);
    for (const { id, evidence } of passed)
      await expect(tab.locator(`[id="${id}"] .cases a`).first()).toHaveText(/^\d+$/, {
        timeout: 100 + evidence.length,
      });
  });
});

test.describe('finding', () => {
  test('the bar is sticky, and each count is a link', async ({ open }) => {
    const { file, report } = named('bad');
    const tab = await open(file);
    await tab.evaluate('scrollTo(0, document.body.scrollHeight)');
    await expect(tab.locator('.bar')).toBeInViewport();
    await tab.locator('.bar .counts a').filter({ hasText: 'failed' }).click();
    const failed = report.requirements.filter(({ list, outcome }) => list === 'gates' && outcome === 'failed');
    expect((await shownIds(tab)).sort()).toEqual(failed.map(({ id }) => id as string).sort());
    await expect(tab.getByRole('status')).toHaveText(`${failed.length} of ${report.requirements.length} shown`);
    await expect(tab).toHaveURL(/#\?list=gates&outcome=failed$/);
  });

  test('the address restores the filters', async ({ open, page }) => {
    const { file, report } = named('bad');
    const tab = await open(file);
    await tab.getByLabel('Area', { exact: true }).selectOption('storage');
    await tab.getByLabel('List', { exact: true }).selectOption('advice');
    const ids = report.requirements
      .filter(({ list, area }) => list === 'advice' && area === 'storage')
      .map(({ id }) => id as string);
    expect((await shownIds(tab)).sort()).toEqual(ids.sort());
    const address = tab.url();
    await tab.getByRole('button', { name: 'Show all' }).click();
    await expect.poll(async () => (await shownIds(tab)).length).toBe(report.requirements.length);
    await page.goto('about:blank');
    await page.goto(address);
    expect((await shownIds(tab)).sort()).toEqual(ids.sort());
    await expect(tab.getByLabel('Area', { exact: true })).toHaveValue('storage');
  });

  test('the search covers ids, sentences and evidence', async ({ open }) => {
    const tab = await open(named('bad').file);
    const search = tab.getByLabel('Search', { exact: true });
    await search.fill('LIST.limit caps');
    expect(await shownIds(tab)).toEqual(['list.limit.caps']);
    await search.fill('exists');
    expect(await shownIds(tab)).toContain('orders.exists');
    await search.fill('x-ratelimit-limit:');
    expect(await shownIds(tab)).toContain('rate.headers');
    await search.fill('nothing has this text');
    expect(await shownIds(tab)).toEqual([]);
  });

  test('the number of matches stays beside the field while the page scrolls', async ({ open, page }) => {
    const { file, report } = named('bad');
    const tab = await open(file);
    const [search, matches] = [tab.getByLabel('Search', { exact: true }), tab.locator('#matches')];
    await expect(matches).toHaveText('');
    for (const width of [1280, 390]) {
      await page.setViewportSize({ width, height: 800 });
      await tab.evaluate('scrollTo(0, document.body.scrollHeight)');
      await search.fill('list.limit');
      const count = (await shownIds(tab)).length;
      expect(count).toBeGreaterThan(3);
      await expect(matches).toHaveText(`${count} of ${report.requirements.length}`);
      await expect(matches).toBeInViewport({ ratio: 1 });
      const [field, beside] = [await search.boundingBox(), await matches.boundingBox()];
      expect(Math.abs((field?.y ?? 0) - (beside?.y ?? 99))).toBeLessThan(20);
      await search.fill('nothing has this text');
      await expect(matches).toHaveText(`0 of ${report.requirements.length}`);
      await search.fill('');
      await expect(matches).toHaveText('');
    }
  });

  test('passed requirements are folded until a search finds them', async ({ open }) => {
    const tab = await open(named('bad').file);
    await expect(tab.locator('[id="list.succeeds"]')).toBeHidden();
    await expect(tab.locator('[id="list.limit.caps"]')).toBeVisible();
    await tab.getByLabel('Outcome', { exact: true }).selectOption('passed');
    await expect(tab.locator('[id="list.succeeds"]')).toBeVisible();
    await expect(tab.locator('[id="list.limit.caps"]')).toBeHidden();
  });

  test('links to each requirement work, also to a folded or filtered one', async ({ open, page }) => {
    const { file } = named('bad');
    const tab = await open(file);
    await tab.getByLabel('Search', { exact: true }).fill('nothing has this text');
    await page.goto(`file://${file}#get.unknown`);
    await expect(page.locator('[id="get.unknown"] h4')).toBeInViewport();
    await page.reload();
    await expect(page.locator('[id="get.unknown"] h4')).toBeInViewport();
    await expect(page.locator('[id="get.unknown"] > details')).toHaveAttribute('open');
  });

  test('the folded page is short', async ({ open, page }) => {
    const tab = await open(named('bad').file);
    const height = () => tab.evaluate<number>('document.documentElement.scrollHeight');
    await page.setViewportSize({ width: 1440, height: 900 });
    expect(await height()).toBeLessThan(12 * 900);
    await page.setViewportSize({ width: 390, height: 800 });
    expect(await height()).toBeLessThan(22 * 800);
  });
});

test('the page holds no key', async ({ open }) => {
  const { file, directory } = named('bad');
  expect(await (await open(file)).content()).not.toContain(KEY);
  for (const name of ['conformance.json', 'summary.md', 'junit.xml'])
    expect(readFileSync(join(directory, name), 'utf8'), name).not.toContain(KEY);
});

test('the page works from the keyboard', async ({ open, page }) => {
  await open(named('bad').file);
  const focused = page.locator(':focus');
  await page.keyboard.press('Tab');
  await expect(focused).toHaveText('Skip to the content');
  await page.keyboard.press('Tab');
  await expect(focused).toHaveText(/^Violates \d+$/);
  await page.getByLabel('Search', { exact: true }).focus();
  await page.keyboard.type('list.succeeds');
  await expect(page.locator('[id="list.succeeds"]')).toBeVisible();
  await page.locator('[id="list.succeeds"] summary').focus();
  await page.keyboard.press('Enter');
  await expect(page.locator('[id="list.succeeds"] > details')).toHaveAttribute('open');
  await page.getByRole('button', { name: 'Show all' }).focus();
  await page.keyboard.press('Space');
  await expect(page.locator('[id="list.succeeds"]')).toBeHidden();
});

test('the page copies the command that runs a requirement again, and a curl command', async ({ open }) => {
  const tab = await open(named('bad').file);
  const article = tab.locator('[id="list.limit.caps"]');
  await article.locator('summary').click();
  const button = article.getByRole('button', { name: 'Copy the command that runs list.limit.caps again' });
  await expect(article.locator('.command pre')).toHaveText(
    /^(API_KEY="\$API_KEY" )?BASE_URL=http:\S+ THROTTLING=off npx playwright test --grep @list\.limit\.caps$/,
  );
  const command = await article.locator('.command pre').textContent();
  await button.click();
  await expect(button).toHaveText('Copied');
  expect(await tab.evaluate('String(getSelection())')).toBe(command);
  await expect(tab.locator('#exchange-1 .command pre')).toHaveText(
    /^curl -i "\$BASE_URL\/pets\?limit=\d+" .*\$API_KEY"$/,
  );
});

test('the page shows untested requirements with their reasons', async ({ open }) => {
  const { file, report } = named('good');
  const tab = await open(file);
  const untested = report.requirements.filter(({ list, outcome }) => outcome === 'untested' && list === 'gates');
  expect(untested.length).toBeGreaterThan(2);
  await expect(tab.getByRole('heading', { name: `Not tested (${untested.length} requirements)` })).toBeVisible();
  for (const { id, reasons } of untested) {
    await expect(tab.locator('.attention li.untested').filter({ has: tab.locator(`a[href="#${id}"]`) })).toContainText(
      reasons[0] as string,
    );
    await expect(tab.locator(`[id="${id}"]`)).toContainText(reasons[0] as string);
  }
});

test('the page names target and settings, and a legend explains every word', async ({ open }) => {
  const { file, report } = named('bad');
  const tab = await open(file);
  const row = (name: string) => tab.locator('.identity tr').filter({ has: tab.locator(`th:text-is("${name}")`) });
  await tab.getByText('Target, suite, contract and settings').click();
  await expect(row('Implementation')).toContainText('Faulty Store 0.9');
  await expect(row('Contract')).toContainText('sha256:');
  await expect(row('Suite')).toContainText(report.suite.version);
  await expect(row('Run')).toContainText(report.run.id as string);
  await expect(row('Node.js')).toContainText(process.versions.node);
  await expect(row('API_KEY')).toContainText('set');
  await expect(row('DEPTH')).toContainText('standard (default)');
  await tab.getByText('What the outcomes, the lists').click();
  await expect(tab.locator('.legend dt')).toHaveCount(7 + 3 + 5);
  await expect(tab.locator('.legend')).toContainText('Data can be read or changed without a valid key');
});

test('the matrix shows the responses of each operation, and marks gaps', async ({ open }) => {
  const { file, report } = named('good');
  const tab = await open(file);
  for (const { operation, status, responses, documented } of report.coverage) {
    const cell = tab
      .locator('.matrix tr')
      .filter({ has: tab.locator(`th:text-is("${operation}")`) })
      .locator('.coverage');
    const shown = responses === 0 ? new RegExp(`never returned: .*${status}`) : `${status} × ${responses}`;
    await expect(cell).toContainText(shown);
    await expect(cell.locator('b').filter({ hasText: shown })).toHaveCount(responses === 0 || !documented ? 1 : 0);
  }
  expect(report.coverage.filter(({ responses }) => responses === 0).length).toBeGreaterThan(0);
});

test('the page shows open points with the observed choices', async ({ open }) => {
  const { file, report } = named('good');
  const tab = await open(file);
  expect(report.observations.length).toBeGreaterThan(5);
  for (const { id, observed } of report.observations)
    await expect(
      tab.locator('section[aria-labelledby=open] tr').filter({ has: tab.locator(`a[href="#${id}"]`) }),
    ).toContainText(visible(observed.slice(0, 200)));
});

test('the printed page has verdict, problems, evidence and settings, and no controls', async ({ open, page }) => {
  const { file, report } = named('bad');
  await open(file);
  const number = report.problems[0]?.findings[0]?.exchanges[0];
  const decisive = page.locator(`#exchange-${number}`);
  await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
  await page.evaluate('dispatchEvent(new Event("beforeprint"))');
  await expect(decisive.locator('pre').first()).toBeVisible();
  await expect(page.locator('.identity')).toBeVisible();
  await expect(page.locator('#problem-1')).toBeVisible();
  await expect(page.locator('.exchange:not(.decisive)').first()).toBeHidden();
  await expect(page.locator('form').first()).toBeHidden();
  await expect(page.locator('.filters')).toBeHidden();
  await expect(decisive.locator('button').first()).toBeHidden();
  await expect(page.locator('[id="list.succeeds"]')).toBeHidden();
  await expect(page.locator('body')).toHaveCSS('background-color', 'rgb(255, 255, 255)');
  const pdf = (await page.pdf({ format: 'A4' })).toString('latin1');
  expect(pdf.match(/\/Type\s*\/Page[^s]/g)?.length).toBeLessThan(20);
  await page.evaluate('dispatchEvent(new Event("afterprint"))');
  await expect(decisive).not.toHaveAttribute('open');
});

test('hostile content has no effect, and stays visible', async ({ open }) => {
  const tab = await open(named('huge').file);
  expect(await tab.evaluate('document.scripts.length')).toBe(1);
  expect(await tab.evaluate('document.images.length')).toBe(0);
  const visible = HOSTILE.replace('\u202e', '\\u202e').replace('\u0000', '\\u0000').replace('\ud800', '\\ud800');
  await expect(tab.locator('.target')).toContainText(visible);
  await expect(tab.locator('.exchange pre').filter({ hasText: visible }).first()).toBeAttached();
});

test.describe('without scripts', () => {
  test.use({ javaScriptEnabled: false });

  test('the page shows everything', async ({ open }) => {
    const { file, report } = named('good');
    const tab = await open(file);
    await expect(tab.locator('.requirement')).toHaveCount(report.requirements.length);
    await expect(tab.locator('.filters')).toBeHidden();
    await expect(tab.locator('.search')).toBeHidden();
    await expect(tab.getByRole('button')).toHaveCount(0);
  });
});
