/** The bearer key: section 5 of the specification. The operations come from the contract. */
import {
  type Answers,
  expect,
  faultyWithoutKey,
  isThorough,
  judgeRememberedCredentials,
  notJudged,
  operations,
  requirement,
  type RowName,
  test,
  withoutKey,
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
        expect(await answers.to(withoutKey(operation).name)).toHaveStatus(401);
      },
    );
  }

  for (const { name, operation, as, withFault = name } of withWrongCredentials(isThorough())) {
    test(
      `${operation.name} returns 401 with a wrong credential: ${as}`,
      requirement('auth.invalid', operation.id),
      async ({ answers }) => {
        expect(await answers.firstOf([name, withFault], () => true)).toHaveStatus(401);
      },
    );
  }

  for (const { name, operation, title, plain } of faultyWithoutKey(isThorough())) {
    test(`${operation.name} returns 401 ${title}`, requirement('auth.first', operation.id), async ({ answers }) => {
      const answer = await answers.to(name);
      const why = notJudged.see('it is not rejected without a further fault either', 'auth.invalid');
      test.skip(isServed(await answers.all(), plain), why);
      expect(answer).toHaveStatus(401);
    });
  }

  test('accepts the scheme name in lower case', requirement('auth.scheme-case'), async ({ answers }) => {
    expect(await answers.to('GET /store/orders, with "bearer" in lower case')).toBeAuthenticated();
  });
});
