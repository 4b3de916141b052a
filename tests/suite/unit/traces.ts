/** Traces in a few words, and what the properties make of them. */
import { error, exchange, expect, type Given, NOW, pet, test } from './make.ts';
import { type Credential, makeAuthorization } from '../../../fixtures/contract/credentials.ts';
import { type Json, toJson } from '../../../fixtures/contract/json.ts';
import type { RequirementId } from '../../../fixtures/contract/requirements.ts';
import { judge } from '../../../fixtures/judge.ts';
import type { TestOutcome } from '../../../fixtures/report/model/outcomes.ts';
import type { Exchange } from '../../../fixtures/target/http/exchange.ts';
import type { BodyFault, Failure } from '../../../fixtures/target/recording/schema.ts';
import { Store, type TraceFacts } from '../../../fixtures/trace/store.ts';
import { properties } from '../../properties/index.ts';

export interface More extends Pick<Given, 'headers' | 'type' | 'encoding'> {
  /** The credential; by default the valid key. */
  as?: Credential;
  fault?: BodyFault['kind'];
  failure?: Failure['kind'];
}

/** The headers of an answer that did not come from the service. */
export const NO_LIMIT = {
  'X-RateLimit-Limit': undefined,
  'X-RateLimit-Remaining': undefined,
  'X-RateLimit-Reset': undefined,
};

/** An animal as this suite adds it. */
export const animal = (id: Json, more: Record<string, Json> = {}): Record<string, Json> =>
  pet(id, { name: `conformance-abcdef-${String(id)}`, ...more });

/** `ask(3, 'GET /pets?limit=2', 200, [])`; status 0 stands for no response, a string is the text of a body. */
export function ask(at: number, request: string, status: number, body?: Json, more: More = {}): Exchange {
  const [method = '', target = '', ...rest] = request.split(' ');
  const { as = 'key', headers, type, encoding, fault, failure = 'closed' } = more;
  const credentials = makeAuthorization(as, { apiKey: '$API_KEY', throttleApiKey: '$THROTTLE_API_KEY' });
  const search = credentials.query.map(([name, , text]) => `${name}=${text}`).join('&');
  const shown = body ?? (status >= 400 && status !== 429 ? error(status) : '');
  return exchange({
    ...{ operation: null, number: 0, at, method, status, credential: as, encoding },
    target: `${target}${search && (target.includes('?') ? '&' : '?')}${search}`,
    ...(rest.length > 0 && { sent: rest.join(' ') }),
    ...(type !== undefined && { type }),
    headers: { 'WWW-Authenticate': undefined, Location: undefined, ...headers },
    body: typeof shown === 'string' ? { text: shown } : shown,
    ...(fault && { fault: { kind: fault, message: fault } }),
    ...(status === 0 && { failure: { kind: failure, message: 'the connection was closed' } }),
  });
}

/** A request with a condition (RFC 9110, section 13). */
export function conditional(request: string, status: number): Exchange {
  const asked = ask(0, request, status);
  asked.request.headers.push(['If-None-Match', '"x"']);
  return asked;
}

/** `post(0, { name: 5 }, 400)` */
export const post = (at: number, sent: Json, status: number, body?: Json, more?: More): Exchange =>
  ask(at, `POST /pets ${typeof sent === 'string' ? sent : toJson(sent)}`, status, body, more);

/** An animal is added with its name, categoryId and status, and these come back. */
export function add(at: number, id: Json, fields: Record<string, Json> = {}, more?: More): Exchange {
  const { id: _, ...sent } = animal(id, fields);
  return post(at, sent, 201, { ...sent, id }, more);
}

/** `list(6, 'limit=2', 7, 8)`: a 200 with these animals; a number is the id of one as `animal` makes it. */
export function list(at: number, query: string, ...items: Json[]): Exchange {
  const animals = items.map((item) => (typeof item === 'object' ? item : animal(item)));
  return ask(at, `GET /pets${query && `?${query}`}`, 200, animals);
}

/** `get(6, 7)`: a 200 with the animal; `get(6, 7, 404)` */
export const get = (at: number, id: Json, status = 200, body?: Json): Exchange =>
  ask(at, `GET /pets/${String(id)}`, status, body ?? (status === 200 ? animal(id) : undefined));

export const range = (from: number, to: number): number[] => Array.from({ length: to - from + 1 }, (_, i) => from + i);

export type Facts = Partial<Omit<TraceFacts, 'settings'>> & { settings?: Partial<TraceFacts['settings']> };

export function makeStore(exchanges: readonly Exchange[], { settings, ...facts }: Facts = {}): Store {
  const all = exchanges.map((exchange, i) => ({ ...exchange, number: i + 1 }));
  const ofRun = { plan: undefined, readOnly: false, throttling: 'off', maxWait: 90, ...settings } as const;
  return new Store(all, { baseUrl: 'http://127.0.0.1/v1', ...facts, settings: ofRun });
}

/** `failed: wrong status status`, `cantTell: <reason>; asks GET /pets at 5.1`, `observed: <text>`. */
export function describeOutcome(store: Store, id: RequirementId): string {
  const { outcomes, observed, again } = judge(store, { [id]: properties[id] }, () => [undefined]);
  if (observed.has(id)) return `observed: ${observed.get(id)}`;
  const [{ outcome, reason, findings = [] }] = outcomes as [TestOutcome];
  const differences = findings.flatMap((each) => each.differences.map(({ kind, place }) => `${kind} ${place}`));
  if (outcome === 'failed') return `failed: ${[...new Set(differences)].join(', ')}`;
  const asks = again.map(({ step, target = step.exchange.request.target, at }) => {
    const seconds = at === 0 ? 0 : (at / 1000 - NOW).toFixed(1);
    return `; asks ${step.exchange.request.method} ${target} at ${seconds}`;
  });
  return outcome === 'passed' ? 'passed' : `${outcome}: ${reason}${asks[0] ?? ''}`;
}

/** An outcome is the beginning of it, or has a part of it behind `…`; `lawful` is every outcome that accuses nobody. */
export type Row = readonly [sentence: string, exchanges: readonly Exchange[], outcome: string, facts?: Facts];

function matches(actual: string, expected: string): boolean {
  if (expected === 'lawful') return /^(passed|untested)/.test(actual);
  const [outcome = '', ...parts] = expected.split('…');
  if (parts.length === 0) return actual === outcome;
  return actual.startsWith(outcome) && parts.every((part) => actual.includes(part));
}

/** One test for each row. */
export function testRows(tables: Partial<Record<RequirementId, readonly Row[]>>): void {
  for (const [id, rows] of Object.entries(tables))
    for (const [sentence, exchanges, outcome, facts] of rows)
      test(`${id}: ${sentence}`, () => {
        const actual = describeOutcome(makeStore(exchanges, facts), id as RequirementId);
        expect(matches(actual, outcome) ? outcome : actual).toBe(outcome);
      });
}
