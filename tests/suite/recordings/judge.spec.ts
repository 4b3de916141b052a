/** The command `judge` on traffic of others: what it finds, prints and writes. */
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from '@playwright/test';
import type { ConformanceReport } from '../../../fixtures/report/model/report.ts';
import { inherited, ROOT, test } from '../gate/spawn.ts';
import { BASE, formsOf, planted, SECRETS } from './planted.ts';

function judge(directory: string, har: object | string, base = BASE): { code: number | null; text: string } {
  const file = join(directory, 'traffic.har');
  writeFileSync(file, typeof har === 'string' ? har : JSON.stringify(har));
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [join(ROOT, 'bin/animal-store-conformance.js'), 'judge', file, '--base-url', base],
    { cwd: directory, env: { ...inherited(), GITHUB_ACTIONS: 'true' }, encoding: 'utf8' },
  );
  return { code: status, text: stdout + stderr };
}

test('traffic with secrets is judged, and no secret is written or printed', ({ directory }) => {
  const { code, text } = judge(directory, planted());
  expect(code, text).toBe(1);
  const folder = join(directory, 'conformance-report');
  const files = new Map(readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), 'utf8')]));
  expect([...files.keys()].sort()).toEqual([
    'badge.json',
    'conformance.json',
    'exchanges.har',
    'index.html',
    'junit.xml',
    'summary.md',
  ]);
  const leaks = [...files.set('printed', text)].flatMap(([name, written]) =>
    Object.entries(SECRETS).flatMap(([place, secret]) =>
      formsOf(secret).some((form) => written.includes(form)) ? `${name}: ${place}` : [],
    ),
  );
  expect(leaks).toEqual([]);

  const report = JSON.parse(files.get('conformance.json') ?? '') as ConformanceReport;
  const failed = report.requirements.filter(({ outcome }) => outcome === 'failed').map(({ id }) => id);
  expect(failed).toEqual(
    expect.arrayContaining([
      'list.status.unknown',
      'error.no-secrets',
      'rate.limit.value',
      'service.json',
      'service.no-server-error',
    ]),
  );
  expect(text).toContain('11 answers of');
  expect(text).toContain('not judged: 1 of another address');

  // Nothing was sent, and nothing that is shown would send something.
  expect(text).toContain('11 recorded answers judged; nothing was sent');
  const again = `npx animal-store-conformance judge ${join(directory, 'traffic.har')} --base-url ${BASE}`;
  for (const name of ['printed', 'summary.md', 'index.html', 'conformance.json'])
    expect(files.get(name)).toContain(again);
  for (const [name, written] of files)
    expect(written, name).not.toMatch(/requests? sent|playwright test --grep|curl -/);
});

test('an address that is not in the file is answered with those that are', ({ directory }) => {
  const { code, text } = judge(directory, planted(), 'https://api.store.example/v1');
  expect(code).toBe(1);
  expect(text).toMatch(
    /traffic\.har has nothing that can be judged: no entry is an answer of an operation of https:\/\/api\.store\.example\/v1\. Its most common addresses: https:\/\/store\.example\/shop\/v1, https:\/\/login\.example\n$/,
  );
});

test('a file that is not JSON is refused without a word of it', ({ directory }) => {
  const { code, text } = judge(directory, '{"log": {"s3cret-of-a-file": s3cret-of-a-file');
  expect(code).toBe(1);
  expect(text).toMatch(/traffic\.har is not a HAR: it is not JSON[^\n]*\n$/);
  expect(text).not.toContain('s3cret');
});
