import { expect } from '@playwright/test';
import { chosen, majors, PARTS } from '../nodes/chosen.ts';
import { test } from './make.ts';

const ALL = Object.keys(PARTS);
const [oldest = '', next = ''] = majors;
const newest = majors.at(-1) ?? '';

for (const [words, running, versions, parts] of [
  ['', '20.0.0', majors, ALL],
  [newest, '20.0.0', [newest], ALL],
  ['20.18.1 reference unit', '20.0.0', ['20.18.1'], ['unit', 'reference']],
  ['package', '20.0.0', majors, ['package']],
  ['ends', `${oldest}.1.0`, [newest], ALL],
  ['ends unit', `${newest}.1.0`, [oldest], ['unit']],
  ['ends', `${next}.1.0`, [oldest, newest], ALL],
] as const)
  test(`npm run nodes -- ${words}, on Node ${running}`, () => {
    expect(chosen(words.split(' ').filter(Boolean), running)).toEqual({ versions, parts });
  });

test('an unknown argument is refused', () => {
  expect(() => chosen(['refrence'], '20.0.0')).toThrow('refrence is neither');
  expect(() => chosen(['20x'], '20.0.0')).toThrow('20x is neither');
});
