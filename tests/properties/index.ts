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
import { type ChapterName, CHAPTERS } from '../../fixtures/scenario/chapter.ts';
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

const REFUSALS = [
  'add.name.required',
  'add.category.required',
  'add.name.type',
  'add.category.type',
  'add.status.enum',
  'add.body.object',
] as const satisfies readonly RequirementId[];

const LISTS = [
  'list.succeeds',
  'list.limit.caps',
  'list.limit.minimum',
  'list.limit.maximum',
  'list.limit.never-above-maximum',
  'list.limit.not-a-number',
  'list.limit.default',
  'list.status.only',
  'list.status.finds',
  'list.status.before-limit',
  'list.status.unknown',
  'list.shows-added',
] as const satisfies readonly RequirementId[];

const ADDITIONS = ['add.created', 'add.echo', 'add.id.unique'] as const satisfies readonly RequirementId[];

const OF_OTHERS = [
  'service.valid-request',
  'service.unknown-id',
  'service.filter',
  'service.echo',
  'service.changes',
] as const satisfies readonly RequirementId[];

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

/** The chapters that a run of one requirement performs. */
const BY_CHAPTER: Record<ChapterName, readonly RequirementId[]> = {
  before: ['service.base-path', 'orders.exists', 'auth.scheme-case', 'contract.deprecation'],
  animals: ADDITIONS,
  refusals: [...REFUSALS, 'add.rejected.adds-nothing', 'service.invalid-body'],
  credentials: ['auth.missing', 'auth.invalid', 'auth.first', 'auth.refused.adds-nothing'],
  'late animals': [...ADDITIONS, 'add.id.assigned'],
  lists: [
    ...LISTS,
    'service.filter',
    'service.valid-request',
    'add.rejected.adds-nothing',
    'auth.refused.adds-nothing',
  ],
  ids: ['get.found', 'get.unknown', 'get.id.not-an-integer', 'add.persists'],
  'other operations': [...OF_OTHERS, 'auth.missing', 'auth.invalid', 'auth.first', 'service.invalid-body'],
  'unusual requests': [
    ...REFUSALS,
    'list.limit.never-above-maximum',
    'get.id.not-an-integer',
    'http.head',
    'http.method-not-allowed',
    'add.unsupported-type',
  ],
  'unusual animals': [...ADDITIONS, 'add.id.assigned', 'add.persists'],
  'every case': [
    ...REFUSALS,
    ...LISTS,
    ...OF_OTHERS,
    'service.invalid-body',
    'get.unknown',
    'get.id.not-an-integer',
    'http.method-not-allowed',
  ],
  'every credential': ['auth.missing', 'auth.invalid', 'auth.first', 'auth.refused.adds-nothing'],
  'many animals': [...LISTS, 'add.persists'],
  throttling: ['throttle.429', 'throttle.every-operation', 'throttle.retry-after', 'throttle.recovers'],
};

/** What is judged on every response is judged on those of all chapters but throttling, which uses up a key. */
export const chaptersOf = (id: RequirementId): ChapterName[] =>
  CHAPTERS.filter((name) => BY_CHAPTER[name].includes(id) || (requirementOf(id).on && name !== 'throttling'));

const scopes = new Map(requirements.map(({ id }) => [id, operationsOf(id)]));

export const judgeTrace = (store: Store): Judged => judge(store, properties, (id) => scopes.get(id) ?? []);

export const suite: Judge = { judgeTrace, cases, chaptersOf };
