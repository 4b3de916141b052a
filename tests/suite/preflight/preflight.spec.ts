/** The way to a target, and why a run cannot begin, which is one message with the remedy: judged in this process, without Playwright. */
import type { Server } from 'node:net';
import { expect } from '@playwright/test';
import { judgeServer } from '../../../fixtures/quick.ts';
import { suite } from '../../properties/index.ts';
import { serve } from '../gate/spawn.ts';
import { findSchemaErrors } from '../report/schema.ts';
import { test } from '../unit/make.ts';
import { startProxy } from './forward-proxy.ts';
import { alerting, answering, endingTls, h2c, http2, listen, redirecting, secured } from './servers.ts';

const KEY = 'preflight-key-3b90';
const WRONG_KEY = 'not-the-key-51f2';

const closing: (() => unknown)[] = [];
test.afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

/** Sets variables that are not read from the settings, until the test ends. */
function setVariables(variables: Record<string, string>): void {
  Object.assign(process.env, variables);
  closing.push(() => Object.keys(variables).map((name) => Reflect.deleteProperty(process.env, name)));
}

/** Makes this process trust the certificate of the tests. */
const TRUSTING = { NODE_TLS_REJECT_UNAUTHORIZED: '0' };

/** Expects that a run stops with these words, without a stack trace or a key. */
async function expectStop(env: Record<string, string>, kind: string, words: readonly string[]): Promise<string> {
  const { report } = await judgeServer(suite, env);
  expect(report).toMatchObject({ verdict: kind, counts: { passed: 0, failed: 0 } });
  expect(findSchemaErrors(report)).toEqual([]);
  const { reason = '' } = report;
  for (const each of words) expect(reason).toContain(each);
  expect(reason).not.toMatch(/^\s+at .+:\d+/m);
  expect(reason.split('\n').length, reason).toBeLessThanOrEqual(4);
  expect(JSON.stringify(report)).not.toMatch(new RegExp(`${KEY}|${WRONG_KEY}|s3cret`));
  return reason;
}

test('no API_KEY, and BASE_URL without /v1', async () => {
  const words = ['the path of the base address ends in /v1', 'API_KEY is not set: it is required with BASE_URL'];
  await expectStop({ BASE_URL: 'http://127.0.0.1:9' }, 'error', words);
});

test('a wrong key, and a wrong throttling key', async () => {
  const { baseUrl, close } = await serve(KEY);
  closing.push(close);
  const remedy = 'Is API_KEY a valid key of this environment?';
  await expectStop({ BASE_URL: baseUrl, API_KEY: WRONG_KEY }, 'cantTell', ['rejects the key', remedy]);
  const env = { BASE_URL: baseUrl, API_KEY: KEY, THROTTLE_API_KEY: WRONG_KEY };
  await expectStop(env, 'error', ['rejects THROTTLE_API_KEY', 'Without it, throttling uses API_KEY']);
});

const ADVICE = /NODE_EXTRA_CA_CERTS|does not speak HTTP|HTTPS_PROXY|Nothing listens/;

type Row = [title: string, at: (() => Server) | string, words: string, advice?: string];

/** What answers at an address, and what the message has: other advice than its own is not given. */
const HTTP: Row[] = [
  ['nothing', '127.0.0.1:9', 'Nothing listens at http://127.0.0.1:9/v1', 'Nothing listens'],
  ['an unknown host', 'no-such-host.invalid', 'The host of http://no-such-host.invalid/v1 is not known', 'HTTPS_PROXY'],
  ['a web page', answering(200, '<!DOCTYPE html><title>Hello</title>'), 'answers with HTML (status 200)'],
  ['no such operation', answering(404, '{}'), 'both are answered 404.\nIs BASE_URL the whole base address'],
  [
    'a redirect to https, for each path',
    redirecting(301, (url) => `https://store.example${url}`),
    '/v1/pets?limit=100), and this suite follows no redirect.\nSet BASE_URL=https://store.example/v1',
  ],
  [
    'a redirect to another folder',
    redirecting(301, (url) => `/shop${url}`),
    'Location: /shop/v1/pets?limit=100), and this suite follows no redirect.\nSet BASE_URL=http://127.0.0.1:',
  ],
  [
    'a redirect to a base address',
    redirecting(308, () => 'https://store.example/v1/'),
    'redirects (status 308, Location: https://store.example/v1/), and this suite follows no redirect.\nSet BASE_URL=https://store.example/v1',
  ],
  [
    'a redirect to a log-in',
    redirecting(302, () => 'https://login.example/?to=x'),
    'to=x), and this suite follows no redirect.\nIs BASE_URL the address the service itself answers at',
  ],
  ['a redirect to nowhere', redirecting(301, () => undefined), 'redirects (status 301, without Location)'],
  ['a redirect that cannot be read', redirecting(301, () => 'http://'), 'Location: http://)'],
  ['TLS', secured(), 'http or https?', 'does not speak HTTP'],
  [
    'TLS, by an answer',
    answering(400, '<html>The plain HTTP request was sent to HTTPS port</html>'),
    'speaks TLS.\nWrite https:// in BASE_URL',
  ],
  ['HTTP/2', h2c, 'speaks only HTTP/2'],
  [
    'another protocol, by an answer',
    answering(426, '', { Upgrade: 'h2c' }),
    'another protocol than HTTP/1.1: GET /pets and GET /store/orders are answered 426 (Upgrade: h2c)',
  ],
];

const HTTPS: Row[] = [
  ['a self-signed certificate', secured(), 'set NODE_EXTRA_CA_CERTS', 'NODE_EXTRA_CA_CERTS'],
  ['plain HTTP', answering(200, '[]'), 'write http:// in BASE_URL'],
  ['a cipher that is not offered', secured({ maxVersion: 'TLSv1.2', ciphers: 'AES128-SHA' }), 'TLS fails'],
  ['a TLS version that is not offered', alerting, 'TLS 1.2 or 1.3'],
];

const CERTIFICATE_WANTED = 'wants a client certificate, and this suite sends none';
const TRUSTED: Row[] = [
  ['a client certificate', secured({ requestCert: true, rejectUnauthorized: true }), CERTIFICATE_WANTED],
  [
    'a client certificate, by an answer',
    secured({}, 400, '<html>No required SSL certificate was sent</html>'),
    CERTIFICATE_WANTED,
  ],
  ['HTTP/2, by ALPN', http2, 'speaks only HTTP/2'],
];

for (const [kind, scheme, rows, variables] of [
  ['an http address', 'http', HTTP, {}],
  ['an https address', 'https', HTTPS, {}],
  ['an https address that is trusted', 'https', TRUSTED, TRUSTING],
] as const)
  for (const [title, at, words, advice] of rows)
    test(`${title} at ${kind} is one message`, async () => {
      const { host, close } = typeof at === 'string' ? { host: at, close: () => {} } : await listen(at);
      closing.push(close);
      setVariables(variables);
      const baseUrl = `${scheme}://${host}/v1`;
      const reason = await expectStop({ BASE_URL: baseUrl, API_KEY: KEY }, 'cantTell', [baseUrl, words]);
      expect(ADVICE.exec(reason)?.[0]).toBe(advice);
    });

for (const [title, address, verdict, ...words] of [
  ['that is dead', 'http://me:s3cret@127.0.0.1:1', 'cantTell', 'cannot be used', '(ALL_PROXY)', 'NO_PROXY=127.0.0.1'],
  ['whose address cannot be read', 'http://me:s3cret/@127.0.0.1:1', 'error', 'ALL_PROXY cannot be read: expected'],
] as const)
  test(`a proxy ${title} is one message, which blames the proxy`, async () => {
    setVariables({ ALL_PROXY: address });
    const env = { BASE_URL: 'http://127.0.0.1:1/v1', API_KEY: KEY };
    expect(await expectStop(env, verdict, words)).not.toMatch(ADVICE);
  });

/** Expects that a run of one requirement passes, without the credentials of a proxy in what it keeps. */
async function expectRun(env: Record<string, string>): Promise<void> {
  const { report, exchanges } = await judgeServer(suite, env, { selected: ['list.succeeds'] });
  expect(report.requirements.find(({ id }) => id === 'list.succeeds')?.outcome, report.reason).toBe('passed');
  expect(JSON.stringify([report, exchanges])).not.toMatch(new RegExp(`s3cret|${KEY}`));
}

for (const scheme of ['http', 'https'])
  test(`a run over ${scheme} goes through the proxy, with its credentials`, async () => {
    const proxy = await startProxy({ credentials: 'me:s3cret' });
    const server = await serve(KEY);
    const tls = await listen(endingTls(Number(new URL(server.baseUrl).port)));
    closing.push(proxy.close, server.close, tls.close);
    const baseUrl = scheme === 'http' ? server.baseUrl : `https://${tls.host}/v1`;
    setVariables({ [`${scheme.toUpperCase()}_PROXY`]: `me:s3cret@127.0.0.1:${proxy.port}`, ...TRUSTING });
    await expectRun({ BASE_URL: baseUrl, API_KEY: KEY });
    const wanted = scheme === 'http' ? RegExp(`^[A-Z]+ ${baseUrl}/`) : RegExp(`^CONNECT ${tls.host}$`);
    expect(proxy.asked.length).toBeGreaterThan(0);
    expect(proxy.asked.map(({ line }) => line).filter((line) => !wanted.test(line))).toEqual([]);
    if (scheme === 'https') expect(JSON.stringify(proxy.asked)).not.toContain(KEY);
  });

test('a run goes around the proxy if NO_PROXY has the target, and with the embedded reference', async () => {
  const [proxy, server] = [await startProxy(), await serve(KEY)];
  closing.push(proxy.close, server.close);
  const address = `http://127.0.0.1:${proxy.port}`;
  setVariables({ HTTP_PROXY: address, HTTPS_PROXY: address, ALL_PROXY: address });
  await expectRun({ TARGET: 'reference' });
  setVariables({ NO_PROXY: '127.0.0.0/8' });
  await expectRun({ BASE_URL: server.baseUrl, API_KEY: KEY });
  expect(proxy.asked).toEqual([]);
});
