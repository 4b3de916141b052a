/** GET /pets: sections 2, 4.1 and 8. */
import {
  ADD,
  isFilter,
  isListParameter,
  LIST,
  type Operation,
  pageLimit,
  type Parameter,
} from '../../fixtures/contract/contract.ts';
import { isObject, type Json, toJson } from '../../fixtures/contract/json.ts';
import { requirementFor, type RequirementId } from '../../fixtures/contract/requirements.ts';
import {
  type Difference,
  difference,
  differenceIf,
  findChangedFields,
  findRename,
  identifyAnimal,
  identifyItem,
  renderQuery,
  shown,
  shownText,
} from '../../fixtures/trace/finding.ts';
import { asAnimal } from '../../fixtures/trace/json.ts';
import { counted, groupBy } from '../../fixtures/text.ts';
import {
  blockedBy,
  askAgain,
  holds,
  inTheWay,
  type Instance,
  judge,
  outOfReach,
  type Properties,
  type Property,
} from '../../fixtures/trace/property.ts';
import type { Animal, Step } from '../../fixtures/trace/step.ts';
import { type Addition, type Known, LAG_MS, sameText, type Store } from '../../fixtures/trace/store.ts';
import { explainUnreadable, judgeStatus } from './statuses.ts';

type List = Step & { animals: readonly Animal[] };

/** Lists with a valid key, whether they could be read or not. */
const isAsked = (step: Step): boolean => step.calls(LIST);

/** Whether the specification describes all that a list asks for. */
const isSpecifiedQuery = ({ request }: Step): boolean => Object.keys(request.query).every(isListParameter);

/** Lists that could be read, of requests without a fault. */
const ofLists = (
  isOwn: (list: List) => boolean,
  judgeOne: (store: Store, list: List) => Iterable<Instance>,
): Property =>
  function* (store) {
    for (const step of store.steps.filter((each) => isAsked(each) && each.isValid)) {
      if (!isOwn(step as List)) continue;
      if (step.animals) yield* judgeOne(store, step as List);
      else if (step.status === 200) yield explainUnreadable(step, 'is not a list of animals');
      else {
        const instance = judgeStatus(store, step, [200]);
        if (instance.is === 'undecided') yield instance;
      }
    }
  };

/** The statuses of requests that may be refused only for what they ask for. */
const served = (isOwn: (query: Record<string, string>) => boolean): Property =>
  function* (store) {
    for (const step of store.steps.filter((each) => isAsked(each) && each.isValid && isOwn(each.request.query)))
      yield judgeStatus(store, step, [200]);
  };

const describeLength = (kind: 'too many animals' | 'too few animals', list: Step, expected: number): Difference =>
  difference(kind, 'query limit', { expected, actual: list.items?.length, detail: renderQuery(list.request.query) });

/** Lists that are longer than their limit, whatever their items are. */
function* judgeUnreadableLengths(store: Store, isOwn: (list: Step) => boolean): Iterable<Instance> {
  for (const step of store.steps.filter((each) => isAsked(each) && each.isValid && isOwn(each)))
    if (!step.animals && step.items && step.items.length > step.room)
      yield judge([describeLength('too many animals', step, step.room)], step);
}

const needsMore = (known: number, needed: number, store: Store): [string, string] => [
  `lists show ${counted(known, 'such animal')}, but ${needed} ${needed === 1 ? 'is' : 'are'} needed`,
  `${store.facts.settings.readOnly ? 'READ_ONLY=0, or ' : ''}a target that holds more animals`,
];

const LAGS = 'what was added may not be visible yet';
const lags = (store: Store, list: List): Instance => askAgain(LAGS, { step: list, at: store.settledAt });

/** A GET of an animal that a list lacks shows whether it still exists. */
const mayBeGone = (list: List, { id }: Known): Instance => ({
  is: 'undecided',
  why: 'out of reach',
  reason: 'other clients may have removed animals meanwhile',
  remedy: 'a store that nothing else changes',
  again: { step: list, target: `/pets/${id}`, at: 0 },
  steps: [list],
});

/** A list is as long as its limit says, if enough animals exist. @param needed animals for a judgement. */
function judgeLength(store: Store, list: List, limit: number, needed = 1): Instance {
  const { length } = list.animals;
  if (length > limit) return judge([describeLength('too many animals', list, limit)], list);
  const least = Math.min(limit, store.existedAt(list).certain.length);
  if (length < least) return judge([describeLength('too few animals', list, least)], list);
  // Some may not be visible yet.
  const { certain, open } = store.existedAt(list, { isSettled: false });
  if (length < Math.min(limit, certain.length)) return lags(store, list);
  const [gone] = open;
  if (gone && length < Math.min(limit, certain.length + open.length)) return mayBeGone(list, gone);
  const existed = certain.length + open.length;
  return existed < needed ? outOfReach(...needsMore(existed, needed, store), list) : holds(list);
}

/** @param needed animals for a judgement. */
const lengths = (isOwn: (list: Step) => boolean, needed?: number): Property =>
  function* (store) {
    yield* judgeUnreadableLengths(store, isOwn);
    yield* ofLists(isOwn, function* (_, list) {
      const broken = list.animals.length <= list.room ? findBroken(list) : undefined;
      yield broken !== undefined ? blockedByFilter(list, broken) : judgeLength(store, list, list.room, needed);
    })(store);
  };

const isInRange = (limit: string): boolean =>
  /^\d+$/.test(limit) && Number(limit) >= pageLimit.minimum && Number(limit) <= pageLimit.maximum;

const isCut = ({ animals, room }: List): boolean => animals.length >= room;

/** A filter that is broken explains what a filtered list lacks. */
const findBroken = (list: List): string | undefined =>
  Object.entries(list.filters ?? {}).find(([name, value]) =>
    list.animals.some(({ fields }) => fields[name] === undefined || !sameText(fields[name], value)),
  )?.[0];

const blockedByFilter = (list: List, name: string): Instance =>
  blockedBy(requirementOfFilter(LIST, name, false), `the ${name} filter is broken`, list);

// ---- content

/** Whether a field of an item, or its id, breaks the schema: nothing above that layer is judged by it. */
const hasFaultAt = (store: Store, step: Step, name: string): boolean =>
  [...store.faultsOf(step, 'others'), ...store.faultsOf(step, 'int64')].some(({ place }) => place === `/${name}`);

/** Whether a list has room for all that may exist, so that it cannot have been cut, by any limit. */
const hasRoom = (store: Store, list: List): boolean =>
  !isCut(list) && store.existedAt(list, { isSettled: false }).certain.length < list.room;

/** An animal that was added is in a list that was not cut. */
function judgePresence(store: Store, list: List, { animal: { id }, sent, step }: Addition): Instance {
  const isSettled = step.end + LAG_MS <= list.start;
  if (list.animals.some((each) => each.id === id)) return holds(list, step);
  if (isCut(list))
    return outOfReach(`the list is full with ${counted(list.animals.length, 'animal')}: others may exist`, FEWER, list);
  if (hasFaultAt(store, list, 'id'))
    return inTheWay('ids of the list are not valid (see pets.schema and pet.int64)', list);
  // No limit makes a list empty.
  if (list.animals.length > 0 && !hasRoom(store, list))
    return blockedBy('list.limit.caps', 'the list is shorter than its limit', list);
  const broken = findBroken(list);
  if (broken !== undefined) return blockedByFilter(list, broken);
  if (!isSettled) return lags(store, list);
  return judge(
    [difference('missing animal', '/*', { expected: 1, animal: identifyAnimal(id, sent['name']) })],
    list,
    step,
  );
}

/** Each animal that was added is shown as it was added. */
function* judgeValues(store: Store, list: List): Iterable<Instance> {
  for (const [i, { id, fields }] of list.animals.entries()) {
    const addition = store.unchanged.get(id);
    if (!addition || addition.step.end > list.start) continue;
    yield judge(findChangedFields(fields, addition.sent, { id, pointer: `/${i}` }), list, addition.step);
  }
}

const FEWER = 'a target with fewer than 100 animals, of at least one status';

/** No id twice, and no name of this trace more often than it was sent and not refused. */
function findRepeated(store: Store, list: List): Difference[] {
  const byId = groupBy(list.animals, ({ id }) => id);
  const ids = [...byId].filter(([, own]) => own.length > 1).slice(0, 3);
  const byName = groupBy(list.animals, ({ fields }) => fields['name']);
  const copies = [...sentNames(store, list)].flatMap(([name, count]) => {
    const found = byName.get(name) ?? [];
    const animal = identifyAnimal(found[0]?.id, name);
    const detail = `${found.length} animals named ${animal.name}, of ${counted(count, 'request that was', 'requests that were')} not rejected`;
    return differenceIf(found.length > count, 'repeated animal', '/*', { actual: found.length, animal, detail });
  });
  return [...ids.map(([id]) => difference('repeated animal', '/*', { animal: { id: shownText(id) } })), ...copies];
}

/** How many requests with a name that is unique to this trace were not refused; a valid key may be refused too late. */
function sentNames(store: Store, list: List): Map<Json, number> {
  if (store.facts.isForeign) return new Map();
  const names = new Set(store.addedBefore(list).map(({ sent }) => sent['name']));
  const all = store.steps.filter((step) => step.calls(ADD) && (!step.isRefused || step.status === 401));
  const count = groupBy(all, (step) => step.request.sent?.['name']);
  return new Map([...names].flatMap((name) => (name === undefined ? [] : [[name, count.get(name)?.length ?? 0]])));
}

// ---- filters

const valueIn = (item: Json, name: string): Json | undefined => (isObject(item) ? item[name] : undefined);

function findUnfiltered(items: readonly Json[], name: string, asked: string): Difference[] {
  const others = items.filter((item) => {
    const value = valueIn(item, name);
    return value === undefined || typeof value === 'object' || !sameText(value, asked);
  });
  return differenceIf(others.length > 0, 'not filtered', `query ${name}`, {
    expected: shownText(asked),
    actual: [...new Set(others.map((item) => shown(valueIn(item, name)) ?? 'absent'))].slice(0, 5),
    detail: `${others.length} of ${counted(items.length, 'item')}`,
    animal: identifyItem(others[0]),
  });
}

/** Whether all that is known of the store has this value, so that a filter without effect would look the same. */
const isOnlyValue = (store: Store, name: string, asked: string): boolean =>
  ![...store.known.values()].some(({ shown: all }) => all.some(({ fields }) => String(fields[name]) !== asked));

const isOutside = ({ schema }: Parameter, value: string): boolean =>
  schema.enum !== undefined && !schema.enum.some((each) => each !== null && String(each) === value);

const requirementOfFilter = (operation: Operation, name: string, isUnknown: boolean): RequirementId =>
  requirementFor(`${operation.id} query ${name} ${isUnknown ? 'outside' : 'values'}`, 'service.filter');

/** Lists with a filter return no item with another value. @param wanted the requirement of the filter. */
const filters = (wanted: RequirementId): Property =>
  function* (store) {
    for (const step of store.steps.filter(({ isOfKey, operation }) => isOfKey && operation !== undefined)) {
      const operation = step.operation as Operation;
      for (const parameter of operation.parameters) {
        const asked = step.request.query[parameter.name] ?? '';
        // The effect of an empty value is not specified, nor that of one of another type.
        if (
          asked === '' ||
          !isFilter(operation, parameter) ||
          step.request.faults.some(({ place, kind }) => place === `query ${parameter.name}` && kind !== 'outside') ||
          requirementOfFilter(operation, parameter.name, isOutside(parameter, asked)) !== wanted
        )
          continue;
        const instance = judgeFilter(store, step, parameter, asked);
        if (instance) yield { ...instance, part: isOutside(parameter, asked) ? 'outside' : asked };
      }
    }
  };

function judgeFilter(store: Store, step: Step, parameter: Parameter, asked: string): Instance | undefined {
  const { name } = parameter;
  if (isOutside(parameter, asked)) {
    const instance = judgeStatus(store, step, [200, '4xx']);
    if (instance.is !== 'holds' || step.status !== 200) return instance;
    return step.items ? judgeItems(store, step, name, asked) : judge([notAnArray(step)], step);
  }
  const instance = judgeStatus(store, step, [200]);
  if (instance.is === 'undecided') return instance;
  // Where the value is served in another list, the rest of the request was refused.
  const isServedElsewhere = (): boolean =>
    store.steps.some(
      (each) => each.operation === step.operation && each.request.query[name] === asked && each.isServed,
    );
  if (!step.isServed) return isServedElsewhere() ? undefined : instance;
  if (!step.items) return step.status === 200 ? explainUnreadable(step, 'is not a list of animals') : undefined;
  if (hasFaultAt(store, step, name)) return blockedBy('pets.schema', `the ${name} of an item is not valid`, step);
  return judgeItems(store, step, name, asked);
}

function judgeItems(store: Store, step: Step, name: string, asked: string): Instance {
  const items = (step.items ?? []).filter((item) => !store.planted.has(asAnimal(item)?.id ?? ''));
  const wrong = findUnfiltered(items, name, asked);
  if (wrong.length === 0 && isOnlyValue(store, name, asked))
    return outOfReach(`no animal of another ${name} than ${asked} is known`, 'a target that holds such animals', step);
  return judge(wrong, step);
}

const notAnArray = ({ json }: Step): Difference =>
  difference('wrong shape', 'body', { expected: 'array', actual: shown(json) });

/** Why a 200 is no list of animals. */
function findShapeFaults(step: Step): Difference[] {
  if (step.animals) return [];
  if (!step.items) return [notAnArray(step)];
  const item = step.items.find((each) => !asAnimal(each)) as Json;
  if (!isObject(item)) return [difference('wrong shape', '/*', { expected: 'animal', actual: shown(item) })];
  const pointer = `/${step.items.indexOf(item)}`;
  return item['id'] === undefined
    ? [difference('missing', '/id', { actual: toJson(item), change: findRename(item, 'id'), pointer })]
    : [difference('wrong type', '/id', { expected: 'integer', actual: shown(item['id']), pointer })];
}

/** An invalid parameter: a 4xx, or a valid list that is no longer than any list may be. */
function* judgeInvalid(store: Store, step: Step): Iterable<Instance> {
  const instance = judgeStatus(store, step, [200, '4xx']);
  if (instance.is !== 'holds' || step.status !== 200) return yield instance;
  if (step.unread !== undefined) return yield explainUnreadable(step, `cannot be read: it is ${step.unread}`);
  if (!step.items) return yield judge([notAnArray(step)], step);
  if (step.items.length > pageLimit.maximum)
    return yield judge([describeLength('too many animals', step, pageLimit.maximum)], step);
  return yield holds(step);
}

/** A limit that is out of range: a list that could not be longer than the largest limit shows nothing about it. */
function* judgeOutside(store: Store, step: Step): Iterable<Instance> {
  for (const instance of judgeInvalid(store, step)) {
    const existed = step.animals ? store.existedAt(step, { isSettled: false }).certain.length : 0;
    const isDecisive = !step.animals || existed > pageLimit.maximum || step.animals.length < existed;
    if (instance.is !== 'holds' || isDecisive) yield instance;
    else
      yield outOfReach(
        `${counted(existed, 'animal is', 'animals are')} known: a list cannot be too long unless more than ${pageLimit.maximum} exist`,
        'DEPTH=thorough, which adds them',
        step,
      );
  }
}

/** Whether the only fault of a list is its limit, and what is wrong with it. */
const faultOfLimit = (step: Step): string | undefined =>
  step.request.faults.find(({ place }) => place === 'query limit')?.kind;

export const list: Properties = {
  *'list.succeeds'(store) {
    const own = store.steps.filter(
      (step) => isAsked(step) && step.isValid && Object.keys(step.request.query).length === 0,
    );
    for (const step of own) {
      const instance = judgeStatus(store, step, [200]);
      if (instance.is !== 'holds' || step.animals) yield instance;
      else if (step.unread !== undefined) yield explainUnreadable(step, `cannot be read: it is ${step.unread}`);
      else yield judge(findShapeFaults(step), step);
    }
  },

  'list.limit.caps': lengths((list) => isInRange(list.request.query['limit'] ?? '') && isSpecifiedQuery(list)),
  'list.limit.default': lengths(
    (list) => list.request.query['limit'] === undefined && isSpecifiedQuery(list),
    pageLimit.default + 1,
  ),

  'list.limit.minimum': served(({ limit }) => limit === String(pageLimit.minimum)),
  'list.limit.maximum': served(({ limit }) => limit === String(pageLimit.maximum)),

  *'list.limit.never-above-maximum'(store) {
    const own = store.steps.filter((step) => isAsked(step) && faultOfLimit(step) === 'outside');
    const byLimit = groupBy(
      own.flatMap((step) => [...judgeOutside(store, step)]),
      ({ steps: [step] }) => step?.request.query['limit'],
    );
    const isShown = (instances: readonly Instance[]): boolean =>
      instances.some((each) => each.is !== 'undecided' || each.why !== 'out of reach');
    // That one limit is refused or replaced shows nothing about the next one.
    const isOpen = [...byLimit.values()].some((instances) => !isShown(instances));
    for (const instance of [...byLimit.values()].flat()) if (!isOpen || instance.is !== 'holds') yield instance;
  },

  *'list.limit.not-a-number'(store) {
    for (const step of store.steps.filter((each) => isAsked(each) && faultOfLimit(each) === 'type'))
      yield* judgeInvalid(store, step);
  },

  'list.status.only': filters('list.status.only'),
  'list.status.unknown': filters('list.status.unknown'),

  // Each value is a part, also where a list of it got no answer that shows anything.
  *'list.status.finds'(store) {
    for (const instance of finds(store))
      yield { ...instance, part: instance.steps[0]?.request.query['status'] as string };
  },

  'list.status.before-limit': ofLists(
    ({ request: { query } }) => query['status'] !== undefined && query['limit'] !== undefined,
    function* (store, list) {
      if (list.animals.length === 0) yield judgeLength(store, list, 1);
      else if (store.existedAt(list, { isSettled: false }).certain.length > 0) yield holds(list);
    },
  ),

  'list.shows-added': ofLists(
    () => true,
    function* (store, list) {
      const repeated = findRepeated(store, list);
      if (repeated.length > 0) yield judge(repeated, list);
      yield* judgeValues(store, list);
      if (list.request.query['status'] === undefined)
        for (const addition of store.addedBefore(list)) yield judgePresence(store, list, addition);
    },
  ),
};

const finds = ofLists(({ request }) => request.query['status'] !== undefined, judgeFinds);

/** Filters of a larger contract find what they ask for, and nothing else. */
export function* judgeOtherFilters(store: Store): Iterable<Instance> {
  yield* filters('service.filter')(store);
  yield* ofLists(
    (list) => list.filters !== undefined && !isSpecifiedQuery(list),
    function* (_, list) {
      const part = Object.entries(list.filters ?? {}).find(([name]) => !isListParameter(name))?.[1] as string;
      for (const instance of judgeFinds(store, list)) yield { ...instance, part };
    },
  )(store);
}

/** A filter finds the animals with its value: all of them if the list was not cut. */
function* judgeFinds(store: Store, list: List): Iterable<Instance> {
  const isEmpty = list.animals.length === 0;
  const broken = findBroken(list);
  const {
    certain: { length: existed },
    open: [gone],
  } = store.existedAt(list, { isSettled: false });
  const [added, settled] = [store.addedBefore(list), store.addedBefore(list, { isSettled: true })];
  if (isEmpty && (store.existedAt(list).certain.length > 0 || settled.length > 0))
    yield judge([difference('missing animal', '/*', { expected: 1, actual: 0 })], list);
  else if (isEmpty && (added.length > 0 || existed > 0)) yield lags(store, list);
  else if (isEmpty && gone) yield mayBeGone(list, gone);
  else if (existed === 0 && added.length === 0) yield outOfReach(...needsMore(0, 1, store), list);
  else if (broken !== undefined) yield blockedByFilter(list, broken);
  else if (isCut(list) || added.length === 0) yield holds(list);
  else for (const addition of added) yield judgePresence(store, list, addition);
}
