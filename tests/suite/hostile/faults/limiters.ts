/** Rate limiters: packages with and without adaptation, buckets that refill, several instances, and limits that end a run early. */
import { setTimeout as sleep } from 'node:timers/promises';
import { FixedWindow, inTurn, type Limiter, StepBucket, TokenBucket } from '../../../../fixtures/reference/limiter.ts';
import type { Service } from '../../../../fixtures/reference/service.ts';
import { variants } from '../../../../fixtures/reference/variants/index.ts';
import { faultsOf, throttled } from '../fault.ts';
import type { packages } from '../packages.ts';
import { type Handle, TRIAL } from '../server.ts';

/** The reference with another limiter for the trial key. */
const limiting = (make: () => Limiter, limit: number = TRIAL.limit, handle?: Handle) =>
  throttled(
    handle,
    (service) => {
      const [limiter, limitOf, limiterOf] = [make(), service.limitOf, service.limiterOf];
      service.limitOf = (key) => (key === TRIAL.key ? limit : limitOf.call(service, key));
      service.limiterOf = (key) => (key === TRIAL.key ? limiter : limiterOf.call(service, key));
    },
    // Some of these limits are larger than that of the reference's key.
    300,
  );

/** A limiter from a package, loaded at the first request. The reference behind it would refuse first. */
function packaged(name: keyof typeof packages) {
  let loaded: Promise<Handle> | undefined;
  const load = (): Promise<Handle> => (loaded ??= import('../packages.ts').then((all) => all.packages[name]));
  return limiting(
    () => new TokenBucket(1000),
    1_000_000,
    async (asked, ask) => (await load())(asked, ask),
  );
}

/**
 * Variants that reject valid requests, so that others are sent instead, or that show data late: no answer is judged whose
 * substitute or repetition is missing.
 */
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
      const service = (own: Service): void => {
        apply?.(own);
        own.limiter = new FixedWindow(3_600_000);
        own.limitOf = () => count;
      };
      const row = ['key may send nothing before', { service, env: { MAX_WAIT: '1' } }] as const;
      return [`${title}, and the limit of an hour is ${count}`, row] as const;
    }),
  );

export const limiters = [
  ...faultsOf('limiter', {
    'express-rate-limit, adapted': [[], packaged('express-rate-limit, adapted')],
    'rate-limiter-flexible, adapted': [[], packaged('rate-limiter-flexible, adapted')],
    '@fastify/rate-limit, adapted': [[], packaged('@fastify/rate-limit, adapted')],
    'koa-ratelimit, adapted': [[], packaged('koa-ratelimit, adapted')],
    'a bucket that regains five tokens at once': [[], limiting(() => new StepBucket(TRIAL.windowMs * 3, 5))],
    // 60 in four seconds, by address, a refusal in text.
    'express-rate-limit': [['service.json'], packaged('express-rate-limit')],
    // Reset with a fraction, Retry-After rounded down, a refusal in text.
    'koa-ratelimit': [['service.json'], packaged('koa-ratelimit')],
    'two instances, each with its own limiter: twice the announced requests are served': [
      ['throttle.429'],
      limiting(() => inTurn(new StepBucket(30_000, 20), new StepBucket(30_000, 20))),
      // It falls with every second request.
      { also: ['rate.remaining.counts'] },
    ],
    'a token bucket of 1,000 a minute, never empty with responses of 120 ms': [
      [],
      limiting(
        () => new TokenBucket(60_000),
        1000,
        async (_asked, ask) => sleep(120).then(ask),
      ),
      { verdict: 'partial', requests: 1700 },
    ],
  }),
  ...faultsOf('cut short', Object.fromEntries(cutShort)),
];
