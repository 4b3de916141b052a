/** Traffic of others is judged the same before and after its secrets are replaced. */
import type { Exchange } from '../../../fixtures/target/http/exchange.ts';
import { parseRecording } from '../../../fixtures/target/recording/read.ts';
import { convertTraffic } from '../../../fixtures/target/recording/traffic.ts';
import { factsOfTraffic, Store } from '../../../fixtures/trace/store.ts';
import { judgeTrace } from '../../properties/index.ts';
import { names, readText } from '../recordings/corpus.ts';
import { expect, test } from './make.ts';

interface Entry {
  startedDateTime: string;
  request: { headers: object[] };
  response: { content: { text?: string } };
  _conformance: { number: number };
}

/** What is judged of a trace, but for what a replaced key in an error shows. */
const judgements = (exchanges: readonly Exchange[]): string[] =>
  judgeTrace(new Store(exchanges, factsOfTraffic('http://127.0.0.1/v1')))
    .outcomes.filter(({ requirement }) => requirement !== 'error.no-secrets')
    .map(
      ({ requirement, operation, outcome, findings = [] }) =>
        `${requirement} ${operation} ${outcome} ${findings.length}`,
    );

for (const name of names())
  test(`${name} as traffic, with a secret in each request that its answers repeat`, () => {
    const text = readText(name);
    const { log } = JSON.parse(text) as { log: { entries: Entry[]; _run: { baseUrl: string } } };
    const numbers = new Map<number, number>();
    for (const entry of log.entries) {
      let at = Date.parse(entry.startedDateTime);
      while (numbers.has(at)) at += 1;
      numbers.set(at, entry._conformance.number);
      entry.startedDateTime = new Date(at).toISOString();
      // Words of the answers themselves are secrets too.
      entry.request.headers.push({ name: 'X-Session', value: entry.response.content.text?.slice(0, 300) || 'none' });
    }
    const { exchanges } = convertTraffic(log.entries, log._run.baseUrl);
    expect(exchanges.length).toBeGreaterThan(50);
    const recorded = new Map(parseRecording(name, text).exchanges.map((each) => [each.number, each]));
    const originals = exchanges.map((exchange) => {
      const { request, response } = recorded.get(numbers.get(exchange.at) as number) as Exchange;
      const { body: _body, ...own } = exchange.request;
      const sent = { ...own, ...(request.body !== undefined && { body: request.body }) };
      return { ...exchange, request: sent, response } as Exchange;
    });
    expect(judgements(exchanges)).toEqual(judgements(originals));
    expect(exchanges.filter(({ response }, i) => response?.body !== originals[i]?.response?.body)).not.toEqual([]);
  });
