import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type RecordedRun, renderHar } from '../../../fixtures/target/recording/recorded.ts';
import type { Exchange } from '../../../fixtures/target/http/exchange.ts';
import { readRecording } from '../../../fixtures/target/recording/read.ts';
import { buildReport } from '../../../fixtures/report/model/build-report.ts';
import { exchange, expect, test } from './make.ts';

const BASE = 'https://store.example/v1';
const RUN: RecordedRun = {
  facts: { run: 'abc123', target: BASE, level: 'must', require: 'partial', waivers: [], settings: [], again: '' },
  settings: {
    ...{ categoryId: '1', readOnly: false, throttling: 'auto', maxWait: 20, depth: 'standard' },
    ...{ plan: undefined, target: undefined },
  },
  ...{ baseUrl: BASE, hasThrottleKey: false, args: ['--repeat-each=2'], unsent: [], waitedMs: 0 },
};

const render = (exchanges: readonly Exchange[], run = RUN): string => renderHar(buildReport({}), exchanges, BASE, run);

const odd: Exchange[] = [
  exchange({ query: { limit: '2' } }),
  { ...exchange({ operation: 'addPet', status: 201, sent: '{"name":"\ud83e"}' }), parallel: true },
  { ...exchange({ headers: { 'X-Twice': ['1', '2'] } }), credential: 'throttle' as const },
  exchange({ body: { text: 'caf\u00e9\u0000' }, fault: { kind: 'not UTF-8', message: 'bytes that are not UTF-8' } }),
  exchange({ failure: { kind: 'timeout', message: 'no answer within 10 s' } }),
].map((each, i) => ({ ...each, number: i + 1 }));

test('a recording is read unchanged', () => {
  expect(readRecording('FILE', render(odd)).exchanges).toEqual(JSON.parse(JSON.stringify(odd)));
});

test('the notes on requests that were not sent are read, with the remedy of those that were left out', () => {
  const reason = 'no budget';
  const unsent = [{ reason }, { reason, remedy: 'DEPTH=thorough', requirements: ['http.head'], operation: 'listPets' }];
  expect(readRecording('FILE', render(odd, { ...RUN, unsent })).run.unsent).toEqual(unsent);
});

test('a key in a body is marked', () => {
  expect(render([exchange({ status: 400, body: { text: '{"message":"$API_KEY"}' } })])).toContain('"_repeatsKey":true');
  expect(render(odd)).not.toContain('_repeatsKey');
});

const har = (log: object): string =>
  JSON.stringify({ log: { creator: { name: 'WebInspector', version: '1' }, ...log } });

for (const [title, text, pattern] of [
  ['no JSON', 'hello', /^FILE is not a HAR: it is not JSON$/],
  ['a zip archive', 'PK\u0003\u0004', /^FILE is not a HAR: it is a zip archive: record with Playwright into a \.har$/],
  ['cut', render(odd).slice(0, -200), /^FILE is not a HAR: it is not JSON at position \d+$/],
  ['other JSON', '[]', /^FILE is not a HAR: it must be object$/],
  ['of another tool', har({ entries: [] }), /^FILE is not a recording of this suite, but of WebInspector/],
  ['with other entries', har({ entries: [{}], _run: RUN }), /^FILE is not a recording of this suite: \/0 must have/],
] as const)
  test(`an invalid recording is refused in one sentence: ${title}`, () => {
    for (const expected of [pattern, /^[^\n]*$/]) expect(() => readRecording('FILE', text)).toThrow(expected);
  });

test('a recording that is missing or too large is named', ({ directory }) => {
  const file = join(directory, 'exchanges.har');
  expect(() => readRecording(file)).toThrow(`${file} cannot be read: ENOENT`);
  writeFileSync(file, ' '.repeat(51 * 1024 * 1024));
  expect(() => readRecording(file)).toThrow(/51 MB, and at most 50 MB are read$/);
  const long = JSON.stringify({ log: { entries: Array.from({ length: 50_001 }, () => 0) } });
  expect(() => readRecording('FILE', long)).toThrow('FILE has 50001 entries, and at most 50000 are read');
});
