/** Makes exchanges, answers and stores for unit tests: everything about them lawful, but what a test says otherwise. */
import { _baseTest } from '@playwright/test';
import { operationOf } from '../../../fixtures/contract/contract.ts';
import { judge } from '../../../fixtures/expect/judge.ts';
import { Answer } from '../../../fixtures/target/answer.ts';
import type { Client } from '../../../fixtures/target/client.ts';
import type { Credential, Exchange, Purpose } from '../../../fixtures/target/exchange.ts';
import { type Json, toJson } from '../../../fixtures/target/json.ts';
import { Store } from '../../../fixtures/target/store.ts';

/** What the public `test` is made from, without the browser options that no unit test uses. */
export const test = _baseTest;

/** A moment for the target's Date, in seconds since the epoch. */
export const NOW = 1_795_000_000;

export interface Given {
  /** operationId; null for a request that the contract does not know. */
  operation?: string | null;
  status?: number;
  /** JSON, or the text of the body as it came. */
  body?: Json | { text: string };
  /** Over the lawful ones; undefined leaves one out, an array sends it several times. */
  headers?: Record<string, string | string[] | undefined>;
  credential?: Credential;
  valid?: boolean;
  query?: Purpose['query'];
  id?: string;
  sent?: string;
  method?: string;
  target?: string;
  number?: number;
  /** Seconds after NOW. */
  at?: number;
  parallel?: boolean;
  failure?: Exchange['failure'];
}

/** An animal as a response shows it. */
export const pet = (id: Json = 7, more: Record<string, Json> = {}): Record<string, Json> => ({
  id,
  name: 'Rex',
  categoryId: 1,
  status: 'available',
  ...more,
});

/** An Error of that status. */
export const error = (status: number): Record<string, Json> => ({ code: 'x', message: 'y', status });

function bodyFor(operation: string | null, status: number): Json | { text: string } {
  if (status === 429) return { text: '' };
  if (status >= 400) return error(status);
  return operation === 'listPets' ? [pet()] : operation === 'listOrders' ? [] : pet();
}

let last = 0;

/** One exchange: `GET /pets` with the key, answered 200, where nothing else is given. */
export function exchange(given: Given = {}): Exchange {
  const { operation = 'listPets', status = 200, credential = 'key', valid = true, at = 0 } = given;
  const known = operation === null ? undefined : operationOf(operation);
  const date = NOW + Math.floor(at);
  const headers: Given['headers'] = {
    Date: new Date(date * 1000).toUTCString(),
    'Content-Type': 'application/json',
    'X-RateLimit-Limit': '60',
    'X-RateLimit-Remaining': '50',
    'X-RateLimit-Reset': String(date + 30),
    ...(status === 401 && { 'WWW-Authenticate': 'Bearer' }),
    ...(status === 201 && { Location: '/v1/pets/7' }),
    ...(known?.deprecated && { Deprecation: '@1700000000', Sunset: 'Thu, 05 Dec 2030 00:00:00 GMT' }),
    ...given.headers,
  };
  const body = given.body === undefined ? bodyFor(operation, status) : given.body;
  const isText = typeof body === 'object' && body !== null && !Array.isArray(body) && 'text' in body;
  const id = given.id ?? (operation === 'getPet' ? '7' : undefined);
  return {
    number: given.number ?? (last += 1),
    at: (NOW + at) * 1000,
    ms: 5,
    parallel: given.parallel ?? false,
    credential,
    purpose: {
      ...(operation !== null && { operation }),
      valid,
      ...(given.query && { query: given.query }),
      ...(id !== undefined && { id }),
    },
    request: {
      method: given.method ?? known?.method ?? 'GET',
      target: given.target ?? (known?.path ?? '/pets').replace('{petId}', id ?? '7'),
      headers: [],
      ...(given.sent !== undefined && { body: given.sent }),
    },
    ...(given.failure
      ? { failure: given.failure }
      : {
          response: {
            status,
            headers: Object.entries(headers).flatMap(([name, value]) =>
              (value === undefined ? [] : [value].flat()).map((each): [string, string] => [name, each]),
            ),
            body: isText ? String(body.text) : toJson(body as Json),
          },
        }),
    findings: [],
  };
}

export const answer = (given: Given = {}): Answer => new Answer(exchange(given));

/** The requirements that the universal judgement blames, each once. */
export const blamed = (given: Given, keys: string[] = []): string[] => [
  ...new Set(judge(exchange(given), keys).map(({ requirement }) => requirement)),
];

/** A store whose run has had these exchanges. */
export const storeWith = (...exchanges: Exchange[]): Store =>
  new Store({ exchanges: () => exchanges } as unknown as Client);

/** The message with which a matcher fails. @throws Error where it passes. */
export function messageOf(matching: () => unknown): string {
  try {
    matching();
  } catch (thrown) {
    return (thrown as Error).message;
  }
  throw new Error('the matcher passed');
}
