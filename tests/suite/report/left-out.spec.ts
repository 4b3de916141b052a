/** Without Chromium, one line names the skipped tests. */
import { join } from 'node:path';
import { expect } from '@playwright/test';
import { playwright, test } from '../gate/spawn.ts';

for (const { file, lines } of [
  {
    file: 'recipes/interactive.spec.ts',
    lines: [expect.stringMatching(/^Left out: 1 of recipes\/interactive\.spec\.ts; no Chromium was found/)],
  },
  { file: 'unit/retry-after.spec.ts', lines: [] },
])
  test(`without Chromium, ${lines.length} lines name what is left out of ${file}`, async ({ directory }) => {
    const args = ['test', '-c', 'tests/suite', file, `--output=${join(directory, 'results')}`];
    const { code, text } = await playwright(directory, { CHROMIUM: '/there/is/none', REQUIRE_BROWSER: '' }, args);
    expect(code, text).toBe(0);
    expect(text.split('\n').filter((line) => line.startsWith('Left out: '))).toEqual(lines);
  });
