/** The series that a chart is given. */
export type Series = {
  label: string;
  /** A token of the theme, such as `--color-ink`. */
  color: string;
  values: readonly (number | null)[];
  /** Drawn as a step line over the bars: a limit, a longest. */
  line?: boolean;
};

export type ChartProps = {
  /** The chart's name, and its table's caption. */
  title: string;
  /** An explanation in a few words. */
  note?: string;
  /** Seconds since 1970, rising, one step apart. */
  times: readonly number[];
  series: readonly Series[];
  height?: number;
  format?: (value: number) => string;
  /** The meaning of several steps in one bar: their sum, or what they were on average. */
  merge?: 'sum' | 'mean';
  /** More words in the legend of the bar that begins then, such as the counts of a share. */
  told?: ((at: number) => string) | undefined;
};

/** Some steps that are drawn as one bar. */
export type Bucket = { from: number; to: number; bars: number[]; lines: (number | null)[]; isOver: boolean };

/** As many bars as can be told apart: with more steps, several go into one. */
export function bucketsOf(
  { times, series, merge }: Pick<ChartProps, 'times' | 'series' | 'merge'>,
  most: number,
  now: number,
): Bucket[] {
  const size = Math.max(1, Math.ceil(times.length / most));
  const step = times.length > 1 ? times[1]! - times[0]! : 60;
  const buckets: Bucket[] = [];
  // Counted from the end, so that only the first bar may hold fewer.
  for (let end = times.length; end > 0; end -= size) {
    const begin = Math.max(0, end - size);
    const to = times[end - 1]! + step;
    const bars: number[] = [];
    const lines: (number | null)[] = [];
    for (const { values, line } of series) {
      const known = values.slice(begin, end).filter((value) => value !== null);
      if (line) lines.push(known.length > 0 ? Math.max(...known) : null);
      else {
        const sum = known.reduce((all, value) => all + value, 0);
        bars.push(merge === 'mean' ? sum / Math.max(1, known.length) : sum);
      }
    }
    buckets.unshift({ from: times[begin]!, to, bars, lines, isOver: to <= now });
  }
  return buckets;
}

const steps = [
  60, 120, 300, 600, 1_200, 1_800, 3_600, 7_200, 14_400, 28_800, 43_200, 86_400, 172_800, 345_600, 604_800,
];

/** Where the axis of time has its words: at round times, at most one for each `most`. */
export function ticksOf(from: number, to: number, most: number): { step: number; at: number[] } {
  const step = steps.find((each) => (to - from) / each <= most) ?? steps.at(-1)!;
  const offset = new Date(from * 1_000).getTimezoneOffset() * 60;
  const at: number[] = [];
  for (let tick = Math.ceil((from - offset) / step) * step + offset; tick <= to; tick += step) at.push(tick);
  return { step, at };
}

/** The top of the axis: a round number, so that its half is one too, above the highest bar: one that touches it looks cut. */
export function topOf(most: number): number {
  if (most <= 0) return 1;
  const power = 10 ** Math.floor(Math.log10(most));
  const tops = most < 10 ? [2, 4, 6, 8, 12] : [1.2, 1.6, 2, 2.4, 3, 4, 5, 6, 8, 12];
  return power * tops.find((each) => each * power > most)!;
}

/** Where the axis has its numbers: of counts, only at whole ones. */
export const levelsOf = (top: number, isWhole: boolean) =>
  [0, top / 2, top].filter((level) => !isWhole || Number.isInteger(level));

/** The step in which the first thing happened: what was before it is not drawn. */
export function begunAt(charts: readonly Pick<ChartProps, 'series'>[]): number {
  const firsts = charts.flatMap(({ series }) =>
    series.filter(({ line }) => !line).map(({ values }) => values.findIndex((value) => value)),
  );
  const known = firsts.filter((at) => at >= 0);
  return known.length > 0 ? Math.min(...known) : 0;
}
