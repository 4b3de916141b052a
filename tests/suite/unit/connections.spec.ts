/** What a connection does is not the service's answer. The preflight's tests have TLS and other protocols. */
import { createServer } from 'node:net';
import type { Call } from '../../../fixtures/target/http/client.ts';
import type { Exchange } from '../../../fixtures/target/http/exchange.ts';
import { listen } from '../preflight/servers.ts';
import { expect, test } from './make.ts';
import { onRun } from './serve.ts';

const list: Call = { chapter: 'before', method: 'GET', target: '/pets' };
const addition: Call = { ...list, method: 'POST', body: '{}' };

const answerWith = (status: number): string =>
  `HTTP/1.1 ${status} x\r\nContent-Type: application/json\r\nContent-Length: 2\r\n${status === 200 ? '' : 'Connection: close\r\n'}\r\n[]`;

/**
 * Sends calls with a pause between them. @param statusOf the nth request of a connection, from 1. @param unasked the status of
 * an answer that is written once the connection was idle. @returns the last exchange, and the requests on each connection.
 */
async function send(statusOf: (request: number) => number, calls: readonly Call[], unasked?: number) {
  const requests: number[] = [];
  let last: Exchange | undefined;
  const { host, close } = await listen(() =>
    createServer((socket) => {
      const connection = requests.push(0) - 1;
      socket.on('data', () => {
        const request = (requests[connection] ?? 0) + 1;
        requests[connection] = request;
        socket.write(answerWith(statusOf(request)));
        if (unasked !== undefined) setTimeout(() => socket.end(answerWith(unasked)), 4);
      });
    }),
  );
  await onRun(`http://${host}/v1`, async ({ client }) => {
    for (const call of calls) {
      last = await client.send(call);
      await new Promise((done) => setTimeout(done, 30));
    }
    expect(client.log.all()).toHaveLength(calls.length);
  }).finally(close);
  return [last?.response?.status, requests];
}

/** A 408 may answer an idle connection, so what counts is that of a new one (RFC 9110, section 15.5.9). */
for (const [title, statusOf, calls, last, requests] of [
  ['is repeated on a new connection', (request: number) => (request === 1 ? 200 : 408), [list, list], 200, [2, 1]],
  ['is judged if it comes again', () => 408, [list], 408, [1, 1]],
  ['is judged for an addition, whose connection is new', () => 408, [addition], 408, [1]],
] as const)
  test(`a 408 ${title}`, async () => expect(await send(statusOf, calls)).toEqual([last, requests]));

for (const unasked of [201, 400, 408, 503])
  test(`a ${unasked} before its request is not an answer (RFC 9112, section 9.2)`, async () =>
    expect(await send(() => 200, [list, list], unasked)).toEqual([200, [1, 1]]));

test('what is not HTTP is not an answer, and why is shown', async () => {
  const answers = [
    ['220 mail.example ESMTP\r\n', 'the answer is not HTTP (Expected HTTP/, RTSP/ or ICE/)'],
    ['HTTP/1.1 x OK\r\n\r\n', 'the answer is not HTTP (Invalid status code)'],
    ['HTTP/1.1 099 x\r\n\r\n', 'the answer is not HTTP: its status is below 100, or 101 without an upgrade'],
    ['\0\0\x06\x04\0\0\0\0\0\0\x03\0\0\0\x80', 'the answer is an HTTP/2 frame'],
  ] as const;
  for (const [text, message] of answers) {
    const { host, close } = await listen(() =>
      createServer((socket) => void socket.once('data', () => socket.end(text))),
    );
    await onRun(`http://${host}/v1`, async ({ client }) => {
      expect((await client.send(addition)).failure).toMatchObject({ kind: 'not HTTP', message });
    }).finally(close);
  }
});
