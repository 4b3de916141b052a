/** The worked example of docs/claims.md, with a tampered claim, and traffic that others recorded. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from '@playwright/test';
import type { ConformanceReport } from '../../../fixtures/report/model/report.ts';
import { inherited, ROOT, test } from '../gate/spawn.ts';
import { findBlocks } from '../recipes/blocks.ts';
import { claim } from './corpus.ts';

test.describe.configure({ timeout: 300_000 });

const BIN = join(ROOT, 'bin/animal-store-conformance.js');

function run(cwd: string, args: readonly string[]): { code: number | null; text: string } {
  const { status, stdout, stderr } = spawnSync(process.execPath, [BIN, ...args], {
    cwd,
    env: inherited(),
    encoding: 'utf8',
  });
  return { code: status, text: stdout + stderr };
}

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

test('the commands print the worked example', ({ directory }) => {
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
  for (const [command = '', ...lines] of commands) {
    const { code, text } = run(directory, command.split(' '));
    for (const line of lines) expect(text.split('\n')).toContain(line);
    expect(code, text).toBe(command.endsWith('stoat') ? 1 : 0);
  }
});

test('a changed or invalid recording ends with exit code 1 and the reason', ({ directory }) => {
  const folder = join(directory, 'changed');
  claim('reference', folder);
  const har = join(folder, 'exchanges.har');
  writeFileSync(har, readFileSync(har, 'utf8').replace('"status":404', '"status":410'));
  const changed = run(directory, ['verify', 'changed']);
  expect(changed.text).toContain('exchanges.har was changed: conformance.json names sha256:');
  expect(changed.text).toMatch(/: passed in the report, failed by the recording \(the recording was changed\)/);
  expect(changed.code).toBe(1);
  writeFileSync(har, '{"log":');
  const cut = run(directory, ['verify', 'changed']);
  expect(cut.text).toMatch(/^changed\/exchanges\.har is not a HAR: .*\n$/);
  expect(cut.code).toBe(1);
});

test('traffic is judged by the rules for every response', ({ directory }) => {
  for (const [name, code, verdict] of [
    ['reference', 0, 'PARTIAL'],
    ['defect-limit-ignored', 1, 'VIOLATES'],
  ] as const) {
    claim(name, join(directory, name));
    const har = JSON.parse(readFileSync(join(directory, name, 'exchanges.har'), 'utf8')) as {
      log: { _run: { baseUrl: string } };
    };
    const judged = run(directory, ['judge', name, '--base-url', har.log._run.baseUrl]);
    expect(judged.text).toContain(verdict);
    expect(judged.text).toMatch(/touched \d+ of the 14 statuses/);
    expect(judged.code, judged.text).toBe(code);
  }
  const none = run(directory, ['judge', 'reference', '--base-url', 'https://elsewhere.example/v1']);
  expect(none.text).toMatch(/^reference\/exchanges\.har has nothing that can be judged: [^\n]*\n$/);
  expect(none.code).toBe(1);
});
