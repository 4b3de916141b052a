/** Filters of lists: section 4.1, and those that a larger contract has. */
import { isFilter, isListParameter } from '../../fixtures/contract/contract.ts';
import { isObject, type Json } from '../../fixtures/contract/json.ts';
import type { RequirementId } from '../../fixtures/contract/requirements.ts';
import { counted } from '../../fixtures/text.ts';
import { difference, differenceIf, identifyItem, shown, shownText } from '../../fixtures/trace/finding.ts';
import { asAnimal } from '../../fixtures/trace/json.ts';
import {
  blockedBy,
  holds,
  type Instance,
  judge,
  outOfReach,
  type Properties,
  type Property,
} from '../../fixtures/trace/property.ts';
import type { Step } from '../../fixtures/trace/step.ts';
import { type List, sameText, type Store } from '../../fixtures/trace/store.ts';
import {
  findBrokenFilter,
  hasFaultAt,
  isSpecifiedQuery,
  judgeArray,
  judgeLength,
  judgePresence,
  mayBeGone,
  mayLag,
  needsMore,
  ofLists,
  requirementOfFilter,
} from './list.ts';
import { explainUnreadable, judgeStatus } from './statuses.ts';

/** Whether all that is known of the store has this value, so that a filter without effect would look the same. */
const isOnlyValue = ({ known }: Store, name: string, asked: string): boolean =>
  ![...known.values()].some((each) => each.shown.some(({ fields }) => String(fields[name]) !== asked));

function judgeItems(store: Store, step: Step, name: string, asked: string): Instance {
  const items = (step.items ?? []).filter((item) => !store.planted.has(asAnimal(item)?.id ?? ''));
  const valueOf = (item: Json): Json | undefined => (isObject(item) ? item[name] : undefined);
  const others = items.filter((item) => !sameText(valueOf(item), asked));
  if (others.length === 0 && isOnlyValue(store, name, asked))
    return outOfReach(`no animal of another ${name} than ${asked} is known`, 'a target that holds such animals', step);
  const wrong = differenceIf(others.length > 0, 'not filtered', `query ${name}`, {
    expected: shownText(asked),
    actual: [...new Set(others.map((item) => shown(valueOf(item)) ?? 'absent'))].slice(0, 5),
    detail: `${others.length} of ${counted(items.length, 'item')}`,
    animal: identifyItem(others[0]),
  });
  return judge(wrong, step);
}

/** A value outside its schema: a 4xx, or a list without other values. */
const judgeUnknown = (store: Store, step: Step, name: string, asked: string): Instance =>
  judgeStatus(store, step, [200, '4xx'], () =>
    step.isRefused ? holds(step) : judgeArray(step, () => judgeItems(store, step, name, asked)),
  );

function judgeKnown(store: Store, step: Step, name: string, asked: string): Instance | undefined {
  const instance = judgeStatus(store, step, [200]);
  if (instance.is === 'undecided') return instance;
  const isSame = (each: Step): boolean => each.operation === step.operation && each.request.query[name] === asked;
  // Where the value is served in another list, the rest of the request was refused.
  if (!step.isServed) return store.steps.some((each) => isSame(each) && each.isServed) ? undefined : instance;
  if (!step.items) return step.status === 200 ? explainUnreadable(step, 'is not a list of animals') : undefined;
  if (hasFaultAt(store, step, name)) return blockedBy('pets.schema', `the ${name} of an item is not valid`, step);
  return judgeItems(store, step, name, asked);
}

/** Lists with a filter return no item with another value. @param wanted the requirement of the filter. */
export const judgeFilters = (wanted: RequirementId): Property =>
  function* (store) {
    for (const step of store.steps) {
      const { operation, isOfKey, request } = step;
      for (const parameter of (isOfKey && operation?.parameters) || []) {
        const { name } = parameter;
        const { [name]: asked = '' } = request.query;
        const fault = request.faults.find(({ place }) => place === `query ${name}`)?.kind;
        // The effect of an empty value is not specified, nor that of one of another type.
        if (!operation || asked === '' || !isFilter(operation, parameter) || (fault && fault !== 'outside')) continue;
        if (requirementOfFilter(operation, name, fault === 'outside') !== wanted) continue;
        const instance = (fault ? judgeUnknown : judgeKnown)(store, step, name, asked);
        if (instance) yield { ...instance, part: fault ?? asked };
      }
    }
  };

/** A filter finds the animals with its value: all of them if the list was not cut. */
function* judgeFinds(list: List, store: Store): Iterable<Instance> {
  const settled = store.existedBefore(list);
  const { added, certain, open } = store.existedAt(list);
  const known = added.length + certain.length;
  if (list.animals.length === 0 && settled.added.length + settled.certain.length > 0)
    yield judge([difference('missing animal', '/*', { expected: 1, actual: 0 })], list);
  else if (list.animals.length === 0 && known > 0) yield mayLag(store, list);
  else if (list.animals.length === 0 && open[0]) yield mayBeGone(list, open[0]);
  else if (known === 0) yield needsMore(0, 1, store, list);
  else if (list.animals.length >= list.room || added.length === 0) yield findBrokenFilter(list) ?? holds(list);
  else for (const addition of added) yield findBrokenFilter(list) ?? judgePresence(store, list, addition);
}

/** Each value is a part, also where a list of it got no answer that shows anything. */
const finds = (isOwn: (list: Step) => boolean, isName: (name: string) => boolean): Property =>
  function* (store) {
    for (const instance of ofLists(isOwn, judgeFinds)(store)) {
      const query = Object.entries(instance.steps[0]?.request.query ?? {});
      yield { ...instance, part: query.find(([name]) => isName(name))?.[1] as string };
    }
  };

export const filters: Properties = {
  'list.status.only': judgeFilters('list.status.only'),
  'list.status.unknown': judgeFilters('list.status.unknown'),
  'list.status.finds': finds(
    ({ request }) => request.query['status'] !== undefined,
    (name) => name === 'status',
  ),

  'list.status.before-limit': ofLists(
    ({ request: { query } }) => query['status'] !== undefined && query['limit'] !== undefined,
    function* (found, store) {
      if (found.animals.length === 0) yield judgeLength(store, found);
      else if (store.existedAt(found).certain.length > 0) yield holds(found);
    },
  ),

  *'service.filter'(store) {
    yield* judgeFilters('service.filter')(store);
    yield* finds(
      (list) => list.filters !== undefined && !isSpecifiedQuery(list),
      (name) => !isListParameter(name),
    )(store);
  },
};
