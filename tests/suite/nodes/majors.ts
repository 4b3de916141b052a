/** The versions of Node that the suite is run on, the oldest first: those of `engines` in package.json. */
import { readFileSync } from 'node:fs';

const { engines } = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8')) as {
  engines: { node: string };
};

/** `^20.18.1 || ^22 || ^24` has 20, 22 and 24. */
export const majors: readonly string[] = [...engines.node.matchAll(/\^(\d+)/g)].map(([, major = '']) => major);
