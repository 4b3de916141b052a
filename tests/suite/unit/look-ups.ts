/** Prints what is looked up in CONTRACT, and what the bodies and responses in the first argument (JSON) are by it. */
import { checkContract } from '../../../fixtures/contract/check.ts';
import {
  bodySchemaOf,
  coversJson,
  findResponse,
  headersOf,
  operationOf,
  operations,
  successesOf,
} from '../../../fixtures/contract/contract.ts';
import { queryCases } from '../../../fixtures/contract/cases.ts';
import { findObstacle } from '../../../fixtures/contract/request.ts';
import { findValidator, forAjv, satisfies } from '../../../fixtures/contract/schemas.ts';
import type { Json } from '../../../fixtures/contract/json.ts';
import type { Given } from './make.ts';

export interface Body {
  /** `GET /pets`. */
  name: string;
  status: number;
  type?: string;
  /** Of the request, if there is no status. */
  body: Json;
}

export interface Asked {
  bodies: readonly Body[];
  given: readonly Given[];
}

const judge = ({ name, status, type, body }: Body): string => {
  const operation = operations.find((each) => each.name === name) ?? operationOf(name);
  const isOfOtherType = type !== undefined && !coversJson(findResponse(operation, status)?.response.content, type);
  const validator = findValidator(bodySchemaOf(operation, status, type));
  if (!validator) return 'not judged';
  const word = validator(forAjv(body)) ? 'valid' : 'invalid';
  return isOfOtherType ? `${word}, of another type` : word;
};

async function findViolated(given: readonly Given[]): Promise<string[][]> {
  // A contract with mistakes has no properties to import.
  const { exchange, findBroken } = await import('./make.ts');
  return given.map((each) => findBroken([exchange(each)]));
}

const { bodies = [], given = [] } = JSON.parse(process.argv[2] ?? '{}') as Partial<Asked>;
const found = {
  ...(await checkContract()),
  bodies: bodies.map(judge),
  violated: given.length > 0 ? await findViolated(given) : [],
  operations: Object.fromEntries(
    operations.map((operation) => [
      operation.name,
      {
        id: operation.id,
        secured: operation.secured,
        obstacle: findObstacle(operation) ?? '',
        parameters: operation.parameters.map(
          ({ in: place, name, schema }) => `${place} ${name} ${[schema.type].flat().join('|')}`,
        ),
        sent: queryCases(operation).flatMap(({ is, parameter, value }) =>
          is === 'valid' ? `${parameter}=${value}` : [],
        ),
        body: operation.body ? `${operation.body.type}${operation.body.required ? ', required' : ''}` : '',
        successes: successesOf(operation),
        headers: headersOf(operation, 200).map(([name, { required = false, schema }]) =>
          findValidator(schema) ? `${name}${required ? ' required' : ''}, 7 ${satisfies(schema, 7)}` : name,
        ),
      },
    ]),
  ),
};
export type LookUps = typeof found;

console.log(JSON.stringify(found));
