/** The contract itself, and the base address. */
import { basePath, expect, GET, LIST, requirement, test } from '../fixtures/index.ts';

test.describe('The contract', () => {
  test(
    'marks GET /pets/{petId} as deprecated, with removal date and replacement',
    requirement('contract.deprecation'),
    () => {
      const { deprecated, removalDate, replacement } = GET;
      const announced = {
        deprecated: true,
        removalDate: '2030-12-05',
        replacement: { operation: LIST.id, parameters: ['status'] },
      };
      expect({ deprecated, removalDate, replacement }).toEqual(announced);
    },
  );

  test('is served under a base address that ends in the version', requirement('service.base-path'), ({ worker }) => {
    const { baseUrl } = worker.run.settings;
    expect(new URL(baseUrl).pathname.endsWith(basePath), `${baseUrl} ends in ${basePath}`).toBe(true);
  });
});
