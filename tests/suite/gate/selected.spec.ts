/** `--grep @id` sends what its requirement needs: on a server that conforms, each passes by itself. */
import { expect } from '@playwright/test';
import { requirements } from '../../../fixtures/contract/requirements.ts';
import { judgeServer } from '../../../fixtures/quick.ts';
import { cases, suite } from '../../properties/index.ts';
import { putUp } from '../proof/servers.ts';
import { test } from '../unit/make.ts';

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
