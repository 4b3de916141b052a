/** The type of a fault, and helpers to write faults. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { RequirementId } from '../../../fixtures/contract/requirements.ts';
import type { Verdict } from '../../../fixtures/report/model/result.ts';
import type { Answer, Asked, Handle, How } from './server.ts';

export interface Fault extends How {
  /** Unique: `coding: Content-Encoding: identity`. */
  title: string;
  verdict: Verdict;
  /** All requirements that it violates. */
  breaks?: readonly RequirementId[];
  /** Requirements that may fail with it; `*` for all. */
  also?: readonly RequirementId[] | '*';
  /** Words of the cause in the report. */
  cause?: string;
  env?: Readonly<Record<string, string>>;
  /** Most seconds of work, or of waiting; SECONDS by default. */
  seconds?: number;
  /** Most requests; REQUESTS by default. */
  requests?: number;
  /** The run mostly waits, so it may go on beside others. */
  waits?: true;
}

/** Default bounds of a run. */
export const SECONDS = 15;
export const REQUESTS = 130;
/**
 * Most megabytes by which the process of a run and its target grows: a store of 100,000 animals and its lists take up to 540,
 * and a suite that kept what an endless or a packed body has would take more than a gigabyte.
 */
export const MEGABYTES = 700;

/** Settings for throttling, with a key whose window is two seconds. */
export const THROTTLED = { THROTTLING: 'on', MAX_WAIT: '20' };

/** A run that uses up the limit: it waits for windows, and may take a minute. */
export const WITH_THROTTLING = { env: THROTTLED, waits: true, seconds: 60, requests: 200 } as const;

type More = Omit<Fault, 'title' | 'verdict' | 'breaks' | 'cause'>;
/** What a target does, and other bounds than the default ones. */
type Does = readonly [does: Handle | More, more?: More];

const toFault = (topic: string, title: string, [does, more]: Does): Omit<Fault, 'verdict'> => ({
  ...(typeof does === 'function' ? { handle: does } : does),
  ...more,
  title: `${topic}: ${title}`,
});

/** Targets that a run must not accuse. */
export const lawful = (topic: string, rows: Record<string, Handle | More | Does>): Fault[] =>
  Object.entries(rows).map(([title, row]) => {
    const does = Array.isArray(row) ? (row as unknown as Does) : ([row as Handle | More] as const);
    return { ...toFault(topic, title, does), verdict: 'conforms' };
  });

/** Targets on which a run has no verdict, each with words of the cause. */
export const unjudged = (topic: string, rows: Record<string, readonly [cause: string, ...Does]>): Fault[] =>
  Object.entries(rows).map(([title, [cause, ...does]]) => ({
    ...toFault(topic, title, does),
    ...{ verdict: 'cantTell', cause },
  }));

/** Targets that violate exactly these requirements. */
export const violating = (
  topic: string,
  rows: Record<string, readonly [breaks: readonly RequirementId[], ...Does]>,
): Fault[] =>
  Object.entries(rows).map(([title, [breaks, ...does]]) => ({
    ...toFault(topic, title, does),
    ...{ verdict: 'violates', breaks },
  }));

/** A run that uses up the limit: it waits for windows. */
export const throttled = (handle: Handle, service?: How['service']): More => ({
  handle,
  ...(service && { service }),
  ...WITH_THROTTLING,
});

type Which = (asked: Asked, answer: Answer) => boolean;
export const always: Which = () => true;
export const onLists: Which = ({ method, path }) => method === 'GET' && /^\/v1\/pets(\?|$)/.test(path);
export const onGetById: Which = ({ method, path }) => method === 'GET' && /^\/v1\/pets\//.test(path);
export const onOrders: Which = ({ method, path }) => method === 'GET' && path.startsWith('/v1/store/orders');
export const onServedLists: Which = (asked, answer) => onLists(asked, answer) && answer.status === 200;
export const onErrors: Which = (_asked, { status }) => status >= 400;
export const onRefusals: Which = (_asked, { status }) => status === 429;
export const every =
  (count: number): Which =>
  (asked) =>
    asked.count % count === 0;
export const both =
  (...all: Which[]): Which =>
  (asked, answer) =>
    all.every((which) => which(asked, answer));

export const answering =
  (change: (answer: Answer, asked: Asked) => Partial<Answer>, which: Which = always): Handle =>
  async (asked, ask) => {
    const answer = await ask();
    return which(asked, answer) ? { ...answer, ...change(answer, asked) } : answer;
  };

/** Changes the bytes of right bodies, and headers. */
export const bodies = (
  change: (body: Buffer) => Buffer | string,
  which: Which = always,
  headers: Record<string, string> = {},
): Handle =>
  answering((answer) => {
    if (answer.body.length === 0) return {};
    return { body: Buffer.from(change(answer.body)), headers: withHeaders(answer, headers).headers };
  }, which);

/** Replaces headers; undefined removes one. */
export function withHeaders(answer: Answer, headers: Record<string, string | undefined>): Answer {
  const names = new Set(Object.keys(headers).map((name) => name.toLowerCase()));
  const kept = answer.headers.filter(
    ([name]) => !names.has(name.toLowerCase()) && name.toLowerCase() !== 'content-length',
  );
  const added = Object.entries(headers).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value] as [string, string]],
  );
  return { ...answer, headers: [...kept, ...added] };
}

export const headers = (
  change: Record<string, string | undefined> | ((answer: Answer, asked: Asked) => Record<string, string | undefined>),
  which: Which = always,
): Handle =>
  answering(
    (answer, asked) => withHeaders(answer, typeof change === 'function' ? change(answer, asked) : change),
    which,
  );

export const instead =
  (
    status: number,
    body: string,
    more: Record<string, string> = {},
    which: (asked: Asked) => boolean = () => true,
  ): Handle =>
  (asked, ask) =>
    which(asked)
      ? {
          status,
          headers: Object.entries({ ...rateOf(asked), 'Content-Type': 'application/json', ...more }),
          body: Buffer.from(body),
        }
      : ask();

/** Rate-limit headers of a window that goes on for an hour. */
export const rateOf = ({ count }: Asked): Record<string, string> => ({
  'X-RateLimit-Limit': '1000',
  'X-RateLimit-Remaining': String(1000 - count),
  'X-RateLimit-Reset': HOUR,
});
const HOUR = String(Math.ceil(Date.now() / 1000) + 3600);

/** Acts on the connection instead of answering. */
export const onTheWire =
  (act: (asked: Asked, answer: Answer) => unknown, which: Which = always): Handle =>
  async (asked, ask) => {
    const answer = await ask();
    if (!which(asked, answer)) return answer;
    await act(asked, answer);
    return undefined;
  };

/** Writes the answer by hand, byte for byte, and closes the connection. */
export const written = (write: (answer: Answer, head: string) => string | Buffer, which: Which = always): Handle =>
  onTheWire(({ socket }, answer) => socket.end(write(answer, headOf(answer))), which);

/** The head of a response, without Content-Length and the empty line. */
export const headOf = ({ status, headers: own }: Answer): string =>
  [
    `HTTP/1.1 ${status} OK`,
    ...own.filter(([name]) => name !== 'content-length').map(([name, value]) => `${name}: ${value}`),
    '',
  ].join('\r\n');

/** Writes pieces with a pause between them, for as long as the connection lasts. */
export async function drip({ socket }: Asked, pieces: Iterable<string | Buffer>, ms: number): Promise<void> {
  for (const piece of pieces) {
    if (socket.destroyed) return;
    socket.write(piece);
    await sleep(ms);
  }
}

/** Whether a response may be an object, to which a fault adds a member. */
export const withMember =
  (member: string, which: Which = always): Handle =>
  (asked, ask) =>
    bodies((body) => body.toString().replaceAll(/\{(?=")/g, `{${member},`), which)(asked, ask);
