import { availableParallelism } from 'node:os';
import { defineConfig } from '@playwright/test';

/** Tests within one process, of a few seconds each. */
const SERVERS = [
  '**/gate/{formats,verdict}.spec.ts',
  '**/throttling/*.spec.ts',
  '**/hostile/hostile.spec.ts',
  '**/preflight/preflight.spec.ts',
  '**/report/{problems,compare,report}.spec.ts',
  '**/recordings/{recordings,forgeries}.spec.ts',
];
/** Tests that mostly wait: one worker takes them, while the others keep the cores busy. */
const WAITING = /@waits/;
const UNIT = '**/unit/*.spec.ts';
/** Files whose tests share a clone or a package, one after the other. */
const CHAINS = ['**/recipes/{contributing,documentation}.spec.ts', '**/package/*.spec.ts'];

/** The suite's own tests: `playwright test -c tests/suite`. */
export default defineConfig({
  testDir: '.',
  outputDir: '../../test-results/suite',
  fullyParallel: true,
  // One worker waits most of the time, and the others now and then.
  workers: availableParallelism() + 2,
  // Long enough for a busy machine.
  timeout: 120_000,
  forbidOnly: true,
  captureGitInfo: { commit: false, diff: false },
  reporter: 'list',
  projects: [
    // The suite against conforming, broken and hostile servers.
    { name: 'waiting', testMatch: SERVERS, grep: WAITING, workers: 1 },
    { name: 'servers', testMatch: SERVERS, grepInvert: WAITING },
    // One unit each: run them before every commit. A file to a worker, since one test at a time takes a third more processor time.
    { name: 'unit', fullyParallel: false, testMatch: UNIT },
    // Tests that start Playwright, npm, git, a shell or a browser: they take most of the time. The chains start first, so that the
    // other tests fill the time beside them.
    { name: 'chains', testMatch: CHAINS },
    { name: 'processes', testIgnore: [UNIT, ...SERVERS, ...CHAINS] },
  ],
});
