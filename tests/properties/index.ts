/** Every property, by the id of its requirement, and the operations that each is judged on. */
import { bodyCases } from '../../fixtures/contract/cases.ts';
import {
  bodySchemaOf,
  headersOf,
  isFilter,
  isListParameter,
  isSpecified,
  isWriting,
  LIST,
  type Operation,
  operations,
  nameSchema,
} from '../../fixtures/contract/contract.ts';
import {
  hasRequirement,
  requirementFor,
  type RequirementId,
  requirementOf,
  requirements,
} from '../../fixtures/contract/requirements.ts';
import { judge, type Judged } from '../../fixtures/judge.ts';
import type { Judging } from '../../fixtures/run.ts';
import type { Properties } from '../../fixtures/trace/property.ts';
import type { Store } from '../../fixtures/trace/store.ts';
import { add } from './add.ts';
import { auth } from './auth.ts';
import { get } from './get.ts';
import { list } from './list.ts';
import { open } from './open.ts';
import { others } from './others.ts';
import { rate } from './rate.ts';
import { NAMED, responses } from './responses.ts';
import { throttle } from './throttle.ts';

export const properties: Properties = Object.assign({}, responses, list, add, get, others, auth, rate, throttle, open);

const isDerived = (name: string, from: RequirementId): boolean => requirementFor(name, from) === from;

/** The names of the schemas that an operation answers with. */
const schemasOf = (operation: Operation): string[] =>
  Object.keys(operation.responses).flatMap((status) =>
    bodySchemaOf(operation, status) ? (nameSchema(operation, status) ?? 'other') : [],
  );

/** The operations of a larger contract to which requirements apply that are derived from it. */
const DERIVED: Partial<Record<RequirementId, (operation: Operation) => boolean>> = {
  'service.schema': (operation) => schemasOf(operation).some((name) => !NAMED.includes(name)),
  'service.headers': (operation) =>
    Object.keys(operation.responses).some((status) =>
      headersOf(operation, status).some(([name]) => !hasRequirement(name)),
    ),
  'service.invalid-body': (operation) =>
    bodyCases(operation).some(({ name, is }) => is === 'invalid' && isDerived(name, 'service.invalid-body')),
  'service.valid-request': (operation) =>
    !isSpecified(operation) || (operation === LIST && !operation.parameters.every(({ name }) => isListParameter(name))),
  'service.unknown-id': (operation) =>
    !isSpecified(operation) && operation.idParameter !== undefined && '404' in operation.responses,
  'service.echo': (operation) => !isSpecified(operation) && operation.body !== undefined,
  'service.changes': (operation) =>
    operation.method === 'GET' &&
    operation.idParameter !== undefined &&
    operations.some(({ path, method }) => path === operation.path && isWriting(method)),
  'service.filter': (operation) =>
    operation.parameters.some(
      (each) => isFilter(operation, each) && isDerived(`${operation.id} query ${each.name} values`, 'service.filter'),
    ),
};

/** The operations that a requirement is judged on; undefined stands for the service as a whole. What is open is observed. */
export function operationsOf(id: RequirementId): readonly (string | undefined)[] {
  const { operation, operations: names, level } = requirementOf(id);
  const isDerivedFor = DERIVED[id];
  if (level === 'open') return [];
  if (!isDerivedFor && names.length === 0) return [operation];
  const isNamed = (each: Operation): boolean =>
    [...schemasOf(each), 'every', ...(each.secured ? ['secured'] : [])].some((name) => names.includes(name));
  return operations.filter(isDerivedFor ?? isNamed).map((each) => each.id);
}

/** Each pair of a requirement that is judged and an operation: one test. */
export const cases: readonly { id: RequirementId; operation: string | undefined }[] = requirements
  .filter(({ id, untestable }) => id in properties && untestable === undefined)
  .flatMap(({ id }) => operationsOf(id).map((operation) => ({ id, operation })));

const scopes = new Map(requirements.map(({ id }) => [id, operationsOf(id)]));

export const judgeTrace = (store: Store): Judged => judge(store, properties, (id) => scopes.get(id) ?? []);

export const suite: Judging = { judgeTrace };
