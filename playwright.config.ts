import { fileURLToPath } from 'node:url';
import { defineConfig } from '@playwright/test';
import { attachReporter, requireReadable } from './fixtures/config.ts';
import { escapeRegExp } from './fixtures/text.ts';

// Closed output ends output, and neither the run nor its report: `… | head -1`.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});

// Real environment variables win over .env.<TARGET>, and that over .env; worker processes inherit what is loaded here.
await requireReadable();
const { contractInfo } = await import('./fixtures/contract/contract.ts');

const { showAddress } = await import('./fixtures/settings/table.ts');
const address = showAddress(process.env.BASE_URL ?? 'the embedded reference implementation');

const tests = fileURLToPath(new URL('tests/', import.meta.url));

/** The suite's own tests, by their whole path: the checkout itself may lie below a folder of any name. */
const ownTests = new RegExp(`^${escapeRegExp(tests)}suite[\\/\\\\]`);

const reporter = fileURLToPath(new URL('tests/reporter.ts', import.meta.url));

export default defineConfig({
  testDir: tests,
  outputDir: 'test-results',
  globalSetup: './tests/begin.ts',
  testIgnore: ownTests,
  // One worker, whatever --workers says: all tests share one plan, one log and the budget of one key.
  projects: [{ name: '', workers: 1 }],
  forbidOnly: true,
  captureGitInfo: { commit: false, diff: false },
  reporter: [
    // First: it turns what the tests mark as expected into a failure, before any other reporter sees it. It prints what
    // failed by requirement; `--add-reporter=list` also prints each test.
    [reporter],
    ['html', { open: 'never', title: `${contractInfo.title} ${contractInfo.version}: ${address}` }],
  ],
  // `--reporter` replaces those above, and only a plugin can put the first one back.
  ...{ '@playwright/test': { plugins: [attachReporter(reporter)] } },
});
