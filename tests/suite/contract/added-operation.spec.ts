/** An operation with a body is added to the contract: it gets its tests, and the suite's own tests still pass. */
import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from '@playwright/test';
import { inherited, ROOT, suite, test } from '../gate/spawn.ts';

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
  for (const sentence of ['a valid call', 'name is a number', 'without a key', 'nothing has the id', 'not a 5xx'])
    expect(listed.text).toContain(sentence);
  const cli = join(ROOT, 'node_modules/@playwright/test/cli.js');
  const files = FILES.map((name) => `unit/${name}\\.spec`);
  const args = [
    '-c',
    'tests/suite',
    '--project=unit',
    '--workers=1',
    '--reporter=line',
    `--output=${directory}/unit`,
    ...files,
  ];
  const env = { ...inherited(), CONTRACT };
  const { stdout } = await promisify(execFile)(process.execPath, [cli, 'test', ...args], { cwd: ROOT, env });
  expect(stdout).toMatch(/\d+ passed/);
});
