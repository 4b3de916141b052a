/** Targets that misbehave: each gets exactly its verdict, and the run does no harm (requests, time, memory, key). */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from '@playwright/test';
import { test } from '../unit/make.ts';
import { leaks } from './artefacts.ts';
import { SECONDS, type Fault } from './fault.ts';
import { faults } from './faults/index.ts';
import { FORMS } from './faults/words.ts';
import { judgeFault, wrongWith } from './runs.ts';

for (const fault of faults.filter(({ waits }) => !waits))
  test(fault.title, async ({}, info) => {
    info.setTimeout(((fault.seconds ?? SECONDS) + 60) * 1000);
    expect(await wrongWith(fault)).toEqual([]);
  });

test('each form of the key is found', () => {
  for (const [form, text] of Object.entries(FORMS)) expect(leaks('a file', `x${text}y`).join(), form).toContain(form);
  expect(leaks('a file', '$API_KEY sEcr3')).toEqual([]);
});

/** Ends the process of the target when it parses a body that is null. @param ms until it is started again. */
const ending = (ms: number): Fault => ({
  ...{ title: 'a body of null ends the process', verdict: 'cantTell' },
  restart: { at: ({ method, body, hasKey }) => hasKey && method === 'POST' && body === 'null', ms },
});
// The empty body is sent at the same time, and its connection ends with the others.
const BY =
  'POST /pets with the valid key, body (?:null|\\(empty\\)) \\(exchange (\\d+)\\): the connection was closed without an answer';

test('a request that ends the target is named first and once, and nothing more is sent', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'ended-'));
  const { report, printed, target } = await judgeFault(ending(600_000), directory);
  const { outages, requests, requirements, verdict } = report;
  expect(verdict).toBe('cantTell');
  const sentence = new RegExp(
    `^The target stopped answering: ${BY}; every later request was refused\\. Look at its log for this request( and those sent at the same time)?\\.$`,
  );
  expect(outages).toEqual([expect.stringMatching(sentence)]);
  const number = Number(sentence.exec(outages[0] ?? '')?.[1]);
  // Three connections are refused, the last one after more than a second.
  expect([requests.sent, target.asked.length]).toEqual([number + 3, number]);
  const unjudged = requirements.filter(({ list, outcome }) => list === 'gates' && outcome === 'cantTell');
  const reasons = new Set(unjudged.flatMap((each) => each.reasons.map((reason) => reason.replace(/^.*: /, ''))));
  expect(unjudged.length).toBeGreaterThan(5);
  expect([...reasons].sort()).toEqual([
    'the connection was closed without an answer',
    `the target stopped answering at exchange ${number}`,
  ]);
  expect(printed.split('The target stopped answering: POST /pets')).toHaveLength(2);
  expect(readFileSync(join(directory, 'summary.md'), 'utf8').indexOf('The target stopped answering')).toBeLessThan(600);
  rmSync(directory, { recursive: true });
});

test('a target that restarts within a second is judged, and the request before it is named', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'restarts-'));
  const { outages, requirements } = (await judgeFault(ending(900), directory)).report;
  const sentence = `^The target stopped answering and came back, .*: ${BY}; then [23] requests were refused, until exchange \\d+ was answered\\.`;
  expect(outages).toEqual([expect.stringMatching(sentence)]);
  const unjudged = requirements.filter(({ list, outcome }) => list === 'gates' && outcome === 'cantTell');
  expect(unjudged).toHaveLength(1);
  rmSync(directory, { recursive: true });
});
