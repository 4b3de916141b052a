/** One test for each requirement of the specification and each operation that it is about. */
import { expect, requirement, test, titleOf } from '../fixtures/index.ts';
import { cases, properties } from './properties/index.ts';

for (const { id, operation } of cases)
  test(titleOf(id, operation), requirement(id, operation), async ({ judge }) => {
    expect(await judge(properties, id, operation)).toHold();
  });
