/** No request exceeds the budget of the headers, and none goes out before the end of a Retry-After. */
import type { Exchange } from '../../../fixtures/target/http/exchange.ts';
import { Log, RateLimited, readNotes } from '../../../fixtures/target/http/log.ts';
import { Pacer, type PacerOptions } from '../../../fixtures/target/rate-limit/pacing.ts';
import { exchange, expect, NOW, test } from './make.ts';

// They wait for the end of limits.
test.describe.configure({ mode: 'parallel' });

let directory: string;
let printed: string[];
test.beforeEach(({ directory: own }) => {
  directory = own;
  printed = [];
});

const pacer = (options: Partial<PacerOptions> = {}): Pacer =>
  new Pacer(new Log(directory), { maxWait: 90, print: (line) => printed.push(line), ...options });

const WOULD_WAIT = 'it would wait';

/** A pacer that throws in place of waiting, with the seconds as cause. */
class ImpatientPacer extends Pacer {
  protected override async wait(_name: string, ms: number): Promise<void> {
    throw new Error(WOULD_WAIT, { cause: ms / 1000 });
  }
}
const impatient = (): Pacer => new ImpatientPacer(new Log(directory), { maxWait: Infinity });

interface Shown {
  status?: number;
  limit?: number;
  remaining?: number;
  /** Seconds from now. */
  resetIn?: number;
  retryAfter?: string | string[];
}

/** @param sentAt milliseconds since the epoch. */
const answer = ({ status = 200, limit, remaining, resetIn, retryAfter }: Shown, sentAt = Date.now()): Exchange =>
  exchange({
    ...{ status, at: sentAt / 1000 - NOW },
    headers: {
      Date: undefined,
      'X-RateLimit-Limit': limit?.toString(),
      'X-RateLimit-Remaining': remaining?.toString(),
      'X-RateLimit-Reset': resetIn === undefined ? undefined : String(Date.now() / 1000 + resetIn),
      'Retry-After': retryAfter,
    },
  });

const left = (remaining: number, resetIn: number, limit = 60): Shown => ({ limit, remaining, resetIn });
const refused = (retryAfter: number): Shown => ({ status: 429, retryAfter: String(retryAfter) });

async function ask(one: Pacer, shown: Shown | undefined, name = 'key', spend = false): Promise<void> {
  const grant = await one.acquire(name, spend);
  const failed = exchange({ failure: { kind: 'closed', message: '' } });
  one.release(name, shown ? answer(shown) : failed, grant);
}

const secondsToWait = (one: Pacer, name = 'key'): Promise<unknown> =>
  one.acquire(name).then(
    () => 0,
    ({ message, cause }: Error) => (message === WOULD_WAIT ? cause : message),
  );

/** Refuses the key so many times, each time after the requested wait. @param after is answered behind each. */
function refuse(one: Pacer, times: number, ...after: Shown[]): void {
  for (let i = 0; i < times; i += 1) {
    one.release('key', answer(refused(0), (refusedAt += 1e5)));
    for (const shown of after) one.release('key', answer(shown));
  }
}
let refusedAt = Date.now() - 1e7;

test('requests in flight together are marked, in whatever order their answers come', async () => {
  const one = pacer();
  const [first, second] = [await one.acquire('key'), await one.acquire('key')];
  const other = await one.acquire('other');
  one.release('key', answer(left(49, 60)), second);
  one.release('key', answer(left(50, 60)), first);
  const last = await one.acquire('key');
  expect([first, second, other, last].map(({ parallel }) => parallel)).toEqual([true, true, false, false]);
});

test('a request without budget waits for the reset, with a message that is shown to other processes', async () => {
  const one = pacer();
  await ask(one, left(0, 1));
  const start = Date.now();
  const next = one.acquire('key');
  expect(readNotes(directory).waiting).toMatchObject({ what: 'the rate limit of the key to reset' });
  const grant = await next;
  // Others begin once the new window is known, and share a wait.
  one.release('key', answer(left(0, 1)), grant);
  await Promise.all([1, 2, 3].map(() => ask(one, left(50, 60))));
  expect(Date.now() - start).toBeGreaterThan(3000);
  expect(Date.now() - start).toBeLessThan(6000);
  expect(printed).toEqual(Array(2).fill(expect.stringMatching(/waiting \d s for the rate limit of the key to reset/)));
  expect(readNotes(directory).waitedMs).toBeGreaterThan(3000);
  expect(pacer().acquire('key')).toBeDefined();
});

/** The seconds that the next request waits after an answer: at least, and less than. */
type Wait = readonly [title: string, shown: Shown | undefined, atLeast: number, below: number];

const WAITS: readonly Wait[] = [
  ['a budget with room', left(3, 60), 0, 1],
  ['a reserve of two requests', left(2, 60), 55, 65],
  ['a limit that is too small for a reserve', left(1, 60, 9), 0, 1],
  ['a 429', refused(30), 25, 35],
  ['a 429 without Retry-After, until the reset', { ...left(0, 30), status: 429 }, 29, 34],
  ['a 429 without any header, for a minute', { status: 429 }, 58, 64],
  ['a 429 beside a day that is not used up, for a minute', { ...left(900, 50_000, 1000), status: 429 }, 58, 64],
  ['a 429 of a day that is used up', { ...left(0, 50_000, 1000), status: 429 }, 49_000, 50_010],
  ...[1.795e12, -3600, -1.7e9, 27 * 3600].map((resetIn): Wait => [`Reset in ${resetIn} s`, left(0, resetIn), 0, 1]),
  // Rounded down to this second, or a second more.
  ...[0, -1].map((resetIn): Wait => [`Reset in ${resetIn} s, which may be rounded`, left(0, resetIn), 0.9, 2]),
  ['no headers', {}, 0, 1],
  ['no Reset', { remaining: 0 }, 0, 1],
  ['no Remaining', { limit: 60 }, 0, 1],
  ['no answer', undefined, 0, 1],
  ['several Retry-After', { ...left(0, 5), status: 429, retryAfter: ['1', '120'] }, 119, 125],
  ['a malformed Retry-After', { ...left(0, 5), status: 429, retryAfter: '299.5' }, 299, 305],
  ['a Retry-After without end', { status: 429, retryAfter: '9'.repeat(400) }, Infinity, NaN],
];

for (const [title, shown, atLeast, below] of WAITS)
  test(`the wait after ${title}`, async () => {
    const one = impatient();
    await ask(one, shown);
    const seconds = await secondsToWait(one);
    expect(seconds).toBeGreaterThanOrEqual(atLeast);
    if (!Number.isNaN(below)) expect(seconds).toBeLessThan(below);
    // A paused key pauses unauthenticated requests too, to avoid a ban.
    if (shown?.status === 429) expect(await secondsToWait(one, 'other')).toBeGreaterThanOrEqual(atLeast);
    expect([one.isPaused('key'), one.isPaused('other')]).toEqual(Array(2).fill(shown?.status === 429));
  });

test('spending uses up the reserve, but sends nothing before the end of a Retry-After', async () => {
  const one = impatient();
  await ask(one, left(0, 60));
  await ask(one, refused(1), 'key', true);
  await expect(one.acquire('key', true)).rejects.toThrow(WOULD_WAIT);
});

test('requests in flight reduce the budget', async () => {
  const one = impatient();
  await ask(one, left(5, 60));
  const grants = await Promise.allSettled(Array.from({ length: 10 }, () => one.acquire('key')));
  expect(grants.filter(({ status }) => status === 'fulfilled')).toHaveLength(3);
});

/** Answers with 429 and Retry-After: 10, each so many seconds after the one before, and the seconds to wait after them. */
for (const [title, apart, times, seconds] of [
  ['one', 0, 1, 10],
  ['two, each after its wait', 100, 2, 120],
  ['three, each after its wait', 100, 3, 240],
  ['eight that were under way together', 0, 8, 10],
] as const)
  test(`refusals in a row ask for longer waits: ${title}`, () => {
    const one = impatient();
    for (let i = 0; i < times; i += 1) one.release('key', answer(refused(10), Date.now() + i * apart * 1000));
    const { retryAt } = one.budgetOf('key');
    expect(Math.round((retryAt - Date.now()) / 1000)).toBe(seconds);
  });

test('four refusals in a row end the run, three and a served request do not', async () => {
  const one = pacer();
  refuse(one, 3);
  one.release('key', answer(left(50, 60)));
  refuse(one, 3);
  await one.acquire('throttle');
  refuse(one, 1);
  await expect(one.acquire('throttle')).rejects.toThrow(
    'rejected with 429 4 times in a row, each time after the requested wait',
  );
});

test('refusals between served requests make the next ones slower, and twenty end the run', async () => {
  const one = pacer();
  const [first] = [Date.now(), await one.acquire('key'), await one.acquire('key')];
  expect(Date.now() - first).toBeLessThan(100);
  refuse(one, 8, left(50, 60));
  const [second] = [Date.now(), await one.acquire('key'), await one.acquire('key')];
  expect(Date.now() - second).toBeGreaterThanOrEqual(250);
  refuse(one, 12, left(50, 60));
  await expect(one.acquire('throttle')).rejects.toThrow('rejected with 429 20 times, also after');
});

test('a wait longer than MAX_WAIT cannot be judged, and ends the run for the key, but not for another one', async () => {
  const one = pacer({ maxWait: 2 });
  await ask(one, refused(3600), 'throttle');
  await expect(one.acquire('throttle')).rejects.toThrow(
    /The throttling key may send nothing for 360\d s, which is more than MAX_WAIT/,
  );
  await ask(one, { status: 429, retryAfter: '9'.repeat(400) }, 'key');
  for (const name of ['key', 'other', 'throttle'])
    await expect(one.acquire(name), name).rejects.toThrow(/: requests|the (throttling )?key may send nothing/i);
  await expect(one.acquire('throttle')).rejects.toThrow(/The key may send nothing for .* MAX_WAIT \(2 s\)/);
  await expect(one.acquire('key')).rejects.toThrow(RateLimited);
  expect(printed.filter((line) => line.includes('nothing more is sent in this run'))).toHaveLength(1);
});

test('a pause lasts for its duration, up to MAX_WAIT', async () => {
  const one = pacer({ maxWait: 2 });
  const start = Date.now();
  await one.pause('throttle', 100);
  expect(Date.now() - start).toBeGreaterThanOrEqual(95);
  await expect(one.pause('throttle', 5000)).rejects.toThrow('MAX_WAIT (2 s)');
});

test('headers are ignored after two useless waits, until a 429 shows that they were right', async () => {
  const one = impatient();
  const wait = async (times: number, remaining = 0): Promise<void> => {
    for (let i = 0; i < times; i += 1) {
      expect(await secondsToWait(one)).toBeGreaterThan(5);
      one.release('key', answer(left(remaining, 30)));
      if (remaining > 0) one.release('key', answer(left(0, 31 + i)));
    }
  };
  await ask(one, left(0, 30));
  await wait(3, 59);
  await wait(2);
  await ask(one, { ...left(0, 30), ...refused(0) });
  await new Promise((resolve) => setTimeout(resolve, 1100));
  await ask(one, left(0, 30));
  await wait(4);
  // After one 429, requests are two milliseconds apart.
  expect(await secondsToWait(one)).toBeLessThanOrEqual(0.002);
});
