import { appendFileSync, mkdtempSync, rmSync } from 'node:fs';
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

test('the log keeps the order of sending, and every character, also for a new worker', () => {
  const log = new Log(directory);
  const sent = [2, 1, 4, 3].map((number) =>
    exchange({ number, body: { text: `["Zoë 🦊\\n",9007199254740993,${number}]` } }),
  );
  for (const each of sent) log.add(each);
  const inOrder = sent.toSorted((a, b) => a.number - b.number);
  for (const one of [log, new Log(directory)]) expect(one.all()).toEqual(inOrder);
});

test('an incomplete line is ignored, and those after it are read', () => {
  new Log(directory).add(exchange({ number: 1 }));
  appendFileSync(join(directory, 'exchanges.jsonl'), JSON.stringify(exchange({ number: 2 })).slice(0, 40));
  expect(numbers(new Log(directory))).toEqual([1]);
  new Log(directory).add(exchange({ number: 3 }));
  expect(numbers(new Log(directory))).toEqual([1, 3]);
});
