/**
 * The suite on every version of Node that it names:
 *     npm run nodes                     on the newest of each
 *     npm run nodes -- 26 20.18.1       on these
 *     npm run nodes -- 26 unit          one part of it: unit, reference, package
 *     npm run nodes -- ends unit        on the oldest and the newest, but for the one that runs this
 *     npm run nodes -- bin              runs nothing: prints the folder of the newest Node's binary, for PATH
 *
 * The npm registry has Node itself, one package for each system. It is kept below XDG_CACHE_HOME (`~/.cache` without it),
 * and comes first in PATH, so that npm and every process of a test run on it as well.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';

const PACKAGE = new URL('../../../package.json', import.meta.url);
const { engines } = JSON.parse(readFileSync(PACKAGE, 'utf8')) as { engines: { node: string } };

/** The versions of Node that `engines` names, the oldest first: `^20.18.1 || ^22 || ^24` has 20, 22 and 24. */
const majors = [...engines.node.matchAll(/\^(\d+)/g)].map(([, major = '']) => major);

/** What is run on each, as arguments of `playwright test`. */
const PARTS: Record<string, readonly string[]> = {
  unit: ['-c', 'tests/suite', '--project=unit', '--reporter=dot'],
  reference: ['--reporter=./tests/reporter.ts'],
  package: ['-c', 'tests/suite', 'package/package.spec.ts', '--reporter=dot'],
};

const CACHE = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'animal-store-conformance/nodes');

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

/** Runs the chosen parts on the chosen versions, and prints which hold. @returns the exit code. */
function runParts(words: readonly string[]): number {
  const isVersion = (word: string): boolean => /^\d+(\.\d+)*$/.test(word);
  const unknown = words.find((word) => !isVersion(word) && word !== 'ends' && !(word in PARTS));
  if (unknown !== undefined) throw new Error(`${unknown} is neither a version of Node, nor \`ends\`, nor a part`);
  const ends = [majors[0], majors.at(-1)].filter((major) => major !== process.versions.node.split('.')[0]) as string[];
  const versions = words.includes('ends') ? ends : words.some(isVersion) ? words.filter(isVersion) : majors;
  const parts = Object.keys(PARTS).filter((part) => words.includes(part) || !words.some((word) => word in PARTS));
  const failed: string[] = [];
  for (const version of versions) {
    const bin = install(version);
    for (const part of parts) {
      console.log(`\n== Node ${version}: ${part}`);
      if (!holds(part, bin)) failed.push(`Node ${version}: ${part} does not hold`);
    }
  }
  console.log(failed.join('\n'));
  return failed.length === 0 ? 0 : 1;
}

const words = process.argv.slice(2);
if (words[0] === 'bin') console.log(install(majors.at(-1) as string));
else process.exitCode = runParts(words);
