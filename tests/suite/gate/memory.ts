/** Memory of the processes of a run, from `/proc`. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';

export interface Taken {
  pid: number;
  /** Resident megabytes now, and their peak; 0 for a process that has ended. */
  resident: number;
  peak: number;
}

export const canReadMemory = (): boolean => readStatus('self') !== '';

/** The memory of a process and its descendants; none if it is unknown. */
export function takenBelow(pid: number): Taken[] {
  if (!canReadMemory()) return [];
  const all = new Map(
    readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .map((name) => [Number(name), readStatus(name)]),
  );
  const isBelow = (id: number): boolean =>
    id === pid || (all.has(id) && isBelow(Number(/PPid:\s+(\d+)/.exec(all.get(id) ?? '')?.[1])));
  return [...all]
    .filter(([id]) => isBelow(id))
    .map(([id, status]) => ({ pid: id, resident: megabytes(status, 'VmRSS'), peak: megabytes(status, 'VmHWM') }));
}

const megabytes = (status: string, name: string): number =>
  Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1] ?? 0) / 1024;

/** Begins to watch this process. @returns a function that returns by how many megabytes it grew at most; 0 if unknown. */
export function watchGrowth(): () => number {
  try {
    // Makes the present size the peak (proc(5), clear_refs).
    writeFileSync('/proc/self/clear_refs', '5');
  } catch {
    return () => 0;
  }
  const before = megabytes(readStatus('self'), 'VmRSS');
  return () => Math.max(0, Math.round(megabytes(readStatus('self'), 'VmHWM') - before));
}

function readStatus(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/status`, 'utf8');
  } catch {
    return '';
  }
}
