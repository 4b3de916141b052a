/** `npm run pictures` renews docs/pictures/, and their text, which a test compares: words and digests depend on no browser or font. */
import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { chromium } from '@playwright/test';
import { escapeMarkup } from '../../../fixtures/text.ts';
import { defective, serve } from '../gate/serve.ts';
import { folder, REPORTER, ROOT, suite } from '../gate/spawn.ts';
import { chromiumArguments, executablePath } from '../report/browser.ts';

export const PICTURES = 'docs/pictures';

export const SCHEMES = ['light', 'dark'] as const;
export type Scheme = (typeof SCHEMES)[number];

export const SCREEN = { width: 1000, height: 720 };

const digestOf = (data: string | Buffer): string => createHash('sha256').update(data).digest('hex');

/** @param page whose beginning is shown, without folded parts. @param pictures as they are stored. */
export function firstScreen(page: string, pictures: readonly Buffer[]): string {
  const body = (page.split('<body>')[1] ?? '').replaceAll(/<\/summary>.*?<\/details>/gs, '</summary></details>');
  const markup = body.split('</article>').slice(0, 3).join('</article>');
  const words = markup.split(/<[^>]*>|\n/).flatMap((line) => line.trim() || []);
  const style = /<style>.*<\/style>/s.exec(page)?.[0] ?? '';
  return `${[...words, '', digestOf(style + markup), ...pictures.map(digestOf)].join('\n')}\n`;
}

const COLUMNS = 118;
const LINE = 18;
const COLOURS = { light: { paper: '#f6f8fa', ink: '#1f2328' }, dark: { paper: '#161b22', ink: '#e6edf3' } };

/** A terminal as a picture: what was printed, in lines as wide as it is. */
export function terminalSvg(printed: string, scheme: Scheme): string {
  const lines = printed
    .trimEnd()
    .split('\n')
    .flatMap((line) => line.match(new RegExp(`.{1,${COLUMNS}}`, 'gu')) ?? ['']);
  const escaped = (line: string): string => escapeMarkup(line, /[&<>]/g).replaceAll(' ', '\u00a0');
  const { paper, ink } = COLOURS[scheme];
  const height = (lines.length + 2) * LINE;
  const texts = lines.map((line, i) => `<text x="16" y="${(i + 2) * LINE - 4}">${escaped(line)}</text>`);
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${SCREEN.width} ${height}" width="${SCREEN.width}" height="${height}">
<rect width="100%" height="100%" rx="6" fill="${paper}"/>
<g font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="13.5" fill="${ink}">
${texts.join('\n')}
</g>
</svg>
`;
}

const ADDRESS = 'http://127.0.0.1:8080/v1';
const FAULTS = ['list.limit.caps/one-more', 'get.unknown/ok-with-null', 'add.name.required/preset-unnamed'];

/** Makes the run, and removes address, folder, date and duration. */
export async function shownRun(): Promise<{ page: string; terminal: string }> {
  const { directory, remove } = folder();
  const { baseUrl, env, close } = await serve({ service: defective(...FAULTS) });
  const steady = (text: string): string =>
    text
      .replaceAll(baseUrl, ADDRESS)
      .replaceAll(`${directory}/report/`, 'conformance-report/')
      .replaceAll(/<time datetime="[^"]*">[^<]*<\/time>/g, '<time>2026-01-31 12:00:00 UTC</time>')
      .replaceAll(/\b\d+(\.\d+)?( ?)(ms|s)\b/g, '3$2s');
  try {
    const { text, file } = await suite(directory, { ...env, IMPLEMENTATION: 'Corner Shop 0.9' }, REPORTER);
    const [head = '', body = ''] = file('index.html').split('<body>');
    const command = `$ BASE_URL=${ADDRESS} API_KEY="$SHOP_KEY" THROTTLING=off npx playwright test`;
    return { page: `${head}<body>${steady(body)}`, terminal: `${command}\n${steady(text)}` };
  } finally {
    close();
    remove();
  }
}

async function renew(): Promise<void> {
  const { page: html, terminal } = await shownRun();
  const file = join(folder().directory, 'index.html');
  writeFileSync(file, html);
  const write = (name: string, data: string | Buffer): void => writeFileSync(join(ROOT, PICTURES, name), data);
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
}

if (process.argv[1]?.endsWith('pictures.ts')) await renew();
