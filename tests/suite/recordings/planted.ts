/** A HAR of a browser with secrets in odd places, and how each secret may be written. */
import { NOW, pet } from '../unit/make.ts';

export const BASE = 'https://store.example/shop/v1';

/** By the place in which each is planted. None occurs in another place, unless the name tells where it recurs. */
export const SECRETS = {
  'an accepted bearer key, which an error repeats': 'Kx7-bearer-accepted-001',
  'a short bearer key, which an error repeats': 'k9z2',
  'a refused bearer key': 'Kx7-bearer-refused-002',
  'the password of Basic, which an error repeats': 'pA55-of-basic-003',
  'a cookie, which a body repeats': 'c00kie-session-004',
  'a cookie of the list of cookies only': 'c00kie-listed-005',
  'a cookie that is set': 'c00kie-set-006',
  'a code in Referer, which an error repeats decoded': 'r3ferer/code+007==',
  'a token of a cloud': 'FwoGZXIvYXdzEBYaD-008',
  'the e-mail in a JWT of a gateway, which an error repeats': 'ann009@example.org',
  'the key of a gateway': 'x-gateway-k3y-010',
  'a code in the query, which an error repeats encoded': 'q/code&of=oauth-011',
  'a signature in the query': 'sig012abcdef0123456789',
  'the name of a query parameter': 'sk4live4name013',
  'the password of the address': 'url-passw0rd-014',
  'the fragment of the address': 'fragment-t0ken-015',
  'an undocumented field': 'undocumented-f1eld-016',
  'a nested field': 'nested-f1eld-017',
  'the name of a field': 'sk_live_field_018x9',
  'a number': '7482910193',
  'an HTML page': 'html-page-s3cret-020',
  'a field of the request': 'request-f1eld-021',
  'an id in the path': 'path-1d-secret-022',
  Location: 'location-t0ken-023',
  'the realm of WWW-Authenticate': 'realm-n0nce-024',
  'a parameter of Content-Type': 'boundary-s3cret-025',
  'the password in the address of a database': 'db-passw0rd-026',
  'a token of another address, which an error repeats': 'other-0rigin-token-027',
  'a header of the rate limit': 'limit-s3cret-028',
  'an entity tag': 'etag-s3cret-029',
  'a comment of the tool': 'comment-s3cret-030',
  'a field of the tool': 'initiator-s3cret-031',
  'bytes that are not UTF-8': 'bytes-s3cret-032',
  'a word in the query, which an error repeats in capitals': 'openSesame',
  'a cookie, which an error repeats in base64': 'c00kie-base64-034',
} as const;

const secret = (place: keyof typeof SECRETS): string => SECRETS[place];
const base64 = (text: string): string => Buffer.from(text).toString('base64');

/** Each form in which a secret may have been written. */
export const formsOf = (text: string): string[] => [
  ...new Set([
    ...[text, encodeURIComponent(text), JSON.stringify(text).slice(1, -1), text.toUpperCase()],
    ...[base64(text), base64(`\0${text}`).slice(2, -3), base64(`\0\0${text}`).slice(3, -3)],
  ]),
];

const pairs = (headers: Record<string, string>): object[] =>
  Object.entries(headers).map(([name, value]) => ({ name, value }));

interface Given {
  method?: string;
  url?: string;
  sent?: object | undefined;
  cookies?: object[];
  headers?: Record<string, string>;
  status?: number;
  body?: object | string;
  encoding?: string;
  received?: Record<string, string>;
  more?: object;
}

let seconds = 0;

function entry(given: Given): object {
  const { method = 'GET', url = `${BASE}/pets`, sent, cookies = [], headers, status = 200, body = [pet()] } = given;
  seconds += 1;
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return {
    startedDateTime: new Date((NOW + seconds) * 1000).toISOString(),
    time: 5,
    request: {
      ...{ method, url, cookies, queryString: [], bodySize: -1 },
      headers: pairs({
        Authorization: `Bearer ${secret('an accepted bearer key, which an error repeats')}`,
        ...(sent && { 'Content-Type': 'application/json' }),
        ...headers,
      }),
      ...(sent && { postData: { mimeType: 'application/json', text: JSON.stringify(sent) } }),
    },
    response: {
      ...{ status, statusText: '', cookies: [], bodySize: -1 },
      headers: pairs({
        Date: new Date((NOW + seconds) * 1000).toUTCString(),
        'Content-Type': 'application/json',
        'X-RateLimit-Limit': '60',
        'X-RateLimit-Remaining': String(50 - seconds),
        'X-RateLimit-Reset': String(NOW + 60),
        ...given.received,
      }),
      content: { size: -1, text, ...(given.encoding && { encoding: given.encoding }) },
    },
    cache: {},
    ...given.more,
  };
}

const failed = (status: number, message: string, more: object = {}): Given => ({
  status,
  body: { code: 'x', message, status, ...more },
});

const jwt = (claims: object): string =>
  [{ alg: 'HS256' }, claims].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.');

/** The last lists show animals for a status that does not exist. */
export const planted = (): { log: { version: string; comment: string; entries: object[] } } => ({
  log: {
    ...{ version: '1.2', creator: { name: 'WebInspector', version: '537.36' } },
    comment: secret('a comment of the tool'),
    entries: [
      entry({
        url: 'https://login.example/token',
        body: { access_token: secret('a token of another address, which an error repeats') },
      }),
      entry({
        headers: {
          'Proxy-Authorization': `Basic ${base64(`ann:${secret('the password of Basic, which an error repeats')}`)}`,
          Cookie: `theme=dark; session=${secret('a cookie, which a body repeats')}; b=${secret('a cookie, which an error repeats in base64')}`,
          Referer: `https://shop.example/?code=${encodeURIComponent(secret('a code in Referer, which an error repeats decoded'))}`,
          'X-Amz-Security-Token': secret('a token of a cloud'),
          'Cf-Access-Jwt-Assertion': `${jwt({ email: secret('the e-mail in a JWT of a gateway, which an error repeats') })}.sig`,
          'Ocp-Apim-Subscription-Key': secret('the key of a gateway'),
          'If-None-Match': `"${secret('an entity tag')}"`,
          'Content-Type': `multipart/form-data; boundary=${secret('a parameter of Content-Type')}`,
        },
        cookies: [{ name: 'a', value: secret('a cookie of the list of cookies only') }],
        received: { 'Set-Cookie': `s=${secret('a cookie that is set')}; HttpOnly` },
        body: [pet(7, { name: `Rex ${secret('a cookie, which a body repeats')}` })],
        more: { _initiator: { url: `https://shop.example/${secret('a field of the tool')}` } },
      }),
      entry({
        url: `${BASE.replace('//', `//ann:${secret('the password of the address')}@`)}/pets?limit=2&code=${encodeURIComponent(secret('a code in the query, which an error repeats encoded'))}&X-Amz-Signature=${secret('a signature in the query')}&${secret('the name of a query parameter')}&word=${secret('a word in the query, which an error repeats in capitals')}#access_token=${secret('the fragment of the address')}`,
        body: [
          {
            ...pet(8),
            note: secret('an undocumented field'),
            deep: { er: [secret('a nested field')] },
            [secret('the name of a field')]: 1,
            otp: Number(secret('a number')),
          },
        ],
      }),
      entry({
        headers: { Authorization: `Bearer ${secret('a short bearer key, which an error repeats')}` },
        received: { 'WWW-Authenticate': `Bearer realm="${secret('the realm of WWW-Authenticate')}"` },
        ...failed(401, `the key ${secret('a short bearer key, which an error repeats')} is unknown`),
      }),
      entry({
        headers: { Authorization: `Bearer ${secret('a refused bearer key')}` },
        ...failed(401, 'unknown key'),
      }),
      entry({ status: 502, body: `<html>${secret('an HTML page')}</html>`, received: { 'Content-Type': 'text/html' } }),
      entry({
        ...{ method: 'POST', sent: { name: 'Tom', categoryId: 1, token: secret('a field of the request') } },
        ...{ status: 201, body: pet(9, { name: 'Tom' }) },
        received: { Location: `/shop/v1/pets/9?token=${secret('Location')}` },
      }),
      entry({ url: `${BASE}/pets/${secret('an id in the path')}`, ...failed(404, 'not found') }),
      entry({
        url: `${BASE}/pets/123`,
        ...failed(
          404,
          [
            secret('an accepted bearer key, which an error repeats'),
            secret('the password of Basic, which an error repeats'),
            secret('a code in Referer, which an error repeats decoded'),
            secret('the e-mail in a JWT of a gateway, which an error repeats'),
            encodeURIComponent(secret('a code in the query, which an error repeats encoded')),
            secret('a token of another address, which an error repeats'),
            secret('a word in the query, which an error repeats in capitals').toUpperCase(),
            base64(secret('a cookie, which an error repeats in base64')),
            `postgres://app:${secret('the password in the address of a database')}@db.internal/shop`,
          ].join(' '),
        ),
      }),
      entry({ received: { 'X-RateLimit-Limit': secret('a header of the rate limit') } }),
      entry({
        encoding: 'base64',
        body: Buffer.from(`\u00ff${secret('bytes that are not UTF-8')}`, 'latin1').toString('base64'),
      }),
      entry({ url: `${BASE}/pets?status=lost` }),
    ],
  },
});
