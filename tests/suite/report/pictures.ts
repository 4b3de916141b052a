/** `npm run pictures` renews docs/pictures/; `-- NAME=FOLDER …` takes reports, `-- all` the pages of the tests. */
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { chromium } from '@playwright/test';
import { firstScreen, PICTURES, type Scheme, SCHEMES, SCREEN, shownRun, terminalSvg } from '../documents/shown.ts';
import { ROOT } from '../gate/spawn.ts';
import { chromiumArguments, executablePath } from './browser.ts';
import { badPage, goodPage, hugePage, stoppedPage, waivedPage } from './pages.ts';

const SCREENS = { wide: { width: 1440, height: 900 }, phone: { width: 390, height: 844 } } as const;

async function pages(): Promise<[name: string, file: string][]> {
  const given = process.argv.slice(2).map((word): [string, string] => {
    const [name = '', folder = ''] = word.split('=');
    return [name, resolve(folder, 'index.html')];
  });
  if (process.argv[2] !== 'all') return given;
  const made: [string, string][] = [];
  for (const [name, make] of Object.entries({ good: goodPage, bad: badPage, waived: waivedPage, stopped: stoppedPage }))
    made.push([name, (await make()).file]);
  return [...made, ['huge', hugePage().file]];
}

async function take(file: string, viewport: { width: number; height: number }, colorScheme: Scheme): Promise<Buffer> {
  const page = await browser.newPage({ viewport, colorScheme });
  await page.goto(`file://${file}`);
  const picture = await page.screenshot();
  await page.close();
  return picture;
}

function write(file: string, data: string | Buffer): void {
  writeFileSync(file, data);
  process.stdout.write(`${file}\n`);
}

async function ofReadme(): Promise<void> {
  const { page, terminal } = await shownRun();
  const folder = join(ROOT, PICTURES);
  const file = join(mkdtempSync(join(tmpdir(), 'pictures-')), 'index.html');
  writeFileSync(file, page);
  mkdirSync(folder, { recursive: true });
  const taken: Buffer[] = [];
  for (const scheme of SCHEMES) {
    const picture = await take(file, SCREEN, scheme);
    taken.push(picture);
    write(join(folder, `report-${scheme}.png`), picture);
    write(join(folder, `terminal-${scheme}.svg`), terminalSvg(terminal, scheme));
  }
  write(join(folder, 'report.txt'), firstScreen(page, taken));
}

async function ofReports(): Promise<void> {
  const folder = join(process.env.REPORT_DIR || 'proof-report', 'pictures');
  mkdirSync(folder, { recursive: true });
  for (const [name, file] of await pages())
    for (const [screen, viewport] of Object.entries(SCREENS))
      for (const scheme of SCHEMES)
        write(join(folder, `${name}-${screen}-${scheme}.png`), await take(file, viewport, scheme));
}

const browser = await chromium.launch({ executablePath, args: chromiumArguments });
await (process.argv.length > 2 ? ofReports() : ofReadme());
await browser.close();
