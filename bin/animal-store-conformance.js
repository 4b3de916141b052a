#!/usr/bin/env node
/**
 * The command of the npm package: runs the suite from wherever it is installed. Settings, waivers and `.env` files are taken
 * from the folder it is called in, and reports go there. In a checkout it runs the sources as they stand.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import * as nodeModule from 'node:module';
import { join, resolve, sep } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const USAGE = `Usage: animal-store-conformance [--base-url URL] [options of \`playwright test\`]
       animal-store-conformance compare OLD NEW [MORE …]    what changed between runs, by their reports or folders
       animal-store-conformance verify FOLDER               judges a recorded run again, and compares it with all of the claim
       animal-store-conformance judge FILE --base-url URL   judges traffic that others recorded as HAR
       animal-store-conformance reference                   starts the reference implementation
       animal-store-conformance help | version

The key is taken from API_KEY, only in the environment or a .env file. Without a base address (--base-url, BASE_URL or
TARGET) the embedded reference implementation is judged. Options select tests; names of test files do not.

Reports: conformance-report/ (REPORT_DIR), and those of Playwright in conformance-playwright/. A folder is written if it is new
or empty, or holds a report of this suite that the command does not read.
The exit code is 0 for the verdicts conforms and partial (REQUIRE=conforms: only for conforms), whatever --reporter names.

  API_KEY=… npx animal-store-conformance --base-url https://staging.example.com/v1
  API_KEY=… npx animal-store-conformance --base-url https://staging.example.com/v1 --grep @list.limit.caps
`;

/** Modules of the commands, by name. */
const MODULES = {
  compare: 'tests/commands',
  verify: 'tests/commands',
  judge: 'tests/commands',
  reference: 'fixtures/reference/main',
};
const COMMANDS = [...Object.keys(MODULES), 'help', 'version'];

/** Where Playwright writes; its file .gitignore shows that it is ours. */
const PLAYWRIGHT_FOLDER = 'conformance-playwright';
const MARK = '# Written by animal-store-conformance for Playwright, which empties the folders below.\n*\n';

// Closed output ends output, and neither the run nor its report: `… | head -1`.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});

const root = fileURLToPath(new URL('..', import.meta.url));
const isCheckout = existsSync(join(root, 'playwright.config.ts'));
const sources = isCheckout ? root : join(root, 'dist');
const extension = isCheckout ? '.ts' : '.js';

const packageOf = nodeModule.createRequire(import.meta.url);
const playwrightTest = packageOf.resolve('@playwright/test/package.json');

/** Prints what is wrong with the call, and ends. */
function refuse(message) {
  process.stderr.write(`${message}\n`);
  process.exit(1);
}

/** Runs a module of the suite as if it had been started by itself, with these arguments. */
async function start(name, args) {
  process.argv = [process.argv[0], `${name}.ts`, ...args];
  const file = join(sources, `${name}${extension}`);
  if (!isCheckout) return import(pathToFileURL(file).href);
  // What Playwright compiles TypeScript with. It is not documented, but the version is fixed and the tests run it; with it
  // nothing that compiles TypeScript has to be installed.
  const ofPlaywright = nodeModule.createRequire(playwrightTest);
  if (nodeModule.registerHooks) return ofPlaywright('playwright/lib/common').transform.requireOrImport(file);
  // An older Node compiles in a second thread, so this one needs nothing else of Playwright, which takes 0.3 s to load.
  const loader = join(ofPlaywright.resolve('playwright/package.json'), '../lib/transform/esmLoader.js');
  const { port1: port } = new MessageChannel();
  nodeModule.register(pathToFileURL(loader), { data: { port }, transferList: [port] });
  process.setSourceMapsEnabled(true);
  return import(pathToFileURL(file).href);
}

/** Runs the tests with Playwright, in this process, with what belongs to the caller in the caller's folder. */
async function playwright(args) {
  const has = (option) => args.some((arg) => arg === option || arg.startsWith(`${option}=`));
  const folder = resolve(PLAYWRIGHT_FOLDER);
  openPlaywrightFolder(folder);
  process.env.PLAYWRIGHT_HTML_OUTPUT_DIR ||= join(folder, 'playwright-report');
  process.env.PLAYWRIGHT_BLOB_OUTPUT_DIR ||= join(folder, 'blob-report');
  const config = `--config=${join(sources, `playwright.config${extension}`)}`;
  const output = has('--output') ? [] : [`--output=${join(folder, 'test-results')}`];
  process.argv = [process.argv[0], join(playwrightTest, '../cli.js'), 'test', config, ...output, ...args];
  await import(pathToFileURL(process.argv[1]).href);
}

/** Makes the folder and marks it, unless it holds files of somebody else. */
function openPlaywrightFolder(folder) {
  const mark = join(folder, '.gitignore');
  const isOurs = existsSync(mark) && readFileSync(mark, 'utf8') === MARK;
  if (!isOurs && existsSync(folder) && readdirSync(folder).length > 0)
    refuse(`${folder} holds files that are not of this suite, and Playwright would empty folders in it: move it away`);
  try {
    mkdirSync(folder, { recursive: true });
    if (!isOurs) writeFileSync(mark, MARK);
  } catch {
    // A folder that cannot be written is reported by the run, with what to set.
  }
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

/** Refuses a word that is neither an option nor the value of one: Playwright would take it as a filter of test files. */
function refuseWords(args) {
  const word = args.find((arg, i) => {
    const before = args[i - 1] ?? '';
    return !arg.startsWith('-') && (!before.startsWith('-') || before.includes('='));
  });
  if (word === undefined) return;
  const [nearest] = COMMANDS.map((name) => ({ name, distance: countEdits(word.toLowerCase(), name) })).sort(
    (a, b) => a.distance - b.distance,
  );
  const hint = COMMANDS.includes(word)
    ? 'a command has to be the first argument.'
    : nearest.distance <= nearest.name.length / 2
      ? `did you mean ${nearest.name}?`
      : `this is not a command; they are ${COMMANDS.join(', ')}.`;
  refuse(`${word}: ${hint} Nothing was sent or written. A run has only options: --grep @ID selects tests.`);
}

/** Letters to add, remove or replace, to make one word of the other. */
function countEdits(one, other) {
  let row = Array.from({ length: other.length + 1 }, (_, i) => i);
  for (const [i, letter] of [...one].entries())
    row = row.reduce(
      (next, above, j) =>
        j === 0
          ? [i + 1]
          : [...next, Math.min(next[j - 1] + 1, above + 1, row[j - 1] + (letter === other[j - 1] ? 0 : 1))],
      [],
    );
  return row.at(-1);
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

const isHelp = (arg) => ['help', '--help', '-h'].includes(arg);
const module = Object.hasOwn(MODULES, command ?? '') ? MODULES[command] : undefined;

if (isHelp(command) || (module && rest.some((arg) => arg !== 'help' && isHelp(arg)))) process.stdout.write(USAGE);
else if (['version', '--version', '-V'].includes(command))
  process.stdout.write(`${JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).version}\n`);
else if (module)
  await start(module, module.endsWith('/commands') ? all : rest).catch((error) => {
    // Only what the system refuses has a code: a port in use, a folder that cannot be written.
    if (error.code === undefined) throw error;
    refuse(error.message);
  });
else {
  const args = withoutAddress(all);
  const other = args.find((arg) => /^(--config(=|$)|-c)/.test(arg));
  // Tests of another project may be green, without a verdict.
  if (other !== undefined) refuse(`${other}: this command runs only its own tests, by its own configuration`);
  refuseWords(args);
  await playwright(args);
}
