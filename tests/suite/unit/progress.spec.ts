import { expect, test } from '@playwright/test';
import { Progress } from '../../../fixtures/report/run/progress.ts';

const ERASED = '\r\u001B[K';

/** The seconds at which a run is looked at, the second until which it then waits, and what is printed. */
// prettier-ignore
const PRINTED: [title: string, isTTY: boolean, looks: [at: number, until?: number][], printed: string[]][] = [
  ['counts a wait down in one line, and erases it', true, [[0, 3], [1, 3], [2]], [`${ERASED}  waiting 3 s for a reset`, `${ERASED}  waiting 2 s for a reset`, ERASED]],
  ['prints each wait once in a log', false, [[0, 3], [1, 3], [4, 9]], ['  waiting 3 s for a reset\n', '  waiting 5 s for a reset\n']],
  ['names the chapter after half a minute', false, [[29], [31]], ['  lists, 41 requests, after 31 s\n']],
];

for (const [title, isTTY, looks, printed] of PRINTED)
  test(`the progress ${title}`, () => {
    const [start, lines] = [Date.now(), [] as string[]];
    let until: number | undefined;
    const look = () => ({
      wait: until === undefined ? undefined : { what: 'a reset', until: start + until * 1000 },
      describe: () => 'lists, 41 requests',
    });
    const progress = new Progress(look, () => ({ isTTY, write: (text) => Boolean(lines.push(String(text))) }));
    for (const [at, end] of looks) {
      until = end;
      progress.print(start + at * 1000);
    }
    expect(lines).toEqual(printed);
  });
