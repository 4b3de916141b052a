import { expect } from '@playwright/test';
import { longestName, nameOf, OWN_NAMES, REJECTED } from '../../../fixtures/scenario/names.ts';
import { test } from './make.ts';

const LABELS = [
  ...['plain-animal', 's-pending', 's-available', 's-none', 's-0', 'n-0', 'pair-0', 'pair-1', 'own-id', 'again'],
  ...Array.from({ length: 102 }, (_, i) => `more-${String(i + 1).padStart(3, '0')}`),
  ...Array.from({ length: 60 }, (_, i) => `${REJECTED}${i % 3 ? i : `k${i}`}-`),
];

for (const [naming, shape] of [
  ['plain', /./],
  ['letters', /^[A-Z][a-z]{7,19}$/],
  ['short', /^[a-z]{8,12}$/],
] as const)
  test(`${naming} names differ, are recognized, and that of a rejected body is in no other name`, () => {
    const names = LABELS.map((label) => nameOf(naming, 'a1b2c3', label));
    const longest = longestName(naming, 'a1b2c3', 'plain-animal');
    // A limit of the target shows in the answer to the first one.
    expect(Math.max(...names.map(({ length }) => length))).toBeLessThanOrEqual(longest.length);
    expect(new Set(names).size).toBe(LABELS.length);
    for (const rejected of names.filter((_, i) => LABELS[i]?.startsWith(REJECTED)))
      expect(names.filter((name) => name.includes(rejected))).toEqual([rejected]);
    for (const name of naming === 'plain' ? names : [...names, longest]) {
      expect(name).toMatch(shape);
      expect(`the name ${name}.`.match(OWN_NAMES)).toEqual([name]);
    }
  });

test('ordinary texts are no names of a run', () => {
  for (const text of ['Rex', 'Conforms to the standard', 'conformance-report/index.html', 'Conformance'])
    expect(text.match(OWN_NAMES), text).toBeNull();
});
