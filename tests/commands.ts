/** The commands that read reports and recordings, with the properties: fixtures never import from tests. */
import { compareReports } from '../fixtures/report/out/compare.ts';
import { toExitCode } from '../fixtures/report/run/command.ts';
import { judgeTraffic, verifyClaim } from '../fixtures/report/run/verify.ts';
import { properties } from './properties/index.ts';

const COMMANDS = { verify: verifyClaim, judge: judgeTraffic, compare: compareReports } as const;

const [name, ...args] = process.argv.slice(2) as [keyof typeof COMMANDS, ...string[]];
// That two runs differ for the worse has the exit code 1.
process.exitCode = toExitCode(() => COMMANDS[name](args, properties), name === 'compare' ? 2 : 1);
