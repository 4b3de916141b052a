/** GET /pets/{petId}: section 4.3, and what it shows of additions. */
import { fieldsOf, bodySchemaOf, GET, isWriting, LIST, type Operation } from '../../fixtures/contract/contract.ts';
import { type Json, sameValue } from '../../fixtures/contract/json.ts';
import { type Difference, difference, findChangedFields, wrongHeader } from '../../fixtures/trace/finding.ts';
import { endOf, header, targetTime } from '../../fixtures/target/http/exchange.ts';
import { parseHttpDate } from '../../fixtures/target/http/retry-after.ts';
import {
  type Again,
  blockedBy,
  askAgain,
  holds,
  inTheWay,
  type Instance,
  judge,
  notApplicable,
  outOfReach,
  type Properties,
} from '../../fixtures/trace/property.ts';
import type { Animal, Step } from '../../fixtures/trace/step.ts';
import { type Addition, type Known, LAG_MS, type Store } from '../../fixtures/trace/store.ts';
import { ofResponses } from './responses.ts';
import { explainUnreadable, judgeStatus } from './statuses.ts';

const DAY_MS = 86_400_000;

/** Why an operation cannot be judged at a step: it is past its removal date, or may be. */
function findRemoval({ operation, exchange }: Step): Instance | undefined {
  const { name, removalDate } = operation as Operation;
  if (removalDate === undefined) return undefined;
  const [there, here] = [targetTime(exchange) * 1000, endOf(exchange)];
  const [isOverThere, isOverHere] = [there, here].map((now) => now >= Date.parse(removalDate));
  if (isOverThere !== isOverHere && Math.abs(there - here) > DAY_MS)
    return outOfReach(
      `the target's clock says ${new Date(there).toISOString()}: whether ${name} is removed (${removalDate}) depends on whose clock is right`,
      'the right time on the target and on this machine',
    );
  return isOverThere ? notApplicable(`${name} is past its announced removal date, ${removalDate}`) : undefined;
}

/** The GETs of a valid id, before the removal date. */
function* findGets(store: Store): Iterable<Step> {
  for (const step of store.steps.filter((each) => each.calls(GET) && each.isValid)) if (!findRemoval(step)) yield step;
}

/** With the reason if the operation is removed. */
const beforeRemoval = (judgeAll: (store: Store) => Iterable<Instance>) =>
  function* (store: Store): Iterable<Instance> {
    const [last] = store.steps.filter(({ status }) => status !== undefined).slice(-1);
    const removal = last && findRemoval({ ...last, operation: GET, exchange: last.exchange } as Step);
    if (removal) yield removal;
    else yield* judgeAll(store);
  };

const idOf = ({ request }: Step): string => BigInt(request.id as string).toString();

const LAGS = 'what was added may not be visible yet';

const describeOther = (step: Step): Difference =>
  difference('wrong animal', '/id', {
    expected: idOf(step),
    actual: step.animal?.id ?? '',
    animal: { id: idOf(step) },
    pointer: '/id',
  });

/** Whether a 404 is too early to show that an animal is lost. */
const mayLag = (step: Step, { step: added }: Addition): boolean =>
  step.status === 404 && step.start < added.end + LAG_MS;

/** What would show whether another client added or removed an animal that was not found: it has to be there long before and after. */
function findChange(step: Step, before: Step, shown: Known['shown']): Again | undefined {
  if (step.status !== 404) return undefined;
  if (step.start < before.end + LAG_MS) return { step, at: before.end + LAG_MS + 100 };
  const isThereLater = shown.some((each) => each.step.start >= step.end + LAG_MS);
  return isThereLater ? undefined : { step: before, at: step.end + LAG_MS + 100 };
}

/** No GET that the contract allows finds an animal whose id is not an int64. */
function* findUnaskable(store: Store): Iterable<Instance> {
  for (const step of store.steps.filter((each) => each.calls(GET) && each.request.faults.length > 0))
    if (store.known.has(step.request.id ?? ''))
      yield inTheWay('the service gave this id, which is not an int64 (see pet.schema and pet.int64)', step);
}

/** A GET finds the animal that lists, or its addition, show. */
function* judgeFound(store: Store): Iterable<Instance> {
  yield* findUnaskable(store);
  for (const step of findGets(store)) {
    const { id, addition, shown: all = [] } = store.known.get(idOf(step)) ?? {};
    const shown = all.filter((each) => each.step !== step && store.isSameStore(each.step, step));
    const before = shown.find((each) => each.step.operation !== GET && each.step.end <= step.start);
    if (id === undefined || !before || store.planted.has(id)) continue;
    // Requests of this trace may have removed it (see service.changes).
    if (store.changed.has(id) && step.status === 404) continue;
    const again = addition ? undefined : findChange(step, before.step, shown);
    if (addition && mayLag(step, addition)) yield askAgain(LAGS, { step, at: store.settledAt });
    else if (again)
      yield {
        ...outOfReach('another client may have added or removed the animal', 'READ_ONLY=0', step),
        again,
      } as Instance;
    else {
      const instance = judgeStatus(store, step, [200], before.step);
      if (instance.is !== 'holds') yield instance;
      else if (!step.animal) yield explainUnreadable(step, 'is not an animal');
      else if (step.animal.id !== idOf(step)) yield judge([describeOther(step)], step, before.step);
      else if (store.changed.has(id)) yield holds(step);
      else yield* judgeAsListed(step, step.animal, shown);
    }
  }
}

const SHOWN_FIELDS = fieldsOf(bodySchemaOf(GET, '200') ?? {}).map(({ name }) => name);
/** Other clients may change what lists filter by. */
const STATES = LIST.parameters.map(({ name }) => name);

/** A GET shows an animal as two other answers do: the lists before and after it, or its addition and a list. */
function* judgeAsListed(
  step: Step,
  { id, fields }: Animal,
  shown: readonly { step: Step; fields: Record<string, Json> }[],
): Iterable<Instance> {
  const others = shown.filter((each) => each.step.operation !== GET);
  const own = others.find((each) => isWriting(each.step.exchange.request.method) && each.step.end <= step.start);
  const lists = others.filter((each) => each !== own && !isWriting(each.step.exchange.request.method));
  const [before, after] = [
    lists.findLast((each) => each.step.end <= step.start),
    lists.find((each) => each.step.start >= step.end),
  ];
  const [one, other] = own ? [own, before ?? after] : [before, after];
  const agreed = one && other && findAgreement(one.fields, other.fields);
  if (!agreed) return yield holds(step);
  const excluded = own ? Object.keys(own.step.request.sent ?? {}) : STATES;
  const expected = Object.fromEntries(
    Object.entries(agreed).filter(([name]) => name in fields && !excluded.includes(name)),
  );
  yield judge(findChangedFields(fields, expected, { id, detail: 'two other answers' }), step, one.step, other.step);
}

/** The fields that are the same in both; undefined if they differ in one that both show. */
function findAgreement(a: Record<string, Json>, b: Record<string, Json>): Record<string, Json> | undefined {
  const names = SHOWN_FIELDS.filter((name) => name in a && name in b);
  if (!names.every((name) => sameValue(a[name], b[name]))) return undefined;
  return Object.fromEntries(names.map((name) => [name, a[name] as Json]));
}

/** Whether a list shows an animal, and no GET finds any: get.found fails then. */
const findsNothing = (store: Store, id: string): boolean =>
  store.lists.some(({ animals }) => animals.some((each) => each.id === id)) &&
  !store.of(GET.id).some(({ animal }) => animal);

function* judgePersists(store: Store): Iterable<Instance> {
  yield* findUnaskable(store);
  for (const step of findGets(store)) {
    const addition = store.unchanged.get(idOf(step));
    if (!addition || addition.step.end > step.start || !store.isSameStore(addition.step, step)) continue;
    const { sent, animal, step: added } = addition;
    const wasFound = store
      .of(GET.id)
      .find((each) => each.request.id === step.request.id && each.status === 200 && each.end <= step.start);
    if (mayLag(step, addition)) yield askAgain(LAGS, { step, at: store.settledAt });
    else if (step.status === 404 && wasFound)
      yield judge([difference('not found again', 'status', { expected: 200, actual: 404 })], step, wasFound);
    else if (findsNothing(store, animal.id))
      yield blockedBy('get.found', 'GET /pets/{petId} finds no animal at all', step);
    else {
      const instance = judgeStatus(store, step, [200], added);
      if (instance.is !== 'holds') yield instance;
      else if (!step.animal) yield explainUnreadable(step, 'is not an animal');
      else if (step.animal.id !== animal.id) yield judge([describeOther(step)], step, added);
      else yield judge(findChangedFields(step.animal.fields, sent, { id: animal.id }), step, added);
    }
  }
}

/** Ids that another client's next animal may get. */
const NEXT = 1000n;

/** Whether an id is one that this suite chose at random: no service gives it by chance. */
const isRandom = (store: Store, id: bigint): boolean =>
  !store.facts.isForeign && (id > BigInt(Number.MAX_SAFE_INTEGER) || id < -BigInt(Number.MAX_SAFE_INTEGER));

/**
 * Whether an animal that a GET showed may be of another client: a list shows it, its id is the next one, or no whole list lacks
 * it later. Only this suite chooses ids at random; another client may have its ids from elsewhere, and animals may go.
 */
function mayBeOfOthers(store: Store, step: Step): boolean {
  const { isForeign } = store.facts;
  const id = BigInt(idOf(step));
  if (store.known.get(idOf(step))?.shown.some((each) => each.step.operation !== GET)) return true;
  if (isRandom(store, id)) return false;
  const before = [...store.known.values()].filter(({ shown }) => shown.some((each) => each.step.start < step.start));
  const ids = before.flatMap((each) => (/^-?\d+$/.test(each.id) ? BigInt(each.id) : []));
  const largest = ids.reduce((most, each) => (each > most ? each : most), 0n);
  const whole = store.wholeLists(step);
  const isAbsent =
    whole.some(({ start }) => start >= step.end + (isForeign ? LAG_MS : 0)) &&
    (!isForeign || whole.some(({ end }) => end <= step.start));
  return !isAbsent || (id > largest && id <= largest + NEXT);
}

/** An id that no earlier response shows. */
function* judgeUnknown(store: Store): Iterable<Instance> {
  const unreadable = store.steps.find(
    ({ operation, isOfKey, isServed, animal }) =>
      operation?.method === 'POST' && isOfKey && isServed && !/^-?\d+$/.test(animal?.id ?? ''),
  );
  for (const step of findGets(store)) {
    const id = idOf(step);
    const shown = store.known.get(id)?.shown.filter((each) => each.step !== step) ?? [];
    const isItself = step.animal?.id === id;
    if (store.planted.has(id) || shown.some((each) => each.step.end <= step.start)) continue;
    // An addition under way at the same moment may have got the id; no other animal has it.
    if ((isItself || !step.animal) && shown.some((each) => each.step.start <= step.end)) continue;
    if (isItself && mayBeOfOthers(store, step))
      yield outOfReach('an animal with this id exists', 'run again: another id is chosen', step);
    else if (unreadable && !isRandom(store, BigInt(id)))
      yield inTheWay('an animal was added whose id cannot be read', step, unreadable);
    else yield judgeStatus(store, step, [404]);
  }
}

const carries = (name: string, missed: (value: string) => string | undefined) =>
  ofResponses((step) => {
    if (!step.operation?.deprecated || !step.isServed) return undefined;
    const value = header(step.exchange, name);
    if (value === undefined) return judge([difference('missing header', `header ${name}`)], step);
    const expected = missed(value);
    return judge(expected === undefined ? [] : [wrongHeader(name, expected, value)], step);
  });

export const get: Properties = {
  'get.found': beforeRemoval(judgeFound),
  'add.persists': beforeRemoval(judgePersists),
  'get.unknown': beforeRemoval(judgeUnknown),

  'get.id.not-an-integer': beforeRemoval(function* (store) {
    for (const step of store.steps.filter((each) => each.calls(GET) && each.request.faults.length > 0)) {
      const isGiven = store.known.has(step.request.id ?? '');
      yield isGiven ? inTheWay('the service gave this id', step) : judgeStatus(store, step, ['4xx']);
    }
  }),

  'get.deprecation-header': carries('Deprecation', (value) =>
    /^@-?\d+$/.test(value.trim()) ? undefined : '@<Unix timestamp>',
  ),

  'get.sunset-header': carries('Sunset', (value) => {
    const [date, removal] = [parseHttpDate(value), GET.removalDate ?? ''];
    const agrees = date !== undefined && new Date(date * 1000).toISOString().startsWith(removal);
    return agrees ? undefined : `an HTTP date on ${removal}`;
  }),
};
