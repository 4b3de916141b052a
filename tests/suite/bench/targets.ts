/** The targets of the benchmark: one that conforms, and several that fail. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import { makeError, isAdd, isList, onReply } from '../../../fixtures/reference/defects/defect.ts';
import { startReference } from '../../../fixtures/reference/main.ts';
import { type Reply, Service } from '../../../fixtures/reference/service.ts';
import { stockUp } from '../../../fixtures/reference/variants/variant.ts';

export interface Target {
  name: string;
  apply?: (service: Service) => void;
  serve?: (server: FastifyInstance) => void;
  stock?: number;
  settings?: Readonly<Record<string, string>>;
}

const API_KEY = 'bench-business-key';

const ofStatus = (status: number, change: (reply: Reply) => Reply) => (service: Service) =>
  onReply(service, (reply) => (reply.status === status ? change(reply) : undefined));

/** The first one conforms, and the others are compared with it. */
export const targets = [
  { name: 'conforming' },
  {
    name: '422 with another body in place of 400',
    apply: ofStatus(400, (reply) => ({ ...reply, status: 422, body: { detail: [{ msg: 'field required' }] } })),
  },
  {
    name: 'lists wrapped in an object',
    apply: (service) =>
      onReply(service, (reply, request) =>
        isList(request) && reply.status === 200 ? { ...reply, body: { items: reply.body, total: 1 } } : undefined,
      ),
  },
  { name: 'no authentication at all', apply: (service) => void (service.keyOf = () => API_KEY) },
  {
    name: '500 to everything',
    apply: (service) => onReply(service, (reply) => ({ ...makeError(500), headers: reply.headers })),
  },
  {
    name: 'POST hangs',
    apply: (service) => {
      const finish = service.finish.bind(service);
      service.finish = async (request, reply) =>
        isAdd(request) ? new Promise<Reply>(() => {}) : finish(request, reply);
    },
  },
  {
    name: 'nothing is ever answered',
    serve: (server) => void server.addHook('onRequest', () => new Promise<void>(() => {})),
  },
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
