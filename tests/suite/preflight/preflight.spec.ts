/** Runs in this process, without Playwright: why one cannot begin, which is one message, the way to the target, and what is sent. */
import type { Server } from 'node:net';
import { expect } from '@playwright/test';
import type { RequirementId } from '../../../fixtures/contract/requirements.ts';
import { judgeServer } from '../../../fixtures/quick.ts';
import { stockUp } from '../../../fixtures/reference/variants/index.ts';
import { properties } from '../../properties/index.ts';
import { KEY, TRIAL } from '../gate/serve.ts';
import { test } from '../gate/spawn.ts';
import { idsOf } from '../proof/judged.ts';
import { findSchemaErrors } from '../report/schema.ts';
import { startProxy } from './forward-proxy.ts';
import { alerting, answering, endingTls, h2c, http2, listen, redirecting, secured } from './servers.ts';

const WRONG_KEY = 'not-the-key-51f2';

/** Makes this process trust the certificate of the tests. */
const TRUSTING = { NODE_TLS_REJECT_UNAUTHORIZED: '0' };

/** Expects that a run stops with these words, without a stack trace or a key. */
async function expectStop(env: Record<string, string>, kind: string, words: readonly string[]): Promise<void> {
  const { report } = await judgeServer(properties, env);
  expect(report).toMatchObject({ verdict: kind, counts: { passed: 0, failed: 0 } });
  expect(findSchemaErrors(report)).toEqual([]);
  const { reason = '' } = report;
  for (const each of words) expect(reason).toContain(each);
  expect(reason).not.toMatch(/^\s+at .+:\d+/m);
  expect(reason.split('\n').length, reason).toBeLessThanOrEqual(4);
  expect(JSON.stringify(report)).not.toMatch(new RegExp(`${KEY}|${WRONG_KEY}|s3cret`));
}

test('no API_KEY, and BASE_URL without /v1', async () => {
  const words = ['the path of the base address ends in /v1', 'API_KEY is not set: it is required with BASE_URL'];
  await expectStop({ BASE_URL: 'http://127.0.0.1:9' }, 'error', words);
});

test('a wrong key, and a wrong throttling key', async ({ serving }) => {
  const { env } = await serving();
  const remedy = 'Is API_KEY a valid key of this environment, and does what is in front pass Authorization on?';
  await expectStop({ ...env, API_KEY: WRONG_KEY }, 'cantTell', ['rejects the key: status 401 to GET /pets', remedy]);
  const words = ['rejects THROTTLE_API_KEY', 'Without it, throttling uses API_KEY'];
  await expectStop({ ...env, THROTTLE_API_KEY: WRONG_KEY }, 'error', words);
});

type Row = [title: string, at: (() => Server) | string, words: string];

const UNREACHABLE = 'cannot be reached: ';
const NO_ANSWER = 'gives no answer that can be judged: ';
const TO_TLS_PORT = '<html>The plain HTTP request was sent to HTTPS port</html>';

/** What answers at an address, and what the message has. */
const HTTP: Row[] = [
  ['nothing', '127.0.0.1:9', `${UNREACHABLE}ECONNREFUSED`],
  ['an unknown host', 'no-such-host.invalid', UNREACHABLE],
  [
    'a web page',
    answering(200, '<!DOCTYPE html><title>Hello</title>'),
    'answers with HTML: status 200 to GET /pets and GET /store/orders (Hello).',
  ],
  ['no such operation', answering(404, '{}'), 'status 404 to GET /pets and GET /store/orders ({}).\nIs BASE_URL right'],
  ['TLS', secured(), NO_ANSWER],
  ['TLS, by an answer', answering(400, TO_TLS_PORT), '(The plain HTTP request was sent to HTTPS port)'],
  ['HTTP/2', h2c, `${NO_ANSWER}the answer is not HTTP`],
  ['another protocol', answering(426, 'Use h2c'), 'status 426 to GET /pets and GET /store/orders (Use h2c)'],
  ['a redirect', redirecting((url) => `https://a.example${url}`), '(Location: https://a.example/v1/pets?limit=100)'],
  ['no Location', redirecting(() => undefined), 'redirects, and this suite follows no redirect: status 301 to'],
];
const HTTPS: Row[] = [
  ['a self-signed certificate', secured(), 'NODE_EXTRA_CA_CERTS names the file'],
  ['plain HTTP', answering(200, '[]'), UNREACHABLE],
  ['a TLS version that is not offered', alerting, UNREACHABLE],
];
const TRUSTED: Row[] = [
  ['a client certificate', secured({ requestCert: true, rejectUnauthorized: true }), 'CERTIFICATE_REQUIRED'],
  ['HTTP/2, by ALPN', http2, UNREACHABLE],
];

for (const [kind, rows, variables] of [
  ['http', HTTP, {}],
  ['https', HTTPS, {}],
  ['https, trusted', TRUSTED, TRUSTING],
] as const)
  for (const [title, at, words] of rows)
    test(`${title} at an address of ${kind} is one message`, async ({ closing, setVariables }) => {
      const host = typeof at === 'string' ? at : closing(await listen(at)).host;
      setVariables(variables);
      const baseUrl = `${kind.split(',')[0]}://${host}/v1`;
      await expectStop({ BASE_URL: baseUrl, API_KEY: KEY }, 'cantTell', [baseUrl, words]);
    });

for (const [title, address, verdict, ...words] of [
  ['that is dead', 'http://me:s3cret@127.0.0.1:1', 'cantTell', 'cannot be used', '(ALL_PROXY)', 'NO_PROXY=127.0.0.1'],
  ['whose address cannot be read', 'http://me:s3cret/@127.0.0.1:1', 'error', 'ALL_PROXY cannot be read: expected'],
] as const)
  test(`a proxy ${title} is one message, which blames the proxy`, async ({ setVariables }) => {
    setVariables({ ALL_PROXY: address });
    const env = { BASE_URL: 'http://127.0.0.1:1/v1', API_KEY: KEY };
    await expectStop(env, verdict, words);
  });

/** Expects that a run of one requirement passes, without the credentials of a proxy in what it keeps. */
async function expectRun(env: Record<string, string>): Promise<void> {
  const { report, exchanges } = await judgeServer(properties, env, { selected: ['list.succeeds'] });
  expect(report.requirements.find(({ id }) => id === 'list.succeeds')?.outcome, report.reason).toBe('passed');
  expect(JSON.stringify([report, exchanges])).not.toMatch(new RegExp(`s3cret|${KEY}`));
}

test('a run over https goes through the proxy, unless it is excluded', async ({ serving, closing, setVariables }) => {
  const { env } = await serving();
  const tls = closing(await listen(endingTls(Number(new URL(env.BASE_URL).port))));
  const proxy = closing(await startProxy({ credentials: 'me:s3cret' }));
  const address = `me:s3cret@${proxy.host}`;
  setVariables({ HTTP_PROXY: address, HTTPS_PROXY: address, ...TRUSTING });
  const secure = { ...env, BASE_URL: `https://${tls.host}/v1` };
  await expectRun(secure);
  const { length } = proxy.asked;
  expect(new Set(proxy.asked.map(({ line }) => line))).toEqual(new Set([`CONNECT ${tls.host}`]));
  expect(JSON.stringify(proxy.asked)).not.toContain(KEY);
  await expectRun({ TARGET: 'reference' });
  setVariables({ NO_PROXY: '127.0.0.0/8' });
  await expectRun(secure);
  expect(proxy.asked).toHaveLength(length);
});

test('READ_ONLY=1 sends only GET and HEAD', async ({ serving }) => {
  const { env, asked } = await serving({ service: (service) => stockUp(service, 70) });
  const { report } = await judgeServer(properties, { ...env, READ_ONLY: '1', DEPTH: 'thorough' });
  expect(report.verdict).toBe('partial');
  expect(asked).toHaveLength(report.requests.sent);
  expect([...new Set(asked.map(({ method }) => method))].sort()).toEqual(['GET', 'HEAD']);
  for (const path of ['/v1/pets', '/v1/store/orders', expect.stringMatching(/^\/v1\/pets\/./)])
    expect(asked.map((each) => each.path)).toContainEqual(path);
  const untested = ['add.created', 'add.name.required', 'throttle.429'];
  expect(idsOf(report, 'untested')).toEqual(expect.arrayContaining(untested));
  expect(idsOf(report, 'passed')).toEqual(expect.arrayContaining(['list.limit.caps', 'get.found']));
});

test('a run of throttling only judges its own key, and sends little else', async ({ serving }) => {
  const { env, asked } = await serving();
  const selected: RequirementId[] = ['throttle.429', 'throttle.retry-after', 'throttle.recovers'];
  const more = { THROTTLE_API_KEY: TRIAL.key, THROTTLING: 'auto', MAX_WAIT: '25' };
  const { report } = await judgeServer(properties, { ...env, ...more }, { selected });
  expect(asked).toHaveLength(report.requests.sent);
  expect(idsOf(report, 'passed')).toEqual(expect.arrayContaining(selected));
  expect(report.requests.byKey.API_KEY ?? 0).toBeLessThanOrEqual(3);
});
