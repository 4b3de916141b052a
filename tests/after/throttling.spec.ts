/** Rate limits: sections 7 and 8 of the specification. One experiment uses up the budget of the key. */
import {
  expect,
  judgeEdge,
  judgeOperation,
  judgeRecovery,
  judgeRetryAfter,
  judgeRounds,
  operations,
  requirement,
  test,
} from '../../fixtures/index.ts';

test.describe('Throttling', () => {
  test(
    'returns 429 when the limit is reached, neither earlier nor later',
    requirement('throttle.429'),
    async ({ answers }) => {
      const { rounds, exchanges } = await answers.throttlingResults();
      expect(judgeRounds(rounds, exchanges, judgeEdge)).toBeSatisfied();
    },
  );

  for (const { id, name } of operations) {
    test(
      `${name} returns 429 when the limit is reached`,
      requirement('throttle.every-operation', id),
      async ({ answers }) => {
        const { rounds, exchanges } = await answers.throttlingResults();
        expect(judgeRounds(rounds, exchanges, judgeOperation, id)).toBeSatisfied();
      },
    );
  }

  test('returns Retry-After with 429', requirement('throttle.retry-after'), async ({ answers }) => {
    const { refusals, rounds } = await answers.refusals();
    expect(judgeRetryAfter(refusals, judgeRounds(rounds, answers.log.all(), judgeEdge))).toBeSatisfied();
  });

  test('serves again after Retry-After', requirement('throttle.recovers'), async ({ answers }) => {
    const { rounds, exchanges } = await answers.recoveries();
    expect(judgeRounds(rounds, exchanges, judgeRecovery)).toBeSatisfied();
  });

  test('adds nothing if it returns 429', requirement('throttle.429'), async ({ answers }) => {
    const { list, names } = await answers.afterThrottling();
    expect(list).toContainNone(names);
  });
});
