/** Which proxy a target is reached through, and what the client makes of its failures. */
import { isExcluded, readProxy } from '../../../fixtures/settings/proxy.ts';
import type { Environment } from '../../../fixtures/settings/table.ts';
import type { Call, Client } from '../../../fixtures/target/http/client.ts';
import type { Failure } from '../../../fixtures/target/recording/schema.ts';
import { type ProxyOptions, startProxy } from '../preflight/forward-proxy.ts';
import { expect } from './make.ts';
import { KEY, test } from './serve.ts';

const HTTP = 'http://store.example:8080/v1';
const HTML = { 'Content-Type': 'text/html' };
const HTTPS = 'https://store.example/v1';

test.describe('the variables', () => {
  const basic = (text: string): string => `Basic ${Buffer.from(text).toString('base64')}`;
  const BOTH = { HTTPS_PROXY: 'http://a:1', HTTP_PROXY: 'http://b:2' };
  /** The variable that is used, the origin of the proxy, and its Authorization. */
  const cases: [title: string, target: string, Environment, variable?: string, origin?: string, as?: string][] = [
    ['none', HTTPS, {}],
    ['an empty one', HTTPS, { HTTPS_PROXY: ' ' }],
    ['that of the scheme', HTTPS, BOTH, 'HTTPS_PROXY', 'http://a:1'],
    ['only that of another scheme', HTTPS, { HTTP_PROXY: 'http://b:2' }],
    ['plain HTTP', HTTP, BOTH, 'HTTP_PROXY', 'http://b:2'],
    ['lower case first', HTTP, { http_proxy: 'http://a:1', HTTP_PROXY: 'http://b:2' }, 'http_proxy', 'http://a:1'],
    ['all schemes', HTTP, { ALL_PROXY: 'http://a:1' }, 'ALL_PROXY', 'http://a:1'],
    ['its own before all', HTTP, { all_proxy: 'http://a:1', HTTP_PROXY: 'b:2' }, 'HTTP_PROXY', 'http://b:2'],
    ['a name without a scheme', HTTPS, { HTTPS_PROXY: 'p.example:3128' }, 'HTTPS_PROXY', 'http://p.example:3128'],
    ['credentials', HTTPS, { ALL_PROXY: 'http://me:p%40ss@a:1/' }, 'ALL_PROXY', 'http://a:1', basic('me:p@ss')],
    ['only a user name', HTTPS, { ALL_PROXY: 'http://me@a:1' }, 'ALL_PROXY', 'http://a:1', basic('me:')],
    ['a per cent sign', HTTPS, { ALL_PROXY: 'http://me:5%@a:1' }, 'ALL_PROXY', 'http://a:1', basic('me:5%')],
    ['a proxy with TLS', HTTP, { HTTP_PROXY: 'https://a:1' }, 'HTTP_PROXY', 'https://a:1'],
    ['NO_PROXY', HTTP, { HTTP_PROXY: 'http://a:1', NO_PROXY: 'store.example' }],
    ['a value that cannot be read, and is not used', HTTP, { HTTP_PROXY: 'http://', NO_PROXY: '*' }],
  ];
  for (const [title, target, env, variable, origin, as] of cases)
    test(title, () => {
      const expected = variable === undefined ? undefined : { variable, origin, ...(as && { authorization: as }) };
      expect(readProxy(target, env)).toEqual(expected);
    });

  const SECRETS = ['http://me:s3cret/x@a:1', 'http://me:12/s3cret@a:1', 'me:12#s3cret@a:1', 'socks5://me:s3cret@a:1'];
  test('a value that cannot be read is one message that names the variable', () => {
    for (const value of ['http://', 'a:b', ...SECRETS]) {
      const read = () => readProxy(HTTP, { ALL_PROXY: value });
      expect(read, value).toThrow(/^ALL_PROXY .*expected .*http:\/\/.*NO_PROXY=store\.example/);
      expect(read).not.toThrow(/s3cret/);
    }
  });
});

/** The list, addresses that it excludes, and those that it does not, without `http://`. */
const EXCLUDED: [list: string, yes: string, no?: string][] = [
  ['', '', 'a.example'],
  ['*', 'a.example'],
  ['b.example,*', 'a.example'],
  ['a.example', 'a.example a.example. b.a.example', 'example'],
  ['A.Example.', 'a.example'],
  ['.example', 'a.example'],
  ['*.example', 'a.example'],
  ['b.example c.example\ta.example', 'a.example', 'ab.example'],
  ['bücher.example', 'bücher.example'],
  ['a.example:80', 'a.example', 'a.example:8080'],
  ['a.example:443', 'https://a.example'],
  ['*:8080', 'a.example:8080'],
  ['10.1.2.3', '10.1.2.3'],
  ['10.1.2.3:8', '10.1.2.3:8', '10.1.2.3:9'],
  ['0.0.0.0/0', '10.1.2.3'],
  ['10.0.0.0/8', '10.1.2.3', '11.1.2.3 a10.example'],
  ['10.0.0.0/8:80', '10.1.2.3'],
  ['10.0.0.0/99,10.0.0.0/,10.0.0.0/x', '', '10.0.0.0'],
  ['2.3', '', '10.1.2.3'],
  ['::1', '[::1]:8080'],
  ['[::1]', '[::1]:8080'],
  ['[::1]:8080', '[::1]:8080', '[::1]:8081'],
  ['fd00::/8', '[fd12::1]', '[fe80::1]'],
  ['127.0.0.1', '', 'localhost'],
];

test('NO_PROXY excludes by name, suffix, address and range', () => {
  for (const [list, yes, no = ''] of EXCLUDED) {
    const toUrl = (text: string): URL => new URL(text.includes('://') ? text : `http://${text}`);
    const excluded = `${yes} ${no}`.split(' ').filter((text) => text !== '' && isExcluded(toUrl(text), list));
    expect(excluded.join(' '), list).toBe(yes);
  }
});

const list: Call = { chapter: 'before', method: 'GET', target: '/pets' };
const SECRET = 'me:s3cret';

/** Sends one request that fails. @returns why, after a check that no credentials are in the log. */
async function failureOf({ client }: { client: Client }): Promise<Failure | undefined> {
  await client.send(list).catch(() => {});
  expect(JSON.stringify(client.log.all())).not.toContain('s3cret');
  return client.log.all().at(-1)?.failure;
}

test('plain HTTP goes to the proxy as an absolute address, with its credentials, and they are not recorded', async ({
  served,
  closing,
}) => {
  const proxy = closing(await startProxy({ credentials: SECRET }));
  const { asked, baseUrl, again } = await served(({ headers }) => ({ body: JSON.stringify(headers) }));
  // A scheme has no case (RFC 3986, section 3.1).
  const proxied = { proxy: readProxy(baseUrl, { HTTP_PROXY: `http://${SECRET}@${proxy.host}` }) };
  const client = again({ baseUrl: baseUrl.replace('http', 'HTTP'), ...proxied });
  for (const method of ['GET', 'POST'])
    expect((await client.send({ ...list, method, body: '{}' })).response?.status).toBe(200);
  expect(proxy.asked.map(({ line }) => line)).toEqual([`GET ${baseUrl}/pets`, `POST ${baseUrl}/pets`]);
  expect(asked[0]?.headers).toMatchObject({ host: new URL(baseUrl).host, authorization: `Bearer ${KEY}` });
  expect(JSON.stringify(client.log.all())).not.toContain(Buffer.from(SECRET).toString('base64'));
});

test.describe('a failure of the proxy is blamed on it', () => {
  const WANTS = /wants a user name and password that its address does not have \(407\)$/;
  const WANTS_401 = /wants a user name and password that its address does not have \(401\)$/;
  const ITSELF = /answers for itself, with 503$/;
  const SQUID = { 'Content-Type': 'text/plain', 'X-Squid-Error': 'ERR_CONNECT_FAIL 111' };
  const STATUS = { 'Content-Type': 'text/plain', 'Proxy-Status': 'edge; error=destination_unavailable' };
  const TINY = [401, 500] as const;
  const OTHER = { credentials: 'me:other' };
  const cases: [title: string, ProxyOptions, message: { http?: RegExp; https?: RegExp }, as?: string][] = [
    ['refuses CONNECT', { refuses: 403 }, { https: /answers CONNECT 127\.0\.0\.1:1 with 403$/ }],
    ['cannot reach the target', {}, { http: ITSELF, https: /answers CONNECT 127\.0\.0\.1:1 with 502$/ }],
    ['answers as tinyproxy does', { statuses: TINY }, { http: /for itself, with 500$/ }],
    ['wants credentials as tinyproxy does', { ...OTHER, statuses: TINY }, { http: WANTS_401 }, SECRET],
    ['shows that it cannot reach the target', { own: SQUID }, { http: /with 503 \(ERR_CONNECT_FAIL 111\)$/ }],
    ['sends Proxy-Status', { own: STATUS }, { http: /answers for itself, with 503/ }],
    ['wants credentials', { credentials: SECRET }, { http: WANTS, https: WANTS }],
    ['rejects credentials', OTHER, { http: WANTS, https: WANTS }, SECRET],
    ['refuses CONNECT with 401', { refuses: 401 }, { https: WANTS_401 }],
    ['hangs', { hangs: true }, { https: /cannot be used: Headers Timeout Error$/ }],
  ];
  for (const [title, options, messages, as] of cases)
    for (const [scheme, message] of Object.entries(messages))
      test(`${title} (${scheme})`, async ({ running, closing }) => {
        const { host } = closing(await startProxy(options));
        const baseUrl = `${scheme}://127.0.0.1:1/v1`;
        const proxy = readProxy(baseUrl, { ALL_PROXY: `http://${as ? `${as}@` : ''}${host}` });
        const failure = await failureOf(running(baseUrl, { proxy }));
        expect(failure).toMatchObject({ kind: 'unreachable' });
        expect(failure?.message).toMatch(message);
        expect(failure?.message).toContain(`the proxy http://${host} (ALL_PROXY)`);
      });

  test('is dead', async ({ running }) => {
    const message = 'the proxy http://127.0.0.1:1 (ALL_PROXY) cannot be used: connect ECONNREFUSED 127.0.0.1:1';
    for (const baseUrl of [HTTP, HTTPS]) {
      const proxy = readProxy(baseUrl, { ALL_PROXY: `${SECRET}@127.0.0.1:1` });
      expect(await failureOf(running(baseUrl, { proxy }))).toEqual({ kind: 'unreachable', message });
    }
  });
});

for (const isSilent of [false, true])
  test(`a 5xx through a proxy that writes ${isSilent ? 'no Via' : 'Via'} is the service’s, and only without the usual Via its own`, async ({
    served,
    closing,
  }) => {
    const proxy = closing(await startProxy({ isSilent }));
    const { baseUrl, again } = await served([{}, { status: 503 }, isSilent ? { status: 400, headers: HTML } : 'cut']);
    const client = again({ proxy: readProxy(baseUrl, { HTTP_PROXY: `http://${proxy.host}` }) });
    expect((await client.send(list)).response?.status).toBe(200);
    expect((await client.send(list)).response?.status).toBe(503);
    if (isSilent) return expect((await client.send(list)).response?.status).toBe(400);
    await expect(client.send(list)).rejects.toThrow('the target stopped answering at exchange 2');
    const failure = client.log.all().at(-1)?.failure;
    expect(failure?.message).toMatch(/the proxy http:.* answers for itself, with 503$/);
    expect(proxy.asked).toHaveLength(client.log.all().length);
  });
