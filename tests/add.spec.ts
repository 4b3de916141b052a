/** POST /pets: sections 2 and 4.2 of the specification. */
import { expect, requirement, supporting, test } from '../fixtures/index.ts';
import { alikeAccepted, echoes, uniqueIds } from '../fixtures/judge/additions.ts';
import { rememberedFaults, rememberedStatus } from '../fixtures/judge/independence.ts';
import {
  aboutStatus,
  addedStatuses,
  AS_TEXT,
  OWN_ID_ROW,
  PAIR,
  rowsWithStatus,
  TWIN,
} from '../fixtures/plan/additions.ts';
import { PLAIN, refusals } from '../fixtures/plan/derived.ts';
import { BEYOND_DOUBLE, OWN_ID, sampleNames, sampleRow, samples } from '../fixtures/plan/samples.ts';
import { isThorough } from '../fixtures/settings/settings.ts';

test.describe('POST /pets', () => {
  for (const status of addedStatuses) {
    test(
      `answers 201 with the animal and its id, for one ${aboutStatus(status)}`,
      requirement('add.created'),
      async ({ answers }) => {
        const added = await answers.firstOf(rowsWithStatus(status), ({ status }) => status === 201);
        expect(added).toHaveStatus(201);
        expect(added).toCarryId();
      },
    );
  }

  test('keeps every field that was sent', requirement('add.echo'), async ({ answers }) => {
    const { answer, sent } = await answers.added(PLAIN);
    expect(answer).toBeAnimal(sent);
  });

  for (const name of sampleNames) {
    test(
      `keeps, or refuses with 400, an animal with ${samples[name].about}`,
      requirement('add.echo'),
      async ({ answers }) => {
        expect(await answers.to(sampleRow(name))).toHaveStatus(201, 400);
        const { answer, sent } = await answers.added(sampleRow(name));
        expect(answer).toBeAnimal(sent);
      },
    );
  }

  test(
    `keeps categoryId ${BEYOND_DOUBLE} to the last digit`,
    requirement('pet.int64', 'addPet'),
    async ({ answers }) => {
      const { answer } = await answers.addedWith({ categoryId: BEYOND_DOUBLE });
      expect(answer).toBeAnimal({ categoryId: BEYOND_DOUBLE });
    },
  );

  test('assigns the id itself where the body brings one', requirement('add.id.assigned'), async ({ answers }) => {
    const added = await answers.to(OWN_ID_ROW);
    expect(added).toHaveStatus(201, 400);
    expect(added).toHaveIdOtherThan(String(OWN_ID));
  });

  test(
    'gives animals that are added at the same moment ids of their own',
    requirement('add.id.unique'),
    async ({ answers }) => {
      await answers.added(PLAIN);
      expect(await answers.allOf([PLAIN, TWIN, ...PAIR])).toHaveDistinctIds();
    },
  );

  test('keeps every field of every animal that the run adds', requirement('add.echo'), async ({ answers }) => {
    await answers.added(PLAIN);
    const { known } = await answers.all();
    expect(echoes(known.additions())).toHold();
  });

  test('accepts every body that is like one it has accepted', requirement('add.created'), async ({ answers }) => {
    await answers.added(PLAIN);
    const { log } = await answers.all();
    expect(alikeAccepted(log.all())).toHold();
  });

  test('gives every animal an id that no other has', requirement('add.id.unique'), async ({ answers }) => {
    await answers.added(PLAIN);
    const { log } = await answers.all();
    expect(uniqueIds(log.all())).toHold();
  });

  test(
    'gives no status that is left over from an earlier request',
    requirement('service.stateless', 'addPet'),
    async ({ answers }) => {
      await answers.added(PLAIN);
      expect(rememberedStatus(await answers.all())).toHold();
    },
  );

  test(
    'does not hold a malformed body against the valid one after it',
    requirement('service.stateless', 'addPet'),
    async ({ answers }) => {
      expect(rememberedFaults(await answers.all(), 'addition')).toHold();
    },
  );

  test('answers 415 to a body of another media type', requirement('add.unsupported-type'), async ({ answers }) => {
    expect(await answers.to(AS_TEXT)).toHaveStatus(415);
  });
});

test.describe('A body with a fault', () => {
  for (const { row, operation, requirement: id, title } of refusals(isThorough()).filter((each) => !each.isOdd)) {
    test(`${operation.name} answers 400 where ${title}`, requirement(id, operation.id), async ({ answers }) => {
      expect(await answers.to(row.name)).toHaveStatus(400);
    });
  }

  for (const { row, operation, requirement: id, title } of refusals(isThorough()).filter((each) => each.isOdd)) {
    test(
      `${operation.name} answers with a 2xx or a 4xx where ${title}`,
      supporting(id, operation.id),
      async ({ answers }) => {
        expect(await answers.to(row.name)).toHaveStatus('2xx', '4xx');
      },
    );
  }
});
