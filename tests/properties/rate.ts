/** The headers of the rate limit: section 8. How Remaining counts is judged in rate-counts.ts. */
import { leastOf, plans, rateHeaders } from '../../fixtures/contract/contract.ts';
import { type Exchange, header, targetTime } from '../../fixtures/target/http/exchange.ts';
import { parseHttpDate } from '../../fixtures/target/http/retry-after.ts';
import { LONGEST_WINDOW, readRateLimit, RESET_SLACK } from '../../fixtures/target/rate-limit/headers.ts';
import type { Properties, Property } from '../../fixtures/trace/store.ts';
import { undecided } from '../../fixtures/trace/step.ts';
import { judgeCounts } from './rate-counts.ts';
import { findHeaderFaults, ofResponses } from './responses.ts';

/** Seconds by which Reset may be in the past without a Date header: this machine's clock may differ by minutes. */
const UNKNOWN_CLOCK = 900;
const MINIMUM_LIMIT = leastOf(rateHeaders.limit, 1);
const MINIMUM_REMAINING = leastOf(rateHeaders.remaining, 0);

type Headers = ReturnType<typeof readRateLimit>['headers'];
type Wrong = ReturnType<Parameters<typeof findHeaderFaults>[2] & {}>;

/** Judges a header where it is sent: rate.headers judges whether it is. */
const ofHeader = (which: keyof Headers, check: (headers: Headers, exchange: Exchange) => Wrong): Property =>
  ofResponses((step) => {
    const { headers } = readRateLimit(step.exchange);
    const { name, text } = headers[which];
    return text !== undefined && step.judge(findHeaderFaults(step, name, () => check(headers, step.exchange)));
  });

function checkReset({ reset: { number: reset = NaN } }: Headers, exchange: Exchange): Wrong {
  const date = header(exchange, 'date');
  const hasDate = parseHttpDate(date ?? '') !== undefined;
  const now = targetTime(exchange);
  const slack = hasDate ? RESET_SLACK : UNKNOWN_CLOCK;
  // Who is refused waits for the Reset: Date is of the same server, and no later than the answer.
  const slackOfPast = hasDate && exchange.response?.status === 429 ? 0 : slack;
  // Reset may be as old as the request, and Date is as old as the answer.
  const earliest = now - slackOfPast - exchange.ms / 1000;
  const isInFuture = (seconds: number): boolean => seconds >= earliest && seconds <= now + LONGEST_WINDOW + slack;
  if (isInFuture(reset)) return undefined;
  const detail = hasDate ? `Date: ${date}, which is ${now}` : `no Date; it is about ${Math.round(now)} here`;
  const ofTime = reset < now ? 'in the past' : 'too far ahead';
  const how = isInFuture(reset / 1000) ? 'milliseconds for seconds' : reset > now / 2 ? ofTime : undefined;
  return { expected: 'a coming Unix time, within a day', detail, ...(how && { change: { how } }) };
}

export const rate: Properties = {
  'rate.headers': ofResponses((step) => {
    const { limit, remaining, reset } = rateHeaders;
    return step.judge([limit, remaining, reset].flatMap((name) => findHeaderFaults(step, name)));
  }),
  'rate.limit.value': ofHeader('limit', ({ limit: { whole = -1n } }) =>
    whole < BigInt(MINIMUM_LIMIT) ? { expected: `a whole number from ${MINIMUM_LIMIT}` } : undefined,
  ),
  'rate.remaining.value': ofHeader('remaining', ({ limit, remaining: { whole = -1n } }) => {
    if (whole < BigInt(MINIMUM_REMAINING)) return { expected: `a whole number from ${MINIMUM_REMAINING}` };
    return limit.whole && whole > limit.whole ? { expected: `at most ${limit.text} (the limit)` } : undefined;
  }),
  'rate.reset.value': ofHeader('reset', checkReset),
  'rate.remaining.counts': judgeCounts,

  *'rate.plan'({ steps, facts: { settings } }) {
    const { plan } = settings;
    if (plan === undefined) return yield undecided('PLAN is not set', { remedy: 'PLAN=free, or the plan of the key' });
    const numbers = plans[plan];
    const lawful = [numbers?.perMinute, numbers?.perDay].filter((value) => typeof value === 'number');
    if (lawful.length === 0)
      return yield undecided(`the limits of the plan ${plan} are custom`, { notApplicable: true });
    const seen = steps.filter(
      ({ request, exchange }) =>
        request.credential === 'key' && readRateLimit(exchange).headers.limit.whole !== undefined,
    );
    if (seen.length === 0) yield undecided(`no response carried ${rateHeaders.limit} (see rate.headers)`);
    for (const step of seen) {
      const { name, whole, text = '' } = readRateLimit(step.exchange).headers.limit;
      const more = { expected: lawful, actual: text, detail: plan, isOfKey: true } as const;
      yield step.violatesIf(!lawful.includes(Number(whole)), 'limit of another plan', `header ${name}`, more);
    }
  },
};
