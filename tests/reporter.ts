/** The conformance reporter with the properties: fixtures never import from tests. */
import ConformanceReporter from '../fixtures/report/reporter.ts';
import { properties } from './properties/index.ts';

export default class Reporter extends ConformanceReporter {
  constructor() {
    super(properties);
  }
}
