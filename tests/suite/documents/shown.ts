/** The text of the pictures of the README, independent of browser and fonts, so that a test can compare it. */
import { createHash } from 'node:crypto';
import { defective, folder, REPORTER, serve, suite } from '../gate/spawn.ts';

export const PICTURES = 'docs/pictures';

export const SCHEMES = ['light', 'dark'] as const;
export type Scheme = (typeof SCHEMES)[number];

export const SCREEN = { width: 1000, height: 720 };

const digestOf = (data: string | Buffer): string => createHash('sha256').update(data).digest('hex');

/** The markup of the beginning of a page, without folded parts. */
const shownMarkup = (page: string): string =>
  (page.split('<body>')[1] ?? '')
    .replaceAll(/<\/summary>.*?<\/details>/gs, '</summary></details>')
    .split('</article>')
    .slice(0, 3)
    .join('</article>');

/**
 * The first screen of a page: its words for readers, and digests of its style and markup, and of the pictures made of it.
 * @param pictures the pictures as they are stored.
 */
export function firstScreen(page: string, pictures: readonly Buffer[]): string {
  const markup = shownMarkup(page);
  const words = markup
    .replaceAll(/<[^>]*>/g, '\n')
    .split('\n')
    .flatMap((line) => line.trim() || []);
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
  const escaped = (line: string): string =>
    line.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll(' ', '\u00a0');
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

const KEY = 'shown-key';
const ADDRESS = 'http://127.0.0.1:8080/v1';
const FAULTS = ['list.limit.caps/one-more', 'get.unknown/ok-with-null', 'add.name.required/preset-unnamed'];

export interface Shown {
  page: string;
  terminal: string;
}

/** Makes the run, and removes address, folder, date and duration. */
export async function shownRun(): Promise<Shown> {
  const { directory, remove } = folder();
  const { baseUrl, close } = await serve(KEY, defective(...FAULTS));
  const steady = (text: string): string =>
    text
      .replaceAll(baseUrl, ADDRESS)
      .replaceAll(`${directory}/report/`, 'conformance-report/')
      .replaceAll(/<time datetime="[^"]*">[^<]*<\/time>/g, '<time>2026-01-31 12:00:00 UTC</time>')
      .replaceAll(/\b\d+(\.\d+)?( ?)(ms|s)\b/g, '3$2s');
  try {
    const env = { BASE_URL: baseUrl, API_KEY: KEY, IMPLEMENTATION: 'Corner Shop 0.9' };
    const { text, file } = await suite(directory, env, REPORTER);
    const [head = '', body = ''] = file('index.html').split('<body>');
    const command = `$ BASE_URL=${ADDRESS} API_KEY="$SHOP_KEY" THROTTLING=off npx playwright test`;
    return { page: `${head}<body>${steady(body)}`, terminal: `${command}\n${steady(text)}` };
  } finally {
    await close();
    remove();
  }
}
