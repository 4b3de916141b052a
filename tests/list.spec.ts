/** GET /pets: section 4.1 of the specification. Every list is asked for once the store is filled, as far as that is possible. */
import { pageLimit, petStatuses } from '../fixtures/contract/contract.ts';
import { expect, requirement, test } from '../fixtures/index.ts';
import { rememberedFaults, rememberedParameters } from '../fixtures/judge/independence.ts';
import { queries } from '../fixtures/plan/derived.ts';
import { filteredFirst, limited, PLAIN_LIST, SERVED_LIST, unlimited, WHOLE_LIST } from '../fixtures/plan/lists.ts';
import { BEYOND_DOUBLE } from '../fixtures/plan/samples.ts';
import { isThorough } from '../fixtures/settings/settings.ts';
import { roomOf } from '../fixtures/target/answers.ts';

const { minimum, maximum, default: preset } = pageLimit;

const oddQueries = queries(isThorough()).filter(
  ({ operation, case: { valid } }) => operation.id === 'listPets' && !valid,
);

test.describe('GET /pets', () => {
  test('answers 200 with an array of animals', requirement('list.succeeds'), async ({ answers }) => {
    const list = await answers.to(PLAIN_LIST);
    expect(list).toHaveStatus(200);
    expect(list).toBeList();
  });

  test(
    'takes no account of the parameters of an earlier request',
    requirement('service.stateless', 'listPets'),
    async ({ answers }) => {
      expect(rememberedParameters(await answers.all())).toHold();
    },
  );

  test(
    'does not hold the fault of a body against the list after it',
    requirement('service.stateless', 'listPets'),
    async ({ answers }) => {
      expect(rememberedFaults(await answers.all(), 'list')).toHold();
    },
  );

  test(
    'shows each animal that was added, once, as it was added',
    requirement('list.shows-added'),
    async ({ answers }) => {
      const list = await answers.whole(WHOLE_LIST);
      expect(list).toShowEach(answers.addedBefore(list));
    },
  );

  test(
    `shows categoryId ${BEYOND_DOUBLE} to the last digit`,
    requirement('pet.int64', 'listPets'),
    async ({ answers }) => {
      const added = await answers.addedWith({ categoryId: BEYOND_DOUBLE });
      const list = await answers.listShowing(WHOLE_LIST, added.animal.id);
      expect(list).toShowEach([added.only('categoryId')]);
    },
  );

  test('shows nothing of a refused body', requirement('add.rejected.adds-nothing', 'addPet'), async ({ answers }) => {
    const { list, marks } = await answers.afterRefusals(WHOLE_LIST, 'with the key');
    expect(list).toShowNone(marks);
  });

  test(
    'shows nothing of an addition refused for its credential',
    requirement('auth.refused.adds-nothing', 'addPet'),
    async ({ answers }) => {
      const { list, marks } = await answers.afterRefusals(WHOLE_LIST, 'without a valid key');
      expect(list).toShowNone(marks);
    },
  );

  test(`accepts the smallest limit, ${minimum}`, requirement('list.limit.minimum'), async ({ answers }) => {
    expect(await answers.to(SERVED_LIST)).toHaveStatus(200);
  });

  test(`accepts the largest limit, ${maximum}`, requirement('list.limit.maximum'), async ({ answers }) => {
    expect(await answers.to(WHOLE_LIST)).toHaveStatus(200);
  });

  for (const { row, limit } of limited) {
    test(
      `${row}: limit=${limit} returns that many where they exist, and never more`,
      requirement('list.limit.caps'),
      async ({ answers }) => {
        const list = await answers.to(row);
        expect(list).toHaveStatus(200);
        expect(list).toHoldBetween(Math.min(limit, answers.existedAt(list)), limit);
      },
    );
  }

  for (const { row, about } of unlimited) {
    test(
      `is as long without limit as with limit=${preset}, ${about}`,
      requirement('list.limit.default'),
      async ({ answers }) => {
        const list = await answers.to(row);
        answers.mustHaveExisted(list, preset + 1);
        expect(list).toHoldBetween(preset, preset);
      },
    );
  }

  for (const status of petStatuses) {
    test(`returns only animals of status ${status}`, requirement('list.status.only'), async ({ answers }) => {
      const list = await answers.ofStatus(status);
      expect(list).toHaveStatus(200);
      expect(list).toHoldOnly(status);
    });

    test(`finds the animals of status ${status}`, requirement('list.status.finds'), async ({ answers }) => {
      const list = await answers.ofStatus(status);
      const added = answers.addedBefore(list).filter(({ sent }) => sent.status === status);
      answers.mustHaveExisted(list, 1, added);
      expect(list).toFind(added, roomOf(list.exchange));
    });
  }

  for (const { row, limit, status } of filteredFirst) {
    test(
      `filters before it limits: limit=${limit} and status=${status}`,
      requirement('list.status.before-limit'),
      async ({ answers }) => {
        const list = await answers.to(row);
        answers.mustHaveExisted(
          list,
          1,
          answers.addedBefore(list).filter(({ sent }) => sent.status === status),
        );
        expect(list).toHoldBetween(1, limit);
      },
    );
  }

  for (const { row, requirement: id, title } of oddQueries) {
    test(
      `answers ${title} with a 4xx, or with a list that keeps the rules`,
      requirement(id, 'listPets'),
      async ({ answers }) => {
        const answer = await answers.to(row.name);
        expect(answer).toHaveStatus(200, '4xx');
        expect(answer).toKeepTheRules();
      },
    );
  }
});
