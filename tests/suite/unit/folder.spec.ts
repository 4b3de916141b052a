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

/** `files`: undefined if the folder does not exist. `inputs` are names in it. */
const FOLDERS: { title: string; files?: Record<string, string>; inputs?: string[]; refused?: RegExp }[] = [
  { title: 'does not exist' },
  { title: 'is empty', files: {} },
  { title: 'has only names with a dot', files: { '.gitkeep': '', '.gitattributes': '* -text' } },
  { title: 'has a report', files: { 'conformance.json': REPORT, 'index.html': '', 'notes.md': '' } },
  { title: 'has a report of suite 1.0', files: { 'conformance.json': OF_SUITE_1_0 } },
  { title: 'is a project', files: { 'index.html': 'mine', 'summary.md': 'mine' }, refused: /holds index\.html and no/ },
  {
    title: 'has files of other names',
    files: { 'notes.md': '' },
    refused: /holds notes\.md and no report of this suite/,
  },
  {
    title: 'has other JSON',
    files: { 'conformance.json': '{"verdict":"conforms"}' },
    refused: /no report of this suite/,
  },
  { title: 'has null', files: { 'conformance.json': 'null' }, refused: /no report of this suite/ },
  { title: 'has a report that is cut', files: { 'conformance.json': REPORT.slice(0, -1) }, refused: /no report of/ },
  {
    title: 'has what is judged',
    files: { 'conformance.json': REPORT, 'exchanges.har': '{}' },
    inputs: ['exchanges.har'],
    refused: /holds .*exchanges\.har, which is judged and would be written over/,
  },
  { title: 'has not what is judged', files: { 'conformance.json': REPORT }, inputs: ['../elsewhere.har'] },
];

for (const { title, files, inputs = [], refused } of FOLDERS)
  for (const isLinked of [false, true])
    test(`a folder that ${title} is ${refused ? 'refused' : 'written'}${isLinked ? ', by a link to it' : ''}`, () => {
      const above = mkdtempSync(join(tmpdir(), 'folder-'));
      const folder = join(above, 'report');
      writeFileSync(join(above, 'elsewhere.har'), '{}');
      if (files || isLinked) mkdirSync(folder);
      for (const [name, text] of Object.entries(files ?? {})) writeFileSync(join(folder, name), text);
      const named = isLinked ? join(above, 'link') : folder;
      if (isLinked) symlinkSync(folder, named);
      const read = inputs.map((name) => join(folder, name));
      const open = (): void => openReportFolder(named, read, 'REPORT_DIR');
      if (refused) {
        expect(open).toThrow(refused);
        expect(open).toThrow(Unusable);
        expect(open).toThrow(/Set REPORT_DIR to a new or empty folder$/);
      } else {
        open();
        expect(existsSync(folder)).toBe(true);
      }
      rmSync(above, { recursive: true });
    });
