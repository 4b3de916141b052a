/** A process of the proof: it judges the servers that it is sent, their recordings, and the same requests as traffic of another tool. */
import { join } from 'node:path';
import { Readable } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import { judgeServer } from '../../../fixtures/quick.ts';
import { judge } from '../../../fixtures/judge.ts';
import { RECORDING_FILE, writeReport } from '../../../fixtures/report/out/files.ts';
import { checkClaim, judgeRecording } from '../../../fixtures/report/run/verify.ts';
import type { Sender } from '../../../fixtures/target/http/transport.ts';
import { computeDigest, renderHar } from '../../../fixtures/target/recording/recorded.ts';
import { readRecording } from '../../../fixtures/target/recording/read.ts';
import { convertTraffic } from '../../../fixtures/target/recording/traffic.ts';
import { factsOfTraffic, Store } from '../../../fixtures/trace/store.ts';
import { properties } from '../../properties/index.ts';
import { toPairs } from '../gate/serve.ts';
import { judged, type Proven } from './judged.ts';
import { nameOf, putUp, type Subject } from './servers.ts';

export interface Order {
  number: number;
  subject: Subject;
  /** The folder that gets the report. */
  keep?: string | undefined;
}

/** Asks a server in this process: connections take a third of the processor time of a run. */
const withoutConnections = (server: FastifyInstance): Sender => ({
  async request({ method, path, headers: sent, body }) {
    const pairs = sent as string[];
    const headers = Object.fromEntries(pairs.flatMap((name, i) => (i % 2 ? [] : [[name, pairs[i + 1]]])));
    const payload = body ? { payload: body as Buffer } : {};
    const got = await server.inject({ method: method as 'GET', url: path, headers, ...payload });
    return {
      statusCode: got.statusCode,
      headers: toPairs(got.headers).flat(),
      body: Readable.from([got.rawPayload]),
    } as never;
  },
  close: async () => {},
});

async function prove({ subject, keep }: Order): Promise<Proven> {
  const { env, inProcess, close } = await putUp(subject);
  const sender = inProcess && withoutConnections(inProcess);
  const started = performance.now();
  const settings = { ...env, DEPTH: subject.at };
  // As the command that a problem shows.
  const selected = subject.isAgain && 'breaks' in subject ? [subject.breaks] : undefined;
  const { report, exchanges, recorded } = await judgeServer(properties, settings, { sender, selected }).finally(close);
  const seconds = Math.round((performance.now() - started) / 100) / 10;
  const proven = { ...judged(subject, report), seconds, foreign: [] };
  const directory = join(keep ?? '', `${subject.kind}-${nameOf(subject).replaceAll(/\W+/g, '-')}`);
  if (keep !== undefined) writeReport(report, exchanges, { directory, run: recorded, baseUrl: env.BASE_URL });
  // Once for each server, since another depth would show nothing else of the file format.
  const isFirst = subject.at === 'standard' || ('depth' in subject && subject.depth === 'thorough');
  if (!recorded || !isFirst || subject.isCombined || subject.isAgain) return proven;
  const text = renderHar(report, exchanges, env.BASE_URL, recorded);
  const recording = readRecording(RECORDING_FILE, text);
  const claim = { report: { ...report, recording: { digest: computeDigest(text) } }, pages: new Map() };
  const [difference] = checkClaim(claim, recording, judgeRecording(recording, properties));
  if (difference !== undefined) proven.wrong.push(`its recording differs: ${difference}`);
  return { ...proven, foreign: judgeAsTraffic(text, env.BASE_URL) };
}

/** The gating and recommended requirements that a recording breaks if another tool made it. */
function judgeAsTraffic(text: string, baseUrl: string): string[] {
  const { entries } = (JSON.parse(text) as { log: { entries: unknown[] } }).log;
  const { exchanges } = convertTraffic(entries, baseUrl);
  const { outcomes } = judge(new Store(exchanges, factsOfTraffic(baseUrl)), properties);
  return [...new Set(outcomes.filter(({ outcome }) => outcome === 'failed').map(({ requirement }) => requirement))];
}

// Stacks are made for each aborted request, and never read here.
process.setSourceMapsEnabled(false);
Error.stackTraceLimit = 0;

// Server and suite share this process, and its clock.
const [clock = 0] = process.argv.slice(2).map(Number);
const now = Date.now.bind(Date);
if (clock !== 0) Date.now = () => now() + clock;

process.on('message', (order: Order) => {
  prove(order).then(
    (proven) => process.send?.({ number: order.number, proven }),
    (error: Error) => process.send?.({ number: order.number, error: error.stack ?? error.message }),
  );
});
process.on('disconnect', () => process.exit(0));
