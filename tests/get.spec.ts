/** GET /pets/{petId}: section 4.3 of the specification. */
import { expect, requirement, test } from '../fixtures/index.ts';
import { foundAgain } from '../fixtures/judge/additions.ts';
import {
  CATEGORY_LOOK_UP,
  FIRST_LOOK_UP,
  LAST_LOOK_UP,
  LATE_CATEGORY_LOOK_UP,
  lookUps,
  moreNotIntegers,
  moreUnknownIds,
  notIntegers,
  unknownIds,
} from '../fixtures/plan/get-by-id.ts';
import { BEYOND_DOUBLE } from '../fixtures/plan/samples.ts';
import { isThorough } from '../fixtures/settings/settings.ts';

test.describe('GET /pets/{petId}', () => {
  for (const { row, about } of [
    { row: FIRST_LOOK_UP, about: 'one of the first' },
    { row: LAST_LOOK_UP, about: 'the last one' },
  ]) {
    test(`answers 200 with that very animal, ${about}`, requirement('get.found'), async ({ answers }) => {
      const found = await answers.to(row);
      expect(found).toHaveStatus(200);
      expect(found).toBeAnimal({}, found.asked.id);
    });
  }

  for (const { row, about } of lookUps) {
    test(`answers with ${about}, as it was added`, requirement('add.persists', 'getPet'), async ({ answers }) => {
      const found = await answers.to(row);
      const { sent, animal } = answers.additionFor(found);
      answers.mustBeFindable(found);
      expect(found).toHaveStatus(200);
      expect(found).toBeAnimal(sent, animal.id);
    });
  }

  test('finds an animal again that it found before', requirement('add.persists', 'getPet'), async ({ answers }) => {
    const { log } = await answers.all();
    expect(foundAgain(log.all())).toHold();
  });

  test(
    `answers with categoryId ${BEYOND_DOUBLE} to the last digit`,
    requirement('pet.int64', 'getPet'),
    async ({ answers }) => {
      const added = await answers.addedWith({ categoryId: BEYOND_DOUBLE });
      expect(await answers.found([CATEGORY_LOOK_UP, LATE_CATEGORY_LOOK_UP], added)).toBeAnimal({
        categoryId: BEYOND_DOUBLE,
      });
    },
  );

  for (const { row, about } of [...unknownIds, ...(isThorough() ? moreUnknownIds : [])]) {
    test(`answers 404 where no animal has the id: ${about}`, requirement('get.unknown'), async ({ answers }) => {
      const answer = await answers.to(row);
      answers.mustBeUnknown(answer);
      expect(answer).toHaveStatus(404);
    });
  }

  for (const { row, about } of [...notIntegers, ...(isThorough() ? moreNotIntegers : [])]) {
    test(
      `answers with a 4xx where the id is no int64: ${about}`,
      requirement('get.id.not-an-integer'),
      async ({ answers }) => {
        expect(await answers.to(row)).toHaveStatus('4xx');
      },
    );
  }
});
