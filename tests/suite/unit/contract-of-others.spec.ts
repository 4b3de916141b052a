/** Every form in which OpenAPI 3.1 lets a contract describe something is found, or reported before a run. */
import { expect } from '@playwright/test';
import type { Json } from '../../../fixtures/contract/json.ts';
import { readFile, testBy } from '../contract/given.ts';
import type { Given } from './make.ts';

type Part = Record<string, unknown>;

/** The modules of the contract. */
async function loadModules() {
  return {
    ...(await import('../../../fixtures/contract/check.ts')),
    ...(await import('../../../fixtures/contract/contract.ts')),
    ...(await import('../../../fixtures/contract/cases.ts')),
    ...(await import('../../../fixtures/contract/values.ts')),
    ...(await import('../../../fixtures/contract/schemas.ts')),
    ...(await import('./make.ts')),
    ...(await import('../gate/spawn.ts')),
  };
}
type Modules = Awaited<ReturnType<typeof loadModules>>;

// ---- forms of a contract

const OTHERS = readFile('tests/suite/contract/others.yaml') as {
  components: Part;
  forms: [path: string, short: Part, allowed?: Json[], refused?: Json[]][];
  operations: Record<string, Part>;
  unusable: [path: string, short: Part, ...notices: string[]][];
  notices: string[];
  additions: Part;
};

const OK = { '200': { description: 'OK.' } };

/** A path in short: its GET answers 200 with a schema under a media type or with other parts, or takes a body; or it is written as a whole. */
function writePath({ schema, type = 'application/json', answer, takes, item, ...more }: Part): unknown {
  const content = (of: unknown): Part => ({ content: { [String(type)]: { schema: of } } });
  if (item !== undefined) return item;
  if (takes !== undefined) return { post: { requestBody: { required: true, ...content(takes) }, responses: OK } };
  const part = answer ?? (schema === undefined ? {} : content(schema));
  return { get: { responses: { '200': { description: 'OK.', ...(part as Part) } }, ...more } };
}

const given = [...OTHERS.forms, ...OTHERS.unusable];
const paths = Object.fromEntries(given.map(([path, short]) => [path, writePath(short)]));

const testByThese = testBy({ paths, components: OTHERS.components }, OTHERS.additions);
const test = testByThese.extend<object, { modules: Modules }>({
  modules: [async ({ contract: _ }, use) => use(await loadModules()), { scope: 'worker' }],
});

test.describe.configure({ timeout: 60_000, mode: 'default' });

type Judged = readonly [path: string, status: number, type: string | undefined, body: Json, expected: string];

/** By other statuses and media types. */
const BODIES: readonly Judged[] = [
  ['/statuses', 404, undefined, 'x', 'valid'],
  ['/statuses', 404, undefined, 1, 'invalid'],
  ['/statuses', 418, undefined, 1, 'valid'],
  ['/statuses', 418, undefined, true, 'invalid'],
  ['/statuses', 500, undefined, true, 'valid'],
  ['/statuses', 500, undefined, 1, 'invalid'],
  ['/statuses', 200, undefined, 1, 'not judged'],
  ['/types/any', 200, 'application/json; charset=UTF-8', 'x', 'invalid'],
  ['/types/suffix', 200, 'application/problem+json', 1, 'valid'],
  ['/types/parameter', 200, 'application/problem+json', 1, 'valid, of another type'],
  ['/types/several', 200, 'APPLICATION/JSON', 1, 'valid'],
  ['/types/several', 200, 'application/problem+json', 'x', 'valid'],
  ['/types/several', 200, 'application/problem+json', 1, 'invalid'],
  ['/types/several', 200, 'application/hal+json', [], 'valid'],
  ['/types/several', 200, 'text/html', 1, 'valid, of another type'],
  ['/types/problem', 200, 'application/problem+json; charset=utf-8', 1, 'valid'],
  ['/types/problem', 200, 'application/json', 'x', 'invalid, of another type'],
  ['/types/other', 200, undefined, 'x', 'not judged'],
  ...OTHERS.forms.flatMap(([path, , allowed = [], refused = []]): Judged[] => [
    ...allowed.map((body): Judged => [path, 200, undefined, body, 'valid']),
    ...refused.map((body): Judged => [path, 200, undefined, body, 'invalid']),
  ]),
];

function judge(modules: Modules, [path, status, type, body]: Judged): string {
  const { bodySchemaOf, coversJson, findResponse, findValidator, forAjv, operations } = modules;
  const operation = operations.find((each) => each.name === `GET ${path}`) as (typeof operations)[number];
  const validator = findValidator(bodySchemaOf(operation, status, type));
  if (!validator) return 'not judged';
  const isOfOtherType = type && !coversJson(findResponse(operation, status)?.response.content, type);
  return `${validator(forAjv(body)) ? 'valid' : 'invalid'}${isOfOtherType ? ', of another type' : ''}`;
}

test('a response is judged by the schema of its status and media type, wherever that stands', ({ modules }) => {
  const lines = BODIES.map(([path, status, type = '', body]) => `${path} ${status} ${type} ${JSON.stringify(body)}`);
  expect(BODIES.map((each, i) => `${lines[i]}: ${judge(modules, each)}`)).toEqual(
    BODIES.map(([, , , , word], i) => `${lines[i]}: ${word}`),
  );
});

test('the operations of another contract are found, with what is sent and judged of them', ({ modules }) => {
  const { findObstacle, findValidator, headersOf, operations, queryCases, satisfies, successesOf } = modules;
  const found = operations.map((operation) => {
    const { id, name, secured, parameters, body } = operation;
    const cases = queryCases(operation).filter(({ is }) => is === 'valid');
    const headers = headersOf(operation, 200).map(([header, { required = false, schema }]) =>
      findValidator(schema) ? `${header}${required ? ' required' : ''}, 7 ${satisfies(schema, 7)}` : header,
    );
    const described = {
      ...{ id, secured, headers, obstacle: findObstacle(operation) ?? '', successes: successesOf(operation) },
      parameters: parameters.map((each) => `${each.in} ${each.name} ${[each.schema.type].flat().join('|')}`),
      sent: cases.map(({ parameter, value }) => `${parameter}=${value}`),
      body: body ? `${body.type}${body.required ? ', required' : ''}` : '',
    };
    return [name, described] as const;
  });
  expect(Object.fromEntries(found)).toMatchObject(OTHERS.operations);
});

/** Whether a notice is about a path. */
const isOf = (path: string, notice: string): boolean => {
  const place = `#/paths/${path.replaceAll('/', '~1')}`;
  return notice.startsWith(`${place}/`) || notice.startsWith(`${place}:`);
};

const noticesBy = ({ checkContract }: Modules): string[] => {
  const { mistakes, notices } = checkContract();
  expect(mistakes).toEqual([]);
  return notices;
};

test('what of a valid contract is not judged is reported, each once', ({ modules }) => {
  const found = noticesBy(modules).filter((notice) => OTHERS.forms.some(([path]) => isOf(path, notice)));
  expect(found.toSorted()).toEqual(OTHERS.notices.toSorted());
});

test('what cannot be judged is reported with its place, and takes nothing else from the run', ({ modules }) => {
  const notices = noticesBy(modules);
  for (const [path, , ...texts] of OTHERS.unusable)
    for (const text of texts) expect(notices.filter((each) => isOf(path, each)).join('\n')).toContain(text);
  expect(new Set(notices).size).toBe(notices.length);
});

const noLimits = [{ name: 'limit', in: 'query', schema: { $ref: './limit.yaml' } }];
const xml = { content: { 'application/json': undefined, 'application/xml': {} } };
const NewPet = { additionalProperties: false, properties: { name: { maxLength: 11 } } };

/** Additions to the contract, and what they make impossible. */
const MISTAKES: readonly [addition: object, ...mistakes: string[]][] = [
  [
    { paths: { '/pets': { get: { parameters: noLimits }, post: { requestBody: xml } } } },
    'POST /pets cannot be called: it requires a body that is not JSON with a schema: application/xml',
    'GET /pets: the parameter limit has no maximum',
    'GET /pets: the parameter limit has no default',
    'GET /pets: the parameter status has no enum',
    'it refers to ./limit.yaml, and other files are not read: bundle them into one',
  ],
  [{ paths: { '/pets': { post: { requestBody: undefined } } } }, 'POST /pets: no body of JSON is documented'],
  [{ 'x-plans': { free: null } }, 'it has no x-plans, the requests per minute and day of each plan'],
  [
    { components: { schemas: { PetStatus: { enum: 'sold' } } } },
    'POST /pets cannot be called: no valid body was found',
    'GET /pets: the parameter status has no enum',
  ],
  [
    { components: { schemas: { NewPet } } },
    'POST /pets: the field name does not allow 12 letters, as a run names its animals',
    'GET /pets/{petId}: no animal satisfies its schema: it must NOT have additional properties beside those of allOf',
  ],
];

test('a contract without what the requests need cannot be used', async ({ write, modules: { quick, suite } }, info) => {
  for (const [addition, ...mistakes] of MISTAKES) {
    const CONTRACT = write(addition);
    const { code, text } = await suite(info.outputPath(), { CONTRACT, DRY_RUN: '1' });
    expect(code).toBe(1);
    expect(text).toContain([`The contract ${CONTRACT} cannot be judged by:`, ...mistakes].join('\n  - '));
    const { text: printed } = await quick(info.outputPath(), [], undefined, { CONTRACT });
    expect(printed).toContain('ERROR: the run did not begin');
  }
});

const toys = ({ headers, ...more }: Given): Given => ({
  ...{ operation: 'listToys', body: [{ label: 'x' }], headers: { 'X-Total': '1', ...headers } },
  ...more,
});
const refused = ({ headers, ...more }: Given): Given => ({
  ...{ operation: 'listToys', status: 422, query: { label: 'z' }, body: { title: 'x' } },
  headers: { 'Content-Type': 'application/problem+json', ...headers },
  ...more,
});
const changed = (type: string, status: number, sent = '{}'): Given => ({
  ...{ operation: 'changeToys', status, sent, type, body: { text: '' } },
});
const posted = (status: number, sent: object, body: Record<string, Json>): Given => ({
  ...{ operation: 'POST /posted', status, sent: JSON.stringify(sent), body },
});
/** Responses to additional operations, with the requirements that each violates. */
const GAINED: readonly [Given, ...violated: string[]][] = [
  [toys({})],
  [toys({ headers: { 'X-Total': '-1' } }), 'service.headers'],
  [toys({ headers: { 'X-Total': '007' } })],
  [refused({})],
  [refused({ body: { detail: 'x' } }), 'service.schema'],
  [refused({ headers: { 'Content-Type': 'application/problem+xml' } }), 'service.json'],
  [toys({ headers: { 'Content-Type': 'application/problem+json' } }), 'service.json'],
  [toys({ query: { label: 'x' } })],
  [toys({ query: { label: 'y' } }), 'service.filter'],
  [toys({ query: { sold: 'true', colours: 'red' } })],
  [refused({ query: { sold: 'true' } }), 'service.valid-request'],
  [refused({ query: { colours: 'red,blue' } }), 'service.valid-request'],
  [refused({ query: { sold: 'perhaps' } })],
  [changed('application/merge-patch+json', 204)],
  [changed('application/merge-patch+json', 400), 'service.no-undocumented-status', 'service.valid-request'],
  [changed('application/json', 400)],
  // What it depends on is not in the contract, or only the service knows: cursors, passwords, who may add by a PUT.
  [changed('application/merge-patch+json', 409)],
  [{ operation: 'GET /search', query: { cursor: 'x' }, status: 400 }],
  [{ operation: 'GET /search', status: 400 }, 'service.valid-request'],
  [{ operation: 'POST /sessions', sent: '{}', status: 401 }],
  [{ operation: 'POST /sessions', sent: '{}', status: 400 }, 'service.valid-request'],
  [{ operation: 'POST /sessions', sent: '{"ownerId":"x"}', status: 400 }],
  [{ operation: 'PUT /carts/{cartId}', target: '/carts/7', sent: '{}', status: 201 }],
  // Another scheme of the contract may accept the key there.
  [{ operation: 'GET /search', credential: 'in another place' }],
  [{ operation: 'GET /search', credential: 'unknown' }, 'auth.invalid'],
  [{ operation: 'GET /items/{id}', target: '/items/7', status: 404 }],
  [{ operation: 'GET /items/{id}', target: '/items/7', status: 418 }, 'service.no-undocumented-status'],
  // A POST may calculate with what was sent, and a service may add to an object.
  [posted(200, { amount: 5 }, { amount: 6 })],
  [posted(201, { amount: 5 }, { amount: 6 }), 'service.echo'],
  [posted(201, { at: '2026-01-31T12:00:00Z' }, { at: '2026-01-31T13:00:00.000+01:00' })],
  // Every object has a member of this name.
  [{ operation: 'POST /shown', target: '/shown?code=Z1', status: 201, sent: '{"toString":"Z2"}' }],
  [{ operation: 'POST /shown', target: '/shown?code=Z1', status: 201, sent: '{}' }, 'service.invalid-body'],
  // As the contract documents it, or may.
  [posted(201, { price: 5 }, { price: '5' })],
  [posted(201, { price: 5 }, { price: '6' }), 'service.echo'],
  [posted(201, { owner: { name: 'x' } }, { owner: { name: 'x', id: 1 } })],
  // The contract shows no status for a body that its schema does not allow.
  [changed('application/merge-patch+json', 422, '1')],
  [changed('application/merge-patch+json', 204, '1'), 'service.invalid-body'],
  [{ operation: 'GET /types/other', body: { text: 'a;b' }, headers: { 'Content-Type': 'Text/CSV; charset=latin1' } }],
  [{ operation: 'GET /types/other', body: { text: 'a;b' }, headers: { 'Content-Type': 'text/html' } }, 'service.json'],
  // An id may be a text, and the contract does not show how a number is read that is written in another way.
  [{ operation: 'getPet', id: '7' }],
  [{ operation: 'getPet', id: '7', status: 410 }, 'service.no-undocumented-status', 'get.unknown'],
  [{ operation: 'getPet', id: '7abc', status: 404 }],
  [{ operation: 'getPet', id: '7abc' }, 'get.unknown'],
  [{ operation: 'getPet', id: '0x7' }],
];

test('additions to the contract are judged on every response', ({ modules: { exchange, findBroken } }) => {
  const lines = (violated: readonly (readonly string[])[]): string[] =>
    violated.map((ids, i) => `${JSON.stringify(GAINED[i]?.[0])}: ${ids.join()}`);
  expect(lines(GAINED.map(([given]) => findBroken([exchange(given)])))).toEqual(lines(GAINED.map(([, ...ids]) => ids)));
  // Something may have the id that the contract shows.
  const unknown = (id: string) =>
    findBroken([exchange({ operation: 'GET /toys/{petId}', target: `/toys/${id}` })], { isForeign: false });
  expect(['red', '%62lue', 'a%20b'].map(unknown)).toEqual([[], [], ['service.unknown-id']]);
});

test('a PUT may rename what its path names, and only a service knows the form of its ids', ({ modules }) => {
  const user = (at: number, request: string, status: number, username?: string) => {
    const [method = '', target = ''] = request.split(' ');
    const operation = `${method} ${target === '/users' ? target : '/users/{username}'}`;
    const sent = username === undefined || method === 'GET' ? {} : { sent: JSON.stringify({ username }) };
    return modules.exchange({ at, operation, target, status, body: { username: username ?? 'x' }, ...sent });
  };
  const judge = (...after: ReturnType<typeof user>[]) =>
    modules.findBroken([user(0, 'POST /users', 201, 'ann'), ...after], { isForeign: false });
  expect(judge(user(1, 'PUT /users/ann', 200, 'bob'), user(2, 'GET /users/ann', 404))).toEqual([]);
  const [put, get] = [user(1, 'PUT /users/ann', 200, 'ann'), user(3, 'GET /users/ann', 404)];
  const removed = modules.exchange({ at: 2, operation: null, method: 'DELETE', target: '/users', status: 204 });
  expect(judge(put, get)).toEqual(['service.valid-request', 'service.changes']);
  expect(judge(put, removed, get)).not.toContain('service.changes');
  expect([400, 404, 200].map((status) => judge(user(1, 'GET /users/eve', status)))).toEqual([
    [],
    [],
    ['service.unknown-id'],
  ]);
});

test('the start of a run prints what is not judged', async ({ write, modules: { suite } }, info) => {
  const CONTRACT = write({ webhooks: {} });
  const { code, stdout } = await suite(info.outputPath(), { CONTRACT, DRY_RUN: '1' });
  expect(stdout).toContain(`Not judged in the contract ${CONTRACT}:\n  - #/webhooks: no webhook`);
  expect(code).toBe(0);
});
