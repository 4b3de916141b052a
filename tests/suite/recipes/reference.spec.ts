import { expect } from '@playwright/test';
import { BIN, environment, start, test, typed } from '../gate/spawn.ts';

test('the reference prints the command that judges it', async ({ directory }) => {
  const { child, printed, ended } = start(process.execPath, [BIN, 'reference'], {
    env: { ...environment(), PORT: '0' },
  });
  const [, command = '', address] = await printed(/^ +(BASE_URL=(\S+) API_KEY=.+)$/m);
  const ran = await typed(directory, { THROTTLING: 'off' }, command);
  child.kill();
  await ended;
  expect(ran.code, `${command}\n${ran.text}`).toBe(0);
  expect(ran.report()).toMatchObject({ target: address, verdict: 'partial' });
});
