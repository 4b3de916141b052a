/** Common rate limiters in front of the reference: with their own headers, and adapted to section 8. */
import 'reflect-metadata';
import { AsyncLocalStorage } from 'node:async_hooks';
import type { RequestListener } from 'node:http';
import fastifyRateLimit from '@fastify/rate-limit';
import { All, Controller, type DynamicModule, Get, Post, Res, type Type } from '@nestjs/common';
import { APP_GUARD, NestFactory } from '@nestjs/core';
import { ThrottlerException, ThrottlerGuard, ThrottlerModule, type ThrottlerRequest } from '@nestjs/throttler';
import express, { type RequestHandler, type Response } from 'express';
import { rateLimit } from 'express-rate-limit';
import { type AugmentedRequest, slowDown } from 'express-slow-down';
import fastify, { type onSendHookHandler } from 'fastify';
import Koa from 'koa';
import koaRateLimit from 'koa-ratelimit';
import { inject } from 'light-my-request';
import { RateLimiterMemory, type RateLimiterRes } from 'rate-limiter-flexible';
import { type Answer, type Handle, KEY, TRIAL } from './server.ts';

interface Budget {
  limit: number;
  windowMs: number;
}

/** The limit of an unadapted limiter, for each address. */
const COMMON: Budget = { limit: 60, windowMs: 4000 };

/** The limit of an adapted limiter, for each key and for all unauthenticated requests together. */
const BUDGETS = {
  key: { limit: 1000, windowMs: 60_000 },
  trial: { limit: TRIAL.limit, windowMs: TRIAL.windowMs },
  others: { limit: 1000, windowMs: 60_000 },
} as const satisfies Record<string, Budget>;
type Whose = keyof typeof BUDGETS;

const whose = (authorization: string | undefined): Whose =>
  authorization === `Bearer ${TRIAL.key}` ? 'trial' : authorization === `Bearer ${KEY}` ? 'key' : 'others';

const forEach = <T>(make: (budget: Budget, name: Whose) => T): Record<Whose, T> => ({
  key: make(BUDGETS.key, 'key'),
  trial: make(BUDGETS.trial, 'trial'),
  others: make(BUDGETS.others, 'others'),
});

const REFUSAL = { code: 'rate_limited', message: 'The rate limit of the plan is used up' };

/** Asks the reference for the response of the application. */
const reference = new AsyncLocalStorage<() => Promise<Answer>>();

/** A response of the reference, without the headers of its limiter. */
async function served(): Promise<Answer> {
  const answer = await (reference.getStore() as () => Promise<Answer>)();
  return { ...answer, headers: answer.headers.filter(([name]) => !/^x-ratelimit-|^content-length$/.test(name)) };
}

async function serve(response: Response): Promise<void> {
  const { status, headers, body } = await served();
  response.status(status);
  for (const [name, value] of headers) response.setHeader(name, value);
  response.end(body);
}

function behind(make: () => RequestListener | Promise<RequestListener>): Handle {
  let made: Promise<RequestListener> | undefined;
  return async ({ method, path, headers: { authorization } }, ask) => {
    const application = await (made ??= Promise.resolve(make()));
    const headers = { ...(authorization !== undefined && { authorization }) };
    const got = await reference.run(ask, async () =>
      inject(application, { method: method as 'GET', url: path, headers }),
    );
    const own = Object.entries(got.headers)
      .filter(([name]) => !/^(connection|transfer-encoding)$/.test(name))
      .map(([name, value]): [string, string] => [name, String(value)]);
    return { status: got.statusCode, headers: own, body: got.rawPayload };
  };
}

/** The state of express-slow-down for one key. */
type Counted = Record<'limit' | 'remaining', number> & { resetTime?: Date };

const expressWith = (limit: (...all: Parameters<RequestHandler>) => unknown): RequestListener =>
  express()
    .use((request, response, next) => void limit(request, response, next))
    .use((_request, response) => serve(response)) as unknown as RequestListener;

/** rate-limiter-flexible comes without headers: its documentation has these. */
const renderHeaders = (
  { limit }: Budget,
  { msBeforeNext, remainingPoints }: RateLimiterRes,
): Record<string, string> => ({
  'Retry-After': String(msBeforeNext / 1000),
  'X-RateLimit-Limit': String(limit),
  'X-RateLimit-Remaining': String(remainingPoints),
  'X-RateLimit-Reset': String(Math.ceil((Date.now() + msBeforeNext) / 1000)),
});

const flexible = (budget: Budget): RateLimiterMemory =>
  new RateLimiterMemory({ points: budget.limit, duration: budget.windowMs / 1000 });

async function fastifyWith(
  limit: Parameters<typeof fastifyRateLimit>[1],
  change?: onSendHookHandler,
): Promise<RequestListener> {
  const application = fastify();
  if (change) application.addHook('onSend', change);
  await application.register(fastifyRateLimit, limit);
  application.all('/*', async (_request, reply) => {
    const { status, headers, body } = await served();
    return reply.status(status).headers(Object.fromEntries(headers)).send(body);
  });
  await application.ready();
  return (request, response) => application.routing(request, response);
}

function koaWith(limit: Koa.Middleware): RequestListener {
  const application = new Koa().use(limit).use(async (context) => {
    const { status, headers, body } = await served();
    context.status = status;
    context.set(Object.fromEntries(headers));
    context.body = body;
  });
  const listener = application.callback();
  return (request, response) => void listener(request, response);
}

const createKoa = ({ limit, windowMs }: Budget, id: (context: Koa.Context) => string | false): Koa.Middleware =>
  koaRateLimit({ driver: 'memory', db: new Map(), max: limit, duration: windowMs, id });

/** One method for each operation, since NestJS counts by method. */
async function nestWith(guard: Type<ThrottlerGuard>): Promise<RequestListener> {
  const routes = [
    ['list', Get('v1/pets')],
    ['add', Post('v1/pets')],
    ['get', Get('v1/pets/:id')],
    ['orders', Get('v1/store/orders')],
    ['other', All('*rest')],
  ] as const;
  // In place of decorators, which this project does not compile.
  class Controlled {}
  for (const [name, route] of routes) {
    const method = { value: (response: Response) => serve(response), writable: true, configurable: true };
    Object.defineProperty(Controlled.prototype, name, method);
    Res()(Controlled.prototype, name, 0);
    route(Controlled.prototype, name, method);
  }
  Controller()(Controlled);
  class Application {}
  const module: DynamicModule = {
    module: Application,
    imports: [ThrottlerModule.forRoot([{ ttl: COMMON.windowMs, limit: COMMON.limit }])],
    controllers: [Controlled],
    providers: [{ provide: APP_GUARD, useClass: guard }],
  };
  const application = await NestFactory.create(module, { logger: false, bodyParser: false });
  await application.init();
  return application.getHttpAdapter().getInstance() as RequestListener;
}

/** One budget for each key, and the headers of section 8 in every answer. */
class AdaptedGuard extends ThrottlerGuard {
  protected override async handleRequest({ context, throttler }: ThrottlerRequest): Promise<boolean> {
    const { req, res } = this.getRequestResponse(context) as {
      req: { headers: { authorization?: string } };
      res: Response;
    };
    const name = whose(req.headers.authorization);
    const { limit, windowMs } = BUDGETS[name];
    const hits = await this.storageService.increment(name, windowMs, limit, windowMs, throttler.name ?? 'default');
    const { isBlocked, totalHits, timeToExpire, timeToBlockExpire } = hits;
    const seconds = isBlocked ? timeToBlockExpire : timeToExpire;
    res.setHeader('X-RateLimit-Limit', limit);
    res.setHeader('X-RateLimit-Remaining', isBlocked ? 0 : Math.max(0, limit - totalHits));
    res.setHeader('X-RateLimit-Reset', Math.ceil(Date.now() / 1000) + seconds);
    if (!isBlocked) return true;
    res.setHeader('Retry-After', seconds);
    throw new ThrottlerException();
  }
}

export const packages = {
  'express-rate-limit': behind(() => expressWith(rateLimit(COMMON))),
  'express-rate-limit, adapted': behind(() => {
    const limits = forEach((budget, name) => rateLimit({ ...budget, keyGenerator: () => name, message: REFUSAL }));
    return expressWith((request, response, next) =>
      limits[whose(request.headers.authorization)](request, response, next),
    );
  }),
  // It delays and never refuses; the headers are those of section 8.
  'express-slow-down, adapted': behind(() => {
    // Slow answers have to fall into one window.
    const slow = forEach(({ limit, windowMs }, name) =>
      slowDown({ windowMs: 4 * windowMs, delayAfter: limit, delayMs: () => 300, keyGenerator: () => name }),
    );
    return express()
      .use((request, response, next) => void slow[whose(request.headers.authorization)](request, response, next))
      .use((request, response) => {
        const { limit, remaining, resetTime } = (request as unknown as AugmentedRequest).slowDown as Counted;
        response.set({
          'X-RateLimit-Limit': String(limit),
          'X-RateLimit-Remaining': String(remaining),
          'X-RateLimit-Reset': String(Math.ceil((resetTime ?? new Date()).getTime() / 1000)),
        });
        return serve(response);
      }) as unknown as RequestListener;
  }),
  'rate-limiter-flexible': behind(() => {
    const limiter = flexible(COMMON);
    return expressWith((request, response, next) =>
      limiter.consume(request.ip ?? '').then(
        (result) => void (response.set(renderHeaders(COMMON, result)), next()),
        (result: RateLimiterRes) => response.set(renderHeaders(COMMON, result)).status(429).send('Too Many Requests'),
      ),
    );
  }),
  'rate-limiter-flexible, adapted': behind(() => {
    const limiters = forEach(flexible);
    return expressWith((request, response, next) => {
      const name = whose(request.headers.authorization);
      const rateHeaders = (result: RateLimiterRes): Record<string, string> => {
        const { 'Retry-After': after, ...rest } = renderHeaders(BUDGETS[name], result);
        return { ...rest, 'Retry-After': String(Math.ceil(Number(after))) };
      };
      return limiters[name].consume(name).then(
        (result) => {
          const { 'Retry-After': _after, ...rest } = rateHeaders(result);
          response.set(rest);
          next();
        },
        (result: RateLimiterRes) => response.set(rateHeaders(result)).status(429).json(REFUSAL),
      );
    });
  }),
  '@fastify/rate-limit': behind(() => fastifyWith({ max: COMMON.limit, timeWindow: COMMON.windowMs })),
  '@fastify/rate-limit, adapted': behind(() =>
    fastifyWith(
      {
        keyGenerator: ({ headers }) => whose(headers.authorization),
        max: (_request, name) => BUDGETS[name as Whose].limit,
        timeWindow: (_request, name) => BUDGETS[name as Whose].windowMs,
      },
      (_request, reply, payload, done) => {
        const seconds = Number(reply.getHeader('x-ratelimit-reset'));
        reply.header('x-ratelimit-reset', Math.floor(Date.now() / 1000) + seconds);
        done(null, payload);
      },
    ),
  ),
  'koa-ratelimit': behind(() => koaWith(createKoa(COMMON, ({ ip }) => ip))),
  'koa-ratelimit, adapted': behind(() => {
    const limits = forEach((budget, name) => createKoa(budget, () => name));
    return koaWith(async (context, next) => {
      await limits[whose(context.headers.authorization)](context, next);
      if (context.status === 429) context.body = REFUSAL;
    });
  }),
  '@nestjs/throttler': behind(() => nestWith(ThrottlerGuard)),
  '@nestjs/throttler, adapted': behind(() => nestWith(AdaptedGuard)),
} as const satisfies Record<string, Handle>;
