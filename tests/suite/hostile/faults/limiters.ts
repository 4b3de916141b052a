/** Real rate limiters: packages with and without adaptation, buckets that refill, and several instances. */
import { setTimeout as sleep } from 'node:timers/promises';
import { inTurn, type Limiter, StepBucket, TokenBucket } from '../../../../fixtures/reference/limiter.ts';
import type { Service } from '../../../../fixtures/reference/service.ts';
import { faultsOf, WITH_THROTTLING } from '../fault.ts';
import type { packages } from '../packages.ts';
import { type Handle, TRIAL } from '../server.ts';

/** Some of these limits are larger than that of the reference's key. */
const USED_UP = { ...WITH_THROTTLING, requests: 300 } as const;
type Limited = typeof USED_UP;

/** The reference with another limiter for the trial key. */
const limiting = (
  make: () => Limiter,
  limit: number = TRIAL.limit,
): Limited & { service: (service: Service) => void } => ({
  service: (service) => {
    const [limiter, limitOf, limiterOf] = [make(), service.limitOf, service.limiterOf];
    service.limitOf = (key) => (key === TRIAL.key ? limit : limitOf.call(service, key));
    service.limiterOf = (key) => (key === TRIAL.key ? limiter : limiterOf.call(service, key));
  },
  ...USED_UP,
});

/** A limiter from a package, loaded at the first request. */
function packaged(name: keyof typeof packages): Limited & { handle: Handle } {
  let handle: Promise<Handle> | undefined;
  return {
    handle: async (asked, ask) =>
      (await (handle ??= import('../packages.ts').then((all) => all.packages[name])))(asked, ask),
    // The reference behind it would refuse first.
    ...limiting(() => new TokenBucket(1000), 1_000_000),
  };
}

export const limiters = faultsOf('limiter', {
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
    limiting(() => new TokenBucket(60_000), 1000),
    { verdict: 'partial', handle: async (_asked, ask) => sleep(120).then(ask), requests: 1700 },
  ],
});
