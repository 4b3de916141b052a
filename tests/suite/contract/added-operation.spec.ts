/** An operation with a body that is added to the contract gets its tests, and the suite's own tests hold by that contract. */
import { join } from 'node:path';
import { expect } from '@playwright/test';
import { playwright, ROOT, suite, test } from '../gate/spawn.ts';
import type { OpenApi } from './second-contract.ts';
import { changed } from './second-runs.ts';

/** The unit tests that look at the contract; the whole project would take minutes. */
const FILES = [
  'contract',
  'requirements',
  'cases',
  'schemas',
  'plan',
  'counting',
  'known',
  'answers',
  'response',
  'throttling',
];

/** Adds `PATCH /pets/{petId}`. */
function addPatch({ paths }: OpenApi): void {
  const [item = {}, { post } = {}] = [paths['/pets/{petId}'], paths['/pets']];
  const { parameters = [], responses = {} } = item.get ?? {};
  const properties = { name: { type: 'string' }, status: { $ref: '#/components/schemas/PetStatus' } };
  item.patch = {
    operationId: 'changePet',
    summary: 'Change some fields of an animal',
    parameters,
    requestBody: { required: true, content: { 'application/json': { schema: { type: 'object', properties } } } },
    responses: { ...responses, 400: post?.responses[400] ?? {} },
  };
}

test('PATCH is added', async ({ directory }) => {
  const CONTRACT = changed(join(ROOT, 'spec/openapi.yaml'), addPatch, join(directory, 'openapi.yaml'));
  const listed = await suite(directory, { CONTRACT }, '--list', '--grep', 'PATCH /pets');
  for (const sentence of ['a valid call', 'name is a number', 'without a key', 'nothing has the id', 'no 5xx'])
    expect(listed.text).toContain(sentence);
  const files = FILES.map((name) => `unit/${name}\\.spec`);
  const args = [
    'test',
    '-c',
    'tests/suite',
    '--project=unit',
    '--reporter=line',
    `--output=${directory}/unit`,
    ...files,
  ];
  const { code, text } = await playwright(directory, { CONTRACT }, args);
  expect(code, text).toBe(0);
});
