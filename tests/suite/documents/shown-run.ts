/** The run in the pictures of the README: a small shop with a few faults, the same each time. */
import { defective, folder, REPORTER, serve, suite } from '../gate/spawn.ts';

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
