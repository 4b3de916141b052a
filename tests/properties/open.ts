/** What the specification leaves open ("not shown"): observed and reported, never judged. */
import { ADD, GET, LIST, operations, ORDERS, plans } from '../../fixtures/contract/contract.ts';
import { isObject, toJson } from '../../fixtures/contract/json.ts';
import type { Exchange } from '../../fixtures/target/http/exchange.ts';
import { readRateLimit, readWindow } from '../../fixtures/target/rate-limit/headers.ts';
import { clip, counted, groupBy } from '../../fixtures/text.ts';
import { observed, type Properties, type Property } from '../../fixtures/trace/property.ts';
import { isSameRequest, type Step } from '../../fixtures/trace/step.ts';
import type { Store } from '../../fixtures/trace/store.ts';

/** What each step shows; nothing if undefined or empty. @param isOwn of the answered steps with a valid key. */
const ofSteps = (isOwn: (step: Step) => boolean, describe: (step: Step) => string | undefined): Property =>
  function* ({ steps }) {
    for (const step of steps.filter((each) => each.isOfKey && each.status !== undefined && isOwn(each))) {
      const text = describe(step);
      if (text) yield observed(text, step);
    }
  };

/** What the trace as a whole shows. */
const ofTrace = (describe: (store: Store) => string): Property =>
  function* (store) {
    const text = describe(store);
    if (text !== '') yield observed(text);
  };

const isLimited = ({ status }: Step): boolean => status === 401 || status === 429;
const faultAt = ({ request }: Step, place: string) =>
  [...request.faults, ...request.oddities].find((fault) => fault.place === place);

/** The answer to a list with an unusual value of a parameter. */
const ofQuery = (parameter: string): Property =>
  ofSteps(
    (step) => step.calls(LIST) && !isLimited(step) && faultAt(step, `query ${parameter}`) !== undefined,
    (step) => {
      const list = step.animals ? ` with ${counted(step.animals.length, 'animal')}` : '';
      return `${parameter}=${step.request.query[parameter] ?? ''}: ${step.status}${list}`;
    },
  );

/** The answer to an addition with an unusual value of a field. */
const ofField = (place: string): Property =>
  ofSteps(
    (step) =>
      step.calls(ADD) && step.request.faults.length === 0 && !isLimited(step) && faultAt(step, place) !== undefined,
    (step) => `${faultAt(step, place)?.title}: ${step.status}`,
  );

function describeOrder({ lists }: Store): string {
  const [longest = []] = lists.map(({ animals }) => animals).toSorted((a, b) => b.length - a.length);
  if (longest.length < 3 || !longest.every(({ id }) => /^-?\d+$/.test(id))) return '';
  const ids = longest.map(({ id }) => BigInt(id));
  const is = (holds: (a: bigint, b: bigint) => boolean): boolean =>
    ids.every((id, i) => i === 0 || holds(ids[i - 1] as bigint, id));
  if (is((a, b) => a < b)) return 'by id, rising';
  return is((a, b) => a > b) ? 'by id, falling' : 'not by id';
}

const PAGING = /^(link|x-total.*|x-page.*|x-next.*|content-range)$/i;

function describePaging({ lists }: Store): string {
  const names = lists.flatMap(({ exchange }) => (exchange.response?.headers ?? []).map(([name]) => name));
  const seen = [
    ...groupBy(
      names.filter((name) => PAGING.test(name)),
      (name) => name,
    ).keys(),
  ];
  return seen.join('; ') || (lists.length > 0 ? 'none seen' : '');
}

function describeShape({ json, exchange }: Step): string {
  if (Array.isArray(json)) return `an array of ${json.length}`;
  if (isObject(json)) return clip(`an object with ${Object.keys(json).slice(0, 8).join(', ') || 'no members'}`, 300);
  return exchange.response?.body === '' ? 'no body' : clip(exchange.response?.body ?? '', 80);
}

function describeWindow({ steps }: Store): string {
  const ofKey = steps.filter(({ request }) => request.credential === 'key').map(({ exchange }) => exchange);
  const limits = [...new Set(ofKey.flatMap((exchange) => readRateLimit(exchange).sent.limit.text ?? []))];
  const ahead = ofKey.flatMap((exchange) => readRateLimit(exchange).resetIn ?? []);
  if (limits.length === 0) return '';
  const named = limits.map((limit) => {
    const plan = Object.entries(plans).flatMap(([name, { perMinute, perDay }]) => [
      ...(String(perMinute) === limit ? [`${name}, a minute`] : []),
      ...(String(perDay) === limit ? [`${name}, a day`] : []),
    ]);
    return plan.length > 0 ? `${limit} (plan ${plan.join(' or ')})` : limit;
  });
  const [from, to] = [Math.min(...ahead), Math.max(...ahead)].map(Math.round);
  return `Limit ${clip(named.join(', '), 300)}${ahead.length > 0 ? `; Reset from ${from} to ${to} s ahead` : ''}`;
}

function describe401Counts({ steps }: Store): string {
  const others = steps.filter(({ status, isOfKey }) => status === 401 && !isOfKey);
  const remaining = [...new Set(others.map(({ exchange }) => readRateLimit(exchange).sent.remaining.text))];
  if (others.length < 2) return '';
  return remaining.length === 1
    ? `every 401 showed Remaining ${remaining[0] ?? 'not at all'}: not counted, or each counted separately`
    : `the ${others.length} 401s showed ${remaining.length} values of Remaining: counted`;
}

/** Whether the key has budget left when the throttling key has none. */
function describeSharedBudget({ steps }: Store): string {
  const ofKey = steps.filter(({ isOfKey, status }) => isOfKey && status !== undefined);
  const isOther = ({ request }: Step): boolean => request.credential === 'throttle';
  const last = ofKey.findLastIndex((step) => isOther(step) && step.status === 429);
  const spent = ofKey[last] && readWindow(ofKey[last].exchange as Exchange);
  const next = ofKey.slice(last + 1).find((step) => !isOther(step));
  const reading = next && readWindow(next.exchange);
  if (!spent || !reading) return '';
  const isShared = reading.reset === spent.reset && reading.remaining <= spent.remaining + 1;
  return isShared ? 'the two keys of the run share one' : 'each of the two keys of the run has its own';
}

/** Valid requests that were answered otherwise when they were repeated. */
function* observeRepeated({ steps }: Store) {
  const all = steps.filter((step) => step.isValid && step.request.credential === 'key' && step.status !== 429);
  for (const step of all) {
    const later = all.find((each) => each.start >= step.end && isSameRequest(each, step));
    if (!later?.isServed) continue;
    const name = step.operation?.name ?? '';
    if (!step.isServed) yield observed(`${name}: answered ${step.status ?? 'nothing'} first`, step, later);
    else if (
      step.animals &&
      later.animals &&
      later.animals.length > step.animals.length &&
      step.animals.length < step.room
    )
      yield observed(`${name}: repeated until it showed the added animal`, step, later);
  }
}

export const open: Properties = {
  'open.default-status': ofSteps(
    (step) => step.calls(ADD) && step.request.sent !== undefined && !('status' in step.request.sent),
    ({ animal }) => animal && (animal.fields['status'] === undefined ? 'absent' : toJson(animal.fields['status'])),
  ),
  'open.order': ofTrace(describeOrder),
  'open.paging': ofTrace(describePaging),
  'open.limit-outside': ofQuery('limit'),
  'open.unknown-status': ofQuery('status'),
  'open.id-not-an-integer': ofSteps(
    (step) => step.calls(GET) && step.isOfInvalidId && !isLimited(step),
    ({ exchange, status }) => `${exchange.request.target}: ${status}`,
  ),
  'open.unknown-names': ofSteps(
    ({ request, status }) =>
      request.oddities.some(({ title }) => title.endsWith('is not in the contract')) && status !== 401,
    ({ operation, request, status }) =>
      `${operation?.name} where ${request.oddities.find(({ title }) => title.endsWith('is not in the contract'))?.title}: ${status}`,
  ),
  'open.names': ofField('body name'),
  'open.categories': ofSteps(
    (step) => step.calls(ADD) && step.isValid && !isLimited(step) && isFarCategory(step.request.sent?.['categoryId']),
    ({ request, status }) => `categoryId ${String(request.sent?.['categoryId'])}: ${status}`,
  ),
  'open.orders': ofSteps(
    (step) => step.calls(ORDERS) && !isLimited(step),
    (step) => `${step.status} ${describeShape(step)}`,
  ),
  *'open.error-codes'({ steps }) {
    for (const step of steps.filter(({ status = 0 }) => status >= 400)) {
      const code = isObject(step.json) ? step.json['code'] : undefined;
      if (typeof code === 'string') yield observed(`${step.status} ${clip(code, 60)}`, step);
    }
  },
  *'open.throttled-body'({ steps }) {
    for (const step of steps.filter(({ status }) => status === 429))
      yield observed(clip(step.exchange.response?.body ?? '', 200) || 'none', step);
  },
  'open.rate-window': ofTrace(describeWindow),
  'open.rate-unauthorized': ofTrace(describe401Counts),
  'open.rate-shared': ofTrace(describeSharedBudget),
  'open.asked-again': observeRepeated,
  *'open.word-behind-key'({ steps }) {
    for (const step of steps.filter(({ request, status }) => request.credential === 'with a word behind it' && status))
      yield observed(`${step.operation?.name}: ${step.status}`, step);
  },
  'open.stability': ofTrace(() => operations.map(({ name, stability }) => `${name}: ${stability}`).join('; ')),
};

/** A category that is unlikely to exist. */
const isFarCategory = (value: unknown): boolean =>
  typeof value === 'bigint' || (typeof value === 'number' && value <= 0);
