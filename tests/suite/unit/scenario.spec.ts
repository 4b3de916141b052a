/** The chapters: how much they send, that a requirement's own chapters show it, and that one fault stands in each negative request. */
import { expect } from '@playwright/test';
import type { Exchange } from '../../../fixtures/target/http/exchange.ts';
import { OWN_NAMES } from '../../../fixtures/scenario/names.ts';
import { describePlan, rehearse } from '../../../fixtures/scenario/rehearsal.ts';
import { selectChapters } from '../../../fixtures/scenario/scenario.ts';
import { Step } from '../../../fixtures/trace/step.ts';
import { factsOfTraffic, Store } from '../../../fixtures/trace/store.ts';
import { cases, judgeTrace } from '../../properties/index.ts';
import { test } from './make.ts';

test.describe.configure({ mode: 'default' });

let whole: Promise<readonly Exchange[]> | undefined;
const ofStandard = (): Promise<readonly Exchange[]> => (whole ??= rehearse(selectChapters(false)));

/** `add.echo addPet passed` */
const outcomesOf = (exchanges: readonly Exchange[]): string[] =>
  judgeTrace(new Store(exchanges, { ...factsOfTraffic('http://rehearsal/v1'), isForeign: false })).outcomes.map(
    ({ requirement, operation = '', outcome }) => `${requirement} ${operation} ${outcome}`,
  );

test('a standard run of an empty store sends at most 120 requests', async () => {
  const sent = await ofStandard();
  expect(sent.length).toBeLessThanOrEqual(120);
  expect(sent.length).toBeGreaterThan(100);
});

test('no request of a standard run has two faults, except those that must be answered 401 before any other fault', async () => {
  const steps = (await ofStandard()).map((exchange) => new Step(exchange));
  const ofTwo = steps.filter(({ request, isOfKey }) => isOfKey && request.faults.length > 1);
  expect(ofTwo.map(({ exchange }) => exchange.request.target)).toEqual([]);
});

test('no name of an animal is the beginning of another one', async () => {
  const steps = (await rehearse(selectChapters(true))).map((exchange) => new Step(exchange));
  const names = new Set(steps.flatMap(({ request }) => String(request.sent?.['name'] ?? '').match(OWN_NAMES) ?? []));
  expect(names.size).toBeGreaterThan(100);
  const beginnings = [...names].filter((name) => [...names].some((each) => each !== name && each.startsWith(name)));
  expect(beginnings).toEqual([]);
});

test('a malformed body comes before the first animal, a filtered list before a plain one, an unknown id before it exists', async () => {
  const sent = await ofStandard();
  const at = (isIt: (step: Step) => boolean): number => sent.findIndex((exchange) => isIt(new Step(exchange)));
  const posts = sent.filter(({ request }) => request.method === 'POST').map(({ response }) => response?.status);
  expect(posts.slice(0, 2)).toEqual([400, 201]);
  expect(
    at(({ exchange }) => exchange.request.target === '/pets' && exchange.request.method === 'GET'),
  ).toBeGreaterThan(at(({ exchange }) => exchange.request.target.includes('status=')));
  const unknown = sent.find(({ chapter, request }) => chapter === 'late animals' && request.method === 'GET');
  expect(unknown?.response?.status).toBe(404);
  expect(sent.filter(({ request }) => request.target === unknown?.request.target).at(-1)?.response?.status).toBe(200);
});

test('a requirement has the outcome of a whole run in a run of its chapters', async () => {
  const expected = new Set(outcomesOf(await ofStandard()));
  const bySelection = new Map<string, Promise<string[]>>();
  for (const { id, operation = '' } of cases) {
    const own = selectChapters(false, [id]);
    const key = own.map(({ name }) => name).join();
    if (!bySelection.has(key)) bySelection.set(key, rehearse(own).then(outcomesOf));
    const outcomes = (await bySelection.get(key)) as string[];
    const [found] = outcomes.filter((each) => each.startsWith(`${id} ${operation} `));
    expect(expected, `${id} ${operation}`).toContain(found);
  }
  expect(bySelection.size).toBeGreaterThan(8);
});

test('nothing is added if READ_ONLY=1', async () => {
  const sent = await rehearse(selectChapters(true), { readOnly: true });
  expect(sent.filter(({ request }) => !['GET', 'HEAD'].includes(request.method))).toEqual([]);
});

test('a thorough run repeats no chapter of a standard one, and holds more animals than a list', async () => {
  const sent = await rehearse(selectChapters(true));
  const standard = await ofStandard();
  expect(sent.slice(0, standard.length).map(({ request }) => request.target)).toEqual(
    standard.map(({ request }) => request.target),
  );
  const full = sent.filter(
    ({ response }) => response?.body.startsWith('[{') && JSON.parse(response.body).length === 100,
  );
  expect(full.length).toBeGreaterThan(0);
});

test('the plan names each chapter, and the requirements that judge a request', async () => {
  const text = describePlan(await ofStandard(), judgeTrace);
  for (const { name } of selectChapters(false)) if (name !== 'other operations') expect(text).toContain(`${name} (`);
  expect(text).toMatch(/GET \/pets\?limit=9&status=sold with the valid key\n {6}list\.limit\.caps, /);
});
