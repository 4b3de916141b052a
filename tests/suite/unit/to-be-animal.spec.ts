import { expect } from '../../../fixtures/index.ts';
import { answer, messageOf, pet, test } from './make.ts';

const got = (body: Parameters<typeof answer>[0]) => answer({ operation: 'getPet', ...body });

test('passes where every field that was sent came back', () => {
  expect(got({})).toBeAnimal({ name: 'Rex', categoryId: 1, status: 'available' }, '7');
  // What was not sent is not asked for, and what is no field of an animal neither.
  expect(got({})).toBeAnimal({ name: 'Rex', id: 99, tag: 'x' });
});

test('an integer is the same, whichever way it is written', () => {
  expect(got({ body: { text: '{"id":7,"name":"Rex","categoryId":1.0}' } })).toBeAnimal({ categoryId: 1 });
  expect(got({ body: pet(7, { categoryId: 2n ** 53n + 1n }) })).toBeAnimal({ categoryId: 2n ** 53n + 1n });
});

test('fails where a field differs, and says which', () => {
  const beyond = 2n ** 53n + 1n;
  expect(messageOf(() => expect(got({})).toBeAnimal({ name: 'rex' }))).toContain(
    'name is "Rex", and was added as "rex"',
  );
  expect(messageOf(() => expect(got({ body: pet(7, { categoryId: '1' }) })).toBeAnimal({ categoryId: 1 }))).toContain(
    'categoryId is "1", and was added as 1',
  );
  expect(
    messageOf(() => expect(got({ body: pet(7, { categoryId: beyond - 1n }) })).toBeAnimal({ categoryId: beyond })),
  ).toContain('categoryId is 9007199254740992, and was added as 9007199254740993');
  const bare = { id: 7, name: 'Rex', categoryId: 1 };
  expect(messageOf(() => expect(got({ body: bare })).toBeAnimal({ status: 'sold' }))).toContain(
    'status is absent, and was added as "sold"',
  );
});

test('fails where it is another animal', () => {
  expect(messageOf(() => expect(got({})).toBeAnimal({}, '8'))).toContain('id is 7, and 8 was asked for');
});

test('cannot tell where the answer is no animal', () => {
  for (const body of [[], null, 'Rex', { name: 'Rex' }])
    expect(() => expect(got({ body })).toBeAnimal({})).toThrow(/GET \/pets\/7 is not an animal/);
  expect(() => expect(got({ status: 404 })).toBeAnimal({})).toThrow(/is not an animal: 404/);
  expect(() => expect(got({ status: 429 })).toBeAnimal({})).toThrow(/rate limited/);
});
