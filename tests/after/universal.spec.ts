/** Every response of the run, whoever asked for it, against what every response has to satisfy. */
import { JSON_TYPE, operations } from '../../fixtures/contract/contract.ts';
import type { RequirementId } from '../../fixtures/contract/requirements.ts';
import { applicable, expect, inapplicable, onlyWhere, requirement, supporting, test } from '../../fixtures/index.ts';
import { judgeCounting, judgePlan } from '../../fixtures/expect/rate.ts';

test.describe.configure({ lock: '-exclusive-' });

/** What is judged for each documented status of each operation that has such a body. */
const perStatus = [
  { id: 'pets.schema', schema: 'Pets', sentence: 'matches the schema Pets' },
  { id: 'pet.schema', schema: 'Pet', sentence: 'matches the schema Pet' },
  { id: 'error.schema', schema: 'Error', sentence: 'matches the schema Error' },
  { id: 'error.status', schema: 'Error', sentence: 'names its own HTTP status' },
] as const satisfies readonly { id: RequirementId; schema: string; sentence: string }[];

/** What is judged over all responses of an operation, whatever their status. */
const perOperation = [
  { id: 'service.json', sentence: 'is JSON in UTF-8' },
  { id: 'service.no-server-error', sentence: 'is no 5xx' },
  { id: 'service.no-undocumented-status', sentence: 'has a documented status where the request was valid' },
  { id: 'auth.valid', sentence: 'is no 401 where the key was valid' },
  { id: 'rate.headers', sentence: 'carries the three rate-limit headers' },
  { id: 'rate.limit.value', sentence: 'has an X-RateLimit-Limit of at least 1' },
  { id: 'rate.remaining.value', sentence: 'has an X-RateLimit-Remaining from 0 to the limit' },
  { id: 'rate.reset.value', sentence: 'has an X-RateLimit-Reset that is to come' },
  { id: 'http.duplicate-keys', sentence: 'repeats no name in an object' },
  { id: 'error.no-secrets', sentence: 'gives away no secret in an error' },
] as const satisfies readonly { id: RequirementId; sentence: string }[];

/** What is judged over the responses of one operation alone; `supporting` where other tests decide whether it holds. */
const perTopic = [
  { id: 'pet.int64', operation: 'listPets', sentence: 'has int64 ids' },
  { id: 'pet.int64', operation: 'addPet', sentence: 'has int64 ids' },
  { id: 'pet.int64', operation: 'getPet', sentence: 'has int64 ids' },
  { id: 'error.schema', operation: 'listPets', sentence: 'is an Error where a parameter was refused' },
  { id: 'list.limit.caps', operation: 'listPets', sentence: 'holds no more animals than limit', supporting: true },
  {
    id: 'list.limit.default',
    operation: 'listPets',
    sentence: 'holds no more animals than the default without limit',
    supporting: true,
  },
  {
    id: 'list.limit.never-above-maximum',
    operation: 'listPets',
    sentence: 'holds no more animals than the largest limit',
    supporting: true,
  },
  { id: 'list.status.only', operation: 'listPets', sentence: 'holds no animal of another status', supporting: true },
  { id: 'list.shows-added', operation: 'listPets', sentence: 'holds no animal twice', supporting: true },
  { id: 'add.location', operation: 'addPet', sentence: 'carries Location with a 201', status: '201' },
  { id: 'get.deprecation-header', operation: 'getPet', sentence: 'carries Deprecation', status: '200' },
  { id: 'get.sunset-header', operation: 'getPet', sentence: 'carries Sunset with the removal date', status: '200' },
] as const satisfies readonly {
  id: RequirementId;
  operation: string;
  sentence: string;
  supporting?: true;
  status?: string;
}[];

for (const operation of operations) {
  test.describe(`Every response of ${operation.name}`, () => {
    for (const [status, response] of Object.entries(operation.responses)) {
      const schema = response.content?.[JSON_TYPE]?.schema?.$ref?.split('/').pop();
      for (const { id, sentence } of perStatus.filter((row) => row.schema === schema)) {
        test(`${status}: ${sentence}`, requirement(id, operation.id), ({ judged }) => {
          const { responses, blames } = judged(id, operation.id, status);
          onlyWhere(responses > 0, `no response ${status} of ${operation.name} was met`);
          expect(blames).toHold();
        });
      }
    }

    const ofTopic = perTopic.filter((row) => row.operation === operation.id);
    const challenge = operation.secured
      ? [{ id: 'auth.challenge', sentence: 'carries WWW-Authenticate with a 401', status: '401' } as const]
      : [];
    for (const row of [...perOperation, ...ofTopic, ...challenge]) {
      const details = 'supporting' in row ? supporting(row.id, operation.id) : requirement(row.id, operation.id);

      test(row.sentence, details, ({ judged }) => {
        const { responses, blames } = judged(row.id, operation.id, 'status' in row ? row.status : undefined);
        onlyWhere(responses > 0, `no such response of ${operation.name} was met`);
        expect(blames).toHold();
      });
    }
  });
}

test.describe('The rate limit of the key', () => {
  test('X-RateLimit-Remaining falls with each request', requirement('rate.remaining.counts'), ({ client }) => {
    const blames = applicable(
      judgeCounting(client.exchanges()),
      'too few requests fell under one X-RateLimit-Reset to say (it moves, as it may, or the window was nearly over)',
    );
    expect(blames).toHold();
  });

  test("X-RateLimit-Limit is the number of the key's plan", requirement('rate.plan'), ({ client, settings }) => {
    const plan = settings.plan ?? inapplicable('PLAN is not set: the plan of the key is reported, not judged');
    expect(applicable(judgePlan(client.exchanges(), plan), 'no response carried X-RateLimit-Limit')).toHold();
  });
});
