/** Requests that were refused add nothing: sections 4.2, 5 and 7. */
import { ADD, isWriting } from '../../fixtures/contract/contract.ts';
import type { Json } from '../../fixtures/contract/json.ts';
import { difference, identifyAnimal } from '../../fixtures/trace/finding.ts';
import { holds, type Instance, outOfReach } from '../../fixtures/trace/property.ts';
import type { Step } from '../../fixtures/trace/step.ts';
import type { Store } from '../../fixtures/trace/store.ts';
import { counted } from '../../fixtures/text.ts';

/** Also in a body that is not JSON: a lenient parser may have read it. */
const NAME = /["']?name["']?\s*:\s*["']([^"'\\]+)["']/;

function nameSentBy({ request, exchange }: Step): string | undefined {
  const { name } = request.sent ?? {};
  const text = typeof name === 'string' ? name : exchange.request.body?.match(NAME)?.[1];
  return text === '' ? undefined : text;
}

/** Most names and differences of a list that are kept. */
const MOST_EXTRA = 50;

/** No later list shows a name that only refused requests sent. @param isOwn selects the refused requests. */
export function* judgeAbsence(store: Store, isOwn: (step: Step) => boolean): Iterable<Instance> {
  const additions = store.of(ADD.id);
  const sent = new Map<Step, string>();
  for (const step of additions) {
    const name = nameSentBy(step);
    if (name !== undefined) sent.set(step, name);
  }
  // An animal may also be renamed.
  const written = store.steps.filter(({ exchange }) => isWriting(exchange.request.method));
  const isAccepted = (name: string): boolean =>
    written.some((step) => !step.isRefused && (sent.get(step) === name || step.exchange.request.body?.includes(name)));
  // In traffic of others, a valid body may be refused since another client has just taken its name.
  const mayBeOfOthers = (step: Step, name: string): boolean =>
    store.mayBeTaken(name, step) || (store.facts.isForeign && step.isValid);
  const refused = additions.filter((step) => {
    const name = sent.get(step);
    return name !== undefined && step.isRefused && isOwn(step) && !isAccepted(name) && !mayBeOfOthers(step, name);
  });
  for (const list of store.lists) {
    const { status } = list.request.query;
    const before = refused.filter(
      (step) => step.end <= list.start && (status === undefined || mayHaveStatus(step, status)),
    );
    if (before.length === 0) continue;
    const names = new Set(before.map((step) => sent.get(step) as string));
    const found = list.animals.filter(({ fields }) => isShown(fields['name'], names));
    if (found.length > 0) {
      const more = { expected: 0, actual: found.length, detail: `of ${names.size} that were rejected` };
      const wrong = found
        .slice(0, MOST_EXTRA)
        .map(({ id, fields }) =>
          difference('extra animal', '/*', { ...more, animal: identifyAnimal(id, fields['name']) }),
        );
      yield {
        is: 'violated',
        differences: wrong,
        steps: [
          list,
          ...before.filter((step) =>
            found.some(({ fields }) => isShown(fields['name'], new Set([sent.get(step) as string]))),
          ),
        ],
      };
      continue;
    }
    // Another key may have another store, whose lists do not show them.
    const own = before.filter((step) => store.isSameStore(step, list));
    if (own.length === 0) continue;
    if (list.animals.length < list.room) yield holds(list, ...own.slice(0, 3));
    else
      yield outOfReach(
        `the list is full with ${counted(list.animals.length, 'animal')}: others may exist`,
        'a target with fewer than 100 animals, of at least one status',
        list,
      );
  }
}

/** A service may keep a part of a name, or one in another case. */
const isShown = (name: Json | undefined, names: ReadonlySet<string>): boolean =>
  typeof name === 'string' && (names.has(name) || [...names].some((each) => each.length > 12 && name.includes(each)));

const mayHaveStatus = ({ request, exchange }: Step, status: string): boolean =>
  request.sent ? request.sent['status'] === status : (exchange.request.body?.includes(`"${status}"`) ?? false);
