/** GET /store/orders: section 4.4 of the specification, which shows that it exists, and nothing more. */
import { expect, requirement, test } from '../fixtures/index.ts';

test.describe('GET /store/orders', () => {
  test('exists', requirement('orders.exists'), async ({ store }) => {
    expect(await store.orders()).toExist();
  });
});
