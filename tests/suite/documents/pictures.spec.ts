import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from '@playwright/test';
import { ROOT, test } from '../gate/spawn.ts';
import { textOf } from '../recipes/blocks.ts';
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

test('the README shows each, and describes it', () => {
  const shown = [...textOf('README.md').matchAll(/(?:src|srcset)="([^"]+)"/g)].map(([, file]) => file);
  const named = SCHEMES.flatMap((scheme) => [`report-${scheme}.png`, `terminal-${scheme}.svg`]);
  expect(shown.sort()).toEqual(named.map((name) => `${PICTURES}/${name}`).sort());
  expect([...textOf('README.md').matchAll(/<img alt="[^"]{20,}"/g)]).toHaveLength(2);
});
