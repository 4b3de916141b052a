/** Faults of content codings, of sizes and of JSON. */
import { brotliCompressSync, constants, deflateRawSync, gzipSync } from 'node:zlib';
import {
  answering,
  bodies,
  both,
  type Fault,
  headOf,
  instead,
  lawful,
  onErrors,
  onOrders,
  onServedLists,
  unjudged,
  violating,
  withHeaders,
  withMember,
} from '../fault.ts';
import type { Handle } from '../server.ts';

const MB = 1024 * 1024;

const coded = (coding: string, change: (body: Buffer) => Buffer): Handle =>
  bodies(change, undefined, { 'Content-Encoding': coding });

const once = <T>(make: () => T): (() => T) => {
  let made: { value: T } | undefined;
  return () => (made ??= { value: make() }).value;
};
/** Lists with a body that is made at the first request. */
const lists = (make: () => Buffer | string, more: Record<string, string> = {}): Handle => {
  const body = once(() => Buffer.from(make()));
  return answering((answer) => ({ body: body(), headers: withHeaders(answer, more).headers }), onServedLists);
};
const orders = (make: () => string): Handle => {
  const body = once(() => Buffer.from(make()));
  return answering(
    () => ({ body: body() }),
    both(onOrders, (_, { status }) => status === 200),
  );
};
/** One for all answers: the growth is then that of the suite. */
const blank = once(() => Buffer.alloc(50 * MB, ' '));
const brotli = (bytes: Buffer): Buffer =>
  brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } });
/** A gigabyte in gzip, in members of 16 MB: one member would take longer than a client waits. */
const gigabyte = (): Buffer => Buffer.concat(Array<Buffer>(64).fill(gzipSync(Buffer.alloc(16 * MB))));

/** 100,000 animals for any limit; filters work. */
const stocked: NonNullable<Fault['service']> = (service) => {
  for (let i = 0; i < 100_000; i += 1) {
    const id = service.nextId();
    const status = (['available', 'pending', 'sold'] as const)[i % 3] ?? 'sold';
    service.pets.set(id, { id, name: `A${i}`, categoryId: 1n, status });
  }
  service.readLimit = () => Infinity;
};

/** The body of a list that never ends, and comes as fast as it is read. */
const endless: Handle = async ({ method, path, socket }, ask) => {
  const answer = await ask();
  if (method !== 'GET' || !path.startsWith('/v1/pets?') || answer.status !== 200) return answer;
  const piece = Buffer.alloc(64 * 1024, ' ');
  socket.write(`${headOf(answer)}\r\n[`);
  const more = (): void => {
    while (!socket.destroyed && socket.write(piece));
  };
  socket.on('drain', more);
  more();
  return undefined;
};

const nested = (depth: number): string => `${'['.repeat(depth)}${']'.repeat(depth)}`;
const onServed = (_asked: unknown, { status }: { status: number }): boolean => status < 300;
const LARGE = 'a body of more than 2 MB';

export const bodiesOfAnyKind: readonly Fault[] = [
  ...lawful('coding', {
    'Content-Encoding: gzip, gzip': coded('gzip, gzip', (body) => gzipSync(gzipSync(body))),
    'Content-Encoding: br, gzip': coded('br, gzip', (body) => gzipSync(brotli(body))),
    'Content-Encoding: X-GZIP': coded('X-GZIP', (body) => gzipSync(body)),
    'Content-Encoding: deflate, without the frame of zlib': coded('deflate', (body) => deflateRawSync(body)),
    'Content-Encoding: identity': coded('identity', (body) => body),
    'zero bytes follow the end of gzip': coded('gzip', (body) => Buffer.concat([gzipSync(body), Buffer.alloc(8)])),
    'charset=iso-8859-1, but the bytes are UTF-8': bodies((body) => body, undefined, {
      'Content-Type': 'application/json; charset=iso-8859-1',
    }),
  }),
  ...unjudged('coding', {
    'an unknown content coding': ['the content coding sdch, which was not requested', coded('sdch', (body) => body)],
    'gzip is cut short': [
      'a body that is not gzip, which its Content-Encoding announces',
      coded('gzip', (body) => gzipSync(body).subarray(0, -9)),
    ],
    'a gzip bomb: 1 GB in 4 kB': [LARGE, lists(() => gzipSync(gigabyte()), { 'Content-Encoding': 'gzip, gzip' })],
    // A gigabyte takes longer to compress, on a busy machine, than a client waits.
    'a Brotli bomb: 256 MB': [LARGE, lists(() => brotli(Buffer.alloc(256 * MB)), { 'Content-Encoding': 'br' })],
  }),
  ...violating('coding', {
    'a note in lists is written in ISO 8859-1': [
      ['service.json'],
      bodies(
        (body) => Buffer.from(body.toString('latin1').replaceAll(/\{(?=")/g, '{"note":"caf\u00e9",'), 'latin1'),
        onServedLists,
      ),
    ],
    'every body is written in UTF-16, with charset=utf-16': [
      ['service.json', 'list.succeeds'],
      bodies((body) => Buffer.from(body.toString(), 'utf16le'), undefined, {
        'Content-Type': 'application/json; charset=utf-16',
      }),
    ],
    'a byte order mark': [['service.json'], bodies((body) => Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), body]))],
  }),
  ...lawful('size', { 'orders have 1 MB, in one text': orders(() => `["${'x'.repeat(MB)}"]`) }),
  ...unjudged('size', {
    'every answer has 50 MB, in chunks': [LARGE, (asked, ask) => answering(() => ({ body: blank() }))(asked, ask)],
    'the body of a list never ends, and comes as fast as it is read': [LARGE, endless],
    'the message of every Error has 7 MB': [
      'a body of more than',
      {
        service: (service) => {
          service.presentError = ({ status, code }) => ({ code, message: 'x'.repeat(7 * MB), status });
        },
        seconds: 60,
      },
    ],
  }),
  ...violating('size', {
    'the limit is ignored, on a store of 100,000 animals': [
      ['list.limit.caps'],
      {
        service: stocked,
        also: ['list.limit.never-above-maximum', 'list.limit.default', 'list.status.before-limit'],
        seconds: 90,
      },
    ],
    'lists are a million zeros': [
      ['pets.schema', 'list.limit.caps'],
      lists(() => `[${'0,'.repeat(999_999)}0]`),
      {
        also: ['list.succeeds', 'list.limit.default', 'list.limit.never-above-maximum', 'list.status.only'],
        seconds: 60,
      },
    ],
  }),
  ...lawful('json', {
    'every animal is nested 2,000 deep': [withMember(`"detail":${nested(2000)}`, onServed), { seconds: 60 }],
    'every object has one of its names twice, with one value': withMember('"x":1,"x":1'),
    'every object has members named __proto__, constructor, toString, length and then': withMember(
      '"__proto__":{"id":7,"status":"x"},"constructor":1,"toString":2,"length":3,"then":4,"hasOwnProperty":5',
    ),
    'every object has half a surrogate pair and a NUL, escaped': withMember('"note":"\\ud800 \\u0000 \\udc00"'),
    'odd and long numbers': withMember(`"big":1e400,"small":1e-400,"zero":-0,"long":${'9'.repeat(5000)}`),
    'orders are a number of a million digits': orders(() => '9'.repeat(1_000_000)),
  }),
  ...unjudged('json', {
    'orders are an array in an array, 100,000 deep': ['nested too deep', orders(() => nested(100_000))],
    'Errors are nested deep': ['nested too deep', withMember(`"detail":${nested(100_000)}`, onErrors), { seconds: 60 }],
  }),
  ...violating('json', {
    'every object has a member that is NaN': [['service.json', 'list.succeeds'], withMember('"ratio":NaN')],
    'garbage behind lists': [['service.json', 'list.succeeds'], bodies((body) => `${body.toString()};`, onServedLists)],
    'lists are answered 200 with no body': [['service.json', 'list.succeeds'], lists(() => '')],
    'arrays of Errors': [
      ['error.schema'],
      bodies((body) => `[${Array(10_000).fill(body.toString()).join(',')}]`, onErrors),
    ],
    'every answer is 200 with []': [
      ['auth.missing', 'auth.invalid', 'get.unknown', 'add.created'],
      instead(200, '[]'),
      { also: '*' },
    ],
  }),
];
