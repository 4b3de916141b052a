/** Every property, by the id of its requirement, and the operations that each is judged on. */
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
import { others } from './others.ts';
import { rate } from './rate.ts';
import { NAMED, responses } from './responses.ts';
import { throttle } from './throttle.ts';

export const properties: Properties = {
  ...responses,
  ...list,
  ...add,
  ...get,
  ...others,
  ...auth,
  ...rate,
  ...throttle,
  ...open,
};

// ---- operations

type Scope = (operation: Operation) => boolean;

const schemasOf = (operation: Operation): string[] =>
  Object.keys(operation.responses).flatMap((status) => {
    const schema = bodySchemaOf(operation, status);
    return schema ? (schema.$ref?.split('/').pop() ?? 'other') : [];
  });

const answers =
  (...names: string[]): Scope =>
  (operation) =>
    schemasOf(operation).some((name) => names.includes(name));

const isOther: Scope = (operation) => !isSpecified(operation);
const hasPathParameter: Scope = ({ parameters }) => parameters.some((each) => each.in === 'path');
const isDerived = (name: string, from: RequirementId): boolean => requirementFor(name, from) === from;

/** Where it is neither one operation nor the service as a whole that requirements are about. */
const SCOPES: readonly (readonly [readonly RequirementId[], Scope])[] = [
  [['service.json', 'service.no-server-error', 'service.no-undocumented-status', 'http.duplicate-keys'], () => true],
  [['error.no-secrets', 'throttle.every-operation'], () => true],
  [['rate.headers', 'rate.limit.value', 'rate.remaining.value', 'rate.reset.value'], () => true],
  [['auth.missing', 'auth.invalid', 'auth.first', 'auth.valid', 'auth.challenge'], ({ secured }) => secured],
  [['pet.schema'], answers('Pet')],
  [['pets.schema'], answers('Pets')],
  [['error.schema', 'error.status'], answers('Error')],
  [['pet.int64'], answers('Pet', 'Pets')],
  [['service.schema'], (operation) => schemasOf(operation).some((name) => !NAMED.includes(name))],
  [
    ['service.headers'],
    (operation) =>
      Object.keys(operation.responses).some((status) =>
        headersOf(operation, status).some(([name]) => !hasRequirement(name)),
      ),
  ],
  [
    ['service.invalid-body'],
    (operation) =>
      bodyCases(operation).some(({ name, is }) => is === 'invalid' && isDerived(name, 'service.invalid-body')),
  ],
  [
    ['service.valid-request'],
    (operation) =>
      isOther(operation) || (operation === LIST && operation.parameters.some(({ name }) => !isListParameter(name))),
  ],
  [
    ['service.unknown-id'],
    (operation) => isOther(operation) && hasPathParameter(operation) && '404' in operation.responses,
  ],
  [['service.echo'], (operation) => isOther(operation) && operation.body !== undefined],
  [
    ['service.changes'],
    (operation) =>
      operation.method === 'GET' &&
      hasPathParameter(operation) &&
      operations.some(({ path, method }) => path === operation.path && isWriting(method)),
  ],
  [
    ['service.filter'],
    (operation) =>
      operation.parameters.some(
        (each) => isFilter(operation, each) && isDerived(`${operation.id} query ${each.name} values`, 'service.filter'),
      ),
  ],
];

/** The operations that a requirement is judged on; undefined stands for the service as a whole. What is open is observed. */
export function operationsOf(id: RequirementId): readonly (string | undefined)[] {
  const { operation, level } = requirementOf(id);
  if (level === 'open') return [];
  const [, isInScope] = SCOPES.find(([ids]) => ids.includes(id)) ?? [];
  return isInScope ? operations.filter(isInScope).map((each) => each.id) : [operation];
}

/** Each pair of a requirement that is judged and an operation: one test. */
export const cases: readonly { id: RequirementId; operation: string | undefined }[] = requirements
  .filter(({ id, untestable }) => id in properties && untestable === undefined)
  .flatMap(({ id }) => operationsOf(id).map((operation) => ({ id, operation })));

const scopes = new Map(requirements.map(({ id }) => [id, operationsOf(id)]));

export const judgeTrace = (store: Store): Judged => judge(store, properties, (id) => scopes.get(id) ?? []);

export const suite: Judge = { judgeTrace, cases };
