/** Further rate limiters, lawful all. */
import { type Decision, deciding, type Limiter } from '../../../fixtures/reference/limiter.ts';

const seconds = (ms: number): number => Math.ceil(ms / 1000);

/** The generic cell rate algorithm: for each bucket, the moment at which it is full. */
export class Gcra implements Limiter {
  readonly #full = new Map<string, number>();
  constructor(readonly windowMs: number) {}

  hit(bucket: string, limit: number, now: number): Decision {
    const interval = this.windowMs / limit;
    const before = Math.max(now, this.#full.get(bucket) ?? now);
    const after = before + interval;
    const isAllowed = after - now <= this.windowMs;
    const full = isAllowed ? after : before;
    this.#full.set(bucket, full);
    return {
      allowed: isAllowed,
      limit,
      remaining: Math.max(0, Math.floor((this.windowMs - (full - now)) / interval)),
      reset: seconds(full),
      retryAfter: Math.max(1, seconds(after - this.windowMs - now)),
    };
  }
}

/** One limiter behind two nodes whose clocks differ by some seconds. */
export function shownByTwoNodes(inner: Limiter, seconds: number): Limiter {
  let turn = 0;
  return deciding(inner, ({ reset }) => ({ reset: reset + ((turn += 1) % 2) * seconds }));
}
