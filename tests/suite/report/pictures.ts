/** `npm run pictures` renews docs/pictures/. */
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium } from '@playwright/test';
import { firstScreen, PICTURES, SCHEMES, SCREEN, shownRun, terminalSvg } from '../documents/shown.ts';
import { ROOT } from '../gate/spawn.ts';
import { chromiumArguments, executablePath } from './browser.ts';

const { page: html, terminal } = await shownRun();
const file = join(mkdtempSync(join(tmpdir(), 'pictures-')), 'index.html');
writeFileSync(file, html);
const folder = join(ROOT, PICTURES);
mkdirSync(folder, { recursive: true });

function write(name: string, data: string | Buffer): void {
  writeFileSync(join(folder, name), data);
  process.stdout.write(`${join(folder, name)}\n`);
}

const browser = await chromium.launch({ executablePath, args: chromiumArguments });
const taken: Buffer[] = [];
for (const colorScheme of SCHEMES) {
  const page = await browser.newPage({ viewport: SCREEN, colorScheme });
  await page.goto(`file://${file}`);
  const picture = await page.screenshot();
  taken.push(picture);
  write(`report-${colorScheme}.png`, picture);
  write(`terminal-${colorScheme}.svg`, terminalSvg(terminal, colorScheme));
}
write('report.txt', firstScreen(html, taken));
await browser.close();
