/** What the specification leaves open ("not shown"): observed and reported, never judged. */
import { ADD, GET, LIST, type Operation, ORDERS, operations, plans } from '../../fixtures/contract/contract.ts';
import { isOfPath } from '../../fixtures/contract/faults.ts';
import { isObject, toInteger, toJson } from '../../fixtures/contract/json.ts';
import { readRateLimit } from '../../fixtures/target/rate-limit/headers.ts';
import { clip, counted, groupBy } from '../../fixtures/text.ts';
import { type Properties, type Property, type Store } from '../../fixtures/trace/store.ts';
import { type Instance, nameRequest, type Step } from '../../fixtures/trace/step.ts';

type Observed = string | false | undefined;

const observe = (text: Observed, ...steps: Step[]): Instance[] => (text ? [{ is: 'observed', text, steps }] : []);

const ofTrace = (describe: (store: Store) => Observed) => (store: Store) => observe(describe(store));

const ofAnswers =
  (describe: (step: Step) => Observed): Property =>
  ({ steps }) =>
    steps.flatMap((step) => observe(step.status !== undefined && describe(step), step));

/** What the answers of an operation show that are not about the key or its limit. */
const ofCalls = (operation: Operation, describe: (step: Step) => Observed): Property =>
  ofAnswers((step) => step.calls(operation) && step.status !== 401 && step.status !== 429 && describe(step));

const findDeviation = ({ request }: Step, at: string) => request.deviations.find(({ place }) => place === at);

/** The answer to a list with an unusual value of a parameter. */
const ofQuery = (parameter: string): Property =>
  ofCalls(LIST, (step) => {
    const { animals, request, status } = step;
    const list = animals ? ` with ${counted(animals.length, 'animal')}` : '';
    const text = `${parameter}=${request.query[parameter] ?? ''}: ${status}${list}`;
    return findDeviation(step, `query ${parameter}`) && text;
  });

function describeOrder({ lists }: Store): Observed {
  const [longest = []] = lists.map(({ animals }) => animals).toSorted((a, b) => b.length - a.length);
  const ids = longest.flatMap(({ id }) => toInteger(id) ?? []);
  if (longest.length < 3 || ids.length < longest.length) return undefined;
  if (ids.slice(1).every((id, i) => (ids[i] as bigint) < id)) return 'by id, rising';
  return ids.slice(1).every((id, i) => (ids[i] as bigint) > id) ? 'by id, falling' : 'not by id';
}

function describePaging({ lists }: Store): Observed {
  const names = lists.flatMap(({ exchange }) => (exchange.response?.headers ?? []).map(([name]) => name));
  const seen = new Set(names.filter((name) => /^(link|x-total.*|x-page.*|x-next.*|content-range)$/i.test(name)));
  return [...seen].join('; ') || (lists.length > 0 && 'none seen');
}

function describeShape({ json, exchange }: Step): string {
  if (Array.isArray(json)) return `an array of ${json.length}`;
  if (isObject(json)) return clip(`an object with ${Object.keys(json).slice(0, 8).join(', ') || 'no members'}`, 300);
  return clip(exchange.response?.body ?? '', 80) || 'no body';
}

function describeWindow({ steps }: Store): Observed {
  const own = steps.filter(({ request }) => request.credential === 'key');
  const read = own.map(({ exchange }) => readRateLimit(exchange));
  const ahead = read.flatMap(({ resetIn }) => resetIn ?? []);
  const limits = [...new Set(read.flatMap(({ headers }) => headers.limit.text ?? []))].map((limit) => {
    const ofPlans = Object.entries(plans).flatMap(([name, { perMinute, perDay }]) => [
      ...(String(perMinute) === limit ? [`${name}, a minute`] : []),
      ...(String(perDay) === limit ? [`${name}, a day`] : []),
    ]);
    return ofPlans.length > 0 ? `${limit} (plan ${ofPlans.join(' or ')})` : limit;
  });
  const [from, to] = [Math.min(...ahead), Math.max(...ahead)].map(Math.round);
  const reset = ahead.length > 0 ? `; Reset from ${from} to ${to} s ahead` : '';
  return limits.length > 0 && `Limit ${clip(limits.join(', '), 300)}${reset}`;
}

function describe401Counts({ steps }: Store): Observed {
  const others = steps.filter(({ status, isOfKey }) => status === 401 && !isOfKey);
  const [first, ...more] = new Set(others.map(({ exchange }) => readRateLimit(exchange).headers.remaining.text));
  if (others.length < 2) return undefined;
  if (more.length > 0) return `the ${others.length} 401s showed ${more.length + 1} values of Remaining: counted`;
  return `every 401 showed Remaining ${first ?? 'not at all'}: not counted, or each counted separately`;
}

/** Whether the key has budget left when the throttling key has none. */
function describeSharedBudget({ steps }: Store): Observed {
  const ofKey = steps.filter(({ isOfKey, status }) => isOfKey && status !== undefined);
  const last = ofKey.findLastIndex(({ request, status }) => request.credential === 'throttle' && status === 429);
  const next = ofKey.slice(last + 1).find(({ request }) => request.credential !== 'throttle');
  const [spent, left] = [ofKey[last], next].map((step) => step?.window);
  // After the wait for its next window, the key may have its own count or what the other one left.
  if (!spent || !left || left.reset !== spent.reset) return undefined;
  const isShared = left.remaining <= spent.remaining + 1;
  return isShared ? 'the two keys of the run share one' : 'each of the two keys of the run has its own';
}

/** Valid requests that were answered otherwise when they were repeated. */
function observeRepeated({ steps, known }: Store): Instance[] {
  const valid = steps.filter((step) => step.isValid && step.request.credential === 'key' && step.status !== 429);
  const byRequest = groupBy(valid, nameRequest);
  return valid.flatMap((step) => {
    const later = byRequest.get(nameRequest(step))?.find((each) => each.start >= step.end);
    const { animals, operation, status, isServed, isFull, request } = step;
    const addedAt = (id = ''): number | undefined => known.get(id)?.addition?.step.end;
    const lacks = (id: string): boolean =>
      (addedAt(id) ?? Infinity) <= step.start && !animals?.some((each) => each.id === id);
    const isLonger = animals && !isFull && later?.animals?.some(({ id }) => lacks(id));
    // An id may be asked for before an animal gets it.
    if (!later?.isServed || (status === 404 && (addedAt(request.id) ?? 0) > step.start)) return [];
    if (!isServed) return observe(`${operation?.name}: answered ${status ?? 'nothing'} first`, step, later);
    return observe(isLonger && `${operation?.name}: repeated until it showed the added animal`, step, later);
  });
}

export const open: Properties = {
  'open.default-status': ofCalls(ADD, ({ animal, request: { sent } }) => {
    const { status } = animal?.fields ?? {};
    return animal && sent && !('status' in sent) && (status === undefined ? 'absent' : toJson(status));
  }),
  'open.order': ofTrace(describeOrder),
  'open.paging': ofTrace(describePaging),
  'open.limit-outside': ofQuery('limit'),
  'open.unknown-status': ofQuery('status'),
  'open.id-not-an-integer': ofCalls(
    GET,
    ({ request, exchange, status }) => request.deviations.some(isOfPath) && `${exchange.request.target}: ${status}`,
  ),
  'open.unknown-names': ofAnswers(({ isOfKey, operation, request, status }) => {
    const unknown = request.deviations.find(({ isUnknown }) => isUnknown);
    return isOfKey && unknown && status !== 401 && `${operation?.name} ${unknown.title}: ${status}`;
  }),
  'open.names': ofCalls(ADD, (step) => {
    const fault = findDeviation(step, 'body name');
    return step.request.faults.length === 0 && fault && `${fault.title}: ${step.status}`;
  }),
  'open.categories': ofCalls(ADD, ({ request, isValid, status }) => {
    const id = request.sent?.['categoryId'];
    // One that is unlikely to exist.
    const isFar = typeof id === 'bigint' || (typeof id === 'number' && id <= 0);
    return isValid && isFar && `categoryId ${id}: ${status}`;
  }),
  'open.orders': ofCalls(ORDERS, (step) => `${step.status} ${describeShape(step)}`),
  'open.error-codes': ofAnswers(({ json, status = 0 }) => {
    const code = isObject(json) ? json['code'] : undefined;
    return status >= 400 && typeof code === 'string' && `${status} ${clip(code, 60)}`;
  }),
  'open.throttled-body': ofAnswers(
    ({ status, exchange }) => status === 429 && (clip(exchange.response?.body ?? '', 200) || 'none'),
  ),
  'open.rate-window': ofTrace(describeWindow),
  'open.rate-unauthorized': ofTrace(describe401Counts),
  'open.rate-shared': ofTrace(describeSharedBudget),
  'open.asked-again': observeRepeated,
  'open.word-behind-key': ofAnswers(
    ({ request, operation, status }) =>
      request.credential === 'with a word behind it' && `${operation?.name}: ${status}`,
  ),
  'open.stability': ofTrace(() => operations.map(({ name, stability }) => `${name}: ${stability}`).join('; ')),
};
