/** The bearer key: section 5 of the specification. The operations come from the contract. */
import {
  type Answers,
  expect,
  faultyWithoutKey,
  isThorough,
  judgeRememberedCredentials,
  nameWithoutKey,
  notJudged,
  operations,
  requirement,
  type RowName,
  test,
  withWrongCredentials,
} from '../fixtures/index.ts';

const isServed = ({ known }: Answers, row: RowName): boolean => ![undefined, 401].includes(known.answer(row)?.status);

test.describe('Authentication', () => {
  test('ignores the credentials of earlier requests', requirement('service.stateless'), async ({ answers }) => {
    expect(judgeRememberedCredentials(await answers.all())).toBeSatisfied();
  });

  for (const operation of operations.filter(({ secured }) => secured)) {
    test(
      `${operation.name} returns 401 without a key`,
      requirement('auth.missing', operation.id),
      async ({ answers }) => {
        expect(await answers.to(nameWithoutKey(operation))).toHaveStatus(401);
      },
    );
  }

  for (const { row, operation, credential, withFault = row.name } of withWrongCredentials(isThorough())) {
    test(
      `${operation.name} returns 401 with a wrong credential: ${credential}`,
      requirement('auth.invalid', operation.id),
      async ({ answers }) => {
        expect(await answers.firstOf([row.name, withFault], () => true)).toHaveStatus(401);
      },
    );
  }

  for (const { row, operation, title, plain } of faultyWithoutKey()) {
    test(`${operation.name} returns 401 ${title}`, requirement('auth.first', operation.id), async ({ answers }) => {
      const answer = await answers.to(row.name);
      const why = notJudged.see('it is not rejected without a further fault either', 'auth.invalid');
      test.skip(isServed(await answers.all(), plain), why);
      expect(answer).toHaveStatus(401);
    });
  }

  test('accepts the scheme name in lower case', requirement('auth.scheme-case'), async ({ answers }) => {
    expect(await answers.to('GET /store/orders, with "bearer" in lower case')).toBeAuthenticated();
  });
});
