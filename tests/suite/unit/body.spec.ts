import * as zlib from 'node:zlib';
import fc from 'fast-check';
import { readBytes, decode, MOST_BYTES, makeTooLongFault } from '../../../fixtures/target/http/body.ts';
import { expect, forAll, test } from './make.ts';

const TEXT = '[{"id":9007199254740993,"name":"Zoë 🦊"}]';
const bytes = Buffer.from(TEXT);

/** Chunks of a connection; `taken` counts the requested ones. */
async function* chunksOf(count: number, size: number, taken: { chunks: number }): AsyncGenerator<Uint8Array> {
  for (let i = 0; i < count; i += 1) {
    taken.chunks += 1;
    yield Buffer.alloc(size, 'x');
  }
}

test('a body is read completely, and abandoned early above the bound', async () => {
  for (const count of [0, 3, 8]) {
    const read = await readBytes(chunksOf(count, MOST_BYTES / 8, { chunks: 0 }));
    expect(read).toEqual({ bytes: Buffer.alloc((count * MOST_BYTES) / 8, 'x'), end: 'whole' });
  }
  const taken = { chunks: 0 };
  expect((await readBytes(chunksOf(1000, MOST_BYTES / 8, taken))).end).toBe('too long');
  expect(taken.chunks).toBe(9);
});

const codings = {
  gzip: zlib.gzipSync,
  'x-gzip': zlib.gzipSync,
  deflate: zlib.deflateSync,
  br: zlib.brotliCompressSync,
} as const;

const { zstdCompressSync: zstd } = zlib as { zstdCompressSync?: (plain: Buffer) => Buffer };

test('several codings are decoded in reverse order, and zstd if this Node can', () => {
  expect(decode(zlib.gzipSync(zlib.brotliCompressSync(bytes)), ['br', 'gzip'])).toEqual({ body: TEXT });
  expect(decode(zlib.gzipSync(zlib.brotliCompressSync(bytes)), ['gzip', 'br']).fault?.kind).toBe('not decoded');
  const expected = zstd ? { body: TEXT } : { fault: { kind: 'not decoded' } };
  expect(decode(zstd?.(bytes) ?? bytes, ['zstd'])).toMatchObject(expected);
});

test('an unknown coding and a wrongly declared one are unreadable, unless the body is empty', () => {
  for (const coding of ['gzip', 'compress']) expect(decode(Buffer.alloc(0), [coding])).toEqual({ body: '' });
  for (const coding of ['compress', 'exi', 'constructor', '__proto__', 'toString', 'gzip', 'deflate', 'br']) {
    const { body, fault } = decode(bytes, [coding]);
    expect([body, fault?.kind]).toEqual(['', 'not decoded']);
    expect(fault?.message).toContain(coding);
  }
  expect(decode(zlib.gzipSync(bytes).subarray(0, -9), ['gzip']).fault?.kind).toBe('not decoded');
});

const bomb = (size: number, encode: (plain: Buffer) => Buffer): Buffer => encode(Buffer.alloc(size, 'x'));

for (const [coding, encode] of Object.entries(codings))
  test(`a ${coding} bomb is abandoned at the bound`, () => {
    expect(decode(bomb(MOST_BYTES, encode), [coding]).body).toHaveLength(MOST_BYTES);
    expect(decode(bomb(MOST_BYTES + 1, encode), [coding])).toEqual(makeTooLongFault());
    const large = bomb(64 * 1024 * 1024, encode);
    // Its end is not read, or it would be reported as cut.
    expect(decode(large.subarray(0, -9), [coding])).toEqual(makeTooLongFault());
    expect(decode(zlib.gzipSync(large), [coding, 'gzip'])).toEqual(makeTooLongFault());
  });

test('non-UTF-8 bytes are reported, and shown one by one; a byte order mark is reported, and the text after it is readable', () => {
  for (const wrong of [[0xff], [0xc3], [0xed, 0xa0, 0x80], [0xc0, 0x80], [0xf5, 0x80, 0x80, 0x80]]) {
    const { body, fault } = decode(Buffer.from([0x22, ...wrong, 0x22]), []);
    expect(fault?.kind).toBe('not UTF-8');
    expect(body).toHaveLength(wrong.length + 2);
  }
  expect(decode(Buffer.from(TEXT, 'utf16le'), []).fault?.kind).toBe('not UTF-8');
  expect(decode(Buffer.from(`\ufeff${TEXT}`), [])).toEqual({
    body: TEXT,
    fault: { kind: 'byte order mark', message: 'a body that begins with a byte order mark' },
  });
  // Elsewhere it is an ordinary character.
  expect(decode(Buffer.from('"\ufeff"'), [])).toEqual({ body: '"\ufeff"' });
});

test('any text survives any coding', () => {
  const ofCoding = fc.constantFrom(...Object.entries(codings));
  forAll(fc.tuple(fc.string({ unit: 'binary' }), ofCoding), ([text, [coding, encode]]) => {
    fc.pre(!text.startsWith('\ufeff'));
    expect(decode(encode(Buffer.from(text)), [coding])).toEqual({ body: text });
  });
});
