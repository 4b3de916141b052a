/** Common rate limiters in front of the reference: with their own headers, and adapted to section 8. */
import 'reflect-metadata';
import type { RequestListener } from 'node:http';
import fastifyRateLimit from '@fastify/rate-limit';
import { All, Controller, Res } from '@nestjs/common';
import { APP_GUARD, NestFactory } from '@nestjs/core';
import { ThrottlerException, ThrottlerGuard, ThrottlerModule, type ThrottlerRequest } from '@nestjs/throttler';
import express, { type RequestHandler, type Response } from 'express';
import { rateLimit } from 'express-rate-limit';
import fastify from 'fastify';
import Koa from 'koa';
import koaRateLimit from 'koa-ratelimit';
import { inject } from 'light-my-request';
import { RateLimiterMemory, type RateLimiterRes } from 'rate-limiter-flexible';
import { type Handle, KEY, TRIAL } from './server.ts';

interface Budget {
  limit: number;
  windowMs: number;
}

/** The limit of an unadapted limiter, for each address. */
const COMMON: Budget = { limit: 60, windowMs: 4000 };

const LARGE: Budget = { limit: 1000, windowMs: 60_000 };
/** The limit of an adapted limiter, for each key and for all unauthenticated requests together. */
const BUDGETS: Record<string, Budget> = {
  [`Bearer ${KEY}`]: LARGE,
  [`Bearer ${TRIAL.key}`]: { limit: TRIAL.limit, windowMs: TRIAL.windowMs },
  others: LARGE,
};

/** The name of the budget for a request. */
const nameOf = ({ headers: { authorization = '' } }: { headers: { authorization?: string | undefined } }): string =>
  Object.hasOwn(BUDGETS, authorization) ? authorization : 'others';

/** One for each budget, by its name. */
const perKey = <T>(make: (budget: Budget, name: string) => T): ((request: Parameters<typeof nameOf>[0]) => T) => {
  const all = new Map(Object.entries(BUDGETS).map(([name, budget]) => [name, make(budget, name)]));
  return (request) => all.get(nameOf(request)) as T;
};

const REFUSAL = { code: 'rate_limited', message: 'The rate limit of the plan is used up' };

/** The status of an application for what its limiter lets through. */
const PASSED = 299;

/** Sends a request through a limiter, and then to the reference. */
function behind(make: () => RequestListener | Promise<RequestListener>): Handle {
  let made: Promise<RequestListener> | undefined;
  return async ({ method, path, headers: { authorization } }, ask) => {
    const headers = { ...(authorization !== undefined && { authorization }) };
    const got = await inject(await (made ??= Promise.resolve(make())), { method: method as 'GET', url: path, headers });
    const sent = Object.entries(got.headers).map(([name, value]): [string, string] => [name, String(value)]);
    const limits = sent.filter(([name]) => !/^(connection|transfer-encoding)$/.test(name));
    if (got.statusCode !== PASSED) return { status: got.statusCode, headers: limits, body: got.rawPayload };
    const answer = await ask();
    const served = answer.headers.filter(([name]) => !name.startsWith('x-ratelimit-'));
    return { ...answer, headers: [...served, ...limits.filter(([name]) => !/^(content-|date$|etag$)/.test(name))] };
  };
}

/** In Express: a limiter, and what comes after it. */
const inExpress = (...handlers: RequestHandler[]): RequestListener =>
  express()
    .use(...handlers)
    .use((_request, response) => void response.status(PASSED).end()) as unknown as RequestListener;

async function inFastify(limit: Parameters<typeof fastifyRateLimit>[1]): Promise<RequestListener> {
  const application = fastify().addHook('onSend', (_request, reply, payload, done) => {
    // It is the number of seconds left.
    const seconds = Number(reply.getHeader('x-ratelimit-reset'));
    reply.header('x-ratelimit-reset', Math.floor(Date.now() / 1000) + seconds);
    done(null, payload);
  });
  await application.register(fastifyRateLimit, limit);
  application.all('/*', (_request, reply) => reply.status(PASSED).send());
  await application.ready();
  return (request, response) => application.routing(request, response);
}

const inKoa = (limit: Koa.Middleware): RequestListener => {
  const application = new Koa().use(limit).use((context) => void (context.status = PASSED));
  const listener = application.callback();
  return (request, response) => void listener(request, response);
};

const koaLimiter = ({ limit, windowMs }: Budget, id: (context: Koa.Context) => string): Koa.Middleware =>
  koaRateLimit({ driver: 'memory', db: new Map(), max: limit, duration: windowMs, id });

/** In NestJS. */
async function inNest(): Promise<RequestListener> {
  // In place of decorators, which this project does not compile.
  class Controlled {}
  const value = (response: Response): unknown => response.status(PASSED).end();
  const method = { value, writable: true, configurable: true };
  Object.defineProperty(Controlled.prototype, 'serve', method);
  Res()(Controlled.prototype, 'serve', 0);
  All('*rest')(Controlled.prototype, 'serve', method);
  Controller()(Controlled);
  const module = {
    module: class Application {},
    imports: [ThrottlerModule.forRoot([{ ttl: COMMON.windowMs, limit: COMMON.limit }])],
    controllers: [Controlled],
    providers: [{ provide: APP_GUARD, useClass: AdaptedGuard }],
  };
  const application = await NestFactory.create(module, { logger: false, bodyParser: false });
  await application.init();
  return application.getHttpAdapter().getInstance() as RequestListener;
}

/** One budget for each key, and the headers of section 8 in every answer. */
class AdaptedGuard extends ThrottlerGuard {
  protected override async handleRequest({ context, throttler }: ThrottlerRequest): Promise<boolean> {
    const { req, res } = this.getRequestResponse(context) as { req: Parameters<typeof nameOf>[0]; res: Response };
    const name = nameOf(req);
    const { limit, windowMs } = BUDGETS[name] as Budget;
    const hits = await this.storageService.increment(name, windowMs, limit, windowMs, throttler.name ?? 'default');
    const { isBlocked, totalHits, timeToExpire, timeToBlockExpire } = hits;
    const seconds = isBlocked ? timeToBlockExpire : timeToExpire;
    res.set(rateHeaders(limit, isBlocked ? 0 : Math.max(0, limit - totalHits), Math.ceil(Date.now() / 1000) + seconds));
    if (!isBlocked) return true;
    res.setHeader('Retry-After', seconds);
    throw new ThrottlerException();
  }
}

const rateHeaders = (limit: number, remaining: number, reset: number): Record<string, string> => ({
  'X-RateLimit-Limit': String(limit),
  'X-RateLimit-Remaining': String(remaining),
  'X-RateLimit-Reset': String(reset),
});

/** rate-limiter-flexible comes without headers. */
function flexible({ limit, windowMs }: Budget, name: string): RequestHandler {
  const limiter = new RateLimiterMemory({ points: limit, duration: windowMs / 1000 });
  return async (_request, response, next) => {
    const show = ({ msBeforeNext: ms, remainingPoints }: RateLimiterRes): unknown =>
      response.set(rateHeaders(limit, remainingPoints, Math.ceil((Date.now() + ms) / 1000)));
    try {
      show(await limiter.consume(name));
    } catch (refused) {
      show(refused as RateLimiterRes);
      const seconds = Math.ceil((refused as RateLimiterRes).msBeforeNext / 1000);
      return void response.set('Retry-After', String(seconds)).status(429).send(REFUSAL);
    }
    next();
  };
}

/** Chooses a handler of Express by key. */
const chosen = (make: (budget: Budget, name: string) => RequestHandler): RequestHandler => {
  const handlers = perKey(make);
  return (request, response, next) => handlers(request)(request, response, next);
};

export const packages = {
  'express-rate-limit': behind(() => inExpress(rateLimit(COMMON))),
  'express-rate-limit, adapted': behind(() =>
    inExpress(chosen((budget, name) => rateLimit({ ...budget, keyGenerator: () => name, message: REFUSAL }))),
  ),
  'rate-limiter-flexible, adapted': behind(() => inExpress(chosen(flexible))),
  '@fastify/rate-limit, adapted': behind(() =>
    inFastify({
      keyGenerator: nameOf,
      max: (_request, name) => (BUDGETS[name] as Budget).limit,
      timeWindow: (_request, name) => (BUDGETS[name] as Budget).windowMs,
    }),
  ),
  'koa-ratelimit': behind(() => inKoa(koaLimiter(COMMON, ({ ip }) => ip))),
  'koa-ratelimit, adapted': behind(() => {
    const limits = perKey((budget, name) => koaLimiter(budget, () => name));
    return inKoa(async (context, next) => {
      await limits(context)(context, next);
      if (context.status === 429) context.body = REFUSAL;
    });
  }),
  '@nestjs/throttler, adapted': behind(inNest),
} as const satisfies Record<string, Handle>;
