import { expect } from '../../../fixtures/index.ts';
import { answer, messageOf, test } from './make.ts';

test('passes where the status is one of the allowed ones', () => {
  expect(answer({ status: 200 })).toHaveStatus(200);
  expect(answer({ status: 201 })).toHaveStatus(200, 201);
  expect(answer({ status: 404 })).toHaveStatus('4xx');
  expect(answer({ status: 429 })).toHaveStatus(429);
  expect(answer({ status: 401, credential: 'none' })).toHaveStatus(401);
});

test('fails with what was sent, allowed and received, and how to do it again', () => {
  const refused = answer({ operation: 'addPet', status: 422, sent: '{"name":5}', body: { detail: 'no' } });
  const message = messageOf(() => expect(refused).toHaveStatus(400));
  expect(message).toContain('sent      POST /pets with the key, body {"name":5}');
  expect(message).toContain('allowed   status 400');
  expect(message).toContain('received  422 application/json {"detail":"no"}');
  expect(message).toContain(`evidence  exchange ${refused.exchange.number}`);
  expect(message).toContain(`by hand   curl -i -X POST "$BASE_URL/pets" --data-binary '{"name":5}'`);
});

test(
  'names the sentence and how to run it alone, within a conformance test',
  { annotation: { type: 'requirement', description: 'get.unknown: whatever' } },
  () => {
    const message = messageOf(() => expect(answer({ operation: 'getPet' })).toHaveStatus(404));
    expect(message).toContain('the answer is 404 with an Error. (get.unknown, specification, section 4.3)');
    expect(message).toContain('again     npx playwright test --grep @get.unknown');
  },
);

test('a 401, a 429 and a 5xx are no 4xx', () => {
  expect(answer({ status: 401, credential: 'none' })).not.toHaveStatus('4xx');
  expect(answer({ status: 500 })).not.toHaveStatus('4xx');
  expect(answer({ status: 200 })).not.toHaveStatus('4xx');
});

test('fails where no answer came', () => {
  const failure = { kind: 'timeout', message: 'no answer within 10 s' } as const;
  expect(messageOf(() => expect(answer({ failure })).toHaveStatus(200))).toContain('received  no answer within 10 s');
});

test('cannot tell where the key was refused, or where the limiter interfered', () => {
  expect(() => expect(answer({ status: 401 })).toHaveStatus(200)).toThrow(/the valid key was refused/);
  expect(() => expect(answer({ status: 429 })).toHaveStatus('4xx')).toThrow(/rate limited: GET \/pets/);
  expect(() => expect(answer({ status: 429 })).toHaveStatus(200)).toThrow(
    expect.objectContaining({ name: 'CannotTell' }),
  );
});
