/** The servers of the proof: defects, escapes and variants of the reference implementation, each at a free port. */
import { type Defect, defects, escapes } from '../../../fixtures/reference/defects/index.ts';
import { startReference } from '../../../fixtures/reference/main.ts';
import { Service } from '../../../fixtures/reference/service.ts';
import { stockUp, type Variant, variants } from '../../../fixtures/reference/variants/index.ts';

/** The keys of the runs, with letters of either case. */
const KEYS = { 'proof-Business-key': 'business' };
/** Reset does not show how long a shorter window is. */
const TRIAL = { key: 'proof-Trial-key', limit: 20, windowMs: 4000 };

export const AND = ' and ';

type Part = Partial<Variant & Defect>;

const all: readonly Part[] = [...defects, ...escapes, ...variants];

export interface ServerOrder {
  /** Of a defect, an escape or a variant, or of several; the first one gives the settings. */
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
  const parts = id.split(AND).map((one) => {
    const found = all.find((each) => each.id === one);
    if (!found) throw new Error(`there is no defect, escape or variant ${one}`);
    return found;
  });
  const [{ prefix = '/v1', settings, machineClock = 0 }] = parts as [Part];
  const defect = defects.find((each) => parts.includes(each));
  const isThrottled = defect?.isThrottled === true || escapes.some((each) => parts.includes(each));
  for (const { apply } of parts) apply?.(service);
  stockUp(service, Math.max(...parts.map(({ stock = 0 }) => stock)));
  const { baseUrl, close } = await startReference({
    service,
    prefix,
    serve: (server) => parts.forEach((part) => part.serve?.(server, service)),
  });
  return {
    env: {
      BASE_URL: baseUrl,
      API_KEY: 'proof-Business-key',
      THROTTLE_API_KEY: TRIAL.key,
      PLAN: 'business',
      // Long enough to try every operation.
      MAX_WAIT: defect?.breaks === 'throttle.every-operation' ? '180' : '20',
      THROTTLING: isThrottled ? 'on' : 'off',
      ...settings,
      ...more,
    },
    machineClock,
    close,
  };
}
