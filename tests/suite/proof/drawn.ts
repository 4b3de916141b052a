/** Servers with several defects at once, drawn at random. */
import { type Defect, defects } from '../../../fixtures/reference/defects/index.ts';
import type { Proven } from './judged.ts';

/** The number of combinations, and their seed. */
const COMBINATIONS = 100;
const SEED = 20_261_122;

/** Draws from a fixed series (mulberry32). */
function makeDraw(seed: number): <T>(all: readonly T[]) => T {
  let state = seed;
  return (all) => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return all[Math.floor((((t ^ (t >>> 14)) >>> 0) / 2 ** 32) * all.length)] as (typeof all)[number];
  };
}

/** Independent defects break different areas, and do not hide each other. */
const isIndependent = (chosen: readonly Defect[], next: Defect): boolean =>
  chosen.every(({ breaks, also = [] }) => {
    const [area] = breaks.split('.');
    return (
      area !== next.breaks.split('.')[0] &&
      !also.some((beginning) => next.breaks.startsWith(beginning)) &&
      !next.also?.some((beginning) => breaks.startsWith(beginning))
    );
  });

/** Pairs and triples of independent defects that have one problem each. It draws from all, so that a new one changes no other draw. */
export function drawCombinations(proven: readonly Proven[]): Defect[][] {
  const single = new Set(
    proven
      .filter(({ depth, verdict, problems, hidesNothing }) => {
        return depth === 'standard' && verdict === 'violates' && problems.length === 1 && hidesNothing;
      })
      .map(({ id }) => id),
  );
  const isUsable = ({ id, depth, isThrottled, serve, stock }: Defect): boolean =>
    !depth && !isThrottled && !serve && !stock && single.has(id);
  if (defects.filter(isUsable).length < 10) return [];
  return Array.from({ length: COMBINATIONS }, (_, i) => {
    const draw = makeDraw(SEED + i);
    const chosen: Defect[] = [];
    for (let tries = 0; tries < 1000 && chosen.length < (i % 3 === 0 ? 3 : 2); tries += 1) {
      const defect = draw(defects);
      if (isUsable(defect) && isIndependent(chosen, defect)) chosen.push(defect);
    }
    return chosen;
  });
}
