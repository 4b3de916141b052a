/**
 * Beyond the limit: sections 7 and 8 of the specification. One experiment uses up what is left of the key's budget; these
 * tests ask what came of it.
 */
import { operations } from '../../fixtures/contract/contract.ts';
import { expect, requirement, test } from '../../fixtures/index.ts';
import {
  judgeEdge,
  judgeOperation,
  judgeRecovery,
  judgeRetryAfter,
  judgeRounds,
} from '../../fixtures/judge/throttling.ts';

test.describe('Throttling', () => {
  test(
    'answers 429 beyond the limit, neither earlier nor later than announced',
    requirement('throttle.429'),
    async ({ answers }) => {
      const { rounds, exchanges } = await answers.throttled();
      expect(judgeRounds(rounds, exchanges, judgeEdge)).toHold();
    },
  );

  for (const { id, name } of operations) {
    test(`${name} is refused at the edge`, requirement('throttle.every-operation', id), async ({ answers }) => {
      const { rounds, exchanges } = await answers.throttled();
      expect(judgeRounds(rounds, exchanges, judgeOperation, id)).toHold();
    });
  }

  test('says with Retry-After how long to wait', requirement('throttle.retry-after'), async ({ answers }) => {
    const { rounds, exchanges } = await answers.throttled();
    expect(judgeRounds(rounds, exchanges, judgeRetryAfter)).toHold();
  });

  test('serves again after that time', requirement('throttle.recovers'), async ({ answers }) => {
    const { rounds, exchanges } = await answers.throttled();
    expect(judgeRounds(rounds, exchanges, judgeRecovery)).toHold();
  });

  test('keeps nothing of an addition that was refused with 429', requirement('throttle.429'), async ({ answers }) => {
    const { list, marks } = await answers.afterThrottling();
    expect(list).toShowNone(marks);
  });
});
