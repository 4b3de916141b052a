/** A process of the proof: puts up one server after another, and runs the suite against each. Told what to do by `run.ts`. */
import type { AddressInfo } from 'node:net';
import { defects, escapes } from '../../../fixtures/reference/defects/index.ts';
import { createServer } from '../../../fixtures/reference/server.ts';
import { Service } from '../../../fixtures/reference/service.ts';
import { stockUp, type Variant, variants } from '../../../fixtures/reference/variants/index.ts';
import { captured, loadSuite, runHere } from '../runner/in-process.ts';

/** The key of the runs, and a small one for throttling. Both have letters of either case. */
export const KEYS = { 'proof-Business-key': 'business' };
const TRIAL = { key: 'proof-Trial-key', limit: 20, windowMs: 2000 };

/** What a process of the proof is told to do. */
export interface Task {
  /** The defect or variant. */
  id: string;
  /** Where the report goes. */
  directory: string;
  /** The requirement whose tests are run alone. */
  only?: string;
  /** The recording that is judged, without any server. */
  recording?: string;
  /** Settings of the run, beside those of the server. */
  settings?: Record<string, string>;
}

/** Stands between the ids of defects that one server has. */
export const AND = ' and ';

/** A server of a defect or variant, or of several defects at once, at a free port. */
export async function putUp(id: string): Promise<{ env: Record<string, string>; close: () => Promise<unknown> }> {
  const service = new Service({ keys: KEYS, windowMs: 60_000, trial: TRIAL });
  const [defect, ...others] = id.split(AND).flatMap((one) => defects.filter((each) => each.id === one));
  const escape = escapes.find((each) => each.id === id);
  const variant = variants.find((each) => each.id === id);
  const chosen: Partial<Variant> | undefined = defect ?? escape ?? variant;
  if (!chosen) throw new Error(`there is no defect, escape or variant ${id}`);
  const { prefix = '/v1', serve, settings, apply, stock = 0 } = chosen;
  const isThrottled = defect?.isThrottled === true || escape !== undefined;
  apply?.(service);
  for (const other of others) other.apply(service);
  stockUp(service, stock);
  const server = createServer(service, prefix);
  serve?.(server, service);
  await server.listen({ port: 0, host: '127.0.0.1' });
  const { port } = server.server.address() as AddressInfo;
  return {
    env: {
      BASE_URL: `http://127.0.0.1:${port}${prefix}`,
      API_KEY: 'proof-Business-key',
      THROTTLE_API_KEY: TRIAL.key,
      PLAN: 'business',
      // As long as it takes to go through every operation, if that is the question.
      MAX_WAIT: defect?.breaks === 'throttle.every-operation' ? '120' : '20',
      THROTTLING: isThrottled ? 'on' : 'off',
      ...settings,
    },
    close: () => server.close(),
  };
}

if (process.send) {
  const exit = process.exit.bind(process);
  await loadSuite();
  process.on('message', (task: Task) => void work(task));
  process.on('disconnect', () => exit(0));
  process.send({ ready: true });

  const work = async ({ id, directory, only, settings, recording = '' }: Task): Promise<void> => {
    process.env.CONFORMANCE_RECORDING = recording;
    if (recording !== '') {
      process.env.REPORT_DIR = directory;
      const { text, error } = await captured(() => runHere(only));
      return void process.send?.({ id, text: text + (error?.stack ?? '') });
    }
    const { machineClock = 0 } = variants.find((each) => each.id === id) ?? {};
    const now = Date.now.bind(Date);
    // The server and the suite are in this process: the machine that judges is theirs.
    if (machineClock !== 0) Date.now = () => now() + machineClock;
    const server = await putUp(id);
    Object.assign(process.env, { CATEGORY_ID: '' }, server.env, { REPORT_DIR: directory }, settings);
    const { text, error } = await captured(() => runHere(only));
    await server.close();
    Date.now = now;
    process.send?.({ id, text: text + (error?.stack ?? '') });
  };
}
