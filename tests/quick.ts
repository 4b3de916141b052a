/**
 * Judges a server in one process, without Playwright.
 *
 *     npm run quick -- --base-url URL --key KEY [--throttle-key KEY] [--depth thorough] [--throttling on] [--report DIR]
 *     npm run quick -- --orders     reads one JSON object with the same settings a line from standard input, and answers each
 *                                   with one line: {verdict, failed, cantTell, untested, problems, requests}
 *
 * Further settings are those of docs/settings.md, in lower case with dashes: `--max-wait 20`. Without --orders, what is not
 * given is taken from the environment. The exit code is that of a run. Orders may also have names in camel case: `baseUrl`.
 */
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';
import { isGreen } from '../fixtures/report/model/report.ts';
import { renderTerminal } from '../fixtures/report/out/terminal.ts';
import { writeReport } from '../fixtures/report/out/files.ts';
import { judgeServer, type QuickResult } from '../fixtures/quick.ts';
import { type Environment, settingNames } from '../fixtures/settings/table.ts';
import { properties } from './properties/index.ts';

const SHORT: Record<string, string> = { key: 'API_KEY', 'throttle-key': 'THROTTLE_API_KEY', report: 'REPORT_DIR' };
const OPTIONS = [...settingNames.map((name) => name.toLowerCase().replaceAll('_', '-')), ...Object.keys(SHORT)];

/** The settings of a run, by the names of their variables. @throws Error for an unknown one, or one without a value. */
function toSettings(options: object): Environment {
  const settings = Object.entries(options).map(([option, value]) => {
    const dashed = option.replaceAll(/(?<=[a-z])(?=[A-Z])/g, '-').toLowerCase();
    const name = SHORT[dashed] ?? dashed.toUpperCase().replaceAll('-', '_');
    if (!(settingNames as readonly string[]).includes(name)) throw new Error(`${name} is not a setting`);
    if (typeof value === 'boolean') throw new Error(`--${option} needs a value`);
    if (name === 'CONTRACT' && value !== process.env.CONTRACT) throw new Error('CONTRACT has to be a variable');
    return [name, String(value)];
  });
  return Object.fromEntries(settings) as Environment;
}

async function judge(given: Environment): Promise<QuickResult> {
  // The contract is read once, before any order.
  const { CONTRACT } = process.env;
  const settings: Environment = { ...given, ...(CONTRACT && { CONTRACT }) };
  const quick = await judgeServer(properties, settings);
  const { report, exchanges, recorded: run } = quick;
  const { REPORT_DIR: directory, BASE_URL = '' } = settings;
  if (directory !== undefined) writeReport(report, exchanges, { directory, run, baseUrl: run?.baseUrl ?? BASE_URL });
  return quick;
}

/** An order that cannot be read is answered, and ends nothing. */
async function answer(order: string): Promise<object> {
  try {
    const { report } = await judge(toSettings(JSON.parse(order) as object));
    const { verdict, reason, requirements, problems, requests } = report;
    const idsOf = (outcome: string): string[] =>
      requirements.filter((each) => each.gating && each.outcome === outcome).map(({ id }) => id);
    return {
      ...{ verdict, reason, failed: idsOf('failed'), cantTell: idsOf('cantTell'), untested: idsOf('untested') },
      problems: problems.filter(({ list }) => list === 'gates').map(({ title }) => title),
      requests: requests.sent,
    };
  } catch (error) {
    return { verdict: 'error', reason: (error as Error).message };
  }
}

try {
  const options = Object.fromEntries(OPTIONS.map((name) => [name, { type: 'string' }] as const));
  // Strictly, no value may begin with a dash, as that of a key.
  const parsed = parseArgs({ strict: false, options: { ...options, orders: { type: 'boolean' } } });
  const { orders, ...given } = parsed.values;
  if (parsed.positionals.length > 0) throw new Error(`${parsed.positionals.join(' ')}: only options are expected`);
  if (orders) {
    for await (const order of createInterface({ input: process.stdin }))
      if (order.trim() !== '') process.stdout.write(`${JSON.stringify(await answer(order))}\n`);
  } else {
    // Other processes can read the options of this one: a key is better set as API_KEY.
    const inherited = settingNames.filter((name) => process.env[name]).map((name) => [name, process.env[name]]);
    const settings = { ...(Object.fromEntries(inherited) as Environment), ...toSettings(given) };
    const { report, recorded } = await judge(settings);
    process.stdout.write(`${renderTerminal(report, settings['REPORT_DIR'] ?? false)}\n`);
    process.exitCode = isGreen(report.verdict, recorded?.facts.require) ? 0 : 1;
  }
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`);
  process.exitCode = 1;
}
