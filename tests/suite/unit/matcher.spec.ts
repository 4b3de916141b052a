/** An unusable answer stops every matcher in the same way, and never fails the requirement. */
import { expect } from '@playwright/test';
import * as matchers from '../../../fixtures/expect/matchers.ts';
import type { Judgement } from '../../../fixtures/judge/judgement.ts';
import { describeExpected } from '../../../fixtures/report/model/describe.ts';
import type { Exchange } from '../../../fixtures/target/http/exchange.ts';
import { Answer } from '../../../fixtures/target/run/answer.ts';
import { answer, exchange, type Given, runMatcher, test, TIMEOUT } from './make.ts';

/** Every matcher of one answer, with arguments for which a list of one animal can be judged. */
const ofOneAnswer = {
  toBeAnimal: (one) => matchers.toBeAnimal(one, {}),
  toBeAuthenticated: matchers.toBeAuthenticated,
  toBeList: matchers.toBeList,
  toHaveAnimalId: matchers.toHaveAnimalId,
  toEcho: (one) => matchers.toEcho(one, { name: 'Rex' }),
  toExist: matchers.toExist,
  toIncludeKnown: (one) => matchers.toIncludeKnown(one, [], 100),
  toHaveHeader: (one) => matchers.toHaveHeader(one, 'Allow'),
  toHaveIdOtherThan: (one) => matchers.toHaveIdOtherThan(one, '1'),
  toHaveNoBody: matchers.toHaveNoBody,
  toHaveStatus: (one) => matchers.toHaveStatus(one, 200, '2xx', '4xx'),
  toHaveLengthBetween: (one) => matchers.toHaveLengthBetween(one, 1, 1),
  toContainOnly: (one) => matchers.toContainOnly(one, 'sold'),
  toBeRejectedOrValidList: matchers.toBeRejectedOrValidList,
  toContainEach: (one) => matchers.toContainEach(one, [{ sent: {}, animal: { id: '7' } }]),
  toContainNoCopy: (one) => matchers.toContainNoCopy(one, new Map()),
  toContainNone: (one) => matchers.toContainNone(one, []),
} as const satisfies Record<string, (one: Answer) => Judgement>;

/** Matchers of many answers: their judgement handles unusable ones. */
const OF_MANY = ['toHaveDistinctIds', 'toBeSatisfied'];

const unusable: Record<string, Given> = {
  'no answer within 10 s': { failure: TIMEOUT },
  'got no answer: the connection was closed': {
    failure: { kind: 'closed', message: 'the connection was closed without an answer' },
  },
  'cannot be read: a body of more than 8 MB': {
    body: { text: '' },
    fault: { kind: 'too long', message: 'a body of more than 8 MB' },
  },
  'cannot be read: a body with the content coding exi': {
    body: { text: '' },
    fault: { kind: 'not decoded', message: 'a body with the content coding exi' },
  },
  'rate limited: GET /pets was answered 429': { status: 429 },
  'the valid key was rejected: GET /pets was answered 401': { status: 401 },
};

test('every matcher is in the table', () => {
  expect([...Object.keys(ofOneAnswer), ...OF_MANY].sort()).toEqual(Object.keys(matchers).sort());
});

/** Matchers that do not read the body. */
const OF_NO_BODY = ['toBeAuthenticated', 'toExist', 'toHaveHeader', 'toHaveNoBody', 'toHaveStatus'];

test('every matcher of the body is cantTell on JSON that is nested too deep', () => {
  const deep = answer({ body: { text: '['.repeat(20_000) + ']'.repeat(20_000) } });
  for (const [name, match] of Object.entries(ofOneAnswer) as [string, (one: Answer) => Judgement][])
    if (!OF_NO_BODY.includes(name))
      expect(
        runMatcher(() => match(deep)),
        name,
      ).toMatch(/^cantTell: .*cannot be read: it is /);
});

interface Evidence {
  /** The exchanges of the finding, and the compared ones. */
  shown: readonly Exchange[];
  compared: readonly Exchange[];
  expected: string;
}

function renderEvidence(found: Judgement): Evidence {
  if (found.kind === 'holds') return { shown: found.exchanges, compared: found.judged, expected: 'this' };
  if (found.kind !== 'violated') throw new Error(`it is ${found.kind}`);
  const [{ exchanges, differences }] = found.violations;
  return { shown: exchanges, compared: found.judged, expected: describeExpected({ differences }) };
}

for (const [name, match] of Object.entries(ofOneAnswer) as [string, (one: Answer) => Judgement][]) {
  test(`${name} is cantTell on an unusable answer`, () => {
    for (const [reason, given] of Object.entries(unusable)) {
      // toBeAuthenticated judges a 401, and toExist has its own message for a missing answer.
      if (name === 'toBeAuthenticated' && given.status === 401) continue;
      if (name === 'toExist' && given.failure) continue;
      expect(runMatcher(() => match(answer(given)))).toMatch(new RegExp(`^cantTell: .*${reason}`));
    }
  });

  test(`${name} shows the exchange that it judged`, () => {
    const list = answer();
    const one = name === 'toBeAnimal' || name === 'toEcho' ? answer({ operation: 'getPet' }) : list;
    const { shown, compared, expected } = renderEvidence(match(one));
    expect(shown).toEqual([one.exchange]);
    expect(compared).toEqual([one.exchange]);
    expect(expected).not.toBe('');
  });
}

test('an operation with only 5xx is cantTell for every matcher except toExist', () => {
  const outage = new Answer(exchange({ operation: 'getPet', status: 503 }), true);
  for (const [name, match] of Object.entries(ofOneAnswer) as [string, (one: Answer) => Judgement][])
    expect(`${name} ${runMatcher(() => match(outage))}`).toMatch(
      name === 'toExist'
        ? /^toExist fails: status 503$/
        : /cantTell: every request to GET \/pets\/7 is answered 5xx \(see service.no-server-error\)/,
    );
});

test('a single 5xx is an ordinary answer', () => {
  expect(runMatcher(() => matchers.toHaveStatus(answer({ status: 500 }), 200))).toBe('fails: status 500');
});

test('a fault of the bytes only leaves the body readable', () => {
  const fault = { kind: 'byte order mark', message: 'a body that begins with a byte order mark' } as const;
  expect(runMatcher(() => matchers.toBeList(answer({ fault })))).toBe('passes');
});

test('a wrong key that is refused is not a refusal of the valid one', () => {
  for (const credential of ['none', 'unknown', 'Basic'] as const)
    expect(runMatcher(() => matchers.toHaveStatus(answer({ status: 401, credential }), 401))).toBe('passes');
});
