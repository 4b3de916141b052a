/** Hostile text from a target: commands to terminals, CI systems and pages, and the key itself. */
import {
  answering,
  bodies,
  faultsOf,
  headers,
  instead,
  onLists,
  onServed,
  onServedOrders,
  when,
  withHeaders,
  withMember,
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
const BETWEEN_BYTES = Buffer.concat(
  written.flatMap((form) => [Buffer.from([0xff, 0xfe, 0xc3]), Buffer.from(form), Buffer.from([0x80, 0xe2])]),
);

/** The key repeatedly, so that any cut hits it. */
const CUT = Array.from({ length: 70 }, (_, i) => `${'-'.repeat(i % 23)}${KEY}`).join('');

const TEXT = { 'Content-Type': 'text/plain' };
const orders = (body: Buffer | string, more: Record<string, string> = TEXT): Handle =>
  answering((answer) => ({ ...withHeaders(answer, more), body: Buffer.from(body) }), onServedOrders);

/** As Latin-1, for headers. */
const inAHeader = HOSTILE.replaceAll(/[^\u0020-\u007e\u00a0-\u00ff]/g, ' ');
const HEADERS = ['X-Note', 'Location', 'WWW-Authenticate', 'Allow', 'Deprecation', 'Sunset', 'Server', 'ETag'];

/** Replaces every id in what is served. */
const ids = (change: (id: string) => string): Handle =>
  bodies(
    (body) => body.toString().replaceAll(/"id":(-?\d+)/g, (_, id: string) => `"id":${JSON.stringify(change(id))}`),
    onServed,
  );

const leadingElsewhere: Handle = (asked, ask) => {
  const { host } = new URL(asked.elsewhere);
  const ways = [`//${host}/`, '../../', `@${host}/`, '?x=', '#'];
  return ids((id) => `${ways[Number(id) % ways.length]}${id}`)(asked, ask);
};

/** Changes the errors so that they are wrong, and shown. */
const shown = (change: (body: string) => string): Handle =>
  bodies((body) => change(body.toString()).replace(/"status":\d+/, '"status":299'));

const keyAsStatusLine: Handle = ({ socket, headers: { authorization } }) => void socket.end(`${authorization}\r\n\r\n`);

/** Members and values of animals, and what comes after a list. */
const everywhere = answering((answer, asked) => {
  const text = answer.body.toString().replaceAll(/\{(?=")/g, () => `{${QUOTED}:${QUOTED},`);
  return { body: Buffer.from(`${text}${onLists(asked, answer) ? HOSTILE : ''}`) };
}, onServed);

export const words = [
  ...faultsOf('words', {
    'every request is answered 429 with a hostile Retry-After': [
      'rate limited',
      instead(429, HOSTILE, { ...TEXT, 'Retry-After': inAHeader, 'X-RateLimit-Reset': inAHeader }),
      { requests: 2 },
    ],
    'code and message of every Error are hostile': [
      ['error.status'],
      shown((body) => body.replace(/"(code|message)":"[^"]*"/g, (_, name: string) => `"${name}":${QUOTED}`)),
    ],
    'every animal has hostile member names and values, and lists are followed by hostile garbage': [
      ['service.json', 'list.succeeds'],
      everywhere,
    ],
    'ids are hostile strings': [['pet.schema', 'pets.schema'], ids((id) => `${id} ${HOSTILE}`)],
    'ids are addresses: //host/, ../../, @host': [['pet.schema', 'pets.schema'], leadingElsewhere],
    'the name of every animal is hostile': [
      ['add.echo', 'add.persists', 'list.shows-added'],
      bodies((body) => body.toString().replaceAll(/"name":"(?:[^"\\]|\\.)*"/g, () => `"name":${QUOTED}`), onServed),
    ],
    'hostile headers, with judged ones among them': [
      ['rate.limit.value'],
      headers(Object.fromEntries([...HEADERS, 'X-RateLimit-Limit'].map((name) => [name, inAHeader]))),
    ],
    'Content-Type is application/json with hostile parameters, and another type for errors': [
      ['service.json'],
      headers(({ status }) => ({
        'Content-Type': status < 300 ? `application/json; ${inAHeader}` : `${inAHeader}/x`,
      })),
    ],
    'additions are answered with a hostile page': [
      ['service.json'],
      when(
        ({ method, hasKey }) => method === 'POST' && hasKey,
        instead(201, `<html>${HOSTILE}`, { 'Content-Type': 'text/html' }),
      ),
      { also: '*' },
    ],
    'every answer is 418 with hostile text': [
      ['service.json', 'service.no-undocumented-status'],
      instead(418, HOSTILE, TEXT),
      { also: '*' },
    ],
  }),
  ...faultsOf('key', {
    'the name of a member, twice in one object': [[], withMember(`${JSON.stringify(KEY)}:1,${JSON.stringify(KEY)}:2`)],
    'the status line of additions': ['is not HTTP', when(({ method }) => method === 'POST', keyAsStatusLine)],
    'in every object': [['error.status'], shown((body) => body.replaceAll(/\{(?=")/g, () => `{"note":${EVERY_FORM},`))],
    'between bytes that are not UTF-8, as orders': [
      ['service.json'],
      orders(BETWEEN_BYTES, { 'Content-Type': 'application/json' }),
    ],
    'repeatedly, so that any cut hits it, as orders': [['service.json'], orders(CUT)],
    'in UTF-16, as orders': [['service.json'], orders(Buffer.from(`"${KEY}"`, 'utf16le'))],
    'in headers in every form, with judged ones among them': [
      ['rate.limit.value'],
      headers({
        ...Object.fromEntries(written.map((form, i) => [`X-Echo-${i}`, form])),
        'X-RateLimit-Limit': KEY,
        'Set-Cookie': `key=${ENCODED}`,
        Location: `/v1/pets?key=${ENCODED}`,
        Allow: CUT.slice(0, 4000),
      }),
    ],
    'with a number after it, the id of every animal': [['pet.schema', 'pets.schema'], ids((id) => `${KEY}${id}`)],
  }),
];
