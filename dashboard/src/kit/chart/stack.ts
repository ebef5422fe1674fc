import type { Series } from './series.ts';

/** A chart's series as drawn: the stacked ones as areas, the highest first so that the others cover it. */
export type Drawn = Series & { heights: (number | null)[] };

export function drawn(series: readonly Series[]): Drawn[] {
  const areas: Drawn[] = [];
  const lines: Drawn[] = [];
  let below: readonly (number | null)[] = [];
  for (const each of series) {
    if (!each.stacked) {
      lines.push({ ...each, heights: [...each.values] });
      continue;
    }
    const heights = each.values.map((value, nth) => (below[nth] ?? 0) + (value ?? 0));
    below = heights;
    areas.unshift({ ...each, heights });
  }
  return [...areas, ...lines];
}
