/** The commands that judge, with the properties: fixtures never import from tests. */
import { toExitCode } from '../fixtures/report/run/command.ts';
import { judgeTraffic, verifyClaim } from '../fixtures/report/run/verify.ts';
import { properties } from './properties/index.ts';

const COMMANDS = { verify: verifyClaim, judge: judgeTraffic } as const;

const [name, ...args] = process.argv.slice(2) as [keyof typeof COMMANDS, ...string[]];
process.exitCode = await toExitCode(COMMANDS[name](args, properties));
