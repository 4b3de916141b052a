/** Three shards on three machines give one report with one verdict, the same as one run. */
import { mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from '@playwright/test';
import { Problem, type Service } from '../../../fixtures/reference/service.ts';
import type { ConformanceReport } from '../../../fixtures/report/model.ts';
import { type Ended, playwright, REPORTER, suite, test } from './spawn.ts';

const KEY = 'shard-key-51c8';

/** An unknown id is answered 410; the Error of another operation names another status than it has. */
const twoFaults = (service: Service): void => {
  service.notFound = () => new Problem(410, 'gone', 'There is no animal with that id');
  const present = service.presentError.bind(service);
  service.presentError = (problem, request) => ({
    ...(present(problem, request) as object),
    ...(request.path === '/store/orders' && { status: 499 }),
  });
};

/** Runs a shard with a server of its own, as a machine of its own has; the report lands among the blobs. */
async function shard(directory: string, blobs: string, which: number, env: NodeJS.ProcessEnv): Promise<Ended> {
  const own = join(directory, `shard-${which}`);
  const ended = await suite(own, env, `--shard=${which}/3`, '--reporter=blob');
  for (const name of readdirSync(join(own, 'blob-report')))
    renameSync(join(own, 'blob-report', name), join(blobs, `${which}-${name}`));
  return ended;
}

const outcomes = ({ requirements }: ConformanceReport): string[] =>
  requirements.map(({ id, outcome, waiver }) => `${id} ${waiver ? 'waived' : outcome}`);

test('the merged report says what one run says, and a missing shard is no silence', async ({ directory, serving }) => {
  const target = await serving(KEY, twoFaults);
  const env = { BASE_URL: target.baseUrl, API_KEY: KEY };
  const blobs = join(directory, 'blobs');
  mkdirSync(blobs);
  const whole = await suite(join(directory, 'whole'), env, REPORTER);
  const shards = [];
  for (const which of [1, 2, 3]) shards.push(await shard(directory, blobs, which, env));
  expect(shards[0]?.text).not.toContain('No conformance report');
  const merge = (): Promise<Ended> =>
    playwright(join(directory, 'merged'), { CI: '1' }, [
      'merge-reports',
      '--config=playwright.config.ts',
      REPORTER,
      blobs,
    ]);
  const merged = await merge();

  expect(merged.code, merged.text).toBe(1);
  const [one, three] = [whole.report(), merged.report()];
  expect(three.verdict, merged.text).toBe('violates');
  expect(outcomes(three)).toEqual(outcomes(one));
  expect(three.target).toBe(target.baseUrl);
  expect(three.again).toBe(one.again);
  expect(three.sentence).toBe(one.sentence);
  // What the evidence names is there, under numbers that no other shard uses.
  const shown = new Set(three.exchanges.map(({ number }) => number));
  expect(shown.size).toBe(three.exchanges.length);
  const gone = three.requirements.find(({ id }) => id === 'get.unknown');
  expect(three.exchanges.find(({ number }) => number === gone?.evidence[0])?.received).toMatch(/^410 /);
  // Every exchange of every shard counts, also those of the set-up.
  expect(three.requests.sent).toBeGreaterThan(one.requests.sent);
  expect(merged.file('index.html')).toContain(target.baseUrl);

  rmSync(join(blobs, readdirSync(blobs).sort()[0] as string));
  const lacking = await merge();
  expect(lacking.code, lacking.text).toBe(1);
  expect(lacking.report().errors.join()).toContain('of 3 is in the merged reports, and some are missing');
});
