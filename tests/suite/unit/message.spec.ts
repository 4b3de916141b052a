import { expect } from '@playwright/test';
import { makeRerunCommand } from '../../../fixtures/report/model/report.ts';
import type { Finding } from '../../../fixtures/report/model/result.ts';
import { describeViolation } from '../../../fixtures/report/run/show.ts';
import { type Difference, difference } from '../../../fixtures/trace/finding.ts';
import { exchange, test } from './make.ts';

const refused = exchange({ number: 7, operation: 'addPet', status: 422, sent: '{"name":5}', body: { detail: 'no' } });

const message = (
  difference: Difference,
  { id = 'add.name.type', count = 1 }: { id?: Finding['requirement']; count?: number } = {},
): string => {
  const findings = Array.from({ length: count }, (_, i) => ({
    ...{ requirement: id, sent: 'POST /pets with the valid key, body {"name":5}', exchanges: [7 + i] },
    differences: [difference],
  }));
  const outcome = { requirement: id, title: 'POST /pets', outcome: 'failed' as const, findings, exchanges: [] };
  return describeViolation(outcome, [refused], { again: 'TARGET=staging' });
};
const wrong = difference('wrong status', 'status', { expected: 400, actual: 422 });

test('a message shows sent, expected, received and the commands', () => {
  expect(message(wrong).split('\n')).toEqual([
    'A name that is not a string is answered 400. (add.name.type, specification, section 2, 4.2)',
    '',
    '  sent      POST /pets with the valid key, body {"name":5}',
    '  expected  status 400',
    '  received  status 422',
    '  evidence  exchange 7',
    `  by hand   curl -i -X POST "$BASE_URL/pets" -H 'Accept: application/json' -H "Authorization: Bearer $API_KEY" -H 'Content-Type: application/json' --data-binary '{"name":5}'`,
    '  again     TARGET=staging npx playwright test --grep @add.name.type',
  ]);
  expect(message(wrong, { id: 'http.head' })).toContain('(http.head, should: RFC 9110 section 9.3.2)');
  expect(message(wrong, { count: 3 })).toContain('  and 2 more, in exchanges 8, 9');
  expect(message(wrong, { count: 501 }).length).toBeLessThan(2_000);
  expect(makeRerunCommand('add.echo', {})).toBe('npx playwright test --grep @add.echo');
});

test('no text of the target is a command of a terminal or of a CI system', () => {
  const hostile = difference('unexpected body', 'body', {
    actual: '500 \u001b[2J\u202egnp x\n::error::hacked\r\n::stop-commands::y\u2028::z::',
  });
  expect(message(hostile)).toContain('500 \\u001b[2J\\u202egnp');
  const lines = message(hostile).split(/[\n\r\u2028]/);
  expect(lines.filter((line) => line.trim().startsWith('::'))).toEqual([]);
});
