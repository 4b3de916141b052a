/** Servers with several defects or variants at once. */
import { type Defect, defects } from '../../../fixtures/reference/defects/index.ts';
import { type Variant, variants } from '../../../fixtures/reference/variants/index.ts';
import type { Proven, Subject } from './judged.ts';
import { proveElsewhere, together } from './processes.ts';
import { AND } from './servers.ts';

/** The number of combinations, and their seed. */
const COMBINATIONS = 100;
const SEED = 20_261_122;

/** Returns the next number of a fixed series, from 0 to 1 (mulberry32). */
function makeRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
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

/** Draws from all defects, so that a new one changes no other draw. @param usable defects of one problem each. */
function combinations(all: readonly Defect[], usable: ReadonlySet<Defect>): Defect[][] {
  if (usable.size < 10) return [];
  return Array.from({ length: COMBINATIONS }, (_, i) => {
    const next = makeRandom(SEED + i);
    const chosen: Defect[] = [];
    for (let tries = 0; tries < 1000 && chosen.length < (i % 3 === 0 ? 3 : 2); tries += 1) {
      const defect = all[Math.floor(next() * all.length)] as Defect;
      if (usable.has(defect) && isIndependent(chosen, defect)) chosen.push(defect);
    }
    return chosen;
  });
}

/** How many servers with several defects had one problem for each. */
export interface Combination {
  tried: number;
  asMany: number;
}

/** Runs servers with several defects, and prints those that have another number of problems. */
export async function combined(jobs: number, proven: readonly Proven[]): Promise<Combination> {
  const alone = new Set(
    proven
      .filter(({ depth, verdict, problems, hidesNothing }) => {
        return depth === 'standard' && verdict === 'violates' && problems.length === 1 && hidesNothing;
      })
      .map(({ id }) => id),
  );
  const isUsable = ({ id, depth, isThrottled, serve, stock }: Defect): boolean =>
    !depth && !isThrottled && !serve && !stock && alone.has(id);
  const chosen = combinations(defects, new Set(defects.filter(isUsable)));
  let asMany = 0;
  await together(jobs, chosen, async (own) => {
    const id = own.map((defect) => defect.id).join(AND);
    const subject = { kind: 'escape', at: 'standard', isCombined: true, id, title: '', apply: () => {} } as const;
    const { problems } = await proveElsewhere(subject);
    if (problems.length === own.length) asMany += 1;
    else console.log(`not as many problems as defects: ${id}: ${problems.length}: ${problems.join(' | ')}`);
  });
  return { tried: chosen.length, asMany };
}

/** Pairs of lawful variants, drawn at random, and as many defects on a variant. A pair may contradict itself. */
export function drawPairs(count: number, seed: number): Subject[] {
  console.log(`${count} pairs of variants and ${count} defects on a variant, with seed ${seed}`);
  const next = makeRandom(seed);
  const draw = <T>(all: readonly T[]): T => all[Math.floor(next() * all.length)] as T;
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
