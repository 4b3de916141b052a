import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from '@playwright/test';
import { renderHar } from '../../../fixtures/target/recording/write.ts';
import { findDifferences, dropTimes } from '../../../fixtures/report/run/claim.ts';
import type { ConformanceReport } from '../../../fixtures/report/model/report.ts';
import type { Exchange } from '../../../fixtures/target/http/exchange.ts';
import { readRecording } from '../../../fixtures/target/recording/read.ts';
import { type RecordedRun, toFacts } from '../../../fixtures/target/recording/recorded.ts';
import { readTraffic } from '../../../fixtures/target/recording/traffic.ts';
import { judged, reported, makeTest } from '../gate/given.ts';
import { exchange, test } from './make.ts';

const BASE = 'https://store.example/v1';
const RUN: RecordedRun = {
  facts: { run: 'abc123', target: BASE, level: 'must', require: 'partial', waivers: [], settings: [], again: '' },
  settings: {
    ...{ categoryId: '1', readOnly: false, throttling: 'auto', maxWait: 20, depth: 'standard' },
    ...{ plan: undefined, target: undefined },
  },
  ...{ baseUrl: BASE, hasThrottleKey: false, args: [], unsent: [], waitedMs: 0 },
};

const folder = (): string => mkdtempSync(join(tmpdir(), 'recording-'));

function file(text: string): string {
  const path = join(folder(), 'exchanges.har');
  writeFileSync(path, text);
  return path;
}

const render = (exchanges: readonly Exchange[], run = RUN): string =>
  [...renderHar(reported(), exchanges, BASE, run)].join('');

const written = (exchanges: readonly Exchange[], run = RUN): string => file(render(exchanges, run));

const odd: Exchange[] = [
  exchange({ query: { limit: '2' } }),
  { ...exchange({ operation: 'addPet', status: 201, sent: '{"name":"\ud83e"}' }), parallel: true, came: 3, left: 7 },
  { ...exchange({ headers: { 'X-Twice': ['1', '2'] } }), credential: 'throttle' as const },
  {
    ...exchange({}),
    response: {
      ...{
        status: 200,
        headers: [['Content-Type', 'application/json']] as [string, string][],
        body: 'caf\u00e9\u0000',
      },
      fault: { kind: 'not UTF-8' as const, message: 'a body whose bytes are not UTF-8' },
    },
  },
  exchange({ failure: { kind: 'timeout', message: 'no answer within 10 s' } }),
].map((each, i) => ({ ...each, number: i + 1 }));

test('a recording is read unchanged', () => {
  expect(readRecording(written(odd)).exchanges).toEqual(odd.map((each) => JSON.parse(JSON.stringify(each)) as object));
});

test('the notes on requests that were not sent are read, with the remedy of rows that were left out', () => {
  const request = { row: 'HEAD /pets', attempt: 1, isRateLimited: false, exchanges: [], reason: 'no budget' };
  const why = { remedy: 'DEPTH=thorough', requirements: ['http.head' as const] };
  const facts = toFacts(readRecording(written(odd, { ...RUN, unsent: [request, { ...request, ...why }] })).run);
  expect(facts.unsent).toEqual([request, { ...request, ...why }]);
});

test('a key in a body is replaced by its variable, and marked', () => {
  const repeated = exchange({ status: 400, body: { text: '{"message":"$API_KEY"}' } });
  expect(render([repeated])).toContain('"_repeatsKey":true');
  expect(render(odd)).not.toContain('_repeatsKey');
});

test.describe('an invalid recording is refused in one sentence', () => {
  const refusal = (path: string): string => {
    try {
      readRecording(path);
      return '';
    } catch (error) {
      return (error as Error).message.replace(path, 'FILE');
    }
  };
  const har = (log: object): string =>
    JSON.stringify({ log: { creator: { name: 'WebInspector', version: '1' }, ...log } });
  for (const [title, text, pattern] of [
    ['no JSON', 'hello', /^FILE is not a HAR: /],
    ['cut', render(odd).slice(0, -200), /^FILE is not a HAR: /],
    ['other JSON', '[]', /^FILE is not a HAR: it must be object$/],
    ['of another tool', har({ entries: [] }), /^FILE is not a recording of this suite, but of WebInspector/],
    ['with other entries', har({ entries: [{}], _run: RUN }), /^FILE is not a recording of this suite: \/0 must have/],
    ['hostile', har({ entries: [], _run: { ...RUN, args: ['--config=/tmp/evil.ts'] } }), /args\/0 must match pattern/],
  ] as const)
    test(title, () => {
      const message = refusal(file(text));
      expect(message).toMatch(pattern);
      expect(message).not.toContain('\n');
    });

  test('missing, or too large', () => {
    expect(refusal('/nowhere/exchanges.har')).toMatch(/^FILE cannot be read: ENOENT/);
    expect(refusal(file(' '.repeat(51 * 1024 * 1024)))).toMatch(/51 MB, and at most 50 MB are read$/);
  });
});

test.describe('a verified report', () => {
  const DIGEST = `sha256:${'0'.repeat(64)}`;
  const report = (more: Partial<ConformanceReport> = {}): ConformanceReport => ({
    ...reported(),
    recording: { digest: DIGEST },
    ...more,
  });
  const failed = (): ConformanceReport => ({
    ...reported(judged([makeTest('add.echo', 'failed')])),
    recording: { digest: DIGEST },
  });

  test('is the same except times', () => {
    const again = report({ startedAt: '2030-01-01T00:00:00.000Z', durationMs: 1 });
    expect(findDifferences({ report: report(), digest: DIGEST }, again)).toEqual([]);
    expect(dropTimes(JSON.stringify(report()))).toBe(dropTimes(JSON.stringify(again)));
  });

  test('differs by requirement, with the reason: report, recording, suite', () => {
    const of = (...args: Parameters<typeof findDifferences>): string => findDifferences(...args).join('\n');
    expect(of({ report: report(), digest: DIGEST }, failed())).toMatch(
      /add\.echo: passed in the report, failed by the recording \(the report does not follow from its recording\)/,
    );
    expect(of({ report: report(), digest: 'sha256:1' }, failed())).toMatch(
      /^exchanges\.har was changed: .*\n.*\n?.*add\.echo: .*\(the recording was changed\)/s,
    );
    const older = report({ suite: { version: '0.9.0' } });
    expect(of({ report: older, digest: DIGEST }, failed())).toMatch(
      /add\.echo: .*\(suite 0\.9\.0 judged it, and this is /,
    );
  });

  test('differs in everything else too', () => {
    const other = report({ counts: { ...report().counts, passed: 99 } });
    expect(findDifferences({ report: other, digest: DIGEST }, report())).toEqual([
      'counts: the report does not follow from its recording',
    ]);
  });
});

test.describe('recorded traffic', () => {
  const KEY = 'traffic-secret-key';
  const entry = (
    more: { url?: string; status?: number; text?: string; method?: string; body?: string } = {},
  ): object => ({
    startedDateTime: '2026-01-01T00:00:00.000Z',
    time: 5,
    request: {
      ...{ method: more.method ?? 'GET', url: more.url ?? `${BASE}/pets?limit=2` },
      headers: [
        { name: 'Authorization', value: `Bearer ${KEY}` },
        { name: 'content-type', value: 'application/json' },
      ],
      ...(more.body !== undefined && { postData: { mimeType: 'application/json', text: more.body } }),
    },
    response: {
      ...{ status: more.status ?? 200, headers: [{ name: 'set-cookie', value: 'session=s3cr3t' }] },
      content: { size: 2, text: more.text ?? '[]' },
    },
  });
  const read = (...entries: object[]) =>
    readTraffic(file(JSON.stringify({ log: { creator: { name: 'proxy', version: '1' }, entries } })), BASE);

  test('is read with its operations of the contract', () => {
    const { exchanges } = read(
      entry(),
      entry({ url: `${BASE}/pets?limit=0` }),
      entry({ url: `${BASE}/pets/7` }),
      entry({ method: 'POST', url: `${BASE}/pets`, body: '{"name":"a","categoryId":1}' }),
      entry({ method: 'POST', url: `${BASE}/pets`, body: '{"name":"a","categoryId":1,"colour":"red"}' }),
      entry({ method: 'DELETE', url: `${BASE}/pets/7` }),
    );
    expect(exchanges.map(({ purpose: { operation, valid } }) => [operation, valid])).toEqual([
      ['listPets', true],
      ['listPets', false],
      ['getPet', true],
      ['addPet', true],
      ['addPet', false],
      [undefined, false],
    ]);
    for (const at of [2, 5]) expect(exchanges[at]?.purpose.id).toBe('7');
  });

  test('keeps no key in any place', () => {
    const { exchanges } = read(
      entry({ text: `{"echo":"${KEY}"}`, status: 400 }),
      entry({ url: `${BASE}/pets/${KEY}` }),
      entry({ url: `${BASE}/pets?status=${KEY}&api_key=another-one` }),
    );
    expect(JSON.stringify(exchanges)).not.toMatch(/traffic-secret-key|another-one|s3cr3t/);
  });

  test('is skipped with a count if it cannot be judged', () => {
    const { exchanges, skipped } = read(
      entry(),
      entry({ url: 'https://elsewhere.example/v1/pets' }),
      entry({ url: `${BASE}/basket` }),
      entry({ status: 0 }),
      { ...entry(), response: { status: 200, headers: [], content: { size: 2 } } },
      { hello: 'world' },
    );
    expect(exchanges).toHaveLength(1);
    expect(Object.fromEntries(skipped)).toEqual({
      'of another address': 1,
      'not of an operation of the contract': 1,
      'without an answer': 1,
      'without a body': 1,
      'not valid HAR 1.2': 1,
    });
  });

  test('to another service is refused', () => {
    expect(() => read(entry({ url: 'https://elsewhere.example/' }))).toThrow(/has nothing that can be judged/);
  });
});
