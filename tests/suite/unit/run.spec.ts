/** What a run prints of its progress, and leaves on disk: its settings for other processes, its log, and a report where no file of anybody else can be lost. */
import { appendFileSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { allowed } from '../../../fixtures/run.ts';
import { Progress } from '../../../fixtures/report/reporter.ts';
import { openReportFolder } from '../../../fixtures/report/out/files.ts';
import * as runs from '../../../fixtures/settings/run.ts';
import { readSettings } from '../../../fixtures/settings/settings.ts';
import { Unusable } from '../../../fixtures/settings/table.ts';
import { Log } from '../../../fixtures/target/http/log.ts';
import { buildReport } from '../../../fixtures/report/model/build-report.ts';
import { exchange, expect, test } from './make.ts';

const { currentRun, discardRun, renewRun } = runs;

// Another test of this process may have started a run.
test.beforeEach(({ setVariables }) => setVariables({ CONFORMANCE_RUN: '' }));
test.afterEach(discardRun);

test('the next process finds the run, and a second run of a session has a new folder and mark, and the same settings', () => {
  renewRun();
  discardRun();
  expect(currentRun()).toBeUndefined();
  const first = runs.makeRun(
    { ...readSettings(allowed, {}), baseUrl: 'http://127.0.0.1:1/v1' },
    { target: 'a target', level: 'must', require: 'partial', waivers: [], settings: [], again: '' },
  );
  runs.handOver(first);
  expect(currentRun()).toEqual(JSON.parse(JSON.stringify(first)));
  expect(first.facts.run).toMatch(/^[a-z0-9]{6}$/);
  renewRun();
  const second = currentRun() as runs.Run;
  expect([first, second].map(({ directory }) => existsSync(directory))).toEqual([false, true]);
  expect(second.facts.run).not.toBe(first.facts.run);
  expect(second.settings).toEqual(first.settings);
  discardRun();
  expect(existsSync(second.directory)).toBe(false);
});

test('the selection and the reporter reach the next process', () => {
  for (const isThere of [false, true, false]) {
    runs.setConformanceReporter(isThere);
    expect(runs.hasConformanceReporter()).toBe(isThere);
  }
  for (const ids of [['add.echo', 'get.found'], [], undefined]) {
    runs.handOverSelection(ids);
    expect(runs.selectedRequirements()).toEqual(ids);
  }
});

const numbers = (log: Log): number[] => log.all().map(({ number }) => number);

test('the log keeps the order of sending, and every character, also for a new worker', ({ directory }) => {
  const log = new Log(directory);
  const numbered = (n: number) => exchange({ number: n, body: { text: `["Zoë 🦊\\n",9007199254740993,${n}]` } });
  const sent = [2, 1, 4, 3].map(numbered);
  for (const each of sent) log.add(each);
  const inOrder = sent.toSorted((a, b) => a.number - b.number);
  for (const one of [log, new Log(directory)]) expect(one.all()).toEqual(inOrder);
});

test('an incomplete line is ignored, and those after it are read', ({ directory }) => {
  new Log(directory).add(exchange({ number: 1 }));
  const file = join(directory, 'exchanges.jsonl');
  appendFileSync(file, '\n{"number":2,');
  // Nothing is written, since the disk may be full.
  expect([numbers(new Log(directory)), readFileSync(file, 'utf8').slice(-3)]).toEqual([[1], ':2,']);
  new Log(directory).add(exchange({ number: 3 }));
  expect(numbers(new Log(directory))).toEqual([1, 3]);
});

const REPORT = JSON.stringify(buildReport({}));
const OF_SUITE_1_0 = JSON.stringify({
  ...{ verdict: 'partial', suite: { version: '1.0.0' }, counts: {} },
  requirements: [{ id: 'list.succeeds', outcome: 'passed' }],
});

const REPORTED = { 'conformance.json': REPORT };
type Row = [title: string, files: Record<string, string> | undefined, refused?: RegExp, inputs?: string[]];

/** The files are undefined if the folder does not exist. The inputs are names in it. */
const FOLDERS: Row[] = [
  ['does not exist', undefined],
  ['is empty', {}],
  ['has only names with a dot', { '.gitkeep': '', '.gitattributes': '* -text' }],
  ['has a report', { ...REPORTED, 'index.html': '', 'notes.md': '' }],
  ['has a report of suite 1.0', { 'conformance.json': OF_SUITE_1_0 }],
  ['is a project', { 'index.html': 'mine', 'summary.md': 'mine' }, /holds index\.html and no/],
  ['has files of other names', { 'notes.md': '' }, /holds notes\.md and no report of this suite/],
  ['has other JSON', { 'conformance.json': '{"verdict":"conforms"}' }, /no report of this suite/],
  ['has null', { 'conformance.json': 'null' }, /no report of this suite/],
  ['has a report that is cut', { 'conformance.json': REPORT.slice(0, -1), 'index.html': '' }],
  ['has what is judged', { ...REPORTED, 'a.har': '' }, /holds .*a\.har, which is judged and would be wr/, ['a.har']],
];

for (const [title, files, refused, inputs = []] of FOLDERS)
  test(`a folder that ${title} is ${refused ? 'refused' : 'written'}, also by a link to it`, ({ directory }) => {
    for (const isLinked of [false, true]) {
      const above = join(directory, String(isLinked));
      mkdirSync(above);
      const folder = join(above, 'report');
      writeFileSync(join(above, 'other.har'), '');
      if (files || isLinked) mkdirSync(folder);
      for (const [name, text] of Object.entries(files ?? {})) writeFileSync(join(folder, name), text);
      const named = isLinked ? join(above, 'link') : folder;
      if (isLinked) symlinkSync(folder, named);
      const open = (): void =>
        openReportFolder(named, [join(above, 'other.har'), ...inputs.map((name) => join(folder, name))]);
      if (!refused) open();
      for (const message of refused ? [refused, Unusable, /Set REPORT_DIR to a new or empty folder$/] : [])
        expect(open).toThrow(message);
      expect(existsSync(folder)).toBe(true);
    }
  });

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
