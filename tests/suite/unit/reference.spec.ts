import { expect, test } from '@playwright/test';
import { createServer } from '../../../fixtures/reference/server.ts';
import { Service } from '../../../fixtures/reference/service.ts';

const KEY = 'unit-key';
const server = createServer(new Service({ keys: { [KEY]: 'business' }, windowMs: 60_000 }));

const get = (path: string, authorization: string) =>
  server.inject({ url: `/v1/pets/${path}`, headers: { authorization } });

for (const { path, status } of [
  { path: '%ff', status: 400 },
  { path: '%', status: 400 },
  { path: '9'.repeat(2000), status: 404 },
])
  test(`the reference answers the id ${path.slice(0, 10)} as it answers others: ${status}, and 401 without a key`, async () => {
    for (const [credential, expected] of [
      [`Bearer ${KEY}`, status],
      ['', 401],
    ] as const) {
      const answer = await get(path, credential);
      expect(answer.statusCode).toBe(expected);
      expect(answer.json()).toMatchObject({ status: expected, code: expect.any(String), message: expect.any(String) });
      expect(answer.headers).toMatchObject({ 'x-ratelimit-limit': '1000', 'content-type': 'application/json' });
    }
  });
