/** Checks one run of the proof: is the server judged correctly, and does the problem name operation and place? */
import { operations } from '../../../fixtures/contract/contract.ts';
import { type RequirementId, requirementOf } from '../../../fixtures/contract/requirements.ts';
import type { Problem } from '../../../fixtures/report/model/problems.ts';
import type { ConformanceReport } from '../../../fixtures/report/model/report.ts';
import { LONGEST_TITLE } from '../../../fixtures/report/model/describe.ts';
import type { Subject } from './servers.ts';

/** Most further requirements that may fail with a defect without being named in `also`. */
const MOST_OTHERS = 3;

/** The result of one run on one server. */
export interface Proven extends Pick<Subject, 'kind' | 'id' | 'title'>, Found {
  breaks?: string;
  depth: Subject['at'];
  verdict: string;
  seconds: number;
  /** One sentence for each expectation that does not hold. */
  wrong: string[];
  problems: string[];
  /** The one problem hides nothing, so the defect may be combined. */
  hidesNothing: boolean;
  /** Reasons of failed and unjudged requirements. */
  reasons: Record<string, string>;
  /** Broken requirements, if another tool had recorded its requests. */
  foreign: string[];
}

/** What a run found, and with how many requests. */
export interface Found {
  failed: string[];
  cantTell: string[];
  requests: number;
}

export const idsOf = ({ requirements }: ConformanceReport, outcome: string): string[] =>
  requirements.filter((requirement) => requirement.outcome === outcome).map(({ id }) => id);

export const find = (report: ConformanceReport): Found => ({
  ...{ failed: idsOf(report, 'failed'), cantTell: idsOf(report, 'cantTell'), requests: report.requests.sent },
});

export function judged(subject: Subject, report: ConformanceReport): Omit<Proven, 'seconds' | 'foreign'> {
  const { kind, id, title, at: depth } = subject;
  const breaks = kind === 'defect' ? subject.breaks : undefined;
  const problems = selectProblems(report.problems, breaks);
  const notPassed = report.requirements.filter(({ outcome }) => outcome === 'failed' || outcome === 'cantTell');
  return {
    ...{ kind, id, title, depth, verdict: report.verdict, ...find(report), ...(breaks !== undefined && { breaks }) },
    wrong: [...listMistakes(subject, report, problems)],
    problems: problems.map((problem) => problem.title),
    hidesNothing: problems.every(({ hides }) => hides.length === 0),
    reasons: Object.fromEntries(notPassed.map((each) => [each.id, (each.reasons[0] ?? '').slice(0, 600)])),
  };
}

/** The problems in the list of the broken requirement. The reference's own recommendations are not part of a defect. */
function selectProblems(problems: readonly Problem[], breaks: string | undefined): Problem[] {
  const isOf = ({ requirements }: Problem): boolean => requirements.some((each) => each === breaks);
  const isAdvice = problems.find(isOf)?.list === 'advice';
  return problems.filter((each) => (isAdvice ? each.list === 'advice' && isOf(each) : each.list === 'gates'));
}

function* listMistakes(subject: Subject, report: ConformanceReport, [first]: readonly Problem[]): Generator<string> {
  const { verdict, errors, reason } = report;
  const { failed, cantTell, requests } = find(report);
  if (reason !== undefined) yield `the run did not begin: ${reason}`;
  if (errors[0] !== undefined) yield `the suite itself erred ${errors.length} times: ${errors[0].split('\n')[0]}`;
  if (subject.kind === 'escape') {
    if (verdict === 'conforms' || verdict === 'error') yield `the verdict is ${verdict}`;
  } else if (subject.kind === 'variant') {
    const accused = [...failed, ...cantTell].filter((each) => !subject.advice?.includes(each));
    if (accused.length > 0) yield `accused, or not judged: ${accused.join(', ')}`;
    if (verdict !== (subject.verdict ?? verdict)) yield `the verdict is ${verdict}, and not ${subject.verdict}`;
    if (subject.at === 'standard' && requests > (subject.atMost ?? Infinity))
      yield `${requests} requests were sent, and ${subject.atMost} are the most`;
  } else {
    const { breaks, also = [] } = subject;
    const others = failed.filter((each) => each !== breaks && requirementOf(each as RequirementId).level === 'must');
    const isExplained = others.every((each) => also.some((beginning) => each.startsWith(beginning)));
    if (!isExplained && others.length > MOST_OTHERS)
      yield `${others.length} other requirements failed with it: ${others.join(', ')}`;
    if (!failed.includes(breaks))
      yield `missed by ${breaks}${failed.length > 0 ? `, and caught by ${failed.join(', ')}` : ''}`;
    else if (first && !subject.isAgain) yield* mistakesOfTitle(first.title, breaks);
  }
}

/** What the first title has to name, by the beginning of the broken requirement's id; without a row, a word of its sentence. */
const PLACES = {
  'list.limit': /limit/,
  'list.status': /status/,
  'list.shows-added': /the list|item|\bid\b|name|categoryId|status|limit/,
  'list.succeeds': /: (\d{3}|the body|an item)|body/,
  'add.name': /name|body|bodies/,
  'add.category': /categoryId/,
  'add.status': /status/,
  'add.body': /body|bodies|name/,
  'add.created': /\d{3}|\bid\b|body/,
  'add.echo': /name|categoryId|status|animal/,
  'add.id': /\bid\b|ids/,
  'add.persists': /404|name|categoryId|status|animal|the list/,
  'add.rejected': /rejected requests/,
  'get.id': /petId|\d{3}/,
  'get.': /\d{3}|\bid\b|header|Deprecation|Sunset|animal/,
  'orders.exists': /orders\b.*: \d{3}/,
  'auth.refused': /rejected requests/,
  'auth.challenge': /WWW-Authenticate/,
  'auth.': /\d{3}/,
  'rate.headers': /X-RateLimit-/,
  'rate.limit': /X-RateLimit-Limit/,
  'rate.plan': /X-RateLimit-Limit/,
  'rate.remaining': /X-RateLimit-Remaining/,
  'rate.reset': /X-RateLimit-Reset/,
  'throttle.retry-after': /status 429: no Retry-After|Retry-After is/,
  'throttle.': /\d{3}|limit|rejected/,
  'service.json': /Content-Type|JSON|body|UTF-8/,
  'service.no-server-error': /5\d\d/,
  'service.no-undocumented-status': /\d{3}/,
  'pet.int64': /\bid\b|categoryId/,
  'pet.': /\bid\b|name|categoryId|status|body/,
  'pets.': /\bid\b|name|categoryId|status|body|item/,
  'error.status': /status in the Error/,
  'error.schema': /code|message|status|body/,
  'error.no-secrets': /key|stack trace/,
  'add.unsupported': /\d{3}/,
  'http.head': /\d{3}|body/,
  'http.method': /\d{3}|Allow/,
  'http.duplicate': /name/,
} as const satisfies Record<string, RegExp>;

function findPlace(breaks: string): RegExp {
  const place = Object.entries(PLACES).find(([prefix]) => breaks.startsWith(prefix))?.[1];
  const words = requirementOf(breaks as RequirementId).statement.match(/[\w-]{5,}/g) ?? [];
  return place ?? new RegExp(`\\b(${words.join('|')})\\b`);
}

function mistakesOfTitle(title: string, breaks: string): string[] {
  const place = findPlace(breaks);
  const where = [...operations.map(({ name }) => name), 'Every operation', 'HEAD /', 'PUT /', 'DELETE /'];
  return [
    ...(title.length > LONGEST_TITLE ? [`it has ${title.length} characters`] : []),
    ...(/…|\{"/.test(title) ? ['it holds a body or is cut'] : []),
    ...(/conformance-\w{6}-|\d{17}/.test(title.replaceAll(/9223372036854775\d{3}|9{20}/g, ''))
      ? ['it holds a random id']
      : []),
    ...(where.some((each) => title.includes(each)) ? [] : ['it names no operation']),
    ...(place.test(title) ? [] : [`it does not name ${String(place)}`]),
  ].map((mistake) => `the title "${title}": ${mistake}`);
}
