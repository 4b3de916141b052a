/** The real throttling experiment on the reference, with a clock that moves only by responses and waits. */
import type { FastifyInstance } from 'fastify';
import { allowed } from '../../../fixtures/begin.ts';
import { operationOf } from '../../../fixtures/contract/contract.ts';
import { judgeCounting } from '../../../fixtures/judge/counting.ts';
import type { Judgement, Violation } from '../../../fixtures/judge/judgement.ts';
import {
  judgeEdge,
  judgeOperation,
  judgeRecovery,
  judgeRetryAfter,
  judgeRounds,
} from '../../../fixtures/judge/throttling.ts';
import { createServer } from '../../../fixtures/reference/server.ts';
import type { Service } from '../../../fixtures/reference/service.ts';
import { describeActual } from '../../../fixtures/report/model/describe.ts';
import { readSettings, type Settings } from '../../../fixtures/settings/settings.ts';
import type { Call, Client } from '../../../fixtures/target/http/client.ts';
import type { Exchange } from '../../../fixtures/target/http/exchange.ts';
import { LoggedRunState } from '../../../fixtures/target/run/known.ts';
import type { Log } from '../../../fixtures/target/http/log.ts';
import { type Experiment, Throttling } from '../../../fixtures/target/run/throttling.ts';
import { folder } from '../gate/spawn.ts';

export const KEY = 'throttled-key';

export const makeSettings = (more: Partial<Settings> = {}): Settings => ({
  ...readSettings(allowed, { BASE_URL: 'http://127.0.0.1:9/v1', API_KEY: KEY }),
  ...more,
});

export type Judgements = Record<'edge' | 'operation' | 'retryAfter' | 'recovery' | 'counting', Judgement>;

export interface JudgedExperiment extends Experiment {
  exchanges: readonly Exchange[];
  judgements: Judgements;
}

export function judged({ rounds, leftOut }: Experiment, exchanges: readonly Exchange[]): JudgedExperiment {
  const of = (judge: typeof judgeEdge): Judgement => judgeRounds(rounds, exchanges, judge);
  return {
    rounds,
    ...(leftOut && { leftOut }),
    exchanges,
    judgements: {
      edge: of(judgeEdge),
      operation: of(judgeOperation),
      retryAfter: judgeRetryAfter(
        exchanges.filter(({ response }) => response?.status === 429),
        of(judgeEdge),
      ),
      recovery: of(judgeRecovery),
      counting: judgeCounting(exchanges),
    },
  };
}

const operationIn = ({ exchanges: [decisive] }: Violation): string =>
  operationOf(decisive?.purpose.operation ?? '').name;

/** One line for each violation and each unjudged result. */
export const findAccusations = (judgements: Partial<Judgements>): string[] =>
  Object.entries(judgements).flatMap(([of, judgement]) => {
    if (judgement.kind === 'violated')
      return judgement.violations.map((each) => `${of}: ${describeActual(each)} (${operationIn(each)})`);
    return judgement.kind === 'cantTell' ? [`${of} cannot be judged: ${judgement.reason}`] : [];
  });

/** A header with the additional milliseconds of a response. */
export const DELAY = 'x-paper-delay';

/** Replaces the client: asks the server in this process, on a simulated clock. */
class PaperClient {
  readonly log: Pick<Log, 'all' | 'ofRow'>;
  readonly pacer = { pause: async (_bucket: string, ms: number): Promise<void> => void (this.now += ms) };
  readonly #exchanges: Exchange[] = [];
  #inFlight = 0;
  #longest = 0;

  constructor(
    readonly server: FastifyInstance,
    public now: number,
    readonly latency: number,
  ) {
    const all = this.#exchanges;
    this.log = { all: () => all, ofRow: (row) => all.filter((exchange) => exchange.row === row) };
  }

  bucketOf = (): string => 'key';

  async send({ row, method, target, purpose, body, credential = 'key' }: Call): Promise<Exchange> {
    const exchange: Exchange = {
      number: this.#exchanges.length + 1,
      row,
      at: this.now,
      ms: this.latency,
      parallel: this.#inFlight > 0,
      credential,
      purpose,
      request: { method, target, headers: [], ...(body !== undefined && { body }) },
    };
    this.#exchanges.push(exchange);
    this.#inFlight += 1;
    const {
      statusCode,
      headers,
      body: received,
    } = await this.server.inject({
      method: method as 'GET' | 'POST',
      url: `/v1${target}`,
      headers: { authorization: `Bearer ${KEY}`, ...(body !== undefined && { 'content-type': 'application/json' }) },
      ...(body !== undefined && { payload: body }),
    });
    const pairs = Object.entries(headers).map(([name, value]): [string, string] => [name, String(value)]);
    exchange.response = { status: statusCode, headers: pairs, body: received };
    exchange.parallel ||= this.#inFlight > 1;
    exchange.ms += Number(headers[DELAY] ?? 0);
    this.#longest = Math.max(this.#longest, exchange.ms);
    this.#inFlight -= 1;
    // Requests sent together arrive together; the clock moves after all responses.
    if (this.#inFlight === 0) {
      this.now += this.#longest;
      this.#longest = 0;
    }
    return exchange;
  }
}

export interface Circumstances {
  latency?: number;
  /** Milliseconds after a full minute, at the start. */
  phase?: number;
  settings?: Partial<Settings>;
}

export async function runExperiment(
  service: Service,
  { latency = 5, phase = 0, settings = {} }: Circumstances = {},
): Promise<JudgedExperiment> {
  const server = createServer(service);
  const client = new PaperClient(server, 1_795_000_020_000 + phase, latency);
  service.now = () => client.now;
  const finish = service.finish.bind(service);
  service.finish = async (request, reply) => {
    const out = await finish(request, reply);
    return { ...out, headers: { Date: new Date(service.now()).toUTCString(), ...out.headers } };
  };
  const { directory, remove } = folder();
  try {
    const known = new LoggedRunState(client.log as Log, { run: 'abcdef', categoryId: '1', readOnly: false });
    const throttling = new Throttling(client as unknown as Client, known, makeSettings(settings), directory);
    return judged(await throttling.experiment(), client.log.all());
  } finally {
    await server.close();
    remove();
  }
}
