/** A HAR of a browser with secrets in odd places, and how each secret may be written. */
import { NOW, pet } from '../unit/make.ts';
import { BASE, entry as makeEntry, pairs } from './har.ts';

/** By the place in which each is planted. None occurs in another place, unless its name shows where it recurs. */
export const SECRETS = {
  bearer: 'Kx7-bearer-accepted-001',
  shortBearer: 'k9z2',
  refused: 'Kx7-bearer-refused-002',
  basic: 'pA55-of-basic-003',
  cookieInBody: 'c00kie-session-004',
  listedCookie: 'c00kie-listed-005',
  setCookie: 'c00kie-set-006',
  referer: 'r3ferer/code+007==',
  cloud: 'FwoGZXIvYXdzEBYaD-008',
  emailInJwt: 'ann009@example.org',
  gateway: 'x-gateway-k3y-010',
  code: 'q/code&of=oauth-011',
  signature: 'sig012abcdef0123456789',
  nameInQuery: 'sk4live4name013',
  userInfo: 'url-passw0rd-014',
  fragment: 'fragment-t0ken-015',
  field: 'undocumented-f1eld-016',
  nestedField: 'nested-f1eld-017',
  nameOfField: 'sk_live_field_018x9',
  number: '7482910193',
  page: 'html-page-s3cret-020',
  sentField: 'request-f1eld-021',
  id: 'path-1d-secret-022',
  location: 'location-t0ken-023',
  realm: 'realm-n0nce-024',
  boundary: 'boundary-s3cret-025',
  database: 'db-passw0rd-026',
  otherOrigin: 'other-0rigin-token-027',
  limit: 'limit-s3cret-028',
  entityTag: 'etag-s3cret-029',
  comment: 'comment-s3cret-030',
  ofTool: 'initiator-s3cret-031',
  bytes: 'bytes-s3cret-032',
  wordInCapitals: 'openSesame',
  cookieInBase64: 'c00kie-base64-034',
  bearerInName: 'Kx7-bearer-in-name-035',
} as const;
const secret = SECRETS;

const base64 = (text: string): string => Buffer.from(text).toString('base64');

/** Each form in which a secret may have been written. */
export const formsOf = (text: string): string[] => [
  ...new Set([
    ...[text, encodeURIComponent(text), JSON.stringify(text).slice(1, -1), text.toUpperCase()],
    ...[base64(text), base64(`\0${text}`).slice(2, -3), base64(`\0\0${text}`).slice(3, -3)],
  ]),
];

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
  const type = sent && { 'Content-Type': 'application/json' };
  return makeEntry({
    entry: { startedDateTime: new Date((NOW + seconds) * 1000).toISOString(), ...given.more },
    request: {
      ...{ method, url, cookies, queryString: [], bodySize: -1 },
      headers: pairs({ Authorization: `Bearer ${secret.bearer}`, ...type, ...headers }),
      ...(sent && { postData: { mimeType: 'application/json', text: JSON.stringify(sent) } }),
    },
    response: { status },
    headers: {
      Date: new Date((NOW + seconds) * 1000).toUTCString(),
      'X-RateLimit-Remaining': String(50 - seconds),
      'X-RateLimit-Reset': String(NOW + 60),
      ...given.received,
    },
    content: { size: -1, text: typeof body === 'string' ? body : JSON.stringify(body), encoding: given.encoding },
  });
}

const failed = (status: number, message: string): Given => ({ status, body: { code: 'x', message, status } });

const jwt = (claims: object): string =>
  [{ alg: 'HS256' }, claims].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.');

const UNDOCUMENTED = {
  ...{ note: secret.field, deep: { er: [secret.nestedField] } },
  ...{ [secret.nameOfField]: 1, otp: Number(secret.number) },
};

/** What the message of an error repeats. */
const REPEATED = [
  ...[secret.bearer, secret.basic, secret.referer, secret.emailInJwt, encodeURIComponent(secret.code)],
  ...[secret.otherOrigin, secret.wordInCapitals.toUpperCase(), base64(secret.cookieInBase64)],
  `postgres://app:${secret.database}@db.internal/shop`,
];

/** The last lists show animals for a status that does not exist. */
export const planted = (): { log: { version: string; comment: string; entries: object[] } } => ({
  log: {
    ...{ version: '1.2', creator: { name: 'WebInspector', version: '537.36' } },
    comment: secret.comment,
    entries: [
      entry({ url: 'https://login.example/token', body: { access_token: secret.otherOrigin } }),
      entry({
        headers: {
          'Proxy-Authorization': `Basic ${base64(`ann:${secret.basic}`)}`,
          Cookie: `theme=dark; session=${secret.cookieInBody}; b=${secret.cookieInBase64}`,
          Referer: `https://shop.example/?code=${encodeURIComponent(secret.referer)}`,
          'X-Amz-Security-Token': secret.cloud,
          'Cf-Access-Jwt-Assertion': `${jwt({ email: secret.emailInJwt })}.sig`,
          'Ocp-Apim-Subscription-Key': secret.gateway,
          'If-None-Match': `"${secret.entityTag}"`,
          'Content-Type': `multipart/form-data; boundary=${secret.boundary}`,
        },
        cookies: [{ name: 'a', value: secret.listedCookie }],
        received: { 'Set-Cookie': `s=${secret.setCookie}; HttpOnly` },
        body: [pet(7, { name: `Rex ${secret.cookieInBody}` })],
        more: { _initiator: { url: `https://shop.example/${secret.ofTool}` } },
      }),
      entry({
        url: `${BASE.replace('//', `//ann:${secret.userInfo}@`)}/pets?limit=2&code=${encodeURIComponent(secret.code)}&X-Amz-Signature=${secret.signature}&${secret.nameInQuery}&word=${secret.wordInCapitals}#access_token=${secret.fragment}`,
        body: [{ ...pet(8), ...UNDOCUMENTED }],
      }),
      entry({
        headers: { Authorization: `Bearer ${secret.shortBearer}` },
        received: { 'WWW-Authenticate': `Bearer realm="${secret.realm}"` },
        ...failed(401, `the key ${secret.shortBearer} is unknown`),
      }),
      entry({ headers: { Authorization: `Bearer ${secret.refused}` }, ...failed(401, 'unknown key') }),
      entry({ status: 502, body: `<html>${secret.page}</html>`, received: { 'Content-Type': 'text/html' } }),
      entry({
        ...{ method: 'POST', sent: { name: 'Tom', categoryId: 1, token: secret.sentField } },
        ...{ status: 201, body: pet(9, { name: 'Tom' }) },
        received: { Location: `/shop/v1/pets/9?token=${secret.location}` },
      }),
      entry({
        headers: { Authorization: `Bearer ${secret.bearerInName}` },
        body: [pet(10, { name: `Rex of my-${secret.bearerInName}` })],
      }),
      entry({ url: `${BASE}/pets/${secret.id}`, ...failed(404, 'not found') }),
      entry({ url: `${BASE}/pets/123`, ...failed(404, REPEATED.join(' ')) }),
      entry({ received: { 'X-RateLimit-Limit': secret.limit } }),
      entry({ encoding: 'base64', body: Buffer.from(`\u00ff${secret.bytes}`, 'latin1').toString('base64') }),
      entry({ url: `${BASE}/pets?status=lost` }),
    ],
  },
});
