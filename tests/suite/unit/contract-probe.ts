/** Prints mistakes, cases and plan of CONTRACT, and violations of the responses in the first argument (JSON). */
import { checkContract } from '../../../fixtures/contract/check.ts';
import { operations, pageLimit, petStatuses } from '../../../fixtures/contract/contract.ts';
import type { Given } from './make.ts';

async function made(): Promise<object> {
  // Loaded late, since it takes a while and a contract with mistakes does not need it.
  const { bodyCases, queryCases } = await import('../../../fixtures/contract/cases.ts');
  const { selectRows, estimateLength, makePlan } = await import('../../../fixtures/plan/plan.ts');
  const { exchange, findBroken } = await import('./make.ts');
  const added = exchange({ operation: 'addPet', status: 201, sent: '{"name":"Rex","categoryId":1}', at: -1 });
  const stages = makePlan({ isThorough: false });
  const rows = stages.flatMap((stage) => stage.rows);
  const cases = operations.map((operation) => {
    const titles = [...bodyCases(operation), ...queryCases(operation)].map(({ title }) => title);
    const own = rows.filter((row) => row.operation === operation).map(({ name, as, needs }) => ({ name, as, needs }));
    return [operation.id, { secured: operation.secured, titles, rows: own }] as const;
  });
  return {
    cases: Object.fromEntries(cases),
    pageLimit,
    petStatuses,
    names: rows.map(({ name }) => name),
    length: estimateLength(stages, selectRows(stages, undefined), { isThorough: false, readOnly: false }),
    blames: (JSON.parse(process.argv[2] ?? '[]') as Given[]).map((given) => findBroken([added, exchange(given)])),
  };
}

const checked = await checkContract();
console.log(JSON.stringify({ ...checked, ...(checked.mistakes.length === 0 && (await made())) }));
