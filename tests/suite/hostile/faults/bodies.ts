/** Faults of content codings, of sizes and of JSON. */
import { brotliCompressSync, gzipSync } from 'node:zlib';
import type { Service } from '../../../../fixtures/reference/service.ts';
import { stockUp } from '../../../../fixtures/reference/variants/index.ts';
import type { Which } from '../fault.ts';
import { answering, bodies, faultsOf, headOf, instead, onLists, onOrders, onServed, withMember } from '../fault.ts';
import type { Handle } from '../../gate/serve.ts';

const MB = 1024 * 1024;

const coded = (coding: string, change: (body: Buffer) => Buffer): Handle =>
  bodies(change, undefined, { 'Content-Encoding': coding });

/** A body that is made at the first request: the growth is then that of the suite. */
const replaced = (make: () => Buffer | string, which?: Which, more: Record<string, string> = {}): Handle => {
  let body: Buffer | undefined;
  return bodies(() => (body ??= Buffer.from(make())), which, more);
};

/** A gigabyte in gzip, in members of 16 MB: one member would take longer than a client waits. */
const gigabyte = (): Buffer => Buffer.concat(Array<Buffer>(64).fill(gzipSync(Buffer.alloc(16 * MB))));

/** 90,000 animals for any limit; filters work, and the list of a status is just below the 2 MB that are read. */
const stocked = (service: Service): void => {
  stockUp(service, 90_000);
  service.readLimit = () => Infinity;
};

/** The body of a list that never ends, and comes as fast as it is read. */
const endless = answering(
  (answer, { socket }) => {
    const piece = Buffer.alloc(64 * 1024, ' ');
    socket.write(`${headOf(answer)}\r\n[`);
    const more = (): void => {
      while (!socket.destroyed && socket.write(piece));
    };
    socket.on('drain', more);
    return more() as undefined;
  },
  (asked, answer) => onLists(asked, answer) && asked.path.includes('?'),
);

const onErrors: Which = (_asked, { status }) => status >= 400;
const nested = (depth: number): string => `${'['.repeat(depth)}${']'.repeat(depth)}`;
const LARGE = 'a body of more than 2 MB';

/** Repeated names, names of JavaScript, half a surrogate pair, and numbers beyond any type. */
const ODD_MEMBERS = [
  '"x":1,"x":1,"__proto__":{"id":7,"status":"x"},"constructor":1,"toString":2,"length":3,"then":4,"hasOwnProperty":5',
  '"note":"\\ud800 \\u0000 \\udc00"',
  `"big":1e400,"small":1e-400,"zero":-0,"long":${'9'.repeat(5000)}`,
].join();

export const bodiesOfAnyKind = [
  ...faultsOf('coding', {
    'Content-Encoding: br, X-GZIP, with zero bytes behind it': [
      [],
      coded('br, X-GZIP', (body) => Buffer.concat([gzipSync(brotliCompressSync(body)), Buffer.alloc(8)])),
    ],
    'charset=iso-8859-1, but the bytes are UTF-8': [
      [],
      bodies((body) => body, undefined, { 'Content-Type': 'application/json; charset=iso-8859-1' }),
    ],
    'an unknown content coding': ['the content coding sdch, which was not requested', coded('sdch', (body) => body)],
    'a gzip bomb of 1 GB': [LARGE, replaced(() => gzipSync(gigabyte()), onLists, { 'Content-Encoding': 'gzip, gzip' })],
  }),
  ...faultsOf('size', {
    'orders have 1 MB, in one text': [[], replaced(() => `["${'x'.repeat(MB)}"]`, onOrders)],
    'every answer has 3 MB': [LARGE, replaced(() => Buffer.alloc(3 * MB, ' '))],
    'the body of a list never ends, and comes as fast as it is read': [LARGE, endless],
    'the limit is ignored, on a store of 90,000 animals': [
      ['list.limit.caps'],
      { service: stocked, seconds: 90 },
      { also: ['list.limit.never-above-maximum', 'list.limit.default', 'list.status.before-limit'] },
    ],
    'lists are a million zeros': [
      ['pets.schema', 'list.limit.caps'],
      replaced(() => `[${'0,'.repeat(999_999)}0]`, onLists),
      {
        also: ['list.succeeds', 'list.limit.default', 'list.limit.never-above-maximum', 'list.status.only'],
        seconds: 60,
      },
    ],
  }),
  ...faultsOf('json', {
    'every animal is nested 2,000 deep': [[], withMember(`"detail":${nested(2000)}`, onServed), { seconds: 60 }],
    'every object has odd members': [[], withMember(ODD_MEMBERS)],
    'orders are a number of a million digits': [[], replaced(() => '9'.repeat(1_000_000), onOrders)],
    'orders are nested 100,000 deep': ['nested too deep', replaced(() => nested(100_000), onOrders)],
    'lists are answered 200 with no body': [['service.json', 'list.succeeds'], replaced(() => '', onLists)],
    'many Errors': [['error.schema'], bodies((body) => `[${Array(10_000).fill(body.toString()).join(',')}]`, onErrors)],
    'every answer is 200 with []': [
      ['auth.missing', 'auth.invalid', 'get.unknown', 'add.created'],
      instead(200, '[]'),
      { also: '*' },
    ],
  }),
];
