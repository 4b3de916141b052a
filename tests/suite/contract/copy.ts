/** A copy of the project with the second contract in it, and runs of the suite there. */
import { execFileSync } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { dump, load } from 'js-yaml';
import { createServer } from '../../../fixtures/reference/server.ts';
import type { Service } from '../../../fixtures/reference/service.ts';
import type { ConformanceReport } from '../../../fixtures/report/model/report.ts';
import { type Ended, REPORTER, ROOT, test as base, typed, unset } from '../gate/spawn.ts';
import { Runner } from '../runner/process.ts';
import { extend, type OpenApi } from './second-contract.ts';
import { type SecondPet, SecondService } from './second-service.ts';

const KEY = 'Second-Business-Key';
const TRIAL = { key: 'Second-Trial-Key', limit: 20, windowMs: 2000 };

/** Copies what belongs to the project, links what is installed, and changes the contract: nothing else. */
function copyProject(): string {
  const copy = mkdtempSync(join(tmpdir(), 'second-contract-'));
  const listed = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    cwd: ROOT,
    encoding: 'utf8',
  });
  for (const file of new Set(listed.split('\0'))) {
    // Listed are also files that are deleted and not committed yet, and folders that are links.
    if (!statSync(join(ROOT, file), { throwIfNoEntry: false })?.isFile()) continue;
    mkdirSync(dirname(join(copy, file)), { recursive: true });
    copyFileSync(join(ROOT, file), join(copy, file));
  }
  symlinkSync(join(ROOT, 'node_modules'), join(copy, 'node_modules'));
  change(join(copy, 'spec/openapi.yaml'), extend);
  return copy;
}

/** Changes a contract. @param to where it is written, if not in its place. */
export function change(contract: string, by: (document: OpenApi) => void, to = contract): void {
  const document = load(readFileSync(contract, 'utf8')) as OpenApi;
  by(document);
  writeFileSync(to, dump(document));
}

/** A fresh service of the second contract. @param stock animals of somebody else that are there already. */
export function secondService(stock = 0): SecondService {
  const service = new SecondService({ keys: { [KEY]: 'business' }, windowMs: 60_000, trial: TRIAL });
  for (let i = 1; i <= stock; i += 1) {
    const pet: SecondPet = {
      id: service.nextId(),
      name: `Somebody's ${i}`,
      categoryId: 2n,
      status: 'sold',
      weight: 7n,
    };
    service.pets.set(pet.id, pet);
  }
  return service;
}

/** Puts a service up, and says what a run against it needs. */
async function served(service: Service): Promise<{ settings: Record<string, string>; close: () => Promise<unknown> }> {
  const server = createServer(service);
  await server.listen({ port: 0, host: '127.0.0.1' });
  const { port } = server.server.address() as AddressInfo;
  return {
    settings: { BASE_URL: `http://127.0.0.1:${port}/v1`, API_KEY: KEY, THROTTLING: 'off' },
    close: () => server.close(),
  };
}

/** Judges a service in the copy. @param args beyond `playwright test`. */
type Judge = (service: Service, env?: Record<string, string>, ...args: string[]) => Promise<Ended>;

/** As `Judge`, without Playwright's own processes. @param only the requirement that is judged alone. */
type Quickly = (service: Service, env?: Record<string, string>, only?: string) => Promise<ConformanceReport>;

/** Seconds that a run may take. */
const LONGEST = 60;

/** For tests that judge services by the second contract. */
export const test = base.extend<{ judge: Judge; judgeQuickly: Quickly }, { copy: string; runner: Runner }>({
  copy: [
    async ({}, use) => {
      const copy = copyProject();
      await use(copy);
      rmSync(copy, { recursive: true, force: true });
    },
    { scope: 'worker' },
  ],
  runner: [
    async ({ copy }, use) => {
      const runner = new Runner(copy);
      await use(runner);
      runner.end();
    },
    { scope: 'worker' },
  ],
  judge: async ({ copy, directory }, use) => {
    await use(async (service, env = {}, ...args) => {
      const { settings, close } = await served(service);
      const words = ['node_modules/.bin/playwright', 'test', REPORTER, ...args].map((word) => `'${word}'`);
      const ended = await typed(directory, { ...settings, ...env }, `cd '${copy}' && ${words.join(' ')}`);
      await close();
      return ended;
    });
  },
  judgeQuickly: async ({ runner, directory }, use) => {
    await use(async (service, env = {}, only) => {
      const { settings, close } = await served(service);
      const order = {
        env: { ...unset(), ...settings, REPORT_DIR: directory, ...env },
        ...(only !== undefined && { only }),
      };
      const { text } = await runner.run(order, LONGEST);
      await close();
      const file = join(directory, 'conformance.json');
      if (!existsSync(file)) throw new Error(`there is no report: ${text}`);
      return JSON.parse(readFileSync(file, 'utf8')) as ConformanceReport;
    });
  },
});

export const THROTTLED = { THROTTLING: 'auto', THROTTLE_API_KEY: TRIAL.key, MAX_WAIT: '20', PLAN: 'business' };
