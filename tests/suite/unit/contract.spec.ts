/** Mistakes in a contract are reported with their place; additions are judged without new code. */
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { fileURLToPath } from 'node:url';
import { expect } from '@playwright/test';
import { JSON_SCHEMA, load } from 'js-yaml';
import { checkContract } from '../../../fixtures/contract/check.ts';
import {
  ADD,
  contractFile,
  findResponse,
  generalizePath,
  operationOf,
  operations,
  ORDERS,
  fieldsOf,
  GET,
  isFilter,
  isSpecified,
  itemFieldsOf,
  LIST,
  pageLimit,
  petStatuses,
  SPECIFIED,
  successesOf,
} from '../../../fixtures/contract/contract.ts';
import { lookUp } from '../../../fixtures/contract/document.ts';
import { BUDGET } from '../../../fixtures/plan/plan.ts';
import { root, runSuite } from '../preflight/run-suite.ts';
import { type Given, pet, test } from './make.ts';

// In one worker, so that several tests share a probe.
test.describe.configure({ timeout: 60_000, mode: 'default' });

const text = readFileSync(contractFile, 'utf8');
let directory: string;
test.beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'contract-'));
});
test.afterEach(() => rmSync(directory, { recursive: true }));

interface Probe {
  mistakes: string[];
  notices: string[];
  cases: Record<string, { secured: boolean; titles: string[]; rows: { name: string; as: string; needs: string[] }[] }>;
  pageLimit: { minimum: number; maximum: number; default: number };
  petStatuses: string[];
  names: string[];
  length: { requests: number; animals: number; beyond: number };
  blames: string[][];
}

type Paths = Record<string, Record<string, object>>;

/** Writes a changed copy of the contract. @param paths further operations; they replace those of the same path and method. */
function changed(changes: readonly [from: string, to: string][], paths: Paths = {}): string {
  const file = join(directory, 'openapi.yaml');
  const next = changes.reduce((contract, [from, to]) => {
    if (!contract.includes(from)) throw new Error(`the contract has no ${from}`);
    return contract.replace(from, to);
  }, text);
  const contract = load(next, { schema: JSON_SCHEMA }) as { paths: Paths };
  for (const [path, operations] of Object.entries(paths))
    contract.paths[path] = { ...contract.paths[path], ...operations };
  writeFileSync(file, Object.keys(paths).length === 0 ? next : JSON.stringify(contract));
  return file;
}

async function probe(
  changes: readonly [from: string, to: string][],
  { given = [], paths }: { given?: readonly Given[]; paths?: Paths } = {},
): Promise<Probe> {
  const probe = fileURLToPath(new URL('contract-probe.ts', import.meta.url));
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['--import', import.meta.resolve('tsx'), probe, JSON.stringify(given)],
    { cwd: root, env: { ...process.env, CONTRACT: changed(changes, paths) } },
  );
  return JSON.parse(stdout) as Probe;
}

test('the contract is sound', async () => {
  expect(await checkContract()).toEqual({ mistakes: [], notices: [] });
  expect(operations.every(({ secured }) => secured)).toBe(true);
  const { minimum, maximum, default: preset } = LIST.parameters.find(({ name }) => name === 'limit')?.schema ?? {};
  expect(pageLimit).toEqual({ minimum, maximum, default: preset });
  expect(petStatuses).toEqual(LIST.parameters.find(({ name }) => name === 'status')?.schema.enum);
});

test('a missing part of the contract is reported by name', () => {
  expect(() => operationOf('feedPet')).toThrow('has no operation feedPet');
  expect(() => lookUp({ $ref: '#/components/schemas/Toy' })).toThrow('#/components/schemas/Toy leads nowhere');
});

test('a status is documented by itself, by its range, or not at all', () => {
  expect(findResponse(operationOf('listPets'), 200)?.key).toBe('200');
  expect(findResponse(operationOf('listOrders'), 206)?.key).toBe('2XX');
  expect(findResponse(operationOf('listPets'), 404)).toBeUndefined();
});

test('the fields of a schema include composed ones', () => {
  const own = fieldsOf({ $ref: '#/components/schemas/Pet' }).map(({ name, required }) => `${name} ${required}`);
  expect(own).toEqual(expect.arrayContaining(['name true', 'categoryId true', 'status false', 'id true']));
});

test('a query parameter with the name of a listed field is a filter', () => {
  const list = operationOf('listPets');
  const filters = list.parameters.filter((parameter) => isFilter(list, parameter)).map(({ name }) => name);
  expect(filters).toContain('status');
  expect(filters).not.toContain('limit');
  expect(itemFieldsOf(operationOf('listOrders'))).toEqual([]);
  expect(itemFieldsOf(operationOf('addPet'))).toEqual([]);
});

test('every operation of the specification has rows by hand, with the successes of the contract', () => {
  expect(operations.filter(isSpecified).map(({ id, name }) => [id, name])).toEqual(Object.entries(SPECIFIED));
  expect([LIST, ADD, GET, ORDERS].map(successesOf)).toEqual([[200], [201], [200], ['2xx']]);
});

const faults: readonly { title: string; change: [string, string]; message: string }[] = [
  {
    title: 'a broken reference',
    change: ["'#/components/schemas/Pets'", "'#/components/schemas/Animals'"],
    message: 'is not judged: the reference #/components/schemas/Animals leads nowhere',
  },
  {
    title: 'one operationId twice',
    change: ['operationId: addPet', 'operationId: listPets'],
    message: 'the operationId listPets is not its own: reports name the operation addPet',
  },
  {
    title: 'an undeclared path parameter',
    change: ['- name: petId', '- name: animalId'],
    message: 'the path parameter petId is not declared',
  },
  {
    title: 'an unknown type',
    change: ['message: { type: string,', 'message: { type: text,'],
    message: '#/components/schemas/Error: is not judged',
  },
  {
    title: 'an unknown keyword',
    change: ['required: [code, message, status]', 'requires: [code, message, status]'],
    message: '#/components/schemas/Error/requires: has no effect',
  },
  {
    title: 'a response without a description',
    change: ['description: No animal with that id.', ''],
    message: "#/paths/~1pets~1{petId}/get/responses/404: must have required property 'description'",
  },
];
for (const { title, change, message } of faults)
  test(`a contract is reported with ${title}`, async () => {
    const { mistakes, notices } = await probe([change]);
    expect([...mistakes, ...notices].join('\n')).toContain(message);
  });

test('a new operation gets its cases and its rows', async () => {
  const paths = {
    '/toys': operationsOf(`
      post:
        operationId: addToy
        requestBody:
          required: true
          content:
            application/json:
              schema: { type: object, required: [label], properties: { label: { type: string } } }
        responses: { '201': { description: Added. }, '401': { $ref: '#/components/responses/Unauthorized' } }`),
  };
  const { mistakes: none, cases } = await probe([], { paths });
  expect(none).toEqual([]);
  expect(cases.addToy?.secured).toBe(true);
  expect(cases.addToy?.titles).toEqual(
    expect.arrayContaining(['label is missing', 'label is null', 'there is no body']),
  );
  expect(listRows(cases.addToy)).toEqual(
    expect.arrayContaining([
      'POST /toys: a valid call (key)',
      'POST /toys: label is missing (key)',
      'POST /toys: without a key (none)',
      expect.stringMatching(/^POST \/toys: with a credential that is wrong: .*, also where the body is malformed JSON/),
    ]),
  );
});

const listRows = (of: Probe['cases'][string] | undefined): string[] =>
  (of?.rows ?? []).map(({ name, as }) => `${name} (${as})`);

/** A path of the contract with further operations, in YAML. */
const operationsOf = (yaml: string): Record<string, object> => load(yaml) as Record<string, object>;

/** PUT and DELETE of an animal, and a list of another kind. */
const LARGER: Paths = {
  '/pets/{petId}': operationsOf(`
    put:
      operationId: putPet
      parameters: &petId
        - { name: petId, in: path, required: true, schema: { type: integer, format: int64 } }
      requestBody:
        required: true
        content: { application/json: { schema: { $ref: '#/components/schemas/NewPet' } } }
      responses:
        '200': { description: Changed., content: { application/json: { schema: { $ref: '#/components/schemas/Pet' } } } }
        '401': { $ref: '#/components/responses/Unauthorized' }
        '404': { description: None. }
    delete:
      operationId: removePet
      parameters: *petId
      responses:
        '204': { description: Removed. }
        '401': { $ref: '#/components/responses/Unauthorized' }
        '404': { description: None. }`),
  '/toys': operationsOf(`
    get:
      operationId: listToys
      parameters: [{ name: label, in: query, schema: { type: string, enum: [x, y] } }]
      responses:
        '200':
          description: Toys.
          headers:
            x-total: { required: true, schema: { type: integer, minimum: 0 } }
            X-Next: { schema: { type: string, minLength: 2 } }
          content:
            application/json:
              schema: { type: array, items: { type: object, required: [label], properties: { label: { type: string } } } }
        4XX:
          description: Refused.
          content: { application/problem+json: { schema: { type: object, required: [title] } } }
        '401': { $ref: '#/components/responses/Unauthorized' }`),
};

const FILTER_BY_NAME: [string, string] = [
  '        - name: status\n',
  '        - { name: name, in: query, schema: { type: string } }\n        - name: status\n',
];

const toys = ({ headers, ...more }: Given): Given => ({
  operation: 'listToys',
  body: [{ label: 'x' }],
  headers: { 'X-Total': '1', ...headers },
  ...more,
});

const refused = ({ headers, ...more }: Given): Given => ({
  operation: 'listToys',
  status: 422,
  query: { label: 'z' },
  body: { title: 'x' },
  headers: { 'Content-Type': 'application/problem+json', ...headers },
  ...more,
});

const put = (more: Given): Given => ({
  ...{ operation: 'putPet', status: 200, id: '7', sent: '{"name":"Rex","categoryId":1}', body: pet() },
  ...more,
});

const gained: readonly [Given, string[]][] = [
  [{ query: { name: 'Rex' } }, []],
  [{ query: { name: 'Rex' }, body: [pet(1), pet(2, { name: 'Tom' })] }, ['service.filter']],
  [put({}), []],
  [put({ body: { id: 7 } }), ['pet.schema']],
  [{ operation: 'removePet', status: 204, id: '7', body: { text: '' } }, []],
  [{ operation: 'removePet', status: 200, id: '7' }, ['service.valid-request', 'service.no-undocumented-status']],
  [toys({}), []],
  [toys({ body: [{ label: 5 }] }), ['service.schema']],
  [toys({ headers: { 'X-Total': undefined } }), ['service.headers']],
  [toys({ headers: { 'X-Total': 'many' } }), ['service.headers']],
  [toys({ headers: { 'X-Total': '-1' } }), ['service.headers']],
  [toys({ headers: { 'X-Next': '/2' } }), []],
  [toys({ headers: { 'X-Next': '2' } }), ['service.headers']],
  [refused({}), []],
  [refused({ body: { detail: 'x' } }), ['service.schema']],
  [refused({ headers: { 'Content-Type': 'application/problem+xml' } }), ['service.json']],
  [toys({ headers: { 'Content-Type': 'application/problem+json' } }), ['service.json']],
  [toys({ query: { label: 'x' } }), []],
  [toys({ query: { label: 'y' } }), ['service.filter']],
];

let larger: Promise<Probe> | undefined;

/** The probe of the larger contract, once for each worker. */
const ofLarger = (): Promise<Probe> =>
  (larger ??= probe([FILTER_BY_NAME], { given: gained.map(([given]) => given), paths: LARGER }));

test('an operation that changes or removes an animal gets its own animal', async () => {
  const { mistakes: none, cases } = await ofLarger();
  expect(none).toEqual([]);
  const PUT = 'PUT /pets/{petId}';
  const DELETE = 'DELETE /pets/{petId}';
  for (const [id, name] of [
    ['putPet', PUT],
    ['removePet', DELETE],
  ] as const) {
    const own = cases[id]?.rows ?? [];
    expect(listRows(cases[id])).toEqual(
      expect.arrayContaining([
        `${name}: a valid call (key)`,
        `${name}: an unknown id (key)`,
        `${name}: without a key (none)`,
      ]),
    );
    for (const { needs } of own) expect(needs).toContain(`POST /pets, for ${name}`);
  }
  expect(cases.putPet?.titles).toContain('name is missing');
  // A GET by id shows the result.
  expect(listRows(cases.getPet)).toEqual(
    expect.arrayContaining([PUT, DELETE].map((call) => `GET /pets/{petId}: after ${call}: a valid call (key)`)),
  );
  const needs = cases.getPet?.rows.filter(({ name }) => !name.includes(': after ')).flatMap((row) => row.needs);
  for (const name of [PUT, DELETE]) expect(needs).not.toContain(`POST /pets, for ${name}`);
});

test('further operations take nothing from the budget of the others', async () => {
  const { length } = await ofLarger();
  expect(length.beyond).toBeGreaterThan(20);
  expect(length.requests).toBe(BUDGET.empty + length.beyond);
});

test('a new filter is requested with an existing value', async () => {
  const { cases } = await ofLarger();
  const [row] = cases.listPets?.rows.filter(({ name }) => name.startsWith('GET /pets: name=')) ?? [];
  expect(row?.needs).toContain('the filled store');
});

test('additions of the contract are judged on every response: filters, schemas, statuses', async () => {
  const { blames } = await ofLarger();
  expect(blames).toEqual(gained.map(([, wrong]) => wrong));
});

test('a path of the contract stands for the paths of its requests', () => {
  expect(generalizePath('/pets/-7')).toBe('/pets/{petId}');
  for (const path of ['/pets', '/store/orders', '/pets/7/toys', '/conformance-unknown'])
    expect(generalizePath(path)).toBe(path);
});

test('removals come last, and a documented method is never used as unknown one', async () => {
  const { names } = await ofLarger();
  const at = (part: string): number => names.findIndex((name) => name.includes(part));
  expect(at('DELETE /pets/{petId}: a valid call')).toBeGreaterThan(at('PUT /pets/{petId}: a valid call'));
  expect(names.filter((name) => name.endsWith('a method that the path does not have'))).toEqual([
    'PUT /pets: a method that the path does not have',
  ]);
  expect(new Set(names).size).toBe(names.length);
});

test('a new required field, a new status and new bounds get their cases', async () => {
  const contract = await probe([
    ['required: [name, categoryId]', 'required: [name, categoryId, weight]'],
    ['enum: [available, pending, sold]', 'enum: [available, pending, sold, lost]'],
    ['minimum: 1, maximum: 100, default: 20', 'minimum: 2, maximum: 50, default: 10'],
    ['\n        status: { $ref:', '\n        weight: { type: number }\n        status: { $ref:'],
  ]);
  expect(contract.mistakes).toEqual([]);
  expect(contract.petStatuses).toContain('lost');
  expect(contract.pageLimit).toEqual({ minimum: 2, maximum: 50, default: 10 });
  expect(contract.cases.addPet?.titles).toEqual(expect.arrayContaining(['weight is missing', 'weight is a string']));
  expect(contract.cases.listPets?.titles).toEqual(expect.arrayContaining(['limit=1', 'limit=51', 'status=lost']));
});

test('a new operation gets its tests', async () => {
  const responses = { '200': { description: 'Toys.' }, '401': { $ref: '#/components/responses/Unauthorized' } };
  const file = changed([], { '/toys': { get: { operationId: 'listToys', responses } } });
  const { stdout } = await runSuite({ CONTRACT: file }, '--list');
  for (const title of [
    'GET /toys: Without a key every operation answers 401 with an Error.',
    'GET /toys: A valid request is answered with a success that is documented',
    'GET /toys: Every response body has the media type application/json',
  ])
    expect(stdout).toContain(title);
});
