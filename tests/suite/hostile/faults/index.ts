import type { Fault } from '../fault.ts';
import { bodiesOfAnyKind } from './bodies.ts';
import { connections } from './connections.ts';
import { cutShort } from './cut-short.ts';
import { limiters } from './limiters.ts';
import { limits } from './limits.ts';
import { words } from './words.ts';

export const faults: readonly Fault[] = [
  ...connections,
  ...bodiesOfAnyKind,
  ...limits,
  ...limiters,
  ...words,
  ...cutShort,
];
