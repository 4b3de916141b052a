/** Writes the tables and figures of the proof. */
import { requirements } from '../../../fixtures/contract/requirements.ts';
import type { Kind, Proven } from './judged.ts';
import { variants } from '../../../fixtures/reference/variants/index.ts';
import { AS_MANY, IN_TRAFFIC, ONE_PROBLEM } from './problems.ts';

/** Requirements that no defect of a target can break, and why. */
export const NOT_BY_A_TARGET: Record<string, string> = {
  'service.base-path': 'an address that does not end in the version is refused before the run',
  // The second contract has defects for them (tests/suite/contract).
  ...Object.fromEntries(
    requirements.filter(({ derived }) => derived).map(({ id }) => [id, 'the contract has nothing that it speaks of']),
  ),
  'contract.deprecation': 'it is about the contract',
};

const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('\n', ' ');

export function markdown(proven: readonly Proven[], summary: readonly string[], gaps: readonly string[]): string {
  const ofKind = (kind: string): Proven[] => proven.filter((each) => each.kind === kind);
  const mark = ({ wrong }: Proven): string => (wrong.length === 0 ? 'yes' : `**no**: ${wrong.map(cell).join('; ')}`);
  const lines = [
    '# Proof of the suite',
    '',
    ...summary.map((line) => `- ${line}`),
    ...gaps.map((gap) => `- **${gap}**`),
  ];
  const defectHead = ['requirement', 'defect', 'failed with it', 'requests', 'holds'];
  lines.push('', '## Defects', '', `| ${defectHead.join(' | ')} |`, '| --- | --- | --- | --- | --- |');
  for (const each of ofKind('defect')) {
    const others = each.failed.filter((id) => id !== each.breaks).join(', ');
    const depth = each.depth === 'thorough' ? ` (DEPTH=${each.depth})` : '';
    lines.push(`| ${each.breaks} | ${cell(each.title)}${depth} | ${others} | ${each.requests} | ${mark(each)} |`);
  }
  lines.push(
    '',
    '## Lawful variants',
    '',
    '| variant | what is different | requests | holds |',
    '| --- | --- | --- | --- |',
  );
  for (const each of ofKind('variant'))
    lines.push(`| ${each.id} | ${cell(each.title)} | ${each.requests} | ${mark(each)} |`);
  lines.push('', '## Escapes: servers that no run may call conforming', '');
  lines.push('| escape | what it does | verdict | holds |', '| --- | --- | --- | --- |');
  for (const each of ofKind('escape'))
    lines.push(`| ${each.id} | ${cell(each.title)} | ${each.verdict} | ${mark(each)} |`);
  lines.push('', '## Requirements that no defect of a target can break', '');
  for (const [id, why] of Object.entries(NOT_BY_A_TARGET)) lines.push(`- ${id}: ${why}`);
  return `${lines.join('\n')}\n`;
}

function ofOneProblem(proven: readonly Proven[]): { found: Proven[]; one: Proven[] } {
  const found = proven.filter(({ kind, breaks, failed }) => kind === 'defect' && failed.includes(breaks ?? ''));
  return { found, one: found.filter(({ problems }) => problems.length === 1) };
}

/** Whether too few defects or combinations have the right number of problems. */
export function mistakesOfProblems(
  proven: readonly Proven[],
  combination: { tried: number; asMany: number } | undefined,
): string[] {
  const { found, one } = ofOneProblem(proven);
  const isEnough = (part: number, whole: number, least: number): boolean => whole < 50 || part >= whole * least;
  return [
    ...(isEnough(one.length, found.length, ONE_PROBLEM)
      ? []
      : [`${one.length} of ${found.length} runs of a defect give one problem, and ${ONE_PROBLEM * 100} % have to`]),
    ...(!combination || isEnough(combination.asMany, combination.tried, AS_MANY)
      ? []
      : [`${combination.asMany} of ${combination.tried} combinations give as many problems as defects`]),
  ];
}

/** The defects of standard runs, and those that `judge` finds in the recordings of these runs as traffic of another tool. */
const inTraffic = (proven: readonly Proven[]): { found: Proven[]; all: Proven[] } => {
  const all = proven.filter(({ kind, depth }) => kind === 'defect' && depth === 'standard');
  return { all, found: all.filter(({ foreign }) => foreign.length > 0) };
};

/** Whether `judge` accuses a variant, or finds too few defects. */
export function mistakesOfTraffic(proven: readonly Proven[]): string[] {
  const { found, all } = inTraffic(proven);
  // A sample has one defect for each requirement, which measures nothing.
  const isEnough = all.length < 100 || found.length >= all.length * IN_TRAFFIC;
  return [
    ...(isEnough
      ? []
      : [`${found.length} of ${all.length} defects are found in traffic, and ${IN_TRAFFIC * 100} % have to`]),
    ...proven
      .filter(({ kind, id, foreign }) => kind === 'variant' && accusedOf(id, foreign).length > 0)
      .map(({ id, depth, foreign }) => `${id} (${depth}) is accused in traffic: ${accusedOf(id, foreign).join(', ')}`),
  ];
}

/** A recommendation that a variant does not follow is not an accusation. */
const accusedOf = (id: string, foreign: readonly string[]): string[] => {
  const { advice = [] } = variants.find((each) => each.id === id) ?? {};
  return foreign.filter((each) => !advice.includes(each as (typeof advice)[number]));
};

export function countFigures(
  proven: readonly Proven[],
  seconds: number,
  combination: { tried: number; asMany: number } | undefined,
): { figures: Record<string, number>; lines: string[] } {
  const ids = (kind: Kind, isHeld = true): Set<string> => {
    const own = proven.filter((each) => each.kind === kind);
    const wrong = new Set(own.filter((each) => each.wrong.length > 0).map(({ id }) => id));
    return new Set(own.map(({ id }) => id).filter((id) => !isHeld || !wrong.has(id)));
  };
  const figures = {
    defects: ids('defect', false).size,
    caught: ids('defect').size,
    requirements: new Set(proven.flatMap(({ breaks }) => breaks ?? [])).size,
    escapes: ids('escape', false).size,
    notConforming: ids('escape').size,
    variants: ids('variant', false).size,
    accepted: ids('variant').size,
    oneProblem: ofOneProblem(proven).one.length,
    ofRuns: ofOneProblem(proven).found.length,
    combinations: combination?.tried ?? 0,
    asManyProblems: combination?.asMany ?? 0,
    inTraffic: inTraffic(proven).found.length,
    ofTraffic: inTraffic(proven).all.length,
    runs: proven.length,
    seconds,
  };
  const parts = [
    [
      figures.caught,
      figures.defects,
      `defects, of ${figures.requirements} requirements, were blamed on the requirement they break`,
    ],
    [figures.oneProblem, figures.ofRuns, 'runs of a defect gave exactly one problem'],
    [figures.asManyProblems, figures.combinations, 'pairs and triples of defects gave as many problems as defects'],
    [
      figures.inTraffic,
      figures.ofTraffic,
      'defects are found in the recording of a standard run, read as traffic of another tool',
    ],
    [figures.accepted, figures.variants, 'lawful variants were accused of nothing'],
    [figures.notConforming, figures.escapes, 'escapes, which prevent their own judgement, were not called conforming'],
  ] as const;
  const lines = [
    ...parts.filter(([, whole]) => whole > 0).map(([part, whole, words]) => `${part} of ${whole} ${words}`),
    `${figures.runs} runs in ${Math.floor(seconds / 60)} min ${seconds % 60} s`,
  ];
  return { figures, lines };
}
