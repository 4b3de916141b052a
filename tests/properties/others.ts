/** What a larger contract adds to the operations of the specification: section 4, with the sentences about animals. */
import {
  bodySchemaOf,
  type Field,
  fieldsOf,
  isListParameter,
  isReplacing,
  isSpecified,
  refusesUnknown,
} from '../../fixtures/contract/contract.ts';
import { isWriting, LIST, type Operation, type Parameter, successesOf } from '../../fixtures/contract/contract.ts';
import { isObject, type Json, ownMember, toJson } from '../../fixtures/contract/json.ts';
import { satisfies } from '../../fixtures/contract/schemas.ts';
import { findExample, findSources, repeatsId } from '../../fixtures/contract/values.ts';
import { checkJson } from '../../fixtures/trace/body.ts';
import { findChangedFields } from '../../fixtures/trace/finding.ts';
import { LAG_MS, ofSteps, type Properties, sameText, type Store } from '../../fixtures/trace/store.ts';
import { type Instance, itemsIn, type Step } from '../../fixtures/trace/step.ts';
import { explainUnreadable, judgeStatus, judgeUnknown, mayLag } from './statuses.ts';

const RESPELLED_FORMATS = ['date-time', 'time', 'duration', 'email'];

/** What was sent comes back in every field that the answer has, or may have. */
export function judgeEcho(step: Step, sent: Record<string, Json>, store: Store): Instance | undefined {
  const { json, operation, status = 0, exchange, animal } = step;
  const isUnreadable = json === undefined && exchange.response?.body !== '' && checkJson(exchange) !== undefined;
  if (!isObject(json)) return isUnreadable ? explainUnreadable(step, 'is not an object') : undefined;
  const fields = fieldsOf((operation && bodySchemaOf(operation, status)) ?? {});
  // Several texts are one moment (RFC 3339), or one address; a response may have another type, or either one that the request may have.
  const isOpen = ({ name, schema }: Field): boolean => {
    const [was, is] = [ownMember(sent, name) ?? null, ownMember(json, name) ?? null];
    const [text, other] = [was, is].map((each) => toJson(each).replaceAll('"', ''));
    const isSameText = typeof was !== typeof is && text === other && satisfies(schema, is);
    return isSameText || !satisfies(schema, was) || RESPELLED_FORMATS.includes(schema.format ?? '');
  };
  const open = [...fields, ...fieldsOf(operation?.body?.schema ?? {})].filter(isOpen).map(({ name }) => name);
  const isOwn = (field: string): boolean => Object.hasOwn(json, field) || fields.some(({ name }) => name === field);
  const shared = Object.entries(sent).filter(([name]) => isOwn(name) && !open.includes(name));
  const changed = findChangedFields(json, Object.fromEntries(shared), { id: animal?.id, names: store.names });
  return shared.length > 0 ? step.judge(changed) : undefined;
}

/** Whether responses that came before a moment, in milliseconds since the epoch, showed the id in the path of a step. @param by undefined for any. */
const wasShown = (store: Store, step: Step, until: number, by?: readonly unknown[]): boolean =>
  store.steps.some(({ json, end, isServed, isOfKey, number, operation }) => {
    if (!isServed || !isOfKey || end > until || number === step.number || by?.includes(operation) === false)
      return false;
    const values = itemsIn(json).flatMap((item) => Object.values(item));
    return values.some((value) => sameText(value, step.request.id ?? ''));
  });

/** Whether a PUT or PATCH sends another id than that of its path. */
const mayRename = ({ operation, request: { sent = {}, id = '' } }: Step): boolean =>
  operation?.body !== undefined &&
  isReplacing(operation) &&
  fieldsOf(operation.body.schema).some((field) => {
    const value = ownMember(sent, field.name);
    return value !== undefined && repeatsId(operation, field) && !sameText(value, id);
  });

/** Whether a request may have removed or renamed what a path names, or what holds it. */
const mayRemove = (each: Step, path: string): boolean =>
  (each.exchange.request.method === 'DELETE' || mayRename(each)) && `${path}/`.startsWith(`${each.request.path}/`);

/** Whether what the path of a step names existed: a request that was under way before its end may have removed it. */
export function isThere(step: Step, store: Store): boolean {
  const before = store.steps.filter((each) => each !== step && each.start <= step.end && !each.isRefused);
  const isRemoved = before.some((each) => mayRemove(each, step.request.path));
  // The id of something else shows nothing.
  const sources = step.operation && findSources(step.operation, ['POST', 'GET']);
  return !isRemoved && (step.request.id === undefined || wasShown(store, step, step.start, sources));
}

/** A GET shows the last change of what its path names. */
function judgeChanges(step: Step, store: Store): Instance | undefined {
  const before = store.steps.filter((each) => each.isOfKey && each.start <= step.end && !each.isRefused);
  const { path } = step.request;
  const all = before.filter((each) => isWriting(each.exchange.request.method) && each.request.path === path);
  const last = all.at(-1);
  // A change that is accepted for later, failed, or is under way may have an effect or not.
  if (!last?.isValid || mayRename(last) || !last.isServed || last.status === 202 || last.end > step.start)
    return undefined;
  // The id of what was removed may be assigned again.
  const isNew = ({ request, animal }: Step): boolean => `${request.path}/${animal?.id}` === path;
  const later = before.filter((each) => each !== last && each.end > last.start);
  if (later.some((each) => all.includes(each) || isNew(each) || mayRemove(each, path))) return undefined;
  const { method } = last.exchange.request;
  const echo = (): Instance => judgeEcho(step, last.request.sent ?? {}, store) ?? step.holds();
  if (method !== 'DELETE') return judgeStatus(store, step, [200], () => ({ ...echo(), steps: [step, last] }), last);
  // What an item lost may be shown as empty.
  if (!last.operation?.path.endsWith('}')) return undefined;
  const gone = judgeStatus(store, step, [404, 410], () => step.holds(last), last);
  const isEarly = gone.is === 'violated' && step.start < last.end + LAG_MS;
  return isEarly ? mayLag(store, step, last.end + LAG_MS + 100) : gone;
}

/** A documented answer that depends on what the service holds, or on the key, which no schema shows. @param isMadeUp whether no answer showed the id. */
export function judgeReserved(step: Step, operation: Operation, isMadeUp = false): Instance | undefined {
  const { path, parameters, responses, secured } = operation;
  const { status = 0, exchange, request } = step;
  // Only a service knows its cursors, and the form of its ids.
  const isOpaque = ({ in: place, name, schema }: Parameter): boolean =>
    schema.type === 'string' &&
    !(schema.enum ?? schema.format ?? schema.pattern) &&
    (place === 'path' ? isMadeUp : name in request.query);
  // Such as the UUID of an owner: the service may not have it.
  const isOfOther = ([name, value]: [string, Json]): boolean =>
    typeof value === 'string' && /[a-z](I|_i)ds?$/.test(name) && name !== operation.idParameter?.name;
  const isOpen = parameters.some(isOpaque) || Object.entries(request.sent ?? {}).some(isOfOther);
  const isFault = (status === 400 && !isOpen) || (status === 401 && secured) || (status === 404 && path.endsWith('}'));
  if (status < 300 || status >= 500 || isFault || !(String(status) in responses)) return undefined;
  const name = `${exchange.request.method} ${exchange.request.target}`;
  return step.outOfReach(`${name} was answered ${status}, which is documented`, 'a target that serves it');
}

export const others: Properties = {
  'service.valid-request': ofSteps((step, store) => {
    const { operation, isValid, request } = step;
    // Other requirements name the parameters of the specification.
    const isOther = (name: string): boolean => operation !== LIST || !isListParameter(name);
    const hasOther = (): boolean => Object.keys(request.query).some(isOther);
    const isOwn =
      operation && isValid && (isSpecified(operation) ? hasOther() : isThere(step, store) && !mayRename(step));
    return isOwn && (judgeReserved(step, operation) ?? judgeStatus(store, step, successesOf(operation)));
  }),

  'service.unknown-id': ofSteps((step, store) => {
    const { operation, isValid, request } = step;
    const { id = '' } = request;
    if (!operation || isSpecified(operation) || !refusesUnknown(operation)) return undefined;
    if (!isValid || id === '' || wasShown(store, step, step.end)) return undefined;
    // An id that the contract shows may be one of an item.
    const isExample = sameText(findExample(operation.idParameter?.schema ?? {}), id);
    return judgeReserved(step, operation, true) ?? judgeUnknown(step, store, store.facts.isForeign || isExample);
  }),

  'service.echo': ofSteps((step, store) => {
    const { operation, isValid, status, request, exchange } = step;
    if (!operation || isSpecified(operation) || !isValid || !request.sent || mayRename(step)) return undefined;
    // A POST that creates nothing may return other values (RFC 9110, section 9.3.3), and a service may add to an object, or sort a list.
    if (status !== 201 && !(step.isServed && isReplacing(exchange.request))) return undefined;
    const sent = Object.entries(request.sent).filter(([, value]) => !/^[{[]/.test(toJson(value)));
    return judgeEcho(step, Object.fromEntries(sent), store);
  }),

  'service.changes': ofSteps((step, store) => {
    const isOwn = step.isValid && step.operation?.method === 'GET' && store.changed.has(step.request.id ?? '');
    return isOwn && judgeChanges(step, store);
  }),
};
