import { expect } from '../../../fixtures/index.ts';
import { answer, exchange, messageOf, pet, storeWith, test } from './make.ts';

const added = (id: Parameters<typeof pet>[0], number?: number) =>
  ({ operation: 'addPet', status: 201, body: pet(id), sent: '{"name":"Rex"}', ...(number && { number }) }) as const;

test('an answer carries an id, or it does not', () => {
  expect(answer(added(1))).toCarryId();
  expect(answer(added(0n))).toCarryId();
  const none = answer({ operation: 'addPet', status: 201, body: { name: 'Rex', categoryId: 1 } });
  expect(messageOf(() => expect(none).toCarryId())).toContain('allowed   an animal with the id');
  expect(() => expect(answer({ operation: 'addPet', status: 429 })).toCarryId()).toThrow(/rate limited/);
});

test('an id is not the one that the request brought', () => {
  expect(answer(added(1))).toHaveIdOtherThan('2');
  expect(answer({ operation: 'addPet', status: 400 })).toHaveIdOtherThan('2');
  const taken = answer(added(4611686018427387847n));
  expect(messageOf(() => expect(taken).toHaveIdOtherThan('4611686018427387847'))).toContain(
    'allowed   400, or 201 with an id other than 4611686018427387847',
  );
});

test('ids differ to the last digit', () => {
  expect([answer(added(2n ** 53n)), answer(added(2n ** 53n + 1n))]).toHaveDistinctIds();
  // A duplicate that was refused has no id.
  expect([answer(added(1)), answer({ operation: 'addPet', status: 409 })]).toHaveDistinctIds();
  const twins = [answer(added(5)), answer(added(5))];
  expect(messageOf(() => expect(twins).toHaveDistinctIds())).toContain('received  the ids 5, 5');
});

test('no added animal has the id of another one', () => {
  const listedFirst = exchange({ body: [pet(1), pet(2)], number: 1 });
  expect(storeWith(listedFirst, exchange(added(3, 2)), exchange(added(4, 3)))).toHaveUniqueIds();
  // A list that follows shows the added animal itself.
  expect(storeWith(exchange(added(3, 1)), exchange({ body: [pet(3)], number: 2 }))).toHaveUniqueIds();

  expect(messageOf(() => expect(storeWith(exchange(added(3, 1)), exchange(added(3, 2)))).toHaveUniqueIds())).toContain(
    'the id 3, which exchange 1 shows for another animal (1 such ids)',
  );
  expect(messageOf(() => expect(storeWith(listedFirst, exchange(added(2, 2)))).toHaveUniqueIds())).toContain(
    'the id 2, which exchange 1 shows for another animal',
  );
});
