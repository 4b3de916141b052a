/** Further rate limiters, lawful and broken. */
import { type Decision, FixedWindow, type Limiter } from '../../../fixtures/reference/limiter.ts';

const seconds = (ms: number): number => Math.ceil(ms / 1000);

/** A bucket refilled in steps of several tokens; Reset is when it is full, or the next step comes. */
export class StepBucket implements Limiter {
  readonly #buckets = new Map<string, { tokens: number; step: number }>();
  constructor(
    readonly windowMs: number,
    readonly perStep: number,
    readonly resetWhen: 'full' | 'next' = 'full',
  ) {}

  hit(bucket: string, limit: number, now: number): Decision {
    const stepMs = (this.windowMs * this.perStep) / limit;
    const step = Math.floor(now / stepMs);
    const known = this.#buckets.get(bucket) ?? { tokens: limit, step };
    const tokens = Math.min(limit, known.tokens + (step - known.step) * this.perStep);
    const left = Math.max(0, tokens - 1);
    this.#buckets.set(bucket, { tokens: left, step });
    const next = (step + 1) * stepMs;
    const full = (step + Math.ceil((limit - left) / this.perStep)) * stepMs;
    return {
      allowed: tokens >= 1,
      limit,
      remaining: left,
      reset: seconds(this.resetWhen === 'full' ? full : next),
      retryAfter: Math.max(1, seconds(next - now)),
    };
  }
}

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

export const deciding = (inner: Limiter, change: (decision: Decision, now: number) => Partial<Decision>): Limiter => ({
  hit: (bucket, limit, now) => {
    const decision = inner.hit(bucket, limit, now);
    return { ...decision, ...change(decision, now) };
  },
});

export function enforcing(windowMs: number, by: number): Limiter {
  const inner = new FixedWindow(windowMs);
  return {
    hit: (bucket, limit, now) => {
      const decision = inner.hit(bucket, limit + by, now);
      return { ...decision, limit, remaining: Math.min(limit, Math.max(0, decision.remaining - by)) };
    },
  };
}

/** One limiter behind two nodes whose clocks differ by some seconds. */
export function shownByTwoNodes(inner: Limiter, seconds: number): Limiter {
  let turn = 0;
  return deciding(inner, ({ reset }) => ({ reset: reset + ((turn += 1) % 2) * seconds }));
}

/** Instances behind a balancer, in turn, each with its own limiter. */
export function inTurn(...instances: Limiter[]): Limiter {
  let next = 0;
  return { hit: (...request) => (instances[next++ % instances.length] as Limiter).hit(...request) };
}
