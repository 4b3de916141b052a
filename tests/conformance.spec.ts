/** One test for each requirement of the specification and each operation that it is about. */
import { expect, requirement, test, titleOf } from '../fixtures/index.ts';
import { cases, suite } from './properties/index.ts';

for (const { id, operation } of cases)
  test(titleOf(id, operation), requirement(id, operation), async ({ judge }) => {
    expect(await judge(suite, id, operation)).toHold();
  });
