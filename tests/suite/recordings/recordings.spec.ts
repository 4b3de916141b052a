/** Judges the corpus again. `npm run recordings -- --update` accepts changed verdicts, titles and reasons. */
import { expect } from '@playwright/test';
import { test as base } from '../unit/make.ts';
import { ownRunner, type Runner } from '../runner/process.ts';
import { accepted, judgeRecording, names } from './corpus.ts';

const test = base.extend<object, { runner: Runner }>({ runner: ownRunner });

test.describe.configure({ timeout: 180_000 });

test('the corpus has about a dozen recordings, red and green', () => {
  const verdicts = names().map((name) => accepted(name).split(/[\s:]/)[0]);
  expect(verdicts.length).toBeGreaterThanOrEqual(12);
  expect(verdicts).toEqual(expect.arrayContaining(['conforms', 'violates']));
});

for (const name of names())
  test(`${name} is judged as before`, async ({ runner }) => {
    expect(await judgeRecording(name, runner)).toBe(accepted(name));
  });
