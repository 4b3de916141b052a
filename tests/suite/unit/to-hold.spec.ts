import { expect } from '../../../fixtures/index.ts';
import { exchange, messageOf, test } from './make.ts';

const blame = (number: number) => ({
  requirement: 'rate.headers' as const,
  allowed: 'three headers',
  received: 'two',
  evidence: [exchange({ number })],
});

test('passes where nothing was found', () => {
  expect([]).toHold();
});

test('fails with the first finding, its sentence, and where the others are', () => {
  const message = messageOf(() => expect([blame(4), blame(9), blame(11)]).toHold());
  expect(message).toContain('Every response carries X-RateLimit-Limit');
  expect(message).toContain('allowed   three headers');
  expect(message).toContain('received  two');
  expect(message).toContain('evidence  exchange 4');
  expect(message).toContain('and 2 more, in exchanges 9, 11');
});
