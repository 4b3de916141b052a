/** The type of a fault, and helpers to write faults. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { RequirementId } from '../../../fixtures/contract/requirements.ts';
import type { Verdict } from '../../../fixtures/report/model/judged.ts';
import type { Answer, Asked, Handle, How } from './server.ts';

export interface Fault extends How {
  id: string;
  title: string;
  verdict: Verdict;
  /** The requirements of the specification that it violates, all of them: nothing else is held against it. */
  breaks?: readonly RequirementId[];
  /** What may be held against it as well, since the fault breaks it too: `*` if it breaks nearly everything. */
  also?: readonly RequirementId[] | '*';
  /** Words of the cause, which the report has to name. */
  says?: string;
  env?: Readonly<Record<string, string>>;
  /** Most seconds that the run may work, or, if it waits, take; SECONDS if nothing is said. */
  seconds?: number;
  /** Most requests that may be sent; REQUESTS if nothing is said. */
  requests?: number;
  /** Whether the run waits rather than works, so that it may go on beside others. */
  waits?: true;
}

/** Bounds of every run, unless its fault says otherwise. */
export const SECONDS = 15;
export const REQUESTS = 130;
/** Megabytes that the process of a run may take at the most. */
export const MEGABYTES = 400;

/** Settings that let throttling be tried, with a key whose window is two seconds. */
export const THROTTLED = { THROTTLING: 'on', MAX_WAIT: '20' };

/** A run that uses the limit up: it waits for windows, and may take a minute. */
export const WITH_THROTTLING = { env: THROTTLED, waits: true, seconds: 60, requests: 200 } as const;

export const spoiling = (topic: string, rows: Record<string, Omit<Fault, 'id'>>): Fault[] =>
  Object.entries(rows).map(([name, row]) => ({ id: `${topic}/${name}`, ...row }));

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

/** Changes the bytes of right bodies, with headers that go with it. */
export const bodies = (
  change: (body: Buffer) => Buffer | string,
  which: Which = always,
  headers: Record<string, string> = {},
): Handle =>
  answering((answer) => {
    if (answer.body.length === 0) return {};
    return { body: Buffer.from(change(answer.body)), headers: withHeaders(answer, headers).headers };
  }, which);

/** An answer with headers of these names replaced; undefined takes one out. */
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

/** Does something to the connection instead of answering; the reference has, or has not, done what was asked. */
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

/** The status line and the headers of an answer, without Content-Length and the empty line. */
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

/** Whether an answer is what an object would be: what a fault may add a member to. */
export const withMember =
  (member: string, which: Which = always): Handle =>
  (asked, ask) =>
    bodies((body) => body.toString().replaceAll(/\{(?=")/g, `{${member},`), which)(asked, ask);
