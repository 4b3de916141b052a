/** Methods that the contract does not have: advice from HTTP itself (RFC 9110), and no server error. */
import { expect, isThorough, otherMethods, requirement, supporting, test } from '../fixtures/index.ts';

test.describe('HTTP', () => {
  test('HEAD returns what GET returns, without a body', requirement('http.head'), async ({ answers }) => {
    const head = await answers.to('HEAD /pets');
    expect(head).toHaveStatus(200);
    expect(head).toHaveNoBody();
  });

  test('HEAD returns no 5xx but 501', supporting('service.no-server-error'), async ({ answers }) => {
    expect(await answers.to('HEAD /pets')).toHaveStatus('2xx', '3xx', '4xx', 501);
  });

  for (const { name } of otherMethods(isThorough())) {
    test(`${name} returns 405 with Allow`, requirement('http.method-not-allowed'), async ({ answers }) => {
      const answer = await answers.to(name);
      expect(answer).toHaveStatus(405);
      expect(answer).toHaveHeader('Allow');
    });

    // 501 tells that the server does not know the method (RFC 9110, section 15.6.2).
    test(`${name}: returns no 5xx but 501`, supporting('service.no-server-error'), async ({ answers }) => {
      expect(await answers.to(name)).toHaveStatus('2xx', '3xx', '4xx', 501);
    });
  }
});
