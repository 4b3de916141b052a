/** An operation with a body is added to the contract: it gets its tests, and the suite's own tests still pass. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from '@playwright/test';
import { playwright, ROOT, suite, test } from '../gate/spawn.ts';

/** The unit tests that read operations from the contract; the whole project would take minutes. */
const FILES = ['contract', 'requirements', 'cases', 'plan', 'counting'];

const PATCH = `    patch:
      operationId: changePet
      summary: Change some fields of an animal
      parameters:
        - { name: petId, in: path, required: true, schema: { type: integer, format: int64 } }
      requestBody:
        required: true
        content:
          application/json:
            schema: { type: object, properties: { name: { type: string }, status: { $ref: '#/components/schemas/PetStatus' } } }
      responses:
        '200':
          description: Animal changed.
          headers: *rateHeaders
          content: { application/json: { schema: { $ref: '#/components/schemas/Pet' } } }
        '400': { description: An invalid body., headers: *rateHeaders, content: *error }
        '401': { $ref: '#/components/responses/Unauthorized' }
        '404': { description: No animal with that id., headers: *rateHeaders, content: *error }
        '429': { $ref: '#/components/responses/TooManyRequests' }
`;

test('PATCH is added', async ({ directory }) => {
  const CONTRACT = join(directory, 'openapi.yaml');
  const text = readFileSync(join(ROOT, 'spec/openapi.yaml'), 'utf8');
  writeFileSync(CONTRACT, text.replace('  /store/orders:', `${PATCH}$&`));
  const listed = await suite(directory, { CONTRACT }, '--list', '--grep', 'PATCH /pets');
  for (const sentence of [
    'A valid request is answered with a success',
    'A body without a required field or with an invalid value',
    'Without a key every operation answers 401',
    'If nothing has the id of the path',
    'is answered with a 5xx status',
  ])
    expect(listed.text).toContain(sentence);
  const files = FILES.map((name) => `unit/${name}\\.spec`);
  const options = ['-c', 'tests/suite', '--project=unit', '--workers=1', '--reporter=line'];
  const { code, text: printed } = await playwright(directory, { CONTRACT }, [
    'test',
    ...options,
    `--output=${directory}/unit`,
    ...files,
  ]);
  expect(code, printed).toBe(0);
  expect(printed).toMatch(/\d+ passed/);
});
