/** Comparing reports: which changes are worse, exit codes, tables and pages. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type RequirementId, requirements } from '../../../fixtures/contract/requirements.ts';
import { type Comparable, compare, isWorse, compareOutcomes } from '../../../fixtures/report/out/changes.ts';
import { renderComparison, describeChanges, renderText } from '../../../fixtures/report/out/compare.ts';
import { readReports } from '../../../fixtures/report/run/command.ts';
import { writeStopped, writeUnfinished } from '../../../fixtures/report/run/no-run.ts';
import { difference, type Kind } from '../../../fixtures/judge/finding.ts';
import type { RequirementResult } from '../../../fixtures/report/model/result.ts';
import type { Problem } from '../../../fixtures/report/model/problems.ts';
import { test as unit } from '../unit/make.ts';
import { expect, test, findAxeViolations } from './browser.ts';
import { HOSTILE } from './pages.ts';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const waiver = { requirement: 'list.limit.caps', reason: 'known', owner: 'us', expires: '2030-01-01' } as const;

function report(
  outcomes: Record<string, Partial<RequirementResult>> = {},
  observed: Record<string, string> = {},
): Comparable {
  return {
    verdict: 'conforms',
    target: 'https://store.example/v1',
    requirements: requirements.map(({ id, level, section, statement }) => ({
      ...{ id, level, section, statement },
      list: level === 'open' ? 'open' : level === 'must' ? 'gates' : 'advice',
      outcome: level === 'open' ? 'inapplicable' : 'passed',
      gating: level === 'must',
      reasons: [],
      evidence: [],
      cases: [],
      ...outcomes[id],
    })),
    observations: Object.entries(observed).map(([id, value]) => ({ id, statement: `${id}.`, observed: value })),
  };
}

const only = (outcome: RequirementResult['outcome'], more: Partial<RequirementResult> = {}): Comparable =>
  report({ 'list.limit.caps': { outcome, ...more } });
const absent = (): Comparable => ({
  ...report(),
  requirements: report().requirements.filter(({ id }) => id !== 'list.limit.caps'),
});

const problem = (
  title: string,
  { kind = 'wrong status', place = 'status', ...more }: Partial<Problem> & { kind?: Kind; place?: string } = {},
): Problem => {
  const operations = more.operations ?? ['listPets'];
  const requirements = more.requirements ?? ['list.limit.caps'];
  const finding = {
    ...{
      requirement: requirements[0] as RequirementId,
      operation: operations[0] ?? '',
      exchanges: [],
      title: 'a case',
    },
    ...difference(kind, place, { actual: 500 }),
  };
  return {
    ...{ title, list: 'gates', harm: 'status', operations, requirements, affected: { n: 1, of: 2 }, hides: [] },
    findings: [finding],
    ...more,
  };
};

const withProblems = (...problems: Problem[]): Comparable => ({
  ...report(
    Object.fromEntries(
      problems.flatMap(({ requirements: ids, list }) =>
        ids.map((id) => [id, { outcome: 'failed' as const, ...(list === 'waived' && { waiver }) }]),
      ),
    ),
  ),
  problems,
});

const changes = [
  ['worse', 'passed', 'failed', only('passed'), only('failed')],
  ['worse', 'passed', 'failed under a waiver', only('passed'), only('failed', { waiver })],
  ['worse', 'passed', 'cantTell', only('passed'), only('cantTell')],
  ['worse', 'untested', 'failed', only('untested'), only('failed')],
  ['worse', 'cantTell', 'failed', only('cantTell'), only('failed')],
  ['worse', 'not there before', 'failed', absent(), only('failed')],
  ['worse', 'waived', 'failed', only('failed', { waiver }), only('failed')],
  ['better', 'failed', 'passed', only('failed'), only('passed')],
  ['better', 'cantTell', 'passed', only('cantTell'), only('passed')],
  ['better', 'waived', 'passed', only('failed', { waiver }), only('passed')],
  ['untested', 'passed', 'untested', only('passed'), only('untested')],
  ['untested', 'failed', 'untested', only('failed'), only('untested')],
  ['untested', 'passed', 'no longer there', only('passed'), absent()],
  ['changed', 'failed', 'waived', only('failed'), only('failed', { waiver })],
  ['changed', 'untested', 'passed', only('untested'), only('passed')],
  ['changed', 'passed', 'inapplicable', only('passed'), only('inapplicable')],
  ['changed', 'not there before', 'passed', absent(), only('passed')],
] as const satisfies readonly (readonly [string, string, string, Comparable, Comparable])[];

for (const [kind, was, is, before, after] of changes)
  unit(`${was} → ${is}: ${kind}`, () => {
    const { worse, better, untested, changed } = compare(before, after);
    expect({ worse, better, untested, changed }[kind].map(({ id }) => id)).toEqual(['list.limit.caps']);
    expect([...worse, ...better, ...untested, ...changed]).toHaveLength(1);
  });

const gates = [
  ['a failing requirement', only('failed'), true],
  ['a requirement that cannot be judged', only('cantTell'), true],
  ['a recommendation that is not followed', report({ 'add.location': { outcome: 'failed' } }), false],
  ['a violation under a waiver', only('failed', { waiver }), false],
  ['an untested requirement', only('untested'), false],
  ['a missing requirement', absent(), false],
  ['a requirement that is not applicable', only('inapplicable'), false],
  ['a run whose suite is broken', { ...report(), verdict: 'error' }, true],
] as const satisfies readonly (readonly [string, Comparable, boolean])[];

for (const [title, after, stops] of gates)
  unit(`${title} ${stops ? 'stops' : 'does not stop'} a pipeline`, () => {
    expect(isWorse(compare(report(), after))).toBe(stops);
  });

unit('the sentence counts violations, and separately everything else', () => {
  const after = report({
    'list.limit.caps': { outcome: 'failed' },
    'list.succeeds': { outcome: 'cantTell' },
    'add.location': { outcome: 'failed' },
    'orders.exists': { outcome: 'failed', waiver },
    ...Object.fromEntries(['add.echo', 'get.found', 'get.unknown'].map((id) => [id, { outcome: 'untested' as const }])),
  });
  expect(describeChanges(compare(report(), after))).toBe(
    '1 new violation, 0 fixed; 1 new under a waiver; 1 not judged this time; 3 not tested this time; 1 recommendation newly not followed',
  );
  expect(describeChanges(compare(after, report()))).toBe(
    '0 new violations, 2 fixed; 1 only judged this time; 1 recommendation newly followed',
  );
  expect(describeChanges(compare(report(), report()))).toBe('0 new violations, 0 fixed');
  expect(describeChanges(compare(report(), { ...report(), verdict: 'error' }))).toBe(
    'B cannot be relied on; 0 new violations, 0 fixed',
  );
});

unit('an unjudged recommendation does not count as not followed', () => {
  const after = report({ 'add.location': { outcome: 'failed' }, 'http.head': { outcome: 'cantTell' } });
  const shown = renderText([report(), after]);
  expect(shown).toMatch(/Recommendations newly not followed\n {2}add\.location {2}passed → failed\n\n/);
  expect(shown).toMatch(/Other changes\n {2}http\.head {5}passed → not judged\n/);
});

unit.describe('problems', () => {
  const others = [
    problem('no Reset', { kind: 'missing header', place: 'header X-RateLimit-Reset', requirements: ['rate.headers'] }),
    problem('categoryId comes back changed', {
      ...{ kind: 'changed value', place: '/categoryId', requirements: ['add.echo'], operations: ['addPet'] },
    }),
  ];

  unit('are new, gone or unchanged by their findings, not by their titles', () => {
    const before = withProblems(
      problem('GET /pets: 500 (3 of 7)'),
      problem('names are cut', { kind: 'changed value', place: '/name', requirements: ['add.echo'] }),
    );
    const after = withProblems(problem('GET /pets: 500 (4 of 9)'), others[0] as Problem);
    const comparison = compare(before, after);
    expect(comparison.problems).toEqual({
      new: [{ title: 'no Reset', gates: true }],
      gone: [{ title: 'names are cut', gates: false }],
      unchanged: [{ title: 'GET /pets: 500 (4 of 9)', before: 'GET /pets: 500 (3 of 7)', gates: false }],
      notJudged: [],
    });
    expect(describeChanges(comparison)).toBe('1 new violation, 1 fixed; problems: 1 new, 1 gone, 1 unchanged');
  });

  unit('of one kind at several places and operations are paired by place', () => {
    const [own, other] = [
      problem('one', { kind: 'changed value', place: '/name', operations: ['addPet'] }),
      problem('two', { kind: 'changed value', place: '/name', operations: ['getPet'] }),
    ];
    const { problems } = compare(withProblems(own, other), withProblems(other, own));
    expect(problems).toMatchObject({ new: [], gone: [], unchanged: [{ title: 'two' }, { title: 'one' }] });
    expect(problems?.unchanged.some(({ before }) => before !== undefined)).toBe(false);
  });

  unit('that are new are worse, even if every requirement had failed before', () => {
    const before = withProblems(problem('GET /pets: 422'));
    const more = problem('GET /pets: names are missing', { kind: 'missing', place: '/name' });
    const comparison = compare(before, withProblems(problem('GET /pets: 422'), more));
    expect(comparison.worse).toEqual([]);
    expect(isWorse(comparison)).toBe(true);
    expect(isWorse(compare(withProblems(problem('GET /pets: 422'), more), before))).toBe(false);
  });

  unit('that an intermittent fault shows on another operation are not new', () => {
    const before = withProblems(problem('GET /pets: 500', { requirements: ['service.no-server-error'] }));
    const after = withProblems(
      problem('GET /store/orders: 500', { operations: ['listOrders'], requirements: ['service.no-server-error'] }),
    );
    const comparison = compare(before, after);
    expect(comparison.problems).toMatchObject({
      ...{ new: [], gone: [], notJudged: [] },
      unchanged: [{ title: 'GET /store/orders: 500', before: 'GET /pets: 500' }],
    });
    expect(isWorse(comparison)).toBe(false);
  });

  unit(
    'of another requirement are new, though one of that kind at that place is gone, and then the requirement stops',
    () => {
      const before = withProblems(problem('GET /pets: 500', { requirements: ['list.succeeds'] }));
      const after = withProblems(
        problem('POST /pets: 201', { operations: ['addPet'], requirements: ['add.name.required'] }),
      );
      const comparison = compare(before, after);
      expect(comparison.problems).toMatchObject({
        new: [{ title: 'POST /pets: 201', gates: false }],
        gone: [{ title: 'GET /pets: 500' }],
      });
      expect(isWorse(comparison)).toBe(true);
    },
  );

  unit('that are waived or recommendations do not stop a pipeline', () => {
    for (const list of ['waived', 'advice'] as const) {
      const requirement = list === 'waived' ? 'list.limit.caps' : 'add.location';
      const after = withProblems(problem('new', { list, requirements: [requirement] }));
      expect(isWorse(compare(withProblems(), after)), list).toBe(false);
    }
    const waived = compare(withProblems(problem('one')), withProblems(problem('one', { list: 'waived' })));
    expect(waived.problems).toMatchObject({ new: [], gone: [], unchanged: [{ title: 'one' }] });
    expect(isWorse(waived)).toBe(false);
    expect(isWorse(compare(withProblems(problem('one', { list: 'waived' })), withProblems(problem('one'))))).toBe(true);
  });

  unit('that were not judged this time are not gone', () => {
    const after = { ...only('untested'), problems: [] };
    const comparison = compare(withProblems(problem('one')), after);
    expect(comparison.problems).toMatchObject({ gone: [], notJudged: [{ title: 'one' }] });
    expect(describeChanges(comparison)).toBe(
      '0 new violations, 0 fixed; problems: 1 not judged this time; 1 not tested this time',
    );
  });

  unit('are the reasons of changes; without one the requirement has its own', () => {
    const bad = withProblems(problem('GET /pets: 500'), problem('second', { kind: 'missing', place: '/name' }));
    expect(compare(withProblems(), bad).worse[0]?.reason).toBe('GET /pets: 500 (and 1 more problem)');
    expect(compare(bad, withProblems()).better[0]?.reason).toBe('GET /pets: 500 (and 1 more problem)');
    const without = only('failed', { reasons: ['a case: expected x; received y'] });
    expect(compare(report(), without).worse[0]?.reason).toBe('a case: expected x; received y');
    expect(compare(report(), absent()).untested[0]).toMatchObject({ after: 'not in this report' });
  });

  unit('are not compared with a report without problems', () => {
    const old = { ...only('failed'), causes: [{ headline: 'x' }] } as Comparable;
    for (const [before, after] of [
      [old, withProblems()],
      [withProblems(problem('one')), old],
    ] as const) {
      const comparison = compare(before, after);
      expect(comparison.problems).toBeUndefined();
      expect(describeChanges(comparison)).not.toContain('problems');
      expect(renderText([before, after])).not.toContain('roblems');
    }
    expect(isWorse(compare(report(), old))).toBe(true);
  });

  unit('are in the table with both titles, and on the page', () => {
    const before = withProblems(problem('GET /pets: 500 (3 of 7)'));
    const after = withProblems(problem('GET /pets: 500 (4 of 9)'), ...others);
    const shown = renderText([before, after]);
    expect(shown).toContain('\nNew problems\n  no Reset\n  categoryId comes back changed\n');
    expect(shown).toContain('\nUnchanged problems\n  GET /pets: 500 (4 of 9)\n    in A: GET /pets: 500 (3 of 7)\n');
    const page = renderComparison([before, after]);
    for (const text of ['New problems (2)', 'Unchanged problems (1)', 'no Reset', 'in A: GET /pets: 500 (3 of 7)'])
      expect(page).toContain(text);
  });
});

unit('the same run twice has no change', () => {
  const same = report({}, { 'open.order': 'by id' });
  expect(compare(same, same)).toEqual({
    ...{ worse: [], better: [], untested: [], changed: [], choices: [], unreliable: [] },
  });
});

unit('open choices are compared without values that differ from run to run', () => {
  const before = report(
    {},
    {
      'open.order': 'by id',
      'open.rate-window': 'Limit 60; Reset from 3 to 60 s ahead',
      'open.limit-outside': 'limit=0: 200 with 1 animal; limit=-1: 400',
      'open.error-codes': '401 unauthorized; 404 not_found',
    },
  );
  const after = report(
    {},
    {
      'open.order': 'not by id',
      'open.rate-window': 'Limit 60; Reset from 1 to 9 s ahead',
      'open.limit-outside': 'limit=0: 200 with 20 animals; limit=-1: 400',
      'open.error-codes': '404 not_found; 401 unauthorized',
    },
  );
  const { choices } = compare(before, after);
  expect(choices).toMatchObject([
    {
      ...{ id: 'open.order', statement: 'open.order.', before: 'by id', after: 'not by id' },
      ...{ list: 'open', gates: false },
    },
  ]);
  const other = report({}, { 'open.limit-outside': 'limit=0: 200 with 1 animal; limit=-1: 422' });
  expect(compare(before, other).choices.map(({ id }) => id)).toContain('open.limit-outside');
  // An observation that one run lacks is not a change.
  for (const [one, two] of [
    [after, report()],
    [report(), after],
  ] as const)
    expect(compare(one, two).choices).toEqual([]);
});

unit('the table shows the change and the reason, without terminal commands', () => {
  const after = only('failed', { reasons: [`no\u001b[2J ${HOSTILE}`] });
  const table = renderText([report(), after]);
  expect(table).toMatch(/New violations\n {2}list\.limit\.caps {2}passed → failed\n +no\\u001b/);
  expect(table).toMatch(/\nFrom A to B: 1 new violation, 0 fixed$/);
  expect(table).toMatch(/^A: https:\/\/store\.example\/v1: conforms\nB: https:\/\/store\.example\/v1: conforms\n/);
  expect(table).not.toContain('\u001b');
});

/** Three reports: with a name, with a waiver, and without one requirement. */
const many = (): Comparable[] => [
  { ...report({}, { 'open.order': 'by id', 'open.paging': 'none' }), implementation: 'One 1.0' },
  {
    ...report({
      'list.limit.caps': { outcome: 'failed', waiver },
      'add.location': { outcome: 'failed' },
      'get.found': { outcome: 'failed' },
    }),
    verdict: 'violates',
    problems: [problem('GET /pets/{petId}: 404'), problem('no Location', { list: 'advice' })],
    observations: report({}, { 'open.order': 'not by id', 'open.paging': 'none' }).observations,
  },
  { ...absent(), observations: report({}, { 'open.order': 'by id' }).observations },
];

unit('a table of many has a cell for each requirement and report', () => {
  const row = compareOutcomes(many(), 'gates').find(({ id }) => id === 'list.limit.caps');
  expect(row?.cells).toEqual(['passed', 'waived', undefined]);
  expect(compareOutcomes(many(), 'gates').every(({ cells }) => cells.length === 3)).toBe(true);
});

unit('the terminal shows the counts of each report, then the differing rows and choices', () => {
  const table = renderText(many());
  const store = 'https://store.example/v1';
  expect(table.split('\n').slice(0, 3)).toEqual([
    `A: One 1.0, ${store}: conforms; 0 violations, 0 recommendations not followed`,
    `B: ${store}: violates; 1 violation, 1 problem, 1 recommendation not followed`,
    `C: ${store}: conforms; 0 violations, 0 recommendations not followed`,
  ]);
  expect(table).toMatch(/\nRequirements {5}A B C\nlist\.limit\.caps {2}✓ ≈ {2}\n/);
  expect(table).toMatch(/\nRecommendations\nadd\.location {5}✓ ✘ ✓\n/);
  expect(table.indexOf('get.found')).toBeLessThan(table.indexOf('Recommendations\n'));
  expect(table).not.toContain('list.succeeds');
  expect(table).toMatch(/open\.order\n +A: by id\n +B: not by id\n +C: by id\n/);
  // A report without the observation does not differ.
  expect(table).not.toContain('open.paging');
  expect(table).toMatch(/\n3 runs: 2 conform, 1 violates; they differ in 2 of \d+ requirements$/);
});

unit('the terminal names requirements that all fail, and counts those that all pass', () => {
  const table = renderText([only('failed'), only('failed'), only('failed')]);
  expect(table).toMatch(/Requirements {2}A B C\nThe same in all: \d+ passed, 1 failed \(list\.limit\.caps\)\n/);
});

unit('a run that judged nothing cannot be relied on, whichever it is', () => {
  const directory = mkdtempSync(join(tmpdir(), 'compare-'));
  for (const name of ['good', 'bad']) {
    mkdirSync(join(directory, name));
    written(join(directory, name), 'conformance.json', name === 'good' ? report() : only('failed'));
  }
  writeStopped('cantTell', 'Nothing listens at https://store.example/v1', join(directory, 'dead'));
  writeUnfinished(join(directory, 'killed'));
  const compared = (...names: string[]) => {
    const { code, out } = command(
      ...names.map((name) => join(directory, name)),
      '--page',
      join(directory, 'page.html'),
    );
    return [code, out.trimEnd().split('\n').at(-2)];
  };
  const says = (words: string): [number, unknown] => [1, expect.stringContaining(words)];
  expect(compared('good', 'dead')).toEqual(says('From A to B: B cannot be relied on; 0 new violations'));
  expect(compared('dead', 'good')).toEqual(says('A cannot be relied on'));
  expect(compared('killed', 'dead')).toEqual(says('A and B cannot be relied on'));
  expect(compared('good', 'bad', 'killed')).toEqual(says('; C cannot be relied on'));
});

function command(...args: string[]): { code: number | null; out: string; err: string } {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    ['--import', 'tsx', 'fixtures/report/out/compare.ts', ...args],
    { cwd: ROOT, encoding: 'utf8' },
  );
  return { code: status, out: stdout, err: stderr };
}

const written = (directory: string, name: string, content: unknown): string => {
  const file = join(directory, name);
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
  return file;
};

unit('the exit code is 0 if nothing got worse, 1 if something did, 2 for invalid files', () => {
  const directory = mkdtempSync(join(tmpdir(), 'compare-'));
  const good = written(directory, 'good.json', report());
  const bad = written(directory, 'bad.json', only('failed'));
  const page = join(directory, 'own.html');
  expect(command(bad, good, '--page', page)).toMatchObject({ code: 0, err: '' });
  expect(readFileSync(page, 'utf8')).toContain('From A to B: 0 new violations, 1 fixed');
  const worse = command(good, bad);
  expect(worse).toMatchObject({ code: 1, err: '' });
  expect(worse.out).toContain('list.limit.caps  passed → failed');
  expect(readFileSync(join(directory, 'compare.html'), 'utf8')).toContain('1 new violation');

  const untested = written(directory, 'untested.json', only('untested'));
  expect(command(good, untested).code).toBe(0);

  // Any number of files and folders: a table, with exit code 0 if each run judged something.
  const folder = join(directory, 'all');
  for (const [name, content] of [
    ['a', report()],
    ['b', only('failed')],
  ] as const) {
    mkdirSync(join(folder, name), { recursive: true });
    written(join(folder, name), 'conformance.json', content);
  }
  const many = command(folder, good, join(folder, 'b'), '--page', page);
  expect(many).toMatchObject({ code: 0, err: '' });
  expect(many.out).toMatch(/\nlist\.limit\.caps {2}✓ ✘ ✓ ✘\n/);
  expect(readFileSync(page, 'utf8')).toContain('4 runs: 4 conform; they differ in 1 of');

  const unusable = [
    [directory],
    [good],
    [good, join(directory, 'none.json')],
    [good, written(directory, 'text.json', 'no JSON')],
    [good, written(directory, 'null.json', 'null')],
    [good, written(directory, 'other.json', { name: 'a package' })],
    [good, written(directory, 'odd.json', { ...report(), requirements: [null] })],
    ...[
      'none',
      [null],
      [{ title: 'x', list: 'gates' }],
      [{ ...problem('x'), findings: [null] }],
      [{ ...problem('x'), findings: [{ kind: 5 }] }],
      [{ ...problem('x'), operations: [1] }],
    ].map((problems, i) => [good, written(directory, `problems-${i}.json`, { ...report(), problems })]),
    [good, bad, '--page', join(directory, 'no', 'such', 'folder.html')],
    [good, bad, '--unknown'],
  ];
  for (const args of unusable) {
    const { code, out, err } = command(...args);
    expect([args, code, out]).toEqual([args, 2, '']);
    expect(err).not.toBe('');
    expect(err).not.toMatch(/^ +at /m);
  }
});

/** A report of suite 1.0: without lists, problems and most facts. */
const ofOldSuite = (outcome: RequirementResult['outcome']): object => ({
  ...{ verdict: 'partial', sentence: 'partial: of an old suite', target: 'https://store.example/v1' },
  ...{ contract: { title: 'Store', version: '1.0.0' }, suite: { version: '1.0.0' }, errors: [], coverage: [] },
  counts: { passed: 60, failed: 0, cantTell: 0, inapplicable: 0, untested: 1 },
  requirements: only(outcome).requirements.map(({ id, level, section, statement, outcome: own, gating, reasons }) => ({
    ...{ id, level, section, statement, outcome: own, gating, reasons, evidence: [] },
  })),
  ...{ observations: [], requests: { sent: 9, byKey: {}, waitedSeconds: 0 }, exchanges: [] },
  ...{ startedAt: '2026-01-01T00:00:00.000Z', durationMs: 1 },
});

unit('reports of suite 1.0 are compared with each other and with new ones', () => {
  const directory = mkdtempSync(join(tmpdir(), 'compare-'));
  const [old, worse] = (['passed', 'failed'] as const).map((each) =>
    written(directory, `${each}.json`, ofOldSuite(each)),
  );
  const now = written(directory, 'now.json', { ...only('failed'), problems: [problem('GET /pets: 500')] });
  for (const after of [worse, now]) {
    const reports = readReports([old as string, after as string]);
    expect(isWorse(compare(...(reports as [Comparable, Comparable])))).toBe(true);
    expect(renderText(reports)).toMatch(/\nNew violations\n {2}list\.limit\.caps {2}passed → failed\n/);
    expect(renderText([...reports, ...reports])).toMatch(/\nlist\.limit\.caps {2}✓ ✘ ✓ ✘\n/);
    expect(renderComparison(reports)).toContain('Store 1.0.0');
  }
});

const [first] = report().requirements;
const wrong = [
  ['an unknown verdict', { verdict: 'green' }, '/verdict'],
  ['a number for the sentence', { sentence: 5 }, '/sentence'],
  ['null for the implementation', { implementation: null }, '/implementation'],
  ['a text for the contract', { contract: 'Store' }, '/contract'],
  ['a number for the date', { startedAt: 0 }, '/startedAt'],
  ['no target', { target: undefined }, "required property 'target'"],
  ['a number as observation', { observations: [{ id: 'open.order', statement: 'x', observed: 1 }] }, '/observed'],
  ['an unknown outcome', { requirements: [{ ...first, outcome: 'green' }] }, '/requirements/0/outcome'],
  ['an invalid reason', { requirements: [{ ...first, reasons: [1] }] }, '/requirements/0/reasons/0'],
  ['an invalid operation', { problems: [{ ...problem('x'), operations: [1] }] }, '/problems/0/operations/0'],
] as const satisfies readonly (readonly [string, object, string])[];

// Every value that is shown has to be a text.
for (const [title, fields, place] of wrong)
  unit(`a report with ${title} is refused, and the message names the place`, () => {
    const file = written(mkdtempSync(join(tmpdir(), 'compare-')), 'wrong.json', { ...report(), ...fields });
    expect(() => readReports([file])).toThrow(place);
  });

for (const colorScheme of ['light', 'dark'] as const)
  test(`the page passes axe-core and fits a phone, ${colorScheme}`, async ({ open, page }) => {
    const before = { ...report({ 'get.found': { outcome: 'failed' } }, { 'open.order': HOSTILE }), problems: [] };
    const failed = { 'list.limit.caps': { outcome: 'failed' as const, reasons: [HOSTILE], statement: HOSTILE } };
    const after = { ...report(failed, { 'open.order': 'by id' }), problems: [problem(HOSTILE)] };
    const file = join(mkdtempSync(join(tmpdir(), 'compare-')), 'compare.html');
    writeFileSync(file, renderComparison([before, after]));
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize({ width: 360, height: 740 });
    await open(file);
    await expect(page.locator('h1')).toHaveText(
      'From A to B: 1 new violation, 1 fixed; problems: 1 new; 1 open choice changed',
    );
    await expect(page.locator('.key li')).toHaveText([/^\s*A: https:/, /^\s*B: https:/]);
    await expect(page.getByRole('row', { name: 'Implementation' })).toHaveCount(0);
    await expect(page.getByRole('columnheader')).toHaveText(['What', 'A', 'B']);
    expect(await findAxeViolations(page)).toEqual([]);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(360);
  });

for (const colorScheme of ['light', 'dark'] as const)
  test(`the page of many passes axe-core and fits a phone, ${colorScheme}`, async ({ open, page }) => {
    const reports = [
      { ...report({}, { 'open.order': HOSTILE }), problems: [] },
      only('failed'),
      { ...absent(), implementation: HOSTILE },
    ];
    const file = join(mkdtempSync(join(tmpdir(), 'compare-')), 'compare.html');
    writeFileSync(file, renderComparison(reports));
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize({ width: 360, height: 740 });
    await open(file);
    await expect(page.locator('h1')).toHaveText(/^3 runs: 3 conform; they differ in 1 of \d+ requirements$/);
    await expect(page.locator('.key li')).toHaveText([/^\s*A: https:/, /^\s*B: https:/, /^\s*C: /]);
    const counted = page.getByRole('table', { name: 'What is compared' });
    await expect(counted.getByRole('columnheader')).toHaveText(['What', 'A', 'B', 'C']);
    for (const [name, counts] of [
      ['Violations', ['0', '1', '0']],
      ['Problems', ['0', 'not in this report', 'not in this report']],
      ['Recommendations not followed', ['0', '0', '0']],
    ] as const)
      await expect(counted.getByRole('row', { name }).getByRole('cell')).toHaveText([...counts]);
    const row = page.getByRole('row').filter({ hasText: 'list.limit.caps' });
    await expect(row.getByRole('cell')).toHaveText([/passed/, /failed/, /not in this report/]);
    // Equal rows are folded.
    const unchanged = page.getByRole('row', { includeHidden: true }).filter({ hasText: 'list.succeeds' });
    await expect(unchanged).toBeHidden();
    await page.locator('summary').first().click();
    await expect(unchanged).toBeVisible();
    const order = ['Requirements', 'Recommendations', 'Open choices'];
    await expect(page.getByRole('heading', { level: 2 })).toHaveText(order);
    await expect(page.getByRole('columnheader', { name: 'A', exact: true })).not.toHaveCount(0);
    expect(await findAxeViolations(page)).toEqual([]);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(360);
  });
