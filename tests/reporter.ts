/** The conformance reporter with the properties: fixtures never import from tests. */
import { fileURLToPath } from 'node:url';
import ConformanceReporter from '../fixtures/report/reporter.ts';
import { cases, judgeTrace } from './properties/index.ts';

export default class Reporter extends ConformanceReporter {
  constructor() {
    super({ judgeTrace, cases }, fileURLToPath(import.meta.url));
  }
}
