/**
 * The corpus of recorded runs.
 *     npm run recordings                              judges them again, and shows which differ
 *     npm run recordings -- --update                  accepts their present findings
 *     npm run recordings -- --record [NAME …]         records the runs of this project again: all, or those named
 *     npm run recordings -- --record NAME --base-url URL   records another implementation; keys are taken from the environment
 */
import { parseArgs } from 'node:util';
import { accept, accepted, listFindings, names, record } from './corpus.ts';
import { faults } from '../hostile/faults/index.ts';
import { ODD_KEY, serve, TRIAL } from '../gate/serve.ts';
import { putUp } from '../proof/servers.ts';

type Put = { env: Record<string, string>; close: () => unknown };

/** A defect or variant of the proof, throttled as well. */
const proven = (id: string) => (): Promise<Put> => putUp({ id, settings: { THROTTLING: 'on' } });

const limited = (name: string) => async (): Promise<Put> => {
  const fault = faults.find(({ title }) => title === `limiter: ${name}`);
  if (!fault) throw new Error(`there is no limiter ${name}`);
  const { baseUrl, close } = await serve({ key: ODD_KEY, ...fault });
  const env = { BASE_URL: baseUrl, API_KEY: ODD_KEY, THROTTLE_API_KEY: TRIAL.key, PLAN: 'business', ...fault.env };
  return { env, close };
};

/** The servers that this project can start, by the name of the recording. Others are recorded by their address. */
const sources: Record<string, () => Promise<Put>> = {
  reference: proven('store/empty'),
  'reference-filled': proven('store/filled'),
  'defect-limit-ignored': proven('list.limit.caps/ignored'),
  'defect-every-8th-refused': proven('auth.valid/every-8th'),
  'defect-key-repeated': proven('error.no-secrets/key-repeated'),
  'express-rate-limit': limited('express-rate-limit'),
  'express-rate-limit-adapted': limited('express-rate-limit, adapted'),
  'rate-limiter-flexible-adapted': limited('rate-limiter-flexible, adapted'),
  'fastify-rate-limit-adapted': limited('@fastify/rate-limit, adapted'),
  'koa-ratelimit': limited('koa-ratelimit'),
  'koa-ratelimit-adapted': limited('koa-ratelimit, adapted'),
};

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { update: { type: 'boolean' }, record: { type: 'boolean' }, 'base-url': { type: 'string' } },
});
const { API_KEY = '', THROTTLE_API_KEY = '', PLAN = '' } = process.env;

async function recordOne(name: string): Promise<void> {
  const address = values['base-url'];
  if (address !== undefined) {
    const env = { BASE_URL: address, API_KEY, THROTTLE_API_KEY, PLAN, THROTTLING: 'off', IMPLEMENTATION: name };
    return record(name, env);
  }
  const source = sources[name];
  if (!source)
    throw new Error(`${name} is unknown (known: ${Object.keys(sources).join(', ')}), and --base-url is missing`);
  const { env, close } = await source();
  await record(name, env);
  await close();
}

function judgeOne(name: string): void {
  const findings = listFindings(name);
  if (findings === accepted(name)) return console.log(`${name}: as before`);
  if (values.update) accept(name, findings);
  else process.exitCode = 1;
  console.log(
    `${name}: ${values.update ? 'accepted' : 'DIFFERS: `npm run recordings -- --update` accepts it, and git diff shows it'}`,
  );
}

const chosen = positionals.length > 0 ? positionals : values.record ? Object.keys(sources) : names();
for (const name of chosen) {
  if (values.record) await recordOne(name);
  else judgeOne(name);
  if (values.record) console.log(`${name}: ${accepted(name).split('\n')[0]}`);
}
