import { defineConfig } from '@playwright/test';
import { mustBeReadable } from './fixtures/contract/readable.ts';

await mustBeReadable();
const { contractTitle, contractVersion } = await import('./fixtures/contract/contract.ts');
const { loadEnvironmentFiles } = await import('./fixtures/target/settings.ts');

// Real environment variables win over .env.<TARGET>, and that over .env; worker processes inherit what is loaded here.
loadEnvironmentFiles();

const address = process.env.BASE_URL ?? 'the embedded reference implementation';

export default defineConfig({
  testDir: 'tests',
  outputDir: 'test-results',
  globalSetup: './fixtures/target/run.ts',
  // One request after the other: more workers would only share one budget of requests.
  workers: 1,
  // In the order of their names: what is added first is what later files ask for, and tests/after/ runs last and alone,
  // whatever failed before. A project of its own would do the same for half a second more.
  testIgnore: 'suite/**',
  forbidOnly: true,
  captureGitInfo: { commit: false, diff: false },
  reporter: [
    ['list'],
    ['html', { open: 'never', title: `${contractTitle} ${contractVersion}: ${address}` }],
    ['./fixtures/report/reporter.ts'],
  ],
});
