/** GET /pets: section 4.1 of the specification. Every list is asked for once the store is filled, as far as that is possible. */
import { LIST, pageLimit, petStatuses } from '../fixtures/contract/contract.ts';
import { expect, requirement, supporting, test } from '../fixtures/index.ts';
import { rememberedFaults, rememberedParameters } from '../fixtures/judge/independence.ts';
import { type DerivedQuery, PLAIN, queries } from '../fixtures/plan/derived.ts';
import {
  filteredFirst,
  limited,
  limitedBeyond,
  onceBeyond,
  PLAIN_LIST,
  SERVED_LIST,
  unlimited,
  WHOLE_LIST,
} from '../fixtures/plan/lists.ts';
import { BEYOND_DOUBLE } from '../fixtures/plan/samples.ts';
import { isThorough } from '../fixtures/settings/settings.ts';
import { roomOf } from '../fixtures/target/run/answers.ts';

const { minimum, maximum, default: preset } = pageLimit;

const odd = queries(isThorough()).filter(
  ({ operation, case: each }) => operation === LIST && !each.valid && !each.isOpen,
);

/** The first limit beyond the largest one: the limits further out may be rejected for what they are, such as no int64. */
const isDecisive = ({ case: { parameter, value } }: DerivedQuery): boolean =>
  parameter === 'limit' && value === String(maximum + 1);

/** Odd parameters; of limits out of range the first one decides, and others can only show a violation. */
const oddQueries = odd
  .filter((each) => !isDecisive(each))
  .flatMap(({ row: { name }, requirement: id, title }) => {
    const details = id === 'list.limit.never-above-maximum' ? supporting(id, LIST.id) : requirement(id, LIST.id);
    const again = { name: onceBeyond(name), details, title: `${title}, once more animals exist` };
    return isThorough() ? [{ name, details, title }, again] : [{ name, details, title }];
  });

const beyondMaximum = odd
  .filter(isDecisive)
  .flatMap(({ row: { name }, title }) => [
    { name, title },
    ...(isThorough() ? [{ name: onceBeyond(name), title: `${title}, once more animals exist,` }] : []),
  ]);

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
      await answers.added(PLAIN);
      const { list, added } = await answers.whole();
      expect(list).toShowEach(added);
    },
  );

  test(
    `shows categoryId ${BEYOND_DOUBLE} to the last digit`,
    requirement('pet.int64', 'listPets'),
    async ({ answers }) => {
      const added = await answers.addedWith({ categoryId: BEYOND_DOUBLE });
      const list = await answers.listShowing(WHOLE_LIST, added);
      expect(list).toShowEach([added.only('categoryId')]);
    },
  );

  test('shows nothing of a refused body', requirement('add.rejected.adds-nothing', 'addPet'), async ({ answers }) => {
    const { list, marks } = await answers.afterRefusals('with the key');
    expect(list).toShowNone(marks);
  });

  test(
    'shows nothing of an addition refused for its credential',
    requirement('auth.refused.adds-nothing', 'addPet'),
    async ({ answers }) => {
      const { list, marks } = await answers.afterRefusals('without a valid key');
      expect(list).toShowNone(marks);
    },
  );

  test(`accepts the smallest limit, ${minimum}`, requirement('list.limit.minimum'), async ({ answers }) => {
    expect(await answers.to(SERVED_LIST)).toHaveStatus(200);
  });

  test(`accepts the largest limit, ${maximum}`, requirement('list.limit.maximum'), async ({ answers }) => {
    expect(await answers.to(WHOLE_LIST)).toHaveStatus(200);
  });

  for (const { row, limit } of [...limited, ...(isThorough() ? limitedBeyond : [])]) {
    test(
      `${row}: limit=${limit} returns that many where they exist, and never more`,
      requirement('list.limit.caps'),
      async ({ answers }) => {
        const list = await answers.to(row);
        expect(list).toHaveStatus(200);
        answers.mustHaveExisted(list, 1);
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
      answers.mustHaveOthers(list, status);
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

  for (const { name, details, title } of oddQueries) {
    test(`answers ${title} with a 4xx, or with a list that keeps the rules`, details, async ({ answers }) => {
      const answer = await answers.to(name);
      expect(answer).toHaveStatus(200, '4xx');
      expect(answer).toKeepTheRules();
    });
  }

  for (const { name, title } of beyondMaximum) {
    test(
      `answers ${title} with a 4xx, or with no more than ${maximum} animals of more`,
      requirement('list.limit.never-above-maximum'),
      async ({ answers }) => {
        const answer = await answers.to(name);
        expect(answer).toHaveStatus(200, '4xx');
        expect(answer).toKeepTheRules();
        answers.mustBeDecisive(answer, maximum);
      },
    );
  }
});
