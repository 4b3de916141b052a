/** The servers of the proof: defects, escapes and variants of the reference implementation, each at a free port. */
import type { AddressInfo } from 'node:net';
import { defects, escapes } from '../../../fixtures/reference/defects/index.ts';
import { createServer } from '../../../fixtures/reference/server.ts';
import { Service } from '../../../fixtures/reference/service.ts';
import { stockUp, type Variant, variants } from '../../../fixtures/reference/variants/index.ts';

/** The keys of the runs, with letters of either case. */
const KEYS = { 'proof-Business-key': 'business' };
const TRIAL = { key: 'proof-Trial-key', limit: 20, windowMs: 2000 };

export const AND = ' and ';

export interface ServerOrder {
  /** Of a defect, an escape or a variant, or of several defects. */
  id: string;
  /** Settings of the run, beside those of the server. */
  settings?: Record<string, string>;
}

/** Starts a server. @returns the settings of a run against it. */
export async function putUp({
  id,
  settings: more,
}: ServerOrder): Promise<{ env: Record<string, string>; machineClock: number; close: () => Promise<unknown> }> {
  const service = new Service({ keys: KEYS, windowMs: 60_000, trial: TRIAL });
  const [defect, ...others] = id.split(AND).flatMap((one) => defects.filter((each) => each.id === one));
  const escape = escapes.find((each) => each.id === id);
  const variant = variants.find((each) => each.id === id);
  const chosen: Partial<Variant> | undefined = defect ?? escape ?? variant;
  if (!chosen) throw new Error(`there is no defect, escape or variant ${id}`);
  const { prefix = '/v1', serve, settings, apply, stock = 0, machineClock = 0 } = chosen;
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
      // Long enough to try every operation.
      MAX_WAIT: defect?.breaks === 'throttle.every-operation' ? '120' : '20',
      THROTTLING: isThrottled ? 'on' : 'off',
      ...settings,
      ...more,
    },
    machineClock,
    close: () => server.close(),
  };
}
