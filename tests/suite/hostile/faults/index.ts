import { bodiesOfAnyKind } from './bodies.ts';
import { connections } from './connections.ts';
import { limits } from './limits.ts';
import { words } from './words.ts';

export const faults = [...connections, ...bodiesOfAnyKind, ...limits, ...words];
