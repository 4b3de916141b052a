/** Faults of connections, of framing and of status lines. */
import { setTimeout as sleep } from 'node:timers/promises';
import {
  answering,
  both,
  drip,
  every,
  type Fault,
  headOf,
  onGetById,
  onOrders,
  onServedLists,
  onTheWire,
  spoiling,
  withHeaders,
  written,
} from '../fault.ts';
import type { Answer, Handle } from '../server.ts';

const hang: Handle = () => {};

/** Resets the connection before the service gets the request. */
const resetting =
  (which: (count: number) => boolean): Handle =>
  ({ count, socket }, ask) => {
    if (!which(count)) return ask();
    socket.resetAndDestroy();
    return undefined;
  };

const resetAfterHeaders = onTheWire(async ({ socket }, answer) => {
  socket.write(`${headOf(answer)}Content-Length: ${answer.body.length + 10}\r\n\r\n${answer.body.toString()}`);
  await sleep(5);
  socket.resetAndDestroy();
});

const sized = ({ body }: Answer, head: string, more = 0): string =>
  `${head}Content-Length: ${body.length + more}\r\n\r\n${body.toString()}`;
const chunk = (body: Buffer): string => `${body.length.toString(16)}\r\n${body.toString()}\r\n`;
const hasBody = (_asked: unknown, { body }: Answer): boolean => body.length > 0;

const line = (change: (line: string) => string): Handle =>
  written((answer, head) => sized(answer, head.replace(/^.*/, change)));

export const connections: readonly Fault[] = [
  ...spoiling('connection', {
    'reset-before-headers': {
      title: 'every connection is reset before the response',
      handle: resetting(() => true),
      verdict: 'cantTell',
      cause: 'closed without an answer',
      requests: 8,
    },
    'reset-after-headers': {
      title: 'every connection is reset in the body of the response',
      handle: resetAfterHeaders,
      verdict: 'cantTell',
      cause: 'the connection was closed in the body of an answer with status 200',
      requests: 8,
    },
    'every-third-reset': {
      title: 'every third request is reset before the service sees it',
      handle: resetting((count) => count % 3 === 0),
      verdict: 'cantTell',
      cause: 'closed without an answer',
      requests: 170,
    },
    'two-of-three-reset': {
      title: 'two requests of three are reset before the service sees them',
      handle: resetting((count) => count % 3 !== 0),
      verdict: 'cantTell',
      cause: 'closed without an answer',
      requests: 200,
    },
    'additions-reset-afterwards': {
      title: 'every fourth addition is stored, and its connection reset before the response',
      handle: onTheWire(
        ({ socket }) => socket.resetAndDestroy(),
        both(every(4), ({ method }) => method === 'POST'),
      ),
      verdict: 'cantTell',
      cause: 'closed without an answer',
    },
    'closed-when-idle': {
      title: 'headers announce keep-alive, and connections are closed after each response',
      handle: async ({ socket }, ask) => {
        const answer = await ask();
        setTimeout(() => socket.end(), 2);
        return withHeaders(answer, { Connection: 'keep-alive', 'Keep-Alive': 'timeout=60' });
      },
      verdict: 'conforms',
    },
    'never-answers': {
      title: 'connections are accepted, and no request is ever answered',
      handle: hang,
      verdict: 'cantTell',
      cause: 'accepts connections and does not answer',
      requests: 4,
      waits: true,
      seconds: 25,
    },
    'one-operation-stalls': {
      title: 'GET /pets/{petId} is never answered',
      handle: (asked, ask) => (onGetById(asked, {} as Answer) ? undefined : ask()),
      verdict: 'cantTell',
      cause: 'timed out: no more are sent',
      waits: true,
      seconds: 45,
    },
    'one-operation-stalls-in-its-body': {
      title: 'the body of GET /store/orders never ends',
      handle: onTheWire(({ socket }, answer) => socket.write(sized(answer, headOf(answer), 10)), onOrders),
      verdict: 'cantTell',
      cause: 'whose body did not end',
      waits: true,
      seconds: 45,
    },
    'stalls-now-and-then': {
      title: 'every 17th request is never answered',
      handle: (asked, ask) => (asked.count % 17 === 0 ? undefined : ask()),
      verdict: 'cantTell',
      cause: 'no answer within',
      waits: true,
      seconds: 60,
    },
    'slow-drip': {
      title: 'every response comes in five pieces with 4 ms between them',
      handle: onTheWire(async (asked, answer) => {
        const all = sized(answer, headOf(answer));
        const size = Math.ceil(all.length / 5);
        await drip(
          asked,
          Array.from({ length: 5 }, (_, i) =>
            Buffer.from(all, 'utf8').subarray(i * size, i === 4 ? undefined : (i + 1) * size),
          ),
          4,
        );
      }),
      verdict: 'conforms',
    },
    'endless-drip': {
      title: 'every list sends a byte a tenth of a second, for ever',
      handle: onTheWire(
        (asked, answer) =>
          drip(
            asked,
            (function* () {
              yield `${headOf(answer)}Transfer-Encoding: chunked\r\n\r\n1\r\n[\r\n`;
              for (;;) yield '1\r\n \r\n';
            })(),
            100,
          ),
        onServedLists,
      ),
      verdict: 'cantTell',
      cause: 'did not end within',
      waits: true,
      seconds: 60,
    },
    'restart-in-mid-run': {
      title: 'the service restarts in mid-run, keeps its store, and refuses connections for half a second',
      restart: { at: ({ count }) => count === 40, ms: 500 },
      verdict: 'cantTell',
      cause: 'stopped answering and came back',
    },
    'gone-in-mid-run': {
      title: 'the service ends in mid-run',
      restart: { at: ({ count }) => count === 40, ms: 60_000 },
      verdict: 'cantTell',
      cause: 'The target stopped answering: ',
    },
    'early-hints': {
      title: 'a 103 with hints comes before every answer',
      handle: written(
        (answer, head) => `HTTP/1.1 103 Early Hints\r\nLink: </x>; rel=preload\r\n\r\n${sized(answer, head)}`,
      ),
      verdict: 'conforms',
    },
    'headers-of-64-kB': {
      title: 'every answer has 64 kB of headers',
      handle: written((answer, head) => sized(answer, `${head}X-Padding: ${'x'.repeat(65_536)}\r\n`)),
      verdict: 'cantTell',
      cause: 'headers',
      requests: 8,
    },
    'mail-server': {
      title: 'the port belongs to a mail server',
      connection: (socket) => socket.on('error', () => {}).end('220 mail.example ESMTP\r\n'),
      verdict: 'cantTell',
      cause: 'does not speak HTTP',
    },
    'tls-of-its-own': {
      title: 'TLS, with a self-signed certificate',
      tls: true,
      verdict: 'cantTell',
      cause: 'TLS fails',
      requests: 0,
    },
    'tls-handshake-broken': {
      title: 'the connection is closed in the handshake of TLS',
      connection: (socket) => socket.on('error', () => {}).once('data', () => socket.destroy()),
      scheme: 'https',
      verdict: 'cantTell',
      cause: 'closed',
    },
    'plain-where-tls-is-due': {
      title: 'plain HTTP, at an https address',
      connection: (socket) =>
        socket.on('error', () => {}).once('data', () => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')),
      scheme: 'https',
      verdict: 'cantTell',
      cause: 'TLS fails',
    },
  }),
  ...spoiling('framing', {
    'length-too-large': {
      title: 'Content-Length is ten more than the bytes sent, and the connection is closed',
      handle: written((answer, head) => sized(answer, head, 10), hasBody),
      verdict: 'cantTell',
      cause: 'the connection was closed in the body',
      requests: 8,
    },
    'length-too-small': {
      title: 'Content-Length cuts one byte off every list',
      handle: written((answer, head) => sized(answer, head, -1), onServedLists),
      verdict: 'violates',
      breaks: ['service.json', 'list.succeeds'],
    },
    'two-lengths': {
      title: 'two Content-Length headers differ',
      handle: written((answer, head) =>
        `Content-Length: 3\r\n${sized(answer, head)}`.replace(/^(.*\r\n)(.*\r\n)/, '$2$1'),
      ),
      verdict: 'cantTell',
      cause: 'is not HTTP',
      requests: 8,
    },
    'negative-length': {
      title: 'Content-Length is negative',
      handle: written(({ body }, head) => `${head}Content-Length: -1\r\n\r\n${body.toString()}`),
      verdict: 'cantTell',
      cause: 'is not HTTP',
      requests: 8,
    },
    'length-and-chunks': {
      title: 'Content-Length and Transfer-Encoding come together',
      handle: written(
        ({ body }, head) => `${head}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n${chunk(body)}0\r\n\r\n`,
        hasBody,
      ),
      verdict: 'cantTell',
      cause: 'is not HTTP',
      requests: 8,
    },
    'chunk-size-no-number': {
      title: 'the size of a chunk is not a number',
      handle: written(({ body }, head) => `${head}Transfer-Encoding: chunked\r\n\r\n${chunk(body)}zz\r\n\r\n`, hasBody),
      verdict: 'cantTell',
      cause: 'the connection was closed in the body',
      requests: 8,
    },
    'last-chunk-missing': {
      title: 'the last chunk never comes, and the connection is closed',
      handle: written(({ body }, head) => `${head}Transfer-Encoding: chunked\r\n\r\n${chunk(body)}`, hasBody),
      verdict: 'cantTell',
      cause: 'the connection was closed in the body',
      requests: 8,
    },
    'chunks-of-one-byte': {
      title: 'every byte of a body is its own chunk, with an extension and trailers',
      handle: written(
        ({ body }, head) =>
          `${head}Transfer-Encoding: chunked\r\n\r\n${[...body].map((byte) => `1;a="b"\r\n${String.fromCharCode(byte)}\r\n`).join('')}0\r\nX-Trailer: 1\r\n\r\n`,
        (_asked, { body }) => body.length > 0 && body.every((byte) => byte < 128),
      ),
      verdict: 'conforms',
    },
    'bytes-behind-the-answer': {
      title: 'bytes follow every response on its connection',
      handle: onTheWire(({ socket }, answer) => socket.write(`${sized(answer, headOf(answer))}\r\nGARBAGE`)),
      verdict: 'conforms',
      requests: 250,
    },
    'a-second-answer': {
      title: 'an unrequested response follows every response on its connection',
      handle: onTheWire(({ socket }, answer) =>
        socket.write(`${sized(answer, headOf(answer))}HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n[]`),
      ),
      verdict: 'conforms',
      requests: 250,
    },
    '204-with-a-body': {
      title: 'GET /store/orders is answered 204, with bytes after it',
      handle: written(
        (answer, head) => sized(answer, head.replace(' 200 OK', ' 204 No Content')),
        both(onOrders, (_, { status }) => status === 200),
      ),
      verdict: 'cantTell',
      cause: 'the body of an answer with status 204',
      requests: 150,
    },
    'until-the-end-of-the-connection': {
      title: 'HTTP/1.0: bodies end with the connection',
      handle: written(({ body }, head) => `${head.replace('1.1', '1.0')}\r\n${body.toString()}`),
      verdict: 'conforms',
    },
    'head-with-a-body': {
      title: 'HEAD is answered with a body',
      handle: onTheWire(
        ({ socket }, answer) => socket.write(`${headOf(answer)}Content-Length: 2\r\n\r\n[]`),
        ({ method }) => method === 'HEAD',
      ),
      verdict: 'conforms',
    },
    'folded-header': {
      title: 'a header is folded over two lines',
      handle: written((answer, head) => sized(answer, `${head}X-Folded: a\r\n b\r\n`)),
      verdict: 'cantTell',
      cause: 'is not HTTP',
      requests: 8,
    },
    'bare-line-feeds': {
      title: 'lines end with LF only',
      handle: written((answer, head) => sized(answer, head).replaceAll('\r\n', '\n')),
      verdict: 'cantTell',
      cause: 'is not HTTP',
      requests: 8,
    },
  }),
  ...spoiling('status line', {
    'http-2': {
      title: 'HTTP/2.0 in the status line',
      handle: line((text) => text.replace('1.1', '2.0')),
      verdict: 'conforms',
    },
    icy: {
      title: 'ICY 200 OK',
      handle: line((text) => text.replace('HTTP/1.1', 'ICY')),
      verdict: 'cantTell',
      cause: 'is not HTTP',
      requests: 8,
    },
    'four-digits': {
      title: 'a status of four digits',
      handle: line((text) => text.replace(/ (\d+) /, ' $10 ')),
      verdict: 'cantTell',
      cause: 'is not HTTP',
      requests: 8,
    },
    'status-999': {
      title: 'lists are answered 999',
      handle: answering(() => ({ status: 999 }), onServedLists),
      verdict: 'violates',
      breaks: ['service.no-undocumented-status', 'list.succeeds'],
      also: ['list.limit.caps', 'list.limit.minimum', 'list.limit.maximum', 'list.status.only'],
    },
    'no-reason': {
      title: 'the reason phrase is missing',
      handle: written((answer, head) => sized(answer, head.replace(' OK', ''))),
      verdict: 'conforms',
    },
    'reason-of-8-kB': {
      title: 'the reason phrase has 8 kB, and the key in it',
      handle: written((answer, head) =>
        sized(answer, head.replace(' OK', ` sEcr3t+key/7%&"q=9f2c ${'x'.repeat(8192)}`)),
      ),
      verdict: 'conforms',
    },
  }),
];
