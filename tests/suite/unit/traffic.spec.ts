/** What is kept of traffic of others has no secret, and is judged as before. */
import { bodySchemaOf, LIST } from '../../../fixtures/contract/contract.ts';
import type { Exchange } from '../../../fixtures/target/http/exchange.ts';
import { readRecording } from '../../../fixtures/target/recording/read.ts';
import { renderHar } from '../../../fixtures/target/recording/recorded.ts';
import { Hidden, keepBody, keepCredential } from '../../../fixtures/target/recording/kept.ts';
import { convertTraffic } from '../../../fixtures/target/recording/traffic.ts';
import { factsOfTraffic, Store } from '../../../fixtures/trace/store.ts';
import { judge } from '../../../fixtures/judge.ts';
import { properties } from '../../properties/index.ts';
import { names, readText } from '../recordings/corpus.ts';
import { BASE } from '../recordings/har.ts';
import { formsOf, planted, SECRETS } from '../recordings/planted.ts';
import { buildReport } from '../../../fixtures/report/model/build-report.ts';
import { expect, findBroken, test } from './make.ts';

const { log } = planted();
const given = JSON.stringify(log);
const { exchanges, skipped } = convertTraffic(log.entries, BASE);
const written = renderHar(buildReport({}), exchanges, BASE);

for (const [place, secret] of Object.entries(SECRETS))
  test(`a secret is not written: ${place}`, () => {
    const isIn = (text: string): boolean => formsOf(secret).some((form) => text.includes(form));
    expect([isIn(given), isIn(written)]).toEqual([true, false]);
  });

test('what judgement reads is kept', () => {
  expect(skipped).toEqual({ 'of another address': 1 });
  const hide = (text = ''): string => text.replaceAll(/redacted-\d+/g, '…');
  const shown = exchanges.map((recorded) => {
    const [, authorization] = recorded.request.headers.find(([name]) => name === 'Authorization') ?? [];
    return [hide(recorded.request.target), hide(authorization), recorded.credential, ...findBroken([recorded])];
  });
  const ofKey = ['Bearer $API_KEY', 'key'];
  expect(shown).toEqual([
    ['/pets', ...ofKey],
    ['/pets?limit=2&code=…&…=…&…=&word=…', ...ofKey],
    ['/pets', 'Bearer …', 'unknown'],
    ['/pets', 'Bearer …', 'unknown', 'auth.challenge'],
    ['/pets', ...ofKey, 'service.no-server-error'],
    ['/pets', ...ofKey],
    ['/pets', 'Bearer $API_KEY_2', 'key'],
    ['/pets/…', ...ofKey],
    ['/pets/123', ...ofKey, 'error.no-secrets'],
    ['/pets', ...ofKey, 'rate.limit.value'],
    ['/pets', ...ofKey, 'service.json'],
    ['/pets?status=lost', ...ofKey, 'list.status.unknown'],
  ]);
});

test('equal values stay equal, and others differ', () => {
  const hidden = new Hidden();
  const body = { name: 'Rex', more: 'one-1', again: 'one-1', other: 'two-2' };
  const kept = JSON.parse(keepBody(JSON.stringify(body), hidden) ?? '') as typeof body;
  expect(kept.more).toBe(kept.again);
  expect(new Set(Object.values(kept)).size).toBe(3);
});

test('the form of a credential can still be judged', () => {
  const hidden = new Hidden(new Map([['abc', '$API_KEY']]));
  for (const [value, shown] of [
    ['Bearer abc', 'Bearer $API_KEY'],
    ['bearer  abc', 'bearer  $API_KEY'],
    ['abc', '$API_KEY'],
    ['Bearer "abc"', 'Bearer "$API_KEY"'],
    ['Bearer abc x', 'Bearer $API_KEY …'],
    ['XBearer abc', '… $API_KEY'],
    ['Bearer', 'Bearer'],
    ['Bearer $API_KEY', 'Bearer $API_KEY'],
  ] as const)
    expect(keepCredential(value, hidden).replace(/redacted-\d+/, '…')).toBe(shown);
});

test('the code of an error is kept, unless it is a key', () => {
  const hidden = new Hidden(new Map([['opensesame', '$API_KEY']]));
  const kept = (code: string) => keepBody(JSON.stringify({ code }), hidden, bodySchemaOf(LIST, 401), true);
  expect(['not_found', 'opensesame', 'Not found'].map(kept)).toEqual([
    '{"code":"not_found"}',
    '{"code":"redacted-1"}',
    '{"code":"redacted-2"}',
  ]);
});

test('the form of a JSON text is kept', () => {
  const hidden = new Hidden();
  const text = '{"a": 1.50e3, "a":"x", "b" : [true,null,{"c":-7}]}';
  expect(keepBody(text, hidden)).toMatch(/^\{"a": 0, "a":"redacted-\d+", "b" : \[true,null,\{"c":0\}\]\}$/);
  expect(keepBody('<p>x</p>', hidden)).toMatch(/^<redacted-\d+$/);
  // A stack trace and a key are judged.
  expect(keepBody('"at x (/srv/app.js:7)"', hidden)).toMatch(/\.js:1/);
});

interface Entry {
  startedDateTime: string;
  request: { headers: object[] };
  response: { content: { text?: string } };
  _conformance: { number: number };
}

/** What is judged of a trace, but for what a replaced key in an error shows. */
const judgements = (trace: readonly Exchange[]): string[] =>
  judge(new Store(trace, factsOfTraffic('http://127.0.0.1/v1')), properties)
    .outcomes.filter(({ requirement }) => requirement !== 'error.no-secrets')
    .map((each) => [each.requirement, each.operation, each.outcome, each.findings?.length].join(' '));

for (const name of names())
  test(`${name} as traffic, with a secret in each request that its answers repeat`, () => {
    const text = readText(name);
    const { log } = JSON.parse(text) as { log: { entries: Entry[]; _run: { baseUrl: string } } };
    const numbers = new Map<number, number>();
    for (const entry of log.entries) {
      let at = Date.parse(entry.startedDateTime);
      while (numbers.has(at)) at += 1;
      numbers.set(at, entry._conformance.number);
      entry.startedDateTime = new Date(at).toISOString();
      // Words of the answers themselves are secrets too.
      entry.request.headers.push({ name: 'X-Session', value: entry.response.content.text?.slice(0, 300) || 'none' });
    }
    const converted = convertTraffic(log.entries, log._run.baseUrl).exchanges;
    expect(converted.length).toBeGreaterThan(50);
    const recorded = new Map(readRecording(name, text).exchanges.map((each) => [each.number, each]));
    const originals = converted.map((exchange) => {
      const { request, response } = recorded.get(numbers.get(exchange.at) as number) as Exchange;
      const { body: _body, ...own } = exchange.request;
      const sent = { ...own, ...(request.body !== undefined && { body: request.body }) };
      return { ...exchange, request: sent, response } as Exchange;
    });
    expect(judgements(converted)).toEqual(judgements(originals));
    expect(converted.filter(({ response }, i) => response?.body !== originals[i]?.response?.body)).not.toEqual([]);
  });
