/** The servers of the corpus that this project can start. */
import { faults } from '../hostile/faults/index.ts';
import { misbehaving, KEY, TRIAL } from '../hostile/server.ts';
import { putUp } from '../proof/servers.ts';

export interface Put {
  env: Record<string, string>;
  close: () => Promise<unknown>;
}

/** A defect or variant of the proof, throttled as well. */
const proven = (id: string) => (): Promise<Put> => putUp({ id, settings: { THROTTLING: 'on' } });

const limited = (name: string) => async (): Promise<Put> => {
  const fault = faults.find(({ title }) => title === `limiter: ${name}`);
  if (!fault) throw new Error(`there is no limiter ${name}`);
  const { baseUrl, close } = await misbehaving(fault);
  const env = { BASE_URL: baseUrl, API_KEY: KEY, THROTTLE_API_KEY: TRIAL.key, PLAN: 'business', ...fault.env };
  return { env, close: async () => close() };
};

/** By the name of the recording. Other implementations are recorded by their address. */
export const sources: Record<string, () => Promise<Put>> = {
  reference: proven('store/empty'),
  'reference-filled': proven('store/filled'),
  'defect-limit-ignored': proven('list.limit.caps/ignored'),
  'defect-every-8th-refused': proven('auth.valid/every-8th'),
  'defect-key-repeated': proven('error.no-secrets/key-repeated'),
  'express-rate-limit': limited('express-rate-limit'),
  'express-rate-limit-adapted': limited('express-rate-limit, adapted'),
  'rate-limiter-flexible-adapted': limited('rate-limiter-flexible, adapted'),
  'fastify-rate-limit-adapted': limited('@fastify/rate-limit, adapted'),
  'koa-ratelimit': limited('koa-ratelimit'),
  'koa-ratelimit-adapted': limited('koa-ratelimit, adapted'),
  'nestjs-throttler-adapted': limited('@nestjs/throttler, adapted'),
};
