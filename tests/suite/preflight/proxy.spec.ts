/** Whole runs through a forward proxy, and against servers that want another protocol or a certificate. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer as createHttp, type RequestListener } from 'node:http';
import { createSecureServer, createServer as createH2c } from 'node:http2';
import { createServer as createHttps } from 'node:https';
import { type AddressInfo, connect, createServer as createTcp, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServer as createTls } from 'node:tls';
import { expect } from '@playwright/test';
import { serve } from '../gate/spawn.ts';
import { test } from '../unit/make.ts';
import { type ProxyOptions, startProxy, type StartedProxy } from './forward-proxy.ts';
import { type Ended, runSuite } from './run-suite.ts';
import { CERTIFICATE, PRIVATE_KEY } from './self-signed.ts';

// Starting a process takes long on a busy machine.
test.describe.configure({ timeout: 120_000 });

const API_KEY = 'proxy-key-3b90';

const closing: (() => unknown)[] = [];
test.afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

async function listening(server: Server): Promise<number> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => sockets.add(socket));
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  closing.push(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

/** Makes this machine trust the certificate of the tests. */
function trusted(): Record<string, string> {
  const directory = mkdtempSync(join(tmpdir(), 'certificate-'));
  closing.push(() => rmSync(directory, { recursive: true }));
  const file = join(directory, 'ca.pem');
  writeFileSync(file, CERTIFICATE);
  return { NODE_EXTRA_CA_CERTS: file };
}

async function startReference(scheme: string): Promise<string> {
  const { baseUrl, close } = await serve(API_KEY);
  closing.push(close);
  if (scheme === 'http') return baseUrl;
  const { port } = new URL(baseUrl);
  const ended = createTls({ cert: CERTIFICATE, key: PRIVATE_KEY }, (socket) => {
    const inner = connect(Number(port), '127.0.0.1');
    socket.on('error', () => inner.destroy()).pipe(inner);
    inner.on('error', () => socket.destroy()).pipe(socket);
  });
  return `https://127.0.0.1:${await listening(ended)}/v1`;
}

async function start(options: ProxyOptions = {}): Promise<StartedProxy> {
  const proxy = await startProxy(options);
  closing.push(proxy.close);
  return proxy;
}

const LISTS = ['--grep', '@list.succeeds'];

for (const scheme of ['http', 'https'])
  test.describe(`a run over ${scheme}`, () => {
    const variable = `${scheme.toUpperCase()}_PROXY`;

    test('goes through the proxy, with its credentials', async () => {
      const baseUrl = await startReference(scheme);
      const { port, asked } = await start({ credentials: 'me:s3cret' });
      const env = {
        THROTTLING: 'off',
        BASE_URL: baseUrl,
        API_KEY,
        [variable]: `me:s3cret@127.0.0.1:${port}`,
        ...trusted(),
      };
      const ended = await runSuite(env, ...LISTS);
      expect(ended.code, ended.text).toBe(0);
      expect(ended.text).toContain(`through the proxy http://127.0.0.1:${port} (${variable})`);
      expect(ended.text + JSON.stringify(ended.report)).not.toContain('s3cret');
      const { host, origin } = new URL(baseUrl);
      const wanted = scheme === 'http' ? RegExp(`^[A-Z]+ ${origin}/v1/`) : RegExp(`^CONNECT ${host}$`);
      expect(asked.length).toBeGreaterThan(0);
      expect(asked.map(({ line }) => line).filter((line) => !wanted.test(line))).toEqual([]);
      if (scheme === 'https') expect(JSON.stringify(asked)).not.toContain(API_KEY);
    });

    test('goes around the proxy if NO_PROXY has the target', async () => {
      const { port, asked } = await start();
      const env = {
        THROTTLING: 'off',
        BASE_URL: await startReference(scheme),
        API_KEY,
        [variable]: `http://127.0.0.1:${port}`,
      };
      const ended = await runSuite({ ...env, NO_PROXY: '127.0.0.0/8', ...trusted() }, ...LISTS);
      expect(ended.code, ended.text).toBe(0);
      expect(asked).toEqual([]);
    });
  });

test('the embedded reference never goes through a proxy, and nothing else is sent', async () => {
  const { port, asked } = await start();
  const address = `http://127.0.0.1:${port}`;
  const env = { THROTTLING: 'off', TARGET: 'reference', HTTP_PROXY: address, HTTPS_PROXY: address, ALL_PROXY: address };
  const ended = await runSuite(env, ...LISTS);
  expect(ended.code, ended.text).toBe(0);
  expect(asked).toEqual([]);
});

function stopsWith(ended: Ended, ...messages: string[]): void {
  const { text, report } = ended;
  expect(ended.code, text).toBe(1);
  for (const message of messages) expect(text).toContain(message);
  expect(text).not.toMatch(/^\s+at .+:\d+/m);
  expect(text.trim().split('\n').length, text).toBeLessThanOrEqual(8);
  expect(text + JSON.stringify(report)).not.toMatch(/s3cret|proxy-key/);
}

test.describe('a proxy that fails is one message', () => {
  const cases: { title: string; target?: string; value?: string; options?: ProxyOptions; messages: string[] }[] = [
    {
      title: 'dead',
      value: 'http://me:s3cret@127.0.0.1:1',
      messages: ['http://127.0.0.1:1 (ALL_PROXY) cannot be used'],
    },
    {
      title: 'refusing CONNECT',
      target: 'https',
      options: { refuses: 403 },
      messages: ['CONNECT 127.0.0.1:1 with 403'],
    },
    { title: 'wanting credentials', options: { credentials: 'a:b' }, messages: ['wants a user name and password'] },
    {
      title: 'with a dead target',
      messages: ['answers for itself, with 503'],
    },
  ];
  for (const { title, target = 'http', value, options, messages } of cases)
    test(title, async () => {
      const address = value ?? `http://127.0.0.1:${(await start(options)).port}`;
      const ended = await runSuite({ BASE_URL: `${target}://127.0.0.1:1/v1`, API_KEY, ALL_PROXY: address });
      stopsWith(ended, ...messages, '(ALL_PROXY)', 'NO_PROXY=127.0.0.1');
      expect(ended.report?.verdict).toBe('cantTell');
      expect(ended.text).not.toMatch(/Nothing listens|NODE_EXTRA_CA_CERTS/);
    });

  test('of a value that cannot be read', async () => {
    const env = { BASE_URL: 'http://127.0.0.1:1/v1', API_KEY, ALL_PROXY: 'http://me:s3cret/@127.0.0.1:1' };
    const ended = await runSuite(env);
    stopsWith(ended, 'ALL_PROXY cannot be read: expected the address of a proxy');
    expect(ended.report?.verdict).toBe('error');
  });
});

test.describe('a server that wants something else is one message', () => {
  const ok: RequestListener = (_, response) => response.end('[]');
  const secure = { cert: CERTIFICATE, key: PRIVATE_KEY };
  const asking = { ...secure, requestCert: true, rejectUnauthorized: true };
  const page = (status: number, body: string, headers = {}): RequestListener => {
    return (_, response) => response.writeHead(status, { 'Content-Type': 'text/html', ...headers }).end(body);
  };
  const certificate = 'wants a client certificate, and this suite sends none';
  const cases: { title: string; server: () => unknown; scheme?: string; message: string }[] = [
    {
      title: 'a client certificate, by TLS 1.2',
      server: () => createHttps({ ...asking, maxVersion: 'TLSv1.2' }, ok),
      message: certificate,
    },
    {
      title: 'a client certificate, by TLS 1.3',
      server: () => createHttps({ ...asking, minVersion: 'TLSv1.3' }, ok),
      message: certificate,
    },
    {
      title: 'a client certificate, by an answer',
      server: () => createHttps(secure, page(400, '<html>No required SSL certificate was sent</html>')),
      message: certificate,
    },
    { title: 'HTTP/2, by ALPN', server: () => createSecureServer(secure), message: 'speaks only HTTP/2' },
    { title: 'HTTP/2, in plain text', server: () => createH2c(), scheme: 'http', message: 'speaks only HTTP/2' },
    {
      title: 'another protocol, by an answer',
      server: () => createHttp(page(426, '', { Upgrade: 'h2c' })),
      scheme: 'http',
      message: 'wants another protocol than HTTP/1.1: GET /pets and GET /store/orders are answered 426 (Upgrade: h2c)',
    },
    {
      title: 'TLS, by an answer',
      server: () => createHttp(page(400, '<html>The plain HTTP request was sent to HTTPS port</html>')),
      scheme: 'http',
      message: 'speaks TLS.\nWrite https:// in BASE_URL',
    },
    {
      title: 'a TLS version that is not offered',
      server: () => createTcp((socket) => void socket.end(ALERT)),
      message: 'TLS 1.2 or 1.3',
    },
  ];
  /** A fatal alert: protocol_version (RFC 8446, section 6). */
  const ALERT = Buffer.from([21, 3, 1, 0, 2, 2, 70]);
  for (const { title, server, scheme = 'https', message } of cases)
    test(title, async () => {
      const baseUrl = `${scheme}://127.0.0.1:${await listening(server() as Server)}/v1`;
      const ended = await runSuite({ BASE_URL: baseUrl, API_KEY, ...trusted() });
      stopsWith(ended, baseUrl, message);
      expect(ended.text).not.toMatch(/NODE_EXTRA_CA_CERTS|does not speak HTTP|HTTPS_PROXY/);
    });
});
