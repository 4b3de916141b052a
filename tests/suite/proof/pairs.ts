/**
 * `npm run pairs [count] [seed]`: pairs of lawful variants, drawn at random, are accused of nothing, and a defect on such a
 * server is still found. Exit code 1 if one is not. A pair may contradict itself, so the gate does not run it.
 */
import { availableParallelism } from 'node:os';
import { defects } from '../../../fixtures/reference/defects/index.ts';
import { type Variant, variants } from '../../../fixtures/reference/variants/index.ts';
import type { Subject } from './judged.ts';
import { makeRandom } from './combined.ts';
import { endProcesses, proveElsewhere, together } from './processes.ts';
import { AND } from './servers.ts';

const [count = 50, seed = Date.now() % 100_000] = process.argv.slice(2).map(Number);

const next = makeRandom(seed);
const draw = <T>(all: readonly T[]): T => all[Math.floor(next() * all.length)] as T;

const usable = variants.filter(({ settings, machineClock, prefix }) => !settings && !machineClock && !prefix);
const groupOf = ({ id }: Variant): string => id.split('/')[0] as string;

function drawVariants(): Subject {
  const one = draw(usable);
  const other = draw(usable.filter((each) => groupOf(each) !== groupOf(one)));
  const advice = [...(one.advice ?? []), ...(other.advice ?? [])];
  return { ...one, kind: 'variant', at: 'standard', id: one.id + AND + other.id, advice };
}

/** The defect is applied last, so that the variant does not undo it. */
function drawDefect(): Subject {
  const defect = draw(defects.filter(({ depth }) => depth === undefined));
  return { ...defect, kind: 'defect', at: 'standard', id: draw(usable).id + AND + defect.id };
}

const subjects = Array.from({ length: count }, () => [drawVariants(), drawDefect()]).flat();
console.log(`${count} pairs of variants and ${count} defects on a variant, with seed ${seed}`);
let held = 0;
await together(4 * availableParallelism(), subjects, async (subject) => {
  const first = await proveElsewhere(subject);
  const { wrong, verdict, reasons } = first.wrong.length === 0 ? first : await proveElsewhere(subject);
  if (wrong.length === 0) return void (held += 1);
  console.log(`\n${subject.id} (${verdict}): ${wrong.join('; ')}`);
  for (const [id, reason] of Object.entries(reasons)) console.log(`  ${id}: ${reason.replaceAll('\n', ' ')}`);
});
endProcesses();
console.log(`\n${held} of ${subjects.length} hold`);
process.exitCode = held === subjects.length ? 0 : 1;
