/** `npm run repeat`: 40 standard runs, 10 with four workers, 5 pairs on one store; exit 1 if they differ. */
import { join } from 'node:path';
import type { ConformanceReport } from '../../../fixtures/report/model/report.ts';
import { folder, REPORTER, serve, suite, TRIAL_KEY } from '../gate/spawn.ts';

const KEY = 'repeat-Business-key';
/** Runs, or pairs of them, at the same time: each has its own server. */
const TOGETHER = 2;

const summarize = ({ verdict, requirements }: ConformanceReport): string => {
  const of = (outcome: string): string[] => requirements.filter((each) => each.outcome === outcome).map(({ id }) => id);
  const odd = (['failed', 'cantTell'] as const).flatMap((outcome) => of(outcome).map((id) => `${outcome} ${id}`));
  return [`${verdict}, ${of('passed').length} passed`, ...odd].join(', ');
};

interface Kind {
  title: string;
  times: number;
  sharing: number;
  args: string[];
}

const kinds: readonly Kind[] = [
  { title: 'standard runs', times: 40, sharing: 1, args: [] },
  {
    title: 'runs with four workers, in a random order',
    times: 10,
    sharing: 1,
    args: ['--workers=4', '--fully-parallel', '--shuffle'],
  },
  { title: 'pairs of runs on one store', times: 5, sharing: 2, args: [] },
];

/** Runs on one server, at the same time. @returns a summary of each. */
async function once({ sharing, args }: Kind): Promise<string[]> {
  const { baseUrl, close } = await serve(KEY);
  const { directory, remove } = folder();
  const env = { BASE_URL: baseUrl, API_KEY: KEY, PLAN: 'business', MAX_WAIT: '20', THROTTLE_API_KEY: TRIAL_KEY };
  // Two runs on one key cannot both find its limit.
  const throttling = sharing === 1 ? { THROTTLING: 'auto' } : { THROTTLING: 'off' };
  const runs = Array.from({ length: sharing }, (_, i) =>
    suite(join(directory, String(i)), { ...env, ...throttling }, REPORTER, ...args),
  );
  const summaries = (await Promise.all(runs)).map((ended) => summarize(ended.report()));
  await close();
  remove();
  return summaries;
}

for (const kind of kinds) {
  const counts = new Map<string, number>();
  let left = kind.times;
  const one = async (): Promise<void> => {
    while (left > 0) {
      left -= 1;
      for (const summary of await once(kind)) counts.set(summary, (counts.get(summary) ?? 0) + 1);
    }
  };
  await Promise.all(Array.from({ length: kind.sharing === 1 ? TOGETHER : 1 }, one));
  console.log(`${kind.times} ${kind.title}:`);
  for (const [summary, count] of counts) console.log(`  ${count} times: ${summary}`);
  if (counts.size > 1) process.exitCode = 1;
}
