/** Matchers record findings as data; the message is made last. */
import { allowed } from '../../../fixtures/begin.ts';
import { expect, requirement, supporting, test } from '../../../fixtures/index.ts';
import * as matchers from '../../../fixtures/expect/matchers.ts';
import { difference } from '../../../fixtures/judge/finding.ts';
import { cantTell, judged, type Judgement, skipped, type Violation } from '../../../fixtures/judge/judgement.ts';
import { OUTCOME, type TestOutcome } from '../../../fixtures/report/model/test-outcome.ts';
import type { RequirementId } from '../../../fixtures/contract/requirements.ts';
import { NotJudged, notJudged } from '../../../fixtures/plan/not-judged.ts';
import { Recorder } from '../../../fixtures/report/run/recorder.ts';
import { beginRun, discardRun, type Run } from '../../../fixtures/settings/run.ts';
import { readSettings } from '../../../fixtures/settings/settings.ts';
import type { Waiver } from '../../../fixtures/settings/waivers.ts';
import { Undecided } from '../../../fixtures/target/http/undecided.ts';
import { answer, exchange, test as plain, TIMEOUT, makeViolation, wrongStatus } from './make.ts';

const facts: Omit<Run['facts'], 'run'> = {
  target: 'a target',
  level: 'must',
  require: 'partial',
  waivers: [],
  settings: [],
  again: 'TARGET=staging',
};

const BASE_URL = 'http://127.0.0.1:1/v1';

const of = (): Parameters<typeof beginRun>[0] => ({
  settings: { ...readSettings(allowed, { BASE_URL, API_KEY: 'secret-Key-42' }), baseUrl: BASE_URL },
  facts,
});

test.beforeAll(() => void beginRun(of()));
test.afterAll(discardRun);

function renderMessage(matching: () => unknown): string {
  try {
    matching();
  } catch (thrown) {
    return (thrown as Error).message;
  }
  throw new Error('the matcher passed');
}

test('a matcher passes, or fails with a useful message', requirement('get.unknown'), () => {
  expect(answer({ status: 200 })).toHaveStatus(200);
  expect(answer({ status: 404 })).not.toHaveStatus(200);
  expect(judged([], [], '3 of 3 responses')).toBeSatisfied();
  expect(() => expect(judged([wrongStatus(404)], [])).toBeSatisfied()).toThrow(/received {2}status 404/);
});

test('the message names the requirement, the target and the command', requirement('get.unknown'), () => {
  const message = renderMessage(() => expect(answer({ operation: 'getPet' })).toHaveStatus(404));
  expect(message).toContain('the response is 404 with an Error. (get.unknown, specification, section 4.3)');
  expect(message).toContain('expect(answer).toHaveStatus(404)\n');
  expect(message).toContain('again     TARGET=staging npx playwright test --grep @get.unknown');
});

test('the message has no key', requirement('get.unknown'), () => {
  const echo = answer({ operation: 'getPet', body: { detail: 'no secret-Key-42' } });
  expect(renderMessage(() => expect(echo).toHaveStatus(404))).not.toContain('secret-Key-42');
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

test.describe('the outcome of a test', () => {
  interface Made {
    recorder: Recorder;
    info: {
      status: string;
      annotations: { type: string; description?: string }[];
      attachments: { name: string; body: Buffer }[];
    };
    outcome: () => TestOutcome | undefined;
  }

  interface Given {
    status?: string;
    supports?: boolean;
    judges?: RequirementId | null;
    operation?: string;
    of?: Partial<Run['facts']>;
    key?: string;
  }

  function recorded({
    status = 'passed',
    supports = false,
    judges = 'add.echo',
    operation = 'addPet',
    of: more = {},
    key = 'secret',
  }: Given = {}): Made {
    const annotations = [
      ...(judges ? [{ type: 'requirement', description: judges }] : []),
      { type: 'operation', description: operation },
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
    const client = { redact: (text: string) => text.replaceAll(key, '$API_KEY') };
    const run = { ...of(), directory: '', facts: { ...facts, run: 'abcdef', ...more } };
    const recorder = new Recorder(info as never, { run, client } as never);
    return { recorder, info, outcome: () => recorder.outcome() };
  }

  const shown = exchange({ number: 5, operation: 'addPet', sent: '{}' });
  const holds = (): Judgement => judged([], [shown], '3 of 3 responses');
  const violated =
    (...violations: Violation[]) =>
    (): Judgement =>
      judged(violations, [shown]);
  const changed = (actual: string): Violation =>
    makeViolation(
      difference('changed value', '/name', { expected: 'a secret', actual, animal: { name: 'secret' } }),
      shown,
    );

  test('is passed, with its basis', () => {
    const { recorder, outcome } = recorded();
    recorder.match('toBeSatisfied()', holds);
    expect(outcome()).toEqual({
      requirement: 'add.echo',
      operation: 'addPet',
      title: 'keeps every field',
      outcome: 'passed',
      on: '3 of 3 responses',
      exchanges: [5],
      judged: [5],
    });
  });

  test('is failed, with findings and the redacted request', () => {
    const { recorder, outcome } = recorded({ status: 'failed' });
    recorder.match('toBeSatisfied()', holds);
    const result = recorder.match('toEcho()', violated(changed('b secret'), wrongStatus(404)));
    expect(result.pass).toBe(false);
    expect(result.message()).toMatch(/^expect\(answer\).toEcho\(\)\n[^]* {2}received {2}name is b \$API_KEY\n/);
    expect(outcome()).toMatchObject({
      outcome: 'failed',
      findings: [
        {
          requirement: 'add.echo',
          operation: 'addPet',
          sent: 'POST /pets with the valid key, body {}',
          exchanges: [5],
          differences: [
            {
              kind: 'changed value',
              place: '/name',
              expected: 'a $API_KEY',
              actual: 'b $API_KEY',
              animal: { name: '$API_KEY' },
            },
          ],
        },
        { exchanges: [], differences: [{ kind: 'wrong status', actual: 404 }] },
      ],
      affected: [5],
      judged: [5],
    });
  });

  test('keeps the names of kinds and changes if the key is one letter', () => {
    const { recorder, outcome } = recorded({ status: 'failed', key: 'e' });
    const change = { how: 'lower case', detail: 'e' } as const;
    const wrong = makeViolation(difference('changed value', '/id', { actual: 'e', change }), shown);
    const { message } = recorder.match('toEcho()', violated(wrong));
    expect(message()).toContain('in low$API_KEYr cas$API_KEY');
    const [finding] = outcome()?.findings ?? [];
    expect(finding?.differences).toEqual([
      {
        layer: 'value',
        kind: 'changed value',
        place: '/id',
        actual: '$API_KEY',
        change: { how: 'lower case', detail: '$API_KEY' },
      },
    ]);
  });

  test('names the first of many violations, and their number', () => {
    const { recorder, outcome } = recorded({ status: 'failed' });
    const all = Array.from({ length: 100 }, (_, i) => wrongStatus(404, exchange({ number: i + 1 })));
    recorder.match('toBeSatisfied()', violated(...all));
    expect(outcome()?.findings).toHaveLength(40);
    expect(outcome()?.more).toBe(60);
    expect(outcome()?.affected).toHaveLength(100);
  });

  test('is cantTell with the reason, for any text of the target', () => {
    const { recorder, outcome, info } = recorded({ status: 'failed' });
    const stop = (): never => {
      throw new Undecided('no answer with a secret', [exchange({ number: 6 })]);
    };
    expect(() => recorder.match('toBeSatisfied()', stop)).toThrow(Undecided);
    expect(outcome()).toMatchObject({ outcome: 'cantTell', reason: 'no answer with a $API_KEY', exchanges: [6] });
    expect(info.annotations).toContainEqual({ type: 'cantTell', description: 'no answer with a $API_KEY' });
    // The text of a response makes no difference.
    const { recorder: other, outcome: result } = recorded({ status: 'failed' });
    other.match('toEcho()', violated(changed('500 Undecided: inapplicable')));
    expect(result()?.outcome).toBe('failed');
  });

  test('is inapplicable or untested with the reason, and the test is skipped', () => {
    for (const kind of ['inapplicable', 'untested'] as const) {
      const { recorder, outcome } = recorded({ status: 'skipped' });
      expect(() => recorder.stop(new NotJudged(kind, 'no secret'))).toThrow('skipped: no $API_KEY');
      expect(outcome()).toMatchObject({ outcome: kind, reason: 'no $API_KEY' });
    }
    const { recorder, outcome } = recorded({ status: 'skipped' });
    const custom = skipped(notJudged.customPlan('enterprise'));
    expect(() => recorder.match('toBeSatisfied()', () => matchers.toBeSatisfied(custom))).toThrow('skipped');
    expect(outcome()?.outcome).toBe('inapplicable');
  });

  test('is cantTell with the exchange that kept many answers from being judged', () => {
    const { recorder, outcome } = recorded({ status: 'failed' });
    const unread = cantTell('it is not JSON', [exchange({ number: 6 })]);
    expect(() => recorder.match('toBeSatisfied()', () => matchers.toBeSatisfied(unread))).toThrow(Undecided);
    expect(outcome()).toMatchObject({ outcome: 'cantTell', reason: 'it is not JSON', exchanges: [6] });
  });

  test('refers to the requirement that prevents the judgement', () => {
    const { recorder, outcome } = recorded({ status: 'failed' });
    const why = skipped(notJudged.see('no valid body was accepted at all', 'add.created'));
    expect(() => recorder.match('toBeSatisfied()', () => matchers.toBeSatisfied(why))).toThrow(Undecided);
    expect(outcome()).toMatchObject({ outcome: 'cantTell', see: 'add.created' });
  });

  test('is the violation that was found before an unreadable response', () => {
    const { recorder, outcome } = recorded({ status: 'failed' });
    recorder.match('toEcho()', violated(changed('b')));
    const timedOut = answer({ failure: TIMEOUT });
    expect(() => recorder.match('toBeList()', () => matchers.toBeList(timedOut))).toThrow(Undecided);
    expect(outcome()?.outcome).toBe('failed');
  });

  test('is an error of the suite if it threw, and cantTell on a timeout', () => {
    expect(recorded({ status: 'failed' }).outcome()).toMatchObject({ outcome: 'error', reason: 'the test was failed' });
    expect(recorded({ status: 'timedOut' }).outcome()).toMatchObject({
      outcome: 'cantTell',
      reason: 'the test timed out',
    });
    expect(recorded({ judges: null }).outcome()).toBeUndefined();
    expect(recorded({ supports: true }).outcome()?.supporting).toBe(true);
  });

  test('is an attachment with its exchanges', async () => {
    const { recorder, info } = recorded();
    recorder.match('toBeSatisfied()', holds);
    await recorder.onRead(exchange({ number: 5 }));
    await recorder.onRead(exchange({ number: 5 }));
    recorder.attach();
    const attached = new Map(info.attachments.map(({ name, body }) => [name, body.toString()]));
    expect(JSON.parse(attached.get(OUTCOME) as string)).toMatchObject({ requirement: 'add.echo', outcome: 'passed' });
    expect(attached.get('requests and responses')?.match(/# exchange 5/g)).toHaveLength(1);
  });

  const waiver: Waiver = { requirement: 'add.echo', reason: 'a rewrite', owner: 'team', expires: '2999-12-31' };

  test.describe('of a violation that does not fail the run', () => {
    interface Row {
      title: string;
      given: Given;
      type: 'not followed' | 'waived';
      description: RegExp;
    }
    const rows = [
      {
        title: 'names the standard of the recommendation',
        given: { judges: 'http.head', operation: 'listPets' },
        type: 'not followed',
        description: /^a recommendation \(RFC 9110 section 9.3.2\): LEVEL=must does not fail on it$/,
      },
      {
        title: 'names the set of requirements that it is newer than',
        given: { judges: 'add.persists', of: { asOf: '0.9.0' } },
        type: 'not followed',
        description: /^counts since suite \S+, and not in the set of 0.9.0$/,
      },
      {
        title: 'names the waiver that covers it',
        given: { of: { waivers: [waiver] } },
        type: 'waived',
        description: /^until 2999-12-31: a rewrite$/,
      },
    ] as const satisfies readonly Row[];
    for (const { title, given, type, description } of rows)
      test(title, () => {
        const { recorder, outcome, info } = recorded({ status: 'skipped', ...given });
        expect(() => recorder.match('toEcho()', violated(changed('b')))).toThrow(`skipped: ${type}: `);
        expect(info.annotations).toContainEqual({ type, description: expect.stringMatching(description) as unknown });
        expect(outcome()).toMatchObject({ outcome: 'failed', affected: [5] });
      });
  });

  test.describe('of a violation that fails the run', () => {
    const rows = [
      { title: 'is of a requirement', given: {} },
      { title: 'is of a recommendation with LEVEL=should', given: { judges: 'http.head', of: { level: 'should' } } },
      { title: 'has a waiver that has expired', given: { of: { waivers: [{ ...waiver, expires: '2020-01-01' }] } } },
      {
        title: 'has a waiver for another operation',
        given: { of: { waivers: [{ ...waiver, operation: 'getPet' }] } },
      },
    ] as const satisfies readonly { title: string; given: Given }[];
    for (const { title, given } of rows)
      test(title, () => {
        const { recorder, outcome } = recorded({ status: 'failed', ...given });
        expect(recorder.match('toEcho()', violated(changed('b'))).pass).toBe(false);
        expect(outcome()?.outcome).toBe('failed');
      });
  });
});

plain('a matcher of this suite works in its tests only', () => {
  expect(() => expect(answer()).toHaveStatus(200)).toThrow('matchers of this suite work in its tests only');
});
