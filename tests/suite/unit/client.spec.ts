import { readdirSync, readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { createServer as createTcpServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { MOST_BYTES, MOST_BYTES_LATER, MOST_MEMORY } from '../../../fixtures/target/http/body.ts';
import { findOutages, Undecided } from '../../../fixtures/target/http/log.ts';
import type { Call } from '../../../fixtures/target/http/client.ts';
import { header } from '../../../fixtures/target/http/exchange.ts';
import { Customer } from '../../../fixtures/scenario/customer.ts';
import { listen } from '../preflight/servers.ts';
import { exchange, expect, lawfulHeaders, TIMEOUT } from './make.ts';
import { KEY, type Reply, test } from './serve.ts';

// They wait for answers that do not come.
test.describe.configure({ mode: 'parallel' });

const list = (more: Partial<Call> = {}): Call => ({ chapter: 'before', method: 'GET', target: '/pets', ...more });
const addition = (more: Partial<Call> = {}): Call => list({ method: 'POST', body: '{"name":"Rex"}', ...more });

/** Those of an answer that leaves enough for now. */
const left = () => lawfulHeaders(Math.floor(Date.now() / 1000));

test('a request has the base path, is JSON, names its chapter, and comes back as an exchange', async ({ served }) => {
  const reply = { status: 201, headers: { ...left(), 'X-Own': 'a' }, body: '{"id":9007199254740993}' };
  const { client, asked } = await served([reply]);
  const came = await client.send(addition({ target: '/pets?a=b' }));
  const together = await Promise.all([client.send(list()), client.send(list())]);
  const [post, get] = asked;
  expect(post).toMatchObject({ method: 'POST', path: '/shop/v1/pets?a=b', bytes: Buffer.from('{"name":"Rex"}') });
  expect(post?.headers).toMatchObject({
    ...{ authorization: `Bearer ${KEY}`, accept: 'application/json', 'content-type': 'application/json' },
    'user-agent': expect.stringMatching(/^animal-store-conformance\/[\d.]+ \(before\)$/) as unknown,
  });
  expect(get?.headers['content-type']).toBeUndefined();
  expect(came).toMatchObject({
    ...{ number: 1, chapter: 'before', parallel: false, credential: 'key' },
    request: { method: 'POST', target: '/pets?a=b', body: '{"name":"Rex"}' },
    response: { status: 201, body: '{"id":9007199254740993}' },
  });
  expect(header(came, 'x-own')).toBe('a');
  expect(came.request.headers).toContainEqual(['Authorization', 'Bearer $API_KEY']);
  expect(client.log.all()).toEqual([came, ...together]);
  expect(together.map(({ number, parallel }) => [number, parallel])).toEqual([2, 3].map((n) => [n, true]));
});

test('a request that met a 408 is not repeated while a Retry-After of another answer runs', async ({ served }) => {
  const answers = [{ headers: left() }, { status: 429, headers: { 'Retry-After': '60' } }, { status: 408 }];
  const { client, asked } = await served(async (_, nth) => {
    if (nth === 3) await new Promise((done) => setTimeout(done, 300));
    return answers[nth - 1] ?? {};
  });
  await client.send(list());
  await Promise.allSettled([client.send(list()), client.send(list())]);
  expect(asked).toHaveLength(3);
});

test('no file of a run has a key that the target repeats, in whatever place', async ({ served }) => {
  const get = list({ target: `/pets/${KEY}` });
  const echo = JSON.stringify({ message: `no ${KEY}`, encoded: Buffer.from(KEY).toString('base64') });
  const { client, asked, again, directory } = await served([
    { status: 404, headers: { 'X-Echo': KEY }, body: echo },
    { headers: { 'Content-Encoding': KEY } },
    { status: 429, headers: { 'Retry-After': `3600 ${KEY}`, 'X-RateLimit-Reset': KEY } },
    'hang',
  ]);
  const came = await client.send(get);
  expect(came.response?.body).toContain('no $API_KEY');
  expect(header(came, 'x-echo')).toBe('$API_KEY');
  expect(asked[0]?.path).toBe(`/shop/v1/pets/${KEY}`);
  const coded = await client.send(get);
  expect(coded.response?.fault?.message).toBe('a body with the content coding $API_KEY, which was not requested');
  await client.send({ ...get, credential: 'throttle', spend: true });
  // As after a timeout in an earlier worker: the next timeout is shorter.
  client.log.add(exchange({ number: 4, operation: 'getPet', failure: TIMEOUT }));
  const later = again();
  expect((await later.send(get)).failure?.kind).toBe('timeout');
  for (const credential of ['key', 'throttle'] as const)
    await expect(later.send({ ...get, credential })).rejects.toThrow('GET /pets/$API_KEY timed out');
  // Notes why.
  await new Customer(later, { run: 'abcdef', categoryId: '1' }).send(get);
  expect(later.log.all().slice(0, 2)).toEqual([came, coded]);
  const written = readdirSync(directory).map((file) => readFileSync(join(directory, file), 'utf8'));
  expect(written).toHaveLength(2);
  expect(written.join().toLowerCase()).not.toContain(KEY.toLowerCase());
});

const LARGE = `[${'1,'.repeat(MOST_BYTES / 2 - 10)}1]`;
const MEDIUM = JSON.stringify('x'.repeat(2 * MOST_BYTES_LATER));
const ENDLESS = 'x'.repeat(MOST_BYTES + 1);
const GZIP = { 'Content-Encoding': 'gzip' };
const discarded = Array<string>((4 * MOST_MEMORY) / MOST_BYTES).fill(ENDLESS);

/** Bodies, and which of them are read, one after another. */
for (const [title, bodies, read, headers = {}] of [
  ['a compressed one', [gzipSync('[1]')], [true], GZIP],
  ['a compressed one that is too long', [gzipSync(Buffer.alloc(9e6))], [false], GZIP],
  ['one that is too long', [ENDLESS], [false]],
  ['after many values only small ones', [LARGE, MEDIUM, '"y"'], [true, false, true]],
  ['after many discarded ones too', [MEDIUM, ...discarded, MEDIUM], [true, ...discarded.map(() => false), false]],
] as const satisfies readonly (readonly [string, (Buffer | string)[], boolean[], Record<string, string>?])[])
  test(`bodies that are read: ${title}`, async ({ served }) => {
    const { client } = await served(bodies.map((body) => ({ body, headers })));
    for (const isRead of read) {
      const { response } = await client.send(list());
      if (isRead) expect(response?.fault).toBeUndefined();
      else expect(response).toMatchObject({ status: 200, body: '', fault: { kind: 'too long' } });
    }
  });

test('the bound on bodies holds for parallel requests too', async ({ served }) => {
  const { client } = await served([{ body: LARGE }]);
  const came = await Promise.all([client.send(list()), client.send(list()), client.send(list())]);
  expect(came.map(({ response }) => response?.body.length ?? 0).sort((a, b) => a - b)).toEqual([0, 0, LARGE.length]);
});

const TIMED_OUT: Reply = { status: 408, headers: { Connection: 'close' } };
const refusal = (seconds: number): Reply => ({ status: 429, headers: { 'Retry-After': String(seconds) }, body: '' });

/** What comes of one call: the nth reply, the last one again; how many requests arrive; the status, or the failure. */
const RETRIES: readonly (readonly [title: string, call: Call, replies: Reply[], asked: number, RegExp | number])[] = [
  ['a 429 is retried after its Retry-After', list(), [refusal(1), {}], 2, 200],
  ['a second 429 is the answer', list(), [refusal(0)], 2, 429],
  ['a 429 is not retried for throttling', list({ spend: true }), [refusal(1)], 1, 429],
  ['a closed connection is retried, since it may be idle', list(), ['cut', {}], 2, 200],
  ['a connection that is closed twice has no answer', list(), ['cut'], 2, /closed without an answer/],
  ['a closed connection is not retried for an addition', addition(), ['cut'], 1, /closed/],
  ['a body that is cut keeps its status', addition(), ['cut short'], 1, /201/],
  // It may answer an idle connection, so what counts is that of a new one (RFC 9110, section 15.5.9).
  ['a 408 is repeated', list(), [TIMED_OUT, {}], 2, 200],
  ['a 408 is judged if it comes again', list(), [TIMED_OUT], 2, 408],
  ['a 408 is judged for an addition, whose connection is new', addition(), [TIMED_OUT], 1, 408],
];

for (const [title, call, replies, count, expected] of RETRIES)
  test(title, async ({ served }) => {
    const { client, asked } = await served(replies);
    const start = Date.now();
    const { response, failure } = await client.send(call);
    if (typeof expected === 'number') expect(response?.status).toBe(expected);
    else expect(failure?.message).toMatch(expected);
    expect(asked).toHaveLength(count);
    if (title.includes('after its Retry-After')) expect(Date.now() - start).toBeGreaterThanOrEqual(1000);
  });

test('a 429 whose Retry-After is beyond MAX_WAIT ends the run, also for a new worker', async ({ served }) => {
  const { client, asked, again } = await served([refusal(3600)]);
  for (const nth of [1, 2, 3]) {
    const sent = (nth < 3 ? client : again()).send(list());
    await expect(sent).rejects.toThrow(/rate limited: Retry-After: 3600 .*more than MAX_WAIT \(5 s\)/);
    await expect(sent).rejects.toThrow(Undecided);
  }
  expect(asked).toHaveLength(1);
});

test('READ_ONLY=1 sends no unsafe request', async ({ served }) => {
  const { client, asked } = await served([{}], { readOnly: true });
  for (const method of ['POST', 'PUT', 'PATCH', 'DELETE'])
    await expect(client.send(list({ method }))).rejects.toThrow(`READ_ONLY=1: ${method} /pets is not sent`);
  await client.send(list());
  await client.send(list({ method: 'HEAD' }));
  expect(asked.map(({ method }) => method)).toEqual(['GET', 'HEAD']);
});

/** A server that closes at the third request. */
function makeVanishing(): Server {
  let count = 0;
  const server = createServer((_request, response) => {
    count += 1;
    if (count !== 3) return void response.end('[]');
    server.close();
    server.closeAllConnections();
  });
  return server;
}

const STOPPED = 'the target stopped answering at exchange 3';

test('nothing more is sent once the target stopped answering', async ({ running, closing }) => {
  const { client } = running(`http://${closing(await listen(makeVanishing)).host}`);
  for (const call of [list(), list(), addition()]) await client.send(call);
  const asked = Array.from({ length: 8 }, () => client.send(list()).catch((error: Error) => error));
  const errors = (await Promise.all(asked)) as Error[];
  expect(new Set(errors.map(({ message }) => message))).toEqual(new Set([STOPPED]));
  expect(client.log.all().at(2)).toMatchObject({ number: 3, failure: { kind: 'closed' } });
  // Those that were sent together, and two more of one of them.
  expect(client.log.all()).toHaveLength(3 + 8 + 2);
  await expect(client.send(addition())).rejects.toThrow(STOPPED);
  expect(client.log.all()).toHaveLength(13);
});

test('a GET that ends the target is the last request before it, though it is sent twice', async ({
  running,
  closing,
}) => {
  const { client } = running(`http://${closing(await listen(makeVanishing)).host}`);
  for (let i = 0; i < 2; i += 1) await client.send(list());
  expect(await client.send(list())).toMatchObject({ number: 3, failure: { kind: 'closed' } });
  await expect(client.send(list())).rejects.toThrow(STOPPED);
});

test('an operation that hangs twice gets no more requests, another one does', async ({ served }) => {
  const { client, asked, again } = await served(({ path }) => (path.endsWith('/pets') ? 'hang' : {}));
  // As after a timeout in an earlier worker: the next timeout is shorter.
  client.log.add(exchange({ number: 0, failure: TIMEOUT }));
  const fresh = again();
  expect((await fresh.send(list())).failure).toMatchObject({ kind: 'timeout', message: 'no answer within 3 s' });
  await expect(fresh.send(list())).rejects.toThrow(/2 requests in a row to GET \/pets timed out/);
  expect((await fresh.send(list({ target: '/x' }))).response).toBeDefined();
  expect(asked).toHaveLength(2);
});

test('each key has a separate budget', ({ running }) => {
  const { client, again } = running('http://127.0.0.1:1/v1');
  const credentials = ['key', 'lower-case scheme', 'throttle', 'none', 'unknown'] as const;
  expect(credentials.map((as) => client.bucketOf(as)).join()).toBe('key,key,throttle,other,other');
  expect(again({ throttleApiKey: KEY }).bucketOf('throttle')).toBe('key');
});

const REFUSED = { kind: 'unreachable', message: 'ECONNREFUSED' } as const;
const CLOSED = { kind: 'closed', message: 'the connection was closed without an answer' } as const;

/** `a` answered, `c` closed, `r` refused. It stopped only if it had answered, and a connection that is closed is not an answer. */
const OUTAGES: Record<string, string> = {
  ...{ aaa: '', aaca: '', rrr: '', crr: '', aacrrr: '3: 4 gone', aarrr: '2: 3 gone', aacrra: '3: 4 6' },
  ...{ aacracra: '3: 4 5; 6: 7 8', aacrcra: '3: 4 7' },
};
test('an outage begins with an answer, and ends with one', () => {
  for (const [letters, expected] of Object.entries(OUTAGES)) {
    const failures = [...letters].map((letter) => ({ c: CLOSED, r: REFUSED })[letter]);
    const outages = findOutages(failures.map((failure, i) => exchange({ number: i + 1, failure })));
    const shown = outages.map(({ last, first, back }) => `${last.number}: ${first.number} ${back?.number ?? 'gone'}`);
    expect(shown.join('; '), letters).toBe(expected);
  }
});

test('what is not HTTP is not an answer, and why is shown', async ({ running, closing }) => {
  const answers = [
    ['220 mail.example ESMTP\r\n', 'the answer is not HTTP (Expected HTTP/, RTSP/ or ICE/)'],
    ['HTTP/1.1 x OK\r\n\r\n', 'the answer is not HTTP (Invalid status code)'],
    ...['099', '100', '101'].map(
      (at) => [`HTTP/1.1 ${at} x\r\n\r\n`, 'a status of 101 or less came, which was not asked for'] as const,
    ),
    ['\0\0\x06\x04\0\0\0\0\0\0\x03\0\0\0\x80', 'the answer is not HTTP (Expected HTTP/, RTSP/ or ICE/)'],
  ] as const;
  for (const [text, message] of answers) {
    const answer = (socket: Socket) => void socket.once('data', () => socket.end(text));
    const { host } = closing(await listen(() => createTcpServer(answer)));
    const { client } = running(`http://${host}/v1`);
    expect((await client.send(addition())).failure).toMatchObject({ kind: 'not HTTP', message });
  }
});
