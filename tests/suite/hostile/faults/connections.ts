/** Faults of connections, of framing and of status lines. */
import { setTimeout as sleep } from 'node:timers/promises';
import {
  answering,
  both,
  drip,
  every,
  type Fault,
  headOf,
  lawful,
  onGetById,
  onOrders,
  onServedLists,
  onTheWire,
  unjudged,
  violating,
  withHeaders,
  written,
} from '../fault.ts';
import { type Answer, type Asked, type Handle, KEY } from '../server.ts';

/** Resets the connection before the service gets the request. */
const resetting =
  (which: (count: number) => boolean): Handle =>
  ({ count, socket }, ask) => {
    if (!which(count)) return ask();
    socket.resetAndDestroy();
    return undefined;
  };

const resetAfterHeaders = onTheWire(async ({ socket }, answer) => {
  socket.write(sized(answer, headOf(answer), 10));
  await sleep(5);
  socket.resetAndDestroy();
});

const sized = ({ body }: Answer, head: string, more = 0): string =>
  `${head}Content-Length: ${body.length + more}\r\n\r\n${body.toString()}`;
const chunk = (body: Buffer): string => `${body.length.toString(16)}\r\n${body.toString()}\r\n`;
const inChunks = (head: string): string => `${head}Transfer-Encoding: chunked\r\n\r\n`;
const hasBody = (_asked: unknown, { body }: Answer): boolean => body.length > 0;

const line = (change: (line: string) => string): Handle =>
  written((answer, head) => sized(answer, head.replace(/^.*/, change)));

const inFivePieces = onTheWire(async (asked, answer) => {
  const all = Buffer.from(sized(answer, headOf(answer)), 'utf8');
  const size = Math.ceil(all.length / 5);
  const pieces = [0, 1, 2, 3, 4].map((i) => all.subarray(i * size, i === 4 ? undefined : (i + 1) * size));
  await drip(asked, pieces, 4);
});

function* forEver(head: string): Iterable<string> {
  yield `${inChunks(head)}1\r\n[\r\n`;
  for (;;) yield '1\r\n \r\n';
}

const closingWhenIdle: Handle = async ({ socket }, ask) => {
  const answer = await ask();
  setTimeout(() => socket.end(), 2);
  return withHeaders(answer, { Connection: 'keep-alive', 'Keep-Alive': 'timeout=60' });
};

/** An addition that ends the process of the target. */
const isNull = ({ method, body, hasKey }: Asked): boolean => hasKey && method === 'POST' && body === 'null';

/** A run that soon gives up. */
const FEW = { requests: 8 };
const IN_BODY = 'the connection was closed in the body';

export const connections: readonly Fault[] = [
  ...lawful('connection', {
    'headers announce keep-alive, and connections are closed after each response': closingWhenIdle,
    'every response comes in five pieces with 4 ms between them': inFivePieces,
    'a 103 with hints comes before every answer': written(
      (answer, head) => `HTTP/1.1 103 Early Hints\r\nLink: </x>; rel=preload\r\n\r\n${sized(answer, head)}`,
    ),
  }),
  ...unjudged('connection', {
    'every connection is reset before the response': ['closed without an answer', resetting(() => true), FEW],
    'reset in the body of every response': [
      'the connection was closed in the body of an answer with status 200',
      resetAfterHeaders,
      FEW,
    ],
    'every third is reset': ['closed without an answer', resetting((count) => count % 3 === 0), { requests: 170 }],
    'every fourth addition is stored, and its connection reset before the response': [
      'closed without an answer',
      onTheWire(
        ({ socket }) => socket.resetAndDestroy(),
        both(every(4), ({ method }) => method === 'POST'),
      ),
    ],
    'never an answer': ['accepts connections and does not answer', () => {}, { requests: 4, waits: true, seconds: 25 }],
    'GET /pets/{petId} is never answered': [
      'timed out: no more are sent',
      (asked, ask) => (onGetById(asked, {} as Answer) ? undefined : ask()),
      { waits: true, seconds: 45 },
    ],
    'the body of GET /store/orders never ends': [
      'whose body did not end',
      onTheWire(({ socket }, answer) => socket.write(sized(answer, headOf(answer), 10)), onOrders),
      { waits: true, seconds: 45 },
    ],
    'every 17th is never answered': [
      'no answer within',
      (asked, ask) => (asked.count % 17 === 0 ? undefined : ask()),
      { waits: true, seconds: 60 },
    ],
    'every list sends a byte a tenth of a second, for ever': [
      'did not end within',
      onTheWire((asked, answer) => drip(asked, forEver(headOf(answer)), 100), onServedLists),
      { waits: true, seconds: 60 },
    ],
    'a body of null ends it for half a second': [
      'The target stopped answering and came back, as if it had restarted: POST /pets with the valid key, body',
      { restart: { at: isNull, ms: 500 } },
    ],
    'a body of null ends it': [
      'The target stopped answering: POST /pets with the valid key, body',
      { restart: { at: isNull, ms: 60_000 }, requests: 70 },
    ],
    'large headers': [
      'headers',
      written((answer, head) => sized(answer, `${head}X-Padding: ${'x'.repeat(65_536)}\r\n`)),
      FEW,
    ],
    'a mail server answers': [
      'does not speak HTTP',
      { connection: (socket) => socket.on('error', () => {}).end('220 mail.example ESMTP\r\n') },
    ],
    'the connection is closed in the handshake of TLS': [
      'closed',
      {
        connection: (socket) => socket.on('error', () => {}).once('data', () => socket.destroy()),
        scheme: 'https',
      },
    ],
  }),
  ...lawful('framing', {
    'every byte of a body is its own chunk, with an extension and trailers': written(
      ({ body }, head) =>
        `${inChunks(head)}${[...body].map((byte) => `1;a="b"\r\n${String.fromCharCode(byte)}\r\n`).join('')}0\r\nX-Trailer: 1\r\n\r\n`,
      (_asked, { body }) => body.length > 0 && body.every((byte) => byte < 128),
    ),
    'bytes follow every response on its connection': [
      onTheWire(({ socket }, answer) => socket.write(`${sized(answer, headOf(answer))}\r\nGARBAGE`)),
      { requests: 250 },
    ],
    'an unrequested response follows every response on its connection': [
      onTheWire(({ socket }, answer) =>
        socket.write(`${sized(answer, headOf(answer))}HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n[]`),
      ),
      { requests: 250 },
    ],
    'HTTP/1.0': written(({ body }, head) => `${head.replace('1.1', '1.0')}\r\n${body.toString()}`),
    'HEAD is answered with a body': onTheWire(
      ({ socket }, answer) => socket.write(`${headOf(answer)}Content-Length: 2\r\n\r\n[]`),
      ({ method }) => method === 'HEAD',
    ),
  }),
  ...unjudged('framing', {
    'Content-Length is ten more': [IN_BODY, written((answer, head) => sized(answer, head, 10), hasBody), FEW],
    'two lengths': ['is not HTTP', written((answer, head) => sized(answer, `${head}Content-Length: 3\r\n`)), FEW],
    'Content-Length and Transfer-Encoding come together': [
      'is not HTTP',
      written(({ body }, head) => `${inChunks(`${head}Content-Length: 5\r\n`)}${chunk(body)}0\r\n\r\n`, hasBody),
      FEW,
    ],
    'no last chunk': [IN_BODY, written(({ body }, head) => `${inChunks(head)}${chunk(body)}`, hasBody), FEW],
    'GET /store/orders is answered 204, with bytes after it': [
      'the body of an answer with status 204',
      written(
        (answer, head) => sized(answer, head.replace(' 200 OK', ' 204 No Content')),
        both(onOrders, (_, { status }) => status === 200),
      ),
      { requests: 150 },
    ],
    'a folded header': ['is not HTTP', written((answer, head) => sized(answer, `${head}X-Folded: a\r\n b\r\n`)), FEW],
    'lines end with LF': ['is not HTTP', written((answer, head) => sized(answer, head).replaceAll('\r\n', '\n')), FEW],
  }),
  ...violating('framing', {
    'lists are cut': [
      ['service.json', 'list.succeeds'],
      written((answer, head) => sized(answer, head, -1), onServedLists),
    ],
  }),
  ...lawful('status line', {
    'HTTP/2.0': line((text) => text.replace('1.1', '2.0')),
    'the reason phrase is missing': written((answer, head) => sized(answer, head.replace(' OK', ''))),
    'the reason phrase has 8 kB and the key': written((answer, head) =>
      sized(answer, head.replace(' OK', ` ${KEY} ${'x'.repeat(8192)}`)),
    ),
  }),
  ...unjudged('status line', {
    'ICY 200 OK': ['is not HTTP', line((text) => text.replace('HTTP/1.1', 'ICY')), FEW],
  }),
  ...violating('status line', {
    'lists are answered 999': [
      ['service.no-undocumented-status', 'list.succeeds'],
      answering(() => ({ status: 999 }), onServedLists),
      { also: ['list.limit.caps', 'list.limit.minimum', 'list.limit.maximum', 'list.status.only'] },
    ],
  }),
];
