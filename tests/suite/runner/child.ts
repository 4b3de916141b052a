/** A process that runs the suite for `process.ts`. Its target lives elsewhere, so that only the suite's memory counts. */
import { RECORDING, TRAFFIC } from '../../../fixtures/settings/run.ts';
import type { ServerOrder } from '../proof/servers.ts';
import { captured, loadSuite, NOT_BEGUN, runHere } from './in-process.ts';

/** One run, as it is asked for. */
export interface Order {
  env: Record<string, string>;
  only?: string;
  /** The server of the proof that this process starts; without it the environment names the target. */
  server?: ServerOrder;
}

export interface Done {
  text: string;
  /** Peak megabytes so far; 0 if the server was in this process. */
  megabytes: number;
  /** Seconds of processor time. */
  worked: number;
  took: number;
}

const exit = process.exit.bind(process);
await loadSuite();
// Playwright takes a stack for each expectation, which is not read here.
process.setSourceMapsEnabled(false);

async function run({ env, only, server }: Order): Promise<void> {
  const before = process.cpuUsage();
  const now = Date.now.bind(Date);
  const began = now();
  // A process that judged a recording judges a server next.
  Object.assign(process.env, { [RECORDING]: '', [TRAFFIC]: '' }, env);
  const { text, error } = await captured(async () => {
    const target = server && (await (await import('../proof/servers.ts')).putUp(server));
    Object.assign(process.env, target?.env);
    // Server and suite share this process, and its clock.
    if (target?.machineClock) Date.now = () => now() + target.machineClock;
    try {
      await (await runHere(only)).onExit();
    } finally {
      await target?.close();
      Date.now = now;
    }
  });
  const { user, system } = process.cpuUsage(before);
  const done: Done = {
    text: error && error.message !== NOT_BEGUN ? text + String(error.stack) : text,
    megabytes: server ? 0 : Math.round(process.resourceUsage().maxRSS / 1024),
    worked: (user + system) / 1e6,
    took: (now() - began) / 1000,
  };
  // Collects garbage, so that memory is that of the next run only.
  if (!server) globalThis.gc?.();
  process.send?.(done);
}

process.on('message', (order: Order) => void run(order));
process.on('disconnect', () => exit(0));
process.send?.('ready');
