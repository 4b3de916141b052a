/** Judges every response of the run, whichever row it belongs to. */
import {
  bodySchemaOf,
  expect,
  headersOf,
  hasRequirement,
  judgeCounting,
  judgeListsOfAdded,
  judgeOddEchoes,
  judgePlan,
  judgeResponses,
  judgeUniqueIds,
  type Operation,
  operations,
  requirement,
  type RequirementId,
  supporting,
  test,
} from '../../fixtures/index.ts';

/** Judged for each documented status with such a body. */
const perStatus = [
  { id: 'pets.schema', schema: 'Pets', sentence: 'matches the schema Pets' },
  { id: 'pet.schema', schema: 'Pet', sentence: 'matches the schema Pet' },
  { id: 'error.schema', schema: 'Error', sentence: 'matches the schema Error' },
  { id: 'error.status', schema: 'Error', sentence: 'names its own HTTP status' },
  { id: 'service.schema', schema: 'other', sentence: 'matches the schema of the contract' },
] as const satisfies readonly { id: RequirementId; schema: string; sentence: string }[];

/** Judged over all responses of an operation. */
const perOperation = [
  { id: 'service.json', sentence: 'is JSON in UTF-8' },
  { id: 'service.no-server-error', sentence: 'is not a 5xx' },
  { id: 'service.no-undocumented-status', sentence: 'has a documented status if the request is valid' },
  { id: 'auth.valid', sentence: 'is not a 401 if the key is valid' },
  { id: 'rate.headers', sentence: 'has the three rate-limit headers' },
  { id: 'rate.limit.value', sentence: 'has an X-RateLimit-Limit of at least 1' },
  { id: 'rate.remaining.value', sentence: 'has an X-RateLimit-Remaining from 0 to the limit' },
  { id: 'rate.reset.value', sentence: 'has an X-RateLimit-Reset in the future' },
  { id: 'http.duplicate-keys', sentence: 'repeats no name in an object' },
  { id: 'error.no-secrets', sentence: 'does not show a secret in an error' },
] as const satisfies readonly { id: RequirementId; sentence: string }[];

/** Judged over the responses of one operation; `supporting` if other tests decide whether the requirement holds. */
const perTopic = [
  { id: 'pet.int64', operation: 'listPets', sentence: 'has int64 ids' },
  { id: 'pet.int64', operation: 'addPet', sentence: 'has int64 ids' },
  { id: 'pet.int64', operation: 'getPet', sentence: 'has int64 ids' },
  { id: 'error.schema', operation: 'listPets', sentence: 'is an Error if a parameter is rejected' },
  { id: 'error.status', operation: 'listPets', sentence: 'names its own HTTP status if a parameter is rejected' },
  { id: 'list.limit.caps', operation: 'listPets', sentence: 'shows no more animals than limit', supporting: true },
  {
    id: 'list.limit.default',
    operation: 'listPets',
    sentence: 'shows no more animals than the default without limit',
    supporting: true,
  },
  {
    id: 'list.limit.never-above-maximum',
    operation: 'listPets',
    sentence: 'shows no more animals than the largest limit',
    supporting: true,
  },
  { id: 'list.status.only', operation: 'listPets', sentence: 'shows no animal of another status', supporting: true },
  { id: 'list.shows-added', operation: 'listPets', sentence: 'shows no animal twice', supporting: true },
  { id: 'add.location', operation: 'addPet', sentence: 'has Location with a 201', status: '201' },
  { id: 'get.deprecation-header', operation: 'getPet', sentence: 'has Deprecation', status: '200' },
  { id: 'get.sunset-header', operation: 'getPet', sentence: 'has Sunset with the removal date', status: '200' },
] as const satisfies readonly {
  id: RequirementId;
  operation: string;
  sentence: string;
  supporting?: true;
  status?: string;
}[];

const NAMED = ['Pet', 'Pets', 'Error'];

/** Whether the contract documents a header for a status that has no own requirement. */
const hasOwnHeaders = (operation: Operation, status: string): boolean =>
  headersOf(operation, status).some(([name]) => !hasRequirement(name));

for (const operation of operations) {
  const responses = `responses of ${operation.name}`;

  test.describe(`Every response of ${operation.name}`, () => {
    for (const status of Object.keys(operation.responses)) {
      const name = bodySchemaOf(operation, status)?.$ref?.split('/').pop() ?? 'other';
      const schema = NAMED.includes(name) ? name : bodySchemaOf(operation, status) && 'other';
      for (const { id, sentence } of perStatus.filter((row) => row.schema === schema)) {
        test(`${status}: ${sentence}`, requirement(id, operation.id), async ({ answers }) => {
          const own = await answers.responsesOf(operation, status);
          expect(judgeResponses(id, own, `${responses} with ${status}`)).toBeSatisfied();
        });
      }
    }

    for (const status of Object.keys(operation.responses).filter((key) => hasOwnHeaders(operation, key))) {
      test(
        `${status}: has the headers of the contract`,
        requirement('service.headers', operation.id),
        async ({ answers }) => {
          const own = await answers.responsesOf(operation, status);
          expect(judgeResponses('service.headers', own, `${responses} with ${status}`)).toBeSatisfied();
        },
      );
    }

    const ofTopic = perTopic.filter((row) => row.operation === operation.id);
    const challenge = { id: 'auth.challenge', sentence: 'has WWW-Authenticate with a 401', status: '401' } as const;
    for (const row of [...perOperation, ...ofTopic, ...(operation.secured ? [challenge] : [])]) {
      const details = 'supporting' in row ? supporting(row.id, operation.id) : requirement(row.id, operation.id);

      test(row.sentence, details, async ({ answers }) => {
        const own = await answers.responsesOf(operation, 'status' in row ? row.status : undefined);
        expect(judgeResponses(row.id, own, responses)).toBeSatisfied();
      });
    }
  });
}

test.describe('Every addition', () => {
  test('keeps the fields of an unusual body', supporting('add.echo', 'addPet'), async ({ answers }) => {
    const { log } = await answers.all();
    expect(judgeOddEchoes(log.all())).toBeSatisfied();
  });

  test('returns a unique id', requirement('add.id.unique', 'addPet'), async ({ answers }) => {
    await answers.added('POST /pets');
    const { log } = await answers.all();
    expect(judgeUniqueIds(log.all())).toBeSatisfied();
  });
});

test.describe('Every list', () => {
  test('shows added animals, as they were added', supporting('list.shows-added', 'listPets'), async ({ answers }) => {
    const { known, log } = await answers.all();
    expect(judgeListsOfAdded(known.additions(), log.all())).toBeSatisfied();
  });
});

test.describe('The rate limit of the key', () => {
  test('X-RateLimit-Remaining falls with each request', requirement('rate.remaining.counts'), async ({ answers }) => {
    const { log } = await answers.all();
    expect(judgeCounting(log.all())).toBeSatisfied();
  });

  test("X-RateLimit-Limit is the number of the key's plan", requirement('rate.plan'), async ({ answers, worker }) => {
    const { log } = await answers.all();
    expect(judgePlan(log.all(), worker.run.settings.plan)).toBeSatisfied();
  });
});
