/** Every requirement has a test, every test has a requirement, and ids are sound. */
import { bodyCases, queryCases } from '../../../fixtures/contract/cases.ts';
import { givenContract, isSpecified, operations } from '../../../fixtures/contract/contract.ts';
import { generateFiles } from '../documents/generate.ts';
import { requirementOf, requirements, retired, sections, shownBy } from '../../../fixtures/contract/requirements.ts';
import { selectChapters } from '../../../fixtures/scenario/scenario.ts';
import { requirement, titleOf } from '../../../fixtures/index.ts';
import { cases } from '../../properties/index.ts';
import { textOf } from '../recipes/blocks.ts';
import { expect, test } from './make.ts';

const CHAPTERS = [...selectChapters(true).map(({ name }) => name), 'throttling'];

for (const [file, text] of Object.entries(generateFiles()))
  test(`${file} is as \`npm run generate\` writes it`, () => expect(textOf(file)).toBe(text));

test('every requirement is complete, with a unique id', () => {
  const ids = requirements.map(({ id }) => id);
  expect(ids.filter((id, index) => ids.indexOf(id) !== index || id in retired)).toEqual([]);
  for (const each of requirements) {
    const { id, level, section, statement, source, on = [], untestable, area, harm, operation = 'addPet' } = each;
    expect(operations.map((own) => own.id)).toContain(operation);
    expect(id).toMatch(/^[a-z]+(\.[a-z0-9-]+)+$/);
    expect(['must', 'should', 'open']).toContain(level);
    for (const number of section.split(', ')) expect(Object.keys(sections), id).toContain(number);
    expect(statement).toMatch(/^[A-Z].*\.$/);
    for (const name of on) expect(['every response', ...CHAPTERS], id).toContain(name);
    // Those that are judged have a column in the report, and an impact.
    expect([area, harm].includes(undefined), id).toBe(level === 'open' || untestable !== undefined);
    // Only recommendations cite a standard.
    expect(`${id} ${source !== undefined}`).toBe(`${id} ${level === 'should'}`);
  }
});

test('where a request without a valid key is not sent, only what is about the key is not judged', () => {
  const areas = CHAPTERS.flatMap((chapter) => shownBy(chapter, false)).map((id) => requirementOf(id).area);
  expect(new Set(areas)).toEqual(new Set(['authentication']));
  expect(shownBy('credentials')).toContain('list.limit.caps');
});

test('`--grep @id` selects one requirement: no id that is judged begins with another one', () => {
  const ids = requirements.filter(({ level }) => level !== 'open').map(({ id }) => id);
  for (const id of ids) expect(ids.filter((other) => new RegExp(`@${id}`).test(`@${other}`))).toEqual([id]);
});

test('the covered cases of requirements are derived from the contract', () => {
  const derived = new Set(
    operations
      // An operation that is added has the requirements `service.*`.
      .filter(isSpecified)
      .flatMap((each) => [...bodyCases(each), ...queryCases(each)])
      .filter(({ is }) => is !== 'open')
      .map(({ name }) => name),
  );
  const covered = requirements.flatMap(({ covers = [] }) => covers);
  expect(covered.filter((name, index) => covered.indexOf(name) !== index)).toEqual([]);
  // Another contract may lack a parameter or field that is covered, and have more: those have the requirements `service.*`.
  const placeOf = (name: string): string => name.replace(/ \S+$/, '');
  const isOfBoth = (name: string): boolean =>
    givenContract === undefined ||
    [covered, [...derived]].every((names) => names.some((each) => placeOf(each) === placeOf(name)));
  expect(covered.filter((name) => !derived.has(name) && isOfBoth(name))).toEqual([]);
  expect([...derived].filter((name) => !covered.includes(name) && isOfBoth(name))).toEqual([]);
});

test('every requirement that can be judged has a test, and every test has one requirement, as its tag', () => {
  const meant = requirements.filter(({ level, untestable }) => level !== 'open' && untestable === undefined);
  const judged = new Set(cases.map(({ id }) => id));
  // Derived requirements: the contract has nothing for them today.
  expect(meant.filter(({ id, derived }) => !derived && !judged.has(id))).toEqual([]);
  expect([...judged].filter((each) => !meant.some(({ id }) => id === each))).toEqual([]);
  expect(cases.length).toBeGreaterThan(100);
  expect(new Set(cases.map(({ id, operation }) => titleOf(id, operation))).size).toBe(cases.length);
  for (const { id, operation } of cases)
    expect(requirement(id, operation)).toMatchObject({
      tag: [`@${requirementOf(id).level}`, `@${id}`],
      annotation: expect.arrayContaining([{ type: 'requirement', description: id }]) as unknown,
    });
});
