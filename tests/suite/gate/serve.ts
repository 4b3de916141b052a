/** The server of every test that judges one: the reference, with changes to it, to its answers or to their connections. */
import { createServer as createHttp, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { defects } from '../../../fixtures/reference/defects/index.ts';
import { createServer } from '../../../fixtures/reference/server.ts';
import { Service } from '../../../fixtures/reference/service.ts';
import { listen } from '../preflight/servers.ts';

export const KEY = 'suite-Key-3b90';
/** It has other forms in a URL, in JSON, in HTML and in base64. */
export const ODD_KEY = 'sEcr3t+key/7%&"q=9f2c';
/** A key with a small limit, for throttling. */
export const TRIAL = { key: 'trial-key-77d1', limit: 20, windowMs: 2000 };

export interface Asked {
  count: number;
  method: string;
  path: string;
  headers: IncomingMessage['headers'];
  /** The body as it came. */
  bytes: Buffer;
  /** Whether it has a valid key in its right place. */
  hasKey: boolean;
  socket: Socket;
  /** A server that must get no request, as `http://host:port`. */
  elsewhere: string;
}

export interface Answer {
  status: number;
  headers: [name: string, value: string][];
  body: Buffer;
}

/** The headers of an answer that came without a connection, each with its value as text. */
export const toPairs = (headers: object): Answer['headers'] =>
  Object.entries(headers).map(([name, value]) => [name, String(value)]);

/** Answers a request, or acts on the connection. @param ask asks the reference. */
export type Handle = (asked: Asked, ask: () => Promise<Answer>) => Answer | void | Promise<Answer | void>;

export type Change = (service: Service) => void;

export interface How {
  key?: string;
  /** 0 takes a free one. */
  port?: number;
  handle?: Handle;
  service?: Change;
  /** Closes the port for some milliseconds, from the first such request on. */
  restart?: { at: (asked: Asked) => boolean; ms: number };
}

/** `early`: requests with a key between a 429 and the end of its Retry-After (section 8). */
export type Target = Awaited<ReturnType<typeof serve>>;

export const defective =
  (...ids: string[]): Change =>
  (service) => {
    for (const id of ids) {
      const defect = defects.find((each) => each.id === id);
      if (!defect) throw new Error(`unknown defect ${id}`);
      defect.apply(service);
    }
  };

/** A request in flight may still arrive twenty ticks after a 429: a busy process, which is late itself, has fewer of them. */
let ticks = 0;
setInterval(() => (ticks += 1), 20).unref();

const is = (wanted: string) => (header: Answer['headers'][number]) => header[0].toLowerCase() === wanted;

/** @returns also the settings of a run against it. */
export async function serve({ key = KEY, port = 0, handle, service: change, restart }: How = {}) {
  const service = new Service({ keys: { [key]: 'business' }, windowMs: 60_000, trial: TRIAL });
  change?.(service);
  const reference = createServer(service);
  const [asked, early, astray]: [Asked[], string[], string[]] = [[], [], []];
  const refusals = new Map<string, { from: number; until: number }>();
  const other = await listen(() =>
    createHttp((request, response) => {
      astray.push(`${request.method} ${request.url} ${request.headers.authorization ?? ''}`);
      response.end('[]');
    }),
  );
  let hasRestarted = false;

  const ask = async ({ method, path, headers, bytes }: Asked): Promise<Answer> => {
    const payload = bytes.length > 0 ? { payload: bytes } : {};
    const got = await reference.inject({ method: method as 'GET', url: path, headers, ...payload });
    const own = toPairs(got.headers).filter(([name]) => name !== 'connection');
    return { status: got.statusCode, headers: own, body: got.rawPayload };
  };

  const respond = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    response.on('error', () => {});
    const { method = '', url: path = '', headers, socket } = request;
    const bytes = await buffer(request);
    const { authorization: sent = '' } = headers;
    const hasKey = [key, TRIAL.key].some((each) => sent === `Bearer ${each}`);
    const more = { count: asked.length + 1, elsewhere: `http://${other.host}` };
    const entry: Asked = { method, path, headers, bytes, hasKey, socket, ...more };
    asked.push(entry);
    const { from = 0, until = 0 } = refusals.get(sent) ?? {};
    if (hasKey && ticks > from + 20 && Date.now() < until) early.push(`${method} ${path}`);
    if (!hasRestarted && restart?.at(entry)) {
      hasRestarted = true;
      server.restart(restart.ms);
    }
    const answer = handle ? await handle(entry, () => ask(entry)) : await ask(entry);
    if (!answer || socket.destroyed) return;
    const seconds = Number(/^\d+$/.exec(answer.headers.find(is('retry-after'))?.[1] ?? '')?.[0] ?? 0);
    if (answer.status === 429 && seconds > 0) refusals.set(sent, { from: ticks, until: Date.now() + seconds * 1000 });
    response.sendDate = !answer.headers.some(is('date'));
    const sized = answer.headers.filter((header) => !is('content-length')(header));
    if (method !== 'HEAD' && answer.status !== 204) sized.push(['Content-Length', String(answer.body.length)]);
    response.writeHead(answer.status, sized.flat());
    response.end(answer.body);
  };

  const server = await listen(() => createHttp((request, response) => void respond(request, response)), port);
  const baseUrl = `http://${server.host}/v1`;
  const close = (): void => {
    server.close();
    other.close();
  };
  return { baseUrl, env: { BASE_URL: baseUrl, API_KEY: key }, asked, early, astray, close };
}
