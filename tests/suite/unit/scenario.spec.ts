/** The chapters: how much they send, that a requirement's own chapters show it, and that one fault stands in each negative request. */
import net from 'node:net';
import { wrongCredentials } from '../../../fixtures/contract/credentials.ts';
import type { Exchange } from '../../../fixtures/target/http/exchange.ts';
import { describePlan } from '../../../fixtures/run.ts';
import { longestName, namings, OWN_NAMES, REFUSED } from '../../../fixtures/scenario/names.ts';
import { rehearse, selectChapters } from '../../../fixtures/scenario/scenario.ts';
import { Step } from '../../../fixtures/trace/step.ts';
import { Store } from '../../../fixtures/trace/store.ts';
import { judge } from '../../../fixtures/judge.ts';
import { cases, properties } from '../../properties/index.ts';
import { expect, test } from './make.ts';

test.describe.configure({ mode: 'default' });

let standard: readonly Exchange[];
let thorough: readonly Exchange[];
test.beforeAll(async () => {
  standard = await rehearse(selectChapters(false));
  thorough = await rehearse(selectChapters(true));
});
const toStep = (exchange: Exchange): Step => new Step(exchange);

/** `add.echo addPet passed` */
const outcomesOf = (exchanges: readonly Exchange[]): string[] =>
  judge(new Store(exchanges, { baseUrl: 'http://rehearsal/v1' }), properties).outcomes.map(
    ({ requirement, operation = '', outcome }) => `${requirement} ${operation} ${outcome}`,
  );

test('no request of a standard run has two faults, except those that must be answered 401 before any other fault', () => {
  const ofTwo = standard.map(toStep).filter(({ request, isOfKey }) => isOfKey && request.faults.length > 1);
  expect(ofTwo.map(({ exchange }) => exchange.request.target)).toEqual([]);
});

test('no name of an animal is the beginning of another one', () => {
  const sent = thorough.map((exchange) => String(toStep(exchange).request.sent?.['name'] ?? ''));
  const names = [...new Set(sent.flatMap((name) => name.match(OWN_NAMES) ?? []))];
  expect(names.length).toBeGreaterThan(100);
  expect(names.filter((name) => names.some((each) => each !== name && each.startsWith(name)))).toEqual([]);
});

test('a malformed body comes before the first animal, a filtered list before a plain one, an unknown id before it exists', () => {
  const all = standard.map(
    ({ request: { method, target }, response }) => `${method} ${target} ${response?.status ?? 'no answer'}`,
  );
  expect(all.filter((each) => each.startsWith('POST')).slice(0, 2)).toEqual(['POST /pets 400', 'POST /pets 201']);
  expect(all.lastIndexOf('GET /pets 200')).toBeGreaterThan(all.findIndex((each) => each.includes('status=')));
  const unknown = all.find((each) => /^GET .* 404$/.test(each)) as string;
  expect(all.slice(all.indexOf(unknown))).toContain(unknown.replace(/404$/, '200'));
});

test('a requirement has the outcome of a whole run in a run of its chapters', async () => {
  const expected = new Set(outcomesOf(standard));
  const bySelection = new Map<string, Promise<string[]>>();
  for (const { id, operation = '' } of cases) {
    const chapters = selectChapters(false, [id]);
    const key = chapters.map(({ name }) => name).join();
    if (!bySelection.has(key)) bySelection.set(key, rehearse(chapters).then(outcomesOf));
    const found = (await bySelection.get(key))?.find((each) => each.startsWith(`${id} ${operation} `));
    expect(expected, `${id} ${operation}`).toContain(found);
  }
  expect(bySelection.size).toBeGreaterThan(8);
});

for (const depth of ['standard', 'thorough'])
  test(`READ_ONLY=1 adds nothing at ${depth} depth, and tries every wrong credential`, async () => {
    const sent = await rehearse(selectChapters(depth === 'thorough'), { readOnly: true });
    expect(sent.filter(({ request }) => !['GET', 'HEAD'].includes(request.method))).toEqual([]);
    expect(sent.map(({ credential }) => credential)).toEqual(expect.arrayContaining(wrongCredentials));
  });

test('a thorough run repeats no chapter of a standard one, and holds more animals than a list', () => {
  const [first, second] = [standard, thorough].map((all) => all.map(({ request }) => request.target));
  expect(second?.slice(0, standard.length)).toEqual(first);
  expect(thorough.map(toStep).filter(({ animals }) => animals?.length === 100).length).toBeGreaterThan(0);
});

test('there is no plan if the rehearsal gets no answer', async () => {
  const { connect } = net;
  net.connect = (): net.Socket => new net.Socket().destroy(new Error('no network'));
  await expect(rehearse(selectChapters(false)).finally(() => (net.connect = connect))).rejects.toThrow('rehearsed at');
});

test('the plan names each chapter, and the requirements that judge a request', () => {
  const text = describePlan(standard, properties);
  for (const { name } of selectChapters(false)) if (name !== 'other operations') expect(text).toContain(`${name} (`);
  expect(text).toMatch(/GET \/pets\?limit=9&status=sold with the valid key\n {6}list\.limit\.caps, /);
});

const LABELS = [
  ...['plain-animal', 's-pending', 's-available', 's-none', 'pair-0', 'pair-1', 'own-id', 'json-text'],
  ...['category', 'below-zero', 'late-001'],
  ...Array.from({ length: 102 }, (_, i) => `more-${String(i + 1).padStart(3, '0')}`),
  ...Array.from({ length: 60 }, (_, i) => `${REFUSED}${i % 3 ? i : `k${i}`}-`),
];

for (const [naming, shape] of [
  ['plain', /./],
  ['letters', /^[A-Z][a-z]{7,19}$/],
  ['short', /^[a-z]{8,12}$/],
] as const)
  test(`${naming} names differ, are recognized, and that of a rejected body is in no other name`, () => {
    const names = LABELS.map((label) => namings[naming]('a1b2c3', label));
    const longest = longestName(naming, 'a1b2c3', 'plain-animal');
    // A limit of the target shows in the answer to the first one.
    expect(Math.max(...names.map(({ length }) => length))).toBeLessThanOrEqual(longest.length);
    expect(new Set(names).size).toBe(LABELS.length);
    for (const refused of names.filter((_, i) => LABELS[i]?.startsWith(REFUSED)))
      expect(names.filter((name) => name.includes(refused))).toEqual([refused]);
    for (const name of naming === 'plain' ? names : [...names, longest]) {
      expect(name).toMatch(shape);
      expect(`the name ${name}.`.match(OWN_NAMES)).toEqual([name]);
    }
  });

test('ordinary texts are not taken for names of a run', () => {
  for (const text of ['Rex', 'Conforms to the standard', 'conformance-report/index.html', 'Conformance'])
    expect(text.match(OWN_NAMES), text).toBeNull();
});
