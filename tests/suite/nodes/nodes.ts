/**
 * The suite on every version of Node that it names:
 *
 *     npm run nodes                     on the newest of each
 *     npm run nodes -- 26 20.18.1       on these
 *     npm run nodes -- 26 unit          one part of it: unit, reference, package, target
 *     npm run nodes -- ends unit        on the oldest and the newest, but for the one that runs this
 *
 * The npm registry has Node itself, one package for each system. It is kept below XDG_CACHE_HOME (`~/.cache` without it),
 * and comes first in PATH, so that npm and every process of a test run on it as well.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { majors } from './majors.ts';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const CACHE = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'animal-store-conformance/nodes');

/** What is run on each, as arguments of `playwright test`. */
const PARTS: Record<string, readonly string[]> = {
  unit: ['-c', 'tests/suite', '--project=unit', '--reporter=dot'],
  reference: ['--reporter=./fixtures/report/reporter.ts'],
  package: ['-c', 'tests/suite', 'package/package.spec.ts', '--reporter=dot'],
  target: ['-c', 'tests/suite', 'recipes/reference.spec.ts', '--reporter=dot'],
};

/** Installs the newest Node of a version. @returns the folder of its binary. */
function install(version: string): string {
  const folder = join(CACHE, version);
  mkdirSync(folder, { recursive: true });
  const name = `node-${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`;
  execFileSync('npm', ['install', '--no-save', '--no-package-lock', '--prefix', folder, `${name}@${version}`], {
    stdio: ['ignore', 'ignore', 'inherit'],
    shell: process.platform === 'win32',
  });
  return join(folder, 'node_modules', name, 'bin');
}

/** Runs one part of the suite's tests on a Node. @returns whether it holds. */
function holds(part: string, bin: string): boolean {
  const directory = mkdtempSync(join(tmpdir(), 'nodes-'));
  const args = ['node_modules/@playwright/test/cli.js', 'test', ...(PARTS[part] ?? [])];
  const { status } = spawnSync(join(bin, 'node'), [...args, `--output=${join(directory, 'results')}`], {
    cwd: ROOT,
    env: {
      ...process.env,
      PATH: `${bin}${delimiter}${process.env.PATH ?? ''}`,
      ...(part === 'reference' && { TARGET: 'reference', REPORT_DIR: directory }),
    },
    stdio: 'inherit',
  });
  rmSync(directory, { recursive: true, force: true });
  return status === 0;
}

const words = process.argv.slice(2);
const parts = Object.keys(PARTS).filter((part) => words.includes(part) || !words.some((word) => word in PARTS));
const named = words.filter((word) => /^\d/.test(word));
const others = [majors[0], majors.at(-1)].flatMap((major = '') =>
  process.versions.node.startsWith(`${major}.`) ? [] : [major],
);
const versions = words.includes('ends') ? others : named.length > 0 ? named : majors;
const ended: { line: string; isGood: boolean }[] = [];
for (const version of versions) {
  const bin = install(version);
  const exact = execFileSync(join(bin, 'node'), ['--version'], { encoding: 'utf8' }).trim();
  for (const part of parts) {
    console.log(`\n== Node ${exact}: ${part}`);
    const began = Date.now();
    const isGood = holds(part, bin);
    const seconds = Math.round((Date.now() - began) / 1000);
    ended.push({
      line: `Node ${exact}  ${part.padEnd(9)}  ${isGood ? 'holds' : 'DOES NOT HOLD'} (${seconds} s)`,
      isGood,
    });
  }
}
const failed = ended.filter(({ isGood }) => !isGood).length;
console.log(`\n${ended.map(({ line }) => line).join('\n')}\n\n  ${ended.length - failed} passed\n  ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;
