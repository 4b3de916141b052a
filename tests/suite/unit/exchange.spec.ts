import { execFile } from 'node:child_process';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { mkdtempSync, rmSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from '@playwright/test';
import { Client } from '../../../fixtures/target/client.ts';
import {
  clip,
  type Credential,
  strangers,
  curl,
  receivedLine,
  sentLine,
  transcript,
} from '../../../fixtures/target/exchange.ts';
import { exchange, test } from './make.ts';

const KEY = 'secret-Key-42';

interface Arrived {
  method: string | undefined;
  url: string | undefined;
  authorization: string | undefined;
  type: string | undefined;
  body: string;
}

async function read(request: IncomingMessage): Promise<Arrived> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const { authorization, 'content-type': type } = request.headers;
  return {
    method: request.method,
    url: request.url,
    authorization,
    type,
    body: Buffer.concat(chunks).toString('latin1'),
  };
}

test.describe('the curl command of an exchange', () => {
  const arrived: Arrived[] = [];
  let server: Server;
  let directory: string;
  let client: Client;
  let baseUrl: string;

  test.beforeAll(async () => {
    server = createServer((request, response) => {
      void read(request).then((one) => {
        arrived.push(one);
        response.writeHead(200, { 'Content-Type': 'application/json' }).end(request.method === 'HEAD' ? '' : '[]');
      });
    });
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    directory = mkdtempSync(join(tmpdir(), 'exchange-'));
    baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/shop/v1`;
    const options = { baseUrl, apiKey: KEY, throttleApiKey: `${KEY}-2`, maxWait: 1, directory };
    client = new Client({ ...options, judge: () => [], alone: true });
  });
  test.afterAll(async () => {
    await client.close();
    server.close();
    rmSync(directory, { recursive: true });
  });

  const credentials: readonly Credential[] = ['key', 'throttle', 'lower-case scheme', ...strangers];

  const calls = [
    ...credentials.map((credential) => ({ method: 'GET', target: '/pets?limit=1&status=sold', credential })),
    ...['', '{"a":', '{"name":"O\'Neil \\"x\\" $HOME `id` \\\\ 🦊 é"}', '[]', 'null\n'].map((body) => ({
      method: 'POST',
      target: '/pets',
      credential: 'key' as const,
      body,
    })),
    {
      method: 'POST',
      target: '/pets',
      credential: 'key' as const,
      body: 'x',
      headers: { 'Content-Type': 'text/plain' },
    },
    { method: 'GET', target: '/pets/1%2F..%20%22', credential: 'key' as const },
    { method: 'HEAD', target: '/pets', credential: 'key' as const },
    { method: 'PUT', target: '/pets', credential: 'key' as const },
  ];

  for (const call of calls)
    test(`sends the same request again: ${JSON.stringify(call)}`, async () => {
      const sent = await client.send({ ...call, purpose: { valid: true } });
      const first = arrived.pop();
      await promisify(execFile)('sh', ['-c', curl(sent)], {
        env: { PATH: process.env.PATH, BASE_URL: baseUrl, API_KEY: KEY, THROTTLE_API_KEY: `${KEY}-2`, HOME: '/x' },
      });
      expect(arrived.pop()).toEqual(first);
      // The key is in what was sent, and in nothing that is kept.
      expect(JSON.stringify(client.exchanges()).toLowerCase()).not.toContain(KEY.slice(0, -1).toLowerCase());
    });
});

test('a long text is cut, and says how long it was', () => {
  expect(clip('abc', 3)).toBe('abc');
  expect(clip('abcd', 3)).toBe('abc… (4 characters)');
});

test('what was sent and what came back each fit a line', () => {
  const one = exchange({ operation: 'addPet', status: 400, sent: '', credential: 'Basic', body: { a: 1 } });
  expect(sentLine(one)).toBe('POST /pets with a wrong credential (Basic), body (empty)');
  expect(receivedLine(one)).toBe('400 application/json {"a":1}');
  const bare = exchange({
    status: 204,
    headers: { 'Content-Type': undefined },
    body: { text: '' },
    credential: 'none',
  });
  expect(sentLine(bare)).toBe('GET /pets without a key');
  expect(receivedLine(bare)).toBe('204 (no Content-Type) (no body)');
});

test('a transcript shows the whole exchange', () => {
  const text = transcript(exchange({ number: 12, operation: 'addPet', status: 201, sent: '{"name":"Rex"}' }));
  expect(text).toContain('# exchange 12, 2026-');
  expect(text).toContain(`--data-binary '{"name":"Rex"}'`);
  expect(text).toMatch(/POST \/pets\n[^]*HTTP 201\nDate: [^]*X-RateLimit-Limit: 60\n[^]*"name":"Rex"/);
  const failure = { kind: 'timeout', message: 'no answer within 10 s' } as const;
  expect(transcript(exchange({ failure }))).toContain('(no answer within 10 s)');
});
