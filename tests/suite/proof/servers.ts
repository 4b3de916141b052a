/** The servers of the proof: defects, escapes and variants of the reference implementation, each at a free port. */
import type { FastifyInstance } from 'fastify';
import { type Defect, defects, type Escape, escapes } from '../../../fixtures/reference/defects/index.ts';
import { startReference } from '../../../fixtures/reference/main.ts';
import { Service } from '../../../fixtures/reference/service.ts';
import { stockUp, type Variant, variants } from '../../../fixtures/reference/variants/index.ts';

/** The keys of the runs, with letters of either case. */
const KEYS = { 'proof-Business-key': 'business' };
/** Reset does not show how long a shorter window is. */
const TRIAL = { key: 'proof-Trial-key', limit: 20, windowMs: 4000 };

export const AND = ' and ';

type Server = ({ kind: 'defect' } & Defect) | ({ kind: 'escape' } & Escape) | ({ kind: 'variant' } & Variant);

/** A server, and the depth at which it is judged; of combined defects only the problems count, and again only one requirement. */
export type Subject = { at: 'standard' | 'thorough'; isCombined?: true; isAgain?: true } & Server;

const servers: readonly Server[] = [
  ...variants.map((each) => ({ kind: 'variant', ...each }) as const),
  ...escapes.map((each) => ({ kind: 'escape', ...each }) as const),
  ...defects.map((each) => ({ kind: 'defect', ...each }) as const),
];

export const nameOf = ({ id, at }: Pick<Subject, 'id' | 'at'>): string => (at === 'thorough' ? `${id} (thorough)` : id);

/** Servers whose id begins with one of the prefixes, at each of their depths. */
export function select(
  only: Partial<Record<'sample' | 'standard' | 'variants' | 'defects' | 'again', boolean>>,
  prefixes: readonly string[],
): Subject[] {
  const seen = new Set<string>();
  /** The first variant, so that no selection is empty, and every third; of each requirement the first defect that a standard run finds. */
  const isSampled = (server: Server, nth: number): boolean => {
    if (server.kind !== 'defect') return server.kind === 'variant' && nth % 3 === 0;
    const isFirst = !server.depth && !seen.has(server.breaks);
    seen.add(server.depth ? '' : server.breaks);
    return isFirst;
  };
  return servers
    .filter(({ id }) => prefixes.length === 0 || prefixes.some((prefix) => id.startsWith(prefix)))
    .filter(({ kind }) => (kind === 'variant' ? !only.defects : !only.variants))
    .filter((server) => !only.again || (server.kind === 'defect' && !server.needsAll))
    .map((server) => ({ ...server, ...(only.again && { isAgain: true as const }) }))
    .filter((server, nth) => !only.sample || isSampled(server, nth))
    .flatMap((server): Subject[] => [
      ...('depth' in server ? [] : [{ ...server, at: 'standard' } as const]),
      ...(only.standard ? [] : [{ ...server, at: 'thorough' } as const]),
    ]);
}

interface Order {
  /** Of a defect, an escape or a variant, or of several; the first one gives the settings. */
  id: string;
  /** Settings of the run, beside those of the server. */
  settings?: Record<string, string>;
}

type Part = Pick<Server, 'kind' | 'id'> & Partial<Omit<Variant & Defect, 'id'>>;

export async function putUp({ id, settings: more }: Order) {
  const service = new Service({ keys: KEYS, windowMs: 60_000, trial: TRIAL });
  const parts = id.split(AND).map((one): Part => {
    const found = servers.find((each) => each.id === one);
    if (!found) throw new Error(`there is no defect, escape or variant ${one}`);
    return found;
  });
  const [{ prefix = '/v1', settings }] = parts as [Part];
  for (const { apply } of parts) apply?.(service);
  stockUp(service, Math.max(...parts.map(({ stock = 0 }) => stock)));
  const serve = (created: FastifyInstance): void => {
    for (const part of parts) part.serve?.(created, service);
  };
  const { server, baseUrl, close } = await startReference({ service, prefix, serve });
  return {
    /** To be asked without connections, where neither these nor times matter. */
    inProcess: parts.every((part) => part.kind === 'defect' && !part.serve && !part.isThrottled) ? server : undefined,
    /** The settings of a run against it. */
    env: {
      BASE_URL: baseUrl,
      API_KEY: 'proof-Business-key',
      THROTTLE_API_KEY: TRIAL.key,
      PLAN: 'business',
      // Long enough to try every operation.
      MAX_WAIT: parts.some(({ breaks }) => breaks === 'throttle.every-operation') ? '180' : '20',
      THROTTLING: parts.some(({ kind, isThrottled }) => isThrottled || kind === 'escape') ? 'on' : 'off',
      ...settings,
      ...more,
    },
    close,
  };
}
