/** A run never writes or prints a key, with every reporter and trace on, against targets that repeat it. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { inflateRawSync } from 'node:zlib';
import { expect } from '@playwright/test';
import type { Incoming, Service } from '../../../fixtures/reference/service.ts';
import { REPORTER, suite, test } from './spawn.ts';

/** A key that has other forms in a URL, in JSON and in HTML. */
const KEY = 'sEcr3t+key/7%&"q=9f2c';
const ENCODED = encodeURIComponent(KEY);

/** Every form of the key; within a longer base64 text it has one of three offsets. */
const forms: Record<string, string> = {
  plain: KEY,
  'URL-encoded': ENCODED,
  'URL-encoded twice': encodeURIComponent(ENCODED),
  JSON: JSON.stringify(KEY).slice(1, -1),
  'JSON in JSON': JSON.stringify(JSON.stringify(KEY).slice(1, -1)).slice(1, -1),
  'with slashes escaped': KEY.replaceAll('/', '\\/'),
  entities: [...KEY].map((c) => `&#${c.charCodeAt(0)};`).join(''),
  HTML: KEY.replaceAll('&', '&amp;'),
  'HTML with quotes': KEY.replaceAll('&', '&amp;').replaceAll('"', '&quot;'),
  hex: Buffer.from(KEY).toString('hex'),
  // The rest of a key in a text that was cut before the key was replaced.
  'its beginning': 'sEcr3t',
  'its end': 'q=9f2c',
};
for (const offset of [0, 1, 2]) {
  const digits = Buffer.from('\0'.repeat(offset) + KEY).toString('base64');
  const core = digits.slice(offset === 0 ? 0 : offset + 1).replace(/.?=*$/, '');
  forms[`base64 at offset ${offset}`] = core;
  forms[`base64url at offset ${offset}`] = core.replaceAll('+', '-').replaceAll('/', '_');
}

function unzipped(archive: Buffer): { name: string; data: Buffer }[] {
  const end = archive.lastIndexOf(Buffer.from('PK\x05\x06', 'latin1'));
  let at = archive.readUInt32LE(end + 16);
  return Array.from({ length: archive.readUInt16LE(end + 10) }, () => {
    const [method, size, nameLength, local] = [
      archive.readUInt16LE(at + 10),
      archive.readUInt32LE(at + 20),
      archive.readUInt16LE(at + 28),
      archive.readUInt32LE(at + 42),
    ];
    const name = archive.toString('utf8', at + 46, at + 46 + nameLength);
    at += 46 + nameLength + archive.readUInt16LE(at + 30) + archive.readUInt16LE(at + 32);
    const begin = local + 30 + archive.readUInt16LE(local + 26) + archive.readUInt16LE(local + 28);
    const data = archive.subarray(begin, begin + size);
    return { name, data: method === 0 ? data : inflateRawSync(data) };
  });
}

/** Everything in a folder by its path, archives opened, also those inside a data URL of the HTML report. */
function everything(directory: string): Map<string, string> {
  const found = new Map<string, string>();
  const take = (name: string, data: Buffer): void => {
    if (data.subarray(0, 2).toString('latin1') === 'PK')
      for (const entry of unzipped(data)) take(`${name} › ${entry.name}`, entry.data);
    const text = data.toString('utf8');
    found.set(name, text);
    for (const [index, match] of [...text.matchAll(/data:application\/zip;base64,([A-Za-z0-9+/=]+)/g)].entries())
      take(`${name} › data ${index}`, Buffer.from(match[1] as string, 'base64'));
    // Attachments in the blob and JSON reports.
    for (const [index, match] of [...text.matchAll(/"(?:base64|body)":"([A-Za-z0-9+/=]{40,})"/g)].entries())
      take(`${name} › body ${index}`, Buffer.from(match[1] as string, 'base64'));
  };
  for (const path of readdirSync(directory, { recursive: true, encoding: 'utf8' }))
    if (statSync(join(directory, path)).isFile()) take(path, readFileSync(join(directory, path)));
  return found;
}

const leaks = (texts: Map<string, string>): string[] =>
  [...texts].flatMap(([name, text]) =>
    Object.entries(forms)
      .filter(([, form]) => text.includes(form))
      .map(
        ([form]) =>
          `${name}: ${form}: …${text.slice(Math.max(0, text.indexOf(forms[form] as string) - 80)).slice(0, 160)}`,
      ),
  );

/** Any cut of this text cuts a key; the padding decides at which character. */
const repeated = (padding = 0): string => 'x'.repeat(padding % KEY.length) + KEY.repeat(60);

/** A reference that repeats the key, in every form, in headers, bodies and errors, and breaks a few rules doing so. */
function echoing(service: Service): void {
  const all = (): Record<string, string> => ({
    'X-Echo': KEY,
    'X-Echo-Authorization': `Bearer ${KEY}`,
    'X-Echo-Url': ENCODED,
    'X-Echo-Base64': Buffer.from(`user:${KEY}`).toString('base64'),
    'Set-Cookie': `key=${ENCODED}`,
  });
  const body = (request: Incoming): unknown => ({
    authorization: request.headers.authorization,
    key: KEY,
    url: `https://x/?key=${ENCODED}`,
    twice: encodeURIComponent(ENCODED),
    hex: forms.hex,
    base64: [0, 1, 2].map((offset) => Buffer.from('x'.repeat(offset) + KEY).toString('base64')),
    base64url: [0, 1, 2].map((offset) => Buffer.from('x'.repeat(offset) + KEY).toString('base64url')),
    nested: JSON.stringify({ key: JSON.stringify(KEY) }),
    // As PHP, .NET and Go write it in JSON.
    slashes: KEY.replaceAll('/', '\\/'),
    unicode: [...KEY].map((c) => (/\w/.test(c) ? c : `\\u00${c.charCodeAt(0).toString(16).toUpperCase()}`)).join(''),
    entities: [...KEY].map((c) => `&#${c.charCodeAt(0)};`).join(''),
    html: `<p>${forms.HTML}</p>`,
    repeated: repeated(),
  });
  service.presentError = (_problem, request) => ({ code: KEY, message: JSON.stringify(body(request)), status: '499' });
  service.present = (pet) => ({ ...pet, name: `${pet.name} ${repeated(5 * Number(pet.id))}`, echo: KEY });
  service.finish = (request, reply) => ({
    ...reply,
    headers: { ...reply.headers, ...all(), ...(request.method === 'HEAD' && { 'X-RateLimit-Limit': KEY }) },
    ...(request.path === '/store/orders' && { body: body(request) }),
  });
}

const OF_PLAYWRIGHT = 'list,html,json,junit,blob,github';
/** The suite's reporter first, as in the config: a failure then starts no new worker. */
const EVERY_REPORTER = `${REPORTER},${OF_PLAYWRIGHT}`;
/** The suite's reporter last: tests fail by themselves, with Playwright's messages. */
const OURS_LAST = REPORTER.replace('=', `=${OF_PLAYWRIGHT},`);
const DEBUGGING = { DEBUG: '*', GITHUB_ACTIONS: 'true' };

async function leftBehind(
  directory: string,
  env: NodeJS.ProcessEnv,
  reporters = EVERY_REPORTER,
  ...args: string[]
): Promise<Map<string, string>> {
  const files = {
    PLAYWRIGHT_JSON_OUTPUT_FILE: join(directory, 'results.json'),
    PLAYWRIGHT_JUNIT_OUTPUT_FILE: join(directory, 'results.xml'),
    GITHUB_STEP_SUMMARY: join(directory, 'page.md'),
  };
  const ended = await suite(directory, { API_KEY: KEY, ...files, ...env }, reporters, '--trace=on', ...args);
  return everything(directory).set('printed', ended.text);
}

const closing: (() => void)[] = [];
test.afterEach(() => closing.splice(0).forEach((close) => close()));

async function answering(listener: (request: IncomingMessage, response: ServerResponse) => void): Promise<string> {
  const server = createServer(listener);
  closing.push(() => {
    server.closeAllConnections();
    server.close();
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
}

test('each form of the key is found in its place', () => {
  const texts = new Map([
    ['base64', Buffer.from(`{"a":"${KEY}"}`).toString('base64')],
    ['plain', `x ${KEY} y`],
    ['cut', KEY.slice(0, 9)],
  ]);
  expect(leaks(texts).map((leak) => leak.split(':')[0])).toEqual(expect.arrayContaining(['base64', 'plain', 'cut']));
  expect(leaks(new Map([['none', '$API_KEY sEcr3']]))).toEqual([]);
});

for (const [name, env, reporters, ...args] of [
  ['as it is', {}, EVERY_REPORTER],
  ["with Playwright's public test", { CONFORMANCE_PUBLIC_TEST: '1' }, OURS_LAST, '--grep=@add.echo|@auth.missing'],
] as const) {
  test(`a target that repeats the key, every reporter, traces and debug output on, ${name}`, async ({
    directory,
    serving,
  }) => {
    const { baseUrl } = await serving(KEY, echoing);
    const left = await leftBehind(directory, { BASE_URL: baseUrl, ...DEBUGGING, ...env }, reporters, ...args);
    expect(leaks(left)).toEqual([]);
    // Every format was written, and the tests read the responses.
    const names = [...left.keys()].join('\n');
    for (const expected of [
      'results.json',
      'results.xml',
      'html/index.html',
      'blob-report',
      'conformance.json',
      'page.md',
      '› report.jsonl',
      'index.html › data 0 › report.json',
    ])
      expect(names).toContain(expected);
    // Only the public test writes traces.
    expect(names.includes('trace.zip › test.trace')).toBe('CONFORMANCE_PUBLIC_TEST' in env);
    expect(left.get('report/conformance.json')).toContain('$API_KEY');
    expect(left.get('printed')).toMatch(/\d+ failed/);
    expect(left.get('printed')).toContain('pw:');
  });
}

/** Answers the preflight, then every request in another bad way. */
function bad(request: IncomingMessage, response: ServerResponse, count: number): void {
  const authorization = request.headers.authorization ?? '';
  if (count === 1) {
    response.writeHead(200, { 'Content-Type': 'application/json', 'X-Echo': encodeURIComponent(authorization) });
    response.end('[]');
    return;
  }
  const ways = [
    () => request.socket.destroy(),
    () => request.socket.end(`${authorization}\r\n\r\n`),
    () => request.socket.end(`HTTP/1.1 200 OK\r\nContent-Length: 1\r\n${authorization}\r\n\r\nx`),
    () => response.writeHead(302, { Location: `/v1/pets?key=${ENCODED}` }).end(),
    () => response.writeHead(200, { 'Content-Type': 'application/json' }).end(`{"key":"${authorization}`),
    () => response.writeHead(500, { 'Content-Type': 'text/html' }).end(`<pre>${authorization}\n at x.js:1</pre>`),
    () => response.writeHead(200, { 'Content-Encoding': 'gzip' }).end(authorization),
  ];
  (ways[count % ways.length] as () => void)();
}

test('a target that closes connections, speaks no HTTP, redirects and answers nonsense', async ({ directory }) => {
  let count = 0;
  const baseUrl = await answering((request, response) => bad(request, response, (count += 1)));
  const left = await leftBehind(directory, { BASE_URL: baseUrl, ...DEBUGGING }, OURS_LAST, '--max-failures=6');
  expect(leaks(left)).toEqual([]);
  expect(left.get('printed')).toMatch(/\d+ failed/);
});

test('unreachable targets and refused settings', async ({ directory }) => {
  const silent = await answering((_request, response) => void response.on('error', () => {}));
  const runs = {
    'does not answer': { BASE_URL: silent, ...DEBUGGING },
    'Nothing listens': { BASE_URL: 'http://127.0.0.1:9/v1', ...DEBUGGING },
    'PLAN is "gold"': { BASE_URL: 'http://127.0.0.1:9', THROTTLE_API_KEY: `${KEY} \n`, PLAN: 'gold' },
    // Node's own debug output cannot be made safe.
    'NODE_DEBUG=undici': { BASE_URL: 'http://127.0.0.1:9/v1', NODE_DEBUG: 'undici' },
  };
  await Promise.all(
    Object.entries(runs).map(async ([message, env]) => {
      const left = await leftBehind(join(directory, message), env);
      expect(left.get('printed')).toContain(message);
      expect(leaks(left)).toEqual([]);
    }),
  );
});
