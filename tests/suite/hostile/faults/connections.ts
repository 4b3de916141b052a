/** Faults of connections, of framing and of status lines. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Which } from '../fault.ts';
import { answering, drip, faultsOf, headOf, onLists, onOrders, waits, when, withHeaders, written } from '../fault.ts';
import { type Answer, type Asked, type Handle, ODD_KEY } from '../../gate/serve.ts';

/** Resets the connection before the service gets the request. */
const reset: Handle = ({ socket }) => void socket.resetAndDestroy();
const unanswered: Handle = () => {};

/** As a port that is forwarded, while the service behind it restarts. */
const resetFrom = (nth: number, ms: number): Handle => {
  let end: number | undefined;
  return when(({ count }) => count >= nth && Date.now() < (end ??= Date.now() + ms), reset);
};

const sized = ({ body }: Answer, head: string, more = 0): string =>
  `${head}Content-Length: ${body.length + more}\r\n\r\n${body.toString()}`;

/** The length is that of ten bytes more. */
const cutAnswer = (which?: Which, ms?: number): Handle =>
  answering(async (answer, { socket }) => {
    socket.write(sized(answer, headOf(answer), 10));
    if (ms === undefined) return;
    await sleep(ms);
    socket.resetAndDestroy();
  }, which);

const isStoredAndReset = ({ count, method }: Asked): boolean => count % 4 === 0 && method === 'POST';
const storedAndReset = answering((_answer, { socket }) => void socket.resetAndDestroy(), isStoredAndReset);

function* forEver(head: string): Iterable<string> {
  yield `${head}Transfer-Encoding: chunked\r\n\r\n1\r\n[\r\n`;
  for (;;) yield '1\r\n \r\n';
}

const closingWhenIdle = answering((answer, { socket }) => {
  setTimeout(() => socket.end(), 2);
  return withHeaders(answer, { Connection: 'keep-alive', 'Keep-Alive': 'timeout=60' });
});

/** Writes the answer with its head changed. */
const headed = (change: (head: string) => string, which?: Which): Handle =>
  written((answer, head) => sized(answer, change(head)), which);

const UNREQUESTED = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n[]';
const HINTS = 'HTTP/1.1 103 Early Hints\r\nLink: </x>; rel=preload\r\n\r\n';

/** An addition that ends the process of the target. */
const isNull = ({ method, bytes, hasKey }: Asked): boolean => hasKey && method === 'POST' && String(bytes) === 'null';
const isHead = ({ method }: Asked): boolean => method === 'HEAD';

/** A run that soon gives up. */
const FEW = { requests: 8 };
const NONE = 'closed without an answer';

export const connections = [
  ...faultsOf('connection', {
    'closed after each response, where headers announce keep-alive': [[], closingWhenIdle],
    'a 103 with hints comes before every answer': [[], headed((head) => HINTS + head)],
    'every connection is reset before the response': [NONE, reset, FEW],
    'reset for 0.7 s, from the 90th request on': [[], resetFrom(90, 700)],
    'reset in every body': ['closed in the body of an answer with status 200', cutAnswer(undefined, 5), FEW],
    'every third is reset': [NONE, when(({ count }) => count % 3 === 0, reset), { requests: 170 }],
    'every fourth request, an addition, is stored, and its connection reset': [NONE, storedAndReset],
    'never an answer': ['gives no answer that can be judged: no answer within', unanswered, waits(25, 4)],
    'GET /pets/{petId} is never answered': [
      'timed out: no more are sent',
      when(({ method, path }) => method === 'GET' && path.startsWith('/v1/pets/'), unanswered),
      waits(45),
    ],
    'the body of GET /store/orders never ends': ['whose body did not end', cutAnswer(onOrders), waits(45)],
    'every 17th is never answered': ['no answer within', when(({ count }) => count % 17 === 0, unanswered), waits(60)],
    'every list sends a byte a tenth of a second, for ever': [
      'did not end within',
      answering((answer, asked) => drip(asked, forEver(headOf(answer)), 100), onLists),
      waits(60),
    ],
    'a body of null ends it for half a second': [
      'The target stopped answering and came back, as if it had restarted: POST /pets with the valid key, body',
      { restart: { at: isNull, ms: 500 } },
    ],
    'a body of null ends it': [
      'The target stopped answering: POST /pets with the valid key, body',
      { restart: { at: isNull, ms: 60_000 }, requests: 70 },
    ],
    'large headers': ['headers', headed((head) => `${head}X-Padding: ${'x'.repeat(65_536)}\r\n`), FEW],
  }),
  ...faultsOf('framing', {
    'an unrequested response follows every response on its connection': [
      [],
      answering((answer, { socket }) => void socket.write(sized(answer, headOf(answer)) + UNREQUESTED)),
      { requests: 250 },
    ],
    'HTTP/1.0, without a reason phrase': [
      [],
      written(({ body }, head) => `${head.replace('1.1', '1.0').replace(' OK', '')}\r\n${body.toString()}`),
    ],
    'the reason has 8 kB and the key': [[], headed((head) => head.replace(' OK', ` ${ODD_KEY} ${'x'.repeat(8192)}`))],
    'HEAD is answered with a body': [
      [],
      answering((answer, { socket }) => void socket.write(`${headOf(answer)}Content-Length: 2\r\n\r\n[]`), isHead),
    ],
    'Content-Length and Transfer-Encoding come together': [
      'is not HTTP',
      headed((head) => `${head}Transfer-Encoding: chunked\r\n`),
      FEW,
    ],
    'GET /store/orders is answered 204, with bytes after it': [
      'the body of an answer with status 204',
      headed((head) => head.replace(' 200 OK', ' 204 No Content'), onOrders),
      { requests: 150 },
    ],
    'lists are cut': [['service.json', 'list.succeeds'], written((answer, head) => sized(answer, head, -1), onLists)],
    'lists are answered 999': [
      ['service.no-undocumented-status', 'list.succeeds'],
      answering(() => ({ status: 999 }), onLists),
      { also: ['list.limit.caps', 'list.limit.minimum', 'list.limit.maximum', 'list.status.only'] },
    ],
  }),
];
