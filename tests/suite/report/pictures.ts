/**
 * Pictures of the first screens, for whoever looks after the page: `npm run pictures [-- NAME=conformance-report-folder …]`.
 * Without arguments it makes the runs that the tests of the page are made with. Written to pictures/ in REPORT_DIR.
 */
import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { chromium } from '@playwright/test';
import { chromiumArguments, executablePath } from './browser.ts';
import { badPage, goodPage, hugePage, stoppedPage, waivedPage } from './pages.ts';

const SCREENS = { wide: { width: 1440, height: 900 }, phone: { width: 390, height: 844 } } as const;

/** The pages to be shown, by name. */
async function pages(): Promise<[name: string, file: string][]> {
  const given = process.argv.slice(2).map((word): [string, string] => {
    const [name = '', folder = ''] = word.split('=');
    return [name, resolve(folder, 'index.html')];
  });
  if (given.length > 0) return given;
  const made: [string, string][] = [];
  for (const [name, make] of Object.entries({ good: goodPage, bad: badPage, waived: waivedPage, stopped: stoppedPage }))
    made.push([name, (await make()).file]);
  return [...made, ['huge', hugePage().file]];
}

const folder = join(process.env.REPORT_DIR || 'conformance-report', 'pictures');
mkdirSync(folder, { recursive: true });
const browser = await chromium.launch({ executablePath, args: chromiumArguments });
for (const [name, file] of await pages())
  for (const [screen, viewport] of Object.entries(SCREENS))
    for (const colorScheme of ['light', 'dark'] as const) {
      const page = await browser.newPage({ viewport, colorScheme });
      await page.goto(`file://${file}`);
      const picture = join(folder, `${name}-${screen}-${colorScheme}.png`);
      await page.screenshot({ path: picture });
      await page.close();
      process.stdout.write(`${picture}\n`);
    }
await browser.close();
