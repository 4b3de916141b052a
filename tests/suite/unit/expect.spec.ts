/** The matchers as tests call them: what they find is recorded as data, and their message made last. */
import { allowed } from '../../../fixtures/begin.ts';
import { expect, requirement, supporting, test } from '../../../fixtures/index.ts';
import { judged, leftOut } from '../../../fixtures/judge/judgement.ts';
import { EXCHANGES, OUTCOME, type TestOutcome } from '../../../fixtures/judge/outcome.ts';
import { NotJudged, notJudged } from '../../../fixtures/plan/not-judged.ts';
import { Recorder } from '../../../fixtures/report/recorder.ts';
import { beginRun, discardRun, type Run } from '../../../fixtures/settings/run.ts';
import { readSettings } from '../../../fixtures/settings/settings.ts';
import { CannotTell } from '../../../fixtures/target/cannot-tell.ts';
import type { Match } from '../../../fixtures/expect/matcher.ts';
import * as matchers from '../../../fixtures/expect/matchers.ts';
import { answer, exchange, logOf, test as plain, TIMEOUT } from './make.ts';

const facts: Omit<Run['facts'], 'run'> = {
  target: 'a target',
  level: 'must',
  require: 'partial',
  waivers: [],
  settings: [],
  again: 'TARGET=staging',
  shard: { current: 1, total: 1 },
};

const BASE_URL = 'http://127.0.0.1:1/v1';

const of = (): Parameters<typeof beginRun>[0] => ({
  settings: { ...readSettings(allowed, { BASE_URL, API_KEY: 'secret-Key-42' }), baseUrl: BASE_URL },
  isMergedLater: false,
  facts,
});

test.beforeAll(() => void beginRun(of()));
test.afterAll(discardRun);

/** The message with which a matcher fails. */
function messageOf(matching: () => unknown): string {
  try {
    matching();
  } catch (thrown) {
    return (thrown as Error).message;
  }
  throw new Error('the matcher passed');
}

test('a matcher passes, or fails with a message that can be acted on', requirement('get.unknown'), () => {
  expect(answer({ status: 200 })).toHaveStatus(200);
  expect(answer({ status: 404 })).not.toHaveStatus(200);
  expect(judged([], '3 of 3 responses', [])).toHold();
  expect(() => expect(judged([{ allowed: 'a', received: 'b', exchanges: [] }], '', [])).toHold()).toThrow(
    /received {2}b/,
  );
});

test('its message names the sentence, the target and the way to run it alone', requirement('get.unknown'), () => {
  const message = messageOf(() => expect(answer({ operation: 'getPet' })).toHaveStatus(404));
  expect(message).toContain('the answer is 404 with an Error. (get.unknown, specification, section 4.3)');
  expect(message).toContain('again     TARGET=staging npx playwright test --grep @get.unknown');
});

test('no key is in its message', requirement('get.unknown'), () => {
  const echo = answer({ operation: 'getPet', body: { detail: 'no secret-Key-42' } });
  expect(messageOf(() => expect(echo).toHaveStatus(404))).not.toContain('secret-Key-42');
});

test('a requirement is a tag, a level and a sentence', () => {
  expect(requirement('list.limit.caps')).toEqual({
    tag: ['@must', '@list.limit.caps'],
    annotation: [
      { type: 'requirement', description: 'list.limit.caps' },
      { type: 'sentence', description: expect.stringMatching(/\(specification, section 4.1\)$/) as unknown },
      { type: 'operation', description: 'listPets' },
    ],
  });
  expect(requirement('http.head').annotation).toContainEqual(
    expect.objectContaining({ description: expect.stringContaining('RFC 9110 section 9.3.2') as unknown }),
  );
  expect(supporting('add.echo', 'addPet').annotation).toContainEqual({ type: 'supporting' });
});

test.describe('what a test says', () => {
  interface Made {
    recorder: Recorder;
    info: {
      status: string;
      annotations: { type: string; description?: string }[];
      attachments: { name: string; body: Buffer }[];
    };
    outcome: () => TestOutcome | undefined;
  }

  /** A recorder of a test that judges a requirement. */
  function recorded({ status = 'passed', isMergedLater = false, supports = false, judges = true } = {}): Made {
    const annotations = [
      ...(judges ? [{ type: 'requirement', description: 'add.echo' }] : []),
      { type: 'operation', description: 'addPet' },
      ...(supports ? [{ type: 'supporting' }] : []),
    ];
    const info = {
      status,
      title: 'keeps every field',
      annotations,
      attachments: [] as { name: string; body: Buffer }[],
      skip: (_condition: boolean, reason: string) => {
        throw new Error(`skipped: ${reason}`);
      },
    };
    const client = {
      redact: (text: string) => text.replaceAll('secret', '$API_KEY'),
      log: logOf([exchange({ number: 1 }), exchange({ number: 2 })]),
      pacer: { waitedSeconds: 3 },
    };
    const run = { ...of(), directory: '', isMergedLater, facts: { ...facts, run: 'abcdef' } };
    const recorder = new Recorder(info as never, { run, client } as never);
    return { recorder, info, outcome: () => recorder.outcome() };
  }

  const match =
    (pass: boolean, more: Partial<Match> = {}) =>
    (): Match => ({
      pass,
      matcher: 'toBe()',
      allowed: 'a secret',
      received: 'b secret',
      exchanges: [exchange({ number: 5, operation: 'addPet', sent: '{}' })],
      ...more,
    });

  test('is that it passed, and on what', () => {
    const { recorder, outcome } = recorded();
    recorder.match(match(true, { on: '3 of 3 responses' }));
    expect(outcome()).toEqual({
      requirement: 'add.echo',
      operation: 'addPet',
      title: 'keeps every field',
      outcome: 'passed',
      on: '3 of 3 responses',
      exchanges: [5],
    });
  });

  test('is what is wrong, with what was sent, redacted', () => {
    const { recorder, outcome } = recorded({ status: 'failed' });
    recorder.match(match(true));
    const result = recorder.match(match(false, { others: [{ allowed: 'c', received: 'd', exchanges: [] }] }));
    expect(result.pass).toBe(false);
    expect(outcome()).toMatchObject({
      outcome: 'failed',
      wrong: [
        {
          sent: 'POST /pets with the key, body {}',
          allowed: 'a $API_KEY',
          received: 'b $API_KEY',
          exchanges: [5],
        },
        { allowed: 'c', received: 'd', exchanges: [] },
      ],
    });
  });

  test('names the first of many violations, and how many more there are', () => {
    const { recorder, outcome } = recorded({ status: 'failed' });
    const others = Array.from({ length: 99 }, (_, i) => ({ allowed: '', received: `${i}`, exchanges: [] }));
    recorder.match(match(false, { others }));
    expect(outcome()?.wrong).toHaveLength(20);
    expect(outcome()?.more).toBe(80);
  });

  test('is why nothing could be told, whatever words the target uses', () => {
    const { recorder, outcome, info } = recorded({ status: 'failed' });
    const stop = (): never => {
      throw new CannotTell('no answer with a secret', [exchange({ number: 6 })]);
    };
    expect(() => recorder.match(stop)).toThrow(CannotTell);
    expect(outcome()).toMatchObject({ outcome: 'cantTell', reason: 'no answer with a $API_KEY', exchanges: [6] });
    expect(info.annotations).toContainEqual({ type: 'cantTell', description: 'no answer with a $API_KEY' });
    // The word in an answer makes no difference.
    const { recorder: other, outcome: said } = recorded({ status: 'failed' });
    other.match(match(false, { received: '500 CannotTell: inapplicable' }));
    expect(said()?.outcome).toBe('failed');
  });

  test('is why it does not apply, or was not tested: the test is skipped then', () => {
    for (const kind of ['inapplicable', 'untested'] as const) {
      const { recorder, outcome } = recorded({ status: 'skipped' });
      expect(() => recorder.stop(new NotJudged(kind, 'no secret'))).toThrow('skipped: no $API_KEY');
      expect(outcome()).toMatchObject({ outcome: kind, reason: 'no $API_KEY' });
    }
    const { recorder, outcome } = recorded({ status: 'skipped' });
    expect(() => recorder.match(() => matchers.toHold(leftOut(notJudged.customPlan('enterprise'))))).toThrow('skipped');
    expect(outcome()?.outcome).toBe('inapplicable');
  });

  test('is the violation that was seen before something got in the way', () => {
    const { recorder, outcome } = recorded({ status: 'failed' });
    recorder.match(match(false));
    expect(() => recorder.match(() => matchers.toBeList(answer({ failure: TIMEOUT })))).toThrow(CannotTell);
    expect(outcome()?.outcome).toBe('failed');
  });

  test('is an error of the suite where it failed by itself, and nothing could be told where it ran out of time', () => {
    expect(recorded({ status: 'failed' }).outcome()).toMatchObject({ outcome: 'error', reason: 'the test was failed' });
    expect(recorded({ status: 'timedOut' }).outcome()).toMatchObject({
      outcome: 'cantTell',
      reason: 'the test ran out of time',
    });
    expect(recorded({ judges: false }).outcome()).toBeUndefined();
    expect(recorded({ supports: true }).outcome()?.supporting).toBe(true);
  });

  test('travels as an attachment, with what went over the wire for it', async () => {
    const { recorder, info } = recorded();
    recorder.match(match(true));
    await recorder.onRead(exchange({ number: 5 }));
    await recorder.onRead(exchange({ number: 5 }));
    recorder.attach();
    const attached = new Map(info.attachments.map(({ name, body }) => [name, body.toString()]));
    expect(JSON.parse(attached.get(OUTCOME) as string)).toMatchObject({ requirement: 'add.echo', outcome: 'passed' });
    expect(attached.get('requests and responses')?.match(/# exchange 5/g)).toHaveLength(1);
    expect(attached.has(EXCHANGES)).toBe(false);
  });

  test('takes the log along where reports are merged later', () => {
    const { recorder, info } = recorded({ isMergedLater: true });
    recorder.attach();
    const carried = info.attachments.find(({ name }) => name === EXCHANGES);
    expect(JSON.parse(String(carried?.body))).toMatchObject({
      run: 'abcdef',
      waitedSeconds: 3,
      exchanges: [{ number: 1 }, { number: 2 }],
    });
  });
});

plain('a matcher of this suite works in its tests alone', () => {
  expect(() => expect(answer()).toHaveStatus(200)).toThrow('matchers of this suite work in its tests alone');
});
