/** POST /pets: sections 2 and 4.2 of the specification. */
import {
  addedStatuses,
  BEYOND_DOUBLE,
  expect,
  isThorough,
  judgeEchoes,
  judgeRememberedErrors,
  judgeRememberedFaults,
  judgeRememberedStatus,
  judgeSimilarBodies,
  notJudged,
  OWN_ID,
  requirement,
  rowsWithStatus,
  sampleRows,
  test,
} from '../fixtures/index.ts';

test.describe('POST /pets', () => {
  for (const status of addedStatuses) {
    test(
      `returns 201 with the animal and its id, with ${status === undefined ? 'no status' : `status ${status}`}`,
      requirement('add.created'),
      async ({ answers }) => {
        const added = await answers.firstOf(rowsWithStatus(status), ({ status }) => status === 201);
        expect(added).toHaveStatus(201);
        expect(added).toHaveAnimalId();
      },
    );
  }

  test('returns every field that was sent', requirement('add.echo'), async ({ answers }) => {
    const { answer, sent } = await answers.added('POST /pets');
    expect(answer).toBeAnimal(sent);
  });

  for (const row of sampleRows) {
    test(`${row}: returns every field, or 400`, requirement('add.echo'), async ({ answers }) => {
      expect(await answers.to(row)).toHaveStatus(201, 400);
      const { answer, sent } = await answers.added(row);
      expect(answer).toBeAnimal(sent);
    });
  }

  test(
    `returns categoryId ${BEYOND_DOUBLE} to the last digit`,
    requirement('pet.int64', 'addPet'),
    async ({ answers }) => {
      const { answer } = await answers.additionWith(
        ({ sent }) => sent.categoryId === BEYOND_DOUBLE,
        notJudged.noneTaken(`categoryId ${BEYOND_DOUBLE}`),
      );
      expect(answer).toBeAnimal({ categoryId: BEYOND_DOUBLE });
    },
  );

  test('assigns an id and ignores the one in the body', requirement('add.id.assigned'), async ({ answers }) => {
    const added = await answers.to('POST /pets with an id');
    expect(added).toHaveStatus(201, 400);
    expect(added).toHaveIdOtherThan(String(OWN_ID));
  });

  for (const row of isThorough() ? (['POST /pets with the id of an animal'] as const) : [])
    test(`${row}: assigns another id`, requirement('add.id.assigned'), async ({ answers }) => {
      const { animal } = await answers.added('POST /pets');
      const added = await answers.to(row);
      expect(added).toHaveStatus(201, 400);
      const same = answers.known.additions().filter((each) => each.animal.id === animal.id);
      test.skip(same.length > 2, notJudged.see('other animals have the same id', 'add.id.unique'));
      expect(added).toHaveIdOtherThan(animal.id);
    });

  test('gives animals added in parallel different ids', requirement('add.id.unique'), async ({ answers }) => {
    await answers.added('POST /pets');
    const added = await answers.allOf([
      'POST /pets',
      'POST /pets, a duplicate at the same moment',
      'POST /pets, one of two at the same moment',
      'POST /pets, the other of two at the same moment',
    ]);
    expect(added).toHaveDistinctIds();
  });

  test('returns every field of every animal that the run adds', requirement('add.echo'), async ({ answers }) => {
    await answers.added('POST /pets');
    const { known } = await answers.all();
    expect(judgeEchoes(known.additions())).toBeSatisfied();
  });

  test(
    'accepts every body that differs from an accepted one only in digits of the name',
    requirement('add.created'),
    async ({ answers }) => {
      await answers.added('POST /pets');
      const { log } = await answers.all();
      expect(judgeSimilarBodies(log.all())).toBeSatisfied();
    },
  );

  test('ignores the status of earlier requests', requirement('service.stateless', 'addPet'), async ({ answers }) => {
    await answers.added('POST /pets');
    expect(judgeRememberedStatus(await answers.all())).toBeSatisfied();
  });

  test('ignores an earlier malformed body', requirement('service.stateless', 'addPet'), async ({ answers }) => {
    expect(judgeRememberedFaults(await answers.all(), 'addition')).toBeSatisfied();
  });

  test('ignores earlier bodies that were rejected', requirement('service.stateless', 'addPet'), async ({ answers }) => {
    await answers.added('POST /pets');
    expect(judgeRememberedErrors(await answers.all())).toBeSatisfied();
  });

  test('returns 415 to a body of another media type', requirement('add.unsupported-type'), async ({ answers }) => {
    expect(await answers.to('POST /pets as text/plain')).toHaveStatus(415);
  });
});
