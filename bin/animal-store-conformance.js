#!/usr/bin/env node
/**
 * The command of the npm package: runs the suite from wherever it is installed. Settings, waivers and `.env` files are taken
 * from the folder it is called in, and reports go there. In a checkout it runs the sources as they stand.
 */
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, resolve, sep } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const USAGE = `Usage: animal-store-conformance [--base-url URL] [arguments of \`playwright test\`]
       animal-store-conformance compare OLD NEW [MORE …]    what changed between runs, by their reports or folders
       animal-store-conformance verify FOLDER               judges a recorded run again, and compares the reports
       animal-store-conformance judge FILE --base-url URL   judges traffic that others recorded as HAR
       animal-store-conformance reference                   starts the reference implementation

The key is taken from API_KEY, and from the environment or a .env file alone. Without a base address (--base-url, BASE_URL or
TARGET) the embedded reference implementation is judged. Reports: conformance-report/ and playwright-report/.
The exit code is 0 for the verdicts conforms and partial (REQUIRE=conforms: for conforms alone), whatever --reporter names.

  API_KEY=… npx animal-store-conformance --base-url https://staging.example.com/v1
  API_KEY=… npx animal-store-conformance --base-url https://staging.example.com/v1 --grep @list.limit.caps
`;

/** Modules of the commands, by name. */
const COMMANDS = {
  compare: 'fixtures/report/out/compare',
  verify: 'fixtures/report/run/verify',
  judge: 'fixtures/report/run/judge',
  reference: 'fixtures/reference/main',
};

const root = fileURLToPath(new URL('..', import.meta.url));
const isCheckout = existsSync(join(root, 'playwright.config.ts'));
const sources = isCheckout ? root : join(root, 'dist');
const extension = isCheckout ? '.ts' : '.js';

const packageOf = createRequire(import.meta.url);
const playwrightTest = packageOf.resolve('@playwright/test/package.json');

/** Says what is wrong with the call, and ends. */
function refuse(message) {
  process.stderr.write(`${message}\n`);
  process.exit(1);
}

/** Runs a module of the suite as if it had been started by itself, with these arguments. */
async function start(name, args) {
  process.argv = [process.argv[0], `${name}.ts`, ...args];
  const file = join(sources, `${name}${extension}`);
  if (!isCheckout) return import(pathToFileURL(file).href);
  // What Playwright loads a configuration with. It is not documented, but the version is fixed and the tests run it; with it
  // nothing that compiles TypeScript has to be installed.
  const { transform } = createRequire(playwrightTest)('playwright/lib/common');
  return transform.requireOrImport(file);
}

/** Runs the tests with Playwright, in this process, with what belongs to the caller in the caller's folder. */
async function playwright(args) {
  const has = (option) => args.some((arg) => arg === option || arg.startsWith(`${option}=`));
  process.env.PLAYWRIGHT_HTML_OUTPUT_DIR ||= resolve('playwright-report');
  process.env.PLAYWRIGHT_BLOB_OUTPUT_DIR ||= resolve('blob-report');
  const config = `--config=${join(sources, `playwright.config${extension}`)}`;
  const output = has('--output') ? [] : [`--output=${resolve('test-results')}`];
  process.argv = [process.argv[0], join(playwrightTest, '../cli.js'), 'test', config, ...output, ...args];
  await import(pathToFileURL(process.argv[1]).href);
}

/** Takes `--base-url` out of the arguments, and puts it where settings are read. */
function withoutAddress(args) {
  const at = args.findIndex((arg) => arg === '--base-url' || arg.startsWith('--base-url='));
  if (at < 0) return args;
  const isJoined = args[at].includes('=');
  const address = isJoined ? args[at].slice('--base-url='.length) : args[at + 1];
  if (!address || address.startsWith('-'))
    refuse('--base-url: an address such as https://staging.example.com/v1 is needed');
  process.env.BASE_URL = address;
  return args.toSpliced(at, isJoined ? 1 : 2);
}

const [command, ...rest] = process.argv.slice(2);
const all = process.argv.slice(2);

// How the commands that are printed have to call the suite.
if (!isCheckout) process.env.CONFORMANCE_COMMAND = 'npx animal-store-conformance';

if (all.some((arg) => /^--(throttle-)?api-?key(=|$)/.test(arg)))
  refuse(
    'A key on the command line can be read by every process of this machine: set API_KEY in the environment instead',
  );
if (isCheckout && root.includes(`${sep}node_modules${sep}`))
  refuse(
    `${root} is a checkout below a folder called node_modules, where Playwright compiles no TypeScript: install the package (npm pack), or move the checkout`,
  );

const isHelp = (arg) => arg === '--help' || arg === '-h';
const module = Object.hasOwn(COMMANDS, command ?? '') ? COMMANDS[command] : undefined;

if (isHelp(command) || (module && rest.some(isHelp))) process.stdout.write(USAGE);
else if (command === '--version' || command === '-V')
  process.stdout.write(`${JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).version}\n`);
else if (module) await start(module, rest);
else await playwright(withoutAddress(all));
