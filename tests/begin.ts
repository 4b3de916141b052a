/** Playwright's global set-up, with the properties: fixtures never import from tests. */
import type { FullConfig } from '@playwright/test';
import { begin } from '../fixtures/begin.ts';
import { properties } from './properties/index.ts';

export default (config: FullConfig): Promise<() => Promise<void>> => begin(config, properties);
