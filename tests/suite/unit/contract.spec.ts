/** The contract: what is wrong with one is told with its place, and what one gains is judged with no new code. */
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { fileURLToPath } from 'node:url';
import { expect } from '@playwright/test';
import { contractMistakes } from '../../../fixtures/contract/check.ts';
import {
  contractFile,
  documented,
  operationOf,
  operations,
  pageLimit,
  parameterOf,
  petStatuses,
  resolve,
} from '../../../fixtures/contract/contract.ts';
import { root, runSuite } from '../preflight/run-suite.ts';
import { test } from './make.ts';

test.describe.configure({ timeout: 60_000 });

const text = readFileSync(contractFile, 'utf8');
let directory: string;
test.beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'contract-'));
});
test.afterEach(() => rmSync(directory, { recursive: true }));

interface Told {
  mistakes: string[];
  cases: Record<string, { faulty?: string; secured: boolean; titles: string[] }>;
  pageLimit: { minimum: number; maximum: number; default: number };
  petStatuses: string[];
}

/** A file with the contract, changed. */
function changed(...changes: [from: string, to: string][]): string {
  const file = join(directory, 'openapi.yaml');
  const next = changes.reduce((contract, [from, to]) => {
    if (!contract.includes(from)) throw new Error(`the contract has no ${from}`);
    return contract.replace(from, to);
  }, text);
  writeFileSync(file, next);
  return file;
}

/** What the suite makes of the contract, changed. */
async function told(...changes: [from: string, to: string][]): Promise<Told> {
  const probe = fileURLToPath(new URL('contract-probe.ts', import.meta.url));
  const { stdout } = await promisify(execFile)(process.execPath, ['--import', import.meta.resolve('tsx'), probe], {
    cwd: root,
    env: { ...process.env, CONFORMANCE_CONTRACT: changed(...changes) },
  });
  return JSON.parse(stdout) as Told;
}

test('the contract is sound', async () => {
  expect(await contractMistakes()).toEqual([]);
  expect(operations.map(({ name }) => name)).toEqual([
    'GET /pets',
    'POST /pets',
    'GET /pets/{petId}',
    'GET /store/orders',
  ]);
  expect(operations.every(({ secured }) => secured)).toBe(true);
  expect(petStatuses).toEqual(['available', 'pending', 'sold']);
  expect(pageLimit).toEqual({ minimum: 1, maximum: 100, default: 20 });
});

test('what the contract does not have is told by name', () => {
  expect(() => operationOf('feedPet')).toThrow('has no operation feedPet');
  expect(() => parameterOf('listPets', 'page')).toThrow('listPets has no parameter page');
  expect(() => resolve({ $ref: '#/components/schemas/Toy' })).toThrow('#/components/schemas/Toy leads nowhere');
});

test('a status is documented by itself, by its range, or not', () => {
  expect(documented(operationOf('listPets'), 200)?.key).toBe('200');
  expect(documented(operationOf('listOrders'), 206)?.key).toBe('2XX');
  expect(documented(operationOf('listPets'), 404)).toBeUndefined();
});

const mistakes: readonly { title: string; change: [string, string]; message: string }[] = [
  {
    title: 'a reference that leads nowhere',
    change: ["'#/components/schemas/Pets'", "'#/components/schemas/Animals'"],
    message: '#/components/schemas/Animals',
  },
  {
    title: 'one operationId twice',
    change: ['operationId: addPet', 'operationId: listPets'],
    message: 'listPets stands',
  },
  {
    title: 'a path parameter that is not declared',
    change: ['- name: petId', '- name: animalId'],
    message: 'the path parameter petId is not declared',
  },
  {
    title: 'a type that does not exist',
    change: ['message: { type: string,', 'message: { type: text,'],
    message: '#/components/schemas/Error',
  },
  {
    title: 'a keyword that does not exist',
    change: ['required: [code, message, status]', 'requires: [code, message, status]'],
    message: 'requires',
  },
  {
    title: 'a response without a description',
    change: ['description: No animal with that id.', ''],
    message: 'description',
  },
];
for (const { title, change, message } of mistakes)
  test(`is told to have ${title}`, async () => {
    expect((await told(change)).mistakes.join('\n')).toContain(message);
  });

test('a new operation gets its cases', async () => {
  const { mistakes: none, cases } = await told([
    '  /store/orders:',
    `  /toys:
    post:
      operationId: addToy
      requestBody:
        required: true
        content:
          application/json:
            schema: { type: object, required: [label], properties: { label: { type: string } } }
      responses: { '201': { description: Added. }, '401': { $ref: '#/components/responses/Unauthorized' } }
  /store/orders:`,
  ]);
  expect(none).toEqual([]);
  expect(cases.addToy).toMatchObject({ secured: true, faulty: '/toys' });
  expect(cases.addToy?.titles).toEqual(
    expect.arrayContaining(['label is missing', 'label is null', 'there is no body']),
  );
});

test('a new required field, a new status and new bounds get theirs', async () => {
  const contract = await told(
    ['required: [name, categoryId]', 'required: [name, categoryId, weight]'],
    ['enum: [available, pending, sold]', 'enum: [available, pending, sold, lost]'],
    ['minimum: 1, maximum: 100, default: 20', 'minimum: 2, maximum: 50, default: 10'],
    ['        status: { $ref:', '        weight: { type: number }\n        status: { $ref:'],
  );
  expect(contract.mistakes).toEqual([]);
  expect(contract.petStatuses).toContain('lost');
  expect(contract.pageLimit).toEqual({ minimum: 2, maximum: 50, default: 10 });
  expect(contract.cases.addPet?.titles).toEqual(expect.arrayContaining(['weight is missing', 'weight is a string']));
  expect(contract.cases.listPets?.titles).toEqual(expect.arrayContaining(['limit=1', 'limit=51', 'status=lost']));
});

test('a new operation gets its tests, too', async () => {
  const file = changed([
    '  /store/orders:',
    `  /toys:
    get:
      operationId: listToys
      responses: { '200': { description: Toys. }, '401': { $ref: '#/components/responses/Unauthorized' } }
  /store/orders:`,
  ]);
  const { stdout } = await runSuite({ CONFORMANCE_CONTRACT: file }, '--list');
  for (const title of ['GET /toys answers 401 without a key', 'Every response of GET /toys › is JSON in UTF-8'])
    expect(stdout).toContain(title);
});
