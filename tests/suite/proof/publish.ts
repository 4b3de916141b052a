/** Writes the tables and figures of the proof. */
import { requirements } from '../../../fixtures/contract/requirements.ts';
import { variants } from '../../../fixtures/reference/variants/index.ts';
import type { Combination } from './combined.ts';
import type { Kind, Proven } from './judged.ts';
import { AS_MANY, IN_TRAFFIC, ONE_PROBLEM } from './problems.ts';
import { AND } from './servers.ts';

/** Requirements that no defect of a target can break, and why. */
export const NOT_BY_A_TARGET: Record<string, string> = {
  'service.base-path': 'an address that does not end in the version is refused before the run',
  // The second contract has defects for them (tests/suite/contract).
  ...Object.fromEntries(
    requirements.filter(({ derived }) => derived).map(({ id }) => [id, 'the contract has nothing that it speaks of']),
  ),
  'contract.deprecation': 'it is about the contract',
};

const COLUMNS = ['server', 'what is different', 'verdict', 'failed', 'requests', 'holds'];

/** One row for each run, below what was counted. */
export function markdown(proven: readonly Proven[], summary: readonly string[], gaps: readonly string[]): string {
  const rows = proven.map(({ kind, id, title, depth, verdict, failed, requests, wrong }) => {
    const name = `${kind} ${id}${depth === 'thorough' ? ' (thorough)' : ''}`;
    return [
      name,
      title,
      verdict,
      failed.join(', '),
      requests,
      wrong.length === 0 ? 'yes' : `**no**: ${wrong.join('; ')}`,
    ];
  });
  const lines = [COLUMNS, COLUMNS.map(() => '---'), ...rows].map((row) => {
    const cells = row.map((cell) => String(cell).replaceAll('|', '\\|').replaceAll('\n', ' '));
    return `| ${cells.join(' | ')} |`;
  });
  const list = [...summary, ...gaps.map((gap) => `**${gap}**`)].map((line) => `- ${line}\n`);
  return `# Proof of the suite\n\n${list.join('')}\n${lines.join('\n')}\n`;
}

const share = (part: number, whole: number, least: number, from: number, words: string): string[] =>
  whole < from || part >= whole * least ? [] : [`${part} of ${whole} ${words}: at least ${least * 100} % have to`];

/** What was counted, and one sentence for each share that is too small and each variant that is accused. */
export function countFigures(
  proven: readonly Proven[],
  combination: Combination | undefined,
): { figures: Record<string, number>; lines: string[]; wrong: string[] } {
  const servers = (kind: Kind): { all: number; held: number } => {
    const own = proven.filter((each) => each.kind === kind);
    const wrong = new Set(own.flatMap((each) => (each.wrong.length > 0 ? each.id : [])));
    const all = new Set(own.map(({ id }) => id)).size;
    return { all, held: all - wrong.size };
  };
  const [defects, variantsOf, escapes] = [servers('defect'), servers('variant'), servers('escape')];
  const found = proven.filter(({ kind, breaks, failed }) => kind === 'defect' && failed.includes(breaks ?? ''));
  const one = found.filter(({ problems }) => problems.length === 1).length;
  // `judge` reads the recordings of standard runs as traffic of another tool.
  const standard = proven.filter(({ kind, depth }) => kind === 'defect' && depth === 'standard');
  const inTraffic = standard.filter(({ foreign }) => foreign.length > 0).length;
  const { tried = 0, asMany = 0 } = combination ?? {};
  const broken = new Set(proven.flatMap(({ breaks }) => breaks ?? [])).size;
  const parts = [
    [defects.held, defects.all, `defects, of ${broken} requirements, were blamed on the requirement they break`],
    [one, found.length, 'runs of a defect gave exactly one problem'],
    [asMany, tried, 'pairs and triples of defects gave as many problems as defects'],
    [
      inTraffic,
      standard.length,
      'defects are found in the recording of a standard run, read as traffic of another tool',
    ],
    [variantsOf.held, variantsOf.all, 'lawful variants were accused of nothing'],
    [escapes.held, escapes.all, 'escapes, which prevent their own judgement, were not called conforming'],
  ] as const;
  return {
    figures: {
      ...{ defects: defects.all, caught: defects.held, requirements: broken, oneProblem: one, ofRuns: found.length },
      ...{ escapes: escapes.all, notConforming: escapes.held, variants: variantsOf.all, accepted: variantsOf.held },
      ...{ combinations: tried, asManyProblems: asMany, inTraffic, ofTraffic: standard.length, runs: proven.length },
    },
    lines: parts.filter(([, whole]) => whole > 0).map(([part, whole, words]) => `${part} of ${whole} ${words}`),
    wrong: [
      ...share(one, found.length, ONE_PROBLEM, 50, 'runs of a defect give one problem'),
      ...share(asMany, tried, AS_MANY, 50, 'combinations give as many problems as defects'),
      // A sample has one defect for each requirement, which measures nothing.
      ...share(inTraffic, standard.length, IN_TRAFFIC, 100, 'defects are found in traffic'),
      ...proven.flatMap(({ kind, id, depth, foreign }) => {
        // A recommendation that a variant does not follow is not an accusation.
        const advice = variants.filter((each) => id.split(AND).includes(each.id)).flatMap((each) => each.advice ?? []);
        const accused = kind === 'variant' ? foreign.filter((each) => !advice.includes(each)) : [];
        return accused.length > 0 ? [`${id} (${depth}) is accused in traffic: ${accused.join(', ')}`] : [];
      }),
    ],
  };
}
