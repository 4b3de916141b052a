import { expect } from '../../../fixtures/index.ts';
import { answer, messageOf, test } from './make.ts';

const orders = (status: number) => answer({ operation: 'listOrders', status });

test('an operation exists that answers, or asks for what is not shown', () => {
  for (const status of [200, 204, 206, 302, 400, 403, 409, 422]) expect(orders(status)).toExist();
});

test('an operation does not exist that says so, or fails', () => {
  for (const status of [404, 405, 410, 500, 501, 503]) {
    expect(orders(status)).not.toExist();
    expect(messageOf(() => expect(orders(status)).toExist())).toContain(`received  ${status} application/json`);
  }
  const failure = { kind: 'timeout', message: 'no answer within 10 s' } as const;
  expect(answer({ operation: 'listOrders', failure })).not.toExist();
});

test('cannot tell where the key was refused or the limiter interfered', () => {
  for (const status of [401, 429])
    expect(() => expect(orders(status)).toExist()).toThrow(expect.objectContaining({ name: 'CannotTell' }));
});

test('a credential was taken unless the answer is 401', () => {
  expect(answer()).toBeAuthenticated();
  expect(answer({ status: 403 })).toBeAuthenticated();
  const refused = answer({ status: 401, credential: 'lower-case scheme' });
  expect(messageOf(() => expect(refused).toBeAuthenticated())).toContain('allowed   any status but 401');
});

test('a header is there in any case, or it is not', () => {
  expect(answer({ headers: { aLLow: 'GET' } })).toHaveHeader('Allow');
  expect(messageOf(() => expect(answer()).toHaveHeader('Allow'))).toContain('received  200 without it');
});
