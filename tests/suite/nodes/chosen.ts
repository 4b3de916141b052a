/** The parts of `npm run nodes`, and the versions of Node. */
import { readFileSync } from 'node:fs';

const { engines } = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8')) as {
  engines: { node: string };
};

/** The versions of Node that `engines` names, the oldest first: `^20.18.1 || ^22 || ^24` has 20, 22 and 24. */
export const majors: readonly string[] = [...engines.node.matchAll(/\^(\d+)/g)].map(([, major = '']) => major);

/** What is run on each, as arguments of `playwright test`. */
export const PARTS = {
  unit: ['-c', 'tests/suite', '--project=unit', '--reporter=dot'],
  reference: ['--reporter=./tests/reporter.ts'],
  package: ['-c', 'tests/suite', 'package/package.spec.ts', '--reporter=dot'],
  target: ['-c', 'tests/suite', 'recipes/reference.spec.ts', '--reporter=dot'],
} as const satisfies Record<string, readonly string[]>;
export type Part = keyof typeof PARTS;

const ALL = Object.keys(PARTS) as Part[];

/**
 * The versions and parts that the arguments choose; by default all.
 * @param running the version of Node that runs this.
 * @throws Error if a word is neither.
 */
export function chosen(words: readonly string[], running: string): { versions: readonly string[]; parts: Part[] } {
  const parts = ALL.filter((part) => words.includes(part));
  const named = words.filter((word) => /^\d+(\.\d+)*$/.test(word));
  const unknown = words.find((word) => word !== 'ends' && !named.includes(word) && !ALL.includes(word as Part));
  if (unknown !== undefined)
    throw new Error(`${unknown} is neither a version of Node, nor \`ends\`, nor one of ${ALL.join(', ')}`);
  const ends = majors.filter((major, i) => (i === 0 || i === majors.length - 1) && major !== running.split('.')[0]);
  const versions = words.includes('ends') ? ends : named.length > 0 ? named : majors;
  return { versions, parts: parts.length > 0 ? parts : ALL };
}
