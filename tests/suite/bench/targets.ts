/** The targets of the benchmark: one that conforms, and several that fail. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import {
  type Apply,
  changeBody,
  changeReply,
  is,
  LISTS,
  makeError,
  wrap,
} from '../../../fixtures/reference/defects/defect.ts';
import { startReference } from '../../../fixtures/reference/main.ts';
import { Service } from '../../../fixtures/reference/service.ts';
import { stockUp } from '../../../fixtures/reference/variants/variant.ts';

export interface Target {
  name: string;
  apply?: Apply;
  serve?: (server: FastifyInstance) => void;
  stock?: number;
  settings?: Readonly<Record<string, string>>;
}

const API_KEY = 'bench-business-key';
const never = async (): Promise<never> => new Promise<never>(() => {});

/** The first one conforms, and the others are compared with it. */
export const targets = [
  { name: 'conforming' },
  {
    name: '422 with another body in place of 400',
    apply: changeReply({ status: 400 }, { status: 422, body: { detail: [{ msg: 'field required' }] } }),
  },
  { name: 'lists wrapped in an object', apply: changeBody(LISTS, (items) => ({ items, total: 1 })) },
  { name: 'no authentication at all', apply: wrap('keyOf', () => () => API_KEY) },
  { name: '500 to everything', apply: changeReply({}, makeError(500)) },
  {
    name: 'POST hangs',
    apply: wrap('finish', (finish) => (request, reply) => (is.add(request) ? never() : finish(request, reply))),
  },
  { name: 'nothing is ever answered', serve: (server) => void server.addHook('onRequest', never) },
  { name: 'a line of 150 ms', serve: (server) => void server.addHook('onRequest', async () => sleep(150)) },
  { name: '2,000 animals in the store', stock: 2000 },
  { name: 'DEPTH=thorough', settings: { DEPTH: 'thorough' } },
] as const satisfies readonly Target[];

/** Starts a target. @returns the settings of a run against it, and how to stop it. */
export async function putUp({ apply, serve, stock = 0, settings }: Target): Promise<{
  env: Record<string, string>;
  close: () => Promise<unknown>;
}> {
  const service = new Service({ keys: { [API_KEY]: 'business' }, windowMs: 60_000 });
  // Throttling is off, and no run waits for another one's window.
  service.limitOf = () => 100_000;
  apply?.(service);
  stockUp(service, stock);
  const { baseUrl, close } = await startReference({ service, ...(serve && { serve }) });
  return { env: { BASE_URL: baseUrl, API_KEY, THROTTLING: 'off', ...settings }, close };
}
