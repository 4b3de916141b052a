/** Every property, by the id of its requirement. */
import { operationsOf, type RequirementId, requirements } from '../../fixtures/contract/requirements.ts';
import type { Properties } from '../../fixtures/trace/store.ts';
import { add } from './add.ts';
import { auth } from './auth.ts';
import { get } from './get.ts';
import { list } from './list.ts';
import { open } from './open.ts';
import { others } from './others.ts';
import { rate } from './rate.ts';
import { responses } from './responses.ts';
import { throttle } from './throttle.ts';

export const properties: Properties = Object.assign({}, responses, list, add, get, others, auth, rate, throttle, open);

/** Each pair of a requirement that is judged and an operation: one test. */
export const cases: readonly { id: RequirementId; operation: string | undefined }[] = requirements
  .filter(({ id, untestable }) => id in properties && untestable === undefined)
  .flatMap(({ id }) => operationsOf(id).map((operation) => ({ id, operation })));
