/** GET /pets/{petId}: section 4.3 of the specification. */
import {
  Answer,
  type Answers,
  BEYOND_DOUBLE,
  expect,
  type FoundRow,
  GET,
  invalidIdRows,
  isThorough,
  judgeGetsByOthers,
  judgeRepeatedGets,
  nextId,
  notJudged,
  pageLimit,
  requirement,
  supporting,
  test,
  type UnknownId,
  unknownIdRows,
} from '../fixtures/index.ts';

const FOUND = [
  'GET /pets/{petId} of the animal with the richest name',
  'GET /pets/{petId} of the animal with the richest name, once more',
  'GET /pets/{petId} of the animal with a large category',
  'GET /pets/{petId} of the plain animal',
  'GET /pets/{petId} of the animal added last',
  'GET /pets/{petId} of the animal whose body had an id',
  'GET /pets/{petId} of number 1 of many',
  'GET /pets/{petId} of number 2 of many',
  'GET /pets/{petId} of number 3 of many',
  'GET /pets/{petId} of number 4 of many',
] as const satisfies readonly FoundRow[];

const FOUND_AMONG_MANY: FoundRow = 'GET /pets/{petId} of the last of more than {maximum} animals';

/** In every run, also read-only ones. */
const FOUND_AT_LEAST = [
  'GET /pets/{petId} of the animal with the richest name',
  'GET /pets/{petId} of the animal added last',
] as const satisfies readonly FoundRow[];

/** Whether no animal is ever found by id, though a list shows this one: get.found fails then. */
const findsNothing = ({ known, log }: Answers, id: string | undefined): boolean => {
  const list = known.answer('GET /pets?limit={maximum}');
  const isListed = list?.isList === true && list.animals.some((animal) => animal.id === id);
  return (
    isListed && !log.all().some((exchange) => exchange.purpose.operation === GET.id && new Answer(exchange).animal)
  );
};

const showsIt = ({ animal, asked }: Answer): boolean => animal !== undefined && animal.id === asked.id;

/** Whether an animal may have an unknown id all the same: a list shows it, or lists are cut, or another client added it. */
const mayExist = ({ known }: Answers, { asked }: Answer, mayBeTaken: UnknownId['mayBeTaken']): boolean =>
  mayBeTaken === 'by the next animal' ||
  (mayBeTaken === 'in a large store' && known.count() >= pageLimit.maximum) ||
  known.hasListed(asked.id ?? '');

test.describe('GET /pets/{petId}', () => {
  for (const row of FOUND_AT_LEAST) {
    test(`${row}: returns the requested animal`, requirement('get.found'), async ({ answers }) => {
      const found = await answers.to(row);
      const { known } = await answers.all();
      test.skip(known.mayBeGone(found), notJudged.mayBeGone());
      expect(found).toHaveStatus(200);
      expect(found).toBeAnimal({}, found.asked.id);
    });
  }

  test('returns an animal as lists show it', supporting('get.found'), async ({ answers }) => {
    const { log } = await answers.all();
    expect(judgeGetsByOthers(log.all())).toBeSatisfied();
  });

  for (const row of isThorough() ? [...FOUND, FOUND_AMONG_MANY] : FOUND) {
    test(`${row}: returns it as it was added`, requirement('add.persists', 'getPet'), async ({ answers }) => {
      const found = await answers.to(row);
      const { id } = found.asked;
      const { sent } = await answers.additionWith(({ animal }) => animal.id === id, notJudged.notOwn());
      test.skip(findsNothing(answers, id), notJudged.see(`${GET.name} finds no animal at all`, 'get.found'));
      expect(found).toHaveStatus(200);
      expect(found).toBeAnimal(sent, id);
    });
  }

  test('finds an animal each time', requirement('add.persists', 'getPet'), async ({ answers }) => {
    const { log } = await answers.all();
    expect(judgeRepeatedGets(log.all())).toBeSatisfied();
  });

  test(
    `returns categoryId ${BEYOND_DOUBLE} to the last digit`,
    requirement('pet.int64', 'getPet'),
    async ({ answers }) => {
      const { animal } = await answers.additionWith(
        ({ sent }) => sent.categoryId === BEYOND_DOUBLE,
        notJudged.noneTaken(`categoryId ${BEYOND_DOUBLE}`),
      );
      const found = await answers.to('GET /pets/{petId} of the animal with a large category');
      test.skip(found.animal?.id !== animal.id, notJudged.see('that animal is not found', 'add.persists'));
      expect(found).toBeAnimal({ categoryId: BEYOND_DOUBLE });
    },
  );

  for (const { name, mayBeTaken } of [nextId(), ...unknownIdRows(isThorough())]) {
    test(`${name}: returns 404, since no animal has the id`, requirement('get.unknown'), async ({ answers }) => {
      const answer = await answers.to(name);
      const unreadable = answers.known.unreadableAddition();
      test.skip(showsIt(answer) && mayExist(answers, answer, mayBeTaken), notJudged.idTaken());
      test.skip(unreadable !== undefined, unreadable);
      expect(answer).toHaveStatus(404);
    });
  }

  for (const { name, about } of invalidIdRows(isThorough())) {
    test(`${name}: returns a 4xx, for ${about}`, requirement('get.id.not-an-integer'), async ({ answers }) => {
      expect(await answers.to(name)).toHaveStatus('4xx');
    });
  }
});
