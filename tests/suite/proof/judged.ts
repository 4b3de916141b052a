/** Checks one run of the proof: is the server judged correctly? */
import { requirements } from '../../../fixtures/contract/requirements.ts';
import type { Defect, Escape } from '../../../fixtures/reference/defects/index.ts';
import type { Variant } from '../../../fixtures/reference/variants/index.ts';
import type { ConformanceReport } from '../../../fixtures/report/model/report.ts';
import { mistakesOfTitle, ofDefect } from './problems.ts';

/** Most further requirements that may fail with a defect without being named in `also`. */
const MOST_OTHERS = 3;

/** The result of one run on one server. */
export interface Proven {
  kind: Kind;
  id: string;
  title: string;
  breaks?: string;
  depth: Depth;
  verdict: string;
  failed: string[];
  cantTell: string[];
  requests: number;
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

export type Kind = 'defect' | 'escape' | 'variant';
export type Depth = 'standard' | 'thorough';

/** A server, and the depth at which it is judged; of combined defects only the problems count. */
export type Subject = { at: Depth; isCombined?: true } & (
  ({ kind: 'defect' } & Defect) | ({ kind: 'escape' } & Escape) | ({ kind: 'variant' } & Variant)
);

/** A server at each of its depths. */
export const atDepths = <S extends object>(subject: S): (S & { at: Depth })[] =>
  (['standard', 'thorough'] as const)
    .filter((at) => at === 'thorough' || !('depth' in subject && subject.depth === 'thorough'))
    .map((at) => ({ ...subject, at }));

export const nameOf = ({ id, at }: Subject): string => (at === 'thorough' ? `${id} (thorough)` : id);

export function judged(subject: Subject, report: ConformanceReport): Omit<Proven, 'seconds' | 'foreign'> {
  const { kind, id, title, at: depth } = subject;
  const of = (outcome: string): string[] =>
    report.requirements.filter((each) => each.outcome === outcome).map((each) => each.id);
  const level = new Map(requirements.map((each) => [each.id as string, each.level]));
  const { verdict, errors, reason, problems } = report;
  const [failed, cantTell, requests] = [of('failed'), of('cantTell'), report.requests.sent];
  const wrong: string[] = [];
  if (reason !== undefined) wrong.push(`the run did not begin: ${reason}`);
  if (errors[0] !== undefined) wrong.push(`the suite itself erred ${errors.length} times: ${errors[0].split('\n')[0]}`);
  const own = kind === 'defect' ? ofDefect(problems, subject.breaks) : problems.filter(({ list }) => list === 'gates');
  const base = {
    ...{ kind, id, title, depth, verdict, failed, cantTell, requests, wrong, reasons: collectReasons(report) },
    problems: own.map((problem) => problem.title),
    hidesNothing: own.every(({ hides }) => hides.length === 0),
  };
  if (kind === 'escape') {
    if (verdict === 'conforms' || verdict === 'error') wrong.push(`the verdict is ${verdict}`);
    return base;
  }
  if (kind === 'variant') {
    const accused = [...failed, ...cantTell].filter((each) => !subject.advice?.includes(each));
    if (accused.length > 0) wrong.push(`accused, or not judged: ${accused.join(', ')}`);
    if (subject.verdict !== undefined && verdict !== subject.verdict)
      wrong.push(`the verdict is ${verdict}, and not ${subject.verdict}`);
    if (depth === 'standard' && subject.atMost !== undefined && requests > subject.atMost)
      wrong.push(`${requests} requests were sent, and ${subject.atMost} are the most`);
    return base;
  }
  const { breaks, also } = subject;
  const others = failed.filter((each) => each !== breaks && level.get(each) === 'must');
  const unexplained = others.filter((each) => !also?.some((beginning) => each.startsWith(beginning)));
  if (!failed.includes(breaks))
    wrong.push(failed.length > 0 ? `missed by ${breaks}, and caught by ${failed.join(', ')}` : `missed by ${breaks}`);
  if (unexplained.length > 0 && others.length > MOST_OTHERS)
    wrong.push(`${others.length} other requirements failed with it: ${others.join(', ')}`);
  if (own[0] && failed.includes(breaks)) wrong.push(...mistakesOfTitle(own[0].title, breaks));
  return { ...base, breaks };
}

function collectReasons(report: ConformanceReport): Record<string, string> {
  const notPassed = report.requirements.filter(({ outcome }) => outcome === 'failed' || outcome === 'cantTell');
  return Object.fromEntries(notPassed.map(({ id, reasons }) => [id, (reasons[0] ?? '').slice(0, 600)]));
}
