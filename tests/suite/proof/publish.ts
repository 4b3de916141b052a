/** The figures of the proof. */
import { requirements } from '../../../fixtures/contract/requirements.ts';
import { defects } from '../../../fixtures/reference/defects/index.ts';
import { variants } from '../../../fixtures/reference/variants/index.ts';
import type { Proven } from './judged.ts';

/** Requirements that no defect of a target can break, and why. */
const NOT_BY_A_TARGET: Record<string, string> = {
  'service.base-path': 'an address that does not end in the version is refused before the run',
  // The second contract has defects for them (tests/suite/contract).
  ...Object.fromEntries(
    requirements.filter(({ derived }) => derived).map(({ id }) => [id, 'the contract has nothing that it speaks of']),
  ),
  'contract.deprecation': 'it is about the contract',
};

/** Requirements with fewer than two defects, and defects of unknown requirements. */
export function findGaps(): string[] {
  const count = (id: string): number => defects.filter(({ breaks }) => breaks === id).length;
  const known = new Set<string>(requirements.map(({ id }) => id));
  const undefended = requirements
    .filter(({ id, level, untestable }) => level === 'must' && untestable === undefined && !(id in NOT_BY_A_TARGET))
    .filter(({ id }) => count(id) < 2)
    .map(({ id }) => `${id} has ${count(id)} defects`);
  const unknown = defects.filter(({ breaks }) => !known.has(breaks));
  return [...undefended, ...unknown.map(({ breaks }) => `${breaks} is not a requirement`)];
}

/** Least shares: of defects that are exactly one problem, of combinations with one for each defect, of defects found in traffic. */
const LEAST = { oneProblem: 0.97, asMany: 0.92, inTraffic: 0.855 };

/** A count, its words, the least share of it, and the number from which on a share measures something. */
type Figure = readonly [part: number, whole: number, words: string, least?: number, from?: number];

/** What was counted, and one sentence for each share that is too small and each variant that is accused. */
export function countFigures(proven: readonly Proven[], combinations: readonly boolean[]) {
  const selectKind = (kind: Proven['kind']): Proven[] => proven.filter((each) => each.kind === kind);
  const countIds = (some: readonly Proven[]): number => new Set(some.map(({ id }) => id)).size;
  const countServers = (kind: Proven['kind']): [held: number, all: number] => {
    const all = countIds(selectKind(kind));
    return [all - countIds(selectKind(kind).filter(({ wrong }) => wrong.length > 0)), all];
  };
  const found = selectKind('defect').filter(({ breaks = '', failed }) => failed.includes(breaks));
  const single = found.filter(({ problems }) => problems.length === 1);
  // `judge` reads the recordings of standard runs as traffic of another tool.
  const standard = selectKind('defect').filter(({ depth }) => depth === 'standard');
  const inTraffic = standard.filter(({ foreign }) => foreign.length > 0);
  const broken = new Set(selectKind('defect').map(({ breaks }) => breaks)).size;
  const figures: Figure[] = [
    [...countServers('defect'), `defects, of ${broken} requirements, were blamed on the requirement they break`],
    [single.length, found.length, 'runs of a defect gave exactly one problem', LEAST.oneProblem, 50],
    [
      combinations.filter(Boolean).length,
      combinations.length,
      'pairs and triples of defects gave as many problems as defects',
      LEAST.asMany,
      50,
    ],
    [
      inTraffic.length,
      standard.length,
      'defects are found in the recording of a standard run, read as traffic of another tool',
      LEAST.inTraffic,
      // A sample has one defect for each requirement.
      100,
    ],
    [...countServers('variant'), 'lawful variants were accused of nothing'],
    [...countServers('escape'), 'escapes, which prevent their own judgement, were not called conforming'],
  ];
  const accused = selectKind('variant').flatMap(({ id, depth, foreign }) => {
    // A recommendation that a variant does not follow is not an accusation.
    const { advice } = variants.find((each) => each.id === id) ?? {};
    const own = foreign.filter((each) => !advice?.includes(each));
    return own.length > 0 ? [`${id} (${depth}) is accused in traffic: ${own.join(', ')}`] : [];
  });
  return {
    lines: figures.filter(([, whole]) => whole > 0).map(([part, whole, words]) => `${part} of ${whole} ${words}`),
    wrong: [
      ...figures
        .filter(([part, whole, , least = 0, from = 0]) => whole >= from && part < whole * least)
        .map(([part, whole, words, least = 0]) => `${part} of ${whole} ${words}: at least ${least * 100} % have to`),
      ...accused,
    ],
  };
}
