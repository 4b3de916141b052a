/** The bearer key: section 5 of the specification. The operations come from the contract. */
import {
  type Answer,
  type Answers,
  expect,
  faultyWithoutKey,
  isThorough,
  judgeRememberedCredentials,
  type NotJudged,
  notJudged,
  operations,
  requirement,
  type RowName,
  test,
  withoutKey,
  withWrongCredentials,
} from '../fixtures/index.ts';

/** Whether the same credential is served without the further fault, or rejected with the same wrong status. */
function findFaultOfKey({ known }: Answers, plain: RowName, { status }: Answer): NotJudged | undefined {
  const { status: without = 401 } = known.answer(plain) ?? {};
  if (without === 401 || (without >= 400 && without !== status)) return undefined;
  return notJudged.see(`the same credential without another fault is answered ${without}`, 'auth.invalid');
}

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
      const faultOfKey = findFaultOfKey(await answers.all(), plain, answer);
      test.skip(faultOfKey !== undefined, faultOfKey);
      expect(answer).toHaveStatus(401);
    });
  }

  test('accepts the scheme name in lower case', requirement('auth.scheme-case'), async ({ answers }) => {
    expect(await answers.to('GET /store/orders, with "bearer" in lower case')).toBeAuthenticated();
  });
});
