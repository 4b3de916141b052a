import { expect } from '@playwright/test';
import type { Exchange } from '../../../fixtures/target/http/exchange.ts';
import { describeOutage, findOutages } from '../../../fixtures/target/http/outage.ts';
import { exchange, test } from './make.ts';

const REFUSED = { kind: 'unreachable', message: 'ECONNREFUSED', why: 'connection refused' } as const;
const CLOSED = { kind: 'closed', message: 'the connection was closed without an answer' } as const;

/** `a` answered, `c` closed, `r` refused. */
const run = (letters: string): Exchange[] =>
  [...letters].map((letter, i) => {
    const failure = { a: undefined, c: CLOSED, r: REFUSED }[letter as 'a' | 'c' | 'r'];
    return exchange({ number: i + 1, status: 200, ...(failure && { failure }) });
  });

const read = (letters: string): string[] =>
  findOutages(run(letters)).map(
    ({ last, unreached, back }) => `${last.number}: ${unreached.map(({ number }) => number)} ${back?.number ?? 'gone'}`,
  );

for (const [letters, expected] of [
  ['aaa', []],
  ['aaca', []],
  ['rrr', []],
  // It never answered, so nothing stopped.
  ['crr', []],
  ['aacrrr', ['3: 4,5,6 gone']],
  ['aarrr', ['2: 3,4,5 gone']],
  ['aacrra', ['3: 4,5 6']],
  ['aacracra', ['3: 4 5', '6: 7 8']],
  // A connection that is closed is not an answer.
  ['aacrcra', ['3: 4,6 7']],
] as [string, string[]][])
  test(`outages of ${letters}: ${expected.join('; ') || 'none'}`, () => {
    expect(read(letters)).toEqual(expected);
  });

for (const [letters, sentence] of [
  [
    'aacrrr',
    /^The target stopped answering: .* \(exchange 3\): the connection was closed .*; every later request was refused\./,
  ],
  ['aarrr', /\(exchange 2\): answered 200 .*; every later request was refused\. Look at its log for this request\.$/],
  [
    'aacra',
    /answering and came back, .* \(exchange 3\): .*; then 1 request was refused, until exchange 5 was answered\./,
  ],
] as const)
  test(`the outage of ${letters} is one sentence that names the last request`, () =>
    expect(findOutages(run(letters)).map(describeOutage).join()).toMatch(sentence));
