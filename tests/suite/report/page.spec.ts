/** The report page in Chromium: conforming, violating, waived, stopped and huge runs with hostile content. */
import { statSync } from 'node:fs';
import type { Page as Tab } from '@playwright/test';
import { operations } from '../../../fixtures/contract/contract.ts';
import { describeActual, describeExpected } from '../../../fixtures/report/model/describe.ts';
import { describeReport } from '../../../fixtures/report/model/report.ts';
import { renderPage } from '../../../fixtures/report/out/page.ts';
import { visible } from '../../../fixtures/text.ts';
import { expect, hasBrowser, test, findAxeViolations } from './browser.ts';
import { expectLinear } from '../unit/make.ts';
import { badPage, goodPage, HOSTILE, hugePage, hugeRun, type Page, stoppedPage, waivedPage } from './pages.ts';

test.describe.configure({ mode: 'default' });

const MAKERS = {
  ...{ good: goodPage, bad: badPage, waived: waivedPage, stopped: stoppedPage },
  huge: () => Promise.resolve(hugePage()),
};
const NAMES = Object.keys(MAKERS) as (keyof typeof MAKERS)[];
const pages = {} as Record<keyof typeof MAKERS, Page>;

test.beforeAll(async () => {
  if (!hasBrowser) return;
  test.setTimeout(180_000);
  await Promise.all(NAMES.map(async (name) => (pages[name] = await MAKERS[name]())));
});

const shownIds = async (tab: Tab): Promise<string[]> =>
  (await tab.locator('.requirement:not([hidden])').evaluateAll((all) => all.map(({ id }) => id))).sort();
const idsOf = ({ report }: Page, isMeant: (judged: Page['report']['requirements'][number]) => boolean): string[] =>
  report.requirements
    .filter(isMeant)
    .map(({ id }) => id as string)
    .sort();
const searchOf = (tab: Tab) => tab.getByLabel('Search', { exact: true });
const gatesOf = ({ report }: Page) => report.problems.filter(({ list }) => list === 'gates');

for (const name of NAMES)
  test(`a ${name} page passes axe-core, is small, fits widths, has sound links`, async ({ open, page }) => {
    test.setTimeout(120_000);
    expect(statSync(pages[name].file).size).toBeLessThan(5_000_000);
    const tab = await open(pages[name].file);

    const hrefs = await tab.locator('a').evaluateAll((links) => links.map((link) => link.getAttribute('href') ?? ''));
    const ids = new Set(await tab.locator('[id]').evaluateAll((elements) => elements.map(({ id }) => `#${id}`)));
    expect(ids.size).toBe(await tab.locator('[id]').count());
    expect(hrefs.filter((href) => !href.startsWith('#?') && !ids.has(href))).toEqual([]);

    // A huge page has thousands of similar exchanges: they stay folded.
    if (name !== 'huge')
      await tab.locator('details').evaluateAll((all) => all.forEach((details) => details.setAttribute('open', '')));
    for (const width of [360, 390, 768, 1440]) {
      await page.setViewportSize({ width, height: 800 });
      expect(await tab.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
    }
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      expect(await findAxeViolations(tab), colorScheme).toEqual([]);
    }
  });

test('ten thousand exchanges are rendered, with the evidence of every problem', async ({ open }) => {
  const makeRun = (n: number) => hugeRun(n * 1_000);
  expectLinear(makeRun, (run) => renderPage(...run));
  const { file, report } = pages.huge;
  const tab = await open(file);
  await expect(tab.locator('section[aria-labelledby=exchanges] > p')).toContainText('of 10000 requests');
  expect(report.problems.length).toBeGreaterThan(0);
  for (const [i, { findings }] of report.problems.entries())
    await expect(tab.locator(`#problem-${i + 1} dl a`).first()).toHaveText(String(findings[0]?.exchanges[0]));
});

for (const [width, height] of Object.entries({ 1280: 800, 390: 844 }))
  test(`the first screen of ${width}×${height} has verdict, target, counts and a problem`, async ({ open, page }) => {
    await page.setViewportSize({ width: Number(width), height });
    const { file, report } = pages.bad;
    const tab = await open(file);
    // What is folded is out of the way.
    expect(await tab.evaluate('document.documentElement.scrollHeight / innerHeight')).toBeLessThan(22);
    await expect(tab).toHaveTitle(`Violates ${report.counts.failed}: ${report.target}`);
    await expect(tab.locator('h1')).toHaveText(
      new RegExp(`^Violates ${report.counts.failed} of \\d+ requirements, ${gatesOf(pages.bad).length} problems$`),
    );
    for (const text of ['Faulty Store 0.9', report.target, ' UTC', `${report.requests.sent} requests`])
      await expect(tab.locator('.verdict')).toContainText(text);
    for (const list of ['gates', 'advice'] as const)
      await expect(tab.locator('header')).toContainText(describeReport(report).counts[list]);
    const title = tab.locator('#problem-1 h3');
    await expect(title).toHaveText(`1. ${report.problems[0]?.title}`);
    for (const each of [tab.locator('h1'), title]) await expect(each).toBeInViewport({ ratio: 1 });
    // The sticky bar takes one line.
    expect((await tab.locator('.bar').boundingBox())?.height).toBeLessThan(48);
  });

test('the first screen shows waivers with owner, expiry and violation, and is not green', async ({ open }) => {
  const tab = await open(pages.waived.file);
  const waivers = tab.locator('section[aria-labelledby=waivers]');
  for (const text of ['orders.exists', 'GET /store/orders exists', '2099-12-31', 'the shop team', 'SHOP-12'])
    await expect(waivers).toContainText(text);
  await expect(tab.locator('.chip')).toHaveText(/with 1 waiver/);
  await expect(tab.locator('.verdict')).not.toHaveClass(/passed/);
});

test('the first screen of a run that did not start shows the reason', async ({ open }) => {
  const tab = await open(pages.stopped.file);
  const why = 'PLAN is "gold"';
  await expect(tab.locator('header pre')).toContainText(`${why}: expected one of free`);
  const title = `Error: the run did not begin; nothing is known of the target: ${why}`;
  for (const text of [title, '0 requests']) await expect(tab.locator('.verdict')).toContainText(text);
  await expect(tab).toHaveTitle(/^Error: /);
});

test('a problem shows sent, expected and received, and is linked from what it violates', async ({ open }) => {
  const { file, report } = pages.bad;
  const tab = await open(file);
  const gates = gatesOf(pages.bad);
  expect(gates.length).toBeGreaterThan(2);
  await expect(tab.locator('#problems')).toHaveText(`${gates.length} problems`);
  for (const [i, { title, requirements, findings, hides }] of gates.entries()) {
    const article = tab.locator(`#problem-${i + 1}`);
    await expect(article.locator('h3')).toHaveText(`${i + 1}. ${title}`);
    await expect(article.locator('> p a')).toHaveText([...requirements, ...hides]);
    const [first] = findings as [(typeof findings)[0]];
    const sentence = report.requirements.find(({ id }) => id === first.requirement)?.statement as string;
    for (const text of [first.sent ?? '', describeExpected(first), describeActual(first), sentence])
      await expect(article.locator('dl')).toContainText(visible(text.slice(0, 60)));
  }
  const violated = new Set(gates.flatMap(({ requirements }) => requirements as string[]));
  const isFailed = ({ list, outcome }: (typeof report.requirements)[0]) => list === 'gates' && outcome === 'failed';
  expect([...violated].sort()).toEqual(idsOf(pages.bad, isFailed));
  for (const { id } of report.requirements.filter(({ outcome }) => outcome === 'failed')) {
    const links = report.problems.flatMap((each, i) => (each.requirements.includes(id) ? [`#problem-${i + 1}`] : []));
    expect(links).not.toEqual([]);
    const shown = tab.locator(`[id="${id}"] .why a`);
    expect(await shown.evaluateAll((all) => all.map((link) => link.getAttribute('href')))).toEqual(links);
  }
  await expect((await open(pages.good.file)).locator('#problems')).toHaveCount(0);
});

test('an exchange has an address, to which its number links', async ({ open, page }) => {
  const { file, report } = pages.bad;
  const tab = await open(file);
  await expect(tab.locator('.exchange')).toHaveCount(report.requests.sent);
  const number = report.problems[0]?.findings[0]?.exchanges[0] as number;
  await tab.locator('#problem-1 dl a').first().click();
  await expect(tab).toHaveURL(new RegExp(`#exchange-${number}$`));
  await expect(tab.locator(`#exchange-${number} pre`).first()).toBeInViewport();
  await page.goto(`file://${file}#exchange-2`);
  await page.reload();
  await expect(tab.locator('#exchange-2')).toHaveAttribute('open');
  await expect(tab.locator('#exchange-2')).toBeInViewport();
});

test('an exchange shows indented JSON, with marks only on wrong statuses and headers', async ({ open }) => {
  const tab = await open(pages.bad.file);
  const number = pages.bad.report.requirements.find(({ id }) => id === 'error.schema')?.evidence[0] as number;
  const body = tab.locator(`#exchange-${number} pre`).nth(1);
  expect(await body.textContent()).toMatch(/\n {2}"code": "[a-z_]+",\n {2}"message": /);
  const failing = tab
    .locator('.exchange')
    .filter({ hasText: /GET \/store\/orders with (the valid key|Authorization: bearer)/ })
    .first();
  await expect(failing.locator('mark').first()).toHaveText('HTTP 500');
  const good = await open(pages.good.file);
  await expect(good.locator('.exchange mark')).toHaveCount(0);
});

const isOfAddition = ({ operation }: { operation?: string | undefined }): boolean => operation === 'addPet';
const SEARCHED: [words: string, Parameters<typeof idsOf>[1]][] = [
  ['outcome:failed list:gates', ({ outcome, list }) => outcome === 'failed' && list === 'gates'],
  ['area:storage operation:addPet', ({ area, cases }) => area === 'storage' && cases.some(isOfAddition)],
  ['LIST.limit caps', ({ id }) => id === 'list.limit.caps'],
  ['nothing has this text', () => false],
];

for (const [words, isMeant] of SEARCHED)
  test(`the search of "${words}" is kept in the address, and counted beside the field`, async ({ open, page }) => {
    const { file, report } = pages.bad;
    const tab = await open(file);
    const expected = idsOf(pages.bad, isMeant);
    const matches = tab.locator('#matches');
    await expect(matches).toHaveText('');
    await searchOf(tab).fill(words);
    const address = `file://${file}#?${encodeURIComponent(words)}`;
    await expect(tab).toHaveURL(address);
    for (const width of [1280, 390]) {
      await page.setViewportSize({ width, height: 800 });
      await page.goto('about:blank');
      await page.goto(address);
      expect(await shownIds(tab)).toEqual(expected);
      await expect(matches).toHaveText(`${expected.length} of ${report.requirements.length}`);
      await expect(matches).toBeInViewport({ ratio: 1 });
    }
    await searchOf(tab).fill('');
    await expect(matches).toHaveText('');
    expect(await shownIds(tab)).toHaveLength(report.requirements.length);
  });

test('the search is set by the counts of the sticky bar, and unfolds what it finds', async ({ open }) => {
  const tab = await open(pages.bad.file);
  // Evidence is searched if no requirement has the words.
  await searchOf(tab).fill('x-ratelimit-limit:');
  expect(await shownIds(tab)).toContain('rate.headers');
  await searchOf(tab).fill('');
  await tab.evaluate('scrollTo(0, document.body.scrollHeight)');
  await expect(tab.locator('[id="list.succeeds"]')).toBeHidden();
  await expect(tab.locator('[id="list.limit.caps"]')).toBeVisible();
  await tab.locator('.bar li a').filter({ hasText: 'passed' }).click();
  await expect(tab.locator('[id="list.succeeds"]')).toBeVisible();
  await expect(tab.locator('[id="list.limit.caps"]')).toBeHidden();
  const passed = idsOf(pages.bad, ({ list, outcome }) => list === 'gates' && outcome === 'passed');
  expect(await shownIds(tab)).toEqual(passed);
});

test('the search gives way to links to what it hides', async ({ open, page }) => {
  const { file } = pages.bad;
  const tab = await open(file);
  await searchOf(tab).fill('nothing has this text');
  await page.goto(`file://${file}#get.unknown`);
  await expect(page.locator('[id="get.unknown"] h4')).toBeInViewport();
  await page.reload();
  await expect(page.locator('[id="get.unknown"] h4')).toBeInViewport();
  await expect(page.locator('[id="get.unknown"] > details')).toHaveAttribute('open');
});

test('the page works from the keyboard', async ({ open, page }) => {
  await open(pages.bad.file);
  await page.keyboard.press('Tab');
  await expect(page.locator(':focus')).toHaveText(/^Violates \d+$/);
  await searchOf(page).focus();
  await page.keyboard.type('list.succeeds');
  await page.keyboard.press('Enter');
  await expect(page.locator('[id="list.succeeds"]')).toBeInViewport();
  await page.locator('[id="list.succeeds"] summary').focus();
  await page.keyboard.press('Enter');
  await expect(page.locator('[id="list.succeeds"] > details')).toHaveAttribute('open');
});

test('the page copies the command that runs a requirement again, and a curl command', async ({ open }) => {
  const tab = await open(pages.bad.file);
  const article = tab.locator('[id="list.limit.caps"]');
  await article.locator('summary').click();
  const button = article.getByRole('button', { name: 'Copy the command that runs list.limit.caps again' });
  await expect(article.locator('pre')).toHaveText(
    /^(API_KEY="\$API_KEY" )?BASE_URL=http:\S+ THROTTLING=off npx playwright test --grep @list\.limit\.caps$/,
  );
  await button.click();
  await expect(button).toHaveText('Copied');
  expect(await tab.evaluate('String(getSelection())')).toBe(await article.locator('pre').textContent());
  await expect(tab.locator('#exchange-1 .command pre')).toHaveText(
    /^curl -i "\$BASE_URL\/pets\?limit=\d+" .*\$API_KEY"$/,
  );
});

test('the page shows cases of a pass, reasons of what was not tested, responses and open points', async ({ open }) => {
  const { file, report } = pages.good;
  const tab = await open(file);
  await expect(tab.locator('[id="auth.valid"] li')).toHaveCount(operations.length);
  await expect(tab.locator('[id="auth.valid"] li').first()).toContainText(/GET \/pets \d+ exchanges/);
  for (const { id, outcome, evidence } of report.requirements)
    if (outcome === 'passed' && evidence.length > 0)
      await expect(tab.locator(`[id="${id}"] li a`).first()).toHaveText(/^\d+$/);
  const untested = report.requirements.filter(({ list, outcome }) => outcome === 'untested' && list === 'gates');
  await expect(tab.getByRole('heading', { name: `Not tested (${untested.length} requirements)` })).toBeVisible();
  for (const { id, reasons } of untested) {
    const item = tab.locator('section[aria-labelledby=untested] li').filter({ has: tab.locator(`a[href="#${id}"]`) });
    for (const shown of [item, tab.locator(`[id="${id}"]`)]) await expect(shown).toContainText(reasons[0] as string);
  }
  for (const { operation, status, responses, documented } of report.coverage) {
    const shown = `${status} × ${responses}${documented ? '' : ' (not documented)'}`;
    await expect(tab.locator(`#responses ~ dl dt:text-is("${operation}") + dd`)).toContainText(shown);
  }
  expect(report.observations.length).toBeGreaterThan(5);
  for (const { id, observed } of report.observations)
    await expect(tab.locator(`[id="${id}"]`)).toContainText(visible(observed.slice(0, 200)));
});

test('the page names target and settings', async ({ open }) => {
  const { file, report } = pages.bad;
  const tab = await open(file);
  const about = {
    ...{ Implementation: 'Faulty Store 0.9', Contract: 'sha256:', Suite: report.suite.version },
    ...{ 'Node.js': process.versions.node, API_KEY: 'set', DEPTH: 'standard (default)' },
  };
  for (const [name, value] of Object.entries(about))
    await expect(tab.locator(`#identity ~ details dt:text-is("${name}") + dd`)).toContainText(value);
});

test('hostile content has no effect, and stays visible', async ({ open }) => {
  const tab = await open(pages.huge.file);
  expect(await tab.evaluate('document.scripts.length')).toBe(1);
  expect(await tab.evaluate('document.images.length')).toBe(0);
  const shown = HOSTILE.replace('\u202e', '\\u202e').replace('\u0000', '\\u0000').replace('\ud800', '\\ud800');
  await expect(tab.locator('.verdict')).toContainText(shown);
  await expect(tab.locator('.exchange pre').filter({ hasText: shown }).first()).toBeAttached();
});

test.describe('without scripts', () => {
  test.use({ javaScriptEnabled: false });

  test('the page shows everything', async ({ open }) => {
    const { file, report } = pages.good;
    const tab = await open(file);
    await expect(tab.locator('.requirement')).toHaveCount(report.requirements.length);
    await expect(tab.locator('.search')).toBeHidden();
    await expect(tab.getByRole('button')).toHaveCount(0);
  });
});
