/** Prints what the suite makes of the contract that CONFORMANCE_CONTRACT names: its mistakes, its derived cases, its plan. */
import { bodyCases, queryCases } from '../../../fixtures/contract/cases.ts';
import { contractMistakes } from '../../../fixtures/contract/check.ts';
import { operations, pageLimit, petStatuses } from '../../../fixtures/contract/contract.ts';
import { EMPTY, rowsAsked } from '../../../fixtures/plan/cost.ts';
import { planOf } from '../../../fixtures/plan/plan.ts';

const rows = planOf({ isThorough: false }).flatMap((stage) => stage.rows);

const cases = Object.fromEntries(
  operations.map((operation) => [
    operation.id,
    {
      secured: operation.secured,
      titles: [...bodyCases(operation), ...queryCases(operation)].map(({ title }) => title),
      rows: rows.filter((row) => row.operation === operation).map(({ name, as, needs }) => ({ name, as, needs })),
    },
  ]),
);
const asked = rowsAsked(false, EMPTY).map(({ name }) => name);
const names = rows.map(({ name }) => name);
console.log(JSON.stringify({ mistakes: await contractMistakes(), cases, pageLimit, petStatuses, names, asked }));
