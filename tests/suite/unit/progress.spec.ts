import { expect, test } from '@playwright/test';
import { Progress } from '../../../fixtures/report/run/progress.ts';
import type { State } from '../../../fixtures/target/rate-limit/pacing.ts';

/** An output stream, and the state of a run. */
function given(isTTY: boolean): { look: Pick<State, 'waiting'>; lines: string[]; progress: Progress } {
  const lines: string[] = [];
  const look: Pick<State, 'waiting'> = {};
  const out = { isTTY, write: (text: string | Uint8Array) => Boolean(lines.push(String(text))) };
  const describe = (): string => '3 of 9: lists, 41 of about 112 requests';
  const progress = new Progress(() => look.waiting, describe, out);
  return { look, lines, progress };
}

test.describe('progress', () => {
  test('counts a wait down in one line of a terminal, and erases it at its end', () => {
    const { look, lines, progress } = given(true);
    const start = Date.now();
    look.waiting = { what: 'a reset', until: start + 3000 };
    progress.print(start);
    progress.print(start + 1000);
    delete look.waiting;
    progress.print(start + 2000);
    expect(lines).toEqual(['\r\u001B[K  waiting 3 s for a reset', '\r\u001B[K  waiting 2 s for a reset', '\r\u001B[K']);
  });

  test('prints each wait once in a log', () => {
    const { look, lines, progress } = given(false);
    const start = Date.now();
    look.waiting = { what: 'a reset', until: start + 3000 };
    progress.print(start);
    progress.print(start + 1000);
    look.waiting = { what: 'a reset', until: start + 9000 };
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
