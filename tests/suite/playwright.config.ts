import { defineConfig } from '@playwright/test';

/** The suite's own tests: `playwright test -c tests/suite`. No target is judged here but those that a test starts. */
export default defineConfig({
  testDir: '.',
  outputDir: '../../test-results/suite',
  fullyParallel: true,
  workers: 2,
  forbidOnly: true,
  captureGitInfo: { commit: false, diff: false },
  reporter: [['list']],
});
