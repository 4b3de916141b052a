/** What lists hold of this trace: each animal that was added, once, and none of a request that was refused (sections 4.1, 4.2, 5, 7). */
import { ADD, isWriting, LIST } from '../../fixtures/contract/contract.ts';
import type { Json } from '../../fixtures/contract/json.ts';
import { requirementFor, type RequirementId } from '../../fixtures/contract/requirements.ts';
import { counted, groupBy } from '../../fixtures/text.ts';
import { difference, findChangedFields, identifyAnimal } from '../../fixtures/trace/finding.ts';
import {
  askAgain,
  blockedBy,
  holds,
  inTheWay,
  type Instance,
  judge,
  outOfReach,
  violated,
} from '../../fixtures/trace/property.ts';
import type { Step } from '../../fixtures/trace/step.ts';
import { type Addition, LAG_MS, type List, sameText, type Store } from '../../fixtures/trace/store.ts';

// ---- why a list decides nothing

export const mayLag = (store: Store, step: Step, at = store.settledAt): Instance =>
  askAgain('what was added or removed may not be visible yet', { step, at });

const explainFull = (list: List): Instance =>
  outOfReach(
    `the list is full with ${counted(list.animals.length, 'animal')}: others may exist`,
    'a target with fewer than 100 animals, of at least one status',
    list,
  );

/** Whether a field of an item, or its id, breaks the schema: nothing above that layer is judged by it. */
export const hasFaultAt = (store: Store, step: Step, name: string): boolean =>
  store.faultsOf(step).some(({ place }) => place === `/${name}`);

export const requirementOfFilter = (operation: string, name: string, kind: 'values' | 'outside'): RequirementId =>
  requirementFor(`${operation} query ${name} ${kind}`, 'service.filter');

/** A filter of a list that returned something else, so that nothing more of the list is judged. */
export function findBrokenFilter(list: List): Instance | undefined {
  const filters = Object.entries(list.filters ?? {});
  const [name] = filters.find(([key, text]) => list.animals.some(({ fields }) => !sameText(fields[key], text))) ?? [];
  if (name === undefined) return undefined;
  return blockedBy(requirementOfFilter(LIST.id, name, 'values'), `the ${name} filter is broken`, list);
}

// ---- animals that were added

/** An animal that was added is in a list that was not cut. */
export function judgePresence(store: Store, list: List, { animal: { id }, sent, step }: Addition): Instance {
  if (list.animals.some((each) => each.id === id)) return holds(list, step);
  if (list.animals.length >= list.room) return explainFull(list);
  if (hasFaultAt(store, list, 'id'))
    return inTheWay('ids of the list are not valid (see pets.schema and pet.int64)', list);
  // No limit makes a list empty.
  if (list.animals.length > 0 && store.existedAt(list).certain.length >= list.room)
    return blockedBy('list.limit.caps', 'the list is shorter than its limit', list);
  const broken = findBrokenFilter(list);
  if (broken) return broken;
  if (step.end + LAG_MS > list.start) return mayLag(store, list);
  return violated('missing animal', '/*', { expected: 1, animal: identifyAnimal(id, sent['name']) }, list, step);
}

/** No id twice, and no name of this trace more often than it was sent and not refused; a valid key may be refused too late. */
function findRepeated(store: Store, list: List) {
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
    return found.length > taken ? [difference('repeated animal', '/*', { actual: found.length, animal, detail })] : [];
  });
  return [...twice.map(([id]) => difference('repeated animal', '/*', { animal: { id } })), ...copies];
}

/** An added animal is shown once, as it was added. */
export function* judgeShown(list: List, store: Store): Iterable<Instance> {
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

// ---- requests that were refused

/** Also in a body that is not JSON: a lenient parser may have read it. */
const NAME = /["']?name["']?\s*:\s*["']([^"'\\]+)["']/;
/** Most differences of a list that are kept. */
const MOST_EXTRA = 50;

function nameSentBy({ request, exchange }: Step): string | undefined {
  const { name } = request.sent ?? {};
  return (typeof name === 'string' ? name : exchange.request.body?.match(NAME)?.[1]) || undefined;
}

/** The refused requests with names that no other request brought into the store, also not by renaming an animal. */
function findRefused(store: Store, isOwn: (step: Step) => boolean): { step: Step; name: string }[] {
  const written = store.steps.filter(({ exchange, isRefused }) => isWriting(exchange.request.method) && !isRefused);
  const isAccepted = (name: string): boolean =>
    written.some((step) => nameSentBy(step) === name || step.exchange.request.body?.includes(name));
  return store.of(ADD.id).flatMap((step) => {
    const name = step.isRefused && isOwn(step) ? nameSentBy(step) : undefined;
    if (name === undefined || isAccepted(name) || store.mayBeTaken(name, step)) return [];
    // In traffic of others, a valid body may be refused since another client has just taken its name.
    return store.facts.isForeign && step.isValid ? [] : [{ step, name }];
  });
}

/** No later list shows a name that only refused requests sent. @param isOwn selects the refused requests. */
export function* judgeAbsence(store: Store, isOwn: (step: Step) => boolean): Iterable<Instance> {
  const refused = findRefused(store, isOwn);
  for (const list of store.lists) {
    const before = refused.filter(({ step }) => step.end <= list.start && mayPass(step, list));
    const extra = list.animals.flatMap(({ id, fields }) => {
      const from = before.filter(({ name }) => shows(fields['name'], name)).map(({ step }) => step);
      return from.length > 0 ? [{ animal: identifyAnimal(id, fields['name']), from }] : [];
    });
    // Another key may have another store, whose lists do not show them.
    const own = before.map(({ step }) => step).filter((step) => store.isSameStore(step, list));
    if (extra.length > 0) {
      const detail = `of ${new Set(before.map(({ name }) => name)).size} that were rejected`;
      const more = { expected: 0, actual: extra.length, detail };
      const wrong = extra.map(({ animal }) => difference('extra animal', '/*', { ...more, animal }));
      yield judge(wrong.slice(0, MOST_EXTRA), list, ...new Set(extra.flatMap(({ from }) => from)));
    } else if (own.length > 0)
      yield list.animals.length < list.room ? holds(list, ...own.slice(0, 3)) : explainFull(list);
  }
}

/** A service may keep a part of a name, or one in another case. */
const shows = (name: Json | undefined, sent: string): boolean =>
  typeof name === 'string' && (name === sent || (sent.length > 12 && name.includes(sent)));

/** Whether the status filter of a list would find what was sent. */
function mayPass({ request, exchange }: Step, list: Step): boolean {
  const { status } = list.request.query;
  if (status === undefined) return true;
  return request.sent ? request.sent['status'] === status : !!exchange.request.body?.includes(`"${status}"`);
}
