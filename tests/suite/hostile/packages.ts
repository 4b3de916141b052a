/** Common rate limiters in front of the reference: with their own headers, and adapted to section 8. */
import type { RequestListener } from 'node:http';
import fastifyRateLimit from '@fastify/rate-limit';
import express, { type RequestHandler } from 'express';
import { rateLimit } from 'express-rate-limit';
import fastify from 'fastify';
import Koa from 'koa';
import koaRateLimit from 'koa-ratelimit';
import { inject } from 'light-my-request';
import { RateLimiterMemory, type RateLimiterRes } from 'rate-limiter-flexible';
import { type Handle, ODD_KEY, toPairs, TRIAL } from '../gate/serve.ts';

type Budget = Omit<typeof TRIAL, 'key'>;

const LARGE: Budget = { limit: 1000, windowMs: 60_000 };
/** The limit of an adapted limiter, for each key and for all unauthenticated requests together. */
const OF_KEYS = {
  [`Bearer ${ODD_KEY}`]: LARGE,
  [`Bearer ${TRIAL.key}`]: { limit: TRIAL.limit, windowMs: TRIAL.windowMs },
  others: LARGE,
};
/** The limit of an unadapted one, for each address. */
const OF_ADDRESSES = { others: { limit: 60, windowMs: 4000 } };

const REFUSAL = { code: 'rate_limited', message: 'The rate limit of the plan is used up' };

/** The status of an application for what its limiter lets through. */
const PASSED = 299;

/** Sends a request through a limiter, and then to the reference. @param make makes the limiter of a budget. */
function behind(
  make: (budget: Budget) => RequestListener | Promise<RequestListener>,
  budgets: Record<string, Budget> = OF_KEYS,
): Handle {
  const made = new Map<string, Promise<RequestListener>>();
  return async ({ method, path, headers: { authorization = '' } }, ask) => {
    const name = Object.hasOwn(budgets, authorization) ? authorization : 'others';
    const limiter = made.get(name) ?? Promise.resolve(make(budgets[name] as Budget));
    made.set(name, limiter);
    const got = await inject(await limiter, { method: method as 'GET', url: path });
    const limits = toPairs(got.headers).filter(([name]) => !/^(connection|transfer-encoding)$/.test(name));
    if (got.statusCode !== PASSED) return { status: got.statusCode, headers: limits, body: got.rawPayload };
    const answer = await ask();
    const served = answer.headers.filter(([name]) => !name.startsWith('x-ratelimit-'));
    return { ...answer, headers: [...served, ...limits.filter(([name]) => !/^(content-|date$|etag$)/.test(name))] };
  };
}

/** In Express: a limiter, and what comes after it. */
const inExpress = (limiter: RequestHandler): RequestListener =>
  express()
    .use(limiter)
    .use((_request, response) => void response.status(PASSED).end()) as unknown as RequestListener;

async function inFastify({ limit, windowMs }: Budget): Promise<RequestListener> {
  const application = fastify().addHook('onSend', (_request, reply, payload, done) => {
    // It is the number of seconds left.
    const seconds = Number(reply.getHeader('x-ratelimit-reset'));
    reply.header('x-ratelimit-reset', Math.floor(Date.now() / 1000) + seconds);
    done(null, payload);
  });
  await application.register(fastifyRateLimit, { max: limit, timeWindow: windowMs });
  application.all('/*', (_request, reply) => reply.status(PASSED).send());
  await application.ready();
  return (request, response) => application.routing(request, response);
}

/** @param refusal in place of the text of the limiter. */
const inKoa =
  (refusal?: object) =>
  ({ limit, windowMs }: Budget): RequestListener => {
    const limiter = koaRateLimit({ driver: 'memory', db: new Map(), max: limit, duration: windowMs });
    const application = new Koa().use(async (context, next) => {
      await limiter(context, next);
      if (context.status === 429 && refusal) context.body = refusal;
    });
    const listener = application.use((context) => void (context.status = PASSED)).callback();
    return (request, response) => void listener(request, response);
  };

/** rate-limiter-flexible comes without headers. */
function flexible({ limit, windowMs }: Budget): RequestHandler {
  const limiter = new RateLimiterMemory({ points: limit, duration: windowMs / 1000 });
  return async (_request, response, next) => {
    const show = ({ msBeforeNext: ms, remainingPoints }: RateLimiterRes): unknown =>
      response.set({
        'X-RateLimit-Limit': String(limit),
        'X-RateLimit-Remaining': String(remainingPoints),
        'X-RateLimit-Reset': String(Math.ceil((Date.now() + ms) / 1000)),
      });
    try {
      show(await limiter.consume('all'));
    } catch (refused) {
      show(refused as RateLimiterRes);
      const seconds = Math.ceil((refused as RateLimiterRes).msBeforeNext / 1000);
      return void response.set('Retry-After', String(seconds)).status(429).send(REFUSAL);
    }
    next();
  };
}

export const packages = {
  'express-rate-limit': behind((budget) => inExpress(rateLimit(budget)), OF_ADDRESSES),
  'express-rate-limit, adapted': behind((budget) => inExpress(rateLimit({ ...budget, message: REFUSAL }))),
  'rate-limiter-flexible, adapted': behind((budget) => inExpress(flexible(budget))),
  '@fastify/rate-limit, adapted': behind(inFastify),
  'koa-ratelimit': behind(inKoa(), OF_ADDRESSES),
  'koa-ratelimit, adapted': behind(inKoa(REFUSAL)),
} as const satisfies Record<string, Handle>;
