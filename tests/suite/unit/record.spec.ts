import { appendFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from '@playwright/test';
import { Record as RunRecord } from '../../../fixtures/target/record.ts';
import { exchange, test } from './make.ts';

let directory: string;
test.beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'record-'));
});
test.afterEach(() => rmSync(directory, { recursive: true }));

const numbers = (record: RunRecord): number[] => record.all().map(({ number }) => number);

test('an empty run has no exchanges', () => {
  expect(new RunRecord(directory).all()).toEqual([]);
});

test('every worker sees what every other one sent, in the order of sending', () => {
  const [one, other] = [new RunRecord(directory), new RunRecord(directory)];
  one.add(exchange({ number: 2 }));
  other.add(exchange({ number: 1 }));
  expect(numbers(one)).toEqual([1, 2]);
  other.add(exchange({ number: 3 }));
  expect(numbers(one)).toEqual([1, 2, 3]);
});

test('a fresh worker finds the record again, to the last character', () => {
  const kept = exchange({ number: 1, body: { text: '[{"name":"Zoë 🦊\\n","id":9007199254740993}]' } });
  new RunRecord(directory).add(kept);
  expect(new RunRecord(directory).all()).toEqual([kept]);
});

test('a line that is still being written is left for later', () => {
  const record = new RunRecord(directory);
  record.add(exchange({ number: 1 }));
  const file = join(directory, 'exchanges.jsonl');
  const line = JSON.stringify(exchange({ number: 2, body: [{ name: 'Zoë' }] }));
  appendFileSync(file, line.slice(0, 40));
  expect(numbers(record)).toEqual([1]);
  appendFileSync(file, `${line.slice(40)}\n`);
  expect(numbers(record)).toEqual([1, 2]);
  expect(readFileSync(file, 'utf8').trim().split('\n')).toHaveLength(2);
});
