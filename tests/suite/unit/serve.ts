/** Servers on 127.0.0.1 for unit tests, each with a client. */
import { Client, type ClientOptions } from '../../../fixtures/target/http/client.ts';
import { type Answer, type Asked, serve, toPairs } from '../gate/serve.ts';
import { folder } from '../gate/spawn.ts';
import { test as base } from './make.ts';

export const KEY = 'secret-Key-42';

/** `cut` closes the connection, `cut short` does so in the body, `hang` never answers. */
export type Reply =
  'cut' | 'cut short' | 'hang' | { status?: number; headers?: Record<string, string>; body?: string | Buffer };

interface Run {
  client: Client;
  baseUrl: string;
  directory: string;
  /** A client of a new worker, on the same folder. */
  again: (more?: Partial<ClientOptions>) => Client;
}

interface Fixtures {
  /** Clients of one run, in a temporary folder. */
  running: (baseUrl: string, options?: Partial<ClientOptions>) => Run;
  /** Starts a server, and a run against it. @param replies in order, the last one again; or what answers the nth request, from 1. */
  served: (
    replies: readonly Reply[] | ((asked: Asked, nth: number) => Reply | Promise<Reply>),
    options?: Partial<ClientOptions>,
  ) => Promise<Run & { asked: Asked[] }>;
}

function toAnswer({ socket }: Asked, reply: Reply): Answer | undefined {
  if (reply === 'cut') socket.destroy();
  if (reply === 'cut short') socket.write('HTTP/1.1 201 Created\r\nContent-Length: 2\r\n\r\n{', () => socket.destroy());
  if (typeof reply === 'string') return undefined;
  const { status = 200, headers, body = '[]' } = reply;
  return { status, headers: toPairs({ 'Content-Type': 'application/json', ...headers }), body: Buffer.from(body) };
}

export const test = base.extend<Fixtures>({
  running: async ({ closing }, use) => {
    await use((baseUrl, options) => {
      const { directory, remove } = folder();
      closing({ close: remove });
      const given = { baseUrl, apiKey: KEY, throttleApiKey: `${KEY}-2`, readOnly: false, maxWait: 5, directory };
      const again: Run['again'] = (more) => closing(new Client({ ...given, ...options, ...more }));
      return { client: again(), baseUrl, directory, again };
    });
  },
  served: async ({ running, closing }, use) => {
    await use(async (replies, options) => {
      const reply =
        typeof replies === 'function' ? replies : (_: Asked, nth: number) => replies[nth - 1] ?? replies.at(-1)!;
      const handle = async (one: Asked) => toAnswer(one, await reply(one, one.count));
      const { baseUrl, asked } = closing(await serve({ key: KEY, handle }));
      return { asked, ...running(baseUrl.replace('/v1', '/shop/v1'), options) };
    });
  },
});
