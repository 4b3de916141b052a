/** Every form in which OpenAPI 3.1 lets a contract describe something is found, or reported before a run. */
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { fileURLToPath } from 'node:url';
import { expect } from '@playwright/test';
import { CORE_SCHEMA, load, mergeTag } from 'js-yaml';
import { document } from '../../../fixtures/contract/contract.ts';
import { contractFile, type Schema } from '../../../fixtures/contract/document.ts';
import { mapSchemas, newAjv } from '../../../fixtures/contract/schemas.ts';
import { root, runSuite } from '../preflight/run-suite.ts';
import type { Body, LookUps } from './look-ups.ts';
import { test } from './make.ts';

test.describe.configure({ timeout: 60_000, mode: 'default' });

let directory: string;
test.beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'contract-of-others-'));
});
test.afterAll(() => rmSync(directory, { recursive: true }));

type Part = Record<string, unknown>;
interface Document extends Part {
  paths: Part;
  components: Record<string, Part>;
}

const readYaml = (text: string): unknown => load(text, { schema: CORE_SCHEMA.withTags(mergeTag) });
const own = readYaml(readFileSync(contractFile, 'utf8')) as Document;

/** The contract of the suite with further parts. */
function write(name: string, more: { paths?: Part; components?: Record<string, Part> } & Part): string {
  const { paths, components = {}, ...others } = more;
  const merged = Object.fromEntries(
    [...new Set([...Object.keys(own.components), ...Object.keys(components)])].map((kind) => [
      kind,
      { ...own.components[kind], ...components[kind] },
    ]),
  );
  const file = join(directory, name);
  writeFileSync(file, JSON.stringify({ ...own, ...others, paths: { ...own.paths, ...paths }, components: merged }));
  return file;
}

async function lookUpIn(file: string, bodies: readonly Body[] = []): Promise<LookUps> {
  const probe = fileURLToPath(new URL('look-ups.ts', import.meta.url));
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['--import', import.meta.resolve('tsx'), probe, JSON.stringify(bodies)],
    { cwd: root, env: { ...process.env, CONTRACT: file } },
  );
  return JSON.parse(stdout) as LookUps;
}

/** Small paths, each with one form. */
const FORMS = readYaml(`
components:
  schemas:
    Text: { type: string }
    Chain: { $ref: '#/components/schemas/Link' }
    Link: { $ref: '#/components/schemas/Text' }
    Anchored: { $anchor: number, type: integer }
    Named: { $id: 'https://schemas.example/flag', type: boolean }
    Tree: { type: object, properties: { below: { type: array, items: { $ref: '#/components/schemas/Tree' } } } }
    Base: { type: object, properties: { a: { type: integer } } }
    Closed: { allOf: [{ $ref: '#/components/schemas/Base' }], unevaluatedProperties: false }
    nullable: { type: object, properties: { nullable: { type: boolean }, $id: { type: integer } } }
  parameters:
    Page: { name: page, in: query, schema: { type: integer } }
  headers:
    Total: { required: true, schema: { type: integer } }
  requestBodies:
    Label:
      required: true
      content: { Application/Merge-Patch+JSON: { schema: { type: object, properties: { label: { type: string } } } } }
  responses:
    Failed: { description: Failed., content: { application/json: { schema: { $ref: '#/components/schemas/Text' } } } }
  pathItems:
    Aliased:
      get: { responses: { '200': { description: OK., content: { application/json: { schema: { type: string } } } } } }
  securitySchemes:
    basic: { type: http, scheme: basic }
    inHeader: { type: apiKey, in: header, name: authorization }
paths:
  x-note: not a path
  /statuses:
    get:
      operationId: statuses
      responses:
        '200': { description: OK. }
        '404': { description: None., content: { application/json: { schema: { type: string } } } }
        4XX: { description: Refused., content: { application/json: { schema: { type: integer } } } }
        default: { description: Other., content: { application/json: { schema: { type: boolean } } } }
  /only-default:
    get: { responses: { default: { description: All., content: { application/json: { schema: { type: boolean } } } } } }
  /types/parameter: &one
    get: &get
      responses: { '200': { description: OK., content: { 'application/json; charset=utf-8': &integer { schema: { type: integer } } } } }
  /types/capitals:
    get: { responses: { '200': { description: OK., content: { Application/JSON: *integer } } } }
  /types/suffix:
    get: { responses: { '200': { description: OK., content: { application/*+json: *integer } } } }
  /types/range:
    get: { responses: { '200': { description: OK., content: { application/*: *integer } } } }
  /types/any:
    get: { responses: { '200': { description: OK., content: { '*/*': *integer } } } }
  /types/several:
    get:
      responses:
        '200':
          description: OK.
          content:
            '*/*': { schema: { type: boolean } }
            application/*: { schema: { type: 'null' } }
            application/*+json: { schema: { type: array } }
            application/json; v=2: { schema: { type: object } }
            application/json: { schema: { type: integer } }
            application/problem+json: { schema: { type: string } }
  /types/problem:
    get: { responses: { '200': { description: OK., content: { application/problem+json: *integer, text/html: {} } } } }
  /types/other:
    get: { responses: { '200': { description: OK., content: { text/csv: *integer } } } }
  /references/pointer:
    get:
      responses:
        '200': { description: OK., content: { application/json: { schema: { $ref: '#/paths/~1items~1%7Bid%7D/get/responses/200/content/application~1json/schema' } } } }
  /references/chain:
    get: { responses: { '200': { description: OK., content: { application/json: { schema: { $ref: '#/components/schemas/Chain', maxLength: 3 } } } } } }
  /references/names:
    get: { responses: { '200': { description: OK., content: { application/json: { schema: { prefixItems: [{ $ref: '#number' }, { $ref: 'https://schemas.example/flag' }] } } } } } }
  /references/response:
    get: { responses: { '200': { $ref: '#/components/responses/Failed', description: Not failed. } } }
  /references/item: { $ref: '#/components/pathItems/Aliased', summary: beside }
  /references/header:
    get: { responses: { '200': { description: OK., headers: { X-Total: { $ref: '#/components/headers/Total' }, content-type: { schema: { type: integer } }, X-List: { schema: { type: array } } } } } }
  /items/{id}:
    parameters:
      - { name: id, in: path, required: true, schema: { type: integer } }
      - { $ref: '#/components/parameters/Page' }
      - { name: sort, in: query, schema: { type: string } }
    get:
      parameters:
        - { name: sort, in: query, schema: { type: string, enum: [up, down] } }
        - { name: Authorization, in: header, required: true, schema: { type: string } }
        - { name: filter, in: query, content: { application/json: { schema: { type: object } } } }
        - { name: tags, in: query, schema: { type: array, items: { type: string, enum: [a, b] } } }
      responses: { '200': { description: OK., content: { application/json: { schema: { enum: [1, 2] } } } } }
    patch: { requestBody: { $ref: '#/components/requestBodies/Label' }, responses: { '200': { description: OK. } } }
  /security/root: { get: { responses: { '200': { description: OK. } } } }
  /security/none: { get: { security: [], responses: { '200': { description: OK. } } } }
  /security/optional: { get: { security: [{ apiKey: [] }, {}], responses: { '200': { description: OK. } } } }
  /security/other: { get: { security: [{ basic: [] }], responses: { '200': { description: OK. } } } }
  /security/either: { get: { security: [{ basic: [] }, { inHeader: [] }], responses: { '200': { description: OK. } } } }
  /keywords:
    get:
      responses:
        '200':
          description: OK.
          content:
            application/json:
              schema:
                type: object
                x-order: 1
                unevaluatedProperties: false
                properties:
                  format: { type: string, format: iso-country }
                  word: { type: string, since: 2 }
                  nullable: { type: integer, nullable: true }
                  self: { $ref: '#/components/schemas/Tree' }
                  closed: { $ref: '#/components/schemas/Closed' }
                  names: { $ref: '#/components/schemas/nullable' }
  /merged: { <<: *one }
`) as { paths: Part; components: Record<string, Part> };

type Judged = readonly [name: string, status: number, type: string | undefined, body: Body['body'], expected: string];

const BODIES: readonly Judged[] = [
  ['statuses', 404, undefined, 'x', 'valid'],
  ['statuses', 404, undefined, 1, 'invalid'],
  ['statuses', 418, undefined, 1, 'valid'],
  ['statuses', 418, undefined, true, 'invalid'],
  ['statuses', 500, undefined, true, 'valid'],
  ['statuses', 500, undefined, 1, 'invalid'],
  ['statuses', 200, undefined, 1, 'not judged'],
  ['only-default', 200, undefined, 1, 'invalid'],
  ...['parameter', 'capitals', 'suffix', 'range', 'any'].flatMap((form): Judged[] => [
    [`types/${form}`, 200, undefined, 1, 'valid'],
    [`types/${form}`, 200, 'application/json; charset=UTF-8', 'x', 'invalid'],
  ]),
  ['types/suffix', 200, 'application/problem+json', 1, 'valid'],
  ['types/parameter', 200, 'application/problem+json', 1, 'valid, of another type'],
  ['types/several', 200, 'APPLICATION/JSON', 1, 'valid'],
  ['types/several', 200, 'application/problem+json', 'x', 'valid'],
  ['types/several', 200, 'application/problem+json', 1, 'invalid'],
  ['types/several', 200, 'application/hal+json', [], 'valid'],
  ['types/several', 200, 'text/html', 1, 'valid, of another type'],
  ['types/problem', 200, 'application/problem+json; charset=utf-8', 1, 'valid'],
  ['types/problem', 200, 'application/json', 'x', 'invalid, of another type'],
  ['types/other', 200, undefined, 'x', 'not judged'],
  ['references/pointer', 200, undefined, 2, 'valid'],
  ['references/pointer', 200, undefined, 3, 'invalid'],
  ['references/chain', 200, undefined, 'abc', 'valid'],
  ['references/chain', 200, undefined, 'abcd', 'invalid'],
  ['references/chain', 200, undefined, 1, 'invalid'],
  ['references/names', 200, undefined, [1, true], 'valid'],
  ['references/names', 200, undefined, ['x', true], 'invalid'],
  ['references/names', 200, undefined, [1, 1], 'invalid'],
  ['references/response', 200, undefined, 1, 'invalid'],
  ['references/item', 200, undefined, 1, 'invalid'],
  ['keywords', 200, undefined, { format: 'x', word: 'x', self: { below: [{ below: [] }] } }, 'valid'],
  ['keywords', 200, undefined, { self: { below: [{ below: 1 }] } }, 'invalid'],
  ['keywords', 200, undefined, { other: 1 }, 'invalid'],
  ['keywords', 200, undefined, { nullable: null }, 'invalid'],
  ['keywords', 200, undefined, { closed: { a: 1 } }, 'valid'],
  ['keywords', 200, undefined, { closed: { a: 1, b: 1 } }, 'invalid'],
  ['keywords', 200, undefined, { names: { nullable: 1 } }, 'invalid'],
  ['keywords', 200, undefined, { names: { $id: 'x' } }, 'invalid'],
  ['merged', 200, undefined, 'x', 'invalid'],
];

let forms: Promise<LookUps> | undefined;

/** What is looked up in FORMS, once for each worker. */
const inForms = (): Promise<LookUps> =>
  (forms ??= lookUpIn(
    write('forms.json', FORMS),
    BODIES.map(([name, status, type, body]) => ({ name: `GET /${name}`, status, body, ...(type && { type }) })),
  ));

test('a response is judged by the schema of its status and media type, wherever that stands', async () => {
  const { bodies } = await inForms();
  const lines = BODIES.map(([name, status, type = '', body]) => `${name} ${status} ${type} ${JSON.stringify(body)}`);
  expect(bodies.map((word, i) => `${lines[i]}: ${word}`)).toEqual(
    BODIES.map(([, , , , word], i) => `${lines[i]}: ${word}`),
  );
});

const OPERATIONS: Record<string, Partial<LookUps['operations'][string]>> = {
  'GET /pets': { id: 'listPets' },
  'GET /statuses': { id: 'statuses', secured: true, successes: [200], obstacle: '' },
  'GET /only-default': { id: 'GET /only-default', successes: ['2xx'], obstacle: '' },
  'GET /references/item': { obstacle: '' },
  'GET /references/header': { headers: ['X-Total required, 7 true', 'X-List, 7 true'] },
  'GET /items/{id}': {
    parameters: [
      'path id integer',
      'query page integer',
      'query sort string',
      'query filter object',
      'query tags array',
    ],
    sent: ['page=1', 'sort=up', 'sort=down', 'tags=a'],
    obstacle: '',
  },
  'PATCH /items/{id}': {
    parameters: ['path id integer', 'query page integer', 'query sort string'],
    body: 'application/merge-patch+json, required',
    obstacle: '',
  },
  'GET /security/root': { secured: true, obstacle: '' },
  'GET /security/none': { secured: false, obstacle: '' },
  'GET /security/optional': { secured: false, obstacle: '' },
  'GET /security/other': { secured: true, obstacle: 'its security asks for more than a bearer token: basic' },
  'GET /security/either': { secured: true, obstacle: '' },
};

for (const [name, expected] of Object.entries(OPERATIONS))
  test(`${name} of another contract is found with ${Object.keys(expected).join(', ')}`, async () => {
    expect((await inForms()).operations[name]).toMatchObject(expected);
  });

test('what of a valid contract is not judged or has no effect is reported, each once', async () => {
  const { mistakes, notices } = await inForms();
  expect(mistakes).toEqual([]);
  expect(notices.toSorted()).toEqual(
    [
      '#/paths/~1types~1problem/get/responses/200/content: only JSON is judged, not text/html',
      '#/paths/~1types~1other/get/responses/200/content: only JSON is judged, not text/csv',
      '#/paths/~1references~1header/get/responses/200/headers/X-List: only its presence is judged',
      '#/paths/~1items~1{id}/get: the query parameter filter is not sent',
      '#/paths/~1security~1other/get: is not called: its security asks for more than a bearer token: basic',
      '#/paths/~1keywords/get/responses/200/content/application~1json/schema/properties/format/format: has no effect, since the format iso-country is unknown',
      '#/paths/~1keywords/get/responses/200/content/application~1json/schema/properties/word/since: has no effect, since JSON Schema 2020-12 has no such keyword',
      '#/paths/~1keywords/get/responses/200/content/application~1json/schema/properties/nullable/nullable: has no effect in OpenAPI 3.1, where null is a type',
    ].toSorted(),
  );
});

const ok = (schema: object): Part => ({ '200': { description: 'OK.', content: { 'application/json': { schema } } } });
const get = (responses: Part, more: Part = {}): Part => ({ get: { responses, ...more } });

/** Parts that cannot be judged: each is reported, and the rest of the contract is used. */
const UNUSABLE: readonly [title: string, paths: Part, ...notices: RegExp[]][] = [
  [
    'a schema that leads nowhere',
    { '/a': get(ok({ $ref: '#/components/schemas/Lost' })) },
    /is not judged: the reference #\/components\/schemas\/Lost leads nowhere/,
  ],
  [
    'a schema in another file',
    { '/a': get(ok({ items: { $ref: './pet.yaml' } })) },
    /is not judged: .*\.\/pet\.yaml leads nowhere: only references inside the document are followed/,
  ],
  [
    'a response that leads nowhere',
    { '/a': get({ ...ok({}), 404: { $ref: '#/components/responses/Lost' } }) },
    /^#\/paths\/~1a\/get\/responses\/404: is not judged/,
  ],
  ['a path in another file', { '/a': { $ref: 'a.yaml' } }, /^#\/paths\/~1a: is not judged/],
  [
    'a parameter that leads nowhere',
    { '/a': get(ok({}), { parameters: [{ $ref: '#/components/parameters/Lost' }] }) },
    /^#\/paths\/~1a\/get\/parameters\/0: is not judged/,
  ],
  [
    'a required parameter that leads nowhere',
    { '/a': get(ok({}), { parameters: [{ $ref: '#/components/parameters/Lost' }] }) },
    /is not called: one of its parameters cannot be read/,
  ],
  [
    'a required parameter with a schema that leads nowhere',
    {
      '/a': get(ok({}), {
        parameters: [{ name: 'q', in: 'query', required: true, schema: { $ref: '#/components/schemas/Lost' } }],
      }),
    },
    /is not called: no valid value of the query parameter q was found/,
  ],
  [
    'a request body that leads nowhere',
    { '/a': { post: { requestBody: { $ref: '#/components/requestBodies/Lost' }, responses: ok({}) } } },
    /is not called: it requires a body that is not JSON with a schema: not described/,
  ],
  [
    'a body with a schema that leads nowhere',
    {
      '/a': {
        post: {
          requestBody: { content: { 'application/json': { schema: { $ref: '#/components/schemas/Lost' } } } },
          responses: ok({}),
        },
      },
    },
    /is not called: no valid body was found/,
  ],
  [
    'a reference to itself',
    { '/a': { get: { responses: { 200: { $ref: '#/paths/~1a/get/responses/200' } } } } },
    /leads back to itself/,
  ],
  ['a type that does not exist', { '/a': get(ok({ type: 'text' })) }, /is not judged: type must be JSONType/],
  [
    'a keyword with a value of another type',
    { '/a': get(ok({ exclusiveMinimum: true })) },
    /is not judged: exclusiveMinimum value must be/,
  ],
  ['a pattern that is no expression', { '/a': get(ok({ pattern: '(' })) }, /is not judged/],
  [
    'a body that is not JSON',
    { '/a': { post: { requestBody: { required: true, content: { 'multipart/form-data': {} } }, responses: ok({}) } } },
    /is not called: it requires a body that is not JSON with a schema: multipart\/form-data/,
  ],
  [
    'a required header',
    {
      '/a': get(ok({}), {
        parameters: [{ name: 'X-Tenant', in: 'header', required: true, schema: { type: 'string' } }],
      }),
    },
    /is not called: it requires the header parameter X-Tenant/,
  ],
  [
    'a body without a known valid value',
    {
      '/a': {
        post: {
          requestBody: {
            required: true,
            content: {
              'application/json': {
                schema: {
                  type: 'object',
                  required: ['code'],
                  properties: { code: { type: 'string', pattern: '^[A-Z]{3}[0-9]$' } },
                },
              },
            },
          },
          responses: ok({}),
        },
      },
    },
    /is not called: no valid body was found/,
  ],
  [
    'a body that requires itself',
    {
      '/a': {
        post: {
          requestBody: {
            required: true,
            content: { 'application/json': { schema: { $ref: '#/components/schemas/Endless' } } },
          },
          responses: ok({}),
        },
      },
    },
    /is not called: no valid body was found/,
  ],
  [
    'a path parameter that is not declared',
    { '/a/{b}': get(ok({})) },
    /is not called: the path parameter b is not declared/,
  ],
  [
    'a security scheme that is not declared',
    { '/a': get(ok({}), { security: [{ lost: [] }] }) },
    /^#\/paths\/~1a\/get\/security: components has no security scheme lost/,
  ],
  ['no success', { '/a': get({ 404: { description: 'None.' } }) }, /is not called: it has no response with a 2xx/],
  ['a callback', { '/a': get(ok({}), { callbacks: {} }) }, /callbacks: no callback is judged/],
];

test('what cannot be judged is reported with its place, and takes nothing else from the run', async () => {
  // Each in a path of its own name: one document holds all.
  const paths = Object.assign(
    {},
    ...UNUSABLE.map(
      ([, part], i) =>
        JSON.parse(JSON.stringify(part).replaceAll('"/a', `"/a${i}`).replaceAll('~1a/', `~1a${i}/`)) as Part,
    ),
  ) as Part;
  const Endless = {
    type: 'object',
    required: ['next'],
    properties: { next: { $ref: '#/components/schemas/Endless' } },
  };
  const { mistakes, notices, operations } = await lookUpIn(
    write('unusable.json', { paths, components: { schemas: { Endless } } }),
  );
  expect(mistakes).toEqual([]);
  for (const [i, [title, , ...patterns]] of UNUSABLE.entries())
    for (const pattern of patterns) {
      const at = new RegExp(`~1a${i}(?!\\d)`);
      const lines = notices.filter((line) => at.test(line)).map((line) => line.replace(at, '~1a'));
      expect.soft(lines, title).toContainEqual(expect.stringMatching(pattern));
    }
  expect(new Set(notices).size).toBe(notices.length);
  expect(operations['GET /pets']?.obstacle).toBe('');
});

const [LIST, ADD] = [own.paths['/pets'] as Record<string, Part>, own.paths['/pets'] as Record<string, Part>].map(
  (item, i) => item[i === 0 ? 'get' : 'post'] as Part,
) as [Part, Part];

test('a contract without what the requests of the specification need cannot be used', async () => {
  const parameters = [
    { name: 'limit', in: 'query', schema: { type: 'integer' } },
    { name: 'status', in: 'query', schema: { type: 'string' } },
  ];
  const requestBody = { required: true, content: { 'application/xml': {} } };
  const paths = { '/pets': { get: { ...LIST, parameters }, post: { ...ADD, requestBody } } };
  expect((await lookUpIn(write('lacking.json', { paths }))).mistakes).toEqual([
    'POST /pets cannot be called: it requires a body that is not JSON with a schema: application/xml',
    'GET /pets: the parameter limit has no maximum',
    'GET /pets: the parameter status has no enum',
  ]);
});

test('the start of a run prints what is not judged, also from the remembered check', async () => {
  const file = write('printed.json', { paths: { '/a': get(ok({ $ref: '#/components/schemas/Lost' })) } });
  for (const time of ['first', 'second']) {
    const { code, stdout } = await runSuite({ CONTRACT: file, DRY_RUN: '1' });
    expect.soft(stdout, time).toContain(`Not judged, or without effect, in the contract ${file}:\n  - `);
    expect.soft(stdout, time).toContain('/schema: is not judged');
    expect(code).toBe(0);
  }
});

test('the contract of the suite also passes the strict rules of Ajv', () => {
  const strict = newAjv();
  strict.addVocabulary(Object.keys(document));
  strict.addSchema(document as object, 'contract', false, false);
  const { schemas = {}, headers = {} } = document.components ?? {};
  for (const name of Object.keys(schemas))
    expect(() => strict.getSchema(`contract#/components/schemas/${name}`), name).not.toThrow();
  for (const name of Object.keys(headers))
    expect(() => strict.getSchema(`contract#/components/headers/${name}/schema`), name).not.toThrow();
});

test('the schemas in a schema are found at every keyword that can hold some', () => {
  const found: string[] = [];
  const schema: Schema & Part = {
    properties: { a: {}, not: {} },
    items: {},
    anyOf: [{}, {}],
    patternProperties: { '^x': {} },
    if: {},
    enum: [{}],
    default: {},
  };
  for (const [keyword, value] of Object.entries(schema)) mapSchemas(keyword, value, (_, at) => found.push(at));
  expect(found).toEqual([
    'properties/a',
    'properties/not',
    'items',
    'anyOf/0',
    'anyOf/1',
    'patternProperties/^x',
    'if',
  ]);
});
