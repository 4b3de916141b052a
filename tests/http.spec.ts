/** Advice from HTTP itself (RFC 9110), never a violation. */
import { expect, isThorough, otherMethods, requirement, test } from '../fixtures/index.ts';

test.describe('HTTP', () => {
  test('HEAD returns what GET returns, without a body', requirement('http.head'), async ({ answers }) => {
    const head = await answers.to('HEAD /pets');
    expect(head).toHaveStatus(200);
    expect(head).toHaveNoBody();
  });

  for (const { name } of otherMethods(isThorough())) {
    test(`${name} returns 405 with Allow`, requirement('http.method-not-allowed'), async ({ answers }) => {
      const answer = await answers.to(name);
      expect(answer).toHaveStatus(405);
      expect(answer).toHaveHeader('Allow');
    });
  }
});
