/** Prints what the suite makes of the contract that CONFORMANCE_CONTRACT names: its mistakes and its derived cases. */
import { contractMistakes } from '../../../fixtures/contract/check.ts';
import { bodyCases, faultyRequest, queryCases } from '../../../fixtures/contract/cases.ts';
import { operations, pageLimit, petStatuses } from '../../../fixtures/contract/contract.ts';

const cases = Object.fromEntries(
  operations.map((operation) => [
    operation.id,
    {
      faulty: faultyRequest(operation)?.path,
      secured: operation.secured,
      titles: [...bodyCases(operation), ...queryCases(operation)].map(({ title }) => title),
    },
  ]),
);
console.log(JSON.stringify({ mistakes: await contractMistakes(), cases, pageLimit, petStatuses }));
