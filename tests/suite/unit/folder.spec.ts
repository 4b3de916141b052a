/** A report is written into a folder only if no file of anybody else can be lost. */
import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from '@playwright/test';
import { openReportFolder } from '../../../fixtures/settings/folder.ts';
import { Unusable } from '../../../fixtures/settings/unusable.ts';
import { reported } from '../gate/given.ts';
import { test } from './make.ts';

const REPORT = JSON.stringify(reported());
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
  ['has a report that is cut', { 'conformance.json': REPORT.slice(0, -1) }, /no report of/],
  ['has what is judged', { ...REPORTED, 'a.har': '' }, /holds .*a\.har, which is judged and would be wr/, ['a.har']],
];

for (const [title, files, refused, inputs = []] of FOLDERS)
  test(`a folder that ${title} is ${refused ? 'refused' : 'written'}, also by a link to it`, () => {
    for (const isLinked of [false, true]) {
      const above = mkdtempSync(join(tmpdir(), 'folder-'));
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
      rmSync(above, { recursive: true });
    }
  });
