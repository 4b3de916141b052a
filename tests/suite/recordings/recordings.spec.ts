/** Judges the corpus again. `npm run recordings -- --update` accepts changed verdicts, titles and reasons. */
import { expect } from '@playwright/test';
import { test } from '../unit/make.ts';
import { accepted, listFindings, names } from './corpus.ts';

test('the corpus has about a dozen recordings, red and green', () => {
  const verdicts = names().map((name) => accepted(name).split(/[\s:]/)[0]);
  expect(verdicts.length).toBeGreaterThanOrEqual(12);
  expect(verdicts).toEqual(expect.arrayContaining(['conforms', 'violates']));
});

for (const name of names()) test(`${name} is judged as before`, () => expect(listFindings(name)).toBe(accepted(name)));
