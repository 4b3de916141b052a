/** What a connection does is not the service's answer: idle timeouts, TLS and other protocols. */
import { createServer as createHttp, type RequestListener } from 'node:http';
import { createSecureServer, createServer as createH2c } from 'node:http2';
import { createServer as createHttps } from 'node:https';
import { type AddressInfo, createServer as createTcp, type Server, type Socket } from 'node:net';
import { expect } from '@playwright/test';
import type { Call } from '../../../fixtures/target/http/client.ts';
import type { Exchange, Failure } from '../../../fixtures/target/http/exchange.ts';
import { CERTIFICATE, PRIVATE_KEY } from '../preflight/self-signed.ts';
import { test } from './make.ts';
import { onRun } from './serve.ts';

const list: Call = {
  chapter: 'before',
  method: 'GET',
  target: '/pets',
};
const addition: Call = { ...list, method: 'POST', body: '{}' };

async function listening(server: Server, scheme: string, act: (baseUrl: string) => Promise<void>): Promise<void> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => sockets.add(socket));
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  try {
    await act(`${scheme}://127.0.0.1:${(server.address() as AddressInfo).port}/v1`);
  } finally {
    for (const socket of sockets) socket.destroy();
    server.close();
  }
}

const answerWith = (status: number): string =>
  `HTTP/1.1 ${status} x\r\nContent-Type: application/json\r\nContent-Length: 2\r\n${status === 200 ? '' : 'Connection: close\r\n'}\r\n[]`;

interface Idle {
  /** The status of the nth request of the nth connection, both from 1. */
  status: (request: number, connection: number) => number;
  /** Written once the connection was idle for a few milliseconds. */
  unasked?: number;
}

/** Sends calls with a pause between them. @returns the last exchange, and the requests on each connection. */
async function send(
  { status, unasked }: Idle,
  ...calls: Call[]
): Promise<{ last?: Exchange | undefined; requests: number[] }> {
  const requests: number[] = [];
  let last: Exchange | undefined;
  const server = createTcp((socket) => {
    const connection = requests.push(0);
    socket.on('error', () => {});
    socket.on('data', () => {
      const request = (requests[connection - 1] ?? 0) + 1;
      requests[connection - 1] = request;
      socket.write(answerWith(status(request, connection)));
      if (unasked !== undefined) setTimeout(() => socket.end(answerWith(unasked)), 4);
    });
  });
  await listening(server, 'http', (baseUrl) =>
    onRun(baseUrl, async ({ client }) => {
      for (const call of calls) {
        last = await client.send(call);
        await new Promise((done) => setTimeout(done, 30));
      }
      expect(client.log.all()).toHaveLength(calls.length);
    }),
  );
  return { last, requests };
}

/** A 408 may answer an idle connection, so what counts is that of a new one (RFC 9110, section 15.5.9). */
for (const [title, status, calls, last, requests] of [
  ['is repeated on a new connection', (request: number) => (request === 1 ? 200 : 408), [list, list], 200, [2, 1]],
  ['is judged if it comes again', () => 408, [list], 408, [1, 1]],
  ['is judged for an addition, whose connection is new', () => 408, [addition], 408, [1]],
] as const)
  test(`a 408 ${title}`, async () => {
    const sent = await send({ status }, ...calls);
    expect([sent.last?.response?.status, sent.requests]).toEqual([last, requests]);
  });

for (const unasked of [201, 400, 408, 503])
  test(`a ${unasked} before its request is not an answer (RFC 9112, section 9.2)`, async () => {
    const { last, requests } = await send({ status: () => 200, unasked }, list, list);
    expect(last?.response?.status).toBe(200);
    expect(requests).toEqual([1, 1]);
  });

test.describe('a server that wants something else', () => {
  const ok: RequestListener = (_, response) => response.end('[]');
  const secure = { cert: CERTIFICATE, key: PRIVATE_KEY };
  const asking = { ...secure, requestCert: true, rejectUnauthorized: true };
  const cases: { title: string; server: () => unknown; scheme?: string; failure: Partial<Failure> }[] = [
    {
      title: 'a client certificate, by TLS 1.2',
      server: () => createHttps({ ...asking, maxVersion: 'TLSv1.2' }, ok),
      failure: { kind: 'unreachable', why: 'client certificate' },
    },
    {
      title: 'another cipher',
      server: () => createHttps({ ...secure, maxVersion: 'TLSv1.2', ciphers: 'AES128-SHA' }, ok),
      failure: { kind: 'unreachable', why: 'TLS' },
    },
    {
      title: 'HTTP/2, by ALPN',
      server: () => createSecureServer(secure),
      failure: { kind: 'unreachable', why: 'HTTP/2' },
    },
    {
      title: 'HTTP/2, in plain text',
      server: () => createH2c(),
      scheme: 'http',
      failure: { kind: 'not HTTP', why: 'HTTP/2' },
    },
    { title: 'plain HTTP', server: () => createHttp(ok), failure: { kind: 'unreachable', why: 'no TLS' } },
    {
      title: 'a certificate that is trusted',
      server: () => createHttps(secure, ok),
      failure: { why: 'untrusted certificate' },
    },
  ];
  for (const { title, server, scheme = 'https', failure } of cases)
    test(title, () =>
      listening(server() as Server, scheme, (baseUrl) =>
        onRun(baseUrl, async ({ client }) => {
          await client.send(list).catch(() => {});
          const [exchange] = client.log.all();
          expect(exchange?.failure).toMatchObject(failure);
          expect(exchange?.failure?.message).not.toMatch(/\n|openssl/);
        }),
      ),
    );
});
