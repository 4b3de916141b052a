/** Every property, by the id of its requirement, and the operations that each is judged on. */
import {
  bodySchemaOf,
  headersOf,
  isFilter,
  isSpecified,
  isWriting,
  LIST,
  type Operation,
  operations,
} from '../../fixtures/contract/contract.ts';
import { bodyCases } from '../../fixtures/contract/cases.ts';
import {
  hasRequirement,
  requirementFor,
  type RequirementId,
  requirementOf,
  requirements,
} from '../../fixtures/contract/requirements.ts';
import { judge, type Judged } from '../../fixtures/judge.ts';
import type { Judge } from '../../fixtures/report/model/judge-run.ts';
import type { Properties } from '../../fixtures/trace/property.ts';
import type { Store } from '../../fixtures/trace/store.ts';
import { add } from './add.ts';
import { auth } from './auth.ts';
import { get } from './get.ts';
import { list } from './list.ts';
import { open } from './open.ts';
import { rate } from './rate.ts';
import { responses } from './responses.ts';
import { service } from './service.ts';
import { throttle } from './throttle.ts';

export const properties: Properties = {
  ...service,
  ...responses,
  ...list,
  ...add,
  ...get,
  ...auth,
  ...rate,
  ...throttle,
  ...open,
};

const hasPathParameter = ({ parameters }: Operation): boolean => parameters.some((each) => each.in === 'path');
const NAMED = ['Pet', 'Pets', 'Error'];

const namesOfSchemas = (operation: Operation): string[] =>
  Object.keys(operation.responses).flatMap((status) => {
    const schema = bodySchemaOf(operation, status);
    return schema ? (schema.$ref?.split('/').pop() ?? 'other') : [];
  });

const has =
  (...names: string[]) =>
  (operation: Operation): boolean =>
    namesOfSchemas(operation).some((name) => names.includes(name));

const isOther = (operation: Operation): boolean => !isSpecified(operation);

/** Where it is neither one operation nor the service as a whole that a requirement is about. */
const SCOPES: Partial<Record<RequirementId, (operation: Operation) => boolean>> = {
  'service.json': () => true,
  'service.no-server-error': () => true,
  'service.no-undocumented-status': () => true,
  'http.duplicate-keys': () => true,
  'error.no-secrets': () => true,
  'rate.headers': () => true,
  'rate.limit.value': () => true,
  'rate.remaining.value': () => true,
  'rate.reset.value': () => true,
  'throttle.every-operation': () => true,
  'auth.missing': ({ secured }) => secured,
  'auth.invalid': ({ secured }) => secured,
  'auth.first': ({ secured }) => secured,
  'auth.valid': ({ secured }) => secured,
  'auth.challenge': ({ secured }) => secured,
  'pet.schema': has('Pet'),
  'pets.schema': has('Pets'),
  'error.schema': has('Error'),
  'error.status': has('Error'),
  'pet.int64': has('Pet', 'Pets'),
  'service.schema': (operation) => namesOfSchemas(operation).some((name) => !NAMED.includes(name)),
  'service.headers': (operation) =>
    Object.keys(operation.responses).some((status) =>
      headersOf(operation, status).some(([name]) => !hasRequirement(name)),
    ),
  'service.invalid-body': (operation) =>
    bodyCases(operation).some(
      ({ name, mayBeAccepted }) =>
        !mayBeAccepted && requirementFor(name, 'service.invalid-body') === 'service.invalid-body',
    ),
  'service.valid-request': (operation) =>
    isOther(operation) ||
    (operation === LIST && operation.parameters.some(({ name }) => !['limit', 'status'].includes(name))),
  'service.unknown-id': (operation) =>
    isOther(operation) && hasPathParameter(operation) && '404' in operation.responses,
  'service.echo': (operation) => isOther(operation) && operation.body !== undefined,
  'service.changes': (operation) =>
    operation.method === 'GET' &&
    operations.some(({ path, method }) => path === operation.path && isWriting(method) && hasPathParameter(operation)),
  'service.filter': (operation) =>
    operation.parameters.some(
      (each) =>
        isFilter(operation, each) &&
        requirementFor(`${operation.id} query ${each.name} values`, 'service.filter') === 'service.filter',
    ),
};

/** The operations that a requirement is judged on; undefined stands for the service as a whole. What is open is observed. */
export function operationsOf(id: RequirementId): readonly (string | undefined)[] {
  const { operation, level } = requirementOf(id);
  if (level === 'open') return [];
  const isInScope = SCOPES[id];
  if (isInScope) return operations.filter(isInScope).map((each) => each.id);
  return [operation];
}

/** Each pair of a requirement that is judged and an operation: one test. */
export const cases: readonly { id: RequirementId; operation: string | undefined }[] = requirements
  .filter(({ id, untestable }) => id in properties && untestable === undefined)
  .flatMap(({ id }) => operationsOf(id).map((operation) => ({ id, operation })));

const scopes = new Map(requirements.map(({ id }) => [id, operationsOf(id)]));

export const judgeTrace = (store: Store): Judged => judge(store, properties, (id) => scopes.get(id) ?? []);

export const suite: Judge = { judgeTrace, cases };
