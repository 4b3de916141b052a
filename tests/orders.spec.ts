/** GET /store/orders: section 4.4 of the specification, which only documents that it exists. */
import { expect, requirement, test } from '../fixtures/index.ts';

test.describe('GET /store/orders', () => {
  test('exists', requirement('orders.exists'), async ({ answers }) => {
    const orders = await answers.firstOf(
      ['GET /store/orders, with "bearer" in lower case', 'GET /store/orders'],
      ({ status }) => status !== 401,
    );
    expect(orders).toExist();
  });
});
