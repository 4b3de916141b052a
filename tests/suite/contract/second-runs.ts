/** Runs of the suite by the second contract. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { dump, load } from 'js-yaml';
import { createServer } from '../../../fixtures/reference/server.ts';
import type { Service } from '../../../fixtures/reference/service.ts';
import type { ConformanceReport } from '../../../fixtures/report/model/report.ts';
import { type Ended, folder, REPORTER, ROOT, suite, test as base, unset } from '../gate/spawn.ts';
import { Runner } from '../runner/process.ts';
import { extend, type OpenApi } from './second-contract.ts';
import { type SecondPet, SecondService } from './second-service.ts';

const KEY = 'Second-Business-Key';
const TRIAL = { key: 'Second-Trial-Key', limit: 20, windowMs: 2000 };

export function changed(contract: string, by: (document: OpenApi) => void, to: string): string {
  const document = load(readFileSync(contract, 'utf8')) as OpenApi;
  by(document);
  writeFileSync(to, dump(document));
  return to;
}

export function secondService(stock = 0): SecondService {
  const service = new SecondService({ keys: { [KEY]: 'business' }, windowMs: 60_000, trial: TRIAL });
  for (let i = 1; i <= stock; i += 1) {
    const pet: SecondPet = {
      id: service.nextId(),
      name: `Another client's ${i}`,
      categoryId: 2n,
      status: 'sold',
      weight: 7n,
    };
    service.pets.set(pet.id, pet);
  }
  return service;
}

async function served(service: Service): Promise<{ settings: Record<string, string>; close: () => Promise<unknown> }> {
  const server = createServer(service);
  await server.listen({ port: 0, host: '127.0.0.1' });
  const { port } = server.server.address() as AddressInfo;
  return {
    settings: { BASE_URL: `http://127.0.0.1:${port}/v1`, API_KEY: KEY, THROTTLING: 'off' },
    close: () => server.close(),
  };
}

/** Judges a service by the second contract. @param args beyond `playwright test`. */
type Judge = (service: Service, env?: Record<string, string>, ...args: string[]) => Promise<Ended>;

/** As `Judge`, without Playwright's own processes. @param only the one requirement to judge. */
type Quickly = (service: Service, env?: Record<string, string>, only?: string) => Promise<ConformanceReport>;

const LONGEST = 60;

export const test = base.extend<{ judge: Judge; judgeQuickly: Quickly }, { contract: string; runner: Runner }>({
  contract: [
    async ({}, use) => {
      const { directory, remove } = folder();
      await use(changed(join(ROOT, 'spec/openapi.yaml'), extend, join(directory, 'openapi.yaml')));
      remove();
    },
    { scope: 'worker' },
  ],
  runner: [
    async ({ contract }, use) => {
      const runner = new Runner({ CONTRACT: contract });
      await use(runner);
      runner.end();
    },
    { scope: 'worker' },
  ],
  judge: async ({ contract, directory }, use) => {
    await use(async (service, env = {}, ...args) => {
      const { settings, close } = await served(service);
      const ended = await suite(directory, { ...settings, CONTRACT: contract, ...env }, REPORTER, ...args);
      await close();
      return ended;
    });
  },
  judgeQuickly: async ({ contract, runner, directory }, use) => {
    await use(async (service, env = {}, only) => {
      const { settings, close } = await served(service);
      const order = {
        env: { ...unset(), ...settings, CONTRACT: contract, REPORT_DIR: directory, ...env },
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
