/** What a run sends by its settings and its selection, without Playwright. */
import { expect } from '@playwright/test';
import { requirements } from '../../../fixtures/contract/requirements.ts';
import { judgeServer } from '../../../fixtures/quick.ts';
import { changeReply, combine } from '../../../fixtures/reference/defects/defect.ts';
import { stockUp } from '../../../fixtures/reference/variants/index.ts';
import { cases, suite } from '../../properties/index.ts';
import { putUp } from '../proof/servers.ts';
import { type Change, idsOf, serve, TRIAL_KEY } from './spawn.ts';
import { test } from '../unit/make.ts';

const KEY = 'selected-key-7f3a';

// Beyond the parts of the specification there is nothing to judge; a full store has another test.
const needed = requirements.filter(
  ({ id, level, derived }) => level === 'must' && !derived && cases.some((each) => each.id === id),
);

for (const { id } of needed)
  test(`${id} passes by itself`, async () => {
    const server = await putUp({ id: 'store/empty', settings: { THROTTLING: 'on' } });
    const { report } = await judgeServer(suite, server.env, { selected: [id] }).finally(server.close);
    const own = report.requirements.find((each) => each.id === id);
    expect(`${own?.outcome} ${own?.reasons.join(' | ')}`).toMatch(/^passed/);
  });

/** Judges the reference with a change. @returns the report, and what was requested. */
async function judgeWith(change: Change, env: Record<string, string>, selected?: typeof needed) {
  const asked: string[] = [];
  const listen = changeReply({}, (_reply, { method, path }) => void asked.push(`${method} ${path}`));
  const { baseUrl, close } = await serve(KEY, combine(change, listen));
  const options = selected ? { selected: selected.map(({ id }) => id) } : {};
  const { report } = await judgeServer(suite, { BASE_URL: baseUrl, API_KEY: KEY, ...env }, options).finally(close);
  expect(asked).toHaveLength(report.requests.sent);
  return { report, asked };
}

test('READ_ONLY=1 sends only GET and HEAD', async () => {
  const { report, asked } = await judgeWith((service) => stockUp(service, 70), { READ_ONLY: '1', DEPTH: 'thorough' });
  expect(report.verdict).toBe('partial');
  expect([...new Set(asked.map((line) => line.split(' ')[0]))].sort()).toEqual(['GET', 'HEAD']);
  for (const path of ['/pets', '/store/orders']) expect(asked).toContain(`GET ${path}`);
  expect(asked.filter((line) => line.startsWith('GET /pets/')).length).toBeGreaterThan(0);
  expect(idsOf(report, 'untested')).toEqual(
    expect.arrayContaining(['add.created', 'add.name.required', 'throttle.429']),
  );
  expect(idsOf(report, 'passed')).toEqual(expect.arrayContaining(['list.limit.caps', 'get.found']));
});

test('a run of throttling only judges its own key, and sends little else', async () => {
  const throttled = needed.filter(({ id }) => id.startsWith('throttle.'));
  const env = { THROTTLE_API_KEY: TRIAL_KEY, THROTTLING: 'auto', MAX_WAIT: '25' };
  const { report } = await judgeWith(() => {}, env, throttled);
  expect(idsOf(report, 'passed')).toEqual(
    expect.arrayContaining(['throttle.429', 'throttle.retry-after', 'throttle.recovers']),
  );
  expect(report.requests.byKey.API_KEY ?? 0).toBeLessThanOrEqual(3);
});
