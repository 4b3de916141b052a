/** The message of a failure can be acted on: what was sent, what is allowed, what came, and how to see it again. */
import { expect } from '@playwright/test';
import { type Message, messageOf, runAgain } from '../../../fixtures/report/message.ts';
import { exchange, test } from './make.ts';

const refused = exchange({ number: 7, operation: 'addPet', status: 422, sent: '{"name":5}', body: { detail: 'no' } });

const message = (more: Partial<Message> = {}): string =>
  messageOf({
    matcher: 'toHaveStatus(400)',
    allowed: 'status 400',
    received: '422 application/json {"detail":"no"}',
    exchanges: [refused],
    requirement: 'add.name.type',
    again: 'TARGET=staging',
    ...more,
  });

test('it says what was sent, allowed and received, and how to do it again', () => {
  expect(message().split('\n')).toEqual([
    'expect(answer).toHaveStatus(400)',
    '',
    'A name that is not a string is answered 400. (add.name.type, specification, section 2, 4.2)',
    '',
    '  sent      POST /pets with the key, body {"name":5}',
    '  allowed   status 400',
    '  received  422 application/json {"detail":"no"}',
    '  evidence  exchange 7',
    `  by hand   curl -i -X POST "$BASE_URL/pets" --data-binary '{"name":5}'`,
    '  again     TARGET=staging npx playwright test --grep @add.name.type',
  ]);
});

test('advice cites its standard', () => {
  expect(message({ requirement: 'http.head' })).toContain('(http.head, should: RFC 9110 section 9.3.2)');
});

test('further violations are told by their number and their exchanges', () => {
  const others = [9, 11].map((number) => ({ allowed: '', received: '', exchanges: [exchange({ number })] }));
  expect(message({ others })).toContain('  and 2 more, in exchanges 9, 11');
  const many = Array.from({ length: 500 }, (_, i) => ({
    allowed: '',
    received: '',
    exchanges: [exchange({ number: i })],
  }));
  expect(message({ others: many }).length).toBeLessThan(2_000);
});

test('where nothing was sent, nothing is shown of it; outside of a conformance test there is no sentence', () => {
  expect(message({ exchanges: [] })).not.toMatch(/sent|evidence|by hand/);
  expect(message({ requirement: undefined })).not.toMatch(/again|specification/);
});

test('the command names the target that it was printed for', () => {
  expect(runAgain('add.echo')).toBe('npx playwright test --grep @add.echo');
  expect(runAgain('add.echo', 'BASE_URL=https://host/v1 DEPTH=thorough')).toBe(
    'BASE_URL=https://host/v1 DEPTH=thorough npx playwright test --grep @add.echo',
  );
});

test('nothing in it steers a terminal', () => {
  expect(message({ received: '500 \u001b[2J\u202egnp' })).toContain('500 \\u001b[2J\\u202egnp');
});

test('no line of it is one that the target wrote: a CI system would take it for a command', () => {
  const lines = message({ received: '500 text/plain x\n::error::hacked\r\n::stop-commands::y\u2028::z::' }).split(
    /[\n\r\u2028]/,
  );
  expect(lines.filter((line) => line.trim().startsWith('::'))).toEqual([]);
});
