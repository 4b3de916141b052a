/** The workflow that other repositories call: it hands over settings that there are, and scripts that a shell can read. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from '@playwright/test';
import { load } from 'js-yaml';
import { readSettings } from '../../../fixtures/target/settings.ts';
import { test } from '../unit/make.ts';
import { ROOT } from './spawn.ts';

interface Step {
  name?: string;
  run?: string;
  env?: Record<string, string>;
}

const text = readFileSync(join(ROOT, '.github/workflows/conformance.yml'), 'utf8');
const workflow = load(text) as {
  on: { workflow_call: { inputs: Record<string, { default?: unknown }>; secrets: Record<string, unknown> } };
  jobs: { conformance: { steps: Step[] } };
};
const { inputs, secrets } = workflow.on.workflow_call;
const { steps } = workflow.jobs.conformance;
const judge = steps.find(({ name }) => name === 'Judge') as Required<Step>;

test('every setting is handed over', () => {
  const source = readFileSync(join(ROOT, 'fixtures/target/settings.ts'), 'utf8');
  for (const name of Object.keys(judge.env)) expect(source, name).toContain(name);
  const handed = JSON.stringify(steps);
  for (const name of [...Object.keys(inputs), ...Object.keys(secrets)]) expect(handed, name).toContain(name);
  for (const [, name] of handed.matchAll(/inputs\.([\w-]+)/g)) expect(Object.keys(inputs)).toContain(name);
});

test('what it hands over where it is not called names the embedded reference, and is taken', () => {
  // Without a call there are no inputs, and every one of them is empty.
  const env = { ...Object.fromEntries(Object.keys(judge.env).map((name) => [name, ''])), READ_ONLY: '0', CI: 'true' };
  expect(readSettings({ ...env, TARGET: 'reference' })).toMatchObject({
    target: 'reference',
    maxWait: 90,
    level: 'must',
  });
});

test('its presets are taken', () => {
  const preset = (name: string): string => String(inputs[name]?.default ?? '');
  const env = {
    BASE_URL: 'http://127.0.0.1:9/v1',
    API_KEY: 'a-key',
    THROTTLING: preset('throttling'),
    MAX_WAIT: preset('max-wait'),
    LEVEL: preset('level'),
    DEPTH: preset('depth'),
    PLAN: preset('plan'),
  };
  expect(readSettings(env)).toMatchObject({ depth: 'standard', throttling: 'auto' });
});

test('no input is pasted into a script, where it could end a command', () => {
  for (const { run } of steps) expect(run ?? '').not.toContain('${{');
});

test('its scripts are read by a shell', () => {
  for (const { run } of steps) if (run) execFileSync('bash', ['-n', '-c', run]);
});
