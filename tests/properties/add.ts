/** POST /pets: sections 2, 4.2 and 7. */
import { ADD, operations } from '../../fixtures/contract/contract.ts';
import { type Json, toJson } from '../../fixtures/contract/json.ts';
import { requirementFor, requirements, type RequirementId } from '../../fixtures/contract/requirements.ts';
import {
  type Difference,
  difference,
  differenceIf,
  findChangedFields,
  findRename,
  shown,
} from '../../fixtures/trace/finding.ts';
import { header, valuesOf } from '../../fixtures/target/http/exchange.ts';
import { isObject } from '../../fixtures/contract/json.ts';
import { type Instance, judge, outOfReach, type Properties, type Property } from '../../fixtures/trace/property.ts';
import type { Step } from '../../fixtures/trace/step.ts';
import type { Addition, Store } from '../../fixtures/trace/store.ts';
import { judgeAbsence } from './refused.ts';
import { ofResponses } from './responses.ts';
import { allowedOfAddition, allowedOfFault, explainUnreadable, judgeStatus } from './statuses.ts';

/** A body with a fault is answered as section 7 shows, by the requirement that covers the fault. */
const refusals = (id: RequirementId): Property =>
  function* (store) {
    for (const step of store.steps.filter(({ isOfKey, operation }) => isOfKey && operation?.body)) {
      const [fault, ...others] = step.request.faults;
      if (!fault || others.length > 0) continue;
      const name = `${step.operation?.id} ${fault.place} ${fault.kind}`;
      // A body without an answer may be the one that ends a service.
      if (requirementFor(name, 'service.invalid-body') === id)
        yield { ...judgeStatus(store, step, allowedOfFault(step)), part: step.exchange.request.body ?? '' };
    }
  };

const ofBodies = new Set(operations.filter(({ body }) => body).map(({ id }) => id));
const covering = requirements.filter(({ covers = [] }) =>
  covers.some((name) => ofBodies.has(name.split(' ')[0] as string) && name.split(' ')[1] === 'body'),
);

/** Letters, digits and others of a name: how many of each does not matter. */
const shapeOf = (name: Json | undefined): string =>
  String(name)
    .replaceAll(/[a-z]+/g, 'a')
    .replaceAll(/[A-Z]+/g, 'A')
    .replaceAll(/[0-9]+/g, '9');

/**
 * Which names and categories a service takes is not shown. If it took a longer name of the same shape, and that category,
 * it refuses the rest of the body, or what was sent before.
 */
function vouches({ step, sent }: Addition, { request }: Step): boolean {
  const own = request.sent ?? {};
  const isLike = (name: string): boolean => toJson(own[name] ?? null) === toJson(sent[name] ?? null);
  const texts = Object.keys(own).filter((name) => name === 'name');
  return (
    step.request.oddities.length === 0 &&
    isLike('categoryId') &&
    texts.every(
      (name) => shapeOf(own[name]) === shapeOf(sent[name]) && String(own[name]).length <= String(sent[name]).length,
    )
  );
}

const REFUSED = 'its addition was rejected with 400, which is allowed: such limits are not specified';
const WITHOUT_LIMIT = 'a target without that limit';

function* judgeCreated(store: Store): Iterable<Instance> {
  const own = store.steps.filter((each) => each.calls(ADD) && each.isValid);
  // A 429 is about the limit, and shows nothing about the body.
  const answered = own.filter(({ status }) => status !== 429);
  for (const step of answered.length > 0 ? answered : own) {
    const { sent } = step.request;
    const part = `status ${sent?.['status'] === undefined ? 'absent' : toJson(sent['status'])}`;
    yield { ...judgeAddition(store, step), part };
  }
}

function judgeAddition(store: Store, step: Step): Instance {
  const allowed = allowedOfAddition(store, step);
  const instance = judgeStatus(store, step, allowed);
  if (instance.is !== 'holds') return instance;
  if (step.status === 201) return judgeId(step);
  const like = store.additions.find((each) => vouches(each, step));
  if (step.status === 409 || !like || allowed.includes(409)) return outOfReach(REFUSED, WITHOUT_LIMIT, step);
  const more = { expected: 201, actual: 400, detail: String(like.step.number) };
  return judge([difference('refused though similar', 'status', more)], step, like.step);
}

/** A 201 has an animal with an id. */
function judgeId(step: Step): Instance {
  const { json, animal, unread } = step;
  if (animal) return judge([], step);
  if (unread !== undefined) return explainUnreadable(step, `cannot be read: it is ${unread}`);
  if (json === undefined && step.exchange.response?.body !== '') return explainUnreadable(step, 'is not JSON');
  if (!isObject(json))
    return judge([difference('wrong shape', 'body', { expected: 'object', actual: shown(json) })], step);
  const wrong: Difference =
    json['id'] === undefined
      ? difference('missing', '/id', { actual: shown(json), change: findRename(json, 'id') })
      : difference('wrong type', '/id', { expected: 'integer', actual: shown(json['id']) });
  return judge([wrong], step);
}

const isIdSent = ({ sent, faults }: Step['request']): boolean => sent?.['id'] !== undefined && faults.length === 0;

/** The media type is another one, and nothing else is wrong; without one, a service may guess it (RFC 9110, section 8.3). */
const isOfOtherType = ({ exchange: { request }, request: { faults, oddities } }: Step): boolean =>
  faults.length === 0 &&
  valuesOf(request.headers, 'content-type').length > 0 &&
  oddities.some(({ title }) => title.startsWith('the body is '));

export const add: Properties = {
  ...Object.fromEntries(covering.map(({ id }) => [id, refusals(id)])),
  'service.invalid-body': refusals('service.invalid-body'),

  'add.created': judgeCreated,

  *'add.echo'(store) {
    for (const { step, animal, sent } of store.additions)
      yield judge(findChangedFields(animal.fields, sent, { id: animal.id }), step);
  },

  *'add.id.unique'(store) {
    const taken = new Map<string, Step>();
    for (const {
      step,
      animal: { id },
    } of store.additions) {
      const own = `${id} ${store.storeOf(step)}`;
      const listed = store.lists.find(
        (list) =>
          list.end <= step.start && store.isSameStore(list, step) && list.animals.some((each) => each.id === id),
      );
      const other = taken.get(own) ?? listed;
      taken.set(own, step);
      const more = { actual: id, animal: { id }, detail: String(other?.number) };
      yield other ? judge([difference('repeated id', '/id', more)], step, other) : judge([], step);
    }
  },

  *'add.id.assigned'(store) {
    for (const step of store.steps.filter((each) => each.calls(ADD) && isIdSent(each.request))) {
      const id = String(step.request.sent?.['id']);
      const instance = judgeStatus(store, step, [201, '4xx']);
      if (instance.is !== 'holds' || step.isRefused) yield instance;
      else if (!step.animal) yield explainUnreadable(step, 'is not an animal');
      else {
        const more = { actual: id, pointer: '/id', animal: { id } };
        yield judge(differenceIf(step.animal.id === id, 'id taken over', '/id', more), step);
      }
    }
  },

  'add.rejected.adds-nothing': (store) => judgeAbsence(store, ({ isOfKey, status }) => isOfKey && status !== 429),

  *'add.unsupported-type'(store) {
    for (const step of store.steps.filter((each) => each.calls(ADD) && isOfOtherType(each)))
      yield judgeStatus(store, step, [415]);
  },

  'add.location': ofResponses((step) => {
    if (step.operation !== ADD || step.status !== 201) return undefined;
    const isThere = header(step.exchange, 'Location') !== undefined;
    return judge(isThere ? [] : [difference('missing header', 'header Location')], step);
  }),
};
