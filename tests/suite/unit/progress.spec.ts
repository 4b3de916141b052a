import { expect, test } from '@playwright/test';
import { Progress } from '../../../fixtures/report/run/progress.ts';
import type { State } from '../../../fixtures/target/rate-limit/pacing.ts';

/** An output stream, and the state of a run. */
function given(isTTY: boolean): { now: Pick<State, 'waiting'>; lines: string[]; progress: Progress } {
  const lines: string[] = [];
  const now: Pick<State, 'waiting'> = {};
  const out = { isTTY, write: (text: string | Uint8Array) => Boolean(lines.push(String(text))) };
  const look = () => ({ wait: now.waiting, describe: () => '3 of 9: lists, 41 of about 112 requests' });
  return { now, lines, progress: new Progress(look, () => out) };
}

test.describe('progress', () => {
  test('counts a wait down in one line of a terminal, and erases it at its end', () => {
    const { now, lines, progress } = given(true);
    const start = Date.now();
    now.waiting = { what: 'a reset', until: start + 3000 };
    progress.print(start);
    progress.print(start + 1000);
    delete now.waiting;
    progress.print(start + 2000);
    expect(lines).toEqual(['\r\u001B[K  waiting 3 s for a reset', '\r\u001B[K  waiting 2 s for a reset', '\r\u001B[K']);
  });

  test('prints each wait once in a log', () => {
    const { now, lines, progress } = given(false);
    const start = Date.now();
    now.waiting = { what: 'a reset', until: start + 3000 };
    progress.print(start);
    progress.print(start + 1000);
    now.waiting = { what: 'a reset', until: start + 9000 };
    progress.print(start + 4000);
    expect(lines).toEqual(['  waiting 3 s for a reset\n', '  waiting 5 s for a reset\n']);
  });

  test('names the chapter after half a minute of silence', () => {
    const { lines, progress } = given(false);
    const start = Date.now();
    progress.print(start + 29_000);
    expect(lines).toEqual([]);
    progress.print(start + 31_000);
    expect(lines).toEqual(['  3 of 9: lists, 41 of about 112 requests, after 31 s\n']);
  });
});
