/** Real rate limiters: packages with and without adaptation, buckets that refill, and several instances. */
import { setTimeout as sleep } from 'node:timers/promises';
import { type Limiter, TokenBucket } from '../../../../fixtures/reference/limiter.ts';
import type { Service } from '../../../../fixtures/reference/service.ts';
import { inTurn, StepBucket } from '../../throttling/limiters.ts';
import { type Fault, spoiling, WITH_THROTTLING } from '../fault.ts';
import type { packages } from '../packages.ts';
import { type Handle, TRIAL } from '../server.ts';

/** Some of these limits are larger than that of the reference's key. */
const USED_UP = { ...WITH_THROTTLING, requests: 300 } as const;

/** A limiter from a package, loaded at the first request. */
function packaged(name: keyof typeof packages): Handle {
  let handle: Promise<Handle> | undefined;
  return async (asked, ask) =>
    (await (handle ??= import('../packages.ts').then((all) => all.packages[name])))(asked, ask);
}

const limiting =
  (make: () => Limiter, limit: number = TRIAL.limit) =>
  (service: Service): void => {
    const [limiter, limitOf, limiterOf] = [make(), service.limitOf, service.limiterOf];
    service.limitOf = (key) => (key === TRIAL.key ? limit : limitOf.call(service, key));
    service.limiterOf = (key) => (key === TRIAL.key ? limiter : limiterOf.call(service, key));
  };

const adapted = (name: keyof typeof packages & `${string}, adapted`): Omit<Fault, 'id'> => ({
  title: `${name} to section 8`,
  handle: packaged(name),
  ...USED_UP,
  verdict: 'conforms',
});

export const limiters: readonly Fault[] = spoiling('limiter', {
  'express-rate-limit': {
    title: 'express-rate-limit unchanged: 60 in four seconds, by address, a refusal in text',
    handle: packaged('express-rate-limit'),
    ...USED_UP,
    verdict: 'violates',
    breaks: ['service.json'],
  },
  'rate-limiter-flexible': {
    title:
      'rate-limiter-flexible with the headers of its documentation: Retry-After with a fraction, a refusal in text',
    handle: packaged('rate-limiter-flexible'),
    ...USED_UP,
    verdict: 'violates',
    breaks: ['service.json', 'throttle.retry-after'],
  },
  'fastify-rate-limit': {
    title: '@fastify/rate-limit unchanged: Reset is seconds left',
    handle: packaged('@fastify/rate-limit'),
    ...USED_UP,
    verdict: 'violates',
    breaks: ['rate.reset.value'],
  },
  'koa-ratelimit': {
    title: 'koa-ratelimit unchanged: Reset with a fraction, Retry-After rounded down, a refusal in text',
    handle: packaged('koa-ratelimit'),
    ...USED_UP,
    verdict: 'violates',
    breaks: ['service.json'],
  },
  'nestjs-throttler': {
    title: '@nestjs/throttler unchanged: Reset is seconds to go, each operation is counted by itself',
    handle: packaged('@nestjs/throttler'),
    ...USED_UP,
    verdict: 'violates',
    breaks: ['rate.reset.value', 'rate.headers'],
  },
  'express-rate-limit-adapted': adapted('express-rate-limit, adapted'),
  'rate-limiter-flexible-adapted': adapted('rate-limiter-flexible, adapted'),
  'fastify-rate-limit-adapted': adapted('@fastify/rate-limit, adapted'),
  'koa-ratelimit-adapted': adapted('koa-ratelimit, adapted'),
  'nestjs-throttler-adapted': adapted('@nestjs/throttler, adapted'),
  'express-slow-down': {
    title: 'express-slow-down with the headers of section 8: 300 ms more a request beyond the limit, and no 429',
    handle: packaged('express-slow-down, adapted'),
    // The reference behind it would refuse first.
    service: limiting(() => new TokenBucket(1000), 1_000_000),
    ...USED_UP,
    verdict: 'violates',
    breaks: ['throttle.429'],
  },
  'bucket-quicker-than-the-line': {
    title: 'a token bucket of 1,000 a minute, never empty with responses of 120 ms',
    service: limiting(() => new TokenBucket(60_000), 1000),
    handle: async (_asked, ask) => sleep(120).then(ask),
    ...USED_UP,
    requests: 1700,
    verdict: 'partial',
  },
  'bucket-in-steps': {
    title: 'a bucket that regains five tokens at once',
    service: limiting(() => new StepBucket(TRIAL.windowMs * 3, 5)),
    ...USED_UP,
    verdict: 'conforms',
  },
  'two-instances': {
    title: 'two instances, each with its own limiter: twice the announced requests are served',
    service: limiting(() => inTurn(new StepBucket(30_000, 20), new StepBucket(30_000, 20))),
    ...USED_UP,
    verdict: 'violates',
    breaks: ['throttle.429'],
  },
});
