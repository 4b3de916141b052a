/** Lawful services whose limit ends a run early: no answer is judged whose substitute or repetition is missing. */
import { FixedWindow } from '../../../../fixtures/reference/limiter.ts';
import type { Service } from '../../../../fixtures/reference/service.ts';
import { variants } from '../../../../fixtures/reference/variants/index.ts';
import { faultsOf } from '../fault.ts';

/** Variants that reject valid requests, so that others are sent instead, or that show data late. */
const VARIANTS = [
  'names/capitalised',
  'names/no-digits-only',
  'bodies/everything-refused-that-may-be',
  'copies/two-replicas',
  'copies/list-behind',
] as const;

/** Among the additions, after the first lists, and while the whole list is polled. */
const COUNTS = [7, 32, 64];

const limitedTo =
  (count: number, apply: (service: Service) => void) =>
  (service: Service): void => {
    apply(service);
    service.limiter = new FixedWindow(3_600_000);
    service.limitOf = () => count;
  };

export const cutShort = faultsOf(
  'cut short',
  Object.fromEntries(
    VARIANTS.flatMap((id) =>
      COUNTS.map((count) => {
        const { title, apply = () => {} } = variants.find((each) => each.id === id) as (typeof variants)[number];
        const service = limitedTo(count, apply);
        const row = ['key may send nothing before', { service, env: { MAX_WAIT: '1' } }] as const;
        return [`${title}, and the limit of an hour is ${count}`, row];
      }),
    ),
  ),
);
