/** Checks beside single runs: one requirement by itself, Playwright's own runner, several defects together. */
import { requirements } from '../../../fixtures/contract/requirements.ts';
import { type Defect, defects } from '../../../fixtures/reference/defects/index.ts';
import { type Variant, variants } from '../../../fixtures/reference/variants/index.ts';
import { nameOf, type Proven, type Subject } from './judged.ts';
import { combinations } from './problems.ts';
import { prove, runServer, type Run, run, runByPlaywright, together } from './prove.ts';
import { AND } from './servers.ts';

const BY_PLAYWRIGHT = [
  'store/empty',
  'store/filled',
  'list.limit.caps/ignored',
  'add.id.unique/constant',
  'auth.valid/every-8th',
];
const TOGETHER = 2;

/** Requirements whose own run (`--grep @id`) differs from the whole run, on the reference or on their first defect. */
export async function disagreementsAlone(jobs: number, selected: (id: string) => boolean): Promise<string[]> {
  const outcomes = async (subject: Subject, more: Parameters<Run>[2]): Promise<Map<string, string>> => {
    const { report, text } = await runServer(run, subject, more);
    if (!report?.requirements) throw new Error(`there is no report of ${subject.id}: ${text}`);
    return new Map(report.requirements.map(({ id, outcome }) => [id, outcome]));
  };
  const conforming = variants.find(({ id }) => id === 'store/empty') as Variant;
  const settings = { THROTTLING: 'on' };
  const sound: Subject = { kind: 'variant', at: 'standard', ...conforming };
  const judgedAlone = requirements.filter(
    ({ id, level, untestable }) => level !== 'open' && untestable === undefined && selected(id),
  );
  if (judgedAlone.length === 0) return [];
  const lines: string[] = [];
  const whole = await outcomes(sound, { settings });
  await together(jobs, judgedAlone, async ({ id }) => {
    const single = (await outcomes(sound, { only: id, settings })).get(id);
    if (single !== whole.get(id))
      lines.push(`@${id} by itself is ${single} on ${sound.id}, and ${whole.get(id)} in the whole run`);
    const defect = defects.find(({ breaks, depth }) => breaks === id && depth === undefined);
    if (!defect) return;
    const runByItself = async (): Promise<string | undefined> =>
      (await outcomes({ kind: 'defect', at: 'standard', ...defect }, { only: id })).get(id);
    let broken = await runByItself();
    // A limit is reached by the clock: a second run counts, as in the whole proof.
    if (broken !== 'failed' && defect.isThrottled) broken = await runByItself();
    if (broken !== 'failed') lines.push(`@${id} by itself is ${broken} on ${defect.id}, and failed in the whole run`);
  });
  console.log(`${judgedAlone.length} requirements run by themselves`);
  return lines;
}

/** Differences between Playwright's own runner and that of the proof. */
export async function disagreements(subjects: readonly Subject[], proven: readonly Proven[]): Promise<string[]> {
  // The number of requests up to a limit or until an animal is visible varies, and so does what another client does. After a
  // count that rose, one more request is sent unless the answers came in different seconds.
  const isVarying = [
    ...defects.filter((each) => each.isThrottled || each.breaks === 'rate.remaining.counts'),
    ...variants.filter(({ serve, isTimed }) => serve !== undefined || isTimed),
  ];
  const describe = ({ failed, cantTell, requests }: Proven, { id }: Subject): string => {
    const sent = isVarying.some((each) => each.id === id) ? 'some' : requests;
    return `failed ${failed.join(', ') || 'nothing'}; not judged ${cantTell.join(', ') || 'nothing'}; ${sent} requests`;
  };
  const lines: string[] = [];
  // Some at random, so that all get their turn.
  const drawn = Array.from({ length: 2 }, () => subjects[Math.floor(Math.random() * subjects.length)]);
  const chosen = subjects.filter(
    (subject) => (BY_PLAYWRIGHT.includes(subject.id) && subject.at === 'standard') || drawn.includes(subject),
  );
  console.log(`judged by Playwright as well: ${chosen.map(nameOf).join(', ') || 'none'}`);
  await together(TOGETHER, chosen, async (subject) => {
    let here = proven.find(({ id, depth }) => id === subject.id && depth === subject.at) as Proven;
    let there = await prove(subject, runByPlaywright);
    // A busy machine changes waits and the order of requests in parallel, so the last run counts.
    for (let tries = 0; tries < 2 && describe(here, subject) !== describe(there, subject); tries += 1) {
      here = await prove(subject, run);
      there = await prove(subject, runByPlaywright);
    }
    const [one, other] = [describe(here, subject), describe(there, subject)];
    if (one !== other) lines.push(`${subject.id}: here ${one}, and by Playwright ${other}`);
  });
  return lines;
}

/** Runs servers with several defects. @returns how many had one problem for each defect, and the others. */
export async function combined(
  jobs: number,
  proven: readonly Proven[],
): Promise<{ tried: number; asMany: number; others: string[] }> {
  const isUsable = ({ id, depth, isThrottled, serve, stock }: Defect): boolean =>
    !depth &&
    !isThrottled &&
    !serve &&
    !stock &&
    proven.some(
      (each) =>
        each.id === id &&
        each.depth === 'standard' &&
        each.verdict === 'violates' &&
        each.problems.length === 1 &&
        each.hidesNothing,
    );
  const chosen = combinations(defects, new Set(defects.filter(isUsable)));
  const others: string[] = [];
  await together(jobs, chosen, async (own) => {
    const id = own.map((defect) => defect.id).join(AND);
    const subject: Subject = { kind: 'escape', at: 'standard', id, title: '', apply: () => {} };
    const { problems } = await prove(subject, run);
    if (problems.length !== own.length) others.push(`${id}: ${problems.length} problems: ${problems.join(' | ')}`);
  });
  return { tried: chosen.length, asMany: chosen.length - others.length, others };
}
