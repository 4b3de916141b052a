/** Every reason for not judging has a class. */
import { expect } from '@playwright/test';
import { skipped } from '../../../fixtures/judge/judgement.ts';
import { NotJudged, notJudged } from '../../../fixtures/plan/not-judged.ts';
import { test } from './make.ts';

type Code = keyof typeof notJudged;

const classes = {
  inapplicable: ['removed', 'customPlan', 'noBodyDocumented', 'noFieldDocumented'],
  // Untested, with a remedy: the run is partial.
  untested: [
    'mayBeGone',
    'duplicate',
    ...['readOnly', 'readOnlyMethod', 'readOnlyThrottling', 'throttleKey', 'throttlingOff', 'planUnknown'],
    ...['emptyStore', 'tooFew', 'nothingBeyond', 'listMayBeCut', 'noOther', 'nothingToCallWith', 'nothingToChange'],
    ...[
      'noOtherCategory',
      'nothingToFilterBy',
      'removedByOneClock',
      'rejected',
      'noneTaken',
      'fewerThanTwo',
      'accepted',
      'addedLater',
    ],
    ...['idTaken', 'nothingRejected', 'nothingThrottled', 'noSuchResponse', 'noRoom', 'windowTooLong'],
    ...['limitTooLarge', 'waitTooLong', 'tooSlow', 'windowEnded', 'notPressed', 'otherLimit', 'nothingLeft', 'noRound'],
    ...['notAllowed', 'metByAnother', 'resetMoves', 'refillHides', 'notRecorded'],
  ],
  // Another case has the same purpose.
  unneeded: ['together', 'enoughAnimals', 'othersTaken', 'unsuspicious', 'notFoundTwice'],
  // The target or the network made it impossible.
  cantTell: ['noHeaders', 'see', 'notAsked', 'refusedByThen', 'unclear', 'notOwn'],
} as const satisfies Record<string, readonly Code[]>;

const of = (code: Code): NotJudged => (notJudged[code] as (...args: unknown[]) => NotJudged)('a', 'b', 'c', 'd');

test('every reason has one class', () => {
  expect(Object.values(classes).flat().toSorted()).toEqual(Object.keys(notJudged).toSorted());
});

for (const [title, codes] of Object.entries(classes))
  for (const code of codes)
    test(`${code} is ${title}`, () => {
      const why = of(code);
      expect(why).toMatchObject({ code, outcome: title === 'unneeded' ? 'untested' : title });
      expect(why.isUnneeded).toBe(title === 'unneeded');
      expect(why.message).not.toBe('');
      // Only untested reasons have a remedy.
      expect(why.remedy !== undefined).toBe(title === 'untested');
    });

test('a skipped judgement keeps its reason', () => {
  const why = notJudged.planUnknown();
  expect(skipped(why)).toEqual({ kind: 'notJudged', why });
});
