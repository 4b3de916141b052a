/** Hostile text from a target: commands to terminals, CI systems and pages, and the key itself. */
import { bodies, faultsOf, headers, instead, onLists, onOrders, onServed, when, withMember } from '../fault.ts';
import { type Answer, type Handle, ODD_KEY as KEY } from '../../gate/serve.ts';

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
const inBase64 = (offset: number): string => Buffer.from('\0'.repeat(offset) + KEY).toString('base64');
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
  'in base64': inBase64(0).replace(/.?=*$/, ''),
  'in base64, behind a character': inBase64(1).slice(2).replace(/.?=*$/, ''),
  'in base64, behind two characters': inBase64(2).slice(3).replace(/.?=*$/, ''),
  // Halves of the key, from a text that was cut.
  'its first half': KEY.slice(0, 10),
  'its second half': KEY.slice(-10),
};
/** The text of the target, with all of it in base64 too. */
const written = [
  ...Object.keys(FORMS).flatMap((form) => (/base64|half/.test(form) ? [] : (FORMS[form] ?? []))),
  ...['', 'x', 'xx'].map((before) => Buffer.from(before + KEY).toString('base64')),
  ...['', 'x', 'xx'].map((before) => Buffer.from(before + KEY).toString('base64url')),
];
const EVERY_FORM = JSON.stringify(written.join(' '));

/** The key in the middle of bytes that are not UTF-8. */
const BETWEEN_BYTES = Buffer.concat(
  written.flatMap((form) => [Buffer.from([0xff, 0xfe, 0xc3]), Buffer.from(form), Buffer.from([0x80, 0xe2])]),
);

/** The key repeatedly, so that any cut hits it. */
const CUT = Array.from({ length: 70 }, (_, i) => `${'-'.repeat(i % 23)}${KEY}`).join('');

const TEXT = { 'Content-Type': 'text/plain' };
const JSON_TYPE = { 'Content-Type': 'application/json' };
const orders = (body: Buffer | string, more = TEXT): Handle => bodies(() => body, onOrders, more);

/** As Latin-1, for headers. */
const inAHeader = HOSTILE.replaceAll(/[^\u0020-\u007e\u00a0-\u00ff]/g, ' ');
const HEADERS = [
  ...['X-Note', 'Location', 'WWW-Authenticate', 'Allow', 'Deprecation', 'Sunset', 'Server', 'ETag'],
  'X-RateLimit-Limit',
];
const ofType = headers(({ status }) => ({
  'Content-Type': status < 300 ? `application/json; ${inAHeader}` : `${inAHeader}/x`,
}));

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

const withWords = shown((body) =>
  body.replace(/"(code|message)":"[^"]*"/g, (_, name: string) => `"${name}":${QUOTED}`),
);
const named = bodies(
  (body) => body.toString().replaceAll(/"name":"(?:[^"\\]|\\.)*"/g, () => `"name":${QUOTED}`),
  onServed,
);

const keyAsStatusLine: Handle = ({ socket, headers: { authorization } }) => void socket.end(`${authorization}\r\n\r\n`);

/** Members and values of animals, and what comes after a list. */
const everywhere: Handle = (asked, ask) =>
  bodies((body) => body.toString() + HOSTILE, onLists)(
    asked,
    async () => (await withMember(`${QUOTED}:${QUOTED}`, onServed)(asked, ask)) as Answer,
  );

const page = instead(201, `<html>${HOSTILE}`, { 'Content-Type': 'text/html' });
const SCHEMAS = ['pet.schema', 'pets.schema'] as const;

export const words = [
  ...faultsOf('words', {
    'every request is answered 429 with a hostile Retry-After': [
      'rate limited',
      instead(429, HOSTILE, { ...TEXT, 'Retry-After': inAHeader, 'X-RateLimit-Reset': inAHeader }),
      { requests: 2 },
    ],
    'code and message of every Error are hostile': [['error.status'], withWords],
    'member names and values of every animal are hostile, and what follows lists': [
      ['service.json', 'list.succeeds'],
      everywhere,
    ],
    'ids are hostile strings': [SCHEMAS, ids((id) => `${id} ${HOSTILE}`)],
    'ids are addresses: //host/, ../../, @host': [SCHEMAS, leadingElsewhere],
    'the name of every animal is hostile': [['add.echo', 'add.persists', 'list.shows-added'], named],
    'hostile headers, with judged ones among them': [
      ['rate.limit.value'],
      headers(Object.fromEntries(HEADERS.map((name) => [name, inAHeader]))),
    ],
    'Content-Type is application/json with hostile parameters, and another type for errors': [['service.json'], ofType],
    'additions are answered with a hostile page': [
      ['service.json'],
      when(({ method, hasKey }) => method === 'POST' && hasKey, page),
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
    'between bytes that are not UTF-8, as orders': [['service.json'], orders(BETWEEN_BYTES, JSON_TYPE)],
    'repeatedly, so that any cut hits it, as orders': [['service.json'], orders(CUT)],
    'in UTF-16, as orders': [['service.json'], orders(Buffer.from(`"${KEY}"`, 'utf16le'))],
    'in headers in every form, with judged ones among them': [
      ['rate.limit.value'],
      headers({
        ...Object.fromEntries(written.map((form, i) => [`X-Echo-${i}`, form])),
        ...{ 'X-RateLimit-Limit': KEY, 'Set-Cookie': `key=${ENCODED}`, Location: `/v1/pets?key=${ENCODED}` },
        Allow: CUT.slice(0, 4000),
      }),
    ],
    'with a number after it, the id of every animal': [SCHEMAS, ids((id) => `${KEY}${id}`)],
  }),
];
