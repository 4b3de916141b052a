/** Hostile text from a target: commands to terminals, CI systems and pages, and the key itself. */
import {
  bodies,
  type Fault,
  headers,
  instead,
  onErrors,
  onOrders,
  spoiling,
  withMember,
  answering,
  onLists,
  withHeaders,
} from '../fault.ts';
import { type Handle, KEY } from '../server.ts';

/** Commands to terminals, CI systems and pages, and changes of text direction. */
export const HOSTILE = [
  '\u001b[2J\u001b]0;owned\u0007\u001b[31mred',
  '\u009b31m',
  '\r\n::error::from the target\n::set-output name=x::y\n::add-mask::a',
  '##[error]from the target ##vso[task.complete result=Succeeded]done ##teamcity[buildStatus]',
  '\u202eesrever\u202c \u2066isolated\u2069 \u200b\ufeff\u2028line\u2029',
  '</script><script>alert(1)</script><img src=x onerror=alert(2)> ]]> <!-- --> &amp; "\' `code` | # * [a](javascript:alert(3))',
  '$(touch /tmp/owned) `id` %0A %0D',
  '\u0000\u0001\u0008\u007f',
].join(' ');
const QUOTED = JSON.stringify(HOSTILE);

const ENCODED = encodeURIComponent(KEY);
export const FORMS: Readonly<Record<string, string>> = {
  plain: KEY,
  'in a URL': ENCODED,
  'in a URL, twice': encodeURIComponent(ENCODED),
  'in JSON': JSON.stringify(KEY).slice(1, -1),
  'in JSON in JSON': JSON.stringify(JSON.stringify(KEY).slice(1, -1)).slice(1, -1),
  'with slashes escaped': KEY.replaceAll('/', '\\/'),
  'in entities': [...KEY].map((c) => `&#${c.charCodeAt(0)};`).join(''),
  'in hexadecimal entities': [...KEY].map((c) => `&#x${c.charCodeAt(0).toString(16)};`).join(''),
  'in HTML': KEY.replaceAll('&', '&amp;').replaceAll('"', '&quot;'),
  'in hexadecimal digits': Buffer.from(KEY).toString('hex'),
  ...Object.fromEntries(
    [0, 1, 2].map((offset) => [
      `in base64 at offset ${offset}`,
      Buffer.from('\0'.repeat(offset) + KEY)
        .toString('base64')
        .slice(offset === 0 ? 0 : offset + 1)
        .replace(/.?=*$/, ''),
    ]),
  ),
  // Halves of the key, from a text that was cut.
  'its first half': KEY.slice(0, 10),
  'its second half': KEY.slice(-10),
};
/** The text of the target, with all of it in base64 too. */
const written = [
  ...Object.entries(FORMS)
    .filter(([form]) => !/base64|half/.test(form))
    .map(([, form]) => form),
  ...[0, 1, 2].map((offset) => Buffer.from('x'.repeat(offset) + KEY).toString('base64')),
  ...[0, 1, 2].map((offset) => Buffer.from('x'.repeat(offset) + KEY).toString('base64url')),
];
const EVERY_FORM = JSON.stringify(written.join(' '));

/** The key in the middle of bytes that are not UTF-8. */
const betweenBytes = (): Buffer =>
  Buffer.concat(
    written.flatMap((form) => [Buffer.from([0xff, 0xfe, 0xc3]), Buffer.from(form), Buffer.from([0x80, 0xe2])]),
  );

/** The key repeatedly, so that any cut hits it. */
const CUT = Array.from({ length: 70 }, (_, i) => `${'-'.repeat(i % 23)}${KEY}`).join('');

const text = { 'Content-Type': 'text/plain' };
const sending = (body: Buffer | string, more: Record<string, string> = text): Handle =>
  answering((answer) => ({ body: Buffer.from(body), headers: withHeaders(answer, more).headers }), onOrders);

/** As Latin-1, for headers. */
const inAHeader = HOSTILE.replaceAll(/[^\u0020-\u007e\u00a0-\u00ff]/g, ' ');

export const words: readonly Fault[] = [
  ...spoiling('words', {
    'in-errors': {
      title: 'code and message of every Error are hostile, and status is wrong so that they are shown',
      handle: bodies(
        (body) =>
          body
            .toString()
            .replace(/"(code|message)":"[^"]*"/g, `"$1":${QUOTED.replaceAll('$', '$$$$')}`)
            .replace(/"status":\d+/, '"status":299'),
        onErrors,
      ),
      verdict: 'violates',
      breaks: ['error.status'],
    },
    'in-animals': {
      title: 'every animal has hostile member names and values, and lists are followed by hostile garbage',
      handle: (asked, ask) =>
        bodies(
          (body) =>
            `${body.toString().replaceAll(/\{(?=")/g, () => `{${QUOTED}:${QUOTED},`)}${onLists(asked, {} as never) ? HOSTILE : ''}`,
          (_asked, { status }) => status < 300,
        )(asked, ask),
      verdict: 'violates',
      breaks: ['service.json', 'list.succeeds'],
    },
    'in-ids': {
      title: 'ids are hostile strings',
      handle: bodies(
        (body) =>
          body.toString().replaceAll(/"id":(-?\d+)/g, (_, id: string) => `"id":${JSON.stringify(`${id} ${HOSTILE}`)}`),
        (_asked, { status }) => status < 300,
      ),
      verdict: 'violates',
      breaks: ['pet.schema', 'pets.schema'],
    },
    'ids-that-lead-elsewhere': {
      title: 'ids are addresses: //host/, ../../, @host, ?query and #fragment',
      handle: (asked, ask) =>
        bodies(
          (body) => {
            const ways = [
              `//${new URL(asked.elsewhere).host}/`,
              '../../',
              `@${new URL(asked.elsewhere).host}/`,
              '?x=',
              '#',
            ];
            return body
              .toString()
              .replaceAll(
                /"id":(-?\d+)/g,
                (_, id: string) => `"id":${JSON.stringify(`${ways[Number(id) % ways.length]}${id}`)}`,
              );
          },
          (_asked, { status }) => status < 300,
        )(asked, ask),
      verdict: 'violates',
      breaks: ['pet.schema', 'pets.schema'],
    },
    'in-names': {
      title: 'the name of every animal is hostile',
      handle: bodies(
        (body) => body.toString().replaceAll(/"name":"(?:[^"\\]|\\.)*"/g, () => `"name":${QUOTED}`),
        (_asked, { status }) => status < 300,
      ),
      verdict: 'violates',
      breaks: ['add.echo', 'add.persists', 'list.shows-added'],
    },
    'in-headers': {
      title: 'hostile headers, with judged ones among them',
      handle: headers({
        'X-RateLimit-Limit': inAHeader,
        'X-Note': inAHeader,
        Location: inAHeader,
        'WWW-Authenticate': inAHeader,
        Allow: inAHeader,
        Deprecation: inAHeader,
        Sunset: inAHeader,
        Server: inAHeader,
        ETag: inAHeader,
      }),
      verdict: 'violates',
      breaks: ['rate.limit.value'],
    },
    'in-the-media-type': {
      title: 'Content-Type is application/json with hostile parameters, and another type for errors',
      handle: headers(({ status }) => ({
        'Content-Type': status < 300 ? `application/json; ${inAHeader}` : `${inAHeader}/x`,
      })),
      verdict: 'violates',
      breaks: ['service.json'],
    },
    'in-pages': {
      title: 'additions are answered with a hostile page',
      handle: instead(
        201,
        `<html>${HOSTILE}`,
        { 'Content-Type': 'text/html' },
        ({ method, hasKey }) => method === 'POST' && hasKey,
      ),
      verdict: 'violates',
      breaks: ['service.json'],
      also: '*',
    },
    'in-the-first-answer': {
      title: 'every request is answered 418 with hostile text',
      handle: instead(418, HOSTILE, text),
      verdict: 'violates',
      breaks: ['service.json', 'service.no-undocumented-status'],
      also: '*',
    },
    'in-retry-after': {
      title: 'every request is answered 429 with a hostile Retry-After',
      handle: instead(429, HOSTILE, { ...text, 'Retry-After': inAHeader, 'X-RateLimit-Reset': inAHeader }),
      verdict: 'cantTell',
      cause: 'rate limited',
      requests: 2,
    },
  }),
  ...spoiling('key', {
    'in-every-form': {
      title: 'every object repeats the key in every form, and error.status is wrong so that it is shown',
      handle: (asked, ask) =>
        bodies((body) =>
          body
            .toString()
            .replaceAll(/\{(?=")/g, () => `{"note":${EVERY_FORM},`)
            .replace(/"status":\d+/, '"status":299'),
        )(asked, ask),
      verdict: 'violates',
      breaks: ['error.status'],
    },
    'between-bytes': {
      title: 'orders are the key in every form between bytes that are not UTF-8',
      handle: sending(betweenBytes(), { 'Content-Type': 'application/json' }),
      verdict: 'violates',
      breaks: ['service.json'],
    },
    'where-texts-are-cut': {
      title: 'orders are the key repeatedly, so that any cut hits it',
      handle: sending(CUT),
      verdict: 'violates',
      breaks: ['service.json'],
    },
    'in-utf-16': {
      title: 'orders are the key in UTF-16',
      handle: sending(Buffer.from(`"${KEY}"`, 'utf16le')),
      verdict: 'violates',
      breaks: ['service.json'],
    },
    'in-headers': {
      title: 'headers repeat the key in every form, with judged ones among them',
      handle: headers({
        ...Object.fromEntries(written.map((form, i) => [`X-Echo-${i}`, form])),
        'X-RateLimit-Limit': KEY,
        'Set-Cookie': `key=${ENCODED}`,
        Location: `/v1/pets?key=${ENCODED}`,
        Allow: CUT.slice(0, 4000),
      }),
      verdict: 'violates',
      breaks: ['rate.limit.value'],
    },
    'as-member-names': {
      title: 'the key is the name of a member, twice in one object',
      handle: withMember(`${JSON.stringify(KEY)}:1,${JSON.stringify(KEY)}:2`),
      verdict: 'conforms',
    },
    'as-an-id': {
      title: 'the id of every animal is the key with a number after it',
      handle: bodies(
        (body) =>
          body.toString().replaceAll(/"id":(-?\d+)/g, (_, id: string) => `"id":${JSON.stringify(`${KEY}${id}`)}`),
        (_asked, { status }) => status < 300,
      ),
      verdict: 'violates',
      breaks: ['pet.schema', 'pets.schema'],
    },
    'in-a-broken-answer': {
      title: 'additions are answered with the key as status line',
      handle: (asked, ask) => {
        if (asked.method !== 'POST') return ask();
        asked.socket.end(`${asked.headers.authorization}\r\n\r\n`);
        return undefined;
      },
      verdict: 'cantTell',
      cause: 'is not HTTP',
    },
  }),
];
