/**
 * Judges a server in one process, without Playwright.
 *
 *     npm run quick -- --base-url URL --key KEY [--throttle-key KEY] [--depth thorough] [--throttling on] [--report DIR]
 *     npm run quick -- --orders     reads one JSON object with the same settings a line from standard input, and answers each
 *                                   with one line: {verdict, failed, cantTell, untested, problems, requests}
 *
 * Further settings are those of docs/settings.md, in lower case with dashes: `--max-wait 20`. Without --orders, what is not
 * given is taken from the environment. The exit code is that of a run.
 */
import { createInterface } from 'node:readline';
import { isGreen } from '../fixtures/report/model/report.ts';
import { renderTerminal } from '../fixtures/report/out/terminal.ts';
import { writeReport } from '../fixtures/report/out/write.ts';
import { judgeServer, type Quick } from '../fixtures/quick.ts';
import { type SettingName, settingNames } from '../fixtures/settings/table.ts';
import { suite } from './properties/index.ts';

type Options = Record<string, string>;

const SHORT: Record<string, SettingName> = { key: 'API_KEY', 'throttle-key': 'THROTTLE_API_KEY', report: 'REPORT_DIR' };

const nameOf = (option: string): string => SHORT[option] ?? option.toUpperCase().replaceAll('-', '_');

/** The settings of a run, by the names of their variables. @throws Error for an unknown one. */
function toSettings(options: Options): Options {
  const entries = Object.entries(options).map(([option, value]) => [nameOf(option), String(value)] as const);
  const unknown = entries.find(([name]) => !(settingNames as readonly string[]).includes(name));
  if (unknown) throw new Error(`${unknown[0]} is not a setting`);
  return Object.fromEntries(entries);
}

/** Other processes can read the options of this one: a key is better set as API_KEY. */
const readEnvironment = (): Options =>
  Object.fromEntries(settingNames.flatMap((name) => (process.env[name] ? [[name, process.env[name]]] : [])));

/** `--base-url URL --depth=thorough` */
function readOptions(args: readonly string[]): Options {
  const options: Options = readEnvironment();
  for (let i = 0; i < args.length; i += 1) {
    const [, name, joined] = /^--([a-z-]+)(?:=(.*))?$/s.exec(args[i] ?? '') ?? [];
    if (name === undefined) throw new Error(`${args[i]}: only options are read, such as --base-url URL`);
    options[name] = joined ?? args[(i += 1)] ?? '';
  }
  return options;
}

async function judge(options: Options): Promise<Quick> {
  const settings = toSettings(options);
  const quick = await judgeServer(suite, settings);
  const { report, exchanges, recorded } = quick;
  const directory = settings['REPORT_DIR'];
  if (directory !== undefined)
    writeReport(report, exchanges, { directory, run: recorded, baseUrl: settings['BASE_URL'] ?? '' });
  return quick;
}

function summarize({ report: { verdict, reason, requirements, problems, requests } }: Quick): object {
  const of = (outcome: string): string[] =>
    requirements.filter((each) => each.gating && each.outcome === outcome).map(({ id }) => id);
  return {
    ...{ verdict, ...(reason !== undefined && { reason }) },
    ...{ failed: of('failed'), cantTell: of('cantTell'), untested: of('untested') },
    problems: problems.filter(({ list }) => list === 'gates').map(({ title }) => title),
    requests: requests.sent,
  };
}

/** An order that cannot be read is answered, and ends nothing. */
async function answer(order: string): Promise<object> {
  try {
    return summarize(await judge(JSON.parse(order) as Options));
  } catch (error) {
    return { verdict: 'error', reason: (error as Error).message };
  }
}

async function answerOrders(): Promise<void> {
  for await (const order of createInterface({ input: process.stdin }))
    if (order.trim() !== '') process.stdout.write(`${JSON.stringify(await answer(order))}\n`);
}

async function main(args: readonly string[]): Promise<number> {
  if (args.includes('--orders')) {
    await answerOrders();
    return 0;
  }
  try {
    const options = readOptions(args);
    const { report, recorded } = await judge(options);
    process.stdout.write(`${renderTerminal(report, toSettings(options)['REPORT_DIR'] ?? false)}\n`);
    return isGreen(report.verdict, recorded?.facts.require) ? 0 : 1;
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n`);
    return 1;
  }
}

process.exitCode = await main(process.argv.slice(2));
