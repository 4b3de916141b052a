/** Traffic of others is judged the same before and after its secrets are replaced. */
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { expect } from '@playwright/test';
import { ADD } from '../../../fixtures/contract/contract.ts';
import {
  judgeEchoes,
  judgeGetsOfAdded,
  judgeListsOfAdded,
  judgeRepeatedGets,
  judgeUniqueIds,
} from '../../../fixtures/judge/additions.ts';
import { judgeResponse, RULED } from '../../../fixtures/judge/response.ts';
import { type Exchange, keepUnredacted, type Response, responseOf } from '../../../fixtures/target/http/exchange.ts';
import { convertTraffic } from '../../../fixtures/target/recording/traffic.ts';
import { Answer } from '../../../fixtures/target/run/answer.ts';
import { Addition } from '../../../fixtures/target/run/known.ts';
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

/** Which requirements the response violates, and how. */
const findings = (exchange: Exchange): string[] =>
  // A replaced key in an error is what this one looks for.
  RULED.filter((id) => id !== 'error.no-secrets').flatMap((id) => {
    const result = judgeResponse(id, exchange);
    if (result === undefined) return [];
    return 'unread' in result
      ? `${id} unread`
      : [`${id} read`, ...result.map(({ kind, place }) => `${id} ${kind} ${place}`)];
  });

/** What the exchanges show of each other. */
function judgements(exchanges: readonly Exchange[]): string[] {
  const additions = exchanges.flatMap((exchange) => {
    const answer = new Answer(exchange);
    const { sent, status } = answer;
    return exchange.purpose.operation === ADD.id && exchange.purpose.valid && status === 201 && sent && answer.animal
      ? new Addition(sent, answer)
      : [];
  });
  return [
    judgeEchoes(additions),
    judgeGetsOfAdded(additions, exchanges),
    judgeListsOfAdded(additions, exchanges),
    judgeRepeatedGets(exchanges),
    judgeUniqueIds(exchanges),
  ].map((judgement) => `${judgement.kind} ${'violations' in judgement ? judgement.violations.length : ''}`);
}

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
      const { request, response } = byTime.get(exchange.at) as Entry;
      const { body: _body, ...own } = exchange.request;
      const { text } = request.postData ?? {};
      const original = { ...exchange, request: { ...own, ...(text !== undefined && { body: text }) } };
      keepUnredacted(original, responseIn(response));
      return original;
    });
    for (const [i, exchange] of exchanges.entries())
      expect(findings(exchange), JSON.stringify(exchange)).toEqual(findings(originals[i] as Exchange));
    expect(judgements(exchanges)).toEqual(judgements(originals));
    expect(
      exchanges.filter(({ response }, i) => response?.body !== responseOf(originals[i] as Exchange)?.body),
    ).not.toEqual([]);
  });
