/** POST /pets: sections 2 and 4.2 of the specification. */
import { bodyCases } from '../fixtures/contract/cases.ts';
import { operationOf, petStatuses } from '../fixtures/contract/contract.ts';
import { requirementFor } from '../fixtures/contract/requirements.ts';
import { applicable, expect, onlyWhere, requirement, test } from '../fixtures/index.ts';
import { BEYOND_DOUBLE, OWN_ID, planNames, plans } from '../fixtures/target/animals.ts';
import { toJson } from '../fixtures/target/json.ts';
import { rememberedFaults, rememberedStatus } from '../fixtures/target/stateless.ts';

const refusable = planNames.filter((name) => plans[name].refusable && name !== 'ownId');

test.describe('POST /pets', () => {
  for (const status of [undefined, ...petStatuses]) {
    const which = status === undefined ? 'without a status' : `of status ${status}`;

    test(
      `answers 201 with the animal and its id, for one ${which}`,
      requirement('add.created'),
      async ({ animals }) => {
        await animals.tried();
        const answer = await animals.withStatus(status);
        expect(answer).toHaveStatus(201);
        expect(answer).toCarryId();
      },
    );
  }

  test('keeps the name, the categoryId and the status', requirement('add.echo'), async ({ animals }) => {
    const { answer, sent } = await animals.plain();
    expect(answer).toBeAnimal(sent);
  });

  for (const name of refusable) {
    test(`keeps, or refuses with 400, ${plans[name].about}`, requirement('add.echo'), async ({ animals }) => {
      await animals.plain();
      onlyWhere(await animals.isAsked(name), 'asked together with accents, quotes and markup');
      expect(await animals.answer(name)).toHaveStatus(201, 400);
      const added = applicable(
        await animals.planned(name),
        'refused with 400, as it may be: such limits are not shown',
      );
      expect(added.answer).toBeAnimal(added.sent);
    });
  }

  test(
    `keeps categoryId ${BEYOND_DOUBLE} to the last digit`,
    requirement('pet.int64', 'addPet'),
    async ({ animals }) => {
      await animals.plain();
      const { answer } = applicable(
        await animals.planned('category'),
        'refused, as it may be: the set of categories is not shown',
      );
      expect(answer).toBeAnimal({ categoryId: BEYOND_DOUBLE });
    },
  );

  test('assigns the id itself where the body brings one', requirement('add.id.assigned'), async ({ animals }) => {
    await animals.plain();
    const answer = await animals.answer('ownId');
    expect(answer).toHaveStatus(201, 400);
    expect(answer).toHaveIdOtherThan(String(OWN_ID));
  });

  test(
    'gives equal animals, added at the same moment, ids of their own',
    requirement('add.id.unique'),
    async ({ animals }) => {
      await animals.plain();
      expect(await animals.twins()).toHaveDistinctIds();
    },
  );

  test('gives every animal an id that no other has', requirement('add.id.unique'), async ({ animals, store }) => {
    await animals.plain();
    expect(store).toHaveUniqueIds();
  });

  test(
    'gives no status that is left over from an earlier request',
    requirement('service.stateless', 'addPet'),
    async ({ animals }) => {
      await animals.plain();
      expect(await rememberedStatus(animals)).toHold();
    },
  );

  // Before the lists that other tests share: a target that takes it has one animal more.
  test(
    'answers 415 to a body of another media type',
    requirement('add.unsupported-type'),
    async ({ animals, store }) => {
      await animals.plain();
      const body = { bytes: toJson(animals.body('text')), type: 'text/plain' };
      expect(await store.add(body, { valid: false })).toHaveStatus(415);
    },
  );

  test(
    'does not hold the fault of one request against the next',
    requirement('service.stateless', 'addPet'),
    async ({ animals, store }) => {
      await animals.plain();
      expect(await rememberedFaults(store, animals)).toHold();
    },
  );

  for (const [nth, row] of bodyCases(operationOf('addPet')).entries()) {
    test(
      `answers 400 where ${row.title}`,
      requirement(requirementFor(row.name, 'service.invalid-body'), 'addPet'),
      async ({ animals, store }) => {
        await animals.plain();
        expect(await store.add(row.body(animals.refusable(nth)), { valid: false })).toHaveStatus(400);
      },
    );
  }
});
