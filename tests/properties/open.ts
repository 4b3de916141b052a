/** What the specification leaves open ("not shown"): observed and reported, never judged. */
import { ADD, GET, LIST, namesIn, operations, ORDERS, plans } from '../../fixtures/contract/contract.ts';
import { isObject, toJson } from '../../fixtures/contract/json.ts';
import { readRateLimit, readWindow } from '../../fixtures/target/rate-limit/headers.ts';
import { clip, counted } from '../../fixtures/text.ts';
import { observed, ofSteps, type Properties, type Property } from '../../fixtures/trace/property.ts';
import { isSameRequest, type Step } from '../../fixtures/trace/step.ts';
import type { Store } from '../../fixtures/trace/store.ts';

/** What each answered step shows; nothing if it is empty. */
const ofAnswers = (describe: (step: Step) => string | false | undefined): Property =>
  ofSteps((step) => {
    const text = step.status !== undefined && describe(step);
    return text ? observed(text, step) : undefined;
  });

/** What the trace as a whole shows. */
const ofTrace = (describe: (store: Store) => string): Property =>
  function* (store) {
    const text = describe(store);
    if (text !== '') yield observed(text);
  };

const isLimited = ({ status }: Step): boolean => status === 401 || status === 429;

const findFault = ({ request }: Step, place: string) =>
  [...request.faults, ...request.oddities].find((fault) => fault.place === place);

/** The answer to a list with an unusual value of a parameter. */
const ofQuery = (parameter: string): Property =>
  ofAnswers((step) => {
    const { animals, request, status } = step;
    const list = animals ? ` with ${counted(animals.length, 'animal')}` : '';
    const isUnusual = step.calls(LIST) && !isLimited(step) && findFault(step, `query ${parameter}`) !== undefined;
    return isUnusual && `${parameter}=${request.query[parameter] ?? ''}: ${status}${list}`;
  });

function describeOrder({ lists }: Store): string {
  const [longest = []] = lists.map(({ animals }) => animals).toSorted((a, b) => b.length - a.length);
  if (longest.length < 3 || !longest.every(({ id }) => /^-?\d+$/.test(id))) return '';
  const ids = longest.map(({ id }) => BigInt(id));
  if (ids.slice(1).every((id, i) => (ids[i] as bigint) < id)) return 'by id, rising';
  return ids.slice(1).every((id, i) => (ids[i] as bigint) > id) ? 'by id, falling' : 'not by id';
}

const PAGING = /^(link|x-total.*|x-page.*|x-next.*|content-range)$/i;

function describePaging({ lists }: Store): string {
  const names = lists.flatMap(({ exchange }) => (exchange.response?.headers ?? []).map(([name]) => name));
  const seen = new Set(names.filter((name) => PAGING.test(name)));
  return [...seen].join('; ') || (lists.length > 0 ? 'none seen' : '');
}

function describeShape({ json, exchange }: Step): string {
  if (Array.isArray(json)) return `an array of ${json.length}`;
  if (isObject(json)) return clip(`an object with ${Object.keys(json).slice(0, 8).join(', ') || 'no members'}`, 300);
  return clip(exchange.response?.body ?? '', 80) || 'no body';
}

/** The plans whose limit a number is: `free, a minute`. */
const findPlans = (limit: string): string[] =>
  Object.entries(plans).flatMap(([name, { perMinute, perDay }]) => [
    ...(String(perMinute) === limit ? [`${name}, a minute`] : []),
    ...(String(perDay) === limit ? [`${name}, a day`] : []),
  ]);

function describeWindow({ steps }: Store): string {
  const own = steps.filter(({ request }) => request.credential === 'key');
  const read = own.map(({ exchange }) => readRateLimit(exchange));
  const limits = [...new Set(read.flatMap(({ sent }) => sent.limit.text ?? []))];
  const ahead = read.flatMap(({ resetIn }) => resetIn ?? []);
  if (limits.length === 0) return '';
  const named = limits.map((limit) => `${limit} (plan ${findPlans(limit).join(' or ')})`.replace(' (plan )', ''));
  const [from, to] = [Math.min(...ahead), Math.max(...ahead)].map(Math.round);
  return `Limit ${clip(named.join(', '), 300)}${ahead.length > 0 ? `; Reset from ${from} to ${to} s ahead` : ''}`;
}

function describe401Counts({ steps }: Store): string {
  const others = steps.filter(({ status, isOfKey }) => status === 401 && !isOfKey);
  const [first, ...more] = new Set(others.map(({ exchange }) => readRateLimit(exchange).sent.remaining.text));
  if (others.length < 2) return '';
  return more.length === 0
    ? `every 401 showed Remaining ${first ?? 'not at all'}: not counted, or each counted separately`
    : `the ${others.length} 401s showed ${more.length + 1} values of Remaining: counted`;
}

/** Whether the key has budget left when the throttling key has none. */
function describeSharedBudget({ steps }: Store): string {
  const ofKey = steps.filter(({ isOfKey, status }) => isOfKey && status !== undefined);
  const isOther = ({ request }: Step): boolean => request.credential === 'throttle';
  const last = ofKey.findLastIndex((step) => isOther(step) && step.status === 429);
  const next = ofKey.slice(last + 1).find((step) => !isOther(step));
  const [spent, left] = [ofKey[last], next].map((step) => step && readWindow(step.exchange));
  if (!spent || !left) return '';
  const isShared = left.reset === spent.reset && left.remaining <= spent.remaining + 1;
  return isShared ? 'the two keys of the run share one' : 'each of the two keys of the run has its own';
}

/** Valid requests that were answered otherwise when they were repeated. */
function* observeRepeated({ steps }: Store) {
  const all = steps.filter((step) => step.isValid && step.request.credential === 'key' && step.status !== 429);
  for (const step of all) {
    const later = all.find((each) => each.start >= step.end && isSameRequest(each, step));
    if (!later?.isServed) continue;
    const { animals, operation, status, room } = step;
    const isLonger = animals && animals.length < room && (later.animals?.length ?? 0) > animals.length;
    if (!step.isServed) yield observed(`${operation?.name}: answered ${status ?? 'nothing'} first`, step, later);
    else if (isLonger) yield observed(`${operation?.name}: repeated until it showed the added animal`, step, later);
  }
}

export const open: Properties = {
  'open.default-status': ofAnswers((step) => {
    const { animal, request } = step;
    const isOwn = step.calls(ADD) && request.sent !== undefined && !('status' in request.sent) && animal;
    return isOwn && (animal.fields['status'] === undefined ? 'absent' : toJson(animal.fields['status']));
  }),
  'open.order': ofTrace(describeOrder),
  'open.paging': ofTrace(describePaging),
  'open.limit-outside': ofQuery('limit'),
  'open.unknown-status': ofQuery('status'),
  'open.id-not-an-integer': ofAnswers((step) => {
    const isUnusual = findFault(step, `path ${namesIn(GET.path)[0]}`) !== undefined;
    return step.calls(GET) && isUnusual && !isLimited(step) && `${step.exchange.request.target}: ${step.status}`;
  }),
  'open.unknown-names': ofAnswers(({ isOfKey, operation, request, status }) => {
    const unknown = request.oddities.find(({ title }) => title.endsWith('is not in the contract'));
    return isOfKey && unknown && status !== 401 && `${operation?.name} where ${unknown.title}: ${status}`;
  }),
  'open.names': ofAnswers((step) => {
    const fault = findFault(step, 'body name');
    const isOwn = step.calls(ADD) && step.request.faults.length === 0 && !isLimited(step);
    return isOwn && fault && `${fault.title}: ${step.status}`;
  }),
  'open.categories': ofAnswers((step) => {
    const id = step.request.sent?.['categoryId'];
    // One that is unlikely to exist.
    const isFar = typeof id === 'bigint' || (typeof id === 'number' && id <= 0);
    return step.calls(ADD) && step.isValid && !isLimited(step) && isFar && `categoryId ${id}: ${step.status}`;
  }),
  'open.orders': ofAnswers((step) => step.calls(ORDERS) && !isLimited(step) && `${step.status} ${describeShape(step)}`),
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
