/** The real throttling experiment on the reference, with a clock that moves only by responses and waits. */
import type { FastifyInstance } from 'fastify';
import type { RequirementId } from '../../../fixtures/contract/requirements.ts';
import { judge } from '../../../fixtures/judge.ts';
import { createServer } from '../../../fixtures/reference/server.ts';
import type { Service } from '../../../fixtures/reference/service.ts';
import { describeActual } from '../../../fixtures/report/model/describe.ts';
import type { TestOutcome } from '../../../fixtures/report/model/outcomes.ts';
import { allowed } from '../../../fixtures/run.ts';
import { Customer } from '../../../fixtures/scenario/customer.ts';
import { Throttling } from '../../../fixtures/scenario/throttling.ts';
import { readSettings } from '../../../fixtures/settings/settings.ts';
import type { Settings } from '../../../fixtures/settings/table.ts';
import { SHOWN_KEYS } from '../../../fixtures/contract/credentials.ts';
import type { Call, Client } from '../../../fixtures/target/http/client.ts';
import type { Exchange } from '../../../fixtures/target/http/exchange.ts';
import type { Notes } from '../../../fixtures/target/http/log.ts';
import { Store } from '../../../fixtures/trace/store.ts';
import { properties } from '../../properties/index.ts';
import { KEY, toPairs } from '../gate/serve.ts';

const BASE_URL = 'http://127.0.0.1:9/v1';

export const makeSettings = (more: Partial<Settings> = {}): Settings & { baseUrl: string } => ({
  ...readSettings(allowed, { BASE_URL, API_KEY: KEY }),
  ...more,
  baseUrl: BASE_URL,
});

/** The outcomes are those of the requirements about the limit, one for each operation. */
export type Judged = Awaited<ReturnType<typeof runExperiment>>;

const aboutLimit = Object.fromEntries(Object.entries(properties).filter(([id]) => /^(rate|throttle)\./.test(id)));

/** The operations of which a requirement has passed. */
export const passedOperations = ({ outcomes }: Judged, id: RequirementId): string[] =>
  outcomes.flatMap(({ requirement, outcome, operation = 'the service' }) =>
    requirement === id && outcome === 'passed' ? operation : [],
  );

/** The outcomes of requirements, in one line each: `passed`, `failed: 12 requests served`, `untested: THROTTLING=off`. */
export const describeOutcomes = ({ outcomes }: Judged, ...ids: RequirementId[]): string[] =>
  outcomes.filter(({ requirement }) => ids.includes(requirement)).map(describeOutcome);

function describeOutcome({ outcome, reason, findings = [] }: TestOutcome): string {
  const found = findings.map(({ operation, differences: [one] }) => one && `${describeActual(one)} (${operation})`);
  return [outcome, ...found, reason].filter((part) => part !== undefined).join(': ');
}

/** One line for each violation and each unjudged result. */
export const findAccusations = ({ outcomes }: Judged): string[] =>
  outcomes
    .filter(({ outcome }) => outcome === 'failed' || outcome === 'cantTell')
    .map((each) => `${each.requirement}: ${describeOutcome(each)}`);

/** Replaces the client: asks the server in this process, on a simulated clock. */
class PaperClient {
  readonly #exchanges: Exchange[] = [];
  readonly notes: Partial<Notes> = {};
  readonly log = {
    ...{ all: (): readonly Exchange[] => this.#exchanges, notes: this.notes },
    note: (more: Partial<Notes>): void => void Object.assign(this.notes, more),
  };
  readonly pacer = { pause: async (_bucket: string, ms: number): Promise<void> => void (this.now += ms) };
  #sent = 0;
  #inFlight = 0;

  constructor(
    readonly server: FastifyInstance,
    public now: number,
    readonly latency: number,
  ) {}

  bucketOf = (): string => 'key';
  isThrottleKey = (): boolean => false;
  forbids = (): boolean => false;

  async send({ chapter, method, target, body, credential = 'key' }: Call): Promise<Exchange> {
    const ofBody: [string, string][] = body === undefined ? [] : [['Content-Type', 'application/json']];
    const [number, at, isFirst] = [(this.#sent += 1), this.now, this.#inFlight === 0];
    this.#inFlight += 1;
    const answer = await this.server.inject({
      method: method as 'GET' | 'POST',
      url: `/v1${target}`,
      headers: { authorization: `Bearer ${KEY}`, ...Object.fromEntries(ofBody) },
      ...(body !== undefined && { payload: body }),
    });
    const exchange: Exchange = {
      ...{ number, chapter, at, ms: this.latency, parallel: !isFirst || this.#inFlight > 1, credential },
      request: {
        ...{ method, target, headers: [['Authorization', `Bearer ${SHOWN_KEYS.key}`], ...ofBody] },
        ...(body !== undefined && { body }),
      },
      response: { status: answer.statusCode, headers: toPairs(answer.headers), body: answer.body },
    };
    this.#exchanges.push(exchange);
    this.#exchanges.sort((a, b) => a.number - b.number);
    this.#inFlight -= 1;
    // Requests sent together arrive together; the clock moves after all responses.
    if (this.#inFlight === 0) this.now += this.latency;
    return exchange;
  }
}

export const makeCustomer = (client: Client): Customer => new Customer(client, { run: 'abcdef', categoryId: '1' });

export interface Circumstances {
  latency?: number;
  /** Milliseconds after a full minute, at the start. */
  phase?: number;
  settings?: Partial<Settings>;
}

export async function runExperiment(
  service: Service,
  { latency = 5, phase = 0, settings: more = {} }: Circumstances = {},
) {
  const server = createServer(service);
  const from = 1_795_000_020_000 + phase;
  const client = new PaperClient(server, from, latency);
  service.now = () => client.now;
  const finish = service.finish.bind(service);
  service.finish = async (request, reply) => {
    const out = await finish(request, reply);
    return { ...out, headers: { Date: new Date(service.now()).toUTCString(), ...out.headers } };
  };
  const settings = makeSettings(more);
  try {
    const customer = makeCustomer(client as unknown as Client);
    // A worker that was restarted does not repeat it.
    for (let i = 0; i < 2; i += 1) await new Throttling(customer, settings).perform();
    const { throttling: notes } = client.notes;
    const exchanges = client.log.all();
    const facts = {
      ...{ settings, baseUrl: BASE_URL, hasThrottleKey: false, unsent: [] },
      // The notes have the times of this machine.
      throttling: { ...notes, ...(notes?.from !== undefined && { from, to: client.now }) },
    };
    return { exchanges, outcomes: judge(new Store(exchanges, facts), aboutLimit).outcomes };
  } finally {
    await server.close();
  }
}
