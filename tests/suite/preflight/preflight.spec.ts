/** A run that cannot start prints one message with the remedy and no stack trace, writes a report, and exits with 1. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer as createHttp, type RequestListener, type Server } from 'node:http';
import { createServer as createHttps } from 'node:https';
import { createServer as createTcp, type AddressInfo, type Server as TcpServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from '@playwright/test';
import { settingNames } from '../../../fixtures/settings/table.ts';
import { folder, inherited, ROOT, serve } from '../gate/spawn.ts';
import { findSchemaErrors } from '../report/schema.ts';
import { test } from '../unit/make.ts';
import { type Ended, runSuite } from './run-suite.ts';
import { CERTIFICATE, PRIVATE_KEY } from './self-signed.ts';

// Starting a process takes long on a busy machine.
test.describe.configure({ timeout: 120_000 });

const KEY = 'preflight-key-3b90';
const WRONG_KEY = 'not-the-key-51f2';

const closing: (() => unknown)[] = [];
test.afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

async function listening(server: Server | TcpServer, scheme = 'http'): Promise<string> {
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  closing.push(() => {
    if ('closeAllConnections' in server) server.closeAllConnections();
    server.close();
  });
  return `${scheme}://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
}

const serving = (listener: RequestListener): Promise<string> => listening(createHttp(listener));

function stopsWith(ended: Ended, verdict: 'error' | 'cantTell', ...messages: string[]): void {
  const shown = ended.text;
  expect(ended.code, shown).toBe(1);
  for (const message of messages) expect(shown).toContain(message);
  expect(ended.report, shown).toMatchObject({ verdict, counts: { passed: 0, failed: 0 } });
  expect(ended.report?.reason).toContain(messages[0]);
  expect(findSchemaErrors(ended.report)).toEqual([]);
  // No stack trace, no test, and few lines.
  expect(shown).not.toMatch(/^\s+at .+:\d+/m);
  expect(shown).not.toMatch(/\d+ (passed|failed|did not run)/);
  expect(shown.trim().split('\n').length, shown).toBeLessThanOrEqual(8);
  for (const key of [KEY, WRONG_KEY]) expect(shown + JSON.stringify(ended.report)).not.toContain(key);
}

test('no API_KEY, and BASE_URL without /v1', async () => {
  const ended = await runSuite({ BASE_URL: 'http://127.0.0.1:9' });
  stopsWith(
    ended,
    'error',
    'the path of the base address ends in /v1',
    'API_KEY is not set: it is required with BASE_URL',
  );
});

test('all invalid settings at once', async () => {
  const ended = await runSuite({ PLAN: 'gold', DEPTH: 'deep' });
  stopsWith(ended, 'error', 'PLAN is "gold": expected one of free, pro, business, enterprise', 'DEPTH is "deep"');
});

test('CI without BASE_URL', async () => {
  const ended = await runSuite({ CI: '1' });
  stopsWith(ended, 'error', 'BASE_URL is not set', 'only with TARGET=reference');
});

test('a TARGET without a file', async () => {
  stopsWith(await runSuite({ TARGET: 'nowhere' }), 'error', 'there is no file .env.nowhere');
});

/** Runs the command in a folder with this settings file, and without settings in the environment. */
async function runIn(env: string | Buffer, more: Record<string, string> = {}): Promise<Ended> {
  const { directory, remove } = folder();
  closing.push(remove);
  writeFileSync(join(directory, '.env'), env);
  const own = new Set<string>(settingNames);
  const left = Object.fromEntries(Object.entries(inherited()).filter(([name]) => !own.has(name)));
  const { stdout, stderr, status } = spawnSync(process.execPath, [join(ROOT, 'bin/animal-store-conformance.js')], {
    cwd: directory,
    env: { ...left, ...more },
    encoding: 'utf8',
  });
  const report = join(directory, 'conformance-report/conformance.json');
  return {
    ...{ code: status, stdout, stderr, text: `${stdout}${stderr}` },
    report: existsSync(report) ? (JSON.parse(readFileSync(report, 'utf8')) as Ended['report']) : undefined,
  };
}

test('.env in UTF-16 names the target, as PowerShell writes it', async () => {
  const text = `\ufeffBASE_URL=http://127.0.0.1:9/v1\r\nAPI_KEY=${KEY}\r\n`;
  stopsWith(await runIn(Buffer.from(text, 'utf16le')), 'cantTell', 'Nothing listens at http://127.0.0.1:9/v1');
});

test('.env that is not text', async () => {
  const ended = await runIn(Buffer.from(`BASE_URL=http://127.0.0.1:9/v1\nAPI_KEY=${KEY}\n`, 'utf16le'));
  stopsWith(ended, 'error', '.env is not text: save it as text in UTF-8');
});

test('.env without a setting of this suite does not lead to the embedded reference', async () => {
  const ended = await runIn('DATABASE_URL=postgres://localhost\nPORT=80\n');
  stopsWith(ended, 'error', '.env has no setting of this suite, only DATABASE_URL and PORT: set BASE_URL');
  expect((await runIn('# BASE_URL=http://127.0.0.1:9/v1\n')).text).toContain(
    '.env has no setting of this suite, and no',
  );
});

test('.env of another program is reported beside a target of the environment', async () => {
  const ended = await runIn('PORT=80\n', { BASE_URL: 'http://127.0.0.1:9/v1', API_KEY: KEY });
  stopsWith(ended, 'cantTell', 'Nothing listens');
  expect(ended.stdout).toContain('.env has no setting of this suite, only PORT\n');
});

test('a wrong key', async () => {
  const { baseUrl, close } = await serve(KEY);
  closing.push(close);
  stopsWith(
    await runSuite({ BASE_URL: baseUrl, API_KEY: WRONG_KEY }),
    'cantTell',
    'rejects the key',
    'Is API_KEY a valid key of this environment?',
  );
});

test('a wrong throttling key', async () => {
  const { baseUrl, close } = await serve(KEY);
  closing.push(close);
  const env = { BASE_URL: baseUrl, API_KEY: KEY, THROTTLE_API_KEY: WRONG_KEY };
  stopsWith(await runSuite(env), 'error', 'rejects THROTTLE_API_KEY', 'Without it, throttling uses API_KEY');
});

test('nothing listens', async () => {
  const ended = await runSuite({ BASE_URL: 'http://127.0.0.1:9/v1', API_KEY: KEY });
  stopsWith(ended, 'cantTell', 'Nothing listens at http://127.0.0.1:9/v1', 'Start the implementation');
});

test('a host that does not exist', async () => {
  const ended = await runSuite({ BASE_URL: 'http://no-such-host.invalid/v1', API_KEY: KEY });
  stopsWith(ended, 'cantTell', 'The host of http://no-such-host.invalid/v1 is not known');
});

test('a web page', async () => {
  const page = '<!DOCTYPE html><title>Hello</title>';
  const baseUrl = await serving((_, response) => response.setHeader('Content-Type', 'text/html').end(page));
  stopsWith(await runSuite({ BASE_URL: baseUrl, API_KEY: KEY }), 'cantTell', 'answers with HTML (status 200)');
});

test('a service without these operations', async () => {
  const baseUrl = await serving((_, response) => response.writeHead(404).end('{}'));
  const ended = await runSuite({ BASE_URL: baseUrl, API_KEY: KEY });
  stopsWith(ended, 'cantTell', 'both are answered 404', 'Is BASE_URL the whole base address');
});

/** As nginx writes it. */
const MOVED = '<html>\r\n<head><title>301 Moved Permanently</title></head>\r\n<body></body>\r\n</html>';

for (const { title, location, status = 301, messages } of [
  {
    title: 'https, for each path',
    location: (url: string) => `https://store.example${url}`,
    messages: [
      /redirects \(status 301, Location: https:\/\/store\.example\/v1\/pets\?limit=\d+\)/,
      'Set BASE_URL=https://store.example/v1\n',
    ],
  },
  {
    title: 'another folder',
    location: (url: string) => `/shop${url}`,
    messages: ['Location: /shop/v1/pets?', /Set BASE_URL=http:\/\/127\.0\.0\.1:\d+\/shop\/v1\n/],
  },
  {
    title: 'a base address',
    status: 308,
    location: () => 'https://store.example/v1/',
    messages: [
      'redirects (status 308, Location: https://store.example/v1/)',
      'Set BASE_URL=https://store.example/v1\n',
    ],
  },
  {
    title: 'a log-in',
    status: 302,
    location: () => 'https://login.example/?to=x',
    messages: ['Location: https://login.example/?to=x)', 'Is BASE_URL the address the service itself answers at'],
  },
  { title: 'nowhere', location: () => undefined, messages: ['redirects (status 301, without Location)'] },
  { title: 'an address that cannot be read', location: () => 'http://', messages: ['Location: http://)'] },
] as {
  title: string;
  status?: number;
  location: (url: string) => string | undefined;
  messages: (string | RegExp)[];
}[])
  test(`a server that redirects to ${title}, with a page`, async () => {
    const baseUrl = await serving(({ url = '' }, response) => {
      const to = location(url);
      response.writeHead(status, { 'Content-Type': 'text/html', ...(to !== undefined && { Location: to }) }).end(MOVED);
    });
    const ended = await runSuite({ BASE_URL: baseUrl, API_KEY: KEY });
    stopsWith(ended, 'cantTell', `redirects (status ${status}`);
    for (const message of messages)
      if (typeof message === 'string') expect(ended.text).toContain(message);
      else expect(ended.text).toMatch(message);
    expect(ended.text).not.toContain('HTML');
  });

test('a server that never answers', async () => {
  const baseUrl = await serving(() => {});
  const started = Date.now();
  const ended = await runSuite({ BASE_URL: baseUrl, API_KEY: KEY });
  stopsWith(ended, 'cantTell', 'accepts connections and does not answer', 'Is the implementation up?');
  expect(Date.now() - started).toBeLessThan(60_000);
});

test('a server that speaks something else', async () => {
  const tcp = createTcp((socket) => {
    socket.on('error', () => {});
    socket.end('220 mail.example ESMTP\r\n');
  });
  const ended = await runSuite({ BASE_URL: await listening(tcp), API_KEY: KEY });
  stopsWith(ended, 'cantTell', 'does not speak HTTP', 'Is the port the right one');
});

test('a self-signed certificate', async () => {
  const server = createHttps({ cert: CERTIFICATE, key: PRIVATE_KEY }, (_, response) => response.end('[]'));
  const ended = await runSuite({ BASE_URL: await listening(server as unknown as Server, 'https'), API_KEY: KEY });
  stopsWith(ended, 'cantTell', 'TLS fails', 'NODE_EXTRA_CA_CERTS');
});

test('http:// against a TLS server', async () => {
  const server = createHttps({ cert: CERTIFICATE, key: PRIVATE_KEY }, (_, response) => response.end('[]'));
  const ended = await runSuite({ BASE_URL: await listening(server as unknown as Server, 'http'), API_KEY: KEY });
  stopsWith(ended, 'cantTell', 'does not speak HTTP', 'http or https?');
});

test('https:// against a plain HTTP server', async () => {
  const baseUrl = await serving((_, response) => response.end('[]'));
  const ended = await runSuite({ BASE_URL: baseUrl.replace('http:', 'https:'), API_KEY: KEY });
  stopsWith(ended, 'cantTell', 'TLS fails', 'write http:// in BASE_URL');
});

/** Runs a script in every process of the run before anything else, which breaks something there. */
const preloaded = (script: string) => ({ NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(script)}` });

for (const { title, script, thrown } of [
  {
    title: 'the global set-up',
    script: 'URL.canParse = () => { throw new TypeError(`broken by ${process.env.API_KEY}`); };',
    thrown: /before it could judge anything: TypeError: broken by \$API_KEY\n/,
  },
  {
    title: 'the set-up of a worker',
    script: "if (process.send) process.env.CONFORMANCE_RUN = '{';",
    thrown: /before it could judge anything: SyntaxError: .*\n/,
  },
])
  test(`an unexpected error in ${title} is printed once, with where to report it`, async () => {
    const { baseUrl, close } = await serve(KEY);
    closing.push(close);
    const env = { BASE_URL: baseUrl, API_KEY: KEY, THROTTLING: 'off', ...preloaded(script) };
    const { code, text, report } = await runSuite(env, '--reporter=./tests/reporter.ts');
    expect(code, text).toBe(1);
    expect(text).toMatch(thrown);
    expect(text.match(/before it could judge anything/g), text).toHaveLength(1);
    expect(text).toContain('Please report these lines to the maintainers of the suite (SECURITY.md');
    expect(text + JSON.stringify(report)).not.toContain(KEY);
    expect(report).toMatchObject({ verdict: 'error', counts: { passed: 0, failed: 0, cantTell: 0 } });
    expect(findSchemaErrors(report)).toEqual([]);
    const reasons = report?.requirements.filter(({ list }) => list === 'gates').flatMap((each) => each.reasons);
    expect(new Set(reasons).size, JSON.stringify(reasons)).toBe(1);
    expect(reasons?.[0]?.length).toBeLessThan(150);
    expect(text).not.toContain('no test judges it');
  });

/** The contract with a text in it replaced, in a folder that is removed after the test. */
function contractWith(from: string, to: string): string {
  const directory = mkdtempSync(join(tmpdir(), 'contract-'));
  closing.push(() => rmSync(directory, { recursive: true }));
  const file = join(directory, 'openapi.yaml');
  writeFileSync(file, readFileSync(join(ROOT, 'spec/openapi.yaml'), 'utf8').replace(from, to));
  return file;
}

test.describe('a contract that is broken', () => {
  const broken = [
    {
      title: 'a reference to no body',
      from: '/schemas/NewPet',
      to: '/schemas/Animal',
      message: 'POST /pets cannot be called',
    },
    { title: 'no YAML', from: 'info:', to: '\tinfo: [', message: 'cannot be read' },
    { title: 'OpenAPI 3.0', from: 'openapi: 3.1.1', to: 'openapi: 3.0.3', message: 'is not an OpenAPI 3.1 document' },
    { title: 'no operations', from: 'paths:', to: 'x-paths:', message: 'has no GET /pets\n' },
    { title: 'no orders', from: '/store/orders:', to: '/store/sales:', message: 'has no GET /store/orders' },
    { title: 'no limit', from: 'name: limit', to: 'name: size', message: 'GET /pets has no parameter limit' },
    { title: 'no plans', from: 'x-plans:', to: 'x-prices:', message: 'has no x-plans' },
  ];
  for (const { title, from, to, message } of broken)
    test(title, async () => {
      const file = contractWith(from, to);
      stopsWith(await runSuite({ CONTRACT: file }), 'error', message);
    });
});

test('a missing contract', async () => {
  stopsWith(
    await runSuite({ CONTRACT: 'drafts/none.yaml' }),
    'error',
    `there is no file ${join(ROOT, 'drafts/none.yaml')}`,
  );
});

for (const [title, env] of [
  ['settings are wrong', () => ({ PLAN: 'gold' })],
  ['the contract cannot be read', () => ({ CONTRACT: contractWith('info:', '\tinfo: [') })],
] as const) {
  test(`if ${title}, the report is not that of an earlier run`, async () => {
    const directory = mkdtempSync(join(tmpdir(), 'report-'));
    closing.push(() => rmSync(directory, { recursive: true }));
    const names = ['conformance.json', 'index.html', 'summary.md', 'junit.xml', 'badge.json'];
    const earlier = { verdict: 'conforms', sentence: 'LEFT OVER', suite: { version: '1.0.0' }, requirements: [] };
    for (const name of names) writeFileSync(join(directory, name), JSON.stringify(earlier));
    await runSuite({ ...env(), REPORT_DIR: directory });
    const left = readdirSync(directory).filter((name) =>
      readFileSync(join(directory, name), 'utf8').includes('LEFT OVER'),
    );
    expect(left).toEqual([]);
  });
}

test('DRY_RUN=1 prints the requests, sends nothing, and keeps the report of an earlier run', async () => {
  const asked: unknown[] = [];
  const server = createHttp((request, response) => {
    asked.push(request.url);
    response.end();
  });
  const baseUrl = `${await listening(server)}/v1`;
  const directory = mkdtempSync(join(tmpdir(), 'preflight-'));
  closing.push(() => rmSync(directory, { recursive: true, force: true }));
  writeFileSync(join(directory, 'conformance.json'), 'of an earlier run');
  const ended = await runSuite({ BASE_URL: baseUrl, API_KEY: KEY, DRY_RUN: '1', REPORT_DIR: directory });
  expect(ended.code, ended.text).toBe(0);
  expect(ended.text).toMatch(/At most \d+ requests are sent to.*At most \d+ animals.*DRY_RUN=1: nothing is sent/s);
  expect(asked).toEqual([]);
  expect(readdirSync(directory)).toEqual(['conformance.json']);
  expect(readFileSync(join(directory, 'conformance.json'), 'utf8')).toBe('of an earlier run');
});
