/** What the contract itself has to say, and the base address it is served under. */
import { basePath, operationOf } from '../fixtures/contract/contract.ts';
import { expect, requirement, test } from '../fixtures/index.ts';

test.describe('The contract', () => {
  test(
    'marks GET /pets/{petId} as deprecated, with removal date and replacement',
    requirement('contract.deprecation'),
    () => {
      const { deprecated, removalDate, replacement } = operationOf('getPet');
      expect(deprecated).toBe(true);
      expect(removalDate).toBe('2030-12-05');
      expect(replacement).toEqual({ operation: 'listPets', parameters: ['status'] });
    },
  );

  test('is served under a base address that ends in the version', requirement('service.base-path'), ({ settings }) => {
    expect(
      new URL(settings.baseUrl as string).pathname.endsWith(basePath),
      `${settings.baseUrl} ends in ${basePath}`,
    ).toBe(true);
  });
});
