/** Advice of HTTP itself (RFC 9110); never a violation of the specification. */
import { expect, requirement, test } from '../fixtures/index.ts';
import { otherMethods } from '../fixtures/plan/derived.ts';
import { HEAD_LIST } from '../fixtures/plan/lists.ts';
import { isThorough } from '../fixtures/settings/settings.ts';

test.describe('HTTP', () => {
  test('HEAD is answered like GET, without a body', requirement('http.head'), async ({ answers }) => {
    const head = await answers.to(HEAD_LIST);
    expect(head).toHaveStatus(200);
    expect(head).toHaveNoBody();
  });

  for (const { name } of otherMethods(isThorough())) {
    test(`${name} is answered 405 with Allow`, requirement('http.method-not-allowed'), async ({ answers }) => {
      const answer = await answers.to(name);
      expect(answer).toHaveStatus(405);
      expect(answer).toHaveHeader('Allow');
    });
  }
});
