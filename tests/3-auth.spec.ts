/** The bearer key: section 5 of the specification. The operations come from the contract, new ones too. */
import { faultyRequest } from '../fixtures/contract/cases.ts';
import { operations } from '../fixtures/contract/contract.ts';
import { expect, onlyWhere, requirement, test } from '../fixtures/index.ts';
import { wrongCredentials } from '../fixtures/target/exchange.ts';
import { rememberedCredentials } from '../fixtures/target/stateless.ts';

const secured = operations.filter((operation) => operation.secured);

/** Each kind of wrong credential on one operation, and each operation with several kinds; all of them with all at thorough depth. */
const wrongRows =
  process.env.DEPTH === 'thorough'
    ? secured.flatMap((operation) => wrongCredentials.map((credential) => ({ operation, credential })))
    : wrongCredentials.flatMap((credential, index) => {
        const operation = secured[index % secured.length];
        return operation ? [{ operation, credential }] : [];
      });

const faultyRows = secured.flatMap((operation) => {
  const faulty = faultyRequest(operation);
  return faulty ? [{ operation, ...faulty }] : [];
});

test.describe('Authentication', () => {
  test(
    'takes no account of the credentials of an earlier request',
    requirement('service.stateless'),
    async ({ store }) => {
      expect(await rememberedCredentials(store)).toHold();
    },
  );

  for (const operation of secured) {
    test(
      `${operation.name} answers 401 without a key`,
      requirement('auth.missing', operation.id),
      async ({ store, validCall }) => {
        expect(await validCall(operation, store.as('none'))).toHaveStatus(401);
      },
    );
  }

  for (const { operation, credential } of wrongRows) {
    test(
      `${operation.name} answers 401 to a credential that is wrong: ${credential}`,
      requirement('auth.invalid', operation.id),
      async ({ store, validCall, settings }) => {
        onlyWhere(credential !== 'in another case' || /[a-z]/i.test(settings.apiKey), 'the key has no letters');
        expect(await validCall(operation, store.as(credential))).toHaveStatus(401);
      },
    );
  }

  for (const { operation, title, path, body } of faultyRows) {
    test(
      `${operation.name} answers 401 without a key, also where ${title}`,
      requirement('auth.first', operation.id),
      async ({ store, validCall }) => {
        const plain = await validCall(operation, store.as('none'));
        onlyWhere(plain.status === 401, 'it is not refused without a fault either (see auth.missing)');
        expect(await store.as('none').ask(operation, { target: path, ...(body && { body }) })).toHaveStatus(401);
      },
    );
  }

  test('accepts the scheme name in lower case', requirement('auth.scheme-case'), async ({ store, validCall }) => {
    const operation = secured.find(({ id }) => id === 'listOrders') ?? secured[0];
    expect(await validCall(operation as (typeof secured)[number], store.as('lower-case scheme'))).toBeAuthenticated();
  });
});
