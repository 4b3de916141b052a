import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect } from '@playwright/test';
import { ROOT, test } from '../gate/spawn.ts';
import { environment, shell } from './checkout.ts';

test('the reference prints the command that judges it', async ({ directory }) => {
  const child = spawn(process.execPath, ['bin/animal-store-conformance.js', 'reference'], {
    cwd: ROOT,
    env: { ...environment(), PORT: '0' },
  });
  const [printed] = (await once(child.stdout, 'data')) as [Buffer];
  const [, command = '', address] = /^ +(BASE_URL=(\S+) API_KEY=.+)$/m.exec(String(printed)) ?? [];
  const env = { REPORT_DIR: directory, PLAYWRIGHT_HTML_OUTPUT_DIR: `${directory}/html`, THROTTLING: 'off' };
  const ran = await shell(`${command} --output="${directory}/results"`, { cwd: ROOT, env });
  child.kill();
  expect(ran.code, `${String(printed)}\n${ran.text}`).toBe(0);
  expect(ran.report()).toMatchObject({ target: address, verdict: 'partial' });
});
