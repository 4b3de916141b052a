/**
 * Builds what the npm package runs: `dist/`, the sources as JavaScript. Below `node_modules` neither Node nor Playwright
 * compiles TypeScript. `npm pack` calls this before, and with `--clean` after, so that nothing built stays in the checkout.
 */
import { execFileSync } from 'node:child_process';
import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const dist = join(root, 'dist');

/** What the configuration names by file: strings that the compiler leaves as they are. */
const NAMED_IN_CONFIGURATION = ['tests/begin', 'tests/reporter'];

function build() {
  const tsc = createRequire(import.meta.url).resolve('typescript/bin/tsc');
  execFileSync(process.execPath, [tsc, '--project', join(root, '.ci/tsconfig.build.json')], { stdio: 'inherit' });
  // The contract and the requirements, and the schema of conformance.json, which package.json exports.
  cpSync(join(root, 'spec'), join(dist, 'spec'), { recursive: true });
  // The page's script and style, and whatever else is read as it stands.
  cpSync(join(root, 'fixtures'), join(dist, 'fixtures'), {
    recursive: true,
    filter: (file) => extname(file) !== '.ts',
  });
  const { name, version, type } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  writeFileSync(join(dist, 'package.json'), `${JSON.stringify({ name, version, type }, null, 2)}\n`);
  nameCompiledFiles(join(dist, 'playwright.config.js'));
}

function nameCompiledFiles(configuration) {
  let text = readFileSync(configuration, 'utf8');
  for (const name of NAMED_IN_CONFIGURATION) {
    if (text.split(`${name}.ts'`).length !== 2) throw new Error(`playwright.config.ts does not name ${name}.ts once`);
    text = text.replace(`${name}.ts'`, `${name}.js'`);
  }
  writeFileSync(configuration, text);
}

rmSync(dist, { recursive: true, force: true });
if (!process.argv.includes('--clean')) build();
