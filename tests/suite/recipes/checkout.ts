/** Clones of this checkout, and shells that run in them. */
import { spawn } from 'node:child_process';
import { chmodSync, cpSync, existsSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { settingNames } from '../../../fixtures/settings/table.ts';
import type { ConformanceReport } from '../../../fixtures/report/model/report.ts';
import { ROOT } from '../gate/spawn.ts';

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

/** Lets other users read a folder and those above it that this test made. */
export function openTo(everyone: string, ...folders: string[]): void {
  for (const folder of [everyone, ...folders]) chmodSync(folder, 0o755);
}

/** A non-root user: this one, or one that owns nothing. */
export const otherUser = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {};

export interface Shelled {
  code: number | null;
  text: string;
  /** The report that the run wrote into REPORT_DIR, or into the folder it was started in. */
  report: () => ConformanceReport;
}

export interface How {
  cwd: string;
  env?: Record<string, string>;
  user?: { uid?: number; gid?: number };
  until?: RegExp;
}

/** Milliseconds after which a hanging script is ended. */
const LONGEST_MS = 240_000;

export function environment(): NodeJS.ProcessEnv {
  const own = /^(CI$|CI_|GITHUB_|CONFORMANCE_|PLAYWRIGHT|PW|TEST_|DEBUG|NODE_DEBUG|FORCE_COLOR|NO_COLOR|npm_|INIT_CWD)/;
  const settings: readonly string[] = settingNames;
  const kept = Object.entries(process.env).filter(([name]) => !own.test(name) && !settings.includes(name));
  return { ...Object.fromEntries(kept), PLAYWRIGHT_HTML_OPEN: 'never', npm_config_prefer_offline: 'true' };
}

/** Runs a script that ends at the first command that fails, as on GitHub. */
export async function shell(script: string, { cwd, env = {}, user = {}, until }: How): Promise<Shelled> {
  const child = spawn('bash', ['--noprofile', '--norc', '-eo', 'pipefail', '-c', script], {
    cwd,
    env: { ...environment(), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    // Its own process group, so that its children end with it.
    detached: true,
    ...user,
  });
  const end = (): void => {
    try {
      process.kill(-(child.pid as number), 'SIGKILL');
    } catch {
      // All processes have ended.
    }
  };
  const timer = setTimeout(end, LONGEST_MS);
  let text = '';
  let isEnough = false;
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (data: string) => {
      text += data;
      isEnough ||= until?.test(text) ?? false;
      if (isEnough) end();
    });
  const code = await new Promise<number | null>((done) => child.on('exit', done));
  clearTimeout(timer);
  end();
  const file = join(env.REPORT_DIR ?? join(cwd, 'conformance-report'), 'conformance.json');
  const report = (): ConformanceReport => {
    if (!existsSync(file)) throw new Error(`${file} was not written:\n${text}`);
    return JSON.parse(readFileSync(file, 'utf8')) as ConformanceReport;
  };
  return { code: isEnough ? 0 : code, text, report };
}
