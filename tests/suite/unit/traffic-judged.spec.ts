/** Traffic of others is judged the same before and after its secrets are replaced. */
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { expect } from '@playwright/test';
import type { Exchange, Response } from '../../../fixtures/target/http/exchange.ts';
import { convertTraffic } from '../../../fixtures/target/recording/traffic.ts';
import { factsOfTraffic, Store } from '../../../fixtures/trace/store.ts';
import { judgeTrace } from '../../properties/index.ts';
import { test } from './make.ts';

const FOLDER = fileURLToPath(new URL('../recordings', import.meta.url));

interface Entry {
  startedDateTime: string;
  request: { headers: { name: string; value: string }[]; postData?: { text?: string } };
  response: {
    status: number;
    headers: { name: string; value: string }[];
    content: { text?: string; encoding?: string; _fault?: Response['fault'] };
  };
}

/** What is judged of a trace, but for what a replaced key in an error shows. */
const judgements = (exchanges: readonly Exchange[]): string[] =>
  judgeTrace(new Store(exchanges, factsOfTraffic('http://127.0.0.1/v1')))
    .outcomes.filter(({ requirement }) => requirement !== 'error.no-secrets')
    .map(
      ({ requirement, operation, outcome, findings = [] }) =>
        `${requirement} ${operation} ${outcome} ${findings.length}`,
    );

const responseIn = ({ status, headers, content }: Entry['response']): Response => ({
  status,
  headers: headers.map(({ name, value }) => [name, value]),
  body:
    content.encoding === 'base64' ? Buffer.from(content.text ?? '', 'base64').toString('latin1') : (content.text ?? ''),
  ...(content._fault && { fault: content._fault }),
});

for (const name of readdirSync(FOLDER).filter((file) => file.endsWith('.har.gz')))
  test(`${name} as traffic, with a secret in each request that its answers repeat`, () => {
    const { log } = JSON.parse(gunzipSync(readFileSync(`${FOLDER}/${name}`)).toString('utf8')) as {
      log: { entries: Entry[]; _run: { baseUrl: string } };
    };
    const byTime = new Map<number, Entry>();
    for (const entry of log.entries) {
      let at = Date.parse(entry.startedDateTime);
      while (byTime.has(at)) at += 1;
      entry.startedDateTime = new Date(at).toISOString();
      // Words of the answers themselves are secrets too.
      entry.request.headers.push({
        name: 'X-Session',
        value: (entry.response.content.text ?? '').slice(0, 300) || 'none',
      });
      byTime.set(at, entry);
    }
    const { exchanges } = convertTraffic(log.entries, log._run.baseUrl);
    expect(exchanges.length).toBeGreaterThan(50);
    const originals = exchanges.map((exchange) => {
      const { request: sent, response } = byTime.get(exchange.at) as Entry;
      const { body: _body, ...own } = exchange.request;
      const { text } = sent.postData ?? {};
      const request = { ...own, ...(text !== undefined && { body: text }) };
      return { ...exchange, request, response: responseIn(response) };
    });
    expect(judgements(exchanges)).toEqual(judgements(originals));
    expect(exchanges.filter(({ response }, i) => response?.body !== originals[i]?.response.body)).not.toEqual([]);
  });
