import type { Exchange } from '../../../fixtures/target/http/exchange.ts';
import { findOutages } from '../../../fixtures/target/http/outage.ts';
import { exchange, expect, test } from './make.ts';

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
