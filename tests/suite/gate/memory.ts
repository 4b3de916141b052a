/** Memory of the processes of a run, from `/proc`. */
import { readdirSync, readFileSync } from 'node:fs';

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
  const megabytes = (status: string, name: string): number =>
    Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1] ?? 0) / 1024;
  return [...all]
    .filter(([id]) => isBelow(id))
    .map(([id, status]) => ({ pid: id, resident: megabytes(status, 'VmRSS'), peak: megabytes(status, 'VmHWM') }));
}

function readStatus(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/status`, 'utf8');
  } catch {
    return '';
  }
}
