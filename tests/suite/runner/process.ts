/** A process that runs the suite repeatedly, with the stand-in for Playwright's runner. */
import { type ChildProcess, fork } from 'node:child_process';
import { join } from 'node:path';
import { inherited, ROOT } from '../gate/spawn.ts';
import type { Done, Order } from './child.ts';

/** A process with more megabytes gets no further run. */
const USED_UP = 280;
/** Additional seconds after which a hanging run is ended. */
const PATIENCE = 60;

export class Runner {
  #child: ChildProcess | undefined;

  /** @param env settings from the start, such as CONTRACT. @param options of Node. */
  constructor(
    readonly env: Record<string, string> = {},
    readonly options: readonly string[] = [],
  ) {}

  async run(order: Order, seconds: number): Promise<Done> {
    const child = (this.#child ??= await start(this.env, this.options));
    const done = await new Promise<Done>((resolve) => {
      const ended = (text: string): void => resolve({ text, megabytes: 0, worked: 0, took: 0 });
      const timer = setTimeout(() => child.kill('SIGKILL'), (seconds + PATIENCE) * 1000);
      child.once('exit', (code, signal) => {
        clearTimeout(timer);
        this.#child = undefined;
        ended(`the process ended: ${signal ?? code}`);
      });
      child.once('message', (message: Done) => {
        clearTimeout(timer);
        child.removeAllListeners('exit');
        resolve(message);
      });
      child.send(order);
    });
    if (done.megabytes > USED_UP) this.end();
    return done;
  }

  end(): void {
    if (this.#child?.connected) this.#child.disconnect();
    this.#child = undefined;
  }
}

async function start(env: Record<string, string>, options: readonly string[]): Promise<ChildProcess> {
  const child = fork(join(ROOT, 'tests/suite/runner/child.ts'), [], {
    cwd: ROOT,
    env: { ...inherited(), ...env },
    execArgv: ['--import', 'tsx', '--expose-gc', ...options],
    // A process that cannot be loaded prints the reason.
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  await new Promise((resolve, reject) => {
    child.once('message', resolve);
    child.once('exit', (code) => reject(new Error(`the process of the runs could not begin (${code})`)));
  });
  child.removeAllListeners('exit');
  return child;
}

export const ownRunner: [(none: object, use: (runner: Runner) => Promise<void>) => Promise<void>, { scope: 'worker' }] =
  [
    async ({}, use) => {
      const runner = new Runner();
      await use(runner);
      runner.end();
    },
    { scope: 'worker' },
  ];
