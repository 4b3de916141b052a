/** Judges recorded traffic: later answers by its additions. Only `judge` runs it, without rows of the plan. */
import {
  expect,
  isTraffic,
  judgeEchoes,
  judgeGetsOfAdded,
  judgeRepeatedGets,
  judgeUniqueIds,
  supporting,
  test,
} from '../../fixtures/index.ts';

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
});
