/** HARs of other tools: what shows that an entry is not whole or did not come over the network, and what can be undone. */
import { deflateSync, gzipSync } from 'node:zlib';
import type { Exchange } from '../../../fixtures/target/http/exchange.ts';
import { convertTraffic } from '../../../fixtures/target/recording/traffic.ts';
import { Step } from '../../../fixtures/trace/step.ts';
import { BASE, BYTES, type Changes, entry, LIST, pairs, type Part } from '../recordings/har.ts';
import { error, expect, findBroken, NOW, pet, test } from './make.ts';

const POST = {
  ...{ method: 'POST', url: `${BASE}/pets`, queryString: [] },
  headers: pairs({ 'Content-Type': 'application/json' }),
};
const SENT = JSON.stringify({ name: 'Rex', categoryId: 1, status: 'available' });
const created = (postData: Part | null | undefined, more: Part = {}): Changes => ({
  request: { ...POST, postData, bodySize: SENT.length, ...more },
  response: { status: 201 },
  content: { size: -1, text: JSON.stringify(pet()) },
});

const CUT = LIST.slice(0, -9);
const gzip = gzipSync(LIST);

const TYPE = 'application/json';
const NOT_WHOLE = 'whose response is not whole';
const REQUEST_CUT = 'whose request is not whole';
const ATTACHED = 'whose body is in another file: record with `content: embed`';
const UNDECODED = 'whose response cannot be decoded';
const LONG = { 'Content-Length': String(BYTES) };
const GZIP = { 'Content-Encoding': 'gzip' };
const NOTED = { size: -1, text: '[', comment: 'Body length exceeded, so body was omitted' };
const AS_LATIN_1 = LIST.replace('ë', 'Ã«');
const toBase64 = (bytes: Buffer | string) => ({ encoding: 'base64', text: Buffer.from(bytes).toString('base64') });

const UNSENT = 'not from the network';
const skipped: [title: string, Changes, reason: string][] = [
  ['Chrome: the disk cache', { entry: { _fromCache: 'disk' } }, UNSENT],
  ['Chrome: a service worker', { response: { _fetchedViaServiceWorker: true } }, UNSENT],
  ['chrome-har: a service worker', { response: { fromServiceWorker: true } }, UNSENT],
  ['Playwright: a cache or a service worker', { response: { _transferSize: 0, bodySize: -49 } }, UNSENT],
  ['Chrome: its own redirect', { headers: { 'Non-Authoritative-Reason': 'HSTS' }, response: { status: 307 } }, UNSENT],
  ['Chrome: an aborted answer', { response: { _error: 'net::ERR_INCOMPLETE_CHUNKED_ENCODING' } }, 'without an answer'],
  ['Chrome: a blocked request', { response: { status: 0 } }, 'without an answer'],
  ['Chrome: a body that was dropped', { content: { text: undefined } }, 'without a body'],
  ['Chrome: a WebSocket', { entry: { _resourceType: 'websocket' }, response: { status: 101 } }, UNSENT],
  ['a 304 with the body of the cache', { response: { status: 304 } }, UNSENT],
  ['a 304 whose condition was not recorded', { response: { status: 304 }, content: { size: 0, text: '' } }, UNSENT],
  ['Safari: the memory cache', { entry: { _fetchType: 'Memory Cache' } }, UNSENT],
  ['Safari: a service worker', { entry: { _fetchType: 'Service Worker' } }, UNSENT],
  ['Safari: an override of its inspector', { entry: { _fetchType: 'Inspector Override' } }, UNSENT],
  ['Playwright: attach', { content: { text: undefined, _file: 'a.json' } }, ATTACHED],
  ['Safari: a body of unknown size', { content: { size: 0, text: undefined } }, 'without a body'],
  ['Firefox: the cache', { entry: { cache: { afterRequest: { eTag: 'x' } } } }, UNSENT],
  ['Firefox: the cache, of which it knows nothing', { entry: { cache: { afterRequest: null } } }, UNSENT],
  ['a proxy between: the age of its copy', { headers: { Age: '7' } }, UNSENT],
  ['Firefox: a body that was cut', { content: { text: CUT } }, NOT_WHOLE],
  ['Firefox: a blocked request', { response: { status: null } }, 'without an answer'],
  ['Firefox: a request body that was cut', created({ text: SENT.slice(0, -5) }), REQUEST_CUT],
  ['Playwright: a fulfilled route', { entry: { _wasFulfilled: true } }, UNSENT],
  ['Playwright: a failure', { response: { _failureText: 'net::ERR_FAILED' } }, 'without an answer'],
  ['HTTP Toolkit: a request body that is too large', created(undefined), REQUEST_CUT],
  ['Fiddler: a note at the body', { content: NOTED }, NOT_WHOLE],
  ['Cloudflare: a body that was replaced', { content: { text: '[application/json redacted]' } }, NOT_WHOLE],
  ['a body that is too short', { content: { size: -1, text: CUT }, headers: LONG }, NOT_WHOLE],
  ['another character set', { content: { size: -1, text: AS_LATIN_1 }, headers: LONG }, NOT_WHOLE],
  ['an empty text with a Content-Length', { content: { size: 0, text: '' }, headers: LONG }, NOT_WHOLE],
  ['base64 that was cut', { content: toBase64(CUT) }, NOT_WHOLE],
  ['another character set, without a Content-Length', { content: { size: BYTES, text: AS_LATIN_1 } }, NOT_WHOLE],
  ['no headers at all', { response: { headers: [] } }, NOT_WHOLE],
  ['only headers that a page may read', { response: { headers: pairs({ 'content-type': TYPE }) } }, NOT_WHOLE],
  ['Playwright: a 304 as a 200 with the body of the cache', { response: { headers: pairs({ ETag: '"x"' }) } }, UNSENT],
  ['an entry that is written twice', {}, 'that another one repeats'],
  ['an unknown encoding', { content: { encoding: 'uuencode' } }, UNDECODED],
  ['gzip that was read as text', { content: { size: -1, text: '\u001f\ufffd\b\u0000' }, headers: GZIP }, UNDECODED],
  ['base64 of gzip without Content-Encoding', { content: toBase64(gzip) }, UNDECODED],
  ['gzip with a character for each byte', { content: { text: gzip.toString('latin1') }, headers: GZIP }, UNDECODED],
  ['a part of the body', { response: { status: 206 } }, NOT_WHOLE],
  ['an interim answer', { response: { status: 103 } }, 'without an answer'],
  ['an answer to an idle connection', { response: { status: 408 } }, 'without an answer'],
  ['a body that is not recorded', created(undefined, { bodySize: -1, headers: pairs(LONG) }), REQUEST_CUT],
  ['a body whose size is not recorded', created(undefined, { bodySize: -1 }), REQUEST_CUT],
  ['bodies of requests that are never recorded', created(undefined, { bodySize: 0 }), REQUEST_CUT],
  ['Insomnia: a file in base64, without a note', created({ text: toBase64(SENT).text }, { bodySize: -1 }), REQUEST_CUT],
  ['parameters of a form only', created({ params: pairs({ a: 'b' }) }, { bodySize: -1 }), REQUEST_CUT],
  ['another operation', { request: { url: `${BASE}/basket` } }, 'not of an operation of the contract'],
  ['a request that is null', { entry: { request: null } }, 'not valid HAR 1.2'],
  ['an address that is missing', { request: { url: undefined } }, 'not valid HAR 1.2'],
  ['another address', { request: { url: 'https://other.example/shop/v1/pets' } }, 'of another address'],
  ['a longer path', { request: { url: `${BASE}0/pets` } }, 'of another address'],
];

for (const [title, changes, reason] of skipped)
  test(`not judged: ${title}`, () => {
    const traffic = convertTraffic([entry(), entry(changes)], BASE);
    expect(traffic.skipped).toEqual({ [reason]: 1 });
    expect(traffic.exchanges).toHaveLength(1);
  });

const violated = (changes: Changes, base = BASE): string[] => {
  const { exchanges, skipped: left } = convertTraffic([entry(changes)], base);
  expect(left).toEqual({});
  return findBroken(exchanges);
};

const KEY = pairs({ Authorization: 'Bearer a-key-of-others-1' });
const LARGER = { size: BYTES + 20 };

const complete: [title: string, Changes, base?: string][] = [
  ['as it is', {}],
  ['mitmproxy: the size of the encoded body, which is larger', { content: { ...LARGER, compression: -20 } }],
  ['the size of an encoded body', { content: LARGER, response: { bodySize: BYTES + 20 }, headers: GZIP }],
  ['sizes that are unknown', { content: { size: -1 }, request: { bodySize: -1 } }],
  ['a size of 0 beside a text', { content: { size: 0 } }],
  ['characters instead of bytes', { content: { size: LIST.length } }],
  ['chrome-har: the text and the bytes that came', { content: { size: BYTES + LIST.length } }],
  ['axios-har-tracker: a header that was not sent', { request: { headers: [{ name: 'Content-Type' }, ...KEY] } }],
  ['mitmproxy: a number', { request: { headers: [...KEY, { name: 'Content-Length', value: 0 }] } }],
  ['null', { content: { size: null, encoding: null }, request: { postData: null, queryString: null } }],
  ['Playwright: caches that are null', { entry: { cache: { beforeRequest: null, afterRequest: null } } }],
  ['Safari: a network load', { entry: { _fetchType: 'Network Load' } }],
  ['base64', { content: toBase64(LIST) }],
  ['base64 of gzip', { content: toBase64(gzip), headers: GZIP }],
  ['base64 of deflate', { content: toBase64(deflateSync(LIST)), headers: { 'content-encoding': 'deflate' } }],
  ['decoded base64 of an answer in gzip', { content: toBase64(LIST), headers: GZIP }],
  ['the port 443', { request: { url: `https://store.example:443/shop/v1/pets?limit=2` } }],
  ['a user and a fragment', { request: { url: 'https://user:word@store.example/shop/v1/pets?limit=2#top' } }],
  ['the port, capitals and a slash in the address', {}, 'https://STORE.example:443/shop/v1/'],
  ['joined headers, as Chrome writes them', { headers: { 'Set-Cookie': 'a=1\nb=2' } }],
];

for (const [title, changes, base] of complete)
  test(`judged, and conforms: ${title}`, () => expect(violated(changes, base)).toEqual([]));

test('what the service sent is judged after it was undone', () => {
  expect(violated({ content: { text: '[{}]', size: -1 } })).toEqual(['pets.schema']);
  expect(violated({ content: { size: -1, ...toBase64(gzipSync('[{}]')) }, headers: GZIP })).toEqual(['pets.schema']);
  expect(violated({ content: { size: -1, ...toBase64(Buffer.from(LIST, 'latin1')) } })).toEqual(['service.json']);
  expect(violated({ headers: { 'X-RateLimit-Limit': '60\n60' } })).toEqual([]);
});

const read = (changes: Changes): Exchange | undefined => convertTraffic([entry(changes)], BASE).exchanges[0];

test('an id in another notation is kept, and so is an animal that came with an undocumented success', () => {
  const kept = (id: string) => read({ request: { url: `${BASE}/pets/${id}`, queryString: [] } })?.request.target;
  for (const id of ['%2B4', '0x4']) expect(kept(id)).toBe(`/pets/${id}`);
  expect(kept('0x0123456789abcdef0')).toBe('/pets/redacted-1');
  const added = { ...created({ mimeType: 'application/json', text: SENT }), response: { status: 200 } };
  expect(read(added)?.response?.body).toBe(JSON.stringify(pet(7, { name: 'redacted-1' })));
});

test('a name is hidden, and still one that a service may refuse or change', () => {
  const names = ['', 'x'.repeat(300), 'Rex\0', 'Rex\ud83e', 'Re\nx', 'Rex ', 'Zoe\u0308', 'Zoe'];
  const texts = names.map((name) => JSON.stringify({ name, categoryId: 1 }));
  const kept = texts.flatMap((text) => read(created({ text }, { bodySize: -1 })) ?? []);
  const shown = kept.map((each) => new Step(each).request.deviations.map(({ title }) => title).join());
  const odd = ['is empty', 'has more than 255 characters', 'holds U+0000', 'holds half a surrogate pair'];
  const more = ['holds a line break', 'has a blank at either end', 'is decomposed'];
  expect(shown).toEqual([...[...odd, ...more].map((words) => `name ${words}`), '']);
});

test('parameters that are only in queryString are part of the request', () => {
  const asked = (url: string, queryString: object[]) =>
    read({ request: { url: `${BASE}${url}`, queryString } })?.request.target;
  // Insomnia.
  expect(asked('/pets', pairs({ limit: '1', status: 'sold' }))).toBe('/pets?limit=1&status=sold');
  expect(asked('/pets?limit=1', pairs({ status: 'sold' }))).toBe('/pets?limit=1&status=sold');
  expect(asked('/pets', [{ name: 'limit', value: '1', disabled: true }])).toBe('/pets');
  expect(asked('/pets', pairs({ status: '\ud83e' }))).toBe('/pets?status=redacted-1');
  expect(asked('/pets?limit=1?status=sold', [])).toBe('/pets?limit=redacted-1');
  // Chrome, which leaves them encoded.
  expect(asked('/pets?st%61tus=sold', pairs({ 'st%61tus': 'sold' }))).toBe('/pets?status=sold');
});

test('a request body that is base64 is undone, and one of another length may be refused', () => {
  for (const [postData, isValid] of [
    [{ text: SENT }, true],
    [toBase64(SENT), true],
    [{ text: `${SENT} ` }, false],
  ] as const)
    expect(new Step(read(created(postData)) as Exchange).isValid).toBe(isValid);
});

const without = pairs({ ':authority': 'store.example' });
const refused = (status: number): Changes => ({
  response: { status },
  content: { size: -1, text: JSON.stringify(error(status)) },
});

test('a request whose credential the recorder left out counts as one with the key, unless it got 401', () => {
  expect(violated({ request: { headers: without } })).toEqual([]);
  expect(violated({ request: { headers: without }, ...refused(401) })).toEqual(['auth.challenge']);
  expect(read({ request: { headers: without }, ...refused(403) })?.credential).toBe('key');
  // What orders answer is not shown.
  expect(violated({ request: { url: `${BASE}/store/orders`, queryString: [] }, ...refused(403) })).toEqual([]);
});

test('a credential that got 401 or 403 counts as a wrong or missing one, where the recorder keeps credentials', () => {
  for (const [headers, credential] of [
    [without, 'none'],
    [pairs({ Authorization: 'Basic abcdefgh' }), 'unknown'],
  ] as const)
    for (const status of [401, 403]) {
      const more = [status, 500].map((each) => entry({ request: { headers }, ...refused(each) }));
      const { exchanges } = convertTraffic([entry(), ...more], BASE);
      expect(exchanges.map((each) => each.credential)).toEqual(['key', credential, credential]);
      const broken = status === 401 ? 'auth.challenge' : credential === 'none' ? 'auth.missing' : 'auth.invalid';
      expect(findBroken(exchanges)).toContain(broken);
    }
});

test('a key that got 401 before its first or after its last acceptance may have been invalid then', () => {
  const brokenBy = (value: string, ...statuses: number[]): string[] => {
    const headers = pairs({ Authorization: value });
    const at = (i: number) => ({ entry: { startedDateTime: new Date((NOW + 9 * i) * 1000).toISOString() } });
    const entries = statuses.map((status, i) =>
      entry({ request: { headers }, ...(status !== 200 && refused(status)), ...at(i) }),
    );
    return findBroken(convertTraffic(entries, BASE).exchanges);
  };
  const broken = (...statuses: number[]): string[] => brokenBy('Bearer a-key-of-others-1', ...statuses);
  // The check of a limit, or of an address, may come before that of the key.
  for (const lawful of [broken(200, 401), broken(401, 200), broken(429, 401, 429), broken(404, 401, 404)])
    expect(lawful).not.toContain('auth.valid');
  expect(broken(200, 401, 200)).toContain('auth.valid');
  // It may be another one each time.
  const words =
    'undefined YOUR_API_KEY censored *** <redacted> [FILTERED] xxxxx abc…xyz REDACTED_TOKEN XXXX-XXXX {{token}}';
  const masks = words.split(' ').map((each) => `Bearer ${each}`);
  for (const mask of ['[Authorization redacted]', 'Sanitized', 'Bearer', ...masks])
    expect(brokenBy(mask, 200, 401, 200)).toEqual(['auth.challenge']);
});

test('of a recorder that keeps no body of a response, none is judged', () => {
  const bare = entry({ content: { size: 0, text: '' } });
  expect(convertTraffic([bare], BASE).skipped).toEqual({ 'without a body': 1 });
  const { exchanges } = convertTraffic([bare, entry({ request: { url: `${BASE}/pets` } })], BASE);
  expect(findBroken(exchanges)).toContain('service.json');
});

test('a masked key does not count as missing, and differs from the key of another mask', () => {
  const masked = ['***', 'a***1'].map((mask) => pairs({ Authorization: `Bearer ${mask}` }));
  const entries = masked.map((headers) => entry({ request: { headers }, ...refused(403) }));
  const steps = convertTraffic([entry(), ...entries], BASE).exchanges.map((each) => new Step(each));
  expect(steps.map(({ request }) => request.credential)).toEqual(['key', 'key', 'key']);
  expect(new Set(steps.map(({ key }) => key)).size).toBe(3);
});

test('a request is one without a key if it has nothing in which a key may have come', () => {
  const [accept, key] = [{ Accept: '*/*' }, { Authorization: 'Bearer a-key-of-others-1' }];
  const both = { ...accept, ...key, 'X-API-Key': 'abc' };
  const traffic = (request: Part, first: Record<string, string> = { ...accept, ...key }): Exchange[] =>
    convertTraffic([entry({ request: { headers: pairs(first) } }), entry({ request })], BASE).exchanges;
  expect(findBroken(traffic({ headers: pairs(accept) }))).toEqual(['auth.missing']);
  for (const exchanges of [
    traffic({ headers: pairs({ ...accept, Cookie: 'a=b' }) }),
    traffic({ headers: pairs({ ...accept, 'X-Key-Of-A-Gateway': 'abc' }) }),
    // The recorder may have lost all headers.
    traffic({ headers: [] }),
    traffic({ headers: pairs(accept), cookies: pairs({ session: 'abc' }) }, both),
    traffic({ headers: pairs(accept), url: 'https://user:word@store.example/shop/v1/pets?limit=2' }, both),
    traffic({ headers: pairs({ ...accept, 'X-API-Key': 'abc' }) }, both),
  ])
    expect(exchanges.map(({ credential }) => credential)).toEqual(['key', 'key']);
});

test('a method that the contract does not have is kept if it may have changed an item', () => {
  const kept = read({ request: { method: 'DELETE', url: `${BASE}/pets/7`, queryString: [] } });
  const step = kept && new Step(kept);
  expect([step?.operation?.id, step?.isValid, step?.request.id]).toEqual([undefined, false, '7']);
});

test('an answer may have come later than rounded times show, up to a second for whole seconds', () => {
  const addAt = (seconds: number, lost = 'Date'): string[] => {
    const startedDateTime = new Date((NOW + seconds) * 1000).toISOString();
    const addition = entry({ ...created({ text: SENT }), entry: { startedDateTime } });
    const entries = JSON.parse(JSON.stringify([entry(), addition]).replaceAll(`"${lost}"`, '"Lost"')) as unknown[];
    return findBroken(convertTraffic(entries, BASE).exchanges);
  };
  // Both have one Date.
  expect(addAt(8, 'none')).not.toContain('add.id.unique');
  expect(addAt(1)).not.toContain('add.id.unique');
  expect(addAt(1.001)).toContain('add.id.unique');
  // A millisecond after the list, by times that are rounded.
  expect(addAt(0.006)).not.toContain('add.id.unique');
  expect(addAt(0.008)).toContain('add.id.unique');
});

test('a recorder that writes the time of the export is not believed', () => {
  const late = { entry: { startedDateTime: new Date((NOW + 86_400) * 1000).toISOString() } };
  expect(violated(late)).toEqual([]);
  expect(read(late)?.at).toBe(NOW * 1000 - 5);
  // Also soon after the traffic, where answers that came at one moment have Dates that do not.
  const dated = [NOW, NOW + 20].map((seconds) => entry({ headers: { Date: new Date(seconds * 1000).toUTCString() } }));
  expect(convertTraffic(dated, BASE).exchanges.map(({ at }) => at - NOW * 1000)).toEqual([-5, 19_995]);
});
