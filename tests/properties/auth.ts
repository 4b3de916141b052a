/** Authentication: section 5. */
import { isBearer, schemesOf } from '../../fixtures/contract/contract.ts';
import { isOfPath } from '../../fixtures/contract/faults.ts';
import { valuesOf } from '../../fixtures/target/http/exchange.ts';
import { ofSteps, type Properties, type Property, type Store } from '../../fixtures/trace/store.ts';
import { type Instance, isInLowerCase, type Step } from '../../fixtures/trace/step.ts';
import { judgeAbsence } from './contents.ts';
import { carries, ofResponses } from './responses.ts';
import { judgeStatus } from './statuses.ts';

/** Guards of frameworks read the first word behind the scheme, and a client that sends the valid key has it. */
const isOpen = (step: Step): boolean => isInLowerCase(step) || step.request.credential === 'with a word behind it';

/** A router that knows no such path does not ask for the key. */
const isUnrouted = ({ status, request }: Step): boolean => status === 404 && request.faults.some(isOfPath);

/** The contract has another scheme, which may accept the key in that place. */
const mayBeAccepted = ({ operation, exchange, request }: Step): boolean => {
  const isToken = valuesOf(exchange.request.headers, 'authorization').some((value) => /^bearer /i.test(value));
  const isOther = (names: readonly string[]): boolean => !names.every(isBearer);
  return request.credential !== 'none' && !isToken && operation !== undefined && schemesOf(operation.raw).some(isOther);
};

const isMissing = ({ request }: Step): boolean => request.credential === 'none';

/** Something else is wrong: a fault, a body of another media type, or an id that nothing has. */
const isWrong = (store: Store, { request, operation }: Step): boolean =>
  request.faults.length > 0 ||
  request.deviations.some(({ place }) => place === 'body') ||
  (operation?.method === 'GET' && request.id !== undefined && !store.known.has(request.id));

/** The answers to the same credential where the request has no other fault. */
const findPlain = (store: Store, { operation, request: { credential } }: Step): Step[] =>
  store.steps.filter((other) => {
    const isSame = other.operation === operation && other.request.credential === credential;
    return isSame && other.status !== undefined && !isWrong(store, other);
  });

/** Each form of a credential is a part. */
const refuses = (isOwn: (step: Step, store: Store) => boolean): Property =>
  ofSteps((step, store) => {
    const isRefusable =
      step.operation?.secured && !step.isOfKey && ![isOpen, isUnrouted, mayBeAccepted].some((is) => is(step));
    return isRefusable && isOwn(step, store) && { ...judgeStatus(store, step, [401]), part: step.request.credential };
  });

const judgeAccepted = (step: Step): Instance =>
  step.violatesIf(step.status === 401, 'wrong status', 'status', { expected: ['not 401'], actual: 401 });

export const auth: Properties = {
  'auth.missing': refuses((step, store) => isMissing(step) && !isWrong(store, step)),

  // Where the same credential was sent without another fault, that request judges it.
  'auth.invalid': refuses((step, store) => !isMissing(step) && !(isWrong(store, step) && findPlain(store, step)[0])),

  // Where the same credential is served without another fault, or refused in the same way, that shows nothing about the order.
  'auth.first': refuses((step, store) => {
    const isAboutTheKey = ({ status = 0 }: Step): boolean => status < 400 || status === step.status;
    return isWrong(store, step) && (step.status === 401 || !findPlain(store, step).some(isAboutTheKey));
  }),

  'auth.valid': ofResponses(
    (step) => step.isOfKey && step.operation?.secured && !isInLowerCase(step) && judgeAccepted(step),
  ),
  'auth.scheme-case': ofSteps((step) => isInLowerCase(step) && step.status !== undefined && judgeAccepted(step)),
  'auth.refused.adds-nothing': (store) => judgeAbsence(store, (step) => !step.isOfKey && !isOpen(step)),
  'auth.challenge': carries('WWW-Authenticate', ({ status }) => status === 401),
};
