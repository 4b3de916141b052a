/** A second contract is judged without new code, and each defect in it is found under the right requirement. */
import { join } from 'node:path';
import { expect } from '@playwright/test';
import { requirements } from '../../../fixtures/contract/requirements.ts';
import { describeFailure } from '../../../fixtures/report/model/outcomes.ts';
import { Service } from '../../../fixtures/reference/service.ts';
import { births } from '../../../fixtures/reference/variants/store.ts';
import { idsOf, ROOT } from '../gate/spawn.ts';
import { shell } from '../recipes/checkout.ts';
import { changed, secondService, test, THROTTLED } from './second-runs.ts';
import { extendByOthers } from './second-contract.ts';
import { services } from './second-defects.ts';
import type { SecondService } from './second-service.ts';

const DERIVED = requirements.filter(({ derived }) => derived).map(({ id }) => id);

/** The ids in the paths of PUT, PATCH and DELETE, authenticated or not. */
const written = ({ asked }: SecondService): string[] =>
  asked
    .filter(({ method }) => ['PUT', 'PATCH', 'DELETE'].includes(method))
    .map(({ path }) => path.slice('/pets/'.length));

test.describe('By the second contract', () => {
  // One worker, since each would start a process.
  test.describe.configure({ mode: 'default' });

  test('a service that implements it conforms, its run is verified, and another contract is named', async ({
    judge,
    contract,
    directory,
  }) => {
    const ended = await judge(secondService(), THROTTLED);
    const report = ended.report();
    expect(idsOf(report, 'failed')).toEqual([]);
    expect(idsOf(report, 'passed')).toEqual(expect.arrayContaining(DERIVED));
    expect(report.verdict).toBe('conforms');
    expect(report.contract.file).toBe(contract);
    expect(report.again).toContain(`CONTRACT=${contract}`);
    for (const text of [ended.text, ...['index.html', 'summary.md', 'junit.xml'].map(ended.file)])
      expect(text).toContain(contract);
    // The announced number is that of the plan; throttling requests are additional.
    const { text } = await judge(secondService(), { ...THROTTLED, DRY_RUN: '1' });
    const announced = Number(/At most (\d+) requests are sent/.exec(text)?.[1]);
    const { sent, byKey } = report.requests;
    expect(sent - (byKey.THROTTLE_API_KEY ?? 0)).toBeLessThanOrEqual(announced);
    expect(announced).toBeGreaterThan(100);

    const verify = (env: Record<string, string>, to: string): ReturnType<typeof shell> =>
      shell(`node "${ROOT}/bin/animal-store-conformance.js" verify report --report-dir ${to}`, { cwd: directory, env });
    const [verified, differs] = await Promise.all([
      verify({ CONTRACT: contract }, 'same'),
      verify({ CONTRACT: '' }, 'other'),
    ]);
    expect(verified.text).toContain('VERIFIED: ');
    expect(verified.code, verified.text).toBe(0);
    expect(differs.text).toContain('judged by another contract: set CONTRACT to that of ');
    expect(differs.code, differs.text).toBe(1);
  });

  test('a service that implements only the first one violates it', async ({ judgeQuickly }) => {
    const { options } = secondService();
    const report = await judgeQuickly(new Service(options));
    expect(report.errors).toEqual([]);
    expect(report.verdict).toBe('violates');
    expect(idsOf(report, 'failed')).toEqual(expect.arrayContaining(['service.valid-request', 'pet.schema']));
  });

  test('the run changes and removes only its own animals', async ({ judgeQuickly }) => {
    const service = secondService(5);
    const before = structuredClone([...service.pets.values()]);
    await judgeQuickly(service);
    expect([...service.pets.values()].slice(0, 5)).toEqual(before);
    const others = written(service).filter((id) => before.some((pet) => String(pet.id) === id));
    expect(others).toEqual([]);
    expect(written(service).length).toBeGreaterThan(10);
  });

  test('the run does not change or remove resources that no operation adds', async ({ judge, contract, directory }) => {
    const service = secondService();
    const withOrders = changed(contract, extendByOthers, join(directory, 'openapi.yaml'));
    const tests = '@service.valid-request|@service.unknown-id|@auth.missing|@auth.first';
    const report = (await judge(service, { CONTRACT: withOrders }, '--grep', tests)).report();
    const ids = service.asked.flatMap(({ method, path }) =>
      method === 'DELETE' ? (/^\/store\/orders\/(\d+)$/.exec(path)?.[1] ?? []) : [],
    );
    // Unauthenticated, and with an unknown id.
    expect(ids.length).toBeGreaterThanOrEqual(2);
    expect(ids.filter((id) => BigInt(id) < 2n ** 61n)).toEqual([]);
    const cases = report.requirements.find(({ id }) => id === 'service.valid-request')?.cases ?? [];
    expect(cases.filter(({ operation }) => operation === 'cancelOrder').map(({ outcome }) => outcome)).toContain(
      'untested',
    );
    expect(idsOf(report, 'passed')).toEqual(expect.arrayContaining(['auth.missing', 'service.unknown-id']));
  });

  test('READ_ONLY=1 sends nothing but GET and HEAD', async ({ judgeQuickly }) => {
    const service = secondService(5);
    const report = await judgeQuickly(service, { READ_ONLY: '1' });
    const methods = new Set(service.asked.map(({ method }) => method));
    expect([...methods].filter((method) => !['GET', 'HEAD'].includes(method))).toEqual([]);
    expect(methods).toContain('GET');
    expect(idsOf(report, 'failed')).toEqual([]);
    expect(idsOf(report, 'untested')).toEqual(expect.arrayContaining(['service.changes', 'service.echo']));
    expect(idsOf(report, 'passed')).toContain('service.filter');
  });

  test('the run retries a list that lags behind an addition', async ({ judgeQuickly }) => {
    const service = secondService();
    const [isNamed, since] = [service.isNamed.bind(service), Date.now()];
    const born = births(service);
    service.isNamed = (pet, name) =>
      isNamed(pet, name) && (name === undefined || Date.now() - (born.get(pet.id) ?? since) > 700);
    const report = await judgeQuickly(service);
    expect(idsOf(report, 'failed')).toEqual([]);
    expect(idsOf(report, 'passed')).toContain('service.filter');
  });

  test('each of its requirements has at least two defects', () => {
    const broken = services.flatMap(({ defects }) => defects.map(({ breaks }) => breaks));
    expect(DERIVED.filter((id) => broken.filter((each) => each === id).length < 2)).toEqual([]);
  });

  for (const { breaks, defects } of services) {
    test(`${breaks} is violated if ${defects.map(({ title }) => title).join(', ')}`, async ({ judgeQuickly }) => {
      const service = secondService(Math.max(...defects.map(({ stock = 0 }) => stock)));
      for (const { apply } of defects) apply(service);
      // A standard run leaves out unknown values of parameters that the specification does not have.
      const report = await judgeQuickly(service, { DEPTH: 'thorough' });
      const { outcome, cases = [] } = report.requirements.find(({ id }) => id === breaks) ?? {};
      expect(outcome).toBe('failed');
      // A case of an operation has a finding for each of its defects.
      const found = cases.flatMap((each) =>
        (each.findings ?? []).map((finding) => describeFailure({ ...each, findings: [finding] })),
      );
      for (const { pattern, title } of defects) expect.soft(found.join('\n'), title).toMatch(pattern);
    });
  }
});
