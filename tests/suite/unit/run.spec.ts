import { existsSync } from 'node:fs';
import { expect } from '@playwright/test';
import { allowed } from '../../../fixtures/run.ts';
import * as runs from '../../../fixtures/settings/run.ts';
import { readSettings } from '../../../fixtures/settings/settings.ts';
import { test } from './make.ts';

const { currentRun, discardRun, renewRun } = runs;

// Another test of this process may have started a run.
const env = { ...process.env, CONFORMANCE_RUN: '' };
test.beforeEach(() => void Object.assign(process.env, env));
test.afterEach(() => {
  discardRun();
  for (const name of Object.keys(process.env)) if (!(name in env)) delete process.env[name];
  Object.assign(process.env, env);
});

test('the next process finds the run, and a second run of a session has a new folder and mark, and the same settings', () => {
  // Without a run nothing is renewed or discarded.
  renewRun();
  discardRun();
  expect(currentRun()).toBeUndefined();
  const first = runs.makeRun({
    settings: { ...readSettings(allowed, {}), baseUrl: 'http://127.0.0.1:1/v1' },
    facts: { target: 'a target', level: 'must', require: 'partial', waivers: [], settings: [], again: '' },
  });
  runs.handOver(first);
  expect(currentRun()).toEqual(JSON.parse(JSON.stringify(first)));
  expect(first.facts.run).toMatch(/^[a-z0-9]{6}$/);
  renewRun();
  const second = currentRun() as runs.Run;
  expect([first, second].map(({ directory }) => existsSync(directory))).toEqual([false, true]);
  expect(second.facts.run).not.toBe(first.facts.run);
  expect(second.settings).toEqual(first.settings);
  discardRun();
  expect(existsSync(second.directory)).toBe(false);
});

test('the selection and the reporter reach the next process', () => {
  for (const isThere of [false, true, false]) {
    runs.setConformanceReporter(isThere);
    expect(runs.hasConformanceReporter()).toBe(isThere);
  }
  for (const ids of [['add.echo', 'get.found'], [], undefined]) {
    runs.handOverSelection(ids);
    expect(runs.selectedRequirements()).toEqual(ids);
  }
});
