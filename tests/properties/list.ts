/** GET /pets, its limit and what it shows: sections 2, 4.1 and 8. Its filters are in filters.ts. */
import { ADD, isListParameter, LIST, type Operation, pageLimit } from '../../fixtures/contract/contract.ts';
import { requirementFor, type RequirementId } from '../../fixtures/contract/requirements.ts';
import { counted, groupBy } from '../../fixtures/text.ts';
import {
  type Difference,
  difference,
  differenceIf,
  findChangedFields,
  identifyAnimal,
  renderQuery,
  shown,
  shownText,
} from '../../fixtures/trace/finding.ts';
import {
  askAgain,
  blockedBy,
  holds,
  inTheWay,
  type Instance,
  judge,
  ofSteps,
  outOfReach,
  type Properties,
  type Property,
} from '../../fixtures/trace/property.ts';
import type { Step } from '../../fixtures/trace/step.ts';
import { type Addition, type Known, LAG_MS, type List, sameText, type Store } from '../../fixtures/trace/store.ts';
import { expecting, explainUnreadable, judgeStatus } from './statuses.ts';

/** Of a list: whether the specification describes all that it asks for. */
export const isSpecifiedQuery = ({ request }: Step): boolean => Object.keys(request.query).every(isListParameter);

const isCut = ({ animals, room }: List): boolean => animals.length >= room;

/** Valid lists that could be read. */
export const ofLists = (
  isOwn: (list: Step) => boolean,
  judgeOne: (list: List, store: Store) => Iterable<Instance>,
): Property =>
  function* (store) {
    for (const step of store.steps.filter((each) => each.calls(LIST) && each.isValid && isOwn(each))) {
      if (step.animals) yield* judgeOne(step as List, store);
      else if (step.status === 200) yield explainUnreadable(step, 'is not a list of animals');
      else {
        const instance = judgeStatus(store, step, [200]);
        if (instance.is === 'undecided') yield instance;
      }
    }
  };

// ---- why a list decides nothing

export const needsMore = (known: number, needed: number, { facts }: Store, list: List): Instance =>
  outOfReach(
    `lists show ${counted(known, 'such animal')}, but ${needed} ${needed === 1 ? 'is' : 'are'} needed`,
    `${facts.settings.readOnly ? 'READ_ONLY=0, or ' : ''}a target that holds more animals`,
    list,
  );

export const mayLag = (store: Store, step: Step, at = store.settledAt): Instance =>
  askAgain('what was added or removed may not be visible yet', { step, at });

/** A GET of an animal that a list lacks shows whether it still exists. */
export const mayBeGone = (step: List, { id }: Known): Instance =>
  askAgain(
    'other clients may have removed animals meanwhile',
    { step, target: `/pets/${id}`, at: 0 },
    'a store that nothing else changes',
  );

export const explainFull = (list: List): Instance =>
  outOfReach(
    `the list is full with ${counted(list.animals.length, 'animal')}: others may exist`,
    'a target with fewer than 100 animals, of at least one status',
    list,
  );

/** Whether a field of an item, or its id, breaks the schema: nothing above that layer is judged by it. */
export const hasFaultAt = (store: Store, step: Step, name: string): boolean =>
  store.faultsOf(step).some(({ place }) => place === `/${name}`);

export const requirementOfFilter = ({ id }: Operation, name: string, isUnknown: boolean): RequirementId =>
  requirementFor(`${id} query ${name} ${isUnknown ? 'outside' : 'values'}`, 'service.filter');

/** A filter of a list that returned something else, so that nothing more of the list is judged. */
export function findBrokenFilter(list: List): Instance | undefined {
  const filters = Object.entries(list.filters ?? {});
  const broken = filters.find(([name, text]) => list.animals.some(({ fields }) => !sameText(fields[name], text)));
  return broken && blockedBy(requirementOfFilter(LIST, broken[0], false), `the ${broken[0]} filter is broken`, list);
}

// ---- length

const judgeTooLong = (list: Step, most: number): Instance | undefined =>
  list.items && list.items.length > most ? judge([describeLength('too many animals', list, most)], list) : undefined;

const describeLength = (kind: 'too many animals' | 'too few animals', list: Step, expected: number): Difference =>
  difference(kind, 'query limit', { expected, actual: list.items?.length, detail: renderQuery(list.request.query) });

/** A list is as long as its limit says, if enough animals exist. @param needed animals for a judgement. */
export function judgeLength(store: Store, list: List, needed = 1): Instance {
  const { animals, room } = list;
  const least = Math.min(room, store.existedBefore(list).certain.length);
  if (animals.length < least) return judge([describeLength('too few animals', list, least)], list);
  const { certain, open } = store.existedAt(list);
  if (animals.length < Math.min(room, certain.length)) return mayLag(store, list);
  const known = certain.length + open.length;
  if (open[0] && animals.length < Math.min(room, known)) return mayBeGone(list, open[0]);
  return known < needed ? needsMore(known, needed, store, list) : holds(list);
}

/** @param needed animals for a judgement. */
const lengths = (isOwn: (list: Step) => boolean, needed?: number): Property =>
  function* (store) {
    // Whatever the items are.
    const isOfItems = (step: Step): boolean => step.calls(LIST) && step.isValid && isOwn(step);
    yield* ofSteps(isOfItems, (step) => judgeTooLong(step, step.room))(store);
    yield* ofLists(
      (list) => isOwn(list) && !judgeTooLong(list, list.room),
      (list) => [findBrokenFilter(list) ?? judgeLength(store, list, needed)],
    )(store);
  };

const isInRange = (limit = ''): boolean =>
  /^\d+$/.test(limit) && Number(limit) >= pageLimit.minimum && Number(limit) <= pageLimit.maximum;

const accepts = (limit: number): Property =>
  ofSteps((step) => step.calls(LIST) && step.isValid && step.request.query['limit'] === String(limit), expecting(200));

/** Of a list whose only fault is its limit: what is wrong with it. */
const faultOfLimit = (step: Step): string | undefined =>
  step.calls(LIST) ? step.request.faults.find(({ place }) => place === 'query limit')?.kind : undefined;

/** An invalid parameter: a 4xx, or a valid list that is no longer than any list may be. */
const judgeInvalid = (step: Step, store: Store): Instance =>
  judgeStatus(store, step, [200, '4xx'], () =>
    step.isRefused ? holds(step) : judgeArray(step, () => judgeTooLong(step, pageLimit.maximum) ?? holds(step)),
  );

/** A limit that is out of range: a list that could not be longer than the largest limit shows nothing about it. */
function judgeOutside(step: Step, store: Store): Instance {
  const instance = judgeInvalid(step, store);
  const existed = step.animals ? store.existedAt(step).certain.length : Infinity;
  if (instance.is !== 'holds' || existed > pageLimit.maximum || (step.animals?.length ?? 0) < existed) return instance;
  const known = counted(existed, 'animal is', 'animals are');
  return outOfReach(
    `${known} known: a list cannot be too long unless more than ${pageLimit.maximum} exist`,
    'DEPTH=thorough, which adds them',
    step,
  );
}

/** A body that has to be an array, which `then` judges. */
export function judgeArray(step: Step, then: () => Instance): Instance {
  if (step.parsed.unread !== undefined) return explainUnreadable(step, 'is not a list');
  if (step.items) return then();
  return judge([difference('wrong shape', 'body', { expected: 'array', actual: shown(step.json) })], step);
}

// ---- content

/** An animal that was added is in a list that was not cut. */
export function judgePresence(store: Store, list: List, { animal: { id }, sent, step }: Addition): Instance {
  if (list.animals.some((each) => each.id === id)) return holds(list, step);
  if (isCut(list)) return explainFull(list);
  if (hasFaultAt(store, list, 'id'))
    return inTheWay('ids of the list are not valid (see pets.schema and pet.int64)', list);
  // No limit makes a list empty.
  if (list.animals.length > 0 && store.existedAt(list).certain.length >= list.room)
    return blockedBy('list.limit.caps', 'the list is shorter than its limit', list);
  const broken = findBrokenFilter(list);
  if (broken) return broken;
  if (step.end + LAG_MS > list.start) return mayLag(store, list);
  const animal = identifyAnimal(id, sent['name']);
  return judge([difference('missing animal', '/*', { expected: 1, animal })], list, step);
}

/** No id twice, and no name of this trace more often than it was sent and not refused; a valid key may be refused too late. */
function findRepeated(store: Store, list: List): Difference[] {
  const twice = [...groupBy(list.animals, ({ id }) => id)].filter(([, { length }]) => length > 1).slice(0, 3);
  const names = new Set(store.existedAt(list).added.flatMap(({ sent }) => sent['name'] ?? []));
  const byName = groupBy(list.animals, ({ fields }) => fields['name']);
  const copies = [...(store.facts.isForeign ? [] : names)].flatMap((name) => {
    const found = byName.get(name) ?? [];
    if (found.length < 2) return [];
    const sent = store.of(ADD.id).filter((step) => step.isOfKey && step.request.sent?.['name'] === name);
    const taken = sent.filter((step) => !step.isRefused || step.status === 401).length;
    const animal = identifyAnimal(found[0]?.id, name);
    const requests = counted(taken, 'request that was', 'requests that were');
    const detail = `${found.length} animals named ${animal.name}, of ${requests} not rejected`;
    return differenceIf(found.length > taken, 'repeated animal', '/*', { actual: found.length, animal, detail });
  });
  return [...twice.map(([id]) => difference('repeated animal', '/*', { animal: { id: shownText(id) } })), ...copies];
}

/** An added animal is shown once, as it was added. */
function* judgeShown(list: List, store: Store): Iterable<Instance> {
  const repeated = findRepeated(store, list);
  if (repeated.length > 0) yield judge(repeated, list);
  for (const [i, { id, fields }] of list.animals.entries()) {
    const { step, sent } = store.unchanged.get(id) ?? {};
    if (step && sent && step.end <= list.start)
      yield judge(findChangedFields(fields, sent, { id, pointer: `/${i}` }), list, step);
  }
  if (list.request.query['status'] === undefined)
    for (const addition of store.existedAt(list).added) yield judgePresence(store, list, addition);
}

export const list: Properties = {
  'list.succeeds': ofSteps(
    (step) => step.calls(LIST) && step.isValid && Object.keys(step.request.query).length === 0,
    (step, store) =>
      judgeStatus(store, step, [200], () =>
        judgeArray(step, () => judge(step.animals ? [] : store.faultsOf(step), step)),
      ),
  ),

  'list.limit.caps': lengths((step) => isInRange(step.request.query['limit']) && isSpecifiedQuery(step)),
  'list.limit.default': lengths(
    (step) => step.request.query['limit'] === undefined && isSpecifiedQuery(step),
    pageLimit.default + 1,
  ),
  'list.limit.minimum': accepts(pageLimit.minimum),
  'list.limit.maximum': accepts(pageLimit.maximum),
  'list.limit.not-a-number': ofSteps((step) => faultOfLimit(step) === 'type', judgeInvalid),

  *'list.limit.never-above-maximum'(store) {
    const all = [...ofSteps((step) => faultOfLimit(step) === 'outside', judgeOutside)(store)];
    // That one limit is refused or replaced shows nothing about the next one.
    const isOpen = [...groupBy(all, ({ steps: [step] }) => step?.request.query['limit']).values()].some((own) =>
      own.every((each) => each.is === 'undecided' && each.why === 'out of reach'),
    );
    yield* all.filter(({ is }) => !isOpen || is !== 'holds');
  },

  'list.shows-added': ofLists(() => true, judgeShown),
};
