/** The headers of the rate limit: section 8. How Remaining counts is judged in rate-counts.ts. */
import { minimumOf, plans, rateHeaders } from '../../fixtures/contract/contract.ts';
import { type Exchange, header, targetTime } from '../../fixtures/target/http/exchange.ts';
import { parseHttpDate } from '../../fixtures/target/http/retry-after.ts';
import { LEAST_REQUESTS } from '../../fixtures/trace/rate-limit/counts.ts';
import { LONGEST_SHORT_WINDOW, LONGEST_WINDOW } from '../../fixtures/target/rate-limit/headers.ts';
import { readRateLimit, RESET_SLACK } from '../../fixtures/target/rate-limit/headers.ts';
import { type Instance, type Step, undecided } from '../../fixtures/trace/step.ts';
import type { Properties, Property, Store } from '../../fixtures/trace/store.ts';
import { judgeCounts } from './rate-counts.ts';
import { type Check, checkHeader, ofResponses } from './responses.ts';

/** Seconds by which Reset may be in the past without a Date header: this machine's clock may differ by minutes. */
const UNKNOWN_CLOCK = 900;
const MINIMUM_LIMIT = minimumOf(rateHeaders.limit, 1);
const MINIMUM_REMAINING = minimumOf(rateHeaders.remaining, 0);

type Headers = ReturnType<typeof readRateLimit>['headers'];
type Wrong = ReturnType<Check>;

/** Judges a header where it is sent: rate.headers judges whether it is. */
const ofHeader = (
  which: keyof Headers,
  check: (headers: Headers, exchange: Exchange, store: Store) => Wrong,
): Property =>
  ofResponses((step, store) => {
    const { headers } = readRateLimit(step.exchange);
    const { name, text } = headers[which];
    return text !== undefined && step.judge(checkHeader(step, name, () => check(headers, step.exchange, store)));
  });

function checkReset({ limit, reset: { number: reset = NaN } }: Headers, exchange: Exchange, { facts }: Store): Wrong {
  const date = header(exchange, 'date');
  const hasDate = parseHttpDate(date ?? '') !== undefined;
  const now = targetTime(exchange);
  const slack = hasDate ? RESET_SLACK : UNKNOWN_CLOCK;
  const isThrottled = exchange.response?.status === 429;
  // A client that is refused waits for the Reset: Date is of the same server, and no later than the answer.
  const slackOfPast = hasDate && isThrottled ? 0 : slack;
  // Reset may be as old as the request, and Date is as old as the answer.
  const earliest = now - slackOfPast - exchange.ms / 1000;
  // The Limit of a minute, as the plan shows it, resets within a minute; a 429 may show the end of a ban.
  const { perMinute = null } = plans[facts.settings.plan ?? ''] ?? {};
  const isOfMinute = !isThrottled && limit.number === perMinute;
  const latest = now + (isOfMinute ? LONGEST_SHORT_WINDOW : LONGEST_WINDOW) + slack;
  const isInFuture = (seconds: number): boolean => seconds >= earliest && seconds <= latest;
  if (isInFuture(reset)) return undefined;
  const detail = hasDate ? `Date: ${date}, which is ${now}` : `no Date; it is about ${Math.round(now)} here`;
  const within = isOfMinute ? 'minute' : 'day';
  const ofTime = reset < now ? 'in the past' : (`more than a ${within} ahead` as const);
  const how = isInFuture(reset / 1000) ? 'in milliseconds, not seconds' : reset > now / 2 ? ofTime : undefined;
  return { expected: `a Unix time within the next ${within}`, detail, ...(how && { change: { how } }) };
}

const SET_PLAN = { remedy: 'PLAN=free, or the plan of the key' };

/** A limit that always equals Remaining, and falls with it: no plan has one. */
function findRemainingAsLimit(own: readonly Step[]): Instance | undefined {
  const read = own.filter(({ window }) => window);
  const limits = [...new Set(read.map(({ window }) => window?.limit))];
  const isRemaining = limits.length > LEAST_REQUESTS && read.every(({ window }) => window?.limit === window?.remaining);
  if (!isRemaining) return undefined;
  const actual = limits.slice(0, 2).join(', then ');
  const more = { expected: 'the limit of the plan', actual, isOfKey: true } as const;
  return read[0]?.violates('wrong header', `header ${rateHeaders.limit}`, more, ...read.slice(1, 4));
}

export const rate: Properties = {
  'rate.headers': ofResponses((step) => {
    const { limit, remaining, reset } = rateHeaders;
    return step.judge([limit, remaining, reset].flatMap((name) => checkHeader(step, name)));
  }),
  'rate.limit.value': ofHeader('limit', ({ limit: { integer = -1n } }) =>
    integer < BigInt(MINIMUM_LIMIT) ? { expected: `a whole number from ${MINIMUM_LIMIT}` } : undefined,
  ),
  'rate.remaining.value': ofHeader('remaining', ({ limit, remaining: { integer = -1n } }) => {
    if (integer < BigInt(MINIMUM_REMAINING)) return { expected: `a whole number from ${MINIMUM_REMAINING}` };
    return limit.integer && integer > limit.integer ? { expected: `at most ${limit.text} (the limit)` } : undefined;
  }),
  'rate.reset.value': ofHeader('reset', checkReset),
  'rate.remaining.counts': judgeCounts,

  *'rate.plan'({ steps, facts: { settings } }) {
    const { plan } = settings;
    const ofKey = steps.filter(({ request }) => request.credential === 'key');
    if (plan === undefined) return yield findRemainingAsLimit(ofKey) ?? undecided('PLAN is not set', SET_PLAN);
    const numbers = plans[plan];
    const lawful = [numbers?.perMinute, numbers?.perDay].filter((value) => typeof value === 'number');
    if (lawful.length === 0)
      return yield undecided(`the limits of the plan ${plan} are custom`, { notApplicable: true });
    const read = ofKey.map((step) => ({ step, ...readRateLimit(step.exchange).headers.limit }));
    const seen = read.filter(({ integer }) => integer !== undefined);
    const sent = read.find(({ text }) => text !== undefined)?.step;
    if (sent && seen.length === 0)
      yield sent.blockedBy('rate.limit.value', `no ${rateHeaders.limit} is a whole number`);
    if (!sent && ofKey[0]) yield ofKey[0].blockedBy('rate.headers', `no response carried ${rateHeaders.limit}`);
    const isOther = ({ integer }: (typeof read)[number]): boolean => !lawful.includes(Number(integer));
    const isOfKey = seen.every(isOther);
    for (const one of seen) {
      const more = { expected: lawful, actual: one.text ?? '', detail: plan, ...(isOfKey && { isOfKey }) } as const;
      yield one.step.violatesIf(isOther(one), 'limit of another plan', `header ${one.name}`, more);
    }
  },
};
