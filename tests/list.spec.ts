/** GET /pets: sections 2 and 4.1 of the specification. */
import {
  type Added,
  type Answer,
  type Answers,
  BEYOND_DOUBLE,
  type DerivedQuery,
  expect,
  isFull,
  isThorough,
  countAnimals,
  judgeRememberedFaults,
  judgeRememberedParameters,
  LIST,
  type ListRow,
  type NotJudged,
  notJudged,
  onceBeyond,
  pageLimit,
  petStatuses,
  queries,
  requirement,
  requestedLimit,
  type RowName,
  supporting,
  test,
} from '../fixtures/index.ts';

const { minimum, maximum, default: preset } = pageLimit;

interface Limited {
  row: ListRow;
  limit: number;
  /** Few animals have its status, so that a filter after the limit finds none. */
  isRare?: true;
  /** Repeated at thorough depth, when more animals exist than a list may hold. */
  isRepeated?: true;
}
const LIMITED: readonly Limited[] = [
  { row: 'GET /pets?limit={minimum + 1}&status={second}', limit: minimum + 1, isRare: true },
  { row: 'GET /pets?limit={minimum}, after a request without a key', limit: minimum },
  { row: 'GET /pets?limit=9&status={last}', limit: 9, isRare: true },
  { row: 'GET /pets?limit={minimum}&status={last}', limit: minimum, isRare: true },
  {
    row: 'GET /pets?limit={default / 2}&status={most common}, after a body that is rejected',
    limit: Math.ceil(preset / 2),
  },
  { row: 'GET /pets?limit={default}&status={most common}', limit: preset },
  { row: 'GET /pets?status={most common}&limit={maximum - 1}', limit: maximum - 1, isRepeated: true },
  { row: 'GET /pets?limit={maximum}', limit: maximum, isRepeated: true },
];
const repeated = LIMITED.filter(({ isRepeated }) => isRepeated).map(({ row, limit }) => ({
  row: onceBeyond(row),
  limit,
}));
const limited: readonly { row: RowName; limit: number }[] = [...LIMITED, ...(isThorough() ? repeated : [])];
const rare = LIMITED.filter(({ isRare }) => isRare);

const UNLIMITED: readonly ListRow[] = [
  'GET /pets',
  'GET /pets?status={most common}',
  ...(isThorough() ? (['GET /pets, once more'] as const) : []),
];

const invalid = queries(isThorough()).filter(
  ({ operation, case: each }) => operation === LIST && !each.valid && !each.isOpen,
);

/** The first limit beyond the largest one: others may be rejected for another reason, such as the int64 range. */
const isDecisive = ({ case: { parameter, value } }: DerivedQuery): boolean =>
  parameter === 'limit' && value === String(maximum + 1);

/** Thorough runs repeat an invalid parameter when more animals exist than a list may hold. */
const rowsOf = ({ name }: DerivedQuery): RowName[] => (isThorough() ? [name, onceBeyond(name)] : [name]);

const isOutOfRange = ({ requirements: [id] }: DerivedQuery): boolean => id === 'list.limit.never-above-maximum';
const otherRows = invalid
  .filter((each) => !isOutOfRange(each))
  .flatMap((each) => rowsOf(each).map((row) => ({ row, id: each.requirements[0] })));
const outOfRange = invalid.filter(isOutOfRange);
/** The first limit beyond the largest passes if all are decided; others can only show a violation. */
const outOfRangeRows = outOfRange.flatMap((each) =>
  rowsOf(each).map((row) => ({
    row,
    decided: isDecisive(each) ? outOfRange.filter(({ optional }) => optional === undefined) : [each],
    details: (isDecisive(each) ? requirement : supporting)('list.limit.never-above-maximum', LIST.id),
  })),
);

/** A fault that another requirement judges. */
function findOtherFault({ status, isList }: Answer): NotJudged | undefined {
  if (status >= 500) return notJudged.see('it was answered 5xx', 'service.no-server-error');
  return status === 200 && !isList ? notJudged.see('the list cannot be read', 'pets.schema') : undefined;
}

const isRejected = ({ status }: Answer): boolean => status >= 400 && status < 500;
const isDecided = (answer: Answer, existed: number): boolean =>
  isRejected(answer) || existed > maximum || (answer.isList && answer.animals.length < existed);

/** Whether a row of the limit would have shown a list that is too long. */
const isDecidedBy = ({ known }: Answers, limit: DerivedQuery): boolean =>
  rowsOf(limit)
    .flatMap((row) => known.answer(row) ?? [])
    .some((answer) => isDecided(answer, known.existedAt(answer)));

const misses = (list: Answer, { animal }: Added): boolean =>
  list.isList && !list.animals.some(({ id }) => id === animal.id);

test.describe('GET /pets', () => {
  test('returns 200 with an array of animals', requirement('list.succeeds'), async ({ answers }) => {
    const list = await answers.to('GET /pets');
    expect(list).toHaveStatus(200);
    expect(list).toBeList();
  });

  test(
    'ignores the parameters of earlier requests',
    requirement('service.stateless', 'listPets'),
    async ({ answers }) => {
      expect(judgeRememberedParameters(await answers.all())).toBeSatisfied();
    },
  );

  test('ignores an earlier malformed body', requirement('service.stateless', 'listPets'), async ({ answers }) => {
    expect(judgeRememberedFaults(await answers.all(), 'list')).toBeSatisfied();
  });

  test('shows each added animal once, as it was added', requirement('list.shows-added'), async ({ answers }) => {
    await answers.added('POST /pets');
    const list = await answers.completeList();
    test.skip(isFull(list), notJudged.listMayBeCut(countAnimals(list)));
    expect(list).toContainNoCopy(answers.known.countRequestsByName(list));
    expect(list).toContainEach(answers.known.addedBefore(list));
  });

  test(
    `shows categoryId ${BEYOND_DOUBLE} to the last digit`,
    requirement('pet.int64', 'listPets'),
    async ({ answers }) => {
      const added = await answers.additionWith(
        ({ sent }) => sent.categoryId === BEYOND_DOUBLE,
        notJudged.noneTaken(`categoryId ${BEYOND_DOUBLE}`),
      );
      const list = await answers.to('GET /pets?limit={maximum}');
      test.skip(added.answer.exchange.number > list.exchange.number, notJudged.addedLater());
      test.skip(misses(list, added) && isFull(list), notJudged.listMayBeCut(countAnimals(list)));
      test.skip(misses(list, added), notJudged.see('no list shows that animal', 'list.shows-added'));
      expect(list).toContainEach([added.only('categoryId')]);
    },
  );

  for (const [id, who] of [
    ['add.rejected.adds-nothing', 'with the key'],
    ['auth.refused.adds-nothing', 'without a valid key'],
  ] as const) {
    test(`does not show an animal of a rejected request ${who}`, requirement(id, 'addPet'), async ({ answers }) => {
      const whole = await answers.to('GET /pets?limit={maximum}');
      const names = answers.known.rejectedBefore(whole, who);
      test.skip(names.length === 0, answers.whyNot(notJudged.nothingRejected(who)));
      expect(whole).toContainNone(names);
      const list = await answers.completeList();
      const ofList = answers.known.rejectedBefore(list, who);
      test.skip(ofList.length === 0, notJudged.listMayBeCut(countAnimals(whole)));
      expect(list).toContainNone(ofList);
      test.skip(isFull(list), notJudged.listMayBeCut(countAnimals(list)));
    });
  }

  test(`accepts the smallest limit, ${minimum}`, requirement('list.limit.minimum'), async ({ answers }) => {
    expect(await answers.to('GET /pets?limit={minimum}, after a request without a key')).toHaveStatus(200);
  });

  test(`accepts the largest limit, ${maximum}`, requirement('list.limit.maximum'), async ({ answers }) => {
    expect(await answers.to('GET /pets?limit={maximum}')).toHaveStatus(200);
  });

  for (const { row, limit } of limited) {
    test(
      `${row}: returns as many animals as limit if they exist, and never more`,
      requirement('list.limit.caps'),
      async ({ answers }) => {
        const list = await answers.to(row);
        expect(list).toHaveStatus(200);
        const existed = await answers.countExisting(list);
        test.skip(existed < 1, answers.whyFew(existed, 1));
        expect(list).toHaveLengthBetween(Math.min(limit, existed), limit);
      },
    );
  }

  for (const row of UNLIMITED) {
    test(`${row}: returns as many as limit=${preset}`, requirement('list.limit.default'), async ({ answers }) => {
      const list = await answers.to(row);
      const existed = await answers.countExisting(list);
      test.skip(existed <= preset, answers.whyFew(existed, preset + 1));
      expect(list).toHaveLengthBetween(preset, preset);
    });
  }

  for (const status of petStatuses) {
    test(`returns only animals of status ${status}`, requirement('list.status.only'), async ({ answers }) => {
      const list = await answers.ofStatus(status);
      expect(list).toHaveStatus(200);
      expect(list).toContainOnly(status);
      const { known } = answers;
      test.skip(known.count() === known.count(status), known.whyNoMore(1) ?? notJudged.noOther(status));
    });

    test(`finds the animals of status ${status}`, requirement('list.status.finds'), async ({ answers }) => {
      const list = await answers.ofStatus(status);
      const added = answers.known.addedBefore(list);
      const existed = Math.max(await answers.countExisting(list), added.length);
      test.skip(existed < 1, answers.whyFew(existed, 1));
      expect(list).toIncludeKnown(added, requestedLimit(list.exchange));
    });
  }

  for (const { row } of rare) {
    test(`${row}: filters before it limits`, requirement('list.status.before-limit'), async ({ answers }) => {
      const list = await answers.to(row);
      const existed = Math.max(await answers.countExisting(list), answers.known.addedBefore(list).length);
      test.skip(existed < 1, answers.whyFew(existed, 1));
      // A list that is too long is judged by `list.limit.caps`.
      expect(list).toHaveLengthBetween(1, Infinity);
    });
  }

  for (const { row, id } of otherRows) {
    test(`${row}: returns a 4xx, or a valid list`, requirement(id, LIST.id), async ({ answers }) => {
      const answer = await answers.to(row);
      expect(answer).toHaveStatus(200, '4xx');
      expect(answer).toBeRejectedOrValidList();
    });
  }

  for (const { row, decided, details } of outOfRangeRows) {
    test(`${row}: returns a 4xx, or ${maximum} animals at most`, details, async ({ answers }) => {
      const answer = await answers.to(row);
      const otherFault = findOtherFault(answer);
      test.skip(otherFault !== undefined, otherFault);
      expect(answer).toHaveStatus(200, '4xx');
      expect(answer).toBeRejectedOrValidList();
      const existed = await answers.countExisting(answer);
      const isOpen = !decided.every((limit) => isDecidedBy(answers, limit));
      test.skip(isOpen, notJudged.nothingBeyond(existed, maximum));
    });
  }
});
