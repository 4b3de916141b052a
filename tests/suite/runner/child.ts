/**
 * A process that runs the suite against the target its environment names, one run after another: the servers live in
 * another process, so that what this one takes of memory is the suite's own. Told what to do by `process.ts`.
 */
import { captured, loadSuite, NOT_BEGUN, runHere } from './in-process.ts';

/** One run, as it is asked for. */
export interface Order {
  env: Record<string, string>;
  /** The requirement whose tests are run alone. */
  only?: string;
}

/** What is said of it besides its report. */
export interface Done {
  /** Everything that was printed. */
  text: string;
  /** Most megabytes that the process has taken so far. */
  megabytes: number;
  /** Seconds of work that the run took of it, whatever else this machine had to do. */
  worked: number;
  /** Seconds from its beginning to its end. */
  took: number;
}

const exit = process.exit.bind(process);
await loadSuite();

async function run({ env, only }: Order): Promise<void> {
  const before = process.cpuUsage();
  const began = Date.now();
  Object.assign(process.env, env);
  const { text, error } = await captured(async () => (await runHere(only)).onExit());
  const { user, system } = process.cpuUsage(before);
  const done: Done = {
    text: error && error.message !== NOT_BEGUN ? text + String(error.stack) : text,
    megabytes: Math.round(process.resourceUsage().maxRSS / 1024),
    worked: (user + system) / 1e6,
    took: (Date.now() - began) / 1000,
  };
  // What this run leaves behind is not the next one's.
  globalThis.gc?.();
  process.send?.(done);
}

process.on('message', (order: Order) => void run(order));
process.on('disconnect', () => exit(0));
process.send?.('ready');
