import { availableParallelism } from 'node:os';
import { defineConfig } from '@playwright/test';

/** Judged in one process by the stand-in for Playwright's runner, or by no run at all: seconds each at the most. */
const SERVERS = [
  '**/gate/{formats,verdict,waivers}.spec.ts',
  '**/throttling/*.spec.ts',
  '**/contract/second-contract.spec.ts',
  '**/hostile/{hostile,table}.spec.ts',
  '**/report/{problems,compare,report}.spec.ts',
  '**/recordings/recordings.spec.ts',
];
/** Takes a worker for a minute, and begins first. */
const LONG = '**/hostile/waiting.spec.ts';
const UNIT = '**/unit/*.spec.ts';

/** The suite's own tests: `playwright test -c tests/suite`. No target is judged here but those that a test starts. */
export default defineConfig({
  testDir: '.',
  outputDir: '../../test-results/suite',
  fullyParallel: true,
  // Some tests wait: one more of them than there are cores.
  workers: availableParallelism() + 1,
  // Patience with a machine that is busy: a test that hangs is found out all the same.
  timeout: 120_000,
  forbidOnly: true,
  captureGitInfo: { commit: false, diff: false },
  reporter: [['list'], ['./report/left-out.ts']],
  projects: [
    // One piece of the suite each: for use before every commit.
    { name: 'unit', testMatch: UNIT },
    // The suite against servers that are as they should be, broken, or hostile.
    { name: 'long', testMatch: LONG },
    { name: 'servers', testMatch: SERVERS },
    // Whatever starts Playwright, npm, git, a shell or a browser, as those who use the suite do: it takes most of the time.
    { name: 'processes', testIgnore: [UNIT, LONG, ...SERVERS] },
  ],
});
