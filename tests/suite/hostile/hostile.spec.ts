/** Targets that misbehave: each gets exactly its verdict, and the run does no harm (requests, time, memory, key). */
import { _baseTest, expect } from '@playwright/test';
import { SECONDS } from './fault.ts';
import { faults } from './faults/index.ts';
import { wrongWith } from './runs.ts';

const test = _baseTest;

for (const fault of faults.filter(({ waits }) => !waits))
  test(`${fault.id}: ${fault.title}`, async ({}, info) => {
    info.setTimeout(((fault.seconds ?? SECONDS) + 60) * 1000);
    expect(await wrongWith(fault)).toEqual([]);
  });

test('at least 60 faults exist, each with its own id', () => {
  expect(new Set(faults.map(({ id }) => id)).size).toBe(faults.length);
  expect(faults.length).toBeGreaterThanOrEqual(60);
});

test('violating faults name requirements, unjudged ones a cause', () => {
  for (const { id, verdict, breaks = [], cause } of faults) {
    expect(breaks.length > 0, id).toBe(verdict === 'violates');
    if (verdict === 'cantTell' || verdict === 'error') expect(cause, id).toBeDefined();
  }
});
