/** Advice of HTTP itself (RFC 9110); never a violation of the specification. */
import { expect, requirement, test } from '../fixtures/index.ts';

test.describe('HTTP', () => {
  test('HEAD is answered like GET, without a body', requirement('http.head'), async ({ store }) => {
    const answer = await store.other('HEAD', '/pets');
    expect(answer).toHaveStatus(200);
    expect(answer.body, 'the body of a response to HEAD').toBe('');
  });

  test(
    'a method that a path does not have is answered 405 with Allow',
    requirement('http.method-not-allowed'),
    async ({ store }) => {
      const answer = await store.other('PUT', '/pets');
      expect(answer).toHaveStatus(405);
      expect(answer).toHaveHeader('Allow');
    },
  );
});
