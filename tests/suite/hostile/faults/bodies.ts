/** Faults of content codings, of sizes and of JSON. */
import { brotliCompressSync, constants, deflateRawSync, gzipSync } from 'node:zlib';
import {
  answering,
  bodies,
  both,
  type Fault,
  headOf,
  instead,
  onErrors,
  onOrders,
  onServedLists,
  spoiling,
  withHeaders,
  withMember,
} from '../fault.ts';
import type { Handle } from '../server.ts';

const MB = 1024 * 1024;
const coded = (coding: string, change: (body: Buffer) => Buffer): Handle =>
  bodies(change, undefined, { 'Content-Encoding': coding });

/** A frame of zstd with one block that is not compressed (RFC 8878): Node 20 reads none, and makes none. */
function zstd(body: Buffer): Buffer {
  const head = Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0xa0, 0, 0, 0, 0, 0, 0, 0]);
  head.writeUInt32LE(body.length, 5);
  head.writeUIntLE((body.length << 3) | 1, 9, 3);
  return Buffer.concat([head, body]);
}

const lists = (body: Buffer | string, more: Record<string, string> = {}): Handle =>
  answering((answer) => ({ body: Buffer.from(body), headers: withHeaders(answer, more).headers }), onServedLists);

const once = <T>(make: () => T): (() => T) => {
  let made: { value: T } | undefined;
  return () => (made ??= { value: make() }).value;
};
/** As `lists`, for large bytes, made at the first request. */
const large = (make: () => Buffer | string, more: Record<string, string> = {}): Handle => {
  const body = once(() => Buffer.from(make()));
  return (asked, ask) => lists(body(), more)(asked, ask);
};
/** One for all answers: the growth is then that of the suite. */
const blank = once(() => Buffer.alloc(50 * MB, ' '));
const brotli = (bytes: Buffer): Buffer =>
  brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } });

/** A gigabyte in gzip, in members of 16 MB: one member would take longer than a client waits. */
const gigabyte = (): Buffer => Buffer.concat(Array<Buffer>(64).fill(gzipSync(Buffer.alloc(16 * MB))));

const animal = (id: number, name = `Animal ${id}`): string =>
  `{"id":${id},"name":"${name}","categoryId":1,"status":"sold"}`;

/** Lists with this many animals for any limit; filters work. */
const stocked =
  (count: number): NonNullable<Fault['service']> =>
  (service) => {
    for (let i = 0; i < count; i += 1) {
      const id = service.nextId();
      service.pets.set(id, {
        id,
        name: `A${i}`,
        categoryId: 1n,
        status: (['available', 'pending', 'sold'] as const)[i % 3] ?? 'sold',
      });
    }
  };

const json = (change: (text: string) => string, which = onServedLists): Handle =>
  bodies((body) => change(body.toString()), which);

export const bodiesOfAnyKind: readonly Fault[] = [
  ...spoiling('coding', {
    'gzip-twice': {
      title: 'Content-Encoding: gzip, gzip',
      handle: coded('gzip, gzip', (body) => gzipSync(gzipSync(body))),
      verdict: 'conforms',
    },
    'brotli-in-gzip': {
      title: 'Content-Encoding: br, gzip',
      handle: coded('br, gzip', (body) => gzipSync(brotli(body))),
      verdict: 'conforms',
    },
    'x-gzip-in-capitals': {
      title: 'Content-Encoding: X-GZIP',
      handle: coded('X-GZIP', (body) => gzipSync(body)),
      verdict: 'conforms',
    },
    'deflate-without-frame': {
      title: 'Content-Encoding: deflate, without the frame of zlib',
      handle: coded('deflate', (body) => deflateRawSync(body)),
      verdict: 'conforms',
    },
    identity: { title: 'Content-Encoding: identity', handle: coded('identity', (body) => body), verdict: 'conforms' },
    'gzip-with-bytes-behind': {
      title: 'zero bytes follow the end of gzip',
      handle: coded('gzip', (body) => Buffer.concat([gzipSync(body), Buffer.alloc(8)])),
      verdict: 'conforms',
    },
    zstd: {
      title: 'Content-Encoding: zstd on GETs by id of orders, which was not requested',
      handle: bodies(zstd, onOrders, { 'Content-Encoding': 'x-zstd' }),
      verdict: 'cantTell',
      cause: 'the content coding x-zstd, which was not requested',
    },
    unknown: {
      title: 'an unknown content coding',
      handle: coded('sdch', (body) => body),
      verdict: 'cantTell',
      cause: 'the content coding sdch, which was not requested',
    },
    'not-what-it-says': {
      title: 'Content-Encoding: gzip, on bodies that are not',
      handle: coded('gzip', (body) => body),
      verdict: 'cantTell',
      cause: 'a body that is not gzip, which its Content-Encoding announces',
    },
    'gzip-cut-short': {
      title: 'every body in gzip is cut short',
      handle: coded('gzip', (body) => gzipSync(body).subarray(0, -9)),
      verdict: 'cantTell',
      cause: 'a body that is not gzip, which its Content-Encoding announces',
    },
    'gzip-bomb': {
      title: 'lists are a gzip bomb: 1 GB in 1 MB',
      handle: large(gigabyte, { 'Content-Encoding': 'gzip' }),
      verdict: 'cantTell',
      cause: 'a body of more than 2 MB',
    },
    'gzip-bomb-twice': {
      title: 'lists are a gzip bomb in gzip: 1 GB in 4 kB',
      handle: large(() => gzipSync(gigabyte()), { 'Content-Encoding': 'gzip, gzip' }),
      verdict: 'cantTell',
      cause: 'a body of more than 2 MB',
    },
    'brotli-bomb': {
      title: 'lists are a Brotli bomb: 256 MB in half a kB',
      // A gigabyte takes longer to compress, on a busy machine, than a client waits.
      handle: large(() => brotli(Buffer.alloc(256 * MB)), { 'Content-Encoding': 'br' }),
      verdict: 'cantTell',
      cause: 'a body of more than 2 MB',
    },
    'latin-1': {
      title: 'a note in lists is written in ISO 8859-1',
      handle: bodies(
        (body) => Buffer.from(body.toString('latin1').replaceAll(/\{(?=")/g, '{"note":"caf\u00e9",'), 'latin1'),
        onServedLists,
      ),
      verdict: 'violates',
      breaks: ['service.json'],
    },
    'utf-16': {
      title: 'every body is written in UTF-16, with charset=utf-16',
      handle: bodies((body) => Buffer.from(body.toString(), 'utf16le'), undefined, {
        'Content-Type': 'application/json; charset=utf-16',
      }),
      verdict: 'violates',
      breaks: ['service.json', 'list.succeeds'],
    },
    'byte-order-mark': {
      title: 'every body begins with a byte order mark',
      handle: bodies((body) => Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), body])),
      verdict: 'violates',
      breaks: ['service.json'],
    },
    'wrong-charset': {
      title: 'Content-Type has charset=iso-8859-1, but the bytes are UTF-8',
      handle: bodies((body) => body, undefined, { 'Content-Type': 'application/json; charset=iso-8859-1' }),
      verdict: 'conforms',
    },
  }),
  ...spoiling('size', {
    'lists-of-50-MB': {
      title: 'lists have 50 MB',
      handle: large(() => `[${animal(1, 'x'.repeat(50 * MB))}]`),
      verdict: 'cantTell',
      cause: 'a body of more than 2 MB',
    },
    'everything-of-50-MB': {
      title: 'every answer has 50 MB, in chunks, without a length',
      handle: (asked, ask) => answering(() => ({ body: blank() }))(asked, ask),
      verdict: 'cantTell',
      cause: 'a body of more than 2 MB',
    },
    'endless-body': {
      title: 'the body of a list never ends, and comes as fast as it is read',
      handle: async ({ method, path, socket }, ask) => {
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
      },
      verdict: 'cantTell',
      cause: 'a body of more than 2 MB',
    },
    'limit-ignored-on-100000': {
      title: 'the limit is ignored, on a store of 100,000 animals',
      service: (service) => {
        stocked(100_000)(service);
        service.readLimit = () => Infinity;
      },
      verdict: 'violates',
      breaks: ['list.limit.caps'],
      also: ['list.limit.never-above-maximum', 'list.limit.default', 'list.status.before-limit'],
      seconds: 90,
    },
    'a-million-invalid-items': {
      title: 'lists are a million zeros',
      handle: large(() => `[${'0,'.repeat(999_999)}0]`),
      verdict: 'violates',
      breaks: ['pets.schema', 'list.limit.caps'],
      also: ['list.succeeds', 'list.limit.default', 'list.limit.never-above-maximum', 'list.status.only'],
      seconds: 60,
    },
    'errors-of-7-MB': {
      title: 'the message of every Error has 7 MB',
      service: (service) => {
        service.presentError = ({ status, code }) => ({ code, message: 'x'.repeat(7 * MB), status });
      },
      verdict: 'cantTell',
      cause: 'a body of more than',
      seconds: 60,
    },
    'orders-of-1-MB': {
      title: 'orders have 1 MB, in one text',
      handle: answering(
        () => ({ body: Buffer.from(`["${'x'.repeat(MB)}"]`) }),
        both(onOrders, (_, { status }) => status === 200),
      ),
      verdict: 'conforms',
    },
    'orders-of-7-MB': {
      title: 'orders have 7 MB',
      handle: answering(
        () => ({ body: Buffer.from(`["${'x'.repeat(7 * MB)}"]`) }),
        both(onOrders, (_, { status }) => status === 200),
      ),
      verdict: 'cantTell',
      cause: 'a body of more than 2 MB',
    },
  }),
  ...spoiling('json', {
    deep: {
      title: 'orders are an array in an array, 100,000 deep',
      handle: answering(
        () => ({ body: Buffer.from('['.repeat(100_000) + ']'.repeat(100_000)) }),
        both(onOrders, (_, { status }) => status === 200),
      ),
      verdict: 'cantTell',
      cause: 'nested too deep',
    },
    'deep-in-errors': {
      title: 'every Error has a detail that is nested 100,000 deep',
      handle: withMember(`"detail":${'['.repeat(100_000)}${']'.repeat(100_000)}`, onErrors),
      verdict: 'cantTell',
      cause: 'nested too deep',
      seconds: 60,
    },
    'deep-in-animals': {
      title: 'every animal has a detail that is nested 2,000 deep',
      handle: withMember(`"detail":${'['.repeat(2000)}${']'.repeat(2000)}`, (_asked, { status }) => status < 300),
      verdict: 'conforms',
      seconds: 60,
    },
    'names-twice': {
      title: 'every object has one of its names twice, with one value',
      handle: withMember('"x":1,"x":1'),
      verdict: 'conforms',
    },
    'names-of-prototypes': {
      title: 'every object has members named __proto__, constructor, toString, length and then',
      handle: withMember(
        '"__proto__":{"id":7,"status":"x"},"constructor":1,"toString":2,"length":3,"then":4,"hasOwnProperty":5',
      ),
      verdict: 'conforms',
    },
    'half-surrogates': {
      title: 'every object has a note with half a surrogate pair and a NUL, both escaped',
      handle: withMember('"note":"\\ud800 \\u0000 \\udc00"'),
      verdict: 'conforms',
    },
    'huge-numbers': {
      title: 'every object has numbers like 1e400, -0 and one of 5,000 digits',
      handle: withMember(`"big":1e400,"small":1e-400,"zero":-0,"long":${'9'.repeat(5000)}`),
      verdict: 'conforms',
    },
    'a-number-of-a-million-digits': {
      title: 'orders are a number of a million digits',
      handle: answering(
        () => ({ body: Buffer.from('9'.repeat(1_000_000)) }),
        both(onOrders, (_, { status }) => status === 200),
      ),
      verdict: 'conforms',
    },
    'not-a-number': {
      title: 'every object has a member that is NaN',
      handle: withMember('"ratio":NaN'),
      verdict: 'violates',
      breaks: ['service.json', 'list.succeeds'],
    },
    'trailing-garbage': {
      title: 'lists are followed by garbage',
      handle: json((text) => `${text};`),
      verdict: 'violates',
      breaks: ['service.json', 'list.succeeds'],
    },
    'trailing-comma': {
      title: 'errors end with a comma too many',
      handle: json((text) => text.replace(/\}$/, ',}'), onErrors),
      verdict: 'violates',
      breaks: ['service.json'],
    },
    'prefix-against-hijacking': {
      title: "every body begins with )]}'",
      handle: bodies((body) => `)]}',\n${body.toString()}`),
      verdict: 'violates',
      breaks: ['service.json', 'list.succeeds'],
    },
    'empty-lists': {
      title: 'lists are answered 200 with no body',
      handle: lists(''),
      verdict: 'violates',
      breaks: ['service.json', 'list.succeeds'],
    },
    'ten-thousand-errors-in-one': {
      title: 'every Error is an array of 10,000 of them',
      handle: json((text) => `[${Array(10_000).fill(text).join(',')}]`, onErrors),
      verdict: 'violates',
      breaks: ['error.schema'],
    },
    'everything-is-an-empty-array': {
      title: 'every request is answered 200 with []',
      handle: instead(200, '[]'),
      verdict: 'violates',
      breaks: ['auth.missing', 'auth.invalid', 'get.unknown', 'add.created'],
      also: '*',
    },
  }),
];
