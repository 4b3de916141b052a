/** Judges recorded traffic: later answers by its additions. Only `judge` runs it, without rows of the plan. */
import {
  expect,
  isFilter,
  isListParameter,
  isTraffic,
  judgeEchoes,
  judgeGetsOfAdded,
  judgeRepeatedGets,
  judgeUniqueIds,
  judgeResponses,
  LIST,
  type Operation,
  operations,
  supporting,
  test,
} from '../../fixtures/index.ts';

/** Whether a contract filters by more than the specification shows. */
const hasFurtherFilter = (operation: Operation): boolean =>
  operation.parameters.some(
    (parameter) => isFilter(operation, parameter) && !(operation === LIST && isListParameter(parameter.name)),
  );

const ofTraffic = isTraffic() ? test.describe : (): void => {};

ofTraffic('Recorded traffic', () => {
  test('returns what was sent in each addition', supporting('add.echo'), async ({ answers }) => {
    expect(judgeEchoes(answers.known.additions())).toBeSatisfied();
  });

  test('gives each added animal a unique id', supporting('add.id.unique'), async ({ answers }) => {
    expect(judgeUniqueIds(answers.log.all())).toBeSatisfied();
  });

  test('finds each added animal as it was added', supporting('add.persists', 'getPet'), async ({ answers }) => {
    expect(judgeGetsOfAdded(answers.known.additions(), answers.log.all())).toBeSatisfied();
  });

  test('finds an animal each time', supporting('add.persists', 'getPet'), async ({ answers }) => {
    expect(judgeRepeatedGets(answers.log.all())).toBeSatisfied();
  });

  test(
    'lists no animal of another status than an unknown one',
    supporting('list.status.unknown', LIST.id),
    async ({ answers }) => {
      const lists = await answers.responsesOf(LIST, '200');
      expect(judgeResponses('list.status.unknown', lists, `lists of ${LIST.name}`)).toBeSatisfied();
    },
  );

  for (const operation of operations.filter(hasFurtherFilter))
    test(`filters ${operation.name}`, supporting('service.filter', operation.id), async ({ answers }) => {
      const lists = await answers.responsesOf(operation, '200');
      expect(judgeResponses('service.filter', lists, `lists of ${operation.name}`)).toBeSatisfied();
    });
});
