/** Servers on 127.0.0.1 for unit tests, each with a client. */
import { Client, type ClientOptions } from '../../../fixtures/target/http/client.ts';
import { type Answer, type Asked, serve, toPairs } from '../gate/serve.ts';
import { folder } from '../gate/spawn.ts';

export const KEY = 'secret-Key-42';

/** `cut` closes the connection, `cut short` does so in the body, `hang` never answers. */
export type Reply =
  'cut' | 'cut short' | 'hang' | { status?: number; headers?: Record<string, string>; body?: string | Buffer };

interface Served {
  client: Client;
  asked: Asked[];
  baseUrl: string;
  directory: string;
  /** A client of a new worker, on the same folder. */
  again: (more?: Partial<ClientOptions>) => Client;
}

function toAnswer({ socket }: Asked, reply: Reply): Answer | undefined {
  if (reply === 'cut') socket.destroy();
  if (reply === 'cut short') socket.write('HTTP/1.1 201 Created\r\nContent-Length: 2\r\n\r\n{', () => socket.destroy());
  if (typeof reply === 'string') return undefined;
  const { status = 200, headers, body = '[]' } = reply;
  return { status, headers: toPairs({ 'Content-Type': 'application/json', ...headers }), body: Buffer.from(body) };
}

/** Starts a server, and closes it after `act`. @param handler answers the nth request, from 1. */
export async function served(
  handler: (asked: Asked, nth: number) => Reply | Promise<Reply>,
  act: (served: Served) => Promise<void>,
  options: Partial<ClientOptions> = {},
): Promise<void> {
  const { baseUrl, asked, close } = await serve({
    key: KEY,
    handle: async (one) => toAnswer(one, await handler(one, one.count)),
  });
  await onRun(baseUrl.replace('/v1', '/shop/v1'), (run) => act({ ...run, asked }), options).finally(close);
}

/** Clients of one run, in a temporary folder. */
export async function onRun(
  baseUrl: string,
  act: (run: Omit<Served, 'asked'>) => Promise<void>,
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
