/** What lists hold of this trace: each animal that was added, once, and none of a request that was refused (sections 4.1, 4.2, 5, 7). */
import { ADD, LIST, pageLimit } from '../../fixtures/contract/contract.ts';
import type { Json } from '../../fixtures/contract/json.ts';
import { requirementFor, type RequirementId } from '../../fixtures/contract/requirements.ts';
import { counted, groupBy } from '../../fixtures/text.ts';
import { difference, findChangedFields, identifyAnimal } from '../../fixtures/trace/finding.ts';
import { FIX_FIRST, type Instance, type Step } from '../../fixtures/trace/step.ts';
import { type Addition, LAG_MS, type ReadableList, sameText, type Store } from '../../fixtures/trace/store.ts';
import { mayBeGone, mayLag } from './statuses.ts';

// ---- why a list decides nothing

function explainFull(store: Store, list: ReadableList): Instance {
  // A run asks for longer ones, which were refused or cannot be read.
  const hasLonger = list.pageSize >= pageLimit.maximum || store.lists.some((each) => each.pageSize > list.pageSize);
  const remedy =
    !hasLonger && !store.facts.isForeign
      ? FIX_FIRST
      : `a target with fewer than ${pageLimit.maximum} animals of one status`;
  return list.outOfReach(`the list is full with ${counted(list.animals.length, 'animal')}: others may exist`, remedy);
}

/** Whether a field of an item, or its id, breaks the schema: nothing above that layer is judged by it. */
export const differsAt = (store: Store, step: Step, name: string): boolean =>
  store.differencesOf(step).some(({ place }) => place === `/${name}`);

export const requirementOfFilter = (operation: string, name: string, kind: 'values' | 'outside'): RequirementId =>
  requirementFor(`${operation} query ${name} ${kind}`, 'service.filter');

/** A filter of a list that returned something else, so that nothing more of the list is judged. */
export function findBrokenFilter(list: ReadableList): Instance | undefined {
  const isBroken = ([name, text]: [string, string]): boolean =>
    list.animals.some(({ fields }) => name in fields && !sameText(fields[name], text));
  const [name] = Object.entries(list.filters ?? {}).find(isBroken) ?? [];
  if (name === undefined) return undefined;
  return list.blockedBy(requirementOfFilter(LIST.id, name, 'values'), `the ${name} filter is broken`);
}

// ---- animals that were added

/** An animal that was added is in a list that was not cut. */
export function judgePresence(store: Store, list: ReadableList, { animal: { id }, sent, step }: Addition): Instance {
  if (list.lists(id)) return list.holds(step);
  if (list.isFull) return explainFull(store, list);
  if ([list, step].some((each) => differsAt(store, each, 'id')))
    return list.inTheWay('ids are not valid (see pet.schema, pets.schema and pet.int64)', step);
  const { certain, doubtful } = store.existed(list);
  // No limit makes a list empty.
  const mayBeCut = (known: number): boolean => list.animals.length > 0 && known >= list.pageSize;
  const see = 'limit' in list.request.query ? 'list.limit.caps' : 'list.limit.default';
  if (mayBeCut(certain.length)) return list.blockedBy(see, 'the list is shorter than its limit');
  if (doubtful[0] && mayBeCut(certain.length + doubtful.length)) return mayBeGone(list, doubtful[0]);
  const isEarly = step.end + LAG_MS > list.start;
  const more = { expected: 1, actual: list.animals.length, animal: identifyAnimal(id, sent['name']) };
  return findBrokenFilter(list) ?? (isEarly ? mayLag(store, list) : list.violates('missing animal', '/*', more, step));
}

/** No id twice, and no name of this trace more often than it was sent and not refused; a valid key may be refused too late. */
function findRepeated(store: Store, list: ReadableList) {
  const byId = differsAt(store, list, 'id') ? [] : groupBy(list.animals, ({ id }) => id);
  const twice = [...byId].filter(([, { length }]) => length > 1).slice(0, 3);
  const names = new Set(store.existed(list).added.map(({ sent }) => sent['name']));
  const byName = groupBy(list.animals, ({ fields }) => fields['name']);
  const copies = [...byName].flatMap(([name, named]) => {
    if (store.facts.isForeign || name === undefined || !names.has(name)) return [];
    const sent = store.of(ADD).filter((step) => step.isOfKey && step.request.sent?.['name'] === name);
    const taken = sent.filter((step) => !step.isRefused || step.status === 401).length;
    const animal = identifyAnimal(named[0]?.id, name);
    const requests = counted(taken, 'request that was', 'requests that were');
    const detail = `${named.length} animals named ${animal.name}, of ${requests} not rejected`;
    return named.length > taken ? [difference('repeated animal', '/*', { actual: named.length, animal, detail })] : [];
  });
  return [...twice.map(([id]) => difference('repeated animal', '/*', { animal: { id } })), ...copies];
}

/** An added animal is shown once, as it was added. */
export function* judgeShown(list: ReadableList, store: Store): Iterable<Instance> {
  const repeated = findRepeated(store, list);
  if (repeated.length > 0) yield list.judge(repeated);
  for (const [i, { id, fields }] of list.animals.entries()) {
    const { step, sent } = store.knownTo(list).get(id)?.addition ?? {};
    if (step && sent && step.end <= list.start)
      yield list.judge(findChangedFields(fields, sent, { id, names: store.names, pointer: `/${i}` }), step);
  }
  const { added } = store.existed(list);
  // One addition stands for all that a full list lacks, which shows nothing.
  if (list.request.query['status'] === undefined)
    for (const addition of list.isFull ? added.slice(0, 1) : added) yield judgePresence(store, list, addition);
}

// ---- requests that were refused

/** Also in a body that is not JSON: a lenient parser may have read it. */
const NAME = /["']?name["']?\s*:\s*["']([^"'\\]+)["']/;
/** Most differences of a list that are kept. */
const MOST_EXTRA = 50;

function nameSentBy({ request, exchange }: Step): string | undefined {
  const { name } = request.sent ?? {};
  return (typeof name === 'string' ? name : exchange.request.body?.match(NAME)?.[1]) || undefined;
}

type Refused = { step: Step; name: string };

/** The refused requests with names that no other request brought into the store, also not by renaming an animal. */
function findRefused(store: Store, isOwn: (step: Step) => boolean): Refused[] {
  const written = store.steps.filter(({ isRefused }) => !isRefused);
  const isAccepted = (name: string): boolean =>
    written.some((step) => nameSentBy(step) === name || step.exchange.request.body?.includes(name));
  return store.of(ADD).flatMap((step) => {
    const name = isOwn(step) ? nameSentBy(step) : undefined;
    return name === undefined || isAccepted(name) || store.mayBeTaken(name, step) ? [] : [{ step, name }];
  });
}

/** No later list shows a name that only refused requests sent. @param isOwn selects the refused requests. */
export function judgeAbsence(store: Store, isOwn: (step: Step) => boolean): Instance[] {
  const refused = findRefused(store, isOwn);
  const all = store.lists.flatMap((list) => judgeAbsenceIn(list, refused, store) ?? []);
  const [shown] = all.find(({ is }) => is === 'violated')?.steps ?? [];
  if (!shown || !store.facts.isForeign) return all;
  const reason = 'another client may have added the animal with the name of a rejected request';
  return [shown.outOfReach(reason, 'a run of this suite, which chooses names at random')];
}

function judgeAbsenceIn(list: ReadableList, refused: readonly Refused[], store: Store): Instance | undefined {
  const before = refused.filter(({ step }) => step.end <= list.start);
  const extra = list.animals.filter(({ fields }) => before.some(({ name }) => shows(fields['name'], name)));
  // Another key may have another store, whose lists do not show them, and neither do those of another status.
  const rejected = before.flatMap(({ step }) => (mayPass(step, list) && store.isSameStore(step, list) ? step : []));
  // A list that was asked to be short shows nothing of how many animals exist.
  const isShort = list.isFull && list.animals.length < pageLimit.default;
  if (extra.length === 0 && (rejected.length === 0 || isShort)) return undefined;
  if (extra.length === 0) return list.isFull ? explainFull(store, list) : list.holds(...rejected.slice(0, 3));
  const detail = `of ${new Set(before.map(({ name }) => name)).size} that were rejected`;
  const wrong = extra.slice(0, MOST_EXTRA).map(({ id, fields }) => {
    const more = { expected: 0, actual: extra.length, detail, animal: identifyAnimal(id, fields['name']) };
    return difference('extra animal', '/*', more);
  });
  const from = before.filter(({ name }) => extra.some(({ fields }) => shows(fields['name'], name)));
  return list.judge(wrong, ...from.map(({ step }) => step));
}

/** A service may add to a name, or keep it in another case. */
const shows = (name: Json | undefined, sent: string): boolean =>
  typeof name === 'string' && (name === sent || (sent.length > 12 && name.toLowerCase().includes(sent.toLowerCase())));

/** Whether the status filter of a list would find what was sent. */
function mayPass({ request, exchange }: Step, list: Step): boolean {
  const { status } = list.request.query;
  if (status === undefined) return true;
  return request.sent ? request.sent['status'] === status : !!exchange.request.body?.includes(`"${status}"`);
}
