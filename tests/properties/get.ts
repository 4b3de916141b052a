/** GET /pets/{petId}: section 4.3, and what it shows of additions. */
import { bodySchemaOf, fieldsOf, GET, LIST } from '../../fixtures/contract/contract.ts';
import { sameValue } from '../../fixtures/contract/json.ts';
import { endOf, targetTime } from '../../fixtures/target/http/exchange.ts';
import { parseHttpDate } from '../../fixtures/target/http/retry-after.ts';
import { difference, findChangedFields } from '../../fixtures/trace/finding.ts';
import {
  type Again,
  askAgain,
  blockedBy,
  holds,
  inTheWay,
  type Instance,
  judge,
  notApplicable,
  ofSteps,
  outOfReach,
  type Properties,
  type Property,
} from '../../fixtures/trace/property.ts';
import type { Animal, Step } from '../../fixtures/trace/step.ts';
import { type Known, LAG_MS, type Store } from '../../fixtures/trace/store.ts';
import { mayLag } from './list.ts';
import { judgeUnknown } from './others.ts';
import { carries } from './responses.ts';
import { expecting, explainUnreadable, judgeStatus } from './statuses.ts';

const DAY_MS = 86_400_000;

/** Why GET cannot be judged at a step: it is past its removal date, or may be. */
function findRemoval({ exchange }: Step): Instance | undefined {
  const { name, removalDate } = GET;
  if (removalDate === undefined) return undefined;
  const [there, here] = [targetTime(exchange) * 1000, endOf(exchange)];
  const isOver = (now: number): boolean => now >= Date.parse(removalDate);
  if (isOver(there) !== isOver(here) && Math.abs(there - here) > DAY_MS)
    return outOfReach(
      `the target's clock says ${new Date(there).toISOString()}: whether ${name} is removed (${removalDate}) depends on whose clock is right`,
      'the right time on the target and on this machine',
    );
  return isOver(there) ? notApplicable(`${name} is past its announced removal date, ${removalDate}`) : undefined;
}

const isFaulty = ({ request }: Step): boolean => request.faults.length > 0;

/** GETs before the removal date, or why there are none. */
const ofGets = (isOwn: (step: Step, store: Store) => boolean, judgeOne: Parameters<typeof ofSteps>[1]): Property =>
  function* (store) {
    const last = store.steps.findLast(({ status }) => status !== undefined);
    const removal = last && findRemoval(last);
    if (removal) return yield removal;
    const isJudged = (step: Step): boolean => step.calls(GET) && isOwn(step, store) && !findRemoval(step);
    yield* ofSteps(isJudged, judgeOne)(store);
  };

/** GETs of a valid id, and of one that the service gave. */
const ofIds = (judgeOne: (step: Step, store: Store) => Instance | undefined): Property =>
  ofGets(
    (step, store) => step.isValid || (isFaulty(step) && isGiven(step, store)),
    (step, store) => (isFaulty(step) ? explainGiven(step) : judgeOne(step, store)),
  );

const isGiven = ({ request }: Step, store: Store): boolean => store.known.has(request.id ?? '');
const explainGiven = (step: Step): Instance =>
  inTheWay('the service gave this id, which is not an int64 (see pet.schema and pet.int64)', step);

const idOf = ({ request }: Step): string => BigInt(request.id as string).toString();

/** Whether a 404 is too early to show that an animal is lost. */
const isEarly = (step: Step, added: Step): boolean => step.status === 404 && step.start < added.end + LAG_MS;

/** It is the animal that was asked for, and `then` judges its fields. */
function judgeAnimal(step: Step, then: (animal: Animal) => Instance, other: Step): Instance {
  const { animal } = step;
  const id = idOf(step);
  if (!animal) return explainUnreadable(step, 'is not an animal');
  if (animal.id === id) return then(animal);
  const more = { expected: id, actual: animal.id, animal: { id }, pointer: '/id' };
  return judge([difference('wrong animal', '/id', more)], step, other);
}

// ---- found

/** What would show whether another client added or removed an animal that was not found: it has to be there long before and after. */
function findChange(step: Step, before: Step, shown: Known['shown']): Again | undefined {
  if (step.status !== 404) return undefined;
  if (step.start < before.end + LAG_MS) return { step, at: before.end + LAG_MS + 100 };
  const isThereLater = shown.some((each) => each.step.start >= step.end + LAG_MS);
  return isThereLater ? undefined : { step: before, at: step.end + LAG_MS + 100 };
}

/** A GET finds the animal that lists, or its addition, show. */
function judgeFound(step: Step, store: Store): Instance | undefined {
  const { id, addition, shown: all = [] } = store.known.get(idOf(step)) ?? {};
  const shown = all.filter((each) => each.step !== step && store.isSameStore(each.step, step));
  const before = shown.find((each) => each.step.operation !== GET && each.step.end <= step.start)?.step;
  if (id === undefined || !before || store.planted.has(id)) return undefined;
  // Requests of this trace may have removed it (see service.changes).
  const isChanged = store.changed.has(id);
  if (isChanged && step.status === 404) return undefined;
  if (addition && isEarly(step, addition.step)) return mayLag(store, step);
  const again = addition ? undefined : findChange(step, before, shown);
  if (again) return askAgain('another client may have added or removed the animal', again, 'READ_ONLY=0');
  const judgeFields = (animal: Animal): Instance => (isChanged ? holds(step) : judgeAsListed(step, animal, shown));
  return judgeStatus(store, step, [200], () => judgeAnimal(step, judgeFields, before), before);
}

const SHOWN_FIELDS = fieldsOf(bodySchemaOf(GET, '200') ?? {}).map(({ name }) => name);
/** Other clients may change what lists filter by. */
const STATES = LIST.parameters.map(({ name }) => name);

/** A GET shows an animal as two other answers do that agree: the lists before and after it, or its addition and a list. */
function judgeAsListed(step: Step, { id, fields }: Animal, shown: Known['shown']): Instance {
  const added = shown.find((each) => each.step.operation?.method === 'POST' && each.step.end <= step.start);
  const lists = shown.filter((each) => each.step.operation === LIST);
  const before = lists.findLast((each) => each.step.end <= step.start);
  const after = lists.find((each) => each.step.start >= step.end);
  const [one, other] = added ? [added, before ?? after] : [before, after];
  if (!one || !other) return holds(step);
  const both = SHOWN_FIELDS.filter((name) => name in one.fields && name in other.fields);
  if (!both.every((name) => sameValue(one.fields[name], other.fields[name]))) return holds(step);
  // What was sent is judged by add.persists.
  const excluded = added ? Object.keys(added.step.request.sent ?? {}) : STATES;
  const names = both.filter((name) => name in fields && !excluded.includes(name));
  const expected = Object.fromEntries(names.map((name) => [name, one.fields[name] ?? null]));
  return judge(findChangedFields(fields, expected, { id, detail: 'two other answers' }), step, one.step, other.step);
}

/** A GET finds an addition as it was sent, also later. */
function judgePersists(step: Step, store: Store): Instance | undefined {
  const { step: added, sent, animal } = store.unchanged.get(idOf(step)) ?? {};
  if (!added || added.end > step.start || !store.isSameStore(added, step)) return undefined;
  if (isEarly(step, added)) return mayLag(store, step);
  const found = store.of(GET.id).filter((each) => each.status === 200 && each.animal);
  const wasFound = found.find((each) => each.request.id === step.request.id && each.end <= step.start);
  if (step.status === 404 && wasFound)
    return judge([difference('not found again', 'status', { expected: 200, actual: 404 })], step, wasFound);
  // Then get.found fails.
  if (found.length === 0 && store.lists.some(({ animals }) => animals.some(({ id }) => id === animal?.id)))
    return blockedBy('get.found', 'GET /pets/{petId} finds no animal at all', step);
  const judgeFields = ({ id, fields }: Animal): Instance =>
    judge(findChangedFields(fields, sent ?? {}, { id }), step, added);
  return judgeStatus(store, step, [200], () => judgeAnimal(step, judgeFields, added), added);
}

/** Whether an id is one that this suite chose at random: no service gives it by chance. */
const isRandom = (store: Store, id: bigint): boolean =>
  !store.facts.isForeign && (id > BigInt(Number.MAX_SAFE_INTEGER) || id < -BigInt(Number.MAX_SAFE_INTEGER));

/** An addition that may have got any id. */
const hasUnreadableId = ({ operation, isOfKey, isServed, animal }: Step): boolean =>
  operation?.method === 'POST' && isOfKey && isServed && !/^-?\d+$/.test(animal?.id ?? '');

export const get: Properties = {
  'get.found': ofIds(judgeFound),
  'add.persists': ofIds(judgePersists),

  'get.unknown': ofGets(
    (step, store) => step.isValid && !store.planted.has(idOf(step)),
    (step, store) => {
      const id = idOf(step);
      const isOther = step.animal !== undefined && step.animal.id !== id;
      // An addition under way at the same moment may have got the id; no other animal has it.
      const isShown = (each: Step): boolean =>
        each !== step && (isOther ? each.end <= step.start : each.start <= step.end);
      const { shown = [] } = store.known.get(id) ?? {};
      if (shown.some((each) => isShown(each.step))) return undefined;
      const isChosen = isRandom(store, BigInt(id));
      const unreadable = isChosen ? undefined : store.steps.find(hasUnreadableId);
      if (unreadable) return inTheWay('an animal was added whose id cannot be read', step, unreadable);
      const mayExist = !isChosen || shown.some((each) => each.step.operation !== GET);
      const isFound = step.animal ? !isOther : store.facts.isForeign && step.isServed;
      return judgeUnknown(step, store, mayExist && isFound);
    },
  ),

  'get.id.not-an-integer': ofGets(isFaulty, (step, store) =>
    isGiven(step, store) ? explainGiven(step) : expecting('4xx')(step, store),
  ),

  'get.deprecation-header': carries('Deprecation', isDeprecated, (value) =>
    /^@-?\d+$/.test(value.trim()) ? undefined : '@<Unix timestamp>',
  ),

  'get.sunset-header': carries('Sunset', isDeprecated, (value) => {
    const [date, removal] = [parseHttpDate(value), GET.removalDate ?? ''];
    const agrees = date !== undefined && new Date(date * 1000).toISOString().startsWith(removal);
    return agrees ? undefined : `an HTTP date on ${removal}`;
  }),
};

function isDeprecated({ operation, isServed }: Step): boolean {
  return operation?.deprecated === true && isServed;
}
