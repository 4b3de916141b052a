import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { expect } from '@playwright/test';
import { MOST_BYTES, MOST_BYTES_LATER, MOST_WEIGHT } from '../../../fixtures/target/http/body.ts';
import { Undecided } from '../../../fixtures/target/http/undecided.ts';
import type { Call, Client } from '../../../fixtures/target/http/client.ts';
import { type Exchange, header, targetTime } from '../../../fixtures/target/http/exchange.ts';
import { exchange, NOW, test } from './make.ts';
import { KEY, onRun, served } from './serve.ts';

// They wait for answers that do not come.
test.describe.configure({ mode: 'parallel' });

const list = (more: Partial<Call> = {}): Call => ({
  row: 'GET /pets?limit=1',
  method: 'GET',
  target: '/pets',
  purpose: { operation: 'listPets', valid: true },
  ...more,
});
const addition = (more: Partial<Call> = {}): Call =>
  list({ method: 'POST', purpose: { operation: 'addPet', valid: true }, body: '{"name":"Rex"}', ...more });

const left = (remaining: number) => ({
  'X-RateLimit-Limit': '60',
  'X-RateLimit-Remaining': String(remaining),
  'X-RateLimit-Reset': String(Math.floor(Date.now() / 1000) + 60),
});

test('a request has the base path, is JSON, and names its row', async () => {
  await served(
    () => ({}),
    async ({ client, arrived }) => {
      await client.send(addition({ target: '/pets?a=b' }));
      await client.send(list());
      const [post, get] = arrived;
      expect(post).toMatchObject({ method: 'POST', url: '/shop/v1/pets?a=b', body: '{"name":"Rex"}' });
      expect(post?.headers).toMatchObject({
        authorization: `Bearer ${KEY}`,
        accept: 'application/json',
        'content-type': 'application/json',
        'user-agent': expect.stringMatching(/^animal-store-conformance\/[\d.]+ \(GET \/pets\?limit=1\)$/) as unknown,
      });
      expect(get?.headers['content-type']).toBeUndefined();
    },
  );
});

test('any row name makes a valid header', async () => {
  await served(
    () => ({}),
    async ({ client }) => {
      const { response } = await client.send(list({ row: 'GET /pets: status=" ä\r\nX: y' }));
      expect(response?.status).toBe(200);
    },
  );
});

test('an exchange has request, purpose and response', async () => {
  await served(
    () => ({ status: 201, headers: { 'X-Own': 'a' }, body: '{"id":9007199254740993}' }),
    async ({ client }) => {
      const came = await client.send(addition());
      expect(came).toMatchObject({
        number: 1,
        row: 'GET /pets?limit=1',
        parallel: false,
        credential: 'key',
        purpose: { operation: 'addPet', valid: true },
        request: { method: 'POST', target: '/pets', body: '{"name":"Rex"}' },
        response: { status: 201, body: '{"id":9007199254740993}' },
      });
      expect(header(came, 'x-own')).toBe('a');
      expect(came.request.headers).toContainEqual(['Authorization', 'Bearer $API_KEY']);
      expect(client.log.all()).toEqual([came]);
    },
  );
});

test('exchanges are numbered in the order of sending', async () => {
  await served(
    () => ({}),
    async ({ client }) => {
      expect([(await client.send(list())).number, (await client.send(list())).number]).toEqual([1, 2]);
    },
  );
});

test('a redirect is not followed, and a cookie is not kept', async () => {
  await served(
    () => ({ status: 302, headers: { Location: '/elsewhere', 'Set-Cookie': 'session=1' }, body: '' }),
    async ({ client, arrived }) => {
      expect((await client.send(list())).response?.status).toBe(302);
      await client.send(list());
      expect(arrived.map(({ url, headers }) => [url, headers.cookie])).toEqual(
        Array(2).fill(['/shop/v1/pets', undefined]),
      );
    },
  );
});

test('an exchange has no key, in any process', async () => {
  const echo = JSON.stringify({ message: `no ${KEY}`, encoded: Buffer.from(KEY).toString('base64') });
  await served(
    () => ({ status: 404, headers: { 'X-Echo': KEY }, body: echo }),
    async ({ client, again }) => {
      const came = await client.send(list());
      expect(JSON.stringify(came)).not.toContain(KEY);
      expect(came.response?.body).toContain('no $API_KEY');
      expect(header(came, 'x-echo')).toBe('$API_KEY');
      // A new worker has only the written log.
      const [kept] = again().log.all() as [Exchange];
      expect(kept).toEqual(came);
    },
  );
});

test('a key within an id is not logged, and a number as id stays', async () => {
  await served(
    () => ({}),
    async ({ client, arrived }) => {
      const get = (id: string): Promise<Exchange> =>
        client.send(list({ target: `/pets/${id}`, purpose: { operation: 'getPet', valid: true, id } }));
      expect(JSON.stringify(await get(KEY))).not.toContain(KEY);
      expect(arrived[0]?.url).toBe(`/shop/v1/pets/${KEY}`);
      expect((await get('42')).purpose.id).toBe('42');
    },
  );
});

test('compressed bodies are read, too long ones are not', async () => {
  const bodies = [gzipSync('[1]'), gzipSync(Buffer.alloc(9 * 1024 * 1024)), Buffer.alloc(9 * 1024 * 1024)];
  await served(
    (_, nth) => ({ body: bodies[nth - 1] as Buffer, headers: nth < 3 ? { 'Content-Encoding': 'gzip' } : {} }),
    async ({ client }) => {
      expect((await client.send(list())).response?.body).toBe('[1]');
      const unread = { response: { status: 200, body: '', fault: { kind: 'too long' } } };
      expect(await client.send(list())).toMatchObject(unread);
      expect(await client.send(list())).toMatchObject(unread);
    },
  );
});

test('after many values only small bodies are read', async () => {
  const large = `[${'1,'.repeat(MOST_BYTES / 2 - 10)}1]`;
  const [small, medium] = ['"y"', JSON.stringify('x'.repeat(2 * MOST_BYTES_LATER))];
  const bodies = [large, medium, small, medium];
  await served(
    (_, nth) => ({ body: bodies[nth - 1] as string }),
    async ({ client }) => {
      expect((await client.send(list())).response?.body).toHaveLength(large.length);
      expect((await client.send(list())).response).toMatchObject({ body: '', fault: { kind: 'too long' } });
      expect((await client.send(list())).response?.body).toBe(small);
    },
  );
});

test('the bound on bodies holds for parallel requests too', async () => {
  const large = `[${'1,'.repeat(MOST_BYTES / 2 - 10)}1]`;
  await served(
    () => ({ body: large }),
    async ({ client }) => {
      const came = await Promise.all([client.send(list()), client.send(list()), client.send(list())]);
      const kept = came.map(({ response }) => response?.body.length ?? 0).sort((a, b) => a - b);
      expect(kept).toEqual([0, 0, large.length]);
    },
  );
});

test('discarded bodies count for the bound', async () => {
  const [endless, medium] = ['x'.repeat(MOST_BYTES + 1), JSON.stringify('x'.repeat(2 * MOST_BYTES_LATER))];
  const inVain = (4 * MOST_WEIGHT) / MOST_BYTES;
  await served(
    (_, nth) => ({ body: nth > 1 && nth <= inVain + 1 ? endless : medium }),
    async ({ client }) => {
      expect((await client.send(list())).response?.body).toBe(medium);
      for (let i = 0; i < inVain; i += 1)
        expect((await client.send(list())).response).toMatchObject({ body: '', fault: { kind: 'too long' } });
      expect((await client.send(list())).response).toMatchObject({ body: '', fault: { kind: 'too long' } });
    },
  );
});

test.describe('an unexpected 429', () => {
  const refusal = { status: 429, headers: { 'Retry-After': '1' }, body: '' };

  test('is retried after its Retry-After', async () => {
    await served(
      (_, nth) => (nth === 1 ? refusal : {}),
      async ({ client, arrived }) => {
        const start = Date.now();
        expect((await client.send(list())).response?.status).toBe(200);
        expect(Date.now() - start).toBeGreaterThanOrEqual(1000);
        expect([arrived.length, client.log.all().length]).toEqual([2, 2]);
      },
    );
  });

  test('is the answer if it comes twice', async () => {
    await served(
      () => refusal,
      async ({ client, arrived }) => {
        expect((await client.send(list())).response?.status).toBe(429);
        expect(arrived).toHaveLength(2);
      },
    );
  });

  test('is not retried for throttling', async () => {
    await served(
      () => refusal,
      async ({ client, arrived }) => {
        expect((await client.send(list({ spend: true }))).response?.status).toBe(429);
        expect(arrived).toHaveLength(1);
      },
    );
  });

  test('is not retried if Retry-After is beyond MAX_WAIT', async () => {
    await served(
      () => ({ ...refusal, headers: { 'Retry-After': '3600' } }),
      async ({ client, arrived }) => {
        await expect(client.send(list())).rejects.toThrow(/rate limited: .*more than MAX_WAIT \(5 s\)/);
        await expect(client.send(list())).rejects.toThrow(Undecided);
        expect(arrived).toHaveLength(1);
      },
    );
  });
});

test('READ_ONLY=1 sends no unsafe request', async () => {
  await served(
    () => ({}),
    async ({ client, arrived }) => {
      for (const method of ['POST', 'PUT', 'PATCH', 'DELETE'])
        await expect(client.send(list({ method }))).rejects.toThrow(`READ_ONLY=1: ${method} /pets is not sent`);
      await client.send(list());
      await client.send(list({ method: 'HEAD' }));
      expect(arrived.map(({ method }) => method)).toEqual(['GET', 'HEAD']);
    },
    { readOnly: true },
  );
});

test.describe('a connection that breaks off', () => {
  test('is retried for a safe request, since it may have been idle', async () => {
    await served(
      (_, nth) => (nth === 1 ? 'cut' : {}),
      async ({ client, arrived }) => {
        expect((await client.send(list())).response?.status).toBe(200);
        expect(arrived).toHaveLength(2);
      },
    );
  });

  test('has no answer after a second failure', async () => {
    await served(
      () => 'cut',
      async ({ client, arrived }) => {
        const came = await client.send(list());
        expect(came).toMatchObject({
          failure: { kind: 'closed', message: 'the connection was closed without an answer' },
        });
        expect(came.response).toBeUndefined();
        expect(arrived).toHaveLength(2);
      },
    );
  });

  test('is not retried for an addition', async () => {
    await served(
      (_, nth) => (nth === 1 ? 'cut' : {}),
      async ({ client, arrived }) => {
        expect((await client.send(addition())).failure?.kind).toBe('closed');
        expect(arrived).toHaveLength(1);
      },
    );
  });

  test('in a body keeps the status, and is not retried for an addition', async () => {
    await served(
      () => 'cut short',
      async ({ client, arrived }) => {
        expect((await client.send(addition())).failure?.message).toMatch(/status 201/);
        expect(arrived).toHaveLength(1);
      },
    );
  });
});

test('the text of OpenSSL stays on its line, for the middle of a sentence', async () => {
  await served(
    () => ({}),
    async ({ baseUrl, again }) => {
      const error = await again({ baseUrl: baseUrl.replace('http:', 'https:') })
        .send(list())
        .catch((failure: unknown) => failure);
      expect(error).toBeInstanceOf(Undecided);
      expect((error as Error).message).toMatch(/SSL|EPROTO/);
      expect((error as Error).message).toMatch(/[^.\s]$/);
    },
  );
});

/** A server that is closed for some milliseconds at the third request, and whether a later one arrived twice. */
async function vanishing(
  ms: number | undefined,
  act: (client: Client, paths: string[], again: () => Client) => Promise<void>,
): Promise<void> {
  const paths: string[] = [];
  const server = createServer((request, response) => {
    paths.push(`${request.method} ${request.url}`);
    if (paths.length !== 3) return void response.end('[]');
    server.close();
    server.closeAllConnections();
    if (ms !== undefined) setTimeout(() => server.listen(port, '127.0.0.1'), ms);
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo;
  try {
    await onRun(`http://127.0.0.1:${port}`, ({ client, again }) => act(client, paths, again));
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

test('nothing more is sent once the target stopped answering, by any worker', async () => {
  await vanishing(undefined, async (client, _paths, again) => {
    for (let i = 0; i < 2; i += 1) await client.send(list());
    await client.send(addition());
    const asked = Array.from({ length: 8 }, () => client.send(list()).catch((error: Error) => error));
    const errors = (await Promise.all(asked)) as Undecided[];
    const messages = new Set(errors.map(({ message }) => message));
    expect([...messages]).toEqual(['the target stopped answering at exchange 3']);
    expect(errors[0]?.exchanges).toMatchObject([{ number: 3, failure: { kind: 'closed' } }]);
    // Those that were sent together, and two more of one of them.
    expect(client.log.all()).toHaveLength(3 + 8 + 2);
    for (const each of [client, again()])
      await expect(each.send(addition())).rejects.toThrow('stopped answering at exchange 3');
    expect(client.log.all()).toHaveLength(13);
  });
});

test('a target that restarts gets each refused request once', async () => {
  await vanishing(700, async (client, paths) => {
    for (let i = 0; i < 2; i += 1) await client.send(list());
    await client.send(addition());
    const answers = await Promise.all([client.send(addition()), client.send(list()), client.send(list())]);
    expect(answers.map(({ response }) => response?.status)).toEqual([200, 200, 200]);
    expect(paths.slice(3).sort()).toEqual(['GET /pets', 'GET /pets', 'POST /pets']);
  });
});

test('a GET that ends the target is the last request before it, though it is sent twice', async () => {
  await vanishing(undefined, async (client) => {
    for (let i = 0; i < 2; i += 1) await client.send(list());
    expect(await client.send(list())).toMatchObject({ number: 3, failure: { kind: 'closed' } });
    await expect(client.send(list())).rejects.toThrow('stopped answering at exchange 3');
  });
});

test('an unreachable target is reported with the reason, and logged', async () => {
  await onRun('http://127.0.0.1:1/v1', async ({ client }) => {
    await expect(client.send(list())).rejects.toThrow(/the target cannot be reached: ECONNREFUSED/);
    expect(client.log.all()).toMatchObject([{ failure: { kind: 'unreachable', why: 'connection refused' } }]);
  });
  await onRun('http://no-such-host.invalid/v1', async ({ client }) => {
    await expect(client.send(list())).rejects.toThrow(/the target cannot be reached/);
    expect(client.log.all()).toMatchObject([{ failure: { kind: 'unreachable', why: 'unknown host' } }]);
  });
});

test('an operation that hangs twice gets no more requests, another one does', async () => {
  await served(
    ({ url }) => (url.endsWith('/pets') ? 'hang' : {}),
    async ({ client, arrived, again }) => {
      // As after a timeout in an earlier worker: the next timeout is shorter.
      client.log.add(exchange({ number: 0, failure: { kind: 'timeout', message: 'no answer within 10 s' } }));
      const fresh = again();
      expect((await fresh.send(list())).failure).toEqual({
        kind: 'timeout',
        message: expect.stringMatching(/^no answer within [1-5] s$/) as unknown,
      });
      await expect(fresh.send(list())).rejects.toThrow(/2 requests in a row to GET \/pets timed out/);
      expect(
        (await fresh.send(list({ target: '/x', purpose: { operation: 'listOrders', valid: true } }))).response,
      ).toBeDefined();
      expect(arrived).toHaveLength(2);
    },
  );
});

test('parallel requests are marked as parallel', async () => {
  await served(
    async () => {
      await new Promise((done) => setTimeout(done, 50));
      return { headers: left(50) };
    },
    async ({ client }) => {
      const both = await Promise.all([client.send(list()), client.send(list())]);
      expect(both.map(({ parallel }) => parallel)).toEqual([true, true]);
      expect((await client.send(list())).parallel).toBe(false);
    },
  );
});

test('each key has its own budget', async () => {
  await onRun('http://127.0.0.1:1/v1', async ({ client, again }) => {
    expect(
      (['key', 'lower-case scheme', 'throttle', 'none', 'unknown'] as const).map((as) => client.bucketOf(as)),
    ).toEqual([...['key', 'key', 'throttle', 'other', 'other']]);
    expect(again({ throttleApiKey: KEY }).bucketOf('throttle')).toBe('key');
  });
});

test("the target's own time is its Date, and else about that of this machine", () => {
  expect(targetTime(exchange({ at: 90 }))).toBe(NOW + 90);
  expect(targetTime(exchange({ at: 90, headers: { Date: undefined } }))).toBeCloseTo(NOW + 90.005, 3);
  expect(targetTime(exchange({ at: 90, headers: { Date: 'today' } }))).toBeCloseTo(NOW + 90.005, 3);
});
