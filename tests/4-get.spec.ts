/** GET /pets/{petId}: section 4.3 of the specification. */
import { BEYOND_INT64 } from '../fixtures/contract/cases.ts';
import { expect, inapplicable, applicable, onlyWhere, requirement, test } from '../fixtures/index.ts';
import { BEYOND_DOUBLE, type PlanName } from '../fixtures/target/animals.ts';

/**
 * The animals whose values are worth asking for again: the first one added, and those that a store could mangle. With the
 * first ones of the many that follow, nine additions in a row are asked for: whatever befalls every eighth of them shows.
 */
const kept = ['plain', 'marks', 'digits', 'astral', 'ownId', 'category'] as const satisfies readonly PlanName[];

/** Ids that no animal has, and whether that is certain: another animal may get a small or a neighbouring one meanwhile. */
const unknownIds = [
  { shape: 'a large one', id: 'large' },
  { shape: 'a small one', id: 'small' },
  { shape: 'one next to a known one', id: 'next' },
] as const;

const notIntegers = [
  { title: 'the id of an animal, with letters behind it', make: (id: string) => `${id}abc` },
  { title: 'the id of an animal, with a fraction', make: (id: string) => `${id}.5` },
  { title: 'the first integer beyond int64', make: () => String(BEYOND_INT64) },
] as const satisfies readonly { title: string; make: (id: string) => string }[];

test.describe('GET /pets/{petId}', () => {
  test.beforeEach(({ store, removed }) => {
    onlyWhere(!removed(store), 'the removal date that the contract announces has come');
  });

  test('answers 200 with that very animal', requirement('get.found'), async ({ store, anAnimal }) => {
    const { id, sent } = await anAnimal();
    const answer = await store.find(id);
    expect(answer).toHaveStatus(200);
    expect(answer).toBeAnimal(sent, id);
  });

  for (const name of kept) {
    test(
      `answers with an animal as it was added: ${name}`,
      requirement('add.persists', 'getPet'),
      async ({ store, animals }) => {
        await animals.all();
        onlyWhere(name !== 'ownId' || animals.more(1) !== undefined, 'few were added: it is one of a row of many');
        const { animal, sent } = applicable(
          await animals.planned(name),
          'refused with 400 when it was added, as it may be',
        );
        const answer = await store.find(animal.id);
        await store.mustFindSome(animal.id);
        expect(answer).toHaveStatus(200);
        expect(answer).toBeAnimal(sent, animal.id);
      },
    );
  }

  test(
    `answers with categoryId ${BEYOND_DOUBLE} to the last digit`,
    requirement('pet.int64', 'getPet'),
    async ({ store, animals }) => {
      await animals.all();
      const { animal } = applicable(
        await animals.planned('category'),
        'refused with 400 when it was added, as it may be',
      );
      const answer = await store.find(animal.id);
      onlyWhere(answer.animal?.id === animal.id, 'that animal is not found (see add.persists)');
      expect(answer).toBeAnimal({ categoryId: BEYOND_DOUBLE });
    },
  );

  for (const nth of [1, 2]) {
    test(
      `answers with an animal that was added among many: ${nth}`,
      requirement('add.persists', 'getPet'),
      async ({ store, animals }) => {
        await animals.all();
        const { animal, sent } =
          animals.more(nth) ?? inapplicable('the store held enough animals: none was added to top it up');
        const answer = await store.find(animal.id);
        await store.mustFindSome(animal.id);
        expect(answer).toHaveStatus(200);
        expect(answer).toBeAnimal(sent, animal.id);
      },
    );
  }

  for (const { shape, id } of unknownIds) {
    test(
      `answers 404 where no animal has the id: ${shape}`,
      requirement('get.unknown'),
      async ({ store, unknownId }) => {
        const { asked, certain } = unknownId(id);
        const answer = await store.get(asked);
        onlyWhere(certain || answer.animal?.id !== asked, 'an animal of that id is there');
        expect(answer).toHaveStatus(404);
      },
    );
  }

  for (const { title, make } of notIntegers) {
    test(
      `answers with a 4xx where the id is no int64: ${title}`,
      requirement('get.id.not-an-integer'),
      async ({ store, anAnimal }) => {
        const { id } = await anAnimal();
        expect(await store.get(make(id), { valid: false })).toHaveStatus('4xx');
      },
    );
  }
});
