import { readFileSync } from 'node:fs';
import { _baseTest, expect } from '@playwright/test';
import { faults } from './faults/index.ts';
import { TABLE, renderTable } from './table.ts';

const test = _baseTest;

test('docs/hostile-targets.md is the table of these faults', () => {
  expect(readFileSync(TABLE, 'utf8')).toBe(renderTable());
});

test('at least 60 faults exist, each with its own id', () => {
  expect(new Set(faults.map(({ id }) => id)).size).toBe(faults.length);
  expect(faults.length).toBeGreaterThanOrEqual(60);
});

test('violating faults name requirements, unjudged ones a cause', () => {
  for (const { id, verdict, breaks = [], cause } of faults) {
    expect(breaks.length > 0, id).toBe(verdict === 'violates');
    expect(cause !== undefined, id).toBe(verdict === 'cantTell' || verdict === 'error');
  }
});
