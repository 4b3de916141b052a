import { readFileSync } from 'node:fs';
import { _baseTest, expect } from '@playwright/test';
import { faults } from './faults/index.ts';
import { TABLE, renderTable } from './table.ts';

const test = _baseTest;

test('docs/hostile-targets.md is the table of these faults', () => {
  expect(readFileSync(TABLE, 'utf8')).toBe(renderTable());
});

test('there are at least 60 faults, each with its own id', () => {
  expect(new Set(faults.map(({ id }) => id)).size).toBe(faults.length);
  expect(faults.length).toBeGreaterThanOrEqual(60);
});

test('what violates says what, and what cannot be judged says why', () => {
  for (const { id, verdict, breaks = [], says } of faults) {
    expect(breaks.length > 0, id).toBe(verdict === 'violates');
    expect(says !== undefined, id).toBe(verdict === 'cantTell' || verdict === 'error');
  }
});
