/** Faults of redirects, of rate-limit headers and clocks, and targets that refuse everything. */
import type { Service } from '../../../../fixtures/reference/service.ts';
import {
  answering,
  type Fault,
  headers,
  instead,
  lawful,
  onRefusals,
  rateOf,
  throttled,
  unjudged,
  violating,
  withHeaders,
} from '../fault.ts';
import type { Asked, Handle } from '../server.ts';

const redirecting =
  (status: number, which: (asked: Asked) => boolean): Handle =>
  (asked, ask) =>
    which(asked)
      ? {
          status,
          headers: [...Object.entries(rateOf(asked)), ['Location', `${asked.elsewhere}${asked.path}`]],
          body: Buffer.alloc(0),
        }
      : ask();

const reset = (make: (reset: number) => string): Handle =>
  headers(({ headers: own }) => ({
    'X-RateLimit-Reset': make(Number(own.find(([name]) => name === 'x-ratelimit-reset')?.[1])),
  }));
const retry = (make: string | ((seconds: number) => string | undefined)): Handle =>
  headers(
    ({ headers: own }) => ({
      'Retry-After': typeof make === 'string' ? make : make(Number(own.find(([name]) => name === 'retry-after')?.[1])),
    }),
    onRefusals,
  );
const now = (): number => Date.now() / 1000;

/** Shifts the clock, in Date and in Reset. */
const off =
  (seconds: number) =>
  (service: Service): void => {
    service.now = () => Date.now() + seconds * 1000;
  };
const dated = (date: () => string | undefined): Handle => headers(() => ({ Date: date() }));
const utc = (seconds: number): string => new Date(Date.now() + seconds * 1000).toUTCString();

const from =
  (count: number, handle: Handle): Handle =>
  (asked, ask) =>
    asked.count >= count ? handle(asked, ask) : ask();

/** A clock ten minutes ahead, and a date as `asctime` writes it. */
const inAsctime: Handle = (asked, ask) =>
  retry((seconds) =>
    utc(600 + seconds + 1).replace(
      /^(\w+), (\d+) (\w+) (\d+) (\S+) GMT$/,
      (_, day, date: string, month, year, time) => `${day} ${month} ${date.replace(/^0/, ' ')} ${time} ${year}`,
    ),
  )(asked, async () => withHeaders(await ask(), { Date: utc(600) }));

const error = (status: number): string => JSON.stringify({ code: 'no', message: 'no', status });
const unavailable = instead(503, '<html><h1>503 Service Unavailable</h1></html>', { 'Content-Type': 'text/html' });
const refused = instead(429, error(429), { 'Retry-After': '1' });
const all = (value: string): Record<string, string> =>
  Object.fromEntries(['Limit', 'Remaining', 'Reset'].map((name) => [`X-RateLimit-${name}`, value]));

export const limits: readonly Fault[] = [
  ...lawful('redirect', {
    'Location, Content-Location, Link and Refresh name another host in every answer': headers(
      (_answer, { elsewhere, path }) => ({
        Location: `${elsewhere}${path}`,
        'Content-Location': `${elsewhere}${path}`,
        Link: `<${elsewhere}/v1/pets?page=2>; rel="next"`,
        Refresh: `0; url=${elsewhere}`,
      }),
    ),
  }),
  ...unjudged('redirect', {
    'every request': ['and this suite follows no redirect', redirecting(302, () => true), { requests: 8 }],
  }),
  ...violating('redirect', {
    'additions, with 307': [
      ['service.no-undocumented-status', 'add.created'],
      redirecting(307, ({ method }) => method === 'POST'),
      { also: '*' },
    ],
    'unauthenticated requests': [['auth.missing', 'auth.invalid'], redirecting(302, ({ hasKey }) => !hasKey)],
  }),
  ...lawful('rate headers', {
    'all three are sent twice, with one value': answering(({ headers: own }) => ({
      headers: [...own, ...own.filter(([name]) => name.startsWith('x-ratelimit'))],
    })),
    'Reset has a fraction, with throttling': throttled(reset((at) => `${at - 0.25}`)),
  }),
  ...violating('rate headers', {
    'all three are NaN': [['rate.limit.value', 'rate.remaining.value', 'rate.reset.value'], headers(all('NaN'))],
    'all three are 10^30': [['rate.reset.value'], headers(all(`1${'0'.repeat(30)}`))],
    'Limit is 1000, 1000;w=60': [['rate.limit.value'], headers({ 'X-RateLimit-Limit': '1000, 1000;w=60' })],
    'Reset is in milliseconds': [['rate.reset.value'], throttled(reset((at) => String(at * 1000)))],
    'Reset in seconds left': [
      ['rate.reset.value'],
      throttled(reset((at) => String(Math.max(0, Math.ceil(at - now()))))),
    ],
  }),
  ...lawful('retry-after', {
    'an HTTP date': throttled(retry((seconds) => utc(seconds + 1))),
    'an HTTP date in asctime format, by a clock ten minutes ahead': throttled(inAsctime, off(600)),
  }),
  ...unjudged('retry-after', {
    'in milliseconds': ['is 15.8 hours; seconds are specified: milliseconds?', throttled(retry('56917'))],
    '10^20 in digits': ['more than MAX_WAIT', throttled(retry(`1${'0'.repeat(20)}`))],
  }),
  ...violating('retry-after', { '1e20': [['throttle.retry-after'], throttled(retry('1e20'))] }),
  ...lawful('clock', {
    'ten minutes ahead, with throttling': throttled(
      dated(() => utc(600)),
      off(600),
    ),
    'ten minutes behind, with throttling': throttled(
      dated(() => utc(-600)),
      off(-600),
    ),
    'Date is not a date': dated(() => 'yesterday'),
  }),
  ...violating('clock', {
    'Date is in 1970, and Reset is right': [['rate.reset.value'], dated(() => new Date(0).toUTCString())],
  }),
  ...lawful('refusal', {
    'every 30th request, 429 with Retry-After: 1': [
      (asked, ask) => (asked.count % 30 === 0 ? refused(asked, ask) : ask()),
      { waits: true, seconds: 60 },
    ],
  }),
  ...unjudged('refusal', {
    'always 429 with Retry-After: 1': ['rejects every request', refused, { requests: 6, waits: true, seconds: 45 }],
    'every request, 429 without any header': [
      'rate limited',
      () => ({ status: 429, headers: [], body: Buffer.alloc(0) }),
      { requests: 2 },
    ],
    '429 from the 30th on': ['rate limited', from(30, refused), { requests: 45, waits: true, seconds: 60 }],
    'every request, 503': ['is not available', unavailable, { requests: 4 }],
    'every request, 403': ['rejects every request', instead(403, error(403)), { requests: 4 }],
  }),
  ...violating('refusal', {
    'every request, 500': [['service.no-server-error'], instead(500, error(500)), { also: ['orders.exists'] }],
    '503 from the 40th': [
      ['service.no-server-error'],
      from(40, unavailable),
      { also: ['orders.exists'], requests: 160 },
    ],
    'a gateway answers every 9th request 503, with a page': [
      ['service.no-server-error'],
      (asked, ask) => (asked.count % 9 === 0 ? unavailable(asked, ask) : ask()),
      { requests: 150 },
    ],
  }),
];
