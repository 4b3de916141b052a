/** POST /pets: sections 2, 4.2 and 7. */
import { ADD, essenceOf, isSpecified, JSON_TYPE, type Operation } from '../../fixtures/contract/contract.ts';
import { type Json, sameValue, toJson } from '../../fixtures/contract/json.ts';
import { requirementFor, type RequirementId, requirements } from '../../fixtures/contract/requirements.ts';
import { describeAnswer, describeRequest, RESOLUTION_MS } from '../../fixtures/target/http/exchange.ts';
import { targetTime, valuesOf } from '../../fixtures/target/http/exchange.ts';
import { hasHidden } from '../../fixtures/target/recording/kept.ts';
import { shown } from '../../fixtures/trace/finding.ts';
import { type Addition, ofSteps, type Properties, type Property, type Store } from '../../fixtures/trace/store.ts';
import type { Instance, Step } from '../../fixtures/trace/step.ts';
import { judgeAbsence } from './contents.ts';
import { isThere, judgeEcho, judgeReserved } from './others.ts';
import { carries } from './responses.ts';
import { explainUnreadable, judgeStatus, mayBeCopy } from './statuses.ts';

/** The specification has 400; an operation that a contract adds may document others for it. */
function refusalsOf(operation: Operation): (number | '4xx')[] {
  if (isSpecified(operation)) return [400];
  const documented = [400, 422].filter((status) => status in operation.responses);
  return documented.includes(400) ? documented : ['4xx'];
}

/** A body with one fault is refused, by the requirement that covers the fault. */
const refuses = (id: RequirementId): Property =>
  ofSteps((step, store) => {
    const { operation, faults, deviations } = step.request;
    const [{ place, kind } = { place: '', kind: '' }, ...more] = faults;
    if (!operation || !step.isOfKey || !place.startsWith('body') || more.length > 0) return undefined;
    const covering = requirementFor(`${operation.id} ${place} ${kind}`, 'service.invalid-body');
    // A body without an answer may be the one that ends a service.
    const part = step.exchange.request.body ?? '';
    const allowed = [...refusalsOf(operation), ...(deviations.length > 1 ? [415] : [])];
    // What the path names may be gone, and something else may be refused before the body is read.
    const isOther = !isSpecified(operation) && step.status !== 422;
    if (covering !== id || (isOther && step.status === 404 && !isThere(step, store))) return undefined;
    const reserved = isOther ? judgeReserved(step, operation) : undefined;
    return { ...(reserved ?? judgeStatus(store, step, allowed)), part };
  });

const ofBodies = requirements.filter(({ covers = [] }) => covers.some((name) => name.split(' ')[1] === 'body'));
const refusals: Properties = Object.fromEntries(ofBodies.map(({ id }) => [id, refuses(id)]));

// ---- created

/** Letters, digits and others of a name: how many of each does not matter. */
const shapeOf = (name: Json | undefined): string =>
  String(name)
    .replaceAll(/[a-z]+/g, 'a')
    .replaceAll(/[A-Z]+/g, 'A')
    .replaceAll(/[0-9]+/g, '9');

/**
 * An accepted body with that category, those odd members and a name of the same shape that is at least as long, where a name
 * that is not longer was accepted too: limits on these are not shown, and such a body shows that none is the reason of a 400.
 */
function findSimilar({ additions }: Store, { request: { sent: body = {}, deviations } }: Step): Addition | undefined {
  const odd = deviations.map(({ place }) => place.replace(/^body /, ''));
  const lengthOf = ({ name }: Record<string, Json>): number => String(name).length;
  // An unusual name may have been changed.
  const named = additions.filter(({ sent }) => 'name' in sent);
  const isTooShort = named.every(({ sent }) => lengthOf(sent) > lengthOf(body));
  // What is hidden may be anything.
  if (isTooShort || hasHidden(toJson(body)) || !odd.every((name) => name in body)) return undefined;
  return named.find(({ sent, step }) => {
    const isLonger = shapeOf(body['name']) === shapeOf(sent['name']) && lengthOf(body) <= lengthOf(sent);
    // A name that is repeated is as odd in the other one.
    const isOdd = (name: string): boolean => step.request.deviations.some(({ place }) => place === `body ${name}`);
    const hasOdd = odd.every((name) => isOdd(name) && sameValue(step.request.sent?.[name], body[name]));
    return isLonger && hasOdd && sameValue(body['categoryId'], sent['categoryId']);
  });
}

function judgeCreated(step: Step, store: Store): Instance {
  const isCopy = (): boolean => mayBeCopy(store, step);
  // A 409 to a copy is not specified, and not held against a service.
  return judgeStatus(store, step, step.status === 409 && isCopy() ? [409] : [201, 400], () => {
    if (step.status === 201) return judgeId(step, store);
    const like = findSimilar(store, step);
    const isNoneTaken = !like && !store.facts.isForeign && !store.additions.some((each) => each.step.isValid);
    if (step.status === 400 && isNoneTaken) {
      const came = `${describeRequest(step.exchange)} was answered ${describeAnswer(step.exchange)}`;
      return step.inTheWay(`no valid body is accepted (CATEGORY_ID has to name a category that exists): ${came}`);
    }
    if (!like || isCopy())
      return step.outOfReach(
        `its addition was rejected with ${step.status}, which is allowed: such limits are not specified`,
        'a target without that limit',
      );
    const actual = describeAnswer(step.exchange);
    const more = { expected: 201, actual, detail: String(like.step.number) };
    return step.violates('refused though similar', 'status', more, like.step);
  });
}

/** A 201 has an animal with an id. */
function judgeId(step: Step, store: Store): Instance {
  if (step.animal) return step.holds();
  if (step.json === undefined && step.exchange.response?.body !== '') return explainUnreadable(step, 'is not JSON');
  const wrong = store.differencesOf(step).filter(({ place }) => place === 'body' || place === '/id');
  const more = { expected: 'object', actual: shown(step.json) };
  return wrong.length > 0 ? step.judge(wrong) : step.violates('wrong shape', 'body', more);
}

// ---- ids

/** The earlier answer that shows the id of an addition for another animal. */
function findTaken({ step, animal: { id } }: Addition, store: Store): Step | undefined {
  const before = store.additions.filter((each) => each.animal.id === id && each.step.number < step.number);
  // Times and durations are rounded: of requests in parallel, a list may have ended after the addition began.
  const apart = step.exchange.parallel ? 2 * RESOLUTION_MS : 0;
  // Browsers leave the time before a request is sent out of its duration: Date shows then that a list came later.
  const isEarlier = ({ end, exchange }: Step): boolean =>
    end + apart <= step.start && (!store.facts.isForeign || targetTime(exchange) < targetTime(step.exchange));
  const seen = (store.known.get(id)?.shown ?? []).map((each) => each.step);
  const lists = seen.filter((each) => each.isOfKey && each.animals && isEarlier(each));
  return [...before.map((each) => each.step).reverse(), ...lists].find((each) => store.isSameStore(each, step));
}

/** The media type is another one, and nothing else is wrong; without one, a service may guess it (RFC 9110, section 8.3). */
const isOfOtherType = ({ operation, exchange: { request }, request: { faults } }: Step): boolean =>
  faults.length === 0 &&
  valuesOf(request.headers, 'content-type').some((type) => essenceOf(type) !== (operation?.body?.type ?? JSON_TYPE));

export const add: Properties = {
  ...refusals,
  'service.invalid-body': refuses('service.invalid-body'),

  *'add.created'(store) {
    const isRefusedOdd = (step: Step): boolean =>
      step.calls(ADD) && step.status === 400 && findSimilar(store, step) !== undefined;
    const requests = store.of(ADD).filter((step) => step.isValid || isRefusedOdd(step));
    // A 429 is about the limit, and shows nothing about the body.
    const answered = requests.filter(({ status }) => status !== 429);
    for (const step of answered.length > 0 ? answered : requests) {
      const { status = null } = step.request.sent ?? {};
      // No other answer makes up for a body that gets none, unless a similar one was taken: it may be what ends a service.
      const isLost = step.status === undefined && !findSimilar(store, step);
      yield { ...judgeCreated(step, store), part: isLost ? `exchange ${step.number}` : `status ${toJson(status)}` };
    }
  },

  'add.echo': (store) => store.additions.flatMap(({ step, sent }) => judgeEcho(step, sent, store) ?? []),

  // The id of an animal that was removed may be assigned again.
  'add.id.unique': (store) =>
    store.additions.flatMap((addition) => {
      const { id } = addition.animal;
      if ((store.changed.get(id) ?? Infinity) <= addition.step.end) return [];
      const other = findTaken(addition, store);
      const more = { actual: id, animal: { id }, detail: String(other?.number) };
      return addition.step.violatesIf(other !== undefined, 'repeated id', '/id', more, other);
    }),

  'add.id.assigned': ofSteps((step, store) => {
    const { sent, faults } = step.request;
    // An id that others send may be the next one by chance.
    const isOwn = step.calls(ADD) && !store.facts.isForeign;
    if (!isOwn || sent?.['id'] === undefined || faults.length > 0) return undefined;
    return judgeStatus(store, step, ['2xx', '4xx'], () => {
      if (step.isRefused) return step.holds();
      if (!step.animal) return explainUnreadable(step, 'is not an animal');
      const more = { actual: step.animal.id, pointer: '/id', animal: { id: step.animal.id } };
      return step.violatesIf(store.hasTakenId(step), 'id taken over', '/id', more);
    });
  }),

  'add.rejected.adds-nothing': (store) => judgeAbsence(store, ({ isOfKey, status }) => isOfKey && status !== 429),
  'add.unsupported-type': ofSteps(
    (step, store) => step.calls(ADD) && isOfOtherType(step) && judgeStatus(store, step, [415]),
  ),
  'add.location': carries('Location', ({ operation, status }) => operation === ADD && status === 201),
};
