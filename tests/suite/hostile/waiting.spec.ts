/** As `hostile.spec.ts`, for faults that make a run wait: these runs go on together. */
import { _baseTest, expect } from '@playwright/test';
import { SECONDS } from './fault.ts';
import { faults } from './faults/index.ts';
import { wrongWith } from './runs.ts';

const test = _baseTest;

test.describe.configure({ mode: 'default' });

const waiting = faults.filter(({ waits }) => waits);
const results = new Map<string, Promise<string[]>>();

test.beforeAll(() => {
  for (const fault of waiting) {
    const result = wrongWith(fault);
    // A test awaits it later.
    result.catch(() => {});
    results.set(fault.title, result);
  }
});

for (const fault of waiting)
  test(fault.title, async ({}, info) => {
    info.setTimeout((SECONDS + (fault.seconds ?? SECONDS)) * 1000 * 4);
    expect(await results.get(fault.title)).toEqual([]);
  });
