import { expect } from '@playwright/test';
import {
  RAW,
  findChangedFields,
  difference,
  type Kind,
  KINDS,
  LAYERS,
  findRename,
  shown,
} from '../../../fixtures/trace/finding.ts';
import { pet, test } from './make.ts';

test.describe('changed fields', () => {
  test('do not exist if the values came back', () => {
    expect(findChangedFields(pet(), { name: 'Rex', categoryId: 1, status: 'available' })).toEqual([]);
    expect(findChangedFields(pet(1, { categoryId: 2n ** 53n + 1n }), { categoryId: 2n ** 53n + 1n })).toEqual([]);
  });

  test('do not include unsent fields and a sent id', () => {
    expect(findChangedFields(pet(1, { status: 'sold', tags: [] }), { name: 'Rex', categoryId: 1n, id: 99 })).toEqual(
      [],
    );
    expect(findChangedFields({}, {})).toEqual([]);
  });

  test('have both values and the transformation', () => {
    expect(
      findChangedFields(pet(7, { name: 'REX', categoryId: 2 }), { name: 'Rex', categoryId: 1 }, { id: '7' }),
    ).toEqual([
      {
        layer: 'value',
        kind: 'changed value',
        place: '/name',
        expected: '"Rex"',
        actual: '"REX"',
        change: { how: 'upper case' },
        animal: { id: '7', name: 'Rex' },
      },
      {
        layer: 'value',
        kind: 'changed value',
        place: '/categoryId',
        expected: '1',
        actual: '2',
        animal: { id: '7', name: 'Rex' },
      },
    ]);
  });

  test('include missing fields and those that became null', () => {
    expect(findChangedFields({ id: 1 }, { name: 'Rex', status: null })).toEqual([
      { layer: 'value', kind: 'lost value', place: '/name', expected: '"Rex"', animal: { name: 'Rex' } },
      { layer: 'value', kind: 'lost value', place: '/status', expected: 'null', animal: { name: 'Rex' } },
    ]);
  });

  test('have the other name of the value', () => {
    expect(findChangedFields({ category_id: 1 }, { categoryId: 1 })).toMatchObject([
      { kind: 'lost value', place: '/categoryId', change: { how: 'another name', detail: 'category_id' } },
    ]);
    // A similar name with another value explains nothing.
    expect(findChangedFields({ category_id: 2 }, { categoryId: 1 })[0]).not.toHaveProperty('change');
  });

  test('have no cut number beside a name that nothing explains, which may be that of another animal', () => {
    const sent = { name: '001234', categoryId: 2n ** 53n + 1n };
    const [name, category] = findChangedFields(pet(7, { name: 'conformance-abcdef-one', categoryId: 1 }), sent);
    expect([name, category]).toMatchObject([{ place: '/name' }, { place: '/categoryId', actual: '1' }]);
    expect(category).not.toHaveProperty('change');
    const [, text] = findChangedFields(
      pet(7, { name: 'conformance-abcdef-one', categoryId: '9007199254740993' }),
      sent,
    );
    expect(text).toMatchObject({ place: '/categoryId', change: { how: 'text for a number' } });
    const [cut] = findChangedFields(pet(7, { name: '001234', categoryId: 1 }), sent);
    expect(cut).toMatchObject({ place: '/categoryId', change: { how: 'cut to int32' } });
  });

  test('are one difference if the name belongs to another animal of the run', () => {
    const sent = { name: 'conformance-abcdef-one', categoryId: 1, status: 'sold' };
    const other = pet(7, { name: 'conformance-abcdef-two', categoryId: 2 });
    expect(findChangedFields(other, sent, { id: '7' })).toMatchObject([
      {
        layer: 'value',
        kind: 'wrong animal',
        expected: '"conformance-abcdef-one"',
        actual: '"conformance-abcdef-two"',
      },
    ]);
    const foreign = pet(7, { name: 'conformance-fedcba-two', categoryId: 2 });
    expect(findChangedFields(foreign, sent, { id: '7' }).map(({ place }) => place)).toEqual([
      '/name',
      '/categoryId',
      '/status',
    ]);
  });

  test('have their place in the body', () => {
    expect(findChangedFields({}, { name: 'Rex' }, { id: '7', pointer: '/3' })).toMatchObject([{ pointer: '/3' }]);
  });

  test('keep the beginning of long values', () => {
    const [found] = findChangedFields({ name: 'y'.repeat(1e6) }, { name: 'x'.repeat(1e6) });
    expect(String(found?.expected)).toHaveLength(RAW);
    expect(String(found?.actual)).toHaveLength(RAW);
  });
});

test.describe('another spelling of a name', () => {
  const spellings = [
    'category_id',
    'category-id',
    'CategoryId',
    'categoryid',
    'CATEGORY ID',
  ] as const satisfies string[];
  for (const spelling of spellings)
    test(`is ${spelling} for categoryId`, () => {
      expect(findRename({ id: 1, [spelling]: 1 }, 'categoryId')).toEqual({ how: 'another name', detail: spelling });
    });

  const others = ['category', 'categoryIds', 'id', 'kategorieId'] as const satisfies string[];
  for (const other of others)
    test(`is not ${other} for categoryId`, () => {
      expect(findRename({ [other]: 1 }, 'categoryId')).toBeUndefined();
    });

  test('exists only for another name in an object', () => {
    expect(findRename({ categoryId: 1 }, 'categoryId')).toBeUndefined();
    expect([undefined, null, 'id', 7, ['id']].map((value) => findRename(value, 'id'))).toEqual(
      Array.from({ length: 5 }, () => undefined),
    );
  });
});

test('a difference has only known members', () => {
  expect(Object.keys(difference('no body', 'body'))).toEqual(['layer', 'kind', 'place']);
  expect(difference('wrong status', 'status', { expected: [200], actual: 0, change: undefined, detail: '' })).toEqual({
    layer: 'status',
    kind: 'wrong status',
    place: 'status',
    expected: [200],
    actual: 0,
    detail: '',
  });
  expect(difference('no body', 'body', { change: undefined })).not.toHaveProperty('change');
});

test('a value is shown as JSON with every digit, and a missing one is not shown', () => {
  expect(shown(2n ** 63n - 1n)).toBe('9223372036854775807');
  expect(shown({ name: 'Rex' })).toBe('{"name":"Rex"}');
  expect(shown(null)).toBe('null');
  expect(shown(undefined)).toBeUndefined();
});

test('every layer has a kind of difference, and every kind a layer', () => {
  const kinds = Object.keys(KINDS) as Kind[];
  expect(kinds.map((kind) => difference(kind, 'body').layer)).toEqual(Object.values(KINDS));
  expect(new Set(Object.values(KINDS))).toEqual(new Set([...LAYERS, 'header']));
});
