/** Runs of the suite by the second contract. */
import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { dump, load } from 'js-yaml';
import { createServer } from '../../../fixtures/reference/server.ts';
import type { Service } from '../../../fixtures/reference/service.ts';
import type { ConformanceReport } from '../../../fixtures/report/model/report.ts';
import { type Ended, folder, inherited, REPORTER, ROOT, suite, test as base } from '../gate/spawn.ts';
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

/** As `Judge`, without Playwright. */
type Quickly = (service: Service, env?: Record<string, string>) => Promise<ConformanceReport>;

/** A process that reads the contract once and judges many servers: `npm run quick -- --orders`. */
class Orders {
  readonly #child: ChildProcess;
  readonly #answers: AsyncIterator<string>;

  constructor(contract: string) {
    this.#child = spawn(process.execPath, ['--import', 'tsx', join(ROOT, 'tests/quick.ts'), '--orders'], {
      cwd: ROOT,
      env: { ...inherited(), CONTRACT: contract },
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    this.#answers = createInterface({ input: this.#child.stdout as Readable })[Symbol.asyncIterator]();
  }

  /** @param order settings in lower case with dashes. @throws Error if there is no answer. */
  async judge(order: Record<string, string>): Promise<void> {
    this.#child.stdin?.write(`${JSON.stringify(order)}\n`);
    const { done } = await this.#answers.next();
    if (done) throw new Error('the process ended');
  }

  end(): void {
    this.#child.stdin?.end();
  }
}

const toOrder = (settings: Record<string, string>): Record<string, string> =>
  Object.fromEntries(Object.entries(settings).map(([name, value]) => [name.toLowerCase().replaceAll('_', '-'), value]));

export const test = base.extend<{ judge: Judge; judgeQuickly: Quickly }, { contract: string; orders: Orders }>({
  contract: [
    async ({}, use) => {
      const { directory, remove } = folder();
      await use(changed(join(ROOT, 'spec/openapi.yaml'), extend, join(directory, 'openapi.yaml')));
      remove();
    },
    { scope: 'worker' },
  ],
  orders: [
    async ({ contract }, use) => {
      const orders = new Orders(contract);
      await use(orders);
      orders.end();
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
  judgeQuickly: async ({ orders, directory }, use) => {
    await use(async (service, env = {}) => {
      const { settings, close } = await served(service);
      await orders.judge(toOrder({ ...settings, REPORT_DIR: directory, ...env }));
      await close();
      return JSON.parse(readFileSync(join(directory, 'conformance.json'), 'utf8')) as ConformanceReport;
    });
  },
});

export const THROTTLED = { THROTTLING: 'auto', THROTTLE_API_KEY: TRIAL.key, MAX_WAIT: '20', PLAN: 'business' };
