/** Small servers on 127.0.0.1 for unit tests, each with a client. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { Client, type ClientOptions } from '../../../fixtures/target/http/client.ts';
import { folder } from '../gate/spawn.ts';
import { listen } from '../preflight/servers.ts';

export const KEY = 'secret-Key-42';

export interface Arrived {
  method: string;
  url: string;
  headers: IncomingMessage['headers'];
  body: string;
}

/** Answers the nth request, from 1; `cut` closes the connection, `cut short` does so in the body, `hang` never answers. */
type Handler = (request: Arrived, nth: number) => Reply | Promise<Reply>;
export type Reply =
  'cut' | 'cut short' | 'hang' | { status?: number; headers?: Record<string, string>; body?: string | Buffer };

interface Served {
  client: Client;
  arrived: Arrived[];
  baseUrl: string;
  directory: string;
  /** A client of a new worker, on the same folder. */
  again: (more?: Partial<ClientOptions>) => Client;
}

async function read(request: IncomingMessage): Promise<Arrived> {
  const { method = '', url = '', headers } = request;
  return { method, url, headers, body: (await buffer(request)).toString('latin1') };
}

const write = (response: ServerResponse, reply: Reply): void => {
  if (reply === 'cut') response.socket?.destroy();
  if (reply === 'cut short') response.writeHead(201).write('{', () => response.socket?.destroy());
  if (typeof reply === 'string') return;
  const { status = 200, headers = {}, body = '[]' } = reply;
  response.writeHead(status, { 'Content-Type': 'application/json', ...headers }).end(body);
};

/** Starts a server, and closes it after `act`. */
export async function served(
  handler: Handler,
  act: (served: Served) => Promise<void>,
  options: Partial<ClientOptions> = {},
): Promise<void> {
  const arrived: Arrived[] = [];
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const one = await read(request);
    arrived.push(one);
    write(response, await handler(one, arrived.length));
  };
  const { host, close } = await listen(() => createServer((...both) => void answer(...both)));
  await onRun(`http://${host}/shop/v1`, (run) => act({ ...run, arrived }), options).finally(close);
}

/** Clients of one run, in a temporary folder. */
export async function onRun(
  baseUrl: string,
  act: (run: Omit<Served, 'arrived'>) => Promise<void>,
  options: Partial<ClientOptions> = {},
): Promise<void> {
  const { directory, remove } = folder();
  const clients: Client[] = [];
  const again = (more: Partial<ClientOptions> = {}): Client => {
    const keys = { apiKey: KEY, throttleApiKey: `${KEY}-2` };
    const client = new Client({ baseUrl, ...keys, readOnly: false, maxWait: 5, directory, ...options, ...more });
    clients.push(client);
    return client;
  };
  try {
    await act({ client: again(), baseUrl, directory, again });
  } finally {
    for (const client of clients) await client.close();
    remove();
  }
}
