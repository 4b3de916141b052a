/** Servers with several defects or variants at once, drawn at random. */
import { type Defect, defects } from '../../../fixtures/reference/defects/index.ts';
import { type Variant, variants } from '../../../fixtures/reference/variants/index.ts';
import type { Proven } from './judged.ts';
import { AND, type Subject } from './servers.ts';

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

/** Pairs of lawful variants, and as many defects on a variant. A pair may contradict itself. */
export function drawPairs(count: number, seed: number): Subject[] {
  console.log(`${count} pairs of variants and ${count} defects on a variant, with seed ${seed}`);
  const draw = makeDraw(seed);
  const usable = variants.filter(({ settings, machineClock, prefix }) => !settings && !machineClock && !prefix);
  const topicOf = ({ id }: Variant): string => id.split('/')[0] as string;
  return Array.from({ length: count }, (): Subject[] => {
    const one = draw(usable);
    const other = draw(usable.filter((each) => topicOf(each) !== topicOf(one)));
    const advice = [...(one.advice ?? []), ...(other.advice ?? [])];
    const defect = draw(defects.filter(({ depth }) => depth === undefined));
    return [
      { ...one, kind: 'variant', at: 'standard', id: one.id + AND + other.id, advice },
      // The defect is applied last, so that the variant does not undo it.
      { ...defect, kind: 'defect', at: 'standard', id: draw(usable).id + AND + defect.id },
    ];
  }).flat();
}
