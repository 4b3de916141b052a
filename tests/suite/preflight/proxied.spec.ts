/** Processes on the way through a proxy, and on servers whose certificate they trust. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from '@playwright/test';
import { quick, suite, test } from '../gate/spawn.ts';
import { startProxy } from './forward-proxy.ts';
import { CERTIFICATE } from './self-signed.ts';
import { endingTls, http2, listen, secured } from './servers.ts';

const KEY = 'proxied-key-3b90';

const closing: (() => unknown)[] = [];
test.afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

/** Makes a process trust the certificate of the tests. */
function trusting(directory: string): Record<string, string> {
  const file = join(directory, 'ca.pem');
  writeFileSync(file, CERTIFICATE);
  return { NODE_EXTRA_CA_CERTS: file };
}

for (const scheme of ['http', 'https'])
  test(`a run over ${scheme} goes through the proxy, with its credentials`, async ({ directory, serving }) => {
    const proxy = await startProxy({ credentials: 'me:s3cret' });
    closing.push(proxy.close);
    let { baseUrl } = await serving(KEY);
    if (scheme === 'https') {
      const { host, close } = await listen(endingTls(Number(new URL(baseUrl).port)));
      closing.push(close);
      baseUrl = `https://${host}/v1`;
    }
    const variable = `${scheme.toUpperCase()}_PROXY`;
    const env = { BASE_URL: baseUrl, API_KEY: KEY, [variable]: `me:s3cret@127.0.0.1:${proxy.port}` };
    const ended = await suite(directory, { ...env, ...trusting(directory) }, '--grep=@list.succeeds');
    expect(ended.code, ended.text).toBe(0);
    expect(ended.text).toContain(`through the proxy http://127.0.0.1:${proxy.port} (${variable})`);
    expect(ended.text + ended.file('conformance.json')).not.toContain('s3cret');
    const { host, origin } = new URL(baseUrl);
    const wanted = scheme === 'http' ? RegExp(`^[A-Z]+ ${origin}/v1/`) : RegExp(`^CONNECT ${host}$`);
    expect(proxy.asked.length).toBeGreaterThan(0);
    expect(proxy.asked.map(({ line }) => line).filter((line) => !wanted.test(line))).toEqual([]);
    if (scheme === 'https') expect(JSON.stringify(proxy.asked)).not.toContain(KEY);
  });

test('a run goes around the proxy if NO_PROXY has the target, and with the embedded reference', async ({
  directory,
  serving,
}) => {
  const { baseUrl } = await serving(KEY);
  const proxy = await startProxy();
  closing.push(proxy.close);
  const address = `http://127.0.0.1:${proxy.port}`;
  const proxies = { HTTP_PROXY: address, HTTPS_PROXY: address, ALL_PROXY: address };
  for (const env of [{ BASE_URL: baseUrl, API_KEY: KEY, NO_PROXY: '127.0.0.0/8' }, { TARGET: 'reference' }]) {
    const ended = await suite(directory, { ...proxies, ...env }, '--grep=@list.succeeds');
    expect(ended.code, ended.text).toBe(0);
  }
  expect(proxy.asked).toEqual([]);
});

const CERTIFICATE_WANTED = 'wants a client certificate, and this suite sends none';
const REFUSAL = '<html>No required SSL certificate was sent</html>';
/** Servers with a trusted certificate that want something else. */
const WANTING = [
  ['a client certificate', secured({ requestCert: true, rejectUnauthorized: true }), CERTIFICATE_WANTED],
  ['a client certificate, by an answer', secured({}, 400, REFUSAL), CERTIFICATE_WANTED],
  ['HTTP/2, by ALPN', http2, 'speaks only HTTP/2'],
] as const;

test('what a server with a trusted certificate wants is named', async ({ directory }) => {
  const addresses = await Promise.all(
    WANTING.map(async ([, server]) => {
      const { host, close } = await listen(server);
      closing.push(close);
      return `https://${host}/v1`;
    }),
  );
  // One process judges all of them.
  const orders = addresses.map((address) => JSON.stringify({ 'base-url': address, key: KEY }));
  const how = { input: orders.join('\n'), env: trusting(directory) };
  const { code, stdout, text } = await quick(directory, ['--orders'], how);
  expect(code, text).toBe(0);
  const answers = stdout.trimEnd().split('\n');
  for (const [i, [title, , words]] of WANTING.entries()) {
    expect(answers[i], title).toContain(`"verdict":"cantTell"`);
    expect(answers[i], title).toContain(`${addresses[i]} ${words}`);
    expect(answers[i], title).not.toMatch(/NODE_EXTRA_CA_CERTS|does not speak HTTP/);
  }
});
