/** Runs the plan on a service in memory, without HTTP and waiting. */
import { type Incoming, Problem, type Reply, Service } from '../../../fixtures/reference/service.ts';
import { stockUp } from '../../../fixtures/reference/variants/index.ts';
import { makeAuthorization } from '../../../fixtures/target/http/authorization.ts';
import type { Call, Client } from '../../../fixtures/target/http/client.ts';
import type { Exchange } from '../../../fixtures/target/http/exchange.ts';
import type { LeftOut } from '../../../fixtures/target/http/unsent.ts';
import { Performer, type PerformerOptions } from '../../../fixtures/target/run/perform.ts';
import { makeLog, NOW } from './make.ts';

const KEYS = { apiKey: 'Key-1', throttleApiKey: 'Key-1' };

export interface Stocked {
  /** Animals in the store before the run, of every status in turn. */
  stock?: number;
  /** Changes the service. */
  apply?: (service: Service) => void;
  options?: Partial<PerformerOptions>;
}

async function reply(service: Service, asked: Incoming): Promise<Reply> {
  try {
    if (service.keyOf(asked) === undefined) throw service.unauthorized(asked);
    if (asked.method === 'GET' && asked.path === '/pets') return service.listPets(asked);
    if (asked.method === 'POST' && asked.path === '/pets') return await service.addPet(asked);
    if (asked.method === 'GET' && asked.path.startsWith('/pets/')) return service.getPet(asked);
    if (asked.method === 'GET') return service.listOrders(asked);
    throw new Problem(405, 'method', 'There is no such method');
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return { status: error.status, headers: {}, body: service.presentError(error, asked) };
  }
}

function incoming({ method, target, credential = 'key', body = '', type }: Call): Incoming {
  const { headers, query } = makeAuthorization(credential, KEYS);
  const url = new URL(`http://host${target}`);
  for (const [name, value] of query) url.searchParams.append(name, value);
  const sent = headers.map(([name, value]) => [name.toLowerCase(), value.trimEnd()]);
  return {
    method,
    path: url.pathname,
    query: Object.fromEntries(url.searchParams),
    headers: Object.fromEntries([...sent, ['content-type', type ?? 'application/json']]) as Incoming['headers'],
    body,
    address: '',
    socket: {},
  };
}

/** A performer on a service in memory, and the exchanges of its log. */
export function inMemory({ stock = 0, apply, options }: Stocked = {}): {
  performer: Performer;
  sent: Exchange[];
  leftOut: Map<string, LeftOut>;
} {
  const service = new Service({ keys: { [KEYS.apiKey]: 'business' }, windowMs: 60_000 });
  stockUp(service, stock);
  apply?.(service);
  const sent: Exchange[] = [];
  const leftOut = new Map<string, LeftOut>();
  const send = async (call: Call): Promise<Exchange> => {
    const asked = incoming(call);
    const answer = await reply(service, asked);
    const exchange: Exchange = {
      number: sent.length + 1,
      row: call.row,
      at: NOW * 1000 + sent.length,
      ms: 0,
      parallel: false,
      credential: call.credential ?? 'key',
      purpose: call.purpose,
      request: {
        method: call.method,
        target: call.target,
        headers: [],
        ...(call.body !== undefined && { body: call.body }),
      },
      response: { status: answer.status, headers: [], body: service.serialize(answer.body) },
    };
    sent.push(exchange);
    return exchange;
  };
  const client = {
    log: makeLog(sent),
    send,
    pacer: { budgetOf: () => ({}) },
    isThrottleKey: () => false,
    noteLeftOut: (why: LeftOut) => leftOut.set(why.row, why),
  } as unknown as Client;
  const preset = { run: 'abcdef', categoryId: '1', readOnly: false, isThorough: false };
  return { performer: new Performer(client, { ...preset, ...options }), sent, leftOut };
}

/** The rows of a whole run, in the order in which they were sent. */
export async function rowsSent(given: Stocked = {}): Promise<string[]> {
  const { performer, sent } = inMemory(given);
  await performer.all();
  return sent.map(({ row }) => row);
}
