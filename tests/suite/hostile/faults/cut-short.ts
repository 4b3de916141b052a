/** Lawful services whose limit ends a run early: no answer is judged whose substitute or repetition is missing. */
import { FixedWindow } from '../../../../fixtures/reference/limiter.ts';
import type { Service } from '../../../../fixtures/reference/service.ts';
import { variants } from '../../../../fixtures/reference/variants/index.ts';
import { type Fault, spoiling } from '../fault.ts';

/** Variants that reject valid requests, so that others are sent instead, or that show data late. */
const VARIANTS = [
  'names/capitalised',
  'names/no-digits-only',
  'bodies/everything-refused-that-may-be',
  'copies/two-replicas',
  'copies/list-behind',
] as const;

/** Among the additions, after them, after the first lists, and while the whole list is polled. */
const COUNTS = [5, 7, 32, 60, 64];

const limitedTo =
  (count: number, apply: (service: Service) => void) =>
  (service: Service): void => {
    apply(service);
    service.limiter = new FixedWindow(3_600_000);
    service.limitOf = () => count;
  };

const endingAt = (count: number, title: string, apply: (service: Service) => void): Omit<Fault, 'id'> => ({
  title: `${title}, and the limit of an hour is ${count}`,
  service: limitedTo(count, apply),
  verdict: 'cantTell',
  cause: 'key may send nothing before',
  env: { MAX_WAIT: '1' },
});

export const cutShort: readonly Fault[] = spoiling(
  'cut-short',
  Object.fromEntries(
    VARIANTS.flatMap((id) =>
      COUNTS.map((count) => {
        const { title, apply = () => {} } = variants.find((each) => each.id === id) as (typeof variants)[number];
        return [`${id.replace('/', '-')}-${count}`, endingAt(count, title, apply)];
      }),
    ),
  ),
);
