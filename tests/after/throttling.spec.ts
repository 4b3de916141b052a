/**
 * Beyond the limit: sections 7 and 8 of the specification. One experiment uses up what is left of the key's budget; these
 * tests ask what came of it.
 */
import { operations } from '../../fixtures/contract/contract.ts';
import { judgeEdge, judgeOperation, judgeRecovery, judgeRetryAfter } from '../../fixtures/expect/throttle.ts';
import { expect, requirement, test } from '../../fixtures/index.ts';

test.describe.configure({ lock: '-exclusive-' });

test.describe('Throttling', () => {
  test(
    'answers 429 beyond the limit, neither earlier nor later than announced',
    requirement('throttle.429'),
    async ({ throttled }) => {
      expect(await throttled(judgeEdge)).toHold();
    },
  );

  for (const { id, name } of operations) {
    test(`${name} is refused at the edge`, requirement('throttle.every-operation', id), async ({ throttled }) => {
      expect(await throttled(judgeOperation, id)).toHold();
    });
  }

  test('says with Retry-After how long to wait', requirement('throttle.retry-after'), async ({ throttled }) => {
    expect(await throttled(judgeRetryAfter)).toHold();
  });

  test('serves again after that time', requirement('throttle.recovers'), async ({ throttled }) => {
    expect(await throttled(judgeRecovery)).toHold();
  });

  test(
    'keeps nothing of an addition that was refused with 429',
    requirement('throttle.429'),
    async ({ throttledAdditions, store }) => {
      const { marks, list } = await throttledAdditions(store);
      expect(list).toShowNone(marks);
    },
  );
});
