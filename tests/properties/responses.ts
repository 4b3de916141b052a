/** Every response, whatever was asked: sections 1, 2, 4 and 7. */
import { hasRequirement } from '../../fixtures/contract/requirements.ts';
import { isObject, type Json, parseJson } from '../../fixtures/contract/json.ts';
import { findResponse, headersOf, isNumeric, resolve, type Schema } from '../../fixtures/contract/contract.ts';
import { satisfies } from '../../fixtures/contract/schemas.ts';
import { showsKey } from '../../fixtures/target/http/authorization.ts';
import { header, headerValues } from '../../fixtures/target/http/exchange.ts';
import { hasStackTrace } from '../../fixtures/text.ts';
import { type Difference, difference, differenceIf, shownText, wrongHeader } from '../../fixtures/trace/finding.ts';
import {
  inTheWay,
  type Instance,
  judge,
  ofSteps,
  type Properties,
  type Property,
} from '../../fixtures/trace/property.ts';
import type { Step } from '../../fixtures/trace/step.ts';
import type { Store } from '../../fixtures/trace/store.ts';
import { isRefusedInFront, mayBeCopy } from './statuses.ts';

/** Whether a response shows something of the service: not of a banned key or a proxy, and no 5xx, of which nothing else is judged. */
const showsService = (step: Step, store: Store): boolean =>
  step.operation !== undefined &&
  step.status !== undefined &&
  !step.isServerError &&
  !store.mayBeBanned(step) &&
  !isRefusedInFront(step);

/** Each documented status of an operation is a part: what one shows does not stand for another. */
export const ofResponses = (judgeOne: (step: Step, store: Store) => Instance | undefined): Property =>
  ofSteps(showsService, (step, store) => {
    const instance = judgeOne(step, store);
    const part = step.operation && findResponse(step.operation, step.status ?? 0)?.key;
    return instance && { ...instance, part: part ?? 'other statuses' };
  });

const explainUnread = (step: Step, why: string): Instance => inTheWay(`it cannot be read: ${why}`, step);

/** @param isOwn by the name of the schema; undefined for an inline one. */
const matches = (isOwn: (name: string | undefined) => boolean, isRange = false): Property =>
  ofResponses((step, store) => {
    const { checked } = step;
    if (checked === undefined) return undefined;
    if ('unread' in checked) return explainUnread(step, checked.unread);
    const faults = store.faultsOf(step).filter(({ kind }) => (kind === 'not an int64') === isRange);
    return isOwn(checked.name) ? judge(faults, step) : undefined;
  });

/** The schemas with their own requirement. */
export const NAMED: readonly (string | undefined)[] = ['Pet', 'Pets', 'Error'];

/** @param missed what was expected in place of a value. */
export function findHeaderFaults(
  { exchange }: Step,
  name: string,
  missed: (value: string) => string | undefined = () => undefined,
): Difference[] {
  const value = header(exchange, name);
  if (value === undefined) return [difference('missing header', `header ${name}`)];
  const expected = missed(value);
  return expected === undefined ? [] : [wrongHeader(name, expected, value)];
}

/** Some responses carry a header. */
export const carries = (name: string, isOwn: (step: Step) => boolean, missed?: (value: string) => string | undefined) =>
  ofResponses((step) => (isOwn(step) ? judge(findHeaderFaults(step, name, missed), step) : undefined));

/** The value of a header: numbers and booleans are written as in JSON. */
function readHeader(schema: Schema, text: string): Json {
  const { type } = resolve(schema);
  if (type === 'boolean') return text === 'true' || (text === 'false' ? false : text);
  return isNumeric({ type } as Schema) && /^-?\d+(\.\d+)?$/.test(text) ? parseJson(text).value : text;
}

export const responses: Properties = {
  'service.json': ofResponses((step) => {
    const { jsonFaults } = step;
    if (jsonFaults === undefined) return undefined;
    return 'unread' in jsonFaults ? explainUnread(step, jsonFaults.unread) : judge(jsonFaults, step);
  }),

  'service.no-undocumented-status': ofResponses((step, store) => {
    const { operation, status = 0 } = step;
    const keys = Object.keys(operation?.responses ?? {});
    // An operation with an undocumented payload may have undocumented statuses too.
    const isShown = keys.every((key) => /^\d{3}$/.test(key));
    if (!operation || !step.isValid || !isShown || (status === 409 && mayBeCopy(store, step))) return undefined;
    const more = { expected: keys.map(Number), actual: status };
    return judge(differenceIf(!findResponse(operation, status), 'wrong status', 'status', more), step);
  }),

  'service.no-server-error': ofSteps(
    ({ status }) => status !== undefined,
    (step) => {
      // 501 shows that the server does not know the method (RFC 9110, section 15.6.2).
      const isWrong = step.isServerError && !(step.status === 501 && step.operation === undefined);
      const more = { expected: ['not 5xx'], actual: step.status };
      return judge(differenceIf(isWrong, 'wrong status', 'status', more), step);
    },
  ),

  'pet.schema': matches((name) => name === 'Pet'),
  'pets.schema': matches((name) => name === 'Pets'),
  'error.schema': matches((name) => name === 'Error'),
  'service.schema': matches((name) => !NAMED.includes(name)),

  'error.status': ofResponses((step) => {
    const { json, status, checked } = step;
    const isError = checked !== undefined && 'name' in checked && checked.name === 'Error';
    if (!isError || !isObject(json) || typeof json['status'] !== 'number') return undefined;
    const more = { expected: status, actual: json['status'], pointer: '/status' };
    return judge(differenceIf(json['status'] !== status, 'wrong status field', '/status', more), step);
  }),

  'service.headers': ofResponses((step) => {
    const { operation, status = 0, exchange } = step;
    const documented = operation ? headersOf(operation, status).filter(([name]) => !hasRequirement(name)) : [];
    const owed = documented.filter(([name, { required }]) => required || headerValues(exchange, name).length > 0);
    const wrong = owed.flatMap(([name, { schema }]) =>
      findHeaderFaults(step, name, (value) =>
        satisfies(schema, readHeader(schema, value.trim()))
          ? undefined
          : 'a value that matches its schema in the contract',
      ),
    );
    return owed.length > 0 ? judge(wrong, step) : undefined;
  }),

  'http.duplicate-keys': ofResponses((step) => {
    const { value: json, repeated } = step.parsed;
    if (typeof json !== 'object' || json === null) return undefined;
    const actual = repeated.slice(0, 5).map(shownText);
    return judge(differenceIf(repeated.length > 0, 'repeated name', 'body', { actual }), step);
  }),

  'error.no-secrets': ofSteps(
    ({ operation, status = 0, exchange }) =>
      operation !== undefined && status >= 400 && status < 500 && exchange.response?.body !== '',
    (step) => {
      const { body = '' } = step.exchange.response ?? {};
      const actual = showsKey(body) ? 'the key' : hasStackTrace(body) ? 'a stack trace' : undefined;
      return judge(differenceIf(actual !== undefined, 'secret in error', 'body', { actual }), step);
    },
  ),
};

export const int64OfSchemas: Property = matches((name) => name === 'Pet' || name === 'Pets', true);
