/** The plan and its cost on stores of every kind. */
import { expect } from '@playwright/test';
import { isSpecified, isWriting, operations } from '../../../fixtures/contract/contract.ts';
import { type RequirementId, requirementOf, requirements } from '../../../fixtures/contract/requirements.ts';
import {
  hasValidKey,
  moreWrongCredentials,
  otherPlaces,
  wrongCredentials,
} from '../../../fixtures/contract/credentials.ts';
import { otherMethods } from '../../../fixtures/plan/derived-calls.ts';
import { withoutKey, withWrongCredentials } from '../../../fixtures/plan/derived-credentials.ts';
import { LACKING } from '../../../fixtures/plan/get-by-id.ts';
import { BUDGET, isBeyond, selectRows, estimateLength, checkNeeds, makePlan } from '../../../fixtures/plan/plan.ts';
import { NotJudged } from '../../../fixtures/plan/not-judged.ts';
import { FILLED, type Need, PRIORITIES, type Row } from '../../../fixtures/plan/row.ts';
import { sampleRows, samples } from '../../../fixtures/plan/samples.ts';
import type { Exchange } from '../../../fixtures/target/http/exchange.ts';
import type { Performer } from '../../../fixtures/target/run/perform.ts';
import { type Incoming, type NewPet, Problem, type Service, STATUSES } from '../../../fixtures/reference/service.ts';
import { test } from './make.ts';
import { inMemory, rowsSent, type Stocked } from './memory.ts';

const rowsOf = (isThorough: boolean): Row[] => makePlan({ isThorough }).flatMap(({ rows }) => rows);
/** The samples of every run; the others replace a refused one. */
const richSamples = sampleRows.filter((name) => samples[name].insteadOf === undefined);
const standard = rowsOf(false);
const thorough = rowsOf(true);

for (const [depth, rows] of Object.entries({ standard, thorough })) {
  test.describe(`the plan of a ${depth} run`, () => {
    const names = rows.map(({ name }) => name);

    test('names every row once, in words', () => {
      expect(names.filter((name, i) => names.indexOf(name) !== i)).toEqual([]);
      for (const name of names) expect(name).toMatch(/^[A-Z]+ \/\S/);
    });

    test('orders rows after those that they need', () => {
      // Optional rows come last.
      const isOptional = new Set(rows.filter(({ optional }) => optional).map(({ name }) => name));
      const late = rows.flatMap(({ name, needs }, i) =>
        needs
          .filter((need) => need !== FILLED && !isOptional.has(need) && !names.slice(0, i).includes(need))
          .map((need) => `${name} <- ${need}`),
      );
      expect(late).toEqual([]);
    });

    test('fills the store before rows that need it', () => {
      const filling = [
        ...selectRows(makePlan({ isThorough: depth === 'thorough' }), { requirements: [], rows: [FILLED] }),
      ];
      const first = names.findIndex((_, i) => rows[i]?.needs.includes(FILLED));
      const early = filling.filter((name) => names.indexOf(name) < first);
      // Rows that fill it in bulk; later animals are the newest of the lists on purpose.
      expect(early).toEqual(
        expect.arrayContaining([
          'GET /pets?limit={maximum}, before anything is added',
          'POST /pets',
          'POST /pets, a duplicate at the same moment',
          ...richSamples,
        ]),
      );
    });

    test('reads each answer with judged requirements', () => {
      for (const { name, requirements: read } of rows)
        for (const id of read) {
          const { level, untestable } = requirementOf(id);
          expect(`${name} ${id} ${level === 'open' || untestable !== undefined}`).toBe(`${name} ${id} false`);
        }
    });

    test('gives every requirement that needs a row at least one', () => {
      const read = new Set(rows.flatMap((each) => each.requirements));
      // On every response, on the contract only, or by throttling.
      const elsewhere = (id: RequirementId): boolean =>
        id.startsWith('throttle.') || ['service.base-path', 'contract.deprecation'].includes(id);
      const missing = requirements
        .filter(({ level, untestable, on, derived }) => level !== 'open' && !untestable && !on && !derived)
        .filter(({ id }) => !read.has(id) && !elsewhere(id));
      expect(missing.map(({ id }) => id)).toEqual([]);
    });

    test('calls every operation with a valid key and without one', () => {
      const asked = (wanted: (row: Row) => boolean): unknown[] =>
        operations.filter((operation) => rows.some((row) => row.operation === operation && wanted(row)));
      expect(asked(({ as, valid }) => hasValidKey(as) && valid)).toEqual(operations);
      expect(asked(({ as }) => as === 'none')).toEqual(operations.filter(({ secured }) => secured));
    });

    test('writes only by POST, and never uses DELETE as unknown method', () => {
      for (const { name, method, operation } of rows.filter((row) => row.method !== 'GET' && row.method !== 'HEAD'))
        expect(`${name}: ${method} ${isWriting(method)}`).toBe(
          `${name}: ${operation ? operation.method : name.split(' ')[0]} true`,
        );
      for (const { method } of otherMethods(depth === 'thorough')) expect(['PUT', 'PATCH']).toContain(method);
      expect(rows.filter(({ method }) => method === 'DELETE')).toEqual([]);
    });
  });
}

test('a row that needs an unknown one, and a repeated name, are errors of the suite', () => {
  const [orders, other] = standard.filter(({ needs }) => needs.length === 0) as [Row, Row];
  const check = (...rows: Row[]) => checkNeeds([{ title: 'a stage', together: 'one by one', rows }]);
  expect(() => check(orders, { ...other, needs: [FILLED, orders.name] })).not.toThrow();
  expect(() => check({ ...other, needs: [orders.name] })).toThrow(
    `"${other.name}" needs "${orders.name}", which is not in the plan`,
  );
  expect(() => check(orders, { ...other, name: orders.name })).toThrow('two rows of the plan have the same name');
});

test('a thorough run has all rows of a standard one, and more', () => {
  const names = new Set(thorough.map(({ name }) => name));
  expect(standard.map(({ name }) => name).filter((name) => !names.has(name))).toEqual([]);
  expect(names.size).toBeGreaterThan(standard.length);
});

test('the effect of every method is known', () => {
  expect(['POST', 'PUT', 'PATCH', 'DELETE'].map(isWriting)).toEqual([true, true, true, true]);
  expect(['GET', 'HEAD', 'OPTIONS', 'TRACE'].map(isWriting)).toEqual([false, false, false, false]);
});

test('a standard run sends every wrong credential to some operation, a thorough run to all', () => {
  const pairs = (isThorough: boolean) => withWrongCredentials(isThorough);
  const kinds = (isThorough: boolean) => new Set(pairs(isThorough).map(({ as }) => as));
  expect(kinds(false)).toEqual(new Set([...wrongCredentials, ...otherPlaces]));
  const secured = operations.filter((each) => each.secured);
  for (const operation of secured) expect(pairs(false).some((each) => each.operation === operation)).toBe(true);
  expect(kinds(true)).toEqual(new Set([...wrongCredentials, ...moreWrongCredentials]));
  expect(pairs(true)).toHaveLength(secured.length * (wrongCredentials.length + moreWrongCredentials.length));
});

test.describe('the places that a wrong credential combines', () => {
  /** Every place with its operations and statuses. */
  async function askedIn(given: Stocked): Promise<Record<string, number>> {
    const { performer, sent } = inMemory(given);
    await performer.all();
    const isPrecise = ({ credential }: Exchange): boolean => (otherPlaces as readonly string[]).includes(credential);
    return Object.fromEntries(sent.filter(isPrecise).map((each) => [each.credential, each.response?.status ?? 0]));
  }

  /** Makes a service accept a key from another place. */
  const takingKey =
    (keyIn: (asked: Incoming) => unknown) =>
    (service: Service): void => {
      const keyOf = service.keyOf.bind(service);
      const [key] = Object.keys(service.options.keys);
      service.keyOf = (asked) => keyOf(asked) ?? (keyIn(asked) ? key : undefined);
    };

  const none = Object.fromEntries(otherPlaces.map((place) => [place, 401]));

  test('are tried separately if the combination is accepted, and an unauthenticated request refused', async () => {
    const header = takingKey(({ headers }) => headers['x-api-key']);
    expect(await askedIn({ apply: header })).toEqual({ ...none, 'in X-API-Key': 200 });
    const cookie = takingKey(({ headers }) => headers.cookie);
    expect(await askedIn({ apply: cookie })).toEqual({ ...none, 'in a cookie': 200 });
    const query = takingKey((asked) => asked.query.api_key);
    expect(await askedIn({ apply: query })).toEqual({ ...none, 'in a query parameter': 200 });
  });

  test('are not tried if the combination is refused', async () => {
    expect(await askedIn({})).toEqual({});
  });

  test('are not tried if an unauthenticated request is served', async () => {
    expect(await askedIn({ apply: takingKey(() => true) })).toEqual({});
  });

  test('are always tried at thorough depth', async () => {
    expect(await askedIn({ options: { isThorough: true } })).toEqual(none);
  });

  test('are tried on one operation in a standard run', () => {
    const all = withWrongCredentials(false);
    const combined = all.filter(({ as }) => as === 'in another place');
    const precise = all.filter(({ as }) => (otherPlaces as readonly string[]).includes(as));
    expect(precise).toHaveLength(combined.length * otherPlaces.length);
    expect(precise.map(({ only }) => only)).toEqual(precise.map(() => 'to confirm'));
    for (const { operation, needs } of precise)
      expect(needs).toEqual(
        expect.arrayContaining([
          withoutKey(operation).name,
          combined.find((each) => each.operation === operation)?.name,
        ]),
      );
  });
});

test.describe('the needed rows', () => {
  const stages = makePlan({ isThorough: false });
  const closure = (requirements: RequirementId[], rows: Need[] = []): Set<string> =>
    selectRows(stages, { requirements, rows });

  test('are all of them if nothing is selected', () => {
    expect(selectRows(stages, undefined).size).toBe(standard.length);
  });

  test('are those of the requirements, with all rows that they need', () => {
    for (const { id } of requirements.filter(({ level }) => level !== 'open')) {
      const names = closure([id]);
      const own = standard.filter(({ name }) => names.has(name));
      const needed = [
        ...standard.filter((each) => each.requirements.includes(id)).map(({ name }) => name),
        ...own.flatMap(({ needs }) => needs.filter((need) => need !== FILLED)),
      ];
      expect(
        needed.filter((name) => !names.has(name)),
        id,
      ).toEqual([]);
    }
  });

  test('include every addition if a list needs a filled store', () => {
    const names = closure(['list.limit.caps']);
    for (const name of [
      'GET /pets?limit={maximum}, before anything is added',
      'POST /pets',
      'POST /pets, a duplicate at the same moment',
      ...sampleRows,
    ])
      expect(names).toContain(name);
    expect([...names].filter((name) => name.includes('to confirm'))).toEqual([LACKING]);
  });

  test('include no other row', () => {
    const names = closure(['orders.exists']);
    expect(names.size).toBeLessThanOrEqual(3);
    expect(names).toContain('GET /store/orders, with "bearer" in lower case');
    expect(closure(['service.base-path']).size).toBe(0);
    expect(closure([], [withoutKey(operations[0] as (typeof operations)[number]).name]).size).toBeGreaterThan(0);
  });
});

test.describe('the announced length', () => {
  for (const [title, options] of [
    ['a standard run', {}],
    ['a thorough run', { isThorough: true }],
    ['a read-only run', { readOnly: true }],
    ['a thorough read-only run', { isThorough: true, readOnly: true }],
  ] as const)
    test(`is never below the requests sent, on any store: ${title}`, async () => {
      const { isThorough = false, readOnly = false } = options as { isThorough?: boolean; readOnly?: boolean };
      const stages = makePlan({ isThorough });
      const announced = estimateLength(stages, selectRows(stages, undefined), { isThorough, readOnly });
      for (const stock of [0, 63, 300]) {
        const { performer, sent } = inMemory({ stock, options });
        await performer.all();
        expect(sent.length, `requests to a store of ${stock}`).toBeLessThanOrEqual(announced.requests);
        expect(performer.known.additions().length, `animals in a store of ${stock}`).toBeLessThanOrEqual(
          announced.animals,
        );
      }
    });

  test('is that of the selected requirements', async () => {
    const stages = makePlan({ isThorough: false });
    const options = { isThorough: false, readOnly: false };
    for (const id of ['orders.exists', 'list.limit.caps', 'add.echo'] as const) {
      const { performer, sent } = inMemory({ options: { selected: [id] } });
      await performer.all();
      const announced = estimateLength(stages, selectRows(stages, { requirements: [id] }), options);
      expect(sent.length, id).toBeLessThanOrEqual(announced.requests);
      expect(announced.requests, id).toBeLessThan(
        estimateLength(stages, selectRows(stages, undefined), options).requests,
      );
    }
  });

  test('of a read-only run has no animals', () => {
    const stages = makePlan({ isThorough: false });
    expect(estimateLength(stages, selectRows(stages, undefined), { isThorough: false, readOnly: true }).animals).toBe(
      0,
    );
  });
});

/** Makes a service refuse names and categories with 400, which is lawful. */
const refusing =
  (isRefused: (pet: NewPet, body: Record<string, unknown>) => boolean) =>
  (service: Service): void => {
    const newPet = service.newPet.bind(service);
    service.newPet = (body) => {
      const pet = newPet(body);
      if (isRefused(pet, body)) throw new Problem(400, 'not_here', 'not here');
      return pet;
    };
  };

const isDigits = ({ name }: NewPet): boolean => /^\d+$/.test(name);
const isLarge = ({ categoryId }: NewPet): boolean => categoryId > 2n ** 31n;
const isAccented = ({ name }: NewPet): boolean => /[^ -~]/.test(name);
const isMarkedUp = ({ name }: NewPet): boolean => /[<>&"']/.test(name);

/** Lawful choices about names, categories and the default status. */
const choices: Record<string, (service: Service) => void> = {
  'takes everything': () => {},
  'refuses names with accents': refusing(isAccented),
  'refuses names with markup': refusing(isMarkedUp),
  'refuses names with accents, and those with markup': refusing((pet) => isAccented(pet) || isMarkedUp(pet)),
  'refuses names of digits': refusing(isDigits),
  'refuses large categories': refusing(isLarge),
  'refuses names of digits, and large categories': refusing((pet) => isDigits(pet) || isLarge(pet)),
  'refuses long names': refusing(({ name }) => name.length > 40),
  'refuses names of more than 20 characters': refusing(({ name }) => name.length > 20),
  'takes only capitalised words': refusing(({ name }) => !/^[A-Z][a-z]+$/.test(name)),
  'refuses a body with an id': refusing((_pet, body) => 'id' in body),
  'refuses all of them': refusing(
    (pet, body) => isAccented(pet) || isMarkedUp(pet) || isDigits(pet) || isLarge(pet) || 'id' in body,
  ),
  'refuses a name that is taken': (service) =>
    refusing(({ name }) => [...service.pets.values()].some((pet) => pet.name === name))(service),
  'gives no status': (service) => (service.defaultStatus = () => undefined),
  'gives the status pending': (service) => (service.defaultStatus = () => 'pending'),
  'gives the status sold, and refuses all of them': (service) => {
    service.defaultStatus = () => 'sold';
    refusing((pet, body) => isAccented(pet) || isMarkedUp(pet) || isDigits(pet) || isLarge(pet) || 'id' in body)(
      service,
    );
  },
  'accepts the scheme of a credential in one case only': (service) => {
    const keyOf = service.keyOf.bind(service);
    service.keyOf = (asked) => (asked.headers.authorization?.startsWith('Bearer ') ? keyOf(asked) : undefined);
  },
  'refuses all of them, and the scheme in lower case': (service) => {
    choices['accepts the scheme of a credential in one case only']?.(service);
    choices['refuses all of them']?.(service);
  },
  'lists the latest first': (service) => (service.order = (pets) => pets.toReversed()),
};

/** Requests of a run for the specification, without those for further operations. */
const costOf = async (given: Stocked): Promise<number> => {
  const more = operations.filter((operation) => !isSpecified(operation));
  return (await rowsSent(given)).filter((row) => !more.some(({ name }) => row.includes(name))).length;
};

test.describe('the budget of a standard run', () => {
  test('is two windows of a Free key, and a little more than one on a filled store', () => {
    expect(BUDGET).toEqual({ empty: 100, filled: 80 });
  });

  test('has room for optional requests, also if the contract has further operations', async () => {
    expect(await rowsSent({ stock: 0 })).toContain('GET /pets/{the largest petId + 1}');
  });

  for (const [choice, apply] of Object.entries(choices)) {
    test(`holds on any store that ${choice}`, async () => {
      const over: string[] = [];
      for (const stock of [0, 1, 20, 33, 62, 63, 95, 100, 300, 2100]) {
        const length = await costOf({ stock, apply });
        if (length > (stock >= 63 ? BUDGET.filled : BUDGET.empty)) over.push(`${length} for a store of ${stock}`);
      }
      expect(over).toEqual([]);
    });
  }

  test('holds if every animal has one status', async () => {
    for (const status of STATUSES)
      for (const stock of [21, 60, 150]) {
        const apply = (service: Service): void => {
          for (const pet of service.pets.values()) pet.status = status;
        };
        expect(await costOf({ stock, apply })).toBeLessThanOrEqual(BUDGET.empty);
      }
  });

  test('holds if every addition is refused', async () => {
    const apply = refusing(() => true);
    for (const stock of [0, 63]) expect((await rowsSent({ stock, apply })).length).toBeLessThanOrEqual(BUDGET.filled);
  });

  test('holds for a read-only run, which writes nothing', async () => {
    for (const stock of [0, 63, 300]) {
      const { performer, sent } = inMemory({ stock, options: { readOnly: true } });
      await performer.all();
      expect(sent.length).toBeLessThanOrEqual(BUDGET.filled);
      expect(sent.map(({ request }) => request.method).filter(isWriting)).toEqual([]);
    }
  });

  test('skips optional rows without budget, the least important first', async () => {
    const optional = standard.filter((row) => row.optional && !isBeyond(row));
    const places = optional.map((row) => PRIORITIES.indexOf(row.optional as (typeof PRIORITIES)[number]));
    expect(places).toEqual(places.toSorted((a, b) => a - b));
    const apply = choices['refuses all of them'] as (service: Service) => void;
    const sent = await rowsSent({ stock: 63, apply });
    const isLeftOut = optional.map(({ name }) => !sent.includes(name));
    expect(isLeftOut).toContain(true);
    // After the first row without budget, none is sent.
    const { performer } = inMemory({ stock: 63, apply });
    await performer.all();
    const noRoomOf = ({ known }: Performer): Row[] =>
      optional.filter(({ name }) => {
        const why = known.notAsked.get(name);
        return why instanceof NotJudged && why.code === 'noRoom';
      });
    const noRoom = noRoomOf(performer);
    expect(noRoom.length).toBeGreaterThan(0);
    const first = optional.indexOf(noRoom[0] as Row);
    expect(optional.slice(first).filter(({ name }) => sent.includes(name))).toEqual([]);
    const { performer: atThorough } = inMemory({ stock: 63, apply, options: { isThorough: true } });
    await atThorough.all();
    expect(noRoomOf(atThorough)).toEqual([]);
  });
});

test('what the budget leaves out is noted, with what it would show', async () => {
  const { performer, sent, leftOut } = inMemory();
  await performer.all();
  const noRoom = [...leftOut].filter(([, { remedy }]) => remedy === 'DEPTH=thorough');
  expect(noRoom.length).toBeGreaterThan(0);
  for (const [name, { requirements: own }] of noRoom) {
    expect(sent.map(({ row }) => row)).not.toContain(name);
    expect(own).toEqual(rowsOf(false).find((row) => row.name === name)?.requirements);
  }
});
