import { existsSync } from 'node:fs';
import { expect } from '@playwright/test';
import { allowed } from '../../../fixtures/run.ts';
import {
  currentRun,
  discardRun,
  handOver,
  handOverSelection,
  hasConformanceReporter,
  makeRun,
  renewRun,
  type Run,
  selectedRequirements,
  setConformanceReporter,
} from '../../../fixtures/settings/run.ts';
import { readSettings } from '../../../fixtures/settings/settings.ts';
import { test } from './make.ts';

const env = { ...process.env };
test.afterEach(() => {
  discardRun();
  for (const name of Object.keys(process.env)) if (!(name in env)) delete process.env[name];
  Object.assign(process.env, env);
});

function begun(): Run {
  const run = makeRun({
    settings: { ...readSettings(allowed, {}), baseUrl: 'http://127.0.0.1:1/v1' },
    facts: { target: 'a target', level: 'must', require: 'partial', waivers: [], settings: [], again: '' },
  });
  handOver(run);
  return run;
}

// Another test of this process may have started a run.
test.beforeEach(() => void delete process.env.CONFORMANCE_RUN);

test('the next process finds the run, and a second run of a session has a new folder and mark, and the same settings', () => {
  expect(currentRun()).toBeUndefined();
  const first = begun();
  expect(currentRun()).toEqual(JSON.parse(JSON.stringify(first)));
  expect(first.facts.run).toMatch(/^[a-z0-9]{6}$/);
  renewRun();
  const second = currentRun() as Run;
  expect([first, second].map(({ directory }) => existsSync(directory))).toEqual([false, true]);
  expect(second.facts.run).not.toBe(first.facts.run);
  expect(second.settings).toEqual(first.settings);
});

test('a discarded run leaves no files, and without one nothing is renewed or discarded', () => {
  renewRun();
  discardRun();
  expect(currentRun()).toBeUndefined();
  const { directory } = begun();
  discardRun();
  expect(existsSync(directory)).toBe(false);
});

test('the selection and the reporter reach the next process', () => {
  for (const isThere of [false, true, false]) {
    setConformanceReporter(isThere);
    expect(hasConformanceReporter()).toBe(isThere);
  }
  handOverSelection(['add.echo', 'get.found']);
  expect(selectedRequirements()).toEqual(['add.echo', 'get.found']);
  handOverSelection([]);
  expect(selectedRequirements()).toEqual([]);
  handOverSelection(undefined);
  expect(selectedRequirements()).toBeUndefined();
});
