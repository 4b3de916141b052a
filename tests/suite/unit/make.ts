/** Makes exchanges, answers and runs for unit tests: lawful by default. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { _baseTest, expect } from '@playwright/test';
import fc from 'fast-check';
import { operationOf } from '../../../fixtures/contract/contract.ts';
import { type Json, toJson } from '../../../fixtures/contract/json.ts';
import { type Credential, makeAuthorization } from '../../../fixtures/contract/credentials.ts';
import type { Exchange, Response } from '../../../fixtures/target/http/exchange.ts';
import { factsOfTraffic, Store } from '../../../fixtures/trace/store.ts';
import { judge } from '../../../fixtures/judge.ts';
import { properties } from '../../properties/index.ts';

export { expect };

interface Fixtures {
  /** Closes something at the end of the test. */
  closing: <T extends { close: () => unknown }>(started: T) => T;
  /** A temporary folder. */
  directory: string;
  /** Sets variables of this process, which are as before after the test, as are those that the test itself changes. */
  setVariables: (variables: Record<string, string>) => void;
}

/** The base of the public `test`, without browser options. */
export const test = _baseTest.extend<Fixtures>({
  closing: async ({}, use) => {
    const all: { close: () => unknown }[] = [];
    await use((started) => {
      all.push(started);
      return started;
    });
    for (const each of all.reverse()) await each.close();
  },
  directory: async ({}, use) => {
    const directory = mkdtempSync(join(tmpdir(), 'unit-'));
    await use(directory);
    rmSync(directory, { recursive: true });
  },
  setVariables: async ({}, use) => {
    const before = { ...process.env };
    await use((variables) => void Object.assign(process.env, variables));
    for (const name of Object.keys(process.env)) if (!(name in before)) delete process.env[name];
    Object.assign(process.env, before);
  },
});

/** Checks random values. */
export function forAll<T>(
  values: fc.Arbitrary<T>,
  given: fc.Parameters<[T]> | ((value: T) => void),
  check = given as (value: T) => void,
): void {
  fc.assert(fc.property(values, check), typeof given === 'function' ? {} : given);
}

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
  type?: string | undefined;
  encoding?: 'latin1' | undefined;
  method?: string;
  /** In place of the path of the operation. */
  target?: string;
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
  const { operation = 'listPets', status = 200, credential = 'key', at = 0, sent, query, encoding, failure } = given;
  const known = operation === null ? undefined : operationOf(operation);
  const search = query ? `?${new URLSearchParams(query).toString()}` : '';
  const path = (known?.path ?? '/pets').replace('{petId}', given.id ?? '7');
  return {
    ...{ number: given.number ?? (last += 1), at: (NOW + at) * 1000, ms: 5, credential },
    parallel: given.parallel ?? false,
    request: {
      method: given.method ?? known?.method ?? 'GET',
      target: given.target ?? path + search,
      headers: headersFor(credential, sent === undefined ? given.type : (given.type ?? 'application/json')),
      ...(sent !== undefined && { body: sent }),
      ...(encoding && { encoding }),
    },
    ...(failure ? { failure } : { response: responseFor(given, operation, status) }),
  };
}

const KEYS = { apiKey: '', throttleApiKey: '-' };

/** As they are recorded, with a variable in place of each key. */
const headersFor = (credential: Credential, type: string | undefined): [string, string][] => [
  ['Accept', 'application/json'],
  ...makeAuthorization(credential, KEYS).headers.map(([name, , shown]): [string, string] => [name, shown]),
  ...(!type ? [] : [['Content-Type', type] satisfies [string, string]]),
];

/** Those of every answer. @param date in seconds since the epoch. */
export const lawfulHeaders = (date: number): Record<string, string> => ({
  Date: new Date(date * 1000).toUTCString(),
  'Content-Type': 'application/json',
  ...{ 'X-RateLimit-Limit': '60', 'X-RateLimit-Remaining': '50', 'X-RateLimit-Reset': String(date + 30) },
});

function responseFor(given: Given, operation: string | null, status: number): Response {
  const date = NOW + Math.floor(given.at ?? 0);
  const headers: Given['headers'] = {
    ...lawfulHeaders(date),
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

/** The requirements that a trace of others violates. */
export const findBroken = (exchanges: readonly Exchange[], facts: Partial<Store['facts']> = {}): string[] => [
  ...new Set(
    judge(new Store(exchanges, { ...factsOfTraffic('http://127.0.0.1/v1'), ...facts }), properties)
      .outcomes.filter(({ outcome }) => outcome === 'failed')
      .map(({ requirement }) => requirement),
  ),
];

/** Fails if four times as much takes nearly 16 times as long: a ratio is the same on a slow machine. */
export function expectLinear<T>(make: (n: number) => T, act: (made: T) => unknown): void {
  const measure = (made: T): number => {
    const before = process.cpuUsage();
    act(made);
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1000;
  };
  const [one, four] = [make(1), make(4)].map((made) => Math.min(measure(made), measure(made), measure(made)));
  // Below 100 ms, garbage collection takes longer than the act.
  expect(four).toBeLessThan(8 * Math.max(one ?? 0, 100));
}
