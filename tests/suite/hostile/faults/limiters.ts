/** Rate limiters: packages with and without adaptation, and limits that end a run early. */
import { FixedWindow } from '../../../../fixtures/reference/limiter.ts';
import type { Service } from '../../../../fixtures/reference/service.ts';
import { variants } from '../../../../fixtures/reference/variants/index.ts';
import { faultsOf, throttled } from '../fault.ts';
import type { packages } from '../packages.ts';
import type { Handle } from '../../gate/serve.ts';

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
    // 60 in four seconds, by address, a refusal in text.
    'express-rate-limit': [['service.json'], packaged('express-rate-limit')],
    // Reset with a fraction, Retry-After rounded down, a refusal in text.
    'koa-ratelimit': [['service.json'], packaged('koa-ratelimit')],
  }),
  ...faultsOf('cut short', Object.fromEntries(cutShort)),
];
