import { expect } from '@playwright/test';
import { longestName, nameOf, OWN_NAMES, REJECTED } from '../../../fixtures/scenario/names.ts';
import { test } from './make.ts';

interface Named {
  names: string[];
  longest: string;
}

const LABELS = [
  ...['plain-animal', 's-pending', 's-available', 's-none', 's-0', 'n-0', 'pair-0', 'pair-1', 'own-id', 'again'],
  ...Array.from({ length: 102 }, (_, i) => `more-${String(i + 1).padStart(3, '0')}`),
  ...Array.from({ length: 40 }, (_, i) => `${REJECTED}${i}-`),
  ...Array.from({ length: 20 }, (_, i) => `${REJECTED}k${i}-`),
];
const [plain, letters, short] = (['plain', 'letters', 'short'] as const).map((naming) => ({
  names: LABELS.map((label) => nameOf(naming, 'a1b2c3', label)),
  longest: longestName(naming, 'a1b2c3', 'plain-animal'),
})) as [Named, Named, Named];
const all = [plain, letters, short].map(({ names }) => names);

test('names differ, and that of a rejected body is in no other name', () => {
  for (const { names, longest } of [plain, letters, short]) {
    // A limit of the target shows in the answer to the first one.
    expect(Math.max(...names.map(({ length }) => length))).toBeLessThanOrEqual(longest.length);
    expect(new Set(names).size).toBe(LABELS.length);
    for (const rejected of names.filter((_, i) => LABELS[i]?.startsWith(REJECTED)))
      expect(names.filter((name) => name.includes(rejected))).toEqual([rejected]);
  }
});

test('names of letters have a capital, and short names are in lower case', () => {
  for (const name of [...letters.names, letters.longest]) expect(name).toMatch(/^[A-Z][a-z]{7,19}$/);
  for (const name of [...short.names, short.longest]) expect(name).toMatch(/^[a-z]{8,12}$/);
});

test('names of any run are recognized, and ordinary texts are not', () => {
  for (const name of [...all.flat(), letters.longest, short.longest])
    expect(`the name ${name}.`.match(OWN_NAMES)).toEqual([name]);
  for (const text of ['Rex', 'Conforms to the standard', 'conformance-report/index.html', 'Conformance'])
    expect(text.match(OWN_NAMES), text).toBeNull();
});
