import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from '@playwright/test';
import { ROOT, test } from '../gate/spawn.ts';
import { textOf } from '../recipes/blocks.ts';
import { firstScreen, PICTURES, SCHEMES, SCREEN, terminalSvg } from './shown.ts';
import { shownRun } from './shown-run.ts';

const stored = (name: string): Buffer => readFileSync(join(ROOT, PICTURES, name));

test('the pictures of the README match a run of today', async ({}, info) => {
  info.setTimeout(180_000);
  const { page, terminal } = await shownRun();
  for (const scheme of SCHEMES)
    expect(String(stored(`terminal-${scheme}.svg`)), 'run `npm run pictures`').toBe(terminalSvg(terminal, scheme));
  const pictures = SCHEMES.map((scheme) => stored(`report-${scheme}.png`));
  expect(String(stored('report.txt')), 'run `npm run pictures`').toBe(firstScreen(page, pictures));
});

test('the pictures are small and have one size', () => {
  for (const scheme of SCHEMES) {
    const picture = stored(`report-${scheme}.png`);
    expect(picture.length).toBeLessThan(150_000);
    expect({ width: picture.readUInt32BE(16), height: picture.readUInt32BE(20) }).toEqual(SCREEN);
  }
});

test('the README shows each, and describes it', () => {
  const shown = [...textOf('README.md').matchAll(/(?:src|srcset)="([^"]+)"/g)].map(([, file]) => file);
  const named = ['report', 'terminal'].flatMap((name) =>
    SCHEMES.map((scheme) => `${PICTURES}/${name}-${scheme}.${name === 'report' ? 'png' : 'svg'}`),
  );
  expect([...shown].sort()).toEqual(named.sort());
  expect([...textOf('README.md').matchAll(/<img alt="[^"]{20,}"/g)]).toHaveLength(2);
});

const PAGE = `<style>a {}</style><body><h1>Violates 6</h1><article>1.<details><summary>More</summary>7</details></article>`;

test('a picture is out of date only if its content has changed', () => {
  const picture = Buffer.from('png');
  const before = firstScreen(PAGE, [picture]);
  expect(before).toContain('Violates 6\n1.\nMore\n');
  for (const [text, instead] of [
    ['Violates 6', 'Violates 7'],
    ['<h1>', '<h1 class="wide">'],
    ['a {}', 'a { color: red }'],
    ['More', 'More findings'],
  ] as const)
    expect(firstScreen(PAGE.replace(text, instead), [picture]), instead).not.toBe(before);
  expect(firstScreen(PAGE, [Buffer.from('other')])).not.toBe(before);
  expect(firstScreen(PAGE.replace('>7<', '>8<'), [picture])).toBe(before);
});

test('a terminal keeps its columns, and wraps longer lines', () => {
  const svg = terminalSvg(`  a <b>\n${'x'.repeat(130)}\n`, 'light');
  expect(svg).toContain('>\u00a0\u00a0a\u00a0&lt;b&gt;</text>');
  expect(svg).toMatch(/>x{118}<.*\n.*>x{12}<\/text>/);
});
