import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from '@playwright/test';
import { ROOT, test } from '../gate/spawn.ts';
import { firstScreen, PICTURES, SCHEMES, SCREEN, shownRun, terminalSvg } from './pictures.ts';

const stored = (name: string): Buffer => readFileSync(join(ROOT, PICTURES, name));

test('the pictures of the README match a run of today, are small and have one size', async ({}, info) => {
  info.setTimeout(180_000);
  const { page, terminal } = await shownRun();
  for (const scheme of SCHEMES)
    expect(String(stored(`terminal-${scheme}.svg`)), 'run `npm run pictures`').toBe(terminalSvg(terminal, scheme));
  const pictures = SCHEMES.map((scheme) => stored(`report-${scheme}.png`));
  expect(String(stored('report.txt')), 'run `npm run pictures`').toBe(firstScreen(page, pictures));
  for (const picture of pictures) {
    expect(picture.length).toBeLessThan(150_000);
    expect({ width: picture.readUInt32BE(16), height: picture.readUInt32BE(20) }).toEqual(SCREEN);
  }
});
