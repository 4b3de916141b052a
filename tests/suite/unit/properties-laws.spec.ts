/** What holds for every trace: tried on recorded ones that are changed, and on those of a lawful store. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import fc from 'fast-check';
import type { Json } from '../../../fixtures/contract/json.ts';
import type { Exchange } from '../../../fixtures/target/http/exchange.ts';
import { readRecording } from '../../../fixtures/target/recording/read.ts';
import { judge } from '../../../fixtures/judge.ts';
import { properties } from '../../properties/index.ts';
import { error, expect, forAll, NOW, test } from './make.ts';
import { ask, type Facts, makeStore, post } from './traces.ts';

/** Each requirement and operation with its outcome. */
const judged = (exchanges: readonly Exchange[], facts?: Facts): Map<string, string> => {
  const { outcomes } = judge(makeStore(exchanges, facts), properties);
  return new Map(outcomes.map(({ requirement, operation = '', outcome }) => [`${requirement} ${operation}`, outcome]));
};

const failed = (outcomes: Map<string, string>): string[] =>
  [...outcomes].flatMap(([id, outcome]) => (outcome === 'failed' ? [id] : []));

const RECORDED = ['reference', 'reference-filled', 'defect-limit-ignored', 'defect-every-8th-refused', 'fastapi'];

function read(name: string): readonly Exchange[] {
  const file = fileURLToPath(new URL(`../recordings/${name}.har.gz`, import.meta.url));
  return readRecording(file, gunzipSync(readFileSync(file)).toString()).exchanges;
}

const changeResponse = (exchange: Exchange, more: Partial<NonNullable<Exchange['response']>>): Exchange =>
  exchange.response ? { ...exchange, response: { ...exchange.response, ...more } } : exchange;
const changeRequest = (exchange: Exchange, more: Partial<Exchange['request']>): Exchange => ({
  ...exchange,
  request: { ...exchange.request, ...more },
});

const TEXTS = /(?<="(name|status)":)"[^"]*"/g;

/** How an exchange is changed: nothing of a trace may make a property throw. */
const changes: readonly ((exchange: Exchange, json: string) => Exchange | undefined)[] = [
  () => undefined,
  ({ response: _, ...rest }) => ({ ...rest, failure: { kind: 'closed', message: 'closed' } }),
  (exchange, json) => changeResponse(exchange, { body: json }),
  (exchange) => changeResponse(exchange, { body: exchange.response?.body.slice(0, 20) ?? '' }),
  (exchange, json) => changeResponse(exchange, { status: 100 + ((json.length * 97) % 500) }),
  // JavaScript cannot write this object as a text.
  (exchange) => changeResponse(exchange, { body: exchange.response?.body.replaceAll(TEXTS, '{"toString":1}') ?? '' }),
  (exchange) => changeResponse(exchange, { headers: [] }),
  (exchange) => changeResponse(exchange, { fault: { kind: 'not decoded', message: 'not decoded' } }),
  (exchange, json) => changeRequest(exchange, { body: json }),
  (exchange) => changeRequest(exchange, { body: '{"name":"Rex","categoryId":1,"id":{"toString":1}}' }),
  (exchange, json) => changeRequest(exchange, { target: `${exchange.request.target}${json}` }),
  (exchange) => changeRequest(exchange, { headers: [] }),
];

test('no changed trace makes a property throw', () => {
  const traces = RECORDED.map(read);
  const oneChange = fc.record({ at: fc.nat(), how: fc.nat(changes.length - 1), json: fc.json() });
  const tried = fc.tuple(fc.nat(), fc.array(oneChange, { maxLength: 60 }), fc.boolean());
  forAll(tried, { numRuns: 90 }, ([which, all, isForeign]) => {
    const changed: (Exchange | undefined)[] = [...(traces[which % traces.length] as Exchange[])];
    for (const { at, how, json } of all) {
      const exchange = changed[at % changed.length];
      if (exchange) changed[at % changed.length] = changes[how]?.(exchange, json);
    }
    const left = changed.filter((each) => each !== undefined);
    judged(left, { isForeign });
  });
});

const unrelated = fc.oneof(
  fc.bigInt(0n, 2n ** 62n).map((id) => (at: number) => ask(at, `GET /pets/${id}`, 404)),
  fc.constant((at: number) => ask(at, 'GET /store/orders?x=1', 200, [])),
  fc.constant((at: number) => ask(at, 'GET /pets', 401, undefined, { as: 'made up' })),
  fc.nat().map((x) => (at: number) => post(at, { categoryId: x }, 400)),
);

test('an unrelated lawful exchange turns no failure into a pass', () => {
  const traces = ['defect-limit-ignored', 'defect-every-8th-refused', 'fastapi'].map(read);
  const before = traces.map((trace) => failed(judged(trace)));
  expect(before.map(({ length }) => length > 0)).toEqual([true, true, true]);
  forAll(fc.tuple(fc.nat(), fc.nat(), unrelated), { numRuns: 60 }, ([which, where, make]) => {
    const trace = traces[which % traces.length] as Exchange[];
    const index = where % trace.length;
    const after = judged(trace.toSpliced(index, 0, make((trace[index] as Exchange).at / 1000 - NOW)));
    const passed = before[which % traces.length]?.filter((id) => after.get(id) === 'passed');
    expect(passed).toEqual([]);
  });
});

// ---- a lawful store

const STATUSES = ['available', 'pending', 'sold'] as const;
const ACTS = [
  ...(['add', 'add', 'refuse', 'no key', 'list', 'list', 'list', 'get', 'get', 'get next', 'get unknown'] as const),
  ...(['others add', 'others remove', 'others change'] as const),
];

interface Kept {
  id: bigint;
  from: number;
  to: number;
  fields: Record<string, Json>;
  isOwn: boolean;
  isShown: boolean;
  changes: { at: number; fields: Record<string, Json> }[];
}

const moment = fc.record({
  gap: fc.constantFrom(0, 0, 0.01, 0.5, 2, 6),
  what: fc.constantFrom(...ACTS),
  lag: fc.constantFrom(0, 0, 1, 4.9),
  pick: fc.nat(50),
  status: fc.option(fc.constantFrom(...STATUSES), { nil: undefined }),
  limit: fc.constantFrom('', '1', '2', '3', '100'),
  isCut: fc.constantFrom(false, false, true),
});
type Moment = typeof moment extends fc.Arbitrary<infer T> ? T : never;
type MakeId = (n: bigint) => bigint;
const IDS: readonly MakeId[] = [(n) => n, (n) => -n, (n) => n + 2n ** 60n, (n) => (n * 7919n) % 10_007n];

/** What a store with lagging copies and other clients answers to these requests; a recording of others may lack some. */
function perform(moments: readonly Moment[], makeId: MakeId, isForeign: boolean): Exchange[] {
  const kept: Kept[] = [];
  let [at, last] = [0, 0];
  const keep = (fields: Record<string, Json>, isOwn: boolean): Record<string, Json> => {
    const id = makeId(BigInt((last += 1)));
    kept.push({ id, from: at, to: Infinity, fields: { ...fields, id }, isOwn, isShown: false, changes: [] });
    return { ...fields, id };
  };
  const answer = ({ what, lag, pick, status, limit }: Moment): Exchange | undefined => {
    const seenAt = at - lag;
    const visible = kept
      .filter(({ from, to }) => from <= seenAt && to > seenAt)
      .map(({ fields, changes }) => ({ ...fields, ...changes.findLast((each) => each.at <= seenAt)?.fields }));
    const name = isForeign ? (['Rex', 'Bello'][pick % 2] as string) : `conformance-abcdef-${last}`;
    const sent = { name, categoryId: 1, ...(status && { status }) };
    const isTaken = kept.some(({ fields, to }) => fields['name'] === sent.name && to > at);
    const others = kept.filter(({ isOwn }) => !isOwn);
    const get = (id: bigint): Exchange => {
      const found = visible.find((each) => each['id'] === id);
      return ask(at, `GET /pets/${id}`, found ? 200 : 404, found ?? error(404));
    };
    switch (what) {
      case 'others add':
        keep({ ...sent, name: isForeign ? sent.name : `other ${last}`, status: status ?? 'sold' }, false);
        return undefined;
      case 'others remove':
        if (others[pick]) others[pick].to = Math.min(others[pick].to, at);
        return undefined;
      case 'others change':
        others[pick]?.changes.push({ at, fields: { status: status ?? 'sold' } });
        return undefined;
      case 'add':
        if (isTaken) return post(at, sent, pick % 3 === 0 ? 409 : 400);
        return post(at, sent, 201, keep({ ...sent, status: status ?? 'available' }, true));
      case 'refuse':
        return post(at, { ...sent, categoryId: 'x' }, 400);
      case 'no key':
        return ask(at, `POST /pets ${JSON.stringify(sent)}`, 401, undefined, { as: 'none' });
      case 'list': {
        const query = new URLSearchParams({ ...(limit && { limit }), ...(status && { status }) }).toString();
        const shown = visible.filter((fields) => status === undefined || fields['status'] === status);
        const from = shown.length > 0 ? pick % shown.length : 0;
        const turned = [...shown.slice(from), ...shown.slice(0, from)].slice(0, Number(limit || 20));
        for (const each of kept) each.isShown ||= turned.some(({ id }) => id === each.id);
        return ask(at, `GET /pets${query && `?${query}`}`, 200, turned);
      }
      case 'get unknown':
        return get(5_577_006_791_947_779_410n + BigInt(last));
      default: {
        // A run asks for ids that it was shown, and for the ones beside them.
        const known = isForeign ? kept : kept.filter((each) => each.isOwn || each.isShown);
        return get((known[pick % Math.max(known.length, 1)]?.id ?? 0n) + (what === 'get next' ? 1n : 0n));
      }
    }
  };
  return moments.flatMap((one) => {
    at += one.gap + 0.01;
    last += 1;
    const answered = answer(one);
    return answered && !(isForeign && one.isCut) ? [answered] : [];
  });
}

for (const isForeign of [false, true])
  test(`no lawful store is accused, ${isForeign ? 'in traffic of others' : 'in a run'}`, () => {
    const tried = fc.tuple(fc.array(moment, { minLength: 5, maxLength: 40 }), fc.constantFrom(...IDS));
    forAll(tried, { numRuns: 300 }, ([moments, makeId]) => {
      const exchanges = perform(moments, makeId, isForeign);
      const wrong = failed(judged(exchanges, { isForeign })).filter(
        (id) => !/^(add\.location|auth\.challenge|get\..*-header|rate|throttle)/.test(id),
      );
      expect(wrong).toEqual([]);
    });
  });

test('the order of exchanges at one time does not matter', () => {
  const some = fc.array(moment, { minLength: 5, maxLength: 25 });
  const tried = fc.tuple(some, fc.constantFrom(...IDS), fc.infiniteStream(fc.nat()));
  forAll(tried, { numRuns: 200 }, ([moments, makeId, random]) => {
    const made = perform(moments, makeId, false);
    const exchanges = made.map((each) => ({ ...each, at: Math.floor(each.at / 1000) * 1000 }));
    const keyed = exchanges.map((each) => ({ each, key: random.next().value }));
    const turned = keyed.toSorted((a, b) => a.each.at - b.each.at || a.key - b.key).map(({ each }) => each);
    expect(judged(turned)).toEqual(judged(exchanges));
  });
});
