import { appendFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from '@playwright/test';
import { Log } from '../../../fixtures/target/http/log.ts';
import { exchange, test } from './make.ts';

let directory: string;
test.beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'log-'));
});
test.afterEach(() => rmSync(directory, { recursive: true }));

const numbers = (log: Log): number[] => log.all().map(({ number }) => number);
const file = (): string => join(directory, 'exchanges.jsonl');

test('the log keeps the order of sending', () => {
  const log = new Log(directory);
  expect(log.all()).toEqual([]);
  for (const number of [2, 1, 4, 3]) log.add(exchange({ number }));
  expect(numbers(log)).toEqual([1, 2, 3, 4]);
  expect(numbers(new Log(directory))).toEqual([1, 2, 3, 4]);
});

test('a new worker reads the whole log', () => {
  const kept = exchange({ number: 1, body: { text: '[{"name":"Zoë 🦊\\n","id":9007199254740993}]' } });
  new Log(directory).add(kept);
  expect(new Log(directory).all()).toEqual([kept]);
  const [line] = readFileSync(file(), 'utf8').split('\n');
  expect(JSON.parse(line as string)).toEqual(kept);
});

test('an incomplete line is ignored, and those after it are read', () => {
  new Log(directory).add(exchange({ number: 1 }));
  appendFileSync(file(), JSON.stringify(exchange({ number: 2 })).slice(0, 40));
  expect(numbers(new Log(directory))).toEqual([1]);
  new Log(directory).add(exchange({ number: 3 }));
  expect(numbers(new Log(directory))).toEqual([1, 3]);
});
