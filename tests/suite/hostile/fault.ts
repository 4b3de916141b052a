/** The type of a fault, and helpers to write faults. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { RequirementId } from '../../../fixtures/contract/requirements.ts';
import type { Answer, Asked, Handle, How } from '../gate/serve.ts';

export interface Fault extends How {
  /** Unique: `coding: Content-Encoding: identity`. */
  title: string;
  /** All requirements that it violates; or words of the cause in the report if there is no verdict. */
  expected: readonly RequirementId[] | string;
  /** Requirements that may fail with it; `*` for all. */
  also?: readonly RequirementId[] | '*';
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
/** Most megabytes that a run and its target take: 90,000 animals and their lists take 540, and an endless body that is kept a gigabyte. */
export const MEGABYTES = 700;

/** A run that mostly waits, for so many seconds at most. */
export const waits = (seconds: number, requests = REQUESTS) => ({ waits: true, seconds, requests }) as const;

type More = Partial<Omit<Fault, 'title' | 'expected'>>;
type Row = readonly [expected: Fault['expected'], does: Handle | More, more?: More];

export const faultsOf = (topic: string, rows: Readonly<Record<string, Row>>): Fault[] =>
  Object.entries(rows).map(([title, [expected, does, more]]) => ({
    ...{ title: `${topic}: ${title}`, expected },
    ...(typeof does === 'function' ? { handle: does } : does),
    ...more,
  }));

/** A run that uses up the limit, with a key whose window is two seconds: it waits for windows. */
export const throttled = (handle?: Handle, service?: How['service']): More => ({
  ...(handle && { handle }),
  ...(service && { service }),
  ...{ env: { THROTTLING: 'on', MAX_WAIT: '20' }, ...waits(60, 300) },
});

export type Which = (asked: Asked, answer: Answer) => boolean;
/** Answers that serve a list, or orders. */
export const onLists: Which = ({ method, path }, { status }) =>
  method === 'GET' && /^\/v1\/pets(\?|$)/.test(path) && status < 300;
export const onOrders: Which = ({ method, path }, { status }) =>
  method === 'GET' && path.startsWith('/v1/store/orders') && status < 300;
export const onServed: Which = (_asked, { status }) => status < 300;

/** Changes answers, or acts on their connections instead. */
export const answering =
  (
    change: (answer: Answer, asked: Asked) => Partial<Answer> | undefined | Promise<undefined>,
    which: Which = () => true,
  ): Handle =>
  async (asked, ask) => {
    const answer = await ask();
    if (!which(asked, answer)) return answer;
    const changed = await change(answer, asked);
    return changed && { ...answer, ...changed };
  };

type Headers = Record<string, string | undefined>;

/** Replaces headers; undefined removes one. */
export function withHeaders(answer: Answer, headers: Headers): Answer {
  const names = new Set(['content-length', ...Object.keys(headers).map((name) => name.toLowerCase())]);
  const kept = answer.headers.filter(([name]) => !names.has(name.toLowerCase()));
  const added = Object.entries(headers).filter((header): header is [string, string] => header[1] !== undefined);
  return { ...answer, headers: [...kept, ...added] };
}

export const headers = (change: Headers | ((answer: Answer, asked: Asked) => Headers), which?: Which): Handle =>
  answering((answer, asked) => withHeaders(answer, typeof change === 'object' ? change : change(answer, asked)), which);

/** Changes bodies, and headers with them. */
export const bodies = (change: (body: Buffer) => Buffer | string, which?: Which, more: Headers = {}): Handle =>
  answering(
    (answer) =>
      answer.body.length === 0 ? {} : { ...withHeaders(answer, more), body: Buffer.from(change(answer.body)) },
    which,
  );

/** Adds a member to every object. */
export const withMember = (member: string, which?: Which): Handle =>
  bodies((body) => body.toString().replaceAll(/\{(?=")/g, () => `{${member},`), which);

/** Writes the answer by hand, byte for byte, and closes the connection. */
export const written = (write: (answer: Answer, head: string) => string | Buffer, which?: Which): Handle =>
  answering((answer, { socket }) => void socket.end(write(answer, headOf(answer))), which);

/** The head of a response, without Content-Length and the empty line. */
export function headOf({ status, headers: all }: Answer): string {
  const sent = all.filter(([name]) => name !== 'content-length').map((header) => header.join(': '));
  return [`HTTP/1.1 ${status} OK`, ...sent, ''].join('\r\n');
}

/** Writes pieces with a pause between them, for as long as the connection lasts. */
export async function drip({ socket }: Asked, pieces: Iterable<string | Buffer>, ms: number): Promise<undefined> {
  for (const piece of pieces) {
    if (socket.destroyed) return;
    socket.write(piece);
    await sleep(ms);
  }
}

/** Does it for some requests; the reference answers the others. */
export const when =
  (which: (asked: Asked) => boolean, handle: Handle): Handle =>
  (asked, ask) =>
    which(asked) ? handle(asked, ask) : ask();

/** A response with the rate-limit headers of a window that goes on for an hour. */
export const instead =
  (status: number, body: string, more: Record<string, string> = {}): Handle =>
  ({ count }) => {
    const reset = String(Math.ceil(Date.now() / 1000) + 3600);
    const rate = { 'X-RateLimit-Limit': '1000', 'X-RateLimit-Remaining': String(1000 - count) };
    const headers = { ...rate, 'X-RateLimit-Reset': reset, 'Content-Type': 'application/json', ...more };
    return { status, headers: Object.entries(headers), body: Buffer.from(body) };
  };
