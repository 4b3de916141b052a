/** GET /pets, its limit, its filters and what it shows: sections 2, 4.1 and 8; also the filters that a larger contract has. */
import { addedField, filtersOf, isListParameter } from '../../fixtures/contract/contract.ts';
import { LIST, operations, pageLimit } from '../../fixtures/contract/contract.ts';
import { isObject, type Json } from '../../fixtures/contract/json.ts';
import type { RequirementId } from '../../fixtures/contract/requirements.ts';
import { satisfies } from '../../fixtures/contract/schemas.ts';
import { counted, groupBy } from '../../fixtures/text.ts';
import { identifyItem, renderQuery, shown } from '../../fixtures/trace/finding.ts';
import type { Properties, Property, ReadableList, Store } from '../../fixtures/trace/store.ts';
import { hasOnly, LAG_MS, ofSteps, sameText } from '../../fixtures/trace/store.ts';
import { asAnimal, type Instance, FIX_FIRST, type Step } from '../../fixtures/trace/step.ts';
import { differsAt, findBrokenFilter, judgePresence, judgeShown, requirementOfFilter } from './contents.ts';
import { explainUnreadable, judgeStatus, mayBeGone, mayLag } from './statuses.ts';

const isValidList = (step: Step): boolean => step.calls(LIST) && step.isValid;

/** Valid lists that could be read, or why they could not. @param judgeAny judges also those that could not, and first. */
const ofLists = (
  isOwn: (list: Step) => boolean,
  judgeOne: (list: ReadableList, store: Store) => Iterable<Instance>,
  judgeAny: (list: Step, store: Store) => Instance | undefined = () => undefined,
): Property =>
  function* (store) {
    for (const step of store.steps.filter((each) => isValidList(each) && isOwn(each))) {
      const wrong = judgeAny(step, store);
      const unread = judgeStatus(store, step, [200], () => explainUnreadable(step, 'is not a list of animals'));
      if (wrong) yield wrong;
      else if (step.animals) yield* judgeOne(step as ReadableList, store);
      // A list that is refused violates list.succeeds.
      else if (unread.is === 'undecided') yield unread;
    }
  };

/** The body is an array, which `then` judges. */
function judgeArray(step: Step, then = (): Instance => step.holds()): Instance {
  if (step.parsed.unread !== undefined) return explainUnreadable(step, 'is not a list');
  return step.items ? then() : step.violates('wrong shape', 'body', { expected: 'array', actual: shown(step.json) });
}

/** A parameter with an invalid value: a 4xx, or a list, which `then` judges. */
const judgeInvalid = (store: Store, step: Step, then: () => Instance): Instance =>
  judgeStatus(store, step, [200, '4xx'], () => (step.isRefused ? step.holds() : then()));

// ---- why a list decides nothing

function needsMore(known: number, needed: number, { facts, additions }: Store, list: ReadableList): Instance {
  const more = `${facts.settings.readOnly ? 'READ_ONLY=0, or ' : ''}a target that holds more animals`;
  return list.outOfReach(
    `lists show ${counted(known, 'such animal')}, but ${needed} ${needed === 1 ? 'is' : 'are'} needed`,
    // Where as many were added, something is wrong with them, or with lists.
    additions.length < needed ? more : FIX_FIRST,
  );
}

// ---- length

/** @param expected how many animals it has at most, or at least. */
function blameLength(kind: 'too many animals' | 'too few animals', list: Step, expected: number): Instance {
  const more = { expected, actual: list.items?.length, detail: renderQuery(list.request.query) };
  return list.violates(kind, 'query limit', more);
}

const judgeTooLong = (list: Step, most: number): Instance | undefined =>
  (list.items?.length ?? 0) > most ? blameLength('too many animals', list, most) : undefined;

/** A list is as long as its limit, if enough animals exist. @param needed animals for a judgement. */
function judgeLength(store: Store, list: ReadableList, needed = 1): Instance {
  const { animals, pageSize } = list;
  const { settled, certain, doubtful } = store.existed(list);
  const least = Math.min(pageSize, settled.length);
  if (animals.length < least) return blameLength('too few animals', list, least);
  if (animals.length < Math.min(pageSize, certain.length)) return mayLag(store, list);
  const known = certain.length + doubtful.length;
  if (doubtful[0] && animals.length < Math.min(pageSize, known)) return mayBeGone(list, doubtful[0]);
  return known < needed ? needsMore(known, needed, store, list) : list.holds();
}

/** @param needed animals for a judgement. */
const lengths = (hasLimit: boolean, needed?: number): Property =>
  ofLists(
    // A contract that has no least limit does not show what a smaller one asks for.
    ({ request: { query }, pageSize }) =>
      'limit' in query === hasLimit && pageSize >= pageLimit.minimum && Object.keys(query).every(isListParameter),
    (list, store) => [findBrokenFilter(list) ?? judgeLength(store, list, needed)],
    (asked, store) => {
      // Where the same filters are served in another list, the limit is what is refused.
      const isSame = (list: Step): boolean => JSON.stringify(list.filters) === JSON.stringify(asked.filters);
      if (!hasLimit || !asked.isRefused || !store.lists.some(isSame)) return judgeTooLong(asked, asked.pageSize);
      return judgeStatus(store, asked, [200]);
    },
  );

const accepts = (limit: number): Property =>
  ofSteps((step, store) => {
    const isOwn = isValidList(step) && step.request.query['limit'] === String(limit);
    return isOwn && judgeStatus(store, step, [200]);
  });

/** Lists whose limit has a fault of one kind: none is longer than any list may be, and `then` judges other answers. */
const wrongLimits = (kind: 'type' | 'outside', then: (step: Step, store: Store) => Instance): Property =>
  ofSteps((step, store) => {
    const fault = step.calls(LIST) && step.request.faults.find(({ place }) => place === 'query limit');
    if (!fault || fault.kind !== kind) return undefined;
    return judgeInvalid(store, step, () => judgeTooLong(step, pageLimit.maximum) ?? then(step, store));
  });

/** Where the limit is out of range, a list that could not be longer than the largest one shows nothing. */
function judgeShort(step: Step, store: Store): Instance {
  if (!step.items) return explainUnreadable(step, 'is not a list of animals');
  const { length: known } = store.existed(step).certain;
  if (!step.animals || known > pageLimit.maximum || step.animals.length < known) return step.holds();
  return step.outOfReach(
    `${counted(known, 'animal is', 'animals are')} known: a list cannot be too long unless more than ${pageLimit.maximum} exist`,
    `${store.facts.settings.readOnly ? 'READ_ONLY=0 and ' : ''}DEPTH=thorough, which adds them`,
  );
}

// ---- filters

/** No item of a list has another value of a field than the one that was asked for. */
function judgeItems(store: Store, step: Step, name: string, asked: string): Instance {
  if (!step.items) return explainUnreadable(step, 'is not a list of animals');
  if (step.operation !== LIST && step.items.length === 0)
    return step.outOfReach(`${step.operation?.name} lists no item`, 'a target that holds such items');
  // The value of one that an invalid body left behind may be its fault, unless it is valid.
  const isValid = (item: Json): boolean => isObject(item) && satisfies(addedField(name) ?? {}, item[name] ?? null);
  const items = step.items.filter((item) => !store.wronglyAdded.has(asAnimal(item)?.id ?? '') || isValid(item));
  const isUnknown = step.request.faults.some(({ place }) => place === `query ${name}`);
  const isOpen = step.operation === LIST && !isUnknown;
  // A field that the list leaves out has the value that other answers show, or may have the one that was asked for.
  const valueOf = (item: Json): Json | undefined => {
    if (isObject(item) && name in item) return item[name];
    const known = isOpen ? store.knownTo(step).get(asAnimal(item)?.id ?? '') : undefined;
    if (!known?.addition) return known && asked;
    const { addition, shown: seen } = known;
    const value = addition.sent[name] ?? seen.find(({ fields }) => name in fields)?.fields[name];
    const isOfOther = seen.some(({ step: { request } }) => (request.query[name] || asked) !== asked);
    return value ?? (isOfOther ? undefined : asked);
  };
  const others = items.filter((item) => !sameText(valueOf(item), asked));
  // A filter without effect would look the same.
  if (others.length === 0 && [...store.known.values()].every((each) => hasOnly(each, name, asked)))
    return step.outOfReach(`no animal of another ${name} than ${asked} is known`, 'a target that holds such animals');
  // Nor does an empty list show more while lists lag behind.
  const isShown = (list: ReadableList): boolean => list.end <= step.start && list.animals.length > 0;
  if (step.items.length === 0 && !store.lists.some(isShown)) {
    const again = { at: store.settledAt, remedy: 'a list before it that shows animals' };
    return step.askAgain('no list had shown an animal before', again);
  }
  const more = {
    expected: asked,
    actual: [...new Set(others.map((item) => shown(valueOf(item)) ?? 'absent'))].slice(0, 5),
    detail: `${others.length} of ${counted(items.length, 'item')}`,
    animal: identifyItem(others[0]),
  };
  const kind = isUnknown ? 'found by an unknown value' : 'not filtered';
  return step.violatesIf(others.length > 0, kind, `query ${name}`, more);
}

function judgeFiltered(store: Store, step: Step, name: string, asked: string): Instance | undefined {
  const instance = judgeStatus(store, step, [200], () => {
    if (differsAt(store, step, name)) return step.blockedBy('pets.schema', `the ${name} of an item is not valid`);
    return judgeItems(store, step, name, asked);
  });
  const isSame = (each: Step): boolean => each.operation === step.operation && each.request.query[name] === asked;
  // Where another part of the request may be refused, or the value is served in another list, that shows nothing.
  const isRefused = step.status !== 200 && instance.is === 'violated';
  const isOfOthers = (): boolean => store.steps.some((each) => isSame(each) && each.isServed);
  return isRefused && (!step.isValid || isOfOthers()) ? undefined : instance;
}

/** Lists with a filter return no item with another value. @param wanted the requirement of the filter. */
const judgeFilters = (wanted: RequirementId): Property =>
  function* (store) {
    for (const operation of operations)
      for (const { name } of filtersOf(operation))
        for (const step of store.of(operation).filter(({ isOfKey }) => isOfKey)) {
          const { [name]: asked = '' } = step.request.query;
          const fault = step.request.deviations.find(({ place }) => place === `query ${name}`)?.kind;
          // The effect of an empty value is not specified, nor that of one of another type, or of two values.
          if (asked === '' || (fault && fault !== 'outside')) continue;
          if (requirementOfFilter(operation.id, name, fault ?? 'values') !== wanted) continue;
          const instance = fault
            ? judgeInvalid(store, step, () => judgeItems(store, step, name, asked))
            : judgeFiltered(store, step, name, asked);
          if (instance) yield { ...instance, part: fault ?? asked };
        }
  };

/** A filter finds the animals with its value: all of them if the list was not cut. */
function* judgeFinds(list: ReadableList, store: Store): Iterable<Instance> {
  const { added, settled, certain, doubtful } = store.existed(list);
  const isEmpty = list.animals.length === 0;
  const isKnown = added.length + certain.length > 0;
  const broken = findBrokenFilter(list);
  if (isEmpty && (settled.length > 0 || added.some(({ step }) => step.end + LAG_MS <= list.start)))
    yield list.violates('missing animal', '/*', { expected: 1, actual: 0 });
  else if (isEmpty && isKnown) yield mayLag(store, list);
  else if (isEmpty && doubtful[0]) yield mayBeGone(list, doubtful[0]);
  else if (!isKnown) yield needsMore(0, 1, store, list);
  else if (broken) yield broken;
  else if (list.isFull || added.length === 0) yield list.holds();
  else yield* added.map((addition) => judgePresence(store, list, addition));
}

/** Each value is a part, also where a list of it got no answer that shows anything. @param isName whether a filter is meant. */
const finds = (isName: (name: string) => boolean): Property =>
  function* (store) {
    // A contract may allow a limit of 0.
    const isOwn = ({ filters = {}, pageSize }: Step): boolean => pageSize > 0 && Object.keys(filters).some(isName);
    for (const instance of ofLists(isOwn, judgeFinds)(store)) {
      const query = Object.entries(instance.steps[0]?.request.query ?? {});
      yield { ...instance, part: query.find(([name]) => isName(name))?.[1] as string };
    }
  };

export const list: Properties = {
  'list.succeeds': ofSteps((step, store) => {
    const isPlain = isValidList(step) && Object.keys(step.request.query).length === 0;
    const judgeAnimals = (): Instance => step.judge(step.animals ? [] : store.differencesOf(step));
    return isPlain && judgeStatus(store, step, [200], () => judgeArray(step, judgeAnimals));
  }),

  'list.limit.caps': lengths(true),
  'list.limit.default': lengths(false, pageLimit.default + 1),
  'list.limit.minimum': accepts(pageLimit.minimum),
  'list.limit.maximum': accepts(pageLimit.maximum),
  'list.limit.not-a-number': wrongLimits('type', (step) => judgeArray(step)),

  *'list.limit.never-above-maximum'(store) {
    const all = [...wrongLimits('outside', judgeShort)(store)];
    // That one limit is refused or replaced shows nothing about the next one.
    const isOutOfReach = [...groupBy(all, ({ steps: [step] }) => step?.request.query['limit']).values()].some((own) =>
      own.every((each) => each.is === 'undecided' && each.remedy !== undefined),
    );
    yield* all.filter(({ is }) => !isOutOfReach || is !== 'holds');
  },

  'list.shows-added': ofLists(() => true, judgeShown),

  'list.status.only': judgeFilters('list.status.only'),
  'list.status.unknown': judgeFilters('list.status.unknown'),
  'list.status.finds': finds((name) => name === 'status'),

  'list.status.before-limit': ofLists(
    ({ request: { query } }) => query['status'] !== undefined && query['limit'] !== undefined,
    function* (found, store) {
      const length = judgeLength(store, found);
      if (found.animals.length === 0) yield length;
      // Whether the filter or the limit cut it is unclear, and another list may be full by chance.
      else if (length.is === 'violated')
        yield { ...found.blockedBy('list.limit.caps', 'a filtered list is shorter than its limit'), part: 'short' };
      else if (store.existed(found).certain.length > 0) yield findBrokenFilter(found) ?? found.holds();
    },
  ),

  *'service.filter'(store) {
    yield* judgeFilters('service.filter')(store);
    yield* finds((name) => !isListParameter(name))(store);
  },
};
