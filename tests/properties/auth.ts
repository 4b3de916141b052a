/** Authentication: section 5. */
import { difference, differenceIf } from '../../fixtures/trace/finding.ts';
import { header } from '../../fixtures/target/http/exchange.ts';
import { type Instance, judge, type Properties, type Property } from '../../fixtures/trace/property.ts';
import type { Step } from '../../fixtures/trace/step.ts';
import type { Store } from '../../fixtures/trace/store.ts';
import { judgeAbsence } from './refused.ts';
import { ofResponses } from './responses.ts';
import { judgeStatus } from './statuses.ts';

const withCredential = (
  isOwn: (step: Step, store: Store) => boolean,
  judgeOne: (store: Store, step: Step) => Instance | undefined,
): Property =>
  function* (store) {
    for (const step of store.steps) {
      const { operation, request } = step;
      if (!operation?.secured || step.isOfKey || isOpen(step) || !isOwn(step, store)) continue;
      const instance = judgeOne(store, step);
      if (instance) yield { ...instance, part: request.credential };
    }
  };

/** Guards of frameworks read the first word behind the scheme, and who sends the valid key has it. */
const isOpen = ({ request }: Step): boolean => request.credential === 'with a word behind it';

const isMissing = ({ request }: Step): boolean => request.credential === 'none';
/** Something else is wrong: a fault, or an id that nothing has. */
const isFaulty = (store: Store, { request, operation }: Step): boolean =>
  request.faults.length > 0 ||
  (operation?.method === 'GET' && request.id !== undefined && !store.known.has(request.id));

/** Whether the same credential is also served, or refused with the same status, where the request has no other fault. */
const isAboutTheKey = (store: Store, step: Step): boolean =>
  store.steps.some(
    (other) =>
      other.operation === step.operation &&
      other.request.credential === step.request.credential &&
      !isFaulty(store, other) &&
      other.status !== undefined &&
      other.status !== 401 &&
      (other.status < 400 || other.status === step.status),
  );

export const auth: Properties = {
  'auth.missing': withCredential(
    (step, store) => isMissing(step) && !isFaulty(store, step),
    (store, step) => judgeStatus(store, step, [401]),
  ),

  'auth.invalid': withCredential(
    (step) => !isMissing(step),
    // Where the same credential was sent without another fault, that request judges it.
    (store, step) =>
      isFaulty(store, step) && wasSentPlainly(store, step) ? undefined : judgeStatus(store, step, [401]),
  ),

  'auth.first': withCredential(
    (step, store) => isFaulty(store, step),
    (store, step) => (step.status !== 401 && isAboutTheKey(store, step) ? undefined : judgeStatus(store, step, [401])),
  ),

  'auth.valid': ofResponses((step) =>
    step.isOfKey && step.request.credential !== 'lower-case scheme'
      ? judge(differenceIf(step.status === 401, 'wrong status', 'status', { expected: ['not 401'], actual: 401 }), step)
      : undefined,
  ),

  'auth.refused.adds-nothing': (store) => judgeAbsence(store, (step) => !step.isOfKey && !isOpen(step)),

  'auth.challenge': ofResponses((step) => {
    if (step.status !== 401) return undefined;
    const isThere = header(step.exchange, 'WWW-Authenticate') !== undefined;
    return judge(isThere ? [] : [difference('missing header', 'header WWW-Authenticate')], step);
  }),

  *'auth.scheme-case'(store) {
    for (const step of store.steps.filter(({ request }) => request.credential === 'lower-case scheme')) {
      const wrong = difference('wrong status', 'status', { expected: ['not 401'], actual: 401 });
      if (step.status !== undefined) yield judge(step.status === 401 ? [wrong] : [], step);
    }
  },
};

/** Whether the same credential was sent to the operation in a request without another fault. */
const wasSentPlainly = (store: Store, step: Step): boolean =>
  store.steps.some(
    (other) =>
      other.operation === step.operation &&
      other.request.credential === step.request.credential &&
      !isFaulty(store, other) &&
      other.status !== undefined,
  );
