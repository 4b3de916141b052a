/** `spec/conformance.schema.json` as readers use it: with a strict Ajv, without this suite. */
import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';

export interface Part {
  $ref?: string;
  enum?: readonly string[];
  required?: readonly string[];
  properties?: Record<string, Part>;
  additionalProperties?: Part;
  items?: Part;
}

const file = new URL('../../../spec/conformance.schema.json', import.meta.url);
export const schema = JSON.parse(readFileSync(file, 'utf8')) as Part & { $id: string; $defs: Record<string, Part> };

const ajv = new Ajv2020({ strict: true, allErrors: true });
const validate = ajv.compile(schema);

/** One line for each mistake of a report; `part` names another definition of the schema. */
export function findSchemaErrors(report: unknown, part?: string): string[] {
  const check = part === undefined ? validate : ajv.getSchema(`${schema.$id}#/$defs/${part}`);
  if (!check) throw new Error(`the schema has no ${part}`);
  return check(report) ? [] : (check.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
}

export function unknownFields(value: unknown, part: Part = schema, place = ''): string[] {
  const { properties, additionalProperties, items = {} } = resolved(part);
  if (Array.isArray(value)) return value.flatMap((item, i) => unknownFields(item, items, `${place}/${i}`));
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) => {
    const own = properties?.[name] ?? additionalProperties;
    return own ? unknownFields(member, own, `${place}/${name}`) : [`${place}/${name}`];
  });
}

/** A part of the schema together with the one that it refers to. */
function resolved(part: Part): Part {
  if (part.$ref === undefined) return part;
  const { properties, ...rest } = resolved(schema.$defs[part.$ref.replace('#/$defs/', '')] ?? {});
  return { ...rest, ...part, properties: { ...properties, ...part.properties } };
}

/** A copy of a report with another value at a place such as `/requirements/0/id`; undefined removes it. */
export function edit<T extends object>(report: T, place: string, change = (_: unknown): unknown => undefined): T {
  const copy = JSON.parse(JSON.stringify(report)) as T;
  const names = place.slice(1).split('/');
  const name = names.pop() as string;
  type Node = Record<string, unknown>;
  const parent = names.reduce<Node>((node, each) => node[each] as Node, copy as Node);
  parent[name] = change(parent[name]);
  if (parent[name] === undefined) delete parent[name];
  return copy;
}
