/** GET /store/orders: section 4.4 of the specification, which shows that it exists, and nothing more. */
import { expect, requirement, test } from '../fixtures/index.ts';
import { ORDERS_LOWER_CASE, ORDERS_ROW } from '../fixtures/plan/plan.ts';

test.describe('GET /store/orders', () => {
  test('exists', requirement('orders.exists'), async ({ answers }) => {
    expect(await answers.firstOf([ORDERS_LOWER_CASE, ORDERS_ROW], ({ status }) => status !== 401)).toExist();
  });
});
