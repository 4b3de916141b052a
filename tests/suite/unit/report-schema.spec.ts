/** The enumerations of the schema of conformance.json are those of the suite. */
import { AREAS, HARMS, type Level, requirements } from '../../../fixtures/contract/requirements.ts';
import type { ValueChange } from '../../../fixtures/trace/change.ts';
import { KINDS, LAYERS } from '../../../fixtures/trace/finding.ts';
import type { ProblemList } from '../../../fixtures/report/model/causes.ts';
import { type Counts, LISTS, type Outcome, VERDICTS } from '../../../fixtures/report/model/result.ts';
import { findSchemaErrors, schema } from '../report/schema.ts';
import { expect, test } from './make.ts';

/** The names of a type; the compiler finds missing and unknown ones. */
const namesOf = <Name extends string>(names: Record<Name, true>): string[] => Object.keys(names);

const outcomes = namesOf<Outcome>({ passed: true, failed: true, cantTell: true, inapplicable: true, untested: true });

const enumerations: Record<string, readonly string[]> = {
  verdict: Object.keys(VERDICTS),
  outcome: outcomes,
  list: Object.keys(LISTS),
  problemList: namesOf<ProblemList>({ gates: true, waived: true, advice: true }),
  level: namesOf<Level>({ must: true, should: true, open: true }),
  area: AREAS,
  harm: HARMS,
  layer: [...LAYERS, 'header'],
  kind: Object.keys(KINDS),
  how: namesOf<ValueChange['how']>({
    ...{ 'lower case': true, 'upper case': true, truncated: true, 'UTF-8 read as Latin-1': true },
    ...{ 'UTF-8 encoded twice': true, 'escaped for HTML': true, normalised: true, trimmed: true },
    ...{ 'quotes doubled': true, 'without markup': true, 'without accents': true, 'without rare characters': true },
    ...{ 'rounded to a double': true, 'cut to int32': true, 'text for a number': true, 'number for a text': true },
    ...{ 'milliseconds for seconds': true, 'in the past': true, 'too far ahead': true, null: true },
    ...{ 'another name': true, 'another form': true, 'another animal': true },
  }),
};

test('every enumeration of the schema is that of the suite', () => {
  const named = Object.entries(schema.$defs).flatMap(([name, part]) => (part.enum ? [name] : []));
  expect(named.sort()).toEqual(Object.keys(enumerations).sort());
  for (const [name, values] of Object.entries(enumerations))
    expect([...(schema.$defs[name]?.enum ?? [])].sort(), name).toEqual([...values].sort());
  expect(JSON.stringify(schema).match(/"enum":/g)).toHaveLength(named.length);
  const counted: (keyof Counts)[] = ['waived', ...(outcomes as Outcome[])];
  expect([...(schema.$defs.counts?.required ?? [])].sort()).toEqual(counted.sort());
  for (const { id } of requirements) expect(findSchemaErrors(id, 'requirementId'), id).toEqual([]);
});
