/** Faults of redirects, of rate-limit headers and clocks, and targets that refuse everything. */
import type { Service } from '../../../../fixtures/reference/service.ts';
import { faultsOf, headers, instead, throttled, when, withHeaders } from '../fault.ts';
import type { Handle } from '../server.ts';

const redirecting =
  (status: number): Handle =>
  (asked, ask) =>
    instead(status, '', { Location: `${asked.elsewhere}${asked.path}` })(asked, ask);

const retry = (make: (seconds: number) => string): Handle =>
  headers(
    ({ headers: own }) => ({ 'Retry-After': make(Number(own.find(([name]) => name === 'retry-after')?.[1])) }),
    (_asked, { status }) => status === 429,
  );

/** Shifts the clock, in Date and in Reset. */
const off =
  (seconds: number) =>
  (service: Service): void => {
    service.now = () => Date.now() + seconds * 1000;
  };
const dated = (date: () => string): Handle => headers(() => ({ Date: date() }));
const utc = (seconds: number): string => new Date(Date.now() + seconds * 1000).toUTCString();

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

export const limits = [
  ...faultsOf('redirect', {
    'Location, Content-Location, Link and Refresh name another host in every answer': [
      [],
      headers((_answer, { elsewhere, path }) => ({
        Location: `${elsewhere}${path}`,
        'Content-Location': `${elsewhere}${path}`,
        Link: `<${elsewhere}/v1/pets?page=2>; rel="next"`,
        Refresh: `0; url=${elsewhere}`,
      })),
    ],
    'every request': ['and this suite follows no redirect', redirecting(302), { requests: 8 }],
    'additions, with 307': [
      ['service.no-undocumented-status', 'add.created'],
      when(({ method }) => method === 'POST', redirecting(307)),
      { also: '*' },
    ],
    'unauthenticated requests': [['auth.missing', 'auth.invalid'], when(({ hasKey }) => !hasKey, redirecting(302))],
  }),
  ...faultsOf('rate headers', {
    'Reset has a fraction, with throttling': [
      [],
      throttled(
        headers(({ headers: own }) => ({
          'X-RateLimit-Reset': `${Number(own.find(([name]) => name === 'x-ratelimit-reset')?.[1]) - 0.25}`,
        })),
      ),
    ],
    'all three are 10^30': [
      ['rate.reset.value'],
      headers(
        Object.fromEntries(
          ['Limit', 'Remaining', 'Reset'].map((name) => [`X-RateLimit-${name}`, `1${'0'.repeat(30)}`]),
        ),
      ),
    ],
  }),
  ...faultsOf('retry-after', {
    'an HTTP date in asctime format, by a clock ten minutes ahead': [[], throttled(inAsctime, off(600))],
    'in milliseconds': ['is 15.8 hours; seconds are specified: milliseconds?', throttled(retry(() => '56917'))],
    '10^20 in digits': ['more than MAX_WAIT', throttled(retry(() => `1${'0'.repeat(20)}`))],
    '1e20': [['throttle.retry-after'], throttled(retry(() => '1e20'))],
  }),
  ...faultsOf('clock', {
    'ten minutes behind, with throttling': [
      [],
      throttled(
        dated(() => utc(-600)),
        off(-600),
      ),
    ],
    'Date is not a date': [[], dated(() => 'yesterday')],
    'Date is in 1970, and Reset is right': [['rate.reset.value'], dated(() => new Date(0).toUTCString())],
  }),
  ...faultsOf('refusal', {
    'every 30th request, 429 with Retry-After: 1': [
      [],
      when(({ count }) => count % 30 === 0, refused),
      { waits: true, seconds: 60 },
    ],
    'always 429 with Retry-After: 1': ['rejects every request', refused, { requests: 6, waits: true, seconds: 45 }],
    'every request, 429 without any header': [
      'rate limited',
      () => ({ status: 429, headers: [], body: Buffer.alloc(0) }),
      { requests: 2 },
    ],
    '429 from the 30th on': [
      'rate limited',
      when(({ count }) => count >= 30, refused),
      { requests: 45, waits: true, seconds: 60 },
    ],
    'every request, 503': ['is not available', unavailable, { requests: 4 }],
    'every request, 403': ['rejects every request', instead(403, error(403)), { requests: 4 }],
    'every request, 500': [['service.no-server-error'], instead(500, error(500)), { also: ['orders.exists'] }],
    '503 from the 40th': [
      ['service.no-server-error'],
      when(({ count }) => count >= 40, unavailable),
      { also: ['orders.exists'], requests: 160 },
    ],
    'a gateway answers every 9th request 503, with a page': [
      ['service.no-server-error'],
      when(({ count }) => count % 9 === 0, unavailable),
      { requests: 150 },
    ],
  }),
];
