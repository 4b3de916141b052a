import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { credentials } from '../../../fixtures/contract/credentials.ts';
import type { Call } from '../../../fixtures/target/http/client.ts';
import { renderCurl, mayBeTransient, renderTranscript } from '../../../fixtures/target/http/exchange.ts';
import { exchange, expect, type Given, TIMEOUT } from './make.ts';
import type { Asked } from '../gate/serve.ts';
import { KEY, test } from './serve.ts';

const bodies = ['', '{"a":', '{"name":"O\'Neil \\"x\\" $HOME `id` \\\\ 🦊 é"}', '[]', 'null\n'];

const calls: readonly Omit<Call, 'chapter'>[] = [
  ...credentials.map((credential) => ({ method: 'GET', target: '/pets?limit=1&status=sold', credential })),
  ...bodies.map((body) => ({ method: 'POST', target: '/pets', body })),
  { method: 'POST', target: '/pets', body: '\xef\xbb\xbf{"name":"\xff"}', encoding: 'latin1' },
  { method: 'GET', target: '/pets?status=x%00', accept: '' },
  { method: 'GET', target: '/pets/%00%ff' },
  { method: 'POST', target: '/pets', body: 'x', type: 'text/plain' },
  { method: 'GET', target: '/pets/1%2F..%20%22' },
  { method: 'HEAD', target: '/pets' },
  { method: 'GET', target: '/pets', body: '{}' },
  { method: 'PUT', target: '/pets' },
];

/** The parts of a request that curl repeats: it has its own user agent, and decodes nothing. */
const summarize = ({ method, path, headers, bytes }: Asked): unknown => {
  const { authorization, 'content-type': type, accept, cookie } = headers;
  const others = ['x-api-key', 'api-key', 'x-auth-token'].map((name) => headers[name]);
  return { method, path, authorization, type, accept, cookie, others, bytes };
};

for (const call of calls)
  test(`the curl command of an exchange sends the same request again: ${JSON.stringify(call)}`, async ({ served }) => {
    const { client, asked, baseUrl } = await served([{ body: call.method === 'HEAD' ? '' : '[]' }]);
    const sent = await client.send({ chapter: 'before', ...call });
    await promisify(execFile)('sh', ['-c', renderCurl(sent)], {
      env: { PATH: process.env.PATH, BASE_URL: baseUrl, API_KEY: KEY, THROTTLE_API_KEY: `${KEY}-2`, HOME: '/x' },
    });
    const [first, again] = asked.map(summarize);
    expect(again).toEqual(first);
    // The request had the key, the log has not.
    expect(JSON.stringify(client.log.all()).toLowerCase()).not.toContain(KEY.slice(0, -1).toLowerCase());
  });

test('the curl command of a recording of others expands keys and nothing else', async () => {
  const one = exchange();
  one.request = {
    ...{ method: 'PUT;touch x', target: '/`touch x`$(touch x)\\"$HOME$API_KEY' },
    headers: [...one.request.headers, ['X-A', '$(touch x)`touch x`'], ["X-B'$(touch x)", ''], ['Cookie', "'$API_KEY"]],
  };
  // As Chrome writes it over HTTP/2, and as a second key is shown.
  one.request.headers.push(['authorization', 'Bearer $API_KEY'], ['Authorization', 'Bearer $API_KEY_2']);
  const env = { PATH: process.env.PATH, BASE_URL: 'http://a/v1', API_KEY: KEY, API_KEY_2: 'second' };
  const script = `curl() { printf '%s\\n' "$@"; }; ${renderCurl(one)}`;
  const { stdout } = await promisify(execFile)('sh', ['-c', script], { env });
  expect(stdout.split('\n').filter((line) => line !== '-H')).toEqual([
    ...['-i', '-X', 'PUT;touch x', `http://a/v1/%60touch x%60%24(touch x)%5C%22%24HOME${KEY}`],
    ...['Accept: application/json', `Authorization: Bearer ${KEY}`],
    ...['X-A: $(touch x)`touch x`', "X-B'$(touch x);", "Cookie: '$API_KEY"],
    ...[`authorization: Bearer ${KEY}`, 'Authorization: Bearer second', ''],
  ]);
});

test('a transcript shows the whole exchange', () => {
  const text = renderTranscript(exchange({ number: 12, operation: 'addPet', status: 201, sent: '{"name":"Rex"}' }));
  expect(text).toContain('# exchange 12, 2026-');
  expect(text).toContain(`--data-binary '{"name":"Rex"}'`);
  expect(text).toMatch(/\/pets[^]*HTTP 201\nDate: [^]*X-RateLimit-Limit: 60\n[^]*"name":"Rex"/);
  expect(renderTranscript(exchange({ failure: TIMEOUT }))).toContain('(no answer within 10 s)');
});

test('what something in between may have answered is repeated', () => {
  for (const [given, isOne] of [
    [{}, false],
    [{ status: 404 }, false],
    [{ status: 429 }, false],
    [{ status: 500 }, true],
    [{ status: 503 }, true],
    [{ failure: TIMEOUT }, true],
    [{ status: 401 }, true],
    [{ status: 401, credential: 'throttle' }, true],
    [{ status: 401, credential: 'lower-case scheme' }, false],
    [{ status: 401, credential: 'none' }, false],
    [{ fault: { kind: 'not decoded', message: '' } }, true],
    [{ fault: { kind: 'too long', message: '' } }, false],
    [{ fault: { kind: 'not UTF-8', message: '' } }, false],
  ] as const satisfies readonly (readonly [Given, boolean])[])
    expect(mayBeTransient(exchange(given)), JSON.stringify(given)).toBe(isOne);
});
