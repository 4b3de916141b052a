/** The headers of the rate limit: section 8. How Remaining counts is judged in rate-counts.ts. */
import { leastOf, plans, rateHeaders } from '../../fixtures/contract/contract.ts';
import { type Difference, difference, shownText, wrongHeader } from '../../fixtures/trace/finding.ts';
import { type Exchange, header, headerValues, targetTime } from '../../fixtures/target/http/exchange.ts';
import { parseHttpDate } from '../../fixtures/target/http/retry-after.ts';
import { LONGEST_WINDOW, readRateLimit, RESET_SLACK } from '../../fixtures/target/rate-limit/headers.ts';
import { judge, inTheWay, notApplicable, outOfReach, type Properties } from '../../fixtures/trace/property.ts';
import type { Step } from '../../fixtures/trace/step.ts';
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

const checkLimit = (exchange: Exchange): Difference[] | undefined => {
  const { name, text, whole = -1n } = readRateLimit(exchange).sent.limit;
  if (text === undefined) return undefined;
  return whole < BigInt(MINIMUM_LIMIT) ? [wrongHeader(name, `a whole number from ${MINIMUM_LIMIT}`, text)] : [];
};

const checkRemaining = (exchange: Exchange): Difference[] | undefined => {
  const { limit, remaining } = readRateLimit(exchange).sent;
  const { name, text, whole = -1n } = remaining;
  if (text === undefined) return undefined;
  if (whole < BigInt(MINIMUM_REMAINING)) return [wrongHeader(name, `a whole number from ${MINIMUM_REMAINING}`, text)];
  const isAbove = limit.whole !== undefined && limit.whole > 0n && whole > limit.whole;
  return isAbove ? [wrongHeader(name, `at most ${limit.text} (the limit)`, text)] : [];
};

function checkReset(exchange: Exchange): Difference[] | undefined {
  const { name, text, number: reset = NaN } = readRateLimit(exchange).sent.reset;
  if (text === undefined) return undefined;
  const date = header(exchange, 'date');
  const hasDate = parseHttpDate(date ?? '') !== undefined;
  const now = targetTime(exchange);
  const slack = hasDate ? RESET_SLACK : UNKNOWN_CLOCK;
  // Who is refused waits for the Reset: Date is of the same server, and no later than the answer.
  const slackOfPast = hasDate && exchange.response?.status === 429 ? 0 : slack;
  // Reset may be as old as the request, and Date is as old as the answer.
  const earliest = now - slackOfPast - exchange.ms / 1000;
  const isInFuture = (seconds: number): boolean => seconds >= earliest && seconds <= now + LONGEST_WINDOW + slack;
  if (isInFuture(reset)) return [];
  const detail = hasDate ? `Date: ${date}, which is ${now}` : `no Date; it is about ${Math.round(now)} here`;
  const change = explainReset(reset, now, isInFuture(reset / 1000));
  return [wrongHeader(name, 'a coming Unix time, within a day', text, { detail, change })];
}

function explainReset(reset: number, now: number, isMilliseconds: boolean): Difference['change'] {
  if (isMilliseconds) return { how: 'milliseconds for seconds' };
  const isTime = reset > now / 2;
  return isTime ? { how: reset < now ? 'in the past' : 'too far ahead' } : undefined;
}

const ofHeader = (check: (exchange: Exchange) => Difference[] | undefined) =>
  ofResponses((step) => {
    const wrong = check(step.exchange);
    return wrong && judge(wrong, step);
  });

const readLimit = ({ exchange }: Step): bigint | undefined => readRateLimit(exchange).sent.limit.whole;

export const rate: Properties = {
  'rate.headers': ofHeader((exchange) => {
    const { limit, remaining, reset } = readRateLimit(exchange).sent;
    return [limit, remaining, reset]
      .filter(({ text }) => text === undefined)
      .map(({ name }) => difference('missing header', `header ${name}`, { change: findRenamed(exchange, name) }));
  }),
  'rate.limit.value': ofHeader(checkLimit),
  'rate.remaining.value': ofHeader(checkRemaining),
  'rate.reset.value': ofHeader(checkReset),
  'rate.remaining.counts': judgeCounts,

  *'rate.plan'({ steps, facts: { settings } }) {
    const { plan } = settings;
    if (plan === undefined) return yield outOfReach('PLAN is not set', 'PLAN=free, or the plan of the key');
    const numbers = plans[plan];
    const lawful = [numbers?.perMinute, numbers?.perDay].filter((value) => typeof value === 'number');
    if (lawful.length === 0) return yield notApplicable(`the limits of the plan ${plan} are custom`);
    const seen = steps.filter((step) => step.request.credential === 'key' && readLimit(step) !== undefined);
    if (seen.length === 0) yield inTheWay(`no response carried ${rateHeaders.limit} (see rate.headers)`);
    for (const step of seen) {
      const actual = shownText(readRateLimit(step.exchange).sent.limit.text ?? '');
      const more = { expected: lawful, actual, detail: plan, isOfKey: true } as const;
      const wrong = difference('limit of another plan', `header ${rateHeaders.limit}`, more);
      yield judge(lawful.includes(Number(readLimit(step))) ? [] : [wrong], step);
    }
  },
};
