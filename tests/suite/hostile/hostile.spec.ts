/** Targets that misbehave: each gets exactly its verdict, and the run does no harm (requests, time, memory, key). */
import { expect } from '@playwright/test';
import { test } from '../unit/make.ts';
import { leaks } from './artefacts.ts';
import { SECONDS } from './fault.ts';
import { faults } from './faults/index.ts';
import { FORMS } from './faults/words.ts';
import { wrongWith } from './runs.ts';

for (const fault of faults.filter(({ waits }) => !waits))
  test(fault.title, async ({}, info) => {
    info.setTimeout(((fault.seconds ?? SECONDS) + 60) * 1000);
    expect(await wrongWith(fault)).toEqual([]);
  });

test.describe('a run that mostly waits, beside the others that do', { tag: '@waits' }, () => {
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
});

test('each form of the key is found', () => {
  for (const [form, text] of Object.entries(FORMS)) expect(leaks('a file', `x${text}y`).join(), form).toContain(form);
  expect(leaks('a file', '$API_KEY sEcr3')).toEqual([]);
});
