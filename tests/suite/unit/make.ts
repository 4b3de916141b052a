/** Makes exchanges, answers and runs for unit tests: lawful by default. */
import { _baseTest } from '@playwright/test';
import { operationOf } from '../../../fixtures/contract/contract.ts';
import { type Json, toJson } from '../../../fixtures/contract/json.ts';
import type { Credential } from '../../../fixtures/contract/credentials.ts';
import { makeAuthorization } from '../../../fixtures/target/http/authorization.ts';
import type { Exchange, Response } from '../../../fixtures/target/http/exchange.ts';
import { factsOfTraffic, Store } from '../../../fixtures/trace/store.ts';
import { judgeTrace } from '../../properties/index.ts';

/** The base of the public `test`, without browser options. */
export const test = _baseTest;

/** A moment for the target's Date, in seconds since the epoch. */
export const NOW = 1_795_000_000;

export interface Given {
  /** operationId; null for a request that the contract does not know. */
  operation?: string | null;
  status?: number;
  /** JSON, or the text of the body as it came. */
  body?: Json | { text: string };
  fault?: Response['fault'];
  /** Over the lawful ones; undefined omits one, an array sends it several times. */
  headers?: Record<string, string | string[] | undefined>;
  credential?: Credential;
  query?: Record<string, string>;
  id?: string;
  sent?: string;
  /** Of the sent body. */
  type?: string;
  method?: string;
  number?: number;
  /** Seconds after NOW. */
  at?: number;
  parallel?: boolean;
  failure?: Exchange['failure'];
}

export const pet = (id: Json = 7, more: Record<string, Json> = {}): Record<string, Json> => ({
  id,
  name: 'Rex',
  categoryId: 1,
  status: 'available',
  ...more,
});

export const pets = (count: number, more: Record<string, Json> = {}): Record<string, Json>[] =>
  Array.from({ length: count }, (_, i) => pet(i + 1, more));

export const error = (status: number): Record<string, Json> => ({ code: 'x', message: 'y', status });

export const TIMEOUT = { kind: 'timeout', message: 'no answer within 10 s' } as const;

function bodyFor(operation: string | null, status: number): Json | { text: string } {
  if (status === 429) return { text: '' };
  if (status >= 400) return error(status);
  return operation === 'listPets' ? [pet()] : operation === 'listOrders' ? [] : pet();
}

let last = 0;

/** One exchange; by default `GET /pets` with the key, answered 200. */
export function exchange(given: Given = {}): Exchange {
  const { operation = 'listPets', status = 200, credential = 'key', at = 0, sent, query } = given;
  const known = operation === null ? undefined : operationOf(operation);
  const id = given.id ?? (operation === 'getPet' ? '7' : undefined);
  const search = query ? `?${new URLSearchParams(query).toString()}` : '';
  const made: Exchange = {
    number: given.number ?? (last += 1),
    at: (NOW + at) * 1000,
    ms: 5,
    parallel: given.parallel ?? false,
    credential,
    request: {
      method: given.method ?? known?.method ?? 'GET',
      target: (known?.path ?? '/pets').replace('{petId}', id ?? '7') + search,
      headers: headersFor(credential, sent === undefined ? undefined : (given.type ?? 'application/json')),
      ...(sent !== undefined && { body: sent }),
    },
  };
  if (given.failure) return { ...made, failure: given.failure };
  const response = responseFor(given, operation, status);
  const whole = { ...made, response };
  return whole;
}

/** As they are recorded, with a variable in place of each key. */
const headersFor = (credential: Credential, type: string | undefined): [string, string][] => [
  ['Accept', 'application/json'],
  ...makeAuthorization(credential, { apiKey: '', throttleApiKey: '-' }).headers.map(
    ([name, , shown]): [string, string] => [name, shown],
  ),
  ...(type === undefined ? [] : [['Content-Type', type] satisfies [string, string]]),
];

function responseFor(given: Given, operation: string | null, status: number): Response {
  const date = NOW + Math.floor(given.at ?? 0);
  const headers: Given['headers'] = {
    Date: new Date(date * 1000).toUTCString(),
    'Content-Type': 'application/json',
    'X-RateLimit-Limit': '60',
    'X-RateLimit-Remaining': '50',
    'X-RateLimit-Reset': String(date + 30),
    ...(status === 401 && { 'WWW-Authenticate': 'Bearer' }),
    ...(status === 201 && { Location: '/v1/pets/7' }),
    ...(operation === 'getPet' && { Deprecation: '@1700000000', Sunset: 'Thu, 05 Dec 2030 00:00:00 GMT' }),
    ...given.headers,
  };
  const body = given.body === undefined ? bodyFor(operation, status) : given.body;
  const isText = typeof body === 'object' && body !== null && !Array.isArray(body) && 'text' in body;
  return {
    status,
    headers: Object.entries(headers).flatMap(([name, value]) =>
      (value === undefined ? [] : [value].flat()).map((each): [string, string] => [name, each]),
    ),
    body: isText ? String(body.text) : toJson(body as Json),
    ...(given.fault && { fault: given.fault }),
  };
}

/** An addition with the key; by default answered 201 with that id. */
export const addition = (id: Json, sent: Record<string, Json>, more: Given = {}): Exchange =>
  exchange({ operation: 'addPet', status: 201, sent: toJson(sent), body: { ...sent, id }, ...more });

/** The requirements that a trace of others violates. */
export const findBroken = (exchanges: readonly Exchange[]): string[] => [
  ...new Set(
    judgeTrace(new Store(exchanges, factsOfTraffic('http://127.0.0.1/v1')))
      .outcomes.filter(({ outcome }) => outcome === 'failed')
      .map(({ requirement }) => requirement),
  ),
];

/** Milliseconds of processor time, which a busy machine does not change. */
export function processorTime(act: () => unknown): number {
  const before = process.cpuUsage();
  act();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}
