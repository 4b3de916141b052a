/** The processes of the proof: one for each core, and one for each other clock. Each has several runs, since many wait. */
import { type ChildProcess, fork } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { inherited, ROOT } from '../gate/spawn.ts';
import type { Proven } from './judged.ts';
import type { Subject } from './servers.ts';
import type { Order } from './worker.ts';

/** A run that takes longer hangs. */
const LONGEST_MS = 300_000;

interface Answer {
  number: number;
  proven?: Proven;
  error?: string;
}

class Worker {
  readonly waiting = new Map<number, (answer: Answer) => void>();
  readonly #child: ChildProcess;
  #last = 0;

  constructor(clock: number) {
    this.#child = fork(join(ROOT, 'tests/suite/proof/worker.ts'), [String(clock)], {
      cwd: ROOT,
      env: inherited(),
      // Room for the short-lived objects of a run, which take a tenth of its processor time to collect; other cores have work.
      execArgv: ['--import', 'tsx', '--max-semi-space-size=32', '--single-threaded-gc'],
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });
    this.#child.on('message', (answer: Answer) => this.waiting.get(answer.number)?.(answer));
    this.#child.on('exit', (code, signal) => {
      for (const [number, settle] of this.waiting) settle({ number, error: `its process ended: ${signal ?? code}` });
    });
  }

  /** @throws Error if it crashed or hangs. */
  async prove(subject: Subject, keep?: string): Promise<Proven> {
    const number = (this.#last += 1);
    const answer = await new Promise<Answer>((resolve) => {
      const timer = setTimeout(() => resolve({ number, error: 'it did not end' }), LONGEST_MS);
      this.waiting.set(number, (ended) => {
        clearTimeout(timer);
        resolve(ended);
      });
      this.#child.send({ number, subject, keep } satisfies Order);
    });
    this.waiting.delete(number);
    if (!answer.proven) throw new Error(`${subject.id}: ${answer.error}`);
    return answer.proven;
  }

  end(): void {
    if (this.#child.connected) this.#child.disconnect();
  }
}

/** By the milliseconds that their clock is ahead. */
const workers = new Map<number, Worker[]>();

/** Proves a subject in the least busy of the processes with the clock that it needs. */
export function proveElsewhere(subject: Subject, keep?: string): Promise<Proven> {
  const clock = ('machineClock' in subject && subject.machineClock) || 0;
  const count = clock === 0 ? availableParallelism() : 1;
  const pool = workers.get(clock) ?? Array.from({ length: count }, () => new Worker(clock));
  workers.set(clock, pool);
  const [free] = pool.toSorted((a, b) => a.waiting.size - b.waiting.size);
  return (free as Worker).prove(subject, keep);
}

export function endProcesses(): void {
  for (const worker of [...workers.values()].flat()) worker.end();
  workers.clear();
}

/** Does the work for each item, at most `jobs` at the same time. */
export async function together<T>(jobs: number, items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const left = [...items];
  const one = async (): Promise<void> => {
    for (let item = left.shift(); item; item = left.shift()) await work(item);
  };
  await Promise.all(Array.from({ length: jobs }, one));
}
