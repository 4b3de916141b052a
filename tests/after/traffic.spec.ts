/** What traffic that others recorded added, against what it read later: run by `judge` alone, which asks for no row of the plan. */
import {
  echoes,
  expect,
  foundAgain,
  isTraffic,
  keptAsAdded,
  listedAsAdded,
  supporting,
  test,
  uniqueIds,
} from '../../fixtures/index.ts';

const ofTraffic = isTraffic() ? test.describe : (): void => {};

ofTraffic('Recorded traffic', () => {
  test('shows what was sent in the answer to each addition', supporting('add.echo'), async ({ answers }) => {
    expect(echoes(answers.known.additions())).toHold();
  });

  test('gives each added animal an id that no other has', supporting('add.id.unique'), async ({ answers }) => {
    expect(uniqueIds(answers.log.all())).toHold();
  });

  test('finds each added animal as it was added', supporting('add.persists', 'getPet'), async ({ answers }) => {
    expect(keptAsAdded(answers.known.additions(), answers.log.all())).toHold();
  });

  test('finds an animal again that it found before', supporting('add.persists', 'getPet'), async ({ answers }) => {
    expect(foundAgain(answers.log.all())).toHold();
  });

  test('lists each added animal as it was added', supporting('list.shows-added', 'listPets'), async ({ answers }) => {
    expect(listedAsAdded(answers.known.additions(), answers.log.all())).toHold();
  });
});
