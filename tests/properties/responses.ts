/** Every response, whatever was asked: sections 1, 2, 4 and 7. */
import { findResponse } from '../../fixtures/contract/contract.ts';
import { isObject } from '../../fixtures/contract/json.ts';
import { difference, differenceIf, shownText } from '../../fixtures/trace/finding.ts';
import { showsKey } from '../../fixtures/target/http/authorization.ts';
import { hasStackTrace } from '../../fixtures/text.ts';
import { inTheWay, type Instance, judge, type Properties, type Property } from '../../fixtures/trace/property.ts';
import type { Checked } from '../../fixtures/trace/body.ts';
import type { Step } from '../../fixtures/trace/step.ts';
import type { Store } from '../../fixtures/trace/store.ts';
import { isRefusedInFront, mayBeCopy } from './statuses.ts';

/** The responses that show something of the service: not of a banned key or a proxy, and no 5xx, of which nothing else is judged. */
function* findResponses(store: Store): Iterable<Step> {
  for (const step of store.steps) {
    const isReadable = step.operation !== undefined && step.status !== undefined && !step.isServerError;
    if (isReadable && !store.mayBeBanned(step) && !isRefusedInFront(step)) yield step;
  }
}

/** Each documented status of an operation is a part: what one shows does not stand for another. */
const ofStatus = (step: Step, instance: Instance): Instance => ({
  ...instance,
  part: (step.operation && findResponse(step.operation, step.status ?? 0)?.key) ?? 'other statuses',
});

export const ofResponses = (judgeOne: (step: Step, store: Store) => Instance | undefined): Property =>
  function* (store) {
    for (const step of findResponses(store)) {
      const instance = judgeOne(step, store);
      if (instance) yield instance;
    }
  };

const matches = (isOwn: (name: string | undefined) => boolean, layer: 'others' | 'int64' = 'others'): Property =>
  ofResponses((step, store) => {
    const { checked } = step;
    if (checked === undefined) return undefined;
    if ('unread' in checked) return ofStatus(step, inTheWay(`it cannot be read: ${checked.unread}`, step));
    return isOwn(checked.name) ? ofStatus(step, judge(store.faultsOf(step, layer), step)) : undefined;
  });

const NAMED = ['Pet', 'Pets', 'Error'];

const nameOfSchema = ({ checked }: Step): string | undefined => (checked as Partial<Checked> | undefined)?.name;

export const responses: Properties = {
  'service.json': ofResponses((step) => {
    const { jsonFaults } = step;
    if (jsonFaults === undefined) return undefined;
    const isUnread = 'unread' in jsonFaults;
    return ofStatus(
      step,
      isUnread ? inTheWay(`it cannot be read: ${jsonFaults.unread}`, step) : judge(jsonFaults, step),
    );
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

  *'service.no-server-error'(store) {
    for (const step of store.steps.filter(({ status }) => status !== undefined)) {
      // 501 shows that the server does not know the method (RFC 9110, section 15.6.2).
      const isWrong = step.isServerError && !(step.status === 501 && step.operation === undefined);
      const more = { expected: ['not 5xx'], actual: step.status };
      yield judge(differenceIf(isWrong, 'wrong status', 'status', more), step);
    }
  },

  'pet.schema': matches((name) => name === 'Pet'),
  'pets.schema': matches((name) => name === 'Pets'),
  'error.schema': matches((name) => name === 'Error'),
  'service.schema': matches((name) => !NAMED.includes(name ?? '')),

  'error.status': ofResponses((step) => {
    const { json, status } = step;
    if (nameOfSchema(step) !== 'Error' || !isObject(json) || typeof json['status'] !== 'number') return undefined;
    const more = { expected: status, actual: json['status'], pointer: '/status' };
    return ofStatus(step, judge(differenceIf(json['status'] !== status, 'wrong status field', '/status', more), step));
  }),

  'http.duplicate-keys': ofResponses((step) => {
    const { json, repeatedNames } = step;
    if (typeof json !== 'object' || json === null) return undefined;
    const actual = repeatedNames.slice(0, 5).map(shownText);
    return judge(differenceIf(repeatedNames.length > 0, 'repeated name', 'body', { actual }), step);
  }),

  *'error.no-secrets'({ steps }) {
    for (const step of steps.filter(({ operation, status = 0 }) => operation && status >= 400 && status < 500)) {
      const { body = '' } = step.exchange.response ?? {};
      if (body === '') continue;
      const isRepeated = showsKey(body);
      const actual = isRepeated ? 'the key' : 'a stack trace';
      const isWrong = isRepeated || hasStackTrace(body);
      yield judge(isWrong ? [difference('secret in error', 'body', { actual })] : [], step);
    }
  },
};

export const int64OfSchemas: Property = matches((name) => name === 'Pet' || name === 'Pets', 'int64');
