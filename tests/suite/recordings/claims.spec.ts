/** The commands on recordings: the worked example of docs/claims.md, with a tampered claim, and traffic that others recorded. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from '@playwright/test';
import type { ConformanceReport } from '../../../fixtures/report/model/report.ts';
import { command, type Ended, test } from '../gate/spawn.ts';
import { idsOf } from '../proof/judged.ts';
import { findBlocks } from '../recipes/blocks.ts';
import { claim } from './corpus.ts';
import { BASE } from './har.ts';
import { formsOf, planted, SECRETS } from './planted.ts';

function tamper(folder: string): void {
  const file = join(folder, 'conformance.json');
  const report = JSON.parse(readFileSync(file, 'utf8')) as ConformanceReport;
  const requirements = report.requirements.map((each) =>
    each.outcome === 'failed' ? { ...each, outcome: 'passed' } : each,
  );
  writeFileSync(file, JSON.stringify({ ...report, verdict: 'conforms', problems: [], requirements }));
}

/** The commands of the example, with their expected output. */
const commands = (findBlocks('docs/claims.md').find(({ language }) => language === 'console')?.text ?? '')
  .split(/^\$ npx animal-store-conformance /m)
  .slice(1)
  .map((text) => text.trimEnd().split('\n'));

test('the commands print the worked example', async ({ directory }) => {
  const claims = join(directory, 'claims');
  mkdirSync(claims);
  for (const [name, recording] of [
    ['otter', 'reference'],
    ['heron', 'express-rate-limit'],
    ['stoat', 'koa-ratelimit'],
  ] as const)
    claim(recording, join(claims, name));
  tamper(join(claims, 'stoat'));
  expect(commands).toHaveLength(4);
  for (const [words = '', ...lines] of commands) {
    const { code, text } = await command(directory, words.split(' '));
    for (const line of lines) expect(text.split('\n')).toContain(line);
    expect(code, text).toBe(words.endsWith('stoat') ? 1 : 0);
  }
});

test('a changed or invalid recording ends with exit code 1 and the reason', async ({ directory }) => {
  claim('reference', join(directory, 'changed'));
  const har = join(directory, 'changed/exchanges.har');
  writeFileSync(har, readFileSync(har, 'utf8').replace('"status":404', '"status":410'));
  const changed = await command(directory, ['verify', 'changed']);
  expect(changed.text).toMatch(/^ {2}recording\/digest: "sha256:\w+" in the report, "sha256:\w+" by the recording/m);
  expect(changed.text).toMatch(
    /outcome: "passed" in the report, "failed" by the recording \(the recording was changed\)/,
  );
  expect(changed.code).toBe(1);
  writeFileSync(har, '{"log":');
  const cut = await command(directory, ['verify', 'changed']);
  expect([cut.code, cut.text]).toEqual([1, expect.stringMatching(/^changed\/exchanges\.har is not a HAR: .*\n$/)]);
  const file = join(directory, 'changed/conformance.json');
  writeFileSync(file, readFileSync(file, 'utf8').replace('"errors": []', '"errors": ["interrupted"]'));
  expect((await command(directory, ['verify', 'changed'])).text).toMatch(/^changed claims nothing: .*\n$/);
});

test('a recording is judged as traffic, by the rules for every response', async ({ directory }) => {
  claim('defect-limit-ignored', join(directory, 'recorded'));
  const har = readFileSync(join(directory, 'recorded/exchanges.har'), 'utf8');
  const { log } = JSON.parse(har) as { log: { _run: { baseUrl: string } } };
  const judged = await command(directory, ['judge', 'recorded', '--base-url', log._run.baseUrl]);
  expect(judged.code, judged.text).toBe(1);
  expect(judged.text).toContain('VIOLATES');
  expect(judged.text).toMatch(/touched \d+ of the 14 statuses/);
});

/** Judges traffic of another tool. */
function judge(directory: string, har: object | string, base = BASE): Promise<Ended> {
  writeFileSync(join(directory, 'traffic.har'), typeof har === 'string' ? har : JSON.stringify(har));
  return command(directory, ['judge', join(directory, 'traffic.har'), '--base-url', base], { GITHUB_ACTIONS: 'true' });
}

test('traffic with secrets is judged, and no secret is written or printed', async ({ directory }) => {
  const { code, text, report } = await judge(directory, planted());
  expect(code, text).toBe(1);
  const folder = join(directory, 'conformance-report');
  const files = new Map(readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), 'utf8')]));
  expect(files.size).toBe(6);
  const leaks = [...files.set('printed', text)].flatMap(([name, written]) =>
    Object.entries(SECRETS).flatMap(([place, secret]) =>
      formsOf(secret).some((form) => written.includes(form)) ? `${name}: ${place}` : [],
    ),
  );
  expect(leaks).toEqual([]);
  expect(idsOf(report(), 'failed')).toEqual(
    expect.arrayContaining([
      ...['list.status.unknown', 'error.no-secrets', 'rate.limit.value', 'service.json', 'service.no-server-error'],
    ]),
  );
  expect(text).toContain('12 answers of');
  expect(text).toContain('not judged: 1 of another address');

  // Nothing was sent, and nothing that is shown would send something.
  expect(text).toContain('12 recorded answers judged; nothing was sent');
  const again = `npx animal-store-conformance judge ${join(directory, 'traffic.har')} --base-url ${BASE}`;
  for (const name of ['printed', 'summary.md', 'index.html', 'conformance.json'])
    expect(files.get(name)).toContain(again);
  for (const [name, written] of files)
    expect(written, name).not.toMatch(/requests? sent|playwright test --grep|curl -/);
});

test('traffic of which nothing can be judged is one line, without a word of the file', async ({ directory }) => {
  const elsewhere = await judge(directory, planted(), 'https://api.store.example/v1');
  expect(elsewhere.code).toBe(1);
  expect(elsewhere.text).toMatch(
    /traffic\.har has nothing that can be judged: no entry is an answer of an operation of https:\/\/api\.store\.example\/v1 \(13 of another address\)\n$/,
  );
  const broken = await judge(directory, '{"log": {"s3cret-of-a-file": s3cret-of-a-file');
  expect(broken.code).toBe(1);
  expect(broken.text).toMatch(/traffic\.har is not a HAR: it is not JSON[^\n]*\n$/);
  expect(broken.text).not.toContain('s3cret');
});
