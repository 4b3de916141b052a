/**
 * How Remaining counts: section 8.
 *
 * The specification names neither the algorithm nor the window. A fixed window keeps Reset and gives nothing back; a bucket
 * gives requests back, evenly or in steps; earlier requests leave a sliding window. So only what no limiter with these headers
 * gives back in that time is a violation: requests that Remaining did not fall by, and rises. Other users of the key only make
 * it fall faster, and a count that lags falls by more later.
 */
import { rateHeaders } from '../../fixtures/contract/contract.ts';
import { countMissing, countRequests, findRises, findUncounted } from '../../fixtures/trace/rate-limit/counts.ts';
import { findWindows, LAG, LEAST_REQUESTS, measureLag } from '../../fixtures/trace/rate-limit/counts.ts';
import { type Batch, doesResetMove, findBatches } from '../../fixtures/trace/rate-limit/windows.ts';
import { findFastestRefill, isSameReset, isWindowOver } from '../../fixtures/trace/rate-limit/windows.ts';
import { RESET_MOVES_AFTER, UNKNOWN_WINDOW } from '../../fixtures/trace/rate-limit/windows.ts';
import { counted, groupBy } from '../../fixtures/text.ts';
import type { Kind } from '../../fixtures/trace/finding.ts';
import { type Instance, isInLowerCase, FIX_FIRST, type Step } from '../../fixtures/trace/step.ts';
import type { Store } from '../../fixtures/trace/store.ts';

/** Whether as many requests as the limit allows end in a 429 with the same count, so that few of them came back. */
function isUsedUp(steps: readonly Step[], { limit, low }: Batch): boolean {
  const last = steps.findLast(({ status, window }) => status === 429 && window?.remaining === low);
  const before = steps.filter(({ status, start }) => status !== 429 && start <= (last?.end ?? 0));
  return low > 0 && last !== undefined && before.length >= limit;
}

const REMEDY = 'THROTTLING=on, with a THROTTLE_API_KEY whose window is a minute or longer';
const TOO_FEW =
  'too few requests fell into one window: X-RateLimit-Reset or -Limit changes, which is allowed, or the window was nearly over';
const NO_KEYS = [
  'the recording does not show the keys of its requests: each of several keys has its own count',
  'a recording with Authorization headers',
] as const;

/** rate.remaining.counts: judges each key separately; a fast refill may hide the count of one. */
export function* judgeCounts(store: Store): Iterable<Instance> {
  // The key with its scheme in lower case uses the same budget, or is refused.
  const all = store.steps.filter((step) => step.isOfKey && !isInLowerCase(step));
  const shown = all.filter((step) => store.showsKey(step));
  if (all[0] && shown.length === 0) yield all[0].outOfReach(...NO_KEYS);
  for (const ofKey of groupBy(shown, ({ key }) => key).values()) yield* judgeKey(ofKey);
}

function judgeKey(ofKey: readonly Step[]): readonly Instance[] {
  const [batches, last] = [findBatches(ofKey), ofKey.at(-1) as Step];
  // Without one the headers are missing or wrong, as rate.headers shows.
  if (batches.length === 0) return [];
  if (countRequests(batches) <= LEAST_REQUESTS) return [last.outOfReach(TOO_FEW, REMEDY)];
  const moves = doesResetMove(ofKey);
  // Earlier requests may leave a sliding window, which a Reset that moves shows.
  const hasChanged = batches.some(({ fall }) => fall !== 0);
  const mayReturn = hasChanged && batches.some((batch, i) => countMissing(batch, i === 0) > 0);
  const refill = { rate: findFastestRefill(ofKey, 2), slides: moves ?? mayReturn };
  const wrong = findWrong(ofKey, batches, refill);
  if (wrong.length > 0) return wrong;
  const decisive = findDecisive(batches, refill, moves);
  if (decisive) return [(decisive.requests.at(-1) as Step).holds()];
  if (!ofKey.some(({ window }) => window?.reset !== undefined))
    return [last.outOfReach(`no ${rateHeaders.reset} is a time to come (see rate.reset.value)`, FIX_FIRST)];
  const read = ofKey.findLast(({ operation, isServed }) => operation?.method === 'GET' && isServed);
  if (!read || moves !== undefined || !mayReturn)
    return [last.outOfReach('requests come back as fast as they are sent, which hides the count', REMEDY)];
  const reason = `${rateHeaders.remaining} does not always fall within a second, which a sliding window explains`;
  return [read.askAgain(reason, { at: last.end + RESET_MOVES_AFTER * 1000 + 100, remedy: REMEDY })];
}

type Refill = Parameters<typeof findUncounted>[1];

const neverFalls = (batches: readonly Batch[]): boolean => batches.every(({ fall }) => fall <= 0);

function findWrong(ofKey: readonly Step[], batches: readonly Batch[], refill: Refill): Instance[] {
  const [separate] = GROUPINGS.flatMap((grouping) => findOwnCount(batches, refill.rate, grouping));
  if (separate) return [separate];
  // Over all windows, whatever Reset does.
  const isStill = neverFalls(batches) && (findUncounted(batches, refill) ?? isUsedUp(ofKey, batches[0] as Batch));
  const wrong = isStill ? blameRun(batches) : findWrongWindows(findWindows(batches), refill);
  return wrong.length > 0 ? wrong : blameRun(findUncountedOperation(ofKey, batches, refill) ?? []);
}

/** An operation that shows another window each time, and never falls, though an earlier count was lower than lags explain. */
function findUncountedOperation(ofKey: readonly Step[], batches: readonly Batch[], refill: Refill) {
  const isLower = ({ low, end, requests }: Batch, later: Batch): boolean =>
    low < later.low - LAG && end <= later.start && requests.every((step) => isOfWindow(later, step));
  const isShown = (run: readonly Batch[]): boolean =>
    run.some((later) => batches.some((earlier) => isLower(earlier, later)));
  const ofOperations = groupBy(ofKey, ({ operation }) => operation);
  ofOperations.delete(undefined);
  const runs = [...ofOperations.values()].map((own) => findBatches(own));
  return runs.find((run) => neverFalls(run) && findUncounted(run, refill) && isShown(run));
}

function findWrongWindows(windows: readonly Batch[][], refill: Refill): Instance[] {
  const lag = Math.max(0, ...windows.map(measureLag));
  const isWrong = (run: readonly Batch[]) => findUncounted(run, refill, { lag, firstLag: Math.max(lag, LAG) });
  return windows.flatMap((run) => (isWrong(run) ? blameRun(run) : findRises(run, refill).map(blameRise)));
}

/** Where a count that stands still would have been found; none if this one never falls, rises too often, or is right only if its window slides. */
function findDecisive(batches: readonly Batch[], refill: Refill, moves: boolean | undefined): Batch | undefined {
  const windows = findWindows(batches);
  const isInWindow = ({ before, start }: Batch) => before?.requests.some((step) => !isWindowOver(step, start));
  const rises = batches.filter((batch) => batch.fall < 0 && isInWindow(batch)).length;
  const isSure = rises === 0 || (moves !== undefined && rises <= batches.filter(({ fall }) => fall > 0).length);
  const needsSliding = moves === undefined && findWrongWindows(windows, { ...refill, slides: false }).length > 0;
  if (neverFalls(batches) || !isSure || needsSliding) return undefined;
  const inAll = findUncounted(batches, refill, { standsStill: true, perSecond: refill.rate });
  return inAll ?? windows.flatMap((run) => findUncounted(run, refill, { standsStill: true }) ?? [])[0];
}

const firstSegment = ({ request }: Step): string => `${request.path.split('/')[1]}`;

/** By what requests may have separate counts. */
const GROUPINGS = Object.entries<(step: Step) => string>({
  operation: ({ operation }) => operation?.id ?? '',
  method: ({ exchange }) => exchange.request.method,
  path: ({ request }) => request.path,
  route: ({ operation }) => operation?.path ?? '',
  'method and path': ({ exchange, request }) => `${exchange.request.method} ${request.path}`,
  'first segment of the path': firstSegment,
  'method and first segment of the path': (step) => `${step.exchange.request.method} ${firstSegment(step)}`,
});

/** Whether a batch falls into the window that an earlier answer announced. */
function isOfWindow({ limit, reset, end }: Batch, { window, end: answered }: Step): boolean {
  const isBefore = end < answered + ((window?.resetIn ?? 0) - UNKNOWN_WINDOW) * 1000;
  return window?.limit === limit && (isSameReset(window.reset, reset) || isBefore);
}

/** Each time that requests of one kind follow others in one window: these others, and the counts before and after. */
function* findTurns(batches: readonly Batch[], rate: number, kindOf: (step: Step) => string) {
  const all = batches.flatMap(({ requests }) => requests).sort((a, b) => a.number - b.number);
  const placeOf = new Map(all.map(({ number }, i) => [number, i]));
  // Requests that the contract does not have may be of any kind.
  const isKnown = ({ operation }: Step): boolean => operation !== undefined;
  for (const [kind, own] of groupBy(all.filter(isKnown), kindOf))
    for (const batch of findBatches(own)) {
      const { before, requests, limit, low, start, end, last } = batch;
      const [after = 0, until] = [placeOf.get(before?.last ?? 0), placeOf.get(last) ?? all.length];
      // Before its first requests, the count of a kind is the limit.
      const { start: since = start, low: was = limit } = before ?? { start: all[0]?.start };
      const returned = (rate * (end - since)) / 1000 + (before ? 0 : LAG);
      if (until - after <= returned) continue;
      const earlier = all.slice(after, until);
      // Of requests in parallel, the order in which they were counted is unknown.
      const apart = earlier.filter((step) => step.start >= (before?.end ?? 0) && step.end <= start);
      const others = apart.filter((step) => isKnown(step) && kindOf(step) !== kind);
      const from = (before?.requests ?? others).at(-1);
      if (!from || !isOfWindow(batch, from)) continue;
      const uncounted = others.length - returned;
      const unknown = earlier.filter((step) => !isKnown(step)).length;
      if (uncounted > 0) yield { kind, isFirst: !before, requests, others, from, was, low, uncounted, unknown };
    }
}

/** How often requests of one kind have to follow others, and how many others, to show that these make no count fall. */
const [LEAST_TURNS, LEAST_OTHERS] = [3, 6];

/** Whether each kind of requests has its own count: no refill gives back, each time, as many as those of other kinds were. */
function findOwnCount(batches: readonly Batch[], rate: number, [name, kindOf]: (typeof GROUPINGS)[number]): Instance[] {
  const exact: { kind: string; uncounted: number; blamed: Instance }[] = [];
  for (const { kind, isFirst, requests, others, from, was, low, ...turn } of findTurns(batches, rate, kindOf)) {
    const more = was - low - requests.length;
    // Other clients may have used the key before.
    if (!isFirst && (more < 0 || more > turn.unknown)) return [];
    const shown = [...requests.slice(-1), ...others.slice(-2), ...(isFirst ? [] : [from])];
    const detail = `fell only with requests of the same ${name}`;
    const blamed = blame('not counted', shown, [was, low], detail, { isOfKey: true });
    if (more === 0) exact.push({ kind, uncounted: turn.uncounted, blamed });
  }
  const isFound =
    exact.length >= LEAST_TURNS &&
    new Set(exact.map(({ kind }) => kind)).size > 1 &&
    exact.reduce((sum, { uncounted }) => sum + uncounted, 0) >= LEAST_OTHERS;
  return exact.slice(0, Number(isFound)).map(({ blamed }) => blamed);
}

/** Shows the requests after which it did not fall, or else fell by less; those of operations, if there are any. */
function blameRun(run: readonly Batch[]): Instance[] {
  const pairs = run.length > 1 ? run.slice(1) : run;
  const still = pairs.filter(({ fall }) => fall <= 0);
  const missed = still.length > 0 ? still : run.filter((batch) => countMissing(batch, batch === run[0]) > 0);
  const ofOperations = missed.filter(({ requests }) => requests.at(-1)?.operation);
  const shown = ofOperations.length > 0 ? ofOperations : missed;
  // Of requests in parallel, only how many were counted is known.
  const fallen = pairs.reduce((sum, { fall, requests }) => sum + Math.max(0, Math.min(fall, requests.length)), 0);
  const detail = `fell in ${fallen} of ${counted(countRequests(pairs), 'request')}`;
  // Of many findings, those of each operation come first.
  const firsts = groupBy(shown, ({ requests }) => requests.at(-1)?.operation).values();
  const inOrder = new Set([...[...firsts].flatMap(([first]) => first ?? []), ...shown]);
  const blamed = [...inOrder].map(({ requests, before, low }) => {
    const steps = [...requests.toReversed(), ...(before?.requests.slice(-1) ?? [])];
    return blame('not counted', steps, [before?.low ?? low, low], detail);
  });
  const others = pairs.filter((batch) => !missed.includes(batch));
  return [...blamed, ...others.map(({ requests }) => (requests.at(-1) as Step).holds())];
}

function blameRise({ requests, before, high }: Batch): Instance {
  const { low = high, requests: earlier = [] } = before ?? {};
  return blame('count rises', [...requests, ...earlier.slice(-1)], [low, high], `by ${high - low}`);
}

function blame(kind: Kind, seen: readonly Step[], actual: number[], detail: string, key?: { isOfKey: true }): Instance {
  const [first, ...steps] = seen as [Step, ...Step[]];
  const expected = `falls with each request while ${rateHeaders.reset} stays the same`;
  const more = { expected, actual, detail, ...key };
  return first.violates(kind, `header ${rateHeaders.remaining}`, more, ...steps);
}
