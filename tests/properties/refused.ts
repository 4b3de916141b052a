/** Requests that were refused add nothing: sections 4.2, 5 and 7. */
import { ADD, isWriting } from '../../fixtures/contract/contract.ts';
import type { Json } from '../../fixtures/contract/json.ts';
import { difference, identifyAnimal } from '../../fixtures/trace/finding.ts';
import { holds, type Instance, judge } from '../../fixtures/trace/property.ts';
import type { Step } from '../../fixtures/trace/step.ts';
import type { Store } from '../../fixtures/trace/store.ts';
import { explainFull } from './list.ts';

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
  // In traffic of others, a valid body may be refused since another client has just taken its name.
  const mayBeOfOthers = (step: Step, name: string): boolean =>
    store.mayBeTaken(name, step) || (store.facts.isForeign && step.isValid);
  return store
    .of(ADD.id)
    .filter((step) => step.isRefused && isOwn(step))
    .map((step) => ({ step, name: nameSentBy(step) }))
    .filter(
      (each): each is { step: Step; name: string } =>
        each.name !== undefined && !isAccepted(each.name) && !mayBeOfOthers(each.step, each.name),
    );
}

/** No later list shows a name that only refused requests sent. @param isOwn selects the refused requests. */
export function* judgeAbsence(store: Store, isOwn: (step: Step) => boolean): Iterable<Instance> {
  const refused = findRefused(store, isOwn);
  for (const list of store.lists) {
    const { status } = list.request.query;
    const before = refused.filter(
      ({ step }) => step.end <= list.start && (status === undefined || mayHaveStatus(step, status)),
    );
    const extra = list.animals.flatMap(({ id, fields }) => {
      const from = before.filter(({ name }) => shows(fields['name'], name)).map(({ step }) => step);
      return from.length > 0 ? [{ animal: identifyAnimal(id, fields['name']), from }] : [];
    });
    // Another key may have another store, whose lists do not show them.
    const own = before.map(({ step }) => step).filter((step) => store.isSameStore(step, list));
    if (extra.length > 0) {
      const more = {
        expected: 0,
        actual: extra.length,
        detail: `of ${new Set(before.map(({ name }) => name)).size} that were rejected`,
      };
      const wrong = extra
        .slice(0, MOST_EXTRA)
        .map(({ animal }) => difference('extra animal', '/*', { ...more, animal }));
      yield judge(wrong, list, ...new Set(extra.flatMap(({ from }) => from)));
    } else if (own.length === 0) continue;
    else if (list.animals.length < list.room) yield holds(list, ...own.slice(0, 3));
    else yield explainFull(list);
  }
}

/** A service may keep a part of a name, or one in another case. */
const shows = (name: Json | undefined, sent: string): boolean =>
  typeof name === 'string' && (name === sent || (sent.length > 12 && name.includes(sent)));

const mayHaveStatus = ({ request, exchange }: Step, status: string): boolean =>
  request.sent ? request.sent['status'] === status : (exchange.request.body?.includes(`"${status}"`) ?? false);
