/** A target that misbehaves: the reference behind it answers, and a fault changes the response. */
import { createServer as createHttp, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Server, Socket } from 'node:net';
import { createServer } from '../../../fixtures/reference/server.ts';
import { Service } from '../../../fixtures/reference/service.ts';

/** The key of every run. It has other forms in a URL, in JSON, in HTML and in base64. */
export const KEY = 'sEcr3t+key/7%&"q=9f2c';
/** A key with a small limit, for throttling. */
export const TRIAL = { key: 'trial-key-77d1', limit: 20, windowMs: 2000 };

export interface Asked {
  count: number;
  method: string;
  path: string;
  headers: IncomingMessage['headers'];
  /** The body as text, and as it came. */
  body: string;
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

/** Answers a request, or acts on the connection. @param ask asks the reference. */
export type Handle = (asked: Asked, ask: () => Promise<Answer>) => Answer | void | Promise<Answer | void>;

export interface How {
  handle?: Handle;
  service?: (service: Service) => void;
  /** Closes the port for some milliseconds, from the first such request on. */
  restart?: { at: (asked: Asked) => boolean; ms: number };
}

export interface Target {
  baseUrl: string;
  asked: readonly Asked[];
  /** Requests with a key between a 429 and the end of its Retry-After (section 8). */
  early: readonly string[];
  astray: readonly string[];
  close: () => void;
}

/** Milliseconds in which a request in flight may still arrive after a 429. */
const UNDER_WAY_MS = 400;

const is = (wanted: string) => (header: Answer['headers'][number]) => header[0].toLowerCase() === wanted;

export async function misbehaving(how: How): Promise<Target> {
  const service = new Service({ keys: { [KEY]: 'business' }, windowMs: 60_000, trial: TRIAL });
  how.service?.(service);
  const reference = createServer(service);
  const [asked, early, astray]: [Asked[], string[], string[]] = [[], [], []];
  const sockets = new Set<Socket>();
  const refusals = new Map<string, { from: number; until: number }>();
  let begin: NodeJS.Timeout | undefined;
  const other = createHttp((request, response) => {
    astray.push(`${request.method} ${request.url} ${request.headers.authorization ?? ''}`);
    response.end('[]');
  });
  const elsewhere = await listening(other);

  const ask = async ({ method, path, headers, bytes }: Asked): Promise<Answer> => {
    const payload = bytes.length > 0 ? { payload: bytes } : {};
    const got = await reference.inject({ method: method as 'GET', url: path, headers, ...payload });
    const sent = Object.entries(got.headers).filter(([name]) => name !== 'connection');
    const own = sent.map(([name, value]): [string, string] => [name, String(value)]);
    return { status: got.statusCode, headers: own, body: got.rawPayload };
  };

  const respond = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    response.on('error', () => {});
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { method = '', url: path = '', headers, socket } = request;
    const bytes = Buffer.concat(chunks);
    const key = headers.authorization ?? '';
    const hasKey = key === `Bearer ${KEY}` || key === `Bearer ${TRIAL.key}`;
    const more = { count: asked.length + 1, body: bytes.toString(), elsewhere };
    const own: Asked = { method, path, headers, bytes, hasKey, socket, ...more };
    asked.push(own);
    const { from = 0, until = 0 } = refusals.get(key) ?? {};
    if (hasKey && Date.now() > from + UNDER_WAY_MS && Date.now() < until) early.push(`${method} ${path}`);
    if (how.restart?.at(own) && begin === undefined) restart(how.restart.ms);
    const answer = how.handle ? await how.handle(own, () => ask(own)) : await ask(own);
    if (!answer || socket.destroyed) return;
    const seconds = Number(/^\d+$/.exec(answer.headers.find(is('retry-after'))?.[1] ?? '')?.[0] ?? 0);
    if (answer.status === 429 && seconds > 0)
      refusals.set(key, { from: Date.now(), until: Date.now() + seconds * 1000 });
    response.sendDate = !answer.headers.some(is('date'));
    const sized = answer.headers.filter((header) => !is('content-length')(header));
    if (method !== 'HEAD' && answer.status !== 204) sized.push(['Content-Length', String(answer.body.length)]);
    response.writeHead(answer.status, sized.flat());
    response.end(answer.body);
  };

  const server = createHttp((request, response) => void respond(request, response));
  server.on('connection', (socket: Socket) => {
    sockets.add(socket.on('error', () => {}).on('close', () => sockets.delete(socket)));
  });
  const address = await listening(server);
  const restart = (ms: number): void => {
    server.close();
    for (const socket of sockets) socket.destroy();
    begin = setTimeout(() => server.listen(Number(new URL(address).port), '127.0.0.1'), ms);
  };
  const close = (): void => {
    clearTimeout(begin);
    for (const each of [server, other]) each.close();
    for (const socket of sockets) socket.destroy();
  };
  return { baseUrl: `${address}/v1`, asked, early, astray, close };
}

async function listening(server: Server): Promise<string> {
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
