/** Servers with several defects at once: there are as many problems as defects. */
import { type Defect, defects } from '../../../fixtures/reference/defects/index.ts';
import type { Proven, Subject } from './judged.ts';
import { proveElsewhere, together } from './processes.ts';
import { AND } from './servers.ts';

/** The number of combinations, and their seed. */
const COMBINATIONS = 100;
const SEED = 20_261_122;

/** Returns the next number of a fixed series, from 0 to 1 (mulberry32). */
export function makeRandom(seed: number): () => number {
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
  chosen.every(({ breaks, also }) => {
    const [area] = breaks.split('.');
    return area !== next.breaks.split('.')[0] && !also?.ids.includes(next.breaks) && !next.also?.ids.includes(breaks);
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

/** Runs servers with several defects. @returns how many had one problem for each defect, and the others. */
export async function combined(
  jobs: number,
  proven: readonly Proven[],
): Promise<{ tried: number; asMany: number; others: string[] }> {
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
  const others: string[] = [];
  await together(jobs, chosen, async (own) => {
    const id = own.map((defect) => defect.id).join(AND);
    const subject: Subject = { kind: 'escape', at: 'standard', id, title: '', apply: () => {} };
    const { problems } = await proveElsewhere(subject);
    if (problems.length !== own.length) others.push(`${id}: ${problems.length} problems: ${problems.join(' | ')}`);
  });
  return { tried: chosen.length, asMany: chosen.length - others.length, others };
}
