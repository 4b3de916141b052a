import { expect } from '@playwright/test';
import { difference } from '../../../fixtures/trace/finding.ts';
import { type Message, renderMessage, makeRerunCommand } from '../../../fixtures/report/model/message.ts';
import type { Exchange } from '../../../fixtures/target/http/exchange.ts';
import { exchange, test } from './make.ts';

const refused = exchange({ number: 7, operation: 'addPet', status: 422, sent: '{"name":5}', body: { detail: 'no' } });

type Violation = Message['violations'][number];

const wrongOf = (expected: number, actual: number, ...exchanges: Exchange[]): Violation => ({
  differences: [difference('wrong status', 'status', { expected, actual })],
  exchanges,
});

/** A violation with text of the target. */
const written = (actual: string): Violation => ({
  differences: [difference('unexpected body', 'body', { actual })],
  exchanges: [refused],
});

const message = (more: Partial<Message> = {}): string =>
  renderMessage({
    call: 'toHaveStatus(400)',
    violations: [wrongOf(400, 422, refused)],
    requirement: 'add.name.type',
    facts: { again: 'TARGET=staging' },
    ...more,
  });

test('a message shows sent, expected, received and the command', () => {
  expect(message().split('\n')).toEqual([
    'expect(answer).toHaveStatus(400)',
    '',
    'A name that is not a string is answered 400. (add.name.type, specification, section 2, 4.2)',
    '',
    '  sent      POST /pets with the valid key, body {"name":5}',
    '  expected  status 400',
    '  received  status 422',
    '  evidence  exchange 7',
    `  by hand   curl -i -X POST "$BASE_URL/pets" -H 'Accept: application/json' -H "Authorization: Bearer $API_KEY" -H 'Content-Type: application/json' --data-binary '{"name":5}'`,
    '  again     TARGET=staging npx playwright test --grep @add.name.type',
  ]);
});

test('a recommendation cites its standard', () => {
  expect(message({ requirement: 'http.head' })).toContain('(http.head, should: RFC 9110 section 9.3.2)');
});

test('further violations are shown by their number and their exchanges', () => {
  const few = [7, 9, 11].map((number) => wrongOf(200, 404, exchange({ number })));
  expect(message({ violations: few })).toContain('  and 2 more, in exchanges 9, 11');
  const many = Array.from({ length: 501 }, (_, number) => wrongOf(200, 404, exchange({ number })));
  expect(message({ violations: many })).toContain('  and 500 more, in exchanges 1, 2, 3, ');
  expect(message({ violations: many }).length).toBeLessThan(2_000);
});

test('a message omits an unsent request, and the sentence outside of a conformance test', () => {
  expect(message({ violations: [wrongOf(400, 422)] })).not.toMatch(/sent|evidence|by hand/);
  expect(message({ requirement: undefined })).not.toMatch(/again|specification/);
});

test('the command names the target', () => {
  expect(makeRerunCommand('add.echo', {})).toBe('npx playwright test --grep @add.echo');
  expect(makeRerunCommand('add.echo', { again: 'BASE_URL=https://host/v1 DEPTH=thorough' })).toBe(
    'BASE_URL=https://host/v1 DEPTH=thorough npx playwright test --grep @add.echo',
  );
});

test('a message has no terminal commands', () => {
  expect(message({ violations: [written('500 \u001b[2J\u202egnp')] })).toContain('500 \\u001b[2J\\u202egnp');
});

test('no line of a message begins with text of the target, which a CI system could execute', () => {
  const hostile = written('500 text/plain x\n::error::hacked\r\n::stop-commands::y\u2028::z::');
  const lines = message({ violations: [hostile] }).split(/[\n\r\u2028]/);
  expect(lines.filter((line) => line.trim().startsWith('::'))).toEqual([]);
});
