/** Judgements of throttling rounds; `throttling/algorithms.spec.ts` runs the algorithms. */
import { expect } from '@playwright/test';
import { cantTell, judged, type Judgement, skipped } from '../../../fixtures/judge/judgement.ts';
import {
  judgeEdge,
  judgeOperation,
  judgeRecovery,
  judgeRetryAfter,
  judgeRounds,
} from '../../../fixtures/judge/throttling.ts';
import { notJudged } from '../../../fixtures/plan/not-judged.ts';
import type { Exchange } from '../../../fixtures/target/http/exchange.ts';
import { readWindow, computeSlack } from '../../../fixtures/target/rate-limit/headers.ts';
import {
  countReturned,
  findFastestRefill,
  groupByWindow,
  mayResetMove,
} from '../../../fixtures/target/rate-limit/windows.ts';
import { findExcess, findServedBeyondLimit } from '../../../fixtures/target/rate-limit/beyond.ts';
import { findRecoveries, findThrottledAdditions, type Round } from '../../../fixtures/target/run/throttling.ts';
import { exchange, type Given, NOW, test, TIMEOUT, describeJudgement, wrongStatus } from './make.ts';

const LIMIT = 20;

/** A served request with its Remaining; the window ends a minute after the first one. */
const served = (remaining: number, at: number, more: Given = {}): Exchange =>
  exchange({
    operation: 'listOrders',
    credential: 'throttle',
    at,
    ...more,
    headers: {
      'X-RateLimit-Limit': String(LIMIT),
      'X-RateLimit-Remaining': String(remaining),
      'X-RateLimit-Reset': String(NOW + 60),
      ...more.headers,
    },
  });

const refused = (at: number, more: Given = {}): Exchange =>
  served(0, at, { status: 429, ...more, headers: { 'Retry-After': '30', ...more.headers } });

interface Made {
  round: Round;
  exchanges: Exchange[];
}

/** A round of these requests. */
function round(
  sent: Exchange[],
  {
    refusal,
    after,
    ...more
  }: { refusal?: Exchange; after?: Exchange } & Partial<Omit<Round, 'refusal' | 'after'>> = {},
): Made {
  return {
    round: {
      operation: 'listOrders',
      sent: sent.map(({ number }) => number),
      pressed: 0,
      ...(refusal && { refusal: refusal.number }),
      ...(after && { after: after.number }),
      ...more,
    },
    exchanges: [...sent, ...(after ? [after] : [])],
  };
}

const toArguments = ({ round: own, exchanges }: Made): [Round, Exchange[]] => [own, exchanges];

/** With its seconds to Reset after NOW. */
const shownAt = (remaining: number, at: number, reset: number): Exchange =>
  served(remaining, at, { headers: { 'X-RateLimit-Reset': String(NOW + reset) } });

/** Served requests with a falling Remaining, 20 ms apart. */
const down = (from: number, to: number, more: Given = {}): Exchange[] =>
  Array.from({ length: from - to + 1 }, (_, i) => served(from - i, i * 0.02, more));

const beyond = (count: number, more: Given = {}): Exchange[] =>
  Array.from({ length: count }, (_, i) => served(0, 0.5 + i * 0.02, more));

const withRefusal = (sent: Exchange[], refusal = refused(1), more: Partial<Round> = {}): Made =>
  round([...sent, refusal], { refusal, ...more } as never);

const edge = ({ round: own, exchanges }: Made): string => describeJudgement(judgeEdge(own, exchanges));

/** Requests one by one near the edge of a token bucket, up to a refusal or the bound of the experiment. */
function bucketNear({
  limit,
  window,
  pace,
  resetAt,
}: {
  limit: number;
  window: number;
  pace: number;
  resetAt: 'full' | 'a window ahead';
}): Made {
  const perSecond = limit / window;
  const sent: Exchange[] = [];
  let level = Math.min(limit, 12);
  for (let [i, zero] = [0, -1]; i < 120 && (zero < 0 || i - zero <= 2 * (computeSlack(limit) + 2)); i += 1) {
    if (i > 0) level = Math.min(limit, level + perSecond * pace);
    const isServed = level >= 1;
    if (isServed) level -= 1;
    const reset = i * pace + (resetAt === 'full' ? (limit - level) / perSecond : window);
    const headers = {
      'X-RateLimit-Limit': String(limit),
      'X-RateLimit-Remaining': String(Math.floor(level)),
      'X-RateLimit-Reset': String(Math.ceil(NOW + reset)),
    };
    if (!isServed) return withRefusal(sent, refused(i * pace, { headers }));
    sent.push(served(0, i * pace, { headers }));
    if (zero < 0 && level < 1) zero = i;
  }
  return round(sent);
}

test.describe('the edge', () => {
  test('is near the announced limit', () => {
    expect(edge(withRefusal(down(19, 0)))).toBe('holds: 1 of 1 rejections at the limit');
    // Remaining may or may not count its own request.
    for (const last of [1, 2]) expect(edge(withRefusal(down(19, last)))).toMatch(/^holds/);
    for (const more of [1, 2]) expect(edge(withRefusal([...down(19, 0), ...beyond(more)]))).toMatch(/^holds/);
  });

  test('is not far below the announced limit', () => {
    expect(edge(withRefusal(down(19, 5)))).toBe('violated: 429 with 5 requests left (limit 20)');
    expect(edge(withRefusal(down(19, 3)))).toMatch(/^violated/);
  });

  test('is reached, whatever a Remaining says that lags behind', () => {
    const lagging = (count: number): Exchange[] =>
      Array.from({ length: count }, (_, i) => served(Math.max(8, 19 - i), i * 0.02));
    expect(edge(withRefusal(lagging(18)))).toMatch(/^holds/);
    expect(edge(withRefusal(lagging(17)))).toBe('violated: 429 with 8 requests left (limit 20)');
  });

  test('is not judged if the throttling key may not use an operation, unless nothing is left', () => {
    const forbidden = (left: number, credential: 'key' | 'throttle' = 'throttle'): string =>
      edge(withRefusal(down(19, left), served(0, 1, { status: 403, credential })));
    expect(forbidden(1)).toMatch(/^untested: .* answers 403 to THROTTLE_API_KEY while requests are left/);
    expect(forbidden(0)).toMatch(/^violated: /);
    expect(forbidden(1, 'key')).toMatch(/^violated: /);
  });

  test('is reached, if a parallel answer shows it under another Reset', () => {
    // A bucket whose Reset moves, by answers that leave late and in another order.
    const slow = (remaining: number, ms: number, resetIn: number, status = 200): Exchange => {
      const headers = { 'X-RateLimit-Reset': String(NOW + resetIn) };
      return { ...(status === 429 ? refused(1, { headers }) : served(remaining, 1, { headers })), ms };
    };
    const burst = (least: number): Made =>
      withRefusal(
        [
          ...down(19, 7, { headers: { 'X-RateLimit-Reset': String(NOW + 5) } }),
          slow(least, 30, 6),
          slow(6, 60, 5),
          slow(5, 200, 5),
        ],
        slow(0, 80, 6, 429),
      );
    expect(edge(burst(0))).toMatch(/^holds/);
    expect(edge(burst(5))).toBe('violated: 429 with 5 requests left (limit 20)');
  });

  test('is not far above the announced limit', () => {
    // By Remaining, or by the limit of the window.
    const late = /^violated: \d+ requests served(, and no 429 at all|, and only then 429)?$/;
    for (const more of [5, 8]) {
      expect(edge(withRefusal([...down(19, 0), ...beyond(more)]))).toMatch(late);
      expect(edge(round([...down(19, 0), ...beyond(more)]))).toMatch(late);
    }
  });

  test('has no status other than 429', () => {
    for (const status of [403, 503])
      expect(edge(withRefusal(down(19, 0), refused(1, { status })))).toMatch(
        new RegExp(`^violated: status ${status} with 0 left$`),
      );
  });

  test('is judged only by requests of its window', () => {
    const earlier = [served(3, 0, { headers: { 'X-RateLimit-Reset': String(NOW + 1) } })];
    expect(edge(withRefusal([...earlier, ...down(19, 5)]))).toMatch(/^violated: 429 with 5/);
  });

  test('is not judged if another client uses the key', () => {
    const shared = [19, 15, 11, 7, 5].map((left, i) => served(left, i * 0.02));
    expect(edge(withRefusal(shared))).toMatch(/^cantTell: .* another client uses the key/);
  });

  test('is judged if Remaining fell by more than the served requests only because refused ones count', () => {
    const counting = (left: number, at: number): Exchange =>
      served(left, at, { status: 429, headers: { 'Retry-After': '30' } });
    const sent = [served(19, 0), counting(18, 0.02), counting(17, 0.04), served(16, 0.06), counting(15, 0.08)];
    expect(edge(round(sent, { refusal: sent[1] as Exchange }))).toMatch(/^violated: 429 with 16/);
  });

  test('is not judged for headers of the day', () => {
    const day = { headers: { 'X-RateLimit-Reset': String(NOW + 9 * 3600) } };
    expect(edge(withRefusal(down(19, 9, day)))).toMatch(/^untested: the headers do not announce the limit/);
    expect(edge(round(down(19, 9, day)))).toMatch(/^untested: the headers do not announce the limit/);
  });

  for (const [limit, window] of [
    [60, 60],
    [300, 60],
    [1000, 60],
    [60, 10],
    [20, 2],
  ] as const)
    test(`of a refilling bucket of ${limit} in ${window} s is lawful at any pace`, () => {
      for (const resetAt of ['full', 'a window ahead'] as const)
        for (const pace of [0.005, 0.02, 0.03, 0.06, 0.07, 0.1, 0.125, 0.177, 0.2, 0.3, 0.5])
          expect(`${pace}: ${edge(bucketNear({ limit, window, pace, resetAt }))}`).not.toContain('violated');
    });

  test('is not judged if the window ended before', () => {
    expect(edge(round(down(19, 9)))).toMatch(/^untested: the window ended before/);
  });

  test('is not judged by headers that never move', () => {
    const stuck = Array.from({ length: 30 }, (_, i) => served(19, i * 0.02));
    // More requests than the limit are served under one Reset, for any Remaining.
    expect(edge(round(stuck))).toBe('violated: 30 requests served');
    expect(edge(round(stuck.slice(0, 15)))).toBe('cantTell: X-RateLimit-Remaining stayed 19 in 15 requests');
  });

  test('is violated if two instances each serve the limit', () => {
    const two = Array.from({ length: 40 }, (_, i) => served(19 - Math.floor(i / 2), i * 0.02));
    expect(edge(withRefusal(two))).toBe('violated: 40 requests served, and Remaining jumps between two counts');
  });

  test('cannot be judged without an experiment or an answer', () => {
    expect(edge(round(down(19, 5), { unclear: 'out of reach' }))).toBe('cantTell: out of reach');
    expect(edge(withRefusal(down(19, 0), exchange({ failure: TIMEOUT })))).toMatch(
      /^cantTell: the request at the limit got no answer: no answer within 10 s/,
    );
  });

  test('is violated if the whole run was served more than the limit, under one Reset', () => {
    const own = (from: number, count: number, more: Given = {}): Exchange[] =>
      Array.from({ length: count }, (_, i) => served(19 - Math.floor((from + i) / 2), (from + i) * 0.02, more)).map(
        (each) => ({ ...each, request: { ...each.request, headers: [['Authorization', 'Bearer $API_KEY']] } }),
      );
    const [before, sent] = [own(0, 28, { credential: 'key' }), own(28, 12)];
    const made = withRefusal(sent, { ...refused(1), request: { ...(sent[0] as Exchange).request } });
    expect(edge(made)).toMatch(/^holds/);
    expect(edge({ ...made, exchanges: [...before, ...made.exchanges] })).toBe(
      'violated: 40 requests served, and Remaining jumps between two counts',
    );
    // With a separate key, the requests of the other key do not count.
    const apart = withRefusal(own(28, 12).map((each) => ({ ...each, request: { ...each.request, headers: [] } })));
    expect(edge({ ...apart, exchanges: [...before, ...apart.exchanges] })).toMatch(/^holds/);
  });

  test('is violated by two instances whose Reset moves with the clock', () => {
    const moving = Array.from({ length: 60 }, (_, i) => {
      const at = i * 0.05;
      return served(19 - Math.floor(i / 3), at, { headers: { 'X-RateLimit-Reset': String(NOW + Math.ceil(at + 60)) } });
    });
    expect(edge(withRefusal(moving, refused(3.1)))).toMatch(/^violated: 60 requests served/);
  });

  test('is violated although the last of them left 0, and another operation was refused', () => {
    const two = Array.from({ length: 40 }, (_, i) =>
      served(i === 39 ? 0 : Math.max(1, 19 - Math.floor(i / 2)), i * 0.02),
    );
    const refusal = refused(1, { operation: 'listPets' });
    expect(edge(withRefusal(two, refusal, { operation: 'addPet' }))).toMatch(/^violated: 40 requests served/);
  });

  test('is not judged late if two nodes end their window at different times', () => {
    // Both count together; the clock of one is a second and a half ahead.
    const early = Array.from({ length: 10 }, (_, i) => shownAt(19 - i, 57 + i * 0.02, 60));
    const both = Array.from({ length: 20 }, (_, i) =>
      i % 2 === 0 ? shownAt(19 - i / 2, 58.6 + i * 0.05, 120) : shownAt(9 - (i - 1) / 2, 58.6 + i * 0.05, 60),
    );
    const late = Array.from({ length: 10 }, (_, i) => shownAt(9 - i, 60.2 + i * 0.02, 120));
    expect(edge(withRefusal([...early, ...both, ...late], refused(61)))).toMatch(/^holds/);
  });

  test('is not judged late if a sliding window gives back what was used in a burst', () => {
    const burst = Array.from({ length: 18 }, (_, i) => shownAt(19 - i, i * 0.1, 60 + Math.ceil(i * 0.1)));
    const back = Array.from({ length: 18 }, (_, i) => shownAt(0, 59.5 + i * 0.11, 120 + Math.ceil(i * 0.11)));
    const made = withRefusal(back, refused(62));
    expect(edge({ ...made, exchanges: [...burst, ...made.exchanges] })).not.toMatch(/^violated/);
    expect(edge(made)).toMatch(/^violated/);
  });

  test('is not judged without served requests with Remaining', () => {
    expect(edge(withRefusal([]))).toBe('untested: the key had no requests left when throttling began');
    const silent = down(19, 0, { headers: { 'X-RateLimit-Remaining': undefined } });
    expect(edge(withRefusal(silent))).not.toMatch(/^violated/);
    const bare = Array.from({ length: 5 }, () => exchange({ headers: { 'X-RateLimit-Limit': undefined } }));
    expect(edge(withRefusal(bare))).toMatch(/^cantTell: the rate-limit headers are missing/);
  });

  test('has the refusal and the last served request', () => {
    const refusal = refused(1);
    const sent = down(19, 5);
    const { round: own, exchanges } = withRefusal(sent, refusal);
    expect(judgeEdge(own, exchanges)).toMatchObject({ violations: [{ exchanges: [refusal, sent.at(-1)] }] });
  });
});

test.describe('an operation', () => {
  const operation = ({ round: own, exchanges }: Made): string => describeJudgement(judgeOperation(own, exchanges));
  const other = refused(2, { operation: 'listPets' });

  test('is refused at the edge', () => {
    expect(operation(withRefusal(down(19, 0)))).toBe('holds: 1 of 1 rejections at the limit');
  });

  test('is not served while others are refused', () => {
    expect(operation(withRefusal([...down(19, 0), ...beyond(5)], other))).toMatch(
      /^violated: 5 requests served, and 429 only to GET \/pets$/,
    );
  });

  test('is not judged if it is served at the edge under a Reset within two seconds, while others are refused', () => {
    const soon = { headers: { 'X-RateLimit-Reset': String(NOW + 2) } };
    const sent = [...down(19, 17, soon), ...down(19, 0, soon), ...beyond(15, soon)];
    expect(operation(withRefusal(sent, other))).toMatch(/^cantTell: 1\d requests served at X-RateLimit-Remaining: 0,/);
    expect(operation(withRefusal([...sent.slice(0, -8)], other))).toMatch(/^untested/);
  });

  test('is not judged if another one reached the edge first', () => {
    expect(operation(withRefusal(down(19, 0), other))).toMatch(
      /^untested: the limit was reached with another operation/,
    );
    expect(operation(withRefusal([...down(19, 0), ...beyond(2)], other))).toMatch(/^untested/);
    expect(operation(round(down(19, 5)))).toMatch(/^untested: the window ended/);
    expect(operation(round(beyond(40)))).toMatch(/^cantTell: .*see throttle.429/);
    // Another status has another reason.
    expect(operation(withRefusal(down(19, 0), refused(1, { status: 503 })))).toMatch(/^cantTell|^untested/);
  });
});

test('a window is not shorter than the time in which no request came back', () => {
  const soon = { headers: { 'X-RateLimit-Reset': String(NOW + 2) } };
  const perSecond = (counts: readonly number[]): number =>
    findFastestRefill(
      counts.map((remaining, i) => served(remaining, i * 0.1, soon)),
      1,
    );
  expect(perSecond([9, 8, 7, 6, 5, 4, 3, 2, 1, 0, 0, 0])).toBeCloseTo(LIMIT / 0.9, 0);
  // After each second request one came back, so that a window of a tenth of a second is possible.
  expect(perSecond([5, 4, 4, 3, 3, 2, 2, 1, 1, 0, 0, 0])).toBe(LIMIT / 0.1);
});

test('near the end of a window, other requests of the key show how long it is', () => {
  const soon = { headers: { 'X-RateLimit-Reset': String(NOW + 2) } };
  const some = [9, 8, 8, 7, 7].map((remaining, i) => served(remaining, i * 0.1, soon));
  const reset = (seconds: number, limit = LIMIT): Exchange =>
    served(3, 5, { headers: { 'X-RateLimit-Limit': String(limit), 'X-RateLimit-Reset': String(NOW + 5 + seconds) } });
  expect(findFastestRefill(some, 1, [reset(30)])).toBe(LIMIT / 28);
  expect(findFastestRefill(some, 1, [reset(2)])).toBe(LIMIT / 0.1);
  expect(findFastestRefill(some, 1, [reset(30, 1000)])).toBe(LIMIT / 0.1);
  const twice = Array.from({ length: 40 }, (_, i) => served(LIMIT - 1 - Math.floor(i / 2), i * 0.04, soon));
  expect(edge(withRefusal(twice, refused(1.7)))).toMatch(/^holds/);
  expect(edge(withRefusal(twice, refused(1.7), { after: reset(29) } as never))).toMatch(
    /^violated: 40 requests served/,
  );
});

test.describe('a 429 before the announced limit', () => {
  const early = (more: Given = {}): string => edge(withRefusal(down(19, 10), refused(1, more)));

  test('is a violation', () => {
    expect(early()).toMatch(/^violated: .*10/);
    expect(early({ headers: { 'Retry-After': '60' } })).toMatch(/^violated/);
  });

  test('is not judged if it announces another limit, or a wait beyond any short window', () => {
    expect(early({ headers: { 'X-RateLimit-Limit': '1000' } })).toMatch(/^untested: the headers do not announce/);
    expect(early({ headers: { 'Retry-After': '7474' } })).toMatch(/^untested: the headers do not announce/);
  });

  test('is at the limit if the whole run used up the window, although Remaining lags', () => {
    const ofKey = (credential: Given['credential']): Exchange[] =>
      down(19, 10).map((each) => ({ ...each, credential: credential ?? 'key', number: each.number - 1000 }));
    const { round: own, exchanges } = withRefusal(down(19, 10), refused(1));
    const judge = (before: Exchange[]): string => describeJudgement(judgeEdge(own, [...before, ...exchanges]));
    expect(judge(ofKey('throttle'))).toMatch(/^holds/);
    expect(judge(ofKey('key'))).toMatch(/^violated/);
  });
});

test('without a rejection the other requirements have the reason of the limit, if it was only not reached', () => {
  const { round: own, exchanges } = round(down(19, 15));
  const untested = describeJudgement(judgeEdge(own, exchanges));
  expect(untested).toMatch(/^untested/);
  for (const judge of [judgeOperation, judgeRecovery]) expect(describeJudgement(judge(own, exchanges))).toBe(untested);
  expect(describeJudgement(judgeRetryAfter([], judgeEdge(own, exchanges)))).toBe(untested);
  const wrong = round(beyond(40));
  expect(edge(wrong)).toMatch(/^violated/);
  expect(describeJudgement(judgeRecovery(wrong.round, wrong.exchanges))).toMatch(/^cantTell: .*see throttle.429/);
});

test.describe('Retry-After', () => {
  const judgeHeaders = (...values: (string | string[] | undefined)[]): string =>
    describeJudgement(
      judgeRetryAfter(
        values.map((value, i) => refused(i, { headers: { 'Retry-After': value } })),
        skipped(notJudged.windowEnded()),
      ),
    );

  test('is whole seconds or an HTTP date', () => {
    for (const value of ['0', '30', new Date((NOW + 30) * 1000).toUTCString()])
      expect(judgeHeaders(value)).toBe(`holds: 1 of 1 response with 429 (Retry-After: ${value})`);
    expect(judgeHeaders('30', '2')).toBe('holds: 2 of 2 responses with 429 (Retry-After: 30)');
  });

  test('is required with every 429, and has no other form', () => {
    expect(judgeHeaders(undefined)).toBe('violated: no Retry-After');
    expect(judgeHeaders('30', undefined)).toBe('violated: no Retry-After');
    for (const value of ['', 'soon', '-1', '1.5', '30s', '2030-01-01T00:00:00Z'])
      expect(judgeHeaders(value)).toBe(`violated: Retry-After: ${value}`);
    expect(judgeHeaders(String(NOW + 30))).toBe(`violated: Retry-After: ${NOW + 30} (a Unix timestamp)`);
    expect(judgeHeaders('Sun, 6 Nov 1994 08:49:37 GMT')).toBe(
      'violated: Retry-After: Sun, 6 Nov 1994 08:49:37 GMT (a date without a two-digit day)',
    );
    expect(judgeHeaders(['30', '60'])).toMatch(/^violated: Retry-After: 30, 60/);
  });

  test('is not judged if nothing was answered 429', () => {
    expect(judgeHeaders()).toBe('untested: the window ended before its limit was reached');
    expect(describeJudgement(judgeRetryAfter([], cantTell('unclear')))).toBe(
      'cantTell: no request was rejected at the limit (see throttle.429)',
    );
  });
});

test.describe('a 429 outside the experiment', () => {
  const wait = { headers: { 'Retry-After': '2' } };

  test('is a round if a request with the same key was served after the wait', () => {
    const exchanges = [refused(0, wait), served(9, 1), served(9, 3, { credential: 'key' }), served(8, 4)];
    const rounds = findRecoveries(exchanges);
    expect(rounds).toMatchObject([{ refusal: exchanges[0]?.number, after: exchanges[3]?.number }]);
    expect(describeJudgement(judgeRounds(rounds, exchanges, judgeRecovery))).toMatch(/^holds/);
  });

  test('shows nothing if the next request was refused, or if the wait is unknown', () => {
    expect(findRecoveries([refused(0, wait), refused(4, wait)])).toEqual([]);
    expect(findRecoveries([refused(0, { headers: { 'Retry-After': undefined } }), served(9, 4)])).toEqual([]);
  });
});

test.describe('recovery after the wait', () => {
  const recovery = (after: Exchange | undefined, more: Partial<Round> = {}): string => {
    const refusal = refused(1);
    const { round: own, exchanges } = round([...down(19, 0), refusal], {
      refusal,
      ...(after && { after }),
      ...more,
    } as never);
    return describeJudgement(judgeRecovery(own, exchanges));
  };

  test('holds for a served request, or one refused for itself', () => {
    for (const status of [200, 403, 422])
      expect(recovery(served(19, 40, { status }))).toBe('holds: 1 of 1 requests after the wait');
  });

  test('is violated by 401 or 403 to a request that was served before', () => {
    for (const status of [401, 403]) {
      const [before, refusal, after] = [served(1, 0), refused(1), served(19, 40, { status })].map((each, i) => ({
        ...each,
        number: i + 1,
      })) as [Exchange, Exchange, Exchange];
      const { round: own } = round([before], { refusal, after } as never);
      const judgedBy = (exchanges: Exchange[]): string =>
        describeJudgement(judgeRecovery({ ...own, refusal: 2, after: 3 }, exchanges));
      expect(judgedBy([before, refusal, after])).toBe(`violated: status ${status}`);
      expect(judgedBy([refusal, after])).toBe('holds: 1 of 1 requests after the wait');
      // A service may ban a key that got several 429s.
      const another = { ...refusal, number: 0 };
      expect(judgedBy([another, before, refusal, after])).toMatch(/^cantTell: .* may be banned for a while/);
    }
  });

  test('is violated by another 429 or a failure', () => {
    expect(recovery(refused(40))).toBe('violated: status 429');
    expect(recovery(served(19, 40, { status: 503 }))).toBe('violated: status 503');
  });

  test('is not judged for another 429 if another client uses a bucket, whose Reset moves', () => {
    const judgedBy = (step: number, wave = 0): string => {
      const sent = Array.from({ length: 8 }, (_, i) =>
        shownAt(Math.max(0, 19 - i * step + (i % 2) * wave), 0.5 * i, 20 + i),
      );
      const [refusal, after] = [refused(4), refused(40)];
      return describeJudgement(judgeRecovery(...toArguments(round([...sent, refusal], { refusal, after }))));
    };
    expect(judgedBy(2)).toMatch(/^cantTell: .* another client uses the key/);
    expect(judgedBy(1)).toMatch(/^violated: /);
    // Two counters in turn rise as much.
    expect(judgedBy(1, 9)).toMatch(/^violated: /);
  });

  test('is not judged for another 429 if another client uses the key, which may have used what came back', () => {
    const refusal = refused(1);
    const shared = [19, 15, 11, 7, 3].map((left, i) => served(left, i * 0.02));
    const judgedBy = (after: Exchange): string => {
      const { round: own, exchanges } = round([...shared, refusal], { refusal, after } as never);
      return describeJudgement(judgeRecovery(own, exchanges));
    };
    expect(judgedBy(refused(40))).toMatch(/^cantTell: .* another client uses the key/);
    expect(judgedBy(served(19, 40, { status: 503 }))).toBe('violated: status 503');
  });

  test('is not judged for another 429 if others had used more of the limit than this run', () => {
    const judgedWith = (before: Exchange[], first: number): string => {
      const refusal = refused(1);
      const after = refused(40);
      const { round: own, exchanges } = round([...down(first, 0), refusal], { refusal, after } as never);
      return describeJudgement(judgeRecovery(own, [...before, ...exchanges]));
    };
    expect(judgedWith([], 8)).toMatch(/^cantTell: .* another client uses the key/);
    const own = Array.from({ length: 11 }, (_, i) => served(19 - i, -1));
    expect(judgedWith(own, 8)).toBe('violated: status 429');
  });

  test('holds for a failure that the operation always had', () => {
    const stub = (at: number): Exchange => served(9, at, { status: 501 });
    const refusal = refused(1, { operation: 'addPet' });
    const recoveredBy = (before: Exchange): string => {
      const { round: own, exchanges } = round([before, refusal], { refusal, after: stub(40) } as never);
      return describeJudgement(judgeRecovery(own, exchanges));
    };
    expect(recoveredBy(stub(0))).toMatch(/^holds/);
    expect(recoveredBy(served(9, 0))).toBe('violated: status 501');
  });

  test('cannot be judged without a request and a response', () => {
    expect(recovery(undefined)).toMatch(/^cantTell: no request followed the 429/);
    expect(recovery(undefined, { unclear: 'Retry-After is 3600 s' })).toBe('cantTell: Retry-After is 3600 s');
    expect(recovery(exchange({ failure: TIMEOUT }))).toMatch(/^cantTell: the request after the wait got no answer/);
    const { round: own, exchanges } = round(beyond(40));
    expect(describeJudgement(judgeRecovery(own, exchanges))).toBe(
      'cantTell: no request was rejected at the limit (see throttle.429)',
    );
  });
});

test.describe('several rounds', () => {
  const rounds = ['addPet', 'listOrders'].map((operation): Round => ({ operation, sent: [], pressed: 0 }));
  const all = (kinds: Judgement[], operation?: string): string => {
    const left = [...kinds];
    return describeJudgement(judgeRounds(rounds, [], () => left.shift() as Judgement, operation));
  };
  const holds = judged([], [], '1 of 1 refusals');
  const violated = judged([wrongStatus(503)], []);
  const unclear = cantTell('no answer');
  const none = skipped(notJudged.metByAnother('GET /pets'));

  test('hold if one holds and none is violated', () => {
    expect(all([holds, holds])).toBe('holds: 2 of 2 rounds');
    expect(all([none, holds])).toBe('holds: 1 of 1 refusals');
  });

  test('are violated if one is, else not judged if one is not', () => {
    expect(all([holds, violated])).toBe('violated: status 503');
    expect(all([unclear, violated])).toBe('violated: status 503');
    expect(all([holds, unclear])).toBe('cantTell: no answer');
  });

  test('are untested without a round for the operation', () => {
    expect(all([none, none])).toBe('untested: the limit was reached with another operation than GET /pets');
    expect(all([holds], 'listOrders')).toBe('holds: 1 of 1 refusals');
    expect(all([], 'getPet')).toMatch(/^untested: the limit was reached once per window/);
    expect(describeJudgement(judgeRounds([], [], judgeEdge))).toMatch(/^untested/);
  });
});

test('refused additions are those with 429', () => {
  const addition = (status: number): Exchange => exchange({ operation: 'addPet', status });
  const own = [addition(429), addition(201), addition(400), exchange({ status: 429 })];
  expect(findThrottledAdditions(own)).toEqual([own[0]]);
});

test.describe('the state of the headers', () => {
  test('has limit, remaining and reset', () => {
    expect(readWindow(served(7, 0))).toEqual({ limit: LIMIT, remaining: 7, reset: NOW + 60, resetIn: 60 });
    const fraction = served(7, 0, { headers: { 'X-RateLimit-Reset': `${NOW + 1}.5` } });
    expect(readWindow(fraction)).toMatchObject({ reset: NOW + 1.5, resetIn: 1.5 });
  });

  test('is missing if Limit or Remaining is not a number', () => {
    for (const name of ['Limit', 'Remaining'])
      for (const value of [undefined, 'many', '1.5'])
        expect(readWindow(served(7, 0, { headers: { [`X-RateLimit-${name}`]: value } }))).toBeUndefined();
    expect(readWindow(exchange({ failure: TIMEOUT }))).toBeUndefined();
  });

  test('has no reset if it is not in the future', () => {
    for (const value of [undefined, 'soon', '30', String(NOW * 1000), String(NOW - 60)])
      expect(readWindow(served(7, 0, { headers: { 'X-RateLimit-Reset': value } }))).toEqual({
        limit: LIMIT,
        remaining: 7,
      });
    // The clocks of several hosts differ by seconds.
    expect(readWindow(served(7, 0, { headers: { 'X-RateLimit-Reset': String(NOW - 3) } }))?.resetIn).toBe(-3);
  });

  test('has a tolerance of two requests, or one in fifty', () => {
    expect([1, 20, 60, 100, 101, 1000].map(computeSlack)).toEqual([2, 2, 2, 2, 3, 20]);
  });
});

/** Requests 20 ms apart, each with Remaining and the seconds to its Reset. */
const shown = (...all: readonly (readonly [remaining: number, reset: number])[]): Exchange[] =>
  all.map(([remaining, reset], i) =>
    served(remaining, i * 0.02, { headers: { 'X-RateLimit-Reset': String(NOW + reset) } }),
  );

test.describe('the windows of some requests', () => {
  const windows = (...resets: number[]): number[] =>
    groupByWindow(shown(...resets.map((reset, i) => [LIMIT - i, reset] as const))).map(({ length }) => length);

  test('go forward once at their boundary', () => {
    expect(windows(60, 60, 60)).toEqual([3]);
    expect(windows(1, 1, 61, 61, 61)).toEqual([2, 3]);
  });

  test('are one if a later response goes back to an earlier Reset', () => {
    expect(windows(60, 63, 60, 63)).toEqual([4]);
    // The clocks of two nodes differ by two seconds, also at the boundary.
    expect(windows(1, 3, 1, 61, 63, 61, 63)).toEqual([3, 4]);
  });

  test('are not joined by parallel requests', () => {
    const [first, second] = shown([9, 1], [19, 61]);
    const together = [{ ...(second as Exchange), at: (first as Exchange).at, ms: 9 }, first as Exchange];
    expect(groupByWindow(together)).toHaveLength(2);
  });

  test('ignore responses without a usable Reset', () => {
    expect(groupByWindow([served(7, 0, { headers: { 'X-RateLimit-Reset': 'soon' } })])).toEqual([]);
  });
});

test('Reset may move if Remaining rises within a second, and no later answer shows that it stays', () => {
  const at = (second: number, remaining: number, resetIn = 60): Exchange =>
    served(remaining, second, { headers: { 'X-RateLimit-Reset': String(NOW + resetIn) } });
  const rising = [at(0, 9), at(0.1, 8), at(0.5, 9), at(0.9, 8)];
  expect(mayResetMove(rising)).toBe(true);
  expect(mayResetMove([at(0, 9), at(0.1, 8), at(0.5, 7), at(0.9, 6)])).toBe(false);
  expect(mayResetMove([...rising, at(2.1, 7)])).toBe(false);
  // The next window shows nothing about the one before.
  expect(mayResetMove([at(0, 9, 2), at(0.5, 10, 2), at(2.7, 19, 4)])).toBe(true);
});

test.describe('tokens that return in steps', () => {
  const back = (...remaining: number[]): number =>
    countReturned(shown(...remaining.map((each) => [each, 60] as const)));

  test('are the rises of Remaining that later responses confirm', () => {
    expect(back(3, 2, 1, 0)).toBe(0);
    expect(back(1, 0, 9, 8, 7, 6)).toBe(10);
    // Rounding does not count as a step.
    expect(back(3, 2, 4, 3)).toBe(0);
  });

  test('are not counted if Remaining jumps back: that is a second counter', () => {
    expect(back(10, 4, 10, 4, 9, 3)).toBe(0);
  });
});

test.describe('too many requests served in one window', () => {
  const all = (count: number, reset = 60): Exchange[] =>
    shown(...Array.from({ length: count }, (_, i) => [Math.max(0, LIMIT - 1 - i), reset] as const));

  test('exceed limit, tolerance and refill', () => {
    expect(findExcess(all(LIMIT + computeSlack(LIMIT) + 2))).toBeUndefined();
    expect(findExcess(all(LIMIT + computeSlack(LIMIT) + 3))).toMatchObject({ limit: LIMIT, allowed: 24 });
  });

  test('include those of two instances', () => {
    const two = shown(
      ...Array.from({ length: 40 }, (_, i) => [LIMIT - 1 - Math.floor(i / 2), i % 2 === 0 ? 60 : 61] as const),
    );
    expect(findExcess(two)?.window).toHaveLength(40);
    expect(edge(round(two))).toBe('violated: 40 requests served, and Remaining jumps between two counts');
  });

  test('are not found across windows or under headers of the day', () => {
    const next = all(15, 61).map((each) => ({ ...each, at: each.at + 1000 }));
    expect(findExcess([...all(15, 1), ...next])).toBeUndefined();
    expect(findExcess(all(60, 9 * 3600))).toBeUndefined();
  });
});

test.describe('requests served at Remaining 0', () => {
  test('are counted from the response with Remaining 0', () => {
    expect(findServedBeyondLimit(down(19, 1))).toBeUndefined();
    const late = findServedBeyondLimit([...down(19, 0), ...beyond(6)]);
    expect(late?.beyond).toHaveLength(6);
    expect(late?.allowed).toBeLessThan(6);
  });

  test('include one in the same millisecond, unless it was parallel', () => {
    const zero = served(0, 0.5);
    const next = (parallel: boolean): Exchange => ({ ...served(0, 0.5), ms: 0.4, parallel });
    const after = (parallel: boolean): Exchange[] => [
      { ...zero, ms: 0.5, number: 1 },
      { ...next(parallel), number: 2 },
    ];
    expect(findServedBeyondLimit(after(false))?.beyond).toHaveLength(1);
    expect(findServedBeyondLimit(after(true))?.beyond).toHaveLength(0);
  });

  test('exclude those of the next window', () => {
    const next = Array.from({ length: 10 }, (_, i) => served(19 - i, 60 + i * 0.02));
    const late = findServedBeyondLimit([...down(19, 0), ...next]);
    expect((late?.beyond.length ?? 0) <= (late?.allowed ?? 0)).toBe(true);
  });
});

test.describe('a limit tried with bursts', () => {
  const sent = [...down(19, 0), ...beyond(2)];

  test('is not judged without a refusal or too many served', () => {
    expect(edge(round(sent, { pressed: 8 }))).toMatch(/^cantTell: 22 requests were served, 8 more than were left/);
  });

  test('shows that requests at the limit are answered in the next window', () => {
    const near = { headers: { 'X-RateLimit-Reset': String(NOW + 4) } };
    const held = (ms: number): Exchange => ({ ...served(0, 0.5, near), ms });
    expect(edge(round([...down(19, 0, near), held(3600)]))).toMatch(/ 1 request at .*: 0 got an answer only after/);
    for (const ms of [900, 2000]) expect(edge(round([...down(19, 0, near), held(ms)]))).toMatch(/^untested/);
  });

  test('names the remedy if no bursts were sent', () => {
    const { round: own, exchanges } = round(sent);
    expect(judgeEdge(own, exchanges)).toMatchObject({
      kind: 'notJudged',
      why: { code: 'notPressed', outcome: 'untested', remedy: 'THROTTLING=on, or a THROTTLE_API_KEY' },
    });
  });
});
