/** GET /pets: section 4.1 of the specification. Additions come first, so every list here knows what it has to show. */
import { queryCases } from '../fixtures/contract/cases.ts';
import { operationOf, pageLimit, petStatuses } from '../fixtures/contract/contract.ts';
import { requirementFor } from '../fixtures/contract/requirements.ts';
import { applicable, expect, inapplicable, MOST, onlyWhere, requirement, test } from '../fixtures/index.ts';
import { BEYOND_DOUBLE } from '../fixtures/target/animals.ts';
import type { ListQuery as Query } from '../fixtures/target/store.ts';
import { wholeList } from '../fixtures/target/refused.ts';
import { ODD_LIMIT, rememberedParameters } from '../fixtures/target/stateless.ts';

const second = petStatuses[1] as string;
const third = petStatuses.at(-1) as string;
const { minimum, maximum, default: preset } = pageLimit;

/** Limits in range, small and large, with and without a filter; MOST stands for the status that most animals have. */
const limits = [
  { limit: minimum + 1 },
  { limit: preset / 2 },
  { limit: preset, status: MOST },
  { limit: maximum - 1, status: MOST },
  { limit: maximum, status: second },
  { limit: minimum, status: second },
  { limit: ODD_LIMIT, status: third },
  // Last, when the filtered lists have shown how many animals there are.
  { limit: maximum },
] as const satisfies readonly Query[];

const filtered = limits.flatMap((row) => ('status' in row && row.status !== MOST ? [row] : []));

const unlimited = [
  { title: 'without a status' },
  { title: 'with a status', status: MOST },
] as const satisfies readonly {
  title: string;
  status?: string;
}[];

/** The cases that only a store with more animals than the largest limit can decide. */
const ABOVE = 'listPets query limit outside';

const oddValues = queryCases(operationOf('listPets')).filter((row) => !row.valid);

test.describe('GET /pets', () => {
  test(
    'takes no account of the parameters of an earlier request',
    requirement('service.stateless', 'listPets'),
    async ({ store, filled }) => {
      await filled();
      expect(await rememberedParameters(store)).toHold();
    },
  );

  test('answers 200 with an array of animals', requirement('list.succeeds'), async ({ store, filled }) => {
    await filled();
    const answer = await store.list();
    expect(answer).toHaveStatus(200);
    expect(answer).toBeList();
  });

  test(
    'shows each animal that was added, once, as it was added',
    requirement('list.shows-added'),
    async ({ store, animals }) => {
      await animals.all();
      const answer = await wholeList(store, inapplicable);
      expect(answer).toShowEach(store.added());
    },
  );

  test(
    `shows categoryId ${BEYOND_DOUBLE} to the last digit`,
    requirement('pet.int64', 'listPets'),
    async ({ store, animals }) => {
      await animals.all();
      const { animal } = applicable(
        await animals.planned('category'),
        'refused with 400 when it was added, as it may be',
      );
      const answer = await wholeList(store, inapplicable);
      onlyWhere(
        answer.animals.some(({ id }) => id === animal.id),
        'no list shows that animal (see list.shows-added)',
      );
      expect(answer).toShowEach([{ animal, sent: { categoryId: BEYOND_DOUBLE } }]);
    },
  );

  test(
    'shows nothing of a refused body',
    requirement('add.rejected.adds-nothing', 'addPet'),
    async ({ store, animals, refused }) => {
      await animals.plain();
      const marks = await refused('key');
      onlyWhere(marks.length > 0, 'no addition with a name was refused in this run');
      expect(await wholeList(store, inapplicable, marks)).toShowNone(marks);
    },
  );

  test(
    'shows nothing of an addition refused for its credential',
    requirement('auth.refused.adds-nothing', 'addPet'),
    async ({ store, animals, refused }) => {
      await animals.plain();
      const marks = await refused('others');
      onlyWhere(marks.length > 0, 'no addition was refused for its credential in this run');
      expect(await wholeList(store, inapplicable, marks)).toShowNone(marks);
    },
  );

  test(`accepts the smallest limit, ${minimum}`, requirement('list.limit.minimum'), async ({ store }) => {
    expect(await store.list({ limit: minimum, status: second })).toHaveStatus(200);
  });

  test(`accepts the largest limit, ${maximum}`, requirement('list.limit.maximum'), async ({ store }) => {
    expect(await store.list({ limit: maximum })).toHaveStatus(200);
  });

  for (const row of limits) {
    const title = Object.entries(row).map(([name, value]) => `${name}=${value}`);

    test(
      `holds as many animals as asked for, and no more: ${title.join(' and ')}`,
      requirement('list.limit.caps'),
      async ({ store, queryOf }) => {
        const query = await queryOf(row);
        const answer = await store.listAtLeast(query, row.limit);
        expect(answer).toHaveStatus(200);
        expect(answer).toListAsMany(store, query);
      },
    );
  }

  for (const { title, ...row } of unlimited) {
    test(
      `is as long without limit as with the default, ${title}`,
      requirement('list.limit.default'),
      async ({ store, queryOf }) => {
        const query = await queryOf<Query>(row);
        const answer = await store.listAtLeast(query, preset);
        onlyWhere(store.known(query.status) > preset, `no more than ${preset} animals are there: it says nothing`);
        expect(answer).toListExactly(preset, `more than ${preset} are there, and ${preset} is the default of limit`);
      },
    );
  }

  for (const status of petStatuses) {
    test(
      `returns only animals of status ${status}`,
      requirement('list.status.only'),
      async ({ store, statusQuery, filled }) => {
        await filled();
        const answer = await store.list(await statusQuery(status));
        expect(answer).toHaveStatus(200);
        expect(answer).toListOnly(status);
      },
    );

    test(
      `finds the animals of status ${status}`,
      requirement('list.status.finds'),
      async ({ store, statusQuery, filled }) => {
        await filled();
        const known = store.addedWith(status);
        onlyWhere(known.length > 0 || store.known(status) > 0, `no animal of status ${status} is known`);
        const query = await statusQuery(status);
        const answer = await store.listShowing(query, known);
        expect(answer).toFind(known, query);
      },
    );
  }

  for (const { limit, status } of filtered) {
    test(
      `filters before it limits: limit=${limit} and status=${status}`,
      requirement('list.status.before-limit'),
      async ({ store, filled }) => {
        await filled();
        const some = store.addedWith(status).length + store.known(status);
        onlyWhere(some > 0, `no animal of status ${status} is known`);
        expect(await store.listAtLeast({ limit, status }, 1)).toListSome(`animals of status ${status} are known`);
      },
    );
  }

  for (const row of oddValues) {
    test(
      `answers ${row.title} with a 4xx, or with a list that keeps the rules`,
      requirement(requirementFor(row.name, 'service.no-server-error'), 'listPets'),
      async ({ store, overfull }) => {
        await overfull();
        onlyWhere(
          row.value !== String(maximum * 10) || store.known() >= maximum,
          `fewer than ${maximum} animals are known: it says no more than limit=${maximum + 1}`,
        );
        const answer = await store.list({ [row.parameter]: row.value }, { valid: false });
        expect(answer).toHaveStatus(200, '4xx');
        expect(answer).toKeepTheRules();
        onlyWhere(
          row.name !== ABOVE || store.known() >= maximum,
          `fewer than ${maximum} animals are known: nothing could come that is too much (DEPTH=thorough adds them)`,
        );
      },
    );
  }
});
