/** Faults of redirects, of rate-limit headers and clocks, targets that refuse everything, and rate limiters: packages, and limits that end a run early. */
import { FixedWindow } from '../../../../fixtures/reference/limiter.ts';
import type { Service } from '../../../../fixtures/reference/service.ts';
import { variants } from '../../../../fixtures/reference/variants/index.ts';
import { faultsOf, headers, instead, throttled, waits, when } from '../fault.ts';
import type { packages } from '../packages.ts';
import type { Handle } from '../../gate/serve.ts';

const redirecting =
  (status: number): Handle =>
  (asked, ask) =>
    instead(status, '', { Location: `${asked.elsewhere}${asked.path}` })(asked, ask);

/** Names another host in every way. */
const pointingElsewhere = headers((_answer, { elsewhere, path }) => ({
  ...{ Location: `${elsewhere}${path}`, 'Content-Location': `${elsewhere}${path}` },
  ...{ Link: `<${elsewhere}/v1/pets?page=2>; rel="next"`, Refresh: `0; url=${elsewhere}` },
}));

const inMilliseconds = headers({ 'Retry-After': '56917' }, (_asked, { status }) => status === 429);
const ZEROS = '0'.repeat(30);
const HUGE = {
  'X-RateLimit-Limit': `1${ZEROS}`,
  'X-RateLimit-Remaining': `1${ZEROS}`,
  'X-RateLimit-Reset': `1${ZEROS}`,
};

const dated = (date: () => string): Handle => headers(() => ({ Date: date() }));

/** Ten minutes behind, in Date and in Reset. */
const now = (): number => Date.now() - 600_000;
const behind = throttled(
  dated(() => new Date(now()).toUTCString()),
  (service) => {
    service.now = now;
  },
);

const error = (status: number): string => JSON.stringify({ code: 'no', message: 'no', status });
const unavailable = instead(503, '<html><h1>503 Service Unavailable</h1></html>', { 'Content-Type': 'text/html' });
const refused = instead(429, error(429), { 'Retry-After': '1' });
const bare: Handle = () => ({ status: 429, headers: [], body: Buffer.alloc(0) });

/** Closes the connections of a key from its first 429 on. */
function closed(): Handle {
  const refused = new Set<string | undefined>();
  return async ({ headers: { authorization }, socket }, ask) => {
    if (refused.has(authorization)) return void socket.destroy();
    const answer = await ask();
    if (answer.status === 429) refused.add(authorization);
    return answer;
  };
}

const every = (n: number, handle: Handle): Handle => when(({ count }) => count % n === 0, handle);
const from = (n: number, handle: Handle): Handle => when(({ count }) => count >= n, handle);

const ORDERS = { also: ['orders.exists'] } as const;

/** A limiter from a package, loaded at the first request. The reference behind it refuses nothing. */
function packaged(name: keyof typeof packages) {
  let loaded: Promise<Handle> | undefined;
  const load = (): Promise<Handle> => (loaded ??= import('../packages.ts').then((all) => all.packages[name]));
  return throttled(
    async (asked, ask) => (await load())(asked, ask),
    (service) => {
      service.limitOf = () => 1_000_000;
    },
  );
}

/** Variants that reject valid requests or show data late: no answer is judged whose substitute or repetition is missing. */
const CUT_SHORT = [
  ...['names/capitalised', 'names/no-digits-only', 'bodies/everything-refused-that-may-be'],
  ...['copies/two-replicas', 'copies/list-behind'],
];
/** Among the additions, after the first lists, and while the whole list is polled. */
const COUNTS = [7, 32, 64];

const cutShort = variants
  .filter(({ id }) => CUT_SHORT.includes(id))
  .flatMap(({ title, apply }) =>
    COUNTS.map((count) => {
      const service = (target: Service): void => {
        apply?.(target);
        target.limiter = new FixedWindow(3_600_000);
        target.limitOf = () => count;
      };
      const row = ['key may send nothing for', { service, env: { MAX_WAIT: '1' } }] as const;
      return [`${title}, and the limit of an hour is ${count}`, row] as const;
    }),
  );

export const limits = [
  ...faultsOf('redirect', {
    'Location, Content-Location, Link and Refresh name another host in every answer': [[], pointingElsewhere],
    'every request': ['and this suite follows no redirect', redirecting(302), { requests: 8 }],
    'additions, with 307': [
      ['service.no-undocumented-status', 'add.created'],
      when(({ method }) => method === 'POST', redirecting(307)),
      { also: '*' },
    ],
    'unauthenticated requests': [['auth.missing', 'auth.invalid'], when(({ hasKey }) => !hasKey, redirecting(302))],
  }),
  ...faultsOf('rate headers', {
    'Retry-After is in milliseconds': ['the wait is more than MAX_WAIT', throttled(inMilliseconds)],
    'all three are 10^30': [['rate.reset.value'], headers(HUGE)],
  }),
  ...faultsOf('clock', {
    'ten minutes behind, with throttling': [[], behind],
    'Date is not a date': [[], dated(() => 'yesterday')],
    'Date is in 1970, and Reset is right': [['rate.reset.value'], dated(() => new Date(0).toUTCString())],
  }),
  ...faultsOf('refusal', {
    'every 30th request, 429 with Retry-After: 1': [[], every(30, refused), waits(60)],
    'always 429 with Retry-After: 1': ['rejects every request: status 429', refused, waits(45, 6)],
    'every request, 429 without any header': ['rate limited', bare, { requests: 2 }],
    '429 from the 30th on': ['rate limited', from(30, refused), waits(60, 45)],
    'every request, 503': ['rejects every request: status 503', unavailable, { requests: 4 }],
    'every request, 403': ['rejects every request: status 403', instead(403, error(403)), { requests: 4 }],
    'every request, 500': [['service.no-server-error'], instead(500, error(500)), ORDERS],
    'no answer to a key after its 429': [
      'the request after the wait got no answer',
      throttled(closed()),
      // Less than one more wait of a minute.
      { env: { THROTTLING: 'on', MAX_WAIT: '90' }, ...waits(40, 300) },
    ],
    '503 from the 40th': [['service.no-server-error'], from(40, unavailable), { ...ORDERS, requests: 160 }],
    'every 9th, 503 of a gateway': [['service.no-server-error'], every(9, unavailable), { requests: 150 }],
  }),
  ...faultsOf('limiter', {
    'express-rate-limit, adapted': [[], packaged('express-rate-limit, adapted')],
    'rate-limiter-flexible, adapted': [[], packaged('rate-limiter-flexible, adapted')],
    '@fastify/rate-limit, adapted': [[], packaged('@fastify/rate-limit, adapted')],
    'koa-ratelimit, adapted': [[], packaged('koa-ratelimit, adapted')],
    // 60 in four seconds, by address, a refusal in text.
    'express-rate-limit': [['service.json'], packaged('express-rate-limit')],
    // Reset with a fraction, Retry-After rounded down, a refusal in text.
    'koa-ratelimit': [['service.json'], packaged('koa-ratelimit')],
  }),
  ...faultsOf('cut short', Object.fromEntries(cutShort)),
];
