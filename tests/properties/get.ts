/** GET /pets/{petId}: section 4.3, and what it shows of additions. */
import { bodySchemaOf, fieldsOf, GET, LIST } from '../../fixtures/contract/contract.ts';
import { sameValue, toInteger } from '../../fixtures/contract/json.ts';
import { isPast, targetTime } from '../../fixtures/target/http/exchange.ts';
import { parseHttpDate } from '../../fixtures/target/http/retry-after.ts';
import { memoize } from '../../fixtures/text.ts';
import { findChangedFields } from '../../fixtures/trace/finding.ts';
import type { JudgeStep, Properties, Property, Store } from '../../fixtures/trace/store.ts';
import { LAG_MS, ofSteps, MUTABLE_FIELDS } from '../../fixtures/trace/store.ts';
import { type Animal, type Instance, FIX_FIRST, type Step, undecided } from '../../fixtures/trace/step.ts';
import { differsAt } from './contents.ts';
import { carries } from './responses.ts';
import { explainUnreadable, judgeStatus, judgeUnknown, mayLag } from './statuses.ts';

/** Why GET cannot be judged at a step: it is past its removal date, or may be. */
function findRemoval({ exchange }: Step): Instance | undefined {
  const { name, removalDate } = GET;
  const isRemoved = isPast(removalDate, exchange);
  if (isRemoved === false) return undefined;
  if (isRemoved)
    return undecided(`${name} is past its announced removal date, ${removalDate}`, { notApplicable: true });
  const clock = `the target's clock shows ${new Date(targetTime(exchange) * 1000).toISOString()}`;
  const reason = `${clock}: whether ${name} is removed (${removalDate}) depends on whose clock is right`;
  return undecided(reason, { remedy: 'the right time on the target and on this machine' });
}

/** GETs before the removal date, or why there are none. */
const ofGets = (judgeOne: JudgeStep): Property =>
  function* (store) {
    const last = store.steps.findLast(({ status }) => status !== undefined);
    const removal = last && findRemoval(last);
    if (removal) return yield removal;
    yield* ofSteps((step) => step.calls(GET) && !findRemoval(step) && judgeOne(step, store))(store);
  };

const isFaulty = ({ request }: Step): boolean => request.faults.length > 0;

function explainGiven(step: Step, store: Store): Instance | undefined {
  const { id = '' } = step.request;
  if (!isFaulty(step) || !store.known.has(id)) return undefined;
  const see = toInteger(id) === undefined ? 'pet.schema' : 'pet.int64';
  return step.blockedBy(see, 'the id that the service gave is no int64');
}

/** GETs of a valid id, or why one that the service gave is not valid. */
const ofIds = (judgeOne: (step: Step, store: Store, id: string) => Instance | undefined): Property =>
  ofGets((step, store) => explainGiven(step, store) ?? (step.isValid && judgeOne(step, store, step.request.id ?? '')));

/** Whether a 404 is too early to show that an animal is lost. */
const isEarly = (step: Step, added: Step): boolean => step.status === 404 && step.start < added.end + LAG_MS;

/** A GET shows the animal that was asked for, which `other` showed before, and `then` judges its fields. */
function judgeAnimal(store: Store, step: Step, other: Step, then: (animal: Animal) => Instance): Instance {
  const { animal, request } = step;
  const { id = '' } = request;
  const judgeId = (): Instance => {
    if (!animal) return explainUnreadable(step, 'is not an animal');
    const more = { expected: id, actual: animal.id, animal: { id }, pointer: '/id' };
    return animal.id === id ? then(animal) : step.violates('wrong animal', '/id', more, other);
  };
  return judgeStatus(store, step, [200], judgeId, other);
}

// ---- found

/** A GET finds the animal that lists, or its addition, show. */
function judgeFound(step: Step, store: Store, id: string): Instance | undefined {
  const { addition, shown = [] } = store.knownTo(step).get(id) ?? {};
  // Where another animal comes, what a GET showed before is enough.
  const isOther = step.animal !== undefined && step.animal.id !== id;
  const isMeant = ({ operation, end }: Step): boolean => (operation !== GET || isOther) && end <= step.start;
  const before = shown.find((each) => isMeant(each.step))?.step;
  if (!before || store.wronglyAdded.has(id)) return undefined;
  // Requests of this trace may have removed it (see service.changes).
  const isChanged = store.changed.has(id);
  if (isChanged && step.status === 404) return undefined;
  if (addition && isEarly(step, addition.step)) return mayLag(store, step);
  // Another client may have added or removed what was not found: it has to be there long before and after.
  const isThereLater = shown.some((each) => each.step.start >= step.end + LAG_MS);
  if (!addition && step.status === 404 && (isEarly(step, before) || !isThereLater)) {
    const [asked, since] = isEarly(step, before) ? [step, before] : [before, step];
    const again = { at: since.end + LAG_MS + 100, remedy: 'READ_ONLY=0' };
    return asked.askAgain('another client may have added or removed the animal', again);
  }
  return judgeAnimal(store, step, before, (animal) => (isChanged ? step.holds() : judgeAsListed(store, step, animal)));
}

const SHOWN_FIELDS = fieldsOf(bodySchemaOf(GET, '200') ?? {}).map(({ name }) => name);

/** A GET shows an animal as two other answers do that agree: the lists before and after it, or its addition and a list. */
function judgeAsListed(store: Store, step: Step, { id, fields }: Animal): Instance {
  // Several animals with one id differ (see add.id.unique).
  if (store.additions.filter(({ animal }) => animal.id === id).length > 1) return step.holds();
  const { shown = [] } = store.knownTo(step).get(id) ?? {};
  const added = shown.find((each) => each.step.operation?.method === 'POST' && each.step.end <= step.start);
  const lists = shown.filter((each) => each.step.operation === LIST);
  const before = lists.findLast((each) => each.step.end <= step.start);
  const after = lists.find((each) => each.step.start >= step.end);
  const [one, other] = added ? [added, before ?? after] : [before, after];
  if (!one || !other) return step.holds();
  // What breaks the schema shows nothing of the animal.
  const shows = ({ step: by, fields: all }: typeof one, name: string): boolean =>
    name in all && !differsAt(store, by, name);
  const both = SHOWN_FIELDS.filter((name) => shows(one, name) && shows(other, name));
  if (!both.every((name) => sameValue(one.fields[name], other.fields[name]))) return step.holds();
  // What was sent is judged by add.persists.
  const { sent = {} } = added?.step.request ?? {};
  const isFixed = (name: string): boolean => (added && !store.facts.isForeign) || !MUTABLE_FIELDS.includes(name);
  const names = both.filter((name) => name in fields && !(name in sent) && isFixed(name));
  const expected = Object.fromEntries(names.map((name) => [name, one.fields[name] ?? null]));
  return step.judge(findChangedFields(fields, expected, { id, detail: 'two other answers' }), one.step, other.step);
}

/** A GET finds an addition as it was sent, also later. */
function judgePersists(step: Step, store: Store, id: string): Instance | undefined {
  const { step: added, sent } = store.knownTo(step).get(id)?.addition ?? {};
  if (!added || !sent || added.end > step.start) return undefined;
  if (isEarly(step, added)) return mayLag(store, step);
  const isFound = (each: Step): boolean => each.status === 200 && each.animal !== undefined;
  const wasFound = (each: Step): boolean => isFound(each) && each.request.id === id && each.end <= step.start;
  const before = step.status === 404 ? store.of(GET).find(wasFound) : undefined;
  if (before) return step.violates('not found again', 'status', { expected: 200, actual: 404 }, before);
  // Then get.found fails.
  if (!store.of(GET).some(isFound) && store.lists.some((list) => list.lists(id)))
    return step.blockedBy('get.found', 'GET /pets/{petId} finds no animal at all');
  const more = { id, names: store.names };
  return judgeAnimal(store, step, added, ({ fields }) => step.judge(findChangedFields(fields, sent, more), added));
}

/** A GET of an addition that a list lacks shows whether it was stored. */
function askForUnlisted(store: Store): Instance[] {
  const asked = new Set(store.of(GET).map(({ request }) => request.id));
  for (const list of store.lists.filter(({ isFull }) => !isFull)) {
    const lacking = store.existed(list).added.find(({ animal: { id } }) => !list.lists(id) && !asked.has(id));
    if (!lacking) continue;
    const again = { target: `/pets/${lacking.animal.id}`, at: store.settledAt, remedy: FIX_FIRST };
    return [list.askAgain('a list lacks an animal that was added', again)];
  }
  return [];
}

// ---- not found

/** Ids that a service assigns in a run lie nearer together than this, also where they begin with the time. */
const NEAR = 2 ** 40;

/** An addition that may have got any id. */
const findUnreadableId = memoize(({ steps }: Store) =>
  steps.find(
    ({ operation, isOfKey, isServed, animal }) =>
      operation?.method === 'POST' && isOfKey && isServed && toInteger(animal?.id ?? '') === undefined,
  ),
);

/** Whether a service may give the id: none gives one by chance that this suite chose at random, far from known ones. */
function mayBeGiven(id: string, { facts, additions, lists }: Store): boolean {
  if (facts.isForeign || Number.isSafeInteger(Number(id))) return true;
  const isNear = (other: Animal): boolean => other.id !== id && Math.abs(Number(other.id) - Number(id)) < NEAR;
  // What a GET shows may be made up.
  return [...additions.map(({ animal }) => animal), ...lists.flatMap(({ animals }) => animals)].some(isNear);
}

/** A GET of an id that nothing had before it finds nothing. */
function judgeNotFound(step: Step, store: Store): Instance | undefined {
  const { id = '' } = step.request;
  const isGiven = mayBeGiven(id, store);
  const isOther = step.animal !== undefined && step.animal.id !== id;
  // An addition under way at the same moment may have got the id; no other animal has it.
  const isShown = (each: Step): boolean => each !== step && (isOther ? each.end <= step.start : each.start <= step.end);
  const { shown = [] } = store.known.get(id) ?? {};
  // Also those which other requests may have changed; another animal is wrong whatever they did.
  const isAdded = !isOther && store.additions.some((each) => each.animal.id === id && isShown(each.step));
  if (isAdded || store.wronglyAdded.has(id) || shown.some((each) => isShown(each.step))) return undefined;
  const isAnother = isOther && toInteger(step.animal.id) !== undefined;
  const unreadable = isGiven && !isAnother ? findUnreadableId(store) : undefined;
  if (unreadable) return step.inTheWay('an animal was added whose id cannot be read', unreadable);
  // Another client may have added the animal that was found, perhaps in another shape.
  const mayExist = isGiven || shown.some((each) => each.step.operation !== GET);
  const showsId = new RegExp(`\\bid\\W+${id}\\b`).test(step.exchange.response?.body ?? '');
  const isFound = step.animal ? !isOther : step.isServed && (store.facts.isForeign || showsId);
  return judgeUnknown(step, store, mayExist && isFound);
}

const isDeprecated = ({ operation, isServed }: Step): boolean => operation?.raw.deprecated === true && isServed;

export const get: Properties = {
  'get.found': ofIds(judgeFound),
  'add.persists': (store) => [...ofIds(judgePersists)(store), ...askForUnlisted(store)],
  'get.unknown': ofGets((step, store) => step.isValid && judgeNotFound(step, store)),
  'get.id.not-an-integer': ofGets(
    (step, store) => isFaulty(step) && (explainGiven(step, store) ?? judgeStatus(store, step, ['4xx'])),
  ),

  'get.deprecation-header': carries('Deprecation', isDeprecated, (value) =>
    /^@-?\d+$/.test(value.trim()) ? undefined : { expected: '@<Unix timestamp>' },
  ),

  'get.sunset-header': carries('Sunset', isDeprecated, (value, { operation }) => {
    const [date, removal] = [parseHttpDate(value), operation?.removalDate ?? ''];
    const agrees = date !== undefined && new Date(date * 1000).toISOString().startsWith(removal);
    return agrees ? undefined : { expected: `an HTTP date on ${removal}` };
  }),
};
