/** Clones of this checkout, and shells that run in them. */
import { chmodSync, cpSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { expect } from '@playwright/test';
import { type Ended, environment, type How, ROOT, start } from '../gate/spawn.ts';

/** Folders and files that are not in a clone. */
const LEFT_OUT = [
  '.git',
  ...readFileSync(join(ROOT, '.gitignore'), 'utf8')
    .split('\n')
    .map((line) => line.replace(/\/$/, ''))
    .filter((line) => line !== '' && !/[*!]/.test(line)),
];

const isCloned = (file: string): boolean => {
  const [first = ''] = relative(ROOT, file).split(sep);
  return (
    !LEFT_OUT.includes(first) && (!first.startsWith('.env') || first === '.env.example') && !first.endsWith('.tgz')
  );
};

/** A fresh clone, with nothing installed. Other users may read it. */
export function clone(directory: string): string {
  mkdirSync(dirname(directory), { recursive: true });
  cpSync(ROOT, directory, { recursive: true, filter: isCloned });
  return directory;
}

/** A clone that shares node_modules with this checkout: never run `npm ci` in it. */
export function installedClone(directory: string): string {
  clone(directory);
  symlinkSync(join(ROOT, 'node_modules'), join(directory, 'node_modules'));
  return directory;
}

/** Lets other users read a folder. */
export const openToOthers = (folder: string): void => chmodSync(folder, 0o755);

/** A non-root user: this one, or one that owns nothing. */
export const otherUser = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {};

/** Runs a script as `shell` does, which has to end well. */
export async function done(script: string, how: Parameters<typeof shell>[1]): Promise<Ended> {
  const ended = await shell(script, how);
  expect(ended.code, `${script}\n${ended.text}`).toBe(0);
  return ended;
}

/** Runs a script that ends at the first command that fails, as on GitHub. @param env over one without settings. */
export const shell = (
  script: string,
  { env, ...how }: Omit<How, 'env'> & { cwd: string; env?: Record<string, string> },
): Promise<Ended> =>
  start('bash', ['--noprofile', '--norc', '-eo', 'pipefail', '-c', script], {
    ...how,
    env: { ...environment(), ...env },
  }).ended;
