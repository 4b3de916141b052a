/** The bearer key: section 5 of the specification. The operations come from the contract, new ones too. */
import { operations } from '../fixtures/contract/contract.ts';
import { expect, requirement, test } from '../fixtures/index.ts';
import { rememberedCredentials } from '../fixtures/judge/independence.ts';
import { faultyWithoutKey, nameWithoutKey, withWrongCredentials } from '../fixtures/plan/derived.ts';
import { ORDERS_LOWER_CASE } from '../fixtures/plan/plan.ts';
import { isThorough } from '../fixtures/settings/settings.ts';

test.describe('Authentication', () => {
  test(
    'takes no account of the credentials of an earlier request',
    requirement('service.stateless'),
    async ({ answers }) => {
      expect(rememberedCredentials(await answers.all())).toHold();
    },
  );

  for (const operation of operations.filter(({ secured }) => secured)) {
    test(
      `${operation.name} answers 401 without a key`,
      requirement('auth.missing', operation.id),
      async ({ answers }) => {
        expect(await answers.to(nameWithoutKey(operation))).toHaveStatus(401);
      },
    );
  }

  for (const { row, operation, credential, withFault = row.name } of withWrongCredentials(isThorough())) {
    test(
      `${operation.name} answers 401 to a credential that is wrong: ${credential}`,
      requirement('auth.invalid', operation.id),
      async ({ answers }) => {
        expect(await answers.firstOf([row.name, withFault], () => true)).toHaveStatus(401);
      },
    );
  }

  for (const { row, operation, title, plain } of faultyWithoutKey()) {
    test(`${operation.name} answers 401 ${title}`, requirement('auth.first', operation.id), async ({ answers }) => {
      await answers.mustBeRefused(plain);
      expect(await answers.to(row.name)).toHaveStatus(401);
    });
  }

  test('accepts the scheme name in lower case', requirement('auth.scheme-case'), async ({ answers }) => {
    expect(await answers.to(ORDERS_LOWER_CASE)).toBeAuthenticated();
  });
});
