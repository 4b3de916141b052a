/** Faults of redirects, of rate-limit headers and clocks, and targets that refuse everything. */
import type { Service } from '../../../../fixtures/reference/service.ts';
import {
  answering,
  every,
  type Fault,
  headers,
  instead,
  onRefusals,
  rateOf,
  spoiling,
  THROTTLED,
  WITH_THROTTLING,
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
const error = (status: number): string => JSON.stringify({ code: 'no', message: 'no', status });
const html = { 'Content-Type': 'text/html' };

export const limits: readonly Fault[] = [
  ...spoiling('redirect', {
    'to-another-host': {
      title: 'every request is redirected to another host',
      handle: redirecting(302, () => true),
      verdict: 'cantTell',
      cause: 'and this suite follows no redirect',
      requests: 8,
    },
    'of-additions': {
      title: 'additions are redirected to another host with 307',
      handle: redirecting(307, ({ method }) => method === 'POST'),
      verdict: 'violates',
      breaks: ['service.no-undocumented-status', 'add.created'],
      also: '*',
    },
    'of-strangers': {
      title: 'unauthenticated requests are redirected to a login page',
      handle: redirecting(302, ({ hasKey }) => !hasKey),
      verdict: 'violates',
      breaks: ['auth.missing', 'auth.invalid'],
    },
    'named-everywhere': {
      title: 'Location, Content-Location, Link and Refresh name another host in every answer',
      handle: headers((_answer, { elsewhere, path }) => ({
        Location: `${elsewhere}${path}`,
        'Content-Location': `${elsewhere}${path}`,
        Link: `<${elsewhere}/v1/pets?page=2>; rel="next"`,
        Refresh: `0; url=${elsewhere}`,
      })),
      verdict: 'conforms',
    },
  }),
  ...spoiling('rate headers', {
    absent: {
      title: 'the rate-limit headers are missing',
      handle: headers({
        'X-RateLimit-Limit': undefined,
        'X-RateLimit-Remaining': undefined,
        'X-RateLimit-Reset': undefined,
      }),
      verdict: 'violates',
      breaks: ['rate.headers'],
    },
    'negative-remaining': {
      title: 'X-RateLimit-Remaining is negative',
      handle: headers({ 'X-RateLimit-Remaining': '-5' }),
      verdict: 'violates',
      breaks: ['rate.remaining.value'],
    },
    'no-numbers': {
      title: 'Limit, Remaining and Reset are NaN, Infinity and never',
      handle: headers({
        'X-RateLimit-Limit': 'NaN',
        'X-RateLimit-Remaining': 'Infinity',
        'X-RateLimit-Reset': 'never',
      }),
      verdict: 'violates',
      breaks: ['rate.limit.value', 'rate.remaining.value', 'rate.reset.value'],
    },
    'beyond-every-number': {
      title: 'all three are 10^30',
      handle: headers(
        Object.fromEntries(
          ['Limit', 'Remaining', 'Reset'].map((name) => [`X-RateLimit-${name}`, `1${'0'.repeat(30)}`]),
        ),
      ),
      verdict: 'violates',
      breaks: ['rate.reset.value'],
    },
    'a-policy': {
      title: 'X-RateLimit-Limit carries its policy: 1000, 1000;w=60',
      handle: headers({ 'X-RateLimit-Limit': '1000, 1000;w=60' }),
      verdict: 'violates',
      breaks: ['rate.limit.value'],
    },
    repeated: {
      title: 'all three are sent twice, with one value',
      handle: answering(({ headers: own }) => ({
        headers: [...own, ...own.filter(([name]) => name.startsWith('x-ratelimit'))],
      })),
      verdict: 'conforms',
    },
    'reset-in-seconds-to-go': {
      title: 'X-RateLimit-Reset is the number of seconds left',
      handle: reset((at) => String(Math.max(0, Math.ceil(at - now())))),
      ...WITH_THROTTLING,
      verdict: 'violates',
      breaks: ['rate.reset.value'],
    },
    'reset-in-milliseconds': {
      title: 'X-RateLimit-Reset is in milliseconds',
      handle: reset((at) => String(at * 1000)),
      ...WITH_THROTTLING,
      verdict: 'violates',
      breaks: ['rate.reset.value'],
    },
    'reset-long-past': {
      title: 'X-RateLimit-Reset is 0',
      handle: reset(() => '0'),
      ...WITH_THROTTLING,
      verdict: 'violates',
      breaks: ['rate.reset.value'],
    },
    'reset-with-a-fraction': {
      title: 'X-RateLimit-Reset has a fraction, with throttling',
      handle: reset((at) => `${at - 0.25}`),
      ...WITH_THROTTLING,
      verdict: 'conforms',
    },
  }),
  ...spoiling('retry-after', {
    absent: {
      title: 'a 429 has no Retry-After',
      handle: retry(() => undefined),
      ...WITH_THROTTLING,
      verdict: 'violates',
      breaks: ['throttle.retry-after'],
    },
    '1e20': {
      title: 'Retry-After: 1e20',
      handle: retry('1e20'),
      ...WITH_THROTTLING,
      verdict: 'violates',
      breaks: ['throttle.retry-after'],
    },
    milliseconds: {
      title: 'Retry-After is in milliseconds',
      handle: retry('56917'),
      ...WITH_THROTTLING,
      verdict: 'cantTell',
      cause: 'is 15.8 hours; seconds are specified: milliseconds?',
    },
    'for-ever': {
      title: 'Retry-After is 10^20 in digits',
      handle: retry(`1${'0'.repeat(20)}`),
      ...WITH_THROTTLING,
      verdict: 'cantTell',
      cause: 'more than MAX_WAIT',
    },
    negative: {
      title: 'Retry-After: -1',
      handle: retry('-1'),
      ...WITH_THROTTLING,
      verdict: 'violates',
      breaks: ['throttle.retry-after'],
    },
    'as-a-date': {
      title: 'Retry-After is an HTTP date',
      handle: retry((seconds) => utc(seconds + 1)),
      ...WITH_THROTTLING,
      verdict: 'conforms',
    },
    'as-an-old-date': {
      title: 'Retry-After is an HTTP date in asctime format, by a clock ten minutes ahead',
      handle: (asked, ask) =>
        retry((seconds) =>
          utc(600 + seconds + 1).replace(
            /^(\w+), (\d+) (\w+) (\d+) (\S+) GMT$/,
            (_, day, date: string, month, year, time) => `${day} ${month} ${date.replace(/^0/, ' ')} ${time} ${year}`,
          ),
        )(asked, async () => withHeaders(await ask(), { Date: utc(600) })),
      service: off(600),
      ...WITH_THROTTLING,
      verdict: 'conforms',
    },
  }),
  ...spoiling('clock', {
    ahead: {
      title: 'the clock is ten minutes ahead, with throttling',
      service: off(600),
      handle: dated(() => utc(600)),
      ...WITH_THROTTLING,
      verdict: 'conforms',
    },
    behind: {
      title: 'the clock is ten minutes behind, with throttling',
      service: off(-600),
      handle: dated(() => utc(-600)),
      ...WITH_THROTTLING,
      verdict: 'conforms',
    },
    'date-no-date': { title: 'Date is not a date', handle: dated(() => 'yesterday'), verdict: 'conforms' },
    'date-of-1970': {
      title: 'Date is in 1970, and Reset is right',
      handle: dated(() => new Date(0).toUTCString()),
      verdict: 'violates',
      breaks: ['rate.reset.value'],
    },
  }),
  ...spoiling('refusal', {
    '429-to-everything': {
      title: 'every request is answered 429, with Retry-After: 1',
      handle: instead(429, error(429), { 'Retry-After': '1' }),
      verdict: 'cantTell',
      cause: 'rejects every request',
      requests: 6,
      waits: true,
      seconds: 45,
    },
    '429-without-a-word': {
      title: 'every request is answered 429, with neither Retry-After nor rate-limit headers',
      handle: () => ({ status: 429, headers: [], body: Buffer.alloc(0) }),
      verdict: 'cantTell',
      cause: 'rate limited',
      requests: 2,
    },
    '429-from-the-30th-on': {
      title: 'every request from the 30th on is answered 429, with Retry-After: 1',
      handle: from(30, instead(429, error(429), { 'Retry-After': '1' })),
      verdict: 'cantTell',
      cause: 'rate limited',
      requests: 45,
      waits: true,
      seconds: 60,
    },
    '429-now-and-then': {
      title: 'every 30th request is answered 429, with Retry-After: 1',
      handle: (asked, ask) =>
        asked.count % 30 === 0 ? instead(429, error(429), { 'Retry-After': '1' })(asked, ask) : ask(),
      verdict: 'conforms',
      waits: true,
      seconds: 60,
    },
    '503-to-everything': {
      title: 'every request is answered 503',
      handle: instead(503, '<html><h1>503 Service Unavailable</h1></html>', html),
      verdict: 'cantTell',
      cause: 'is not available',
      requests: 4,
    },
    '403-to-everything': {
      title: 'every request is answered 403',
      handle: instead(403, error(403)),
      verdict: 'cantTell',
      cause: 'rejects every request',
      requests: 4,
    },
    '401-to-everything': {
      title: 'every request is answered 401',
      handle: instead(401, error(401)),
      verdict: 'cantTell',
      cause: 'rejects the key',
      requests: 4,
    },
    '404-to-everything': {
      title: 'every request is answered 404',
      handle: instead(404, error(404)),
      verdict: 'cantTell',
      cause: 'has neither GET /pets nor GET /store/orders',
      requests: 4,
    },
    '500-to-everything': {
      title: 'every request is answered 500',
      handle: instead(500, error(500)),
      verdict: 'violates',
      also: ['orders.exists'],
      breaks: ['service.no-server-error'],
    },
    '503-from-the-40th-on': {
      title: 'every request from the 40th on is answered 503',
      handle: from(40, instead(503, '<html><h1>503 Service Unavailable</h1></html>', html)),
      verdict: 'violates',
      also: ['orders.exists'],
      breaks: ['service.no-server-error'],
      requests: 160,
    },
    '502-now-and-then': {
      title: 'a gateway answers every 9th request 502, with a page',
      handle: (asked, ask) =>
        every(9)(asked, {} as never) ? instead(502, '<html><h1>502 Bad Gateway</h1></html>', html)(asked, ask) : ask(),
      verdict: 'violates',
      breaks: ['service.no-server-error'],
      requests: 150,
    },
    'a-wrong-key-for-throttling': {
      title: 'THROTTLE_API_KEY is not known',
      env: { ...THROTTLED, THROTTLE_API_KEY: 'no-such-key-0815' },
      verdict: 'error',
      cause: 'rejects THROTTLE_API_KEY',
      requests: 3,
    },
  }),
];
