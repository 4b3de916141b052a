/** The headers of the rate limit: section 8. How Remaining counts is judged in rate-counts.ts. */
import { leastOf, plans, rateHeaders } from '../../fixtures/contract/contract.ts';
import { type Exchange, header, headerValues, targetTime } from '../../fixtures/target/http/exchange.ts';
import { parseHttpDate } from '../../fixtures/target/http/retry-after.ts';
import { LONGEST_WINDOW, readRateLimit, RESET_SLACK } from '../../fixtures/target/rate-limit/headers.ts';
import { type Difference, difference } from '../../fixtures/trace/finding.ts';
import type { Properties } from '../../fixtures/trace/property.ts';
import { undecided } from '../../fixtures/trace/step.ts';
import { judgeCounts } from './rate-counts.ts';
import { ofResponses } from './responses.ts';

/** Seconds by which Reset may be in the past without a Date header: this machine's clock may differ by minutes. */
const UNKNOWN_CLOCK = 900;
const MINIMUM_LIMIT = leastOf(rateHeaders.limit, 1);
const MINIMUM_REMAINING = leastOf(rateHeaders.remaining, 0);

/** The name under which a missing header was sent instead: with or without `X-`. */
function findRenamed(exchange: Exchange, name: string): Difference['change'] {
  const other = [name.replace(/^X-/i, ''), name.replaceAll('RateLimit', 'Rate-Limit')].find(
    (each) => each !== name && headerValues(exchange, each).length > 0,
  );
  return other === undefined ? undefined : { how: 'another name', detail: other };
}

type Headers = ReturnType<typeof readRateLimit>['headers'];
/** What a header has to be that is something else. */
type Wrong = [expected: string, more?: Parameters<typeof difference>[2]];

const ofHeader = (which: keyof Headers, check: (headers: Headers, exchange: Exchange) => Wrong | undefined) =>
  ofResponses((step) => {
    const { headers } = readRateLimit(step.exchange);
    const { name, text } = headers[which];
    if (text === undefined) return undefined;
    const [expected, more] = check(headers, step.exchange) ?? [];
    const shown = { expected, actual: text, ...more };
    return step.violatesIf(expected !== undefined, 'wrong header', `header ${name}`, shown);
  });

function checkReset({ reset: { number: reset = NaN } }: Headers, exchange: Exchange): Wrong | undefined {
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
  const change = explainReset(reset, now, isInFuture(reset / 1000));
  return ['a coming Unix time, within a day', { detail, change }];
}

function explainReset(reset: number, now: number, isMilliseconds: boolean): Difference['change'] {
  if (isMilliseconds) return { how: 'milliseconds for seconds' };
  const isTime = reset > now / 2;
  return isTime ? { how: reset < now ? 'in the past' : 'too far ahead' } : undefined;
}

export const rate: Properties = {
  'rate.headers': ofResponses((step) => {
    const { limit, remaining, reset } = readRateLimit(step.exchange).headers;
    const missing = [limit, remaining, reset].filter(({ text }) => text === undefined);
    const wrong = missing.map(({ name }) =>
      difference('missing header', `header ${name}`, { change: findRenamed(step.exchange, name) }),
    );
    return step.judge(wrong);
  }),
  'rate.limit.value': ofHeader('limit', ({ limit: { whole = -1n } }) =>
    whole < BigInt(MINIMUM_LIMIT) ? [`a whole number from ${MINIMUM_LIMIT}`] : undefined,
  ),
  'rate.remaining.value': ofHeader('remaining', ({ limit, remaining: { whole = -1n } }) => {
    if (whole < BigInt(MINIMUM_REMAINING)) return [`a whole number from ${MINIMUM_REMAINING}`];
    return limit.whole && whole > limit.whole ? [`at most ${limit.text} (the limit)`] : undefined;
  }),
  'rate.reset.value': ofHeader('reset', checkReset),
  'rate.remaining.counts': judgeCounts,

  *'rate.plan'({ steps, facts: { settings } }) {
    const { plan } = settings;
    if (plan === undefined)
      return yield undecided('out of reach', 'PLAN is not set', { remedy: 'PLAN=free, or the plan of the key' });
    const numbers = plans[plan];
    const lawful = [numbers?.perMinute, numbers?.perDay].filter((value) => typeof value === 'number');
    if (lawful.length === 0) return yield undecided('not applicable', `the limits of the plan ${plan} are custom`);
    const seen = steps.filter(
      ({ request, exchange }) =>
        request.credential === 'key' && readRateLimit(exchange).headers.limit.whole !== undefined,
    );
    if (seen.length === 0) yield undecided('in the way', `no response carried ${rateHeaders.limit} (see rate.headers)`);
    for (const step of seen) {
      const { name, whole, text = '' } = readRateLimit(step.exchange).headers.limit;
      const more = { expected: lawful, actual: text, detail: plan, isOfKey: true } as const;
      yield step.violatesIf(!lawful.includes(Number(whole)), 'limit of another plan', `header ${name}`, more);
    }
  },
};
