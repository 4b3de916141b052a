/** As `hostile.spec.ts`, for faults that make a run wait: these runs go on together. */
import { _baseTest, expect } from '@playwright/test';
import { SECONDS } from './fault.ts';
import { faults } from './faults/index.ts';
import { Runner } from '../runner/process.ts';
import { wrongWith } from './runs.ts';

const test = _baseTest;

test.describe.configure({ mode: 'default' });

const TOGETHER = 8;

const waiting = faults.filter(({ waits }) => waits);
const results = new Map<string, Promise<string[]>>();

test.beforeAll(() => {
  const free = Array.from({ length: TOGETHER }, () => ({
    runner: new Runner(),
    until: Promise.resolve() as Promise<unknown>,
  }));
  for (const [i, fault] of waiting.entries()) {
    const place = free[i % TOGETHER] as (typeof free)[number];
    const result = place.until.then(() => wrongWith(fault, place.runner));
    results.set(fault.id, result);
    place.until = result.catch(() => {});
    if (i >= waiting.length - TOGETHER) void place.until.then(() => place.runner.end());
  }
});

for (const fault of waiting)
  test(`${fault.id}: ${fault.title}`, async ({}, info) => {
    info.setTimeout((SECONDS + (fault.seconds ?? SECONDS)) * 1000 * 4);
    expect(await results.get(fault.id)).toEqual([]);
  });
