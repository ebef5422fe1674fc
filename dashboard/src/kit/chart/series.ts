import { clock, dayTime, sumOf } from '../words.ts';

/** What a chart is given, and what it makes of it: its bars, its axes and their words. */
export type Series = {
  label: string;
  fill: string;
  values: readonly (number | null)[];
  /** Drawn as steps over the bars: what is usual, or a limit. A limit far above the bars is told only as a number. */
  line?: boolean | 'limit';
  /** When the bars begin that mean trouble. */
  alarms?: ReadonlySet<number>;
};

/** What each of some points has of one thing. */
export const seriesOf =
  <Point>(points: readonly Point[]) =>
  (label: string, fill: string, of: (point: Point) => number | null): Series => ({
    label,
    fill,
    values: points.map(of),
  });

/** Some steps that are drawn as one bar; a value for each series. */
export type Bucket = { from: number; to: number; values: (number | null)[]; isOver: boolean };

/** Several steps in one bar are their sum, or what they were on average. */
type Steps = { times: readonly number[]; series: readonly Series[]; merge?: 'sum' | 'mean' };

/** As many bars as can be told apart: with more steps, several go into one. */
export function bucketsOf({ times, series, merge }: Steps, most: number, now: number): Bucket[] {
  const size = Math.max(1, Math.ceil(times.length / most));
  const step = times.length > 1 ? times[1]! - times[0]! : 60;
  const buckets: Bucket[] = [];
  // Counted from the end, so that only the first bar may hold fewer.
  for (let end = times.length; end > 0; end -= size) {
    const begin = Math.max(0, end - size);
    const to = times[end - 1]! + step;
    const values = series.map(({ values: all, line }) => {
      const known = all.slice(begin, end).filter((value) => value !== null);
      if (line) return known.length > 0 ? Math.max(...known) : null;
      const sum = sumOf(known);
      return merge !== 'mean' ? sum : known.length > 0 ? sum / known.length : null;
    });
    buckets.unshift({ from: times[begin]!, to, values, isOver: to <= now });
  }
  return buckets;
}

const leastSteps = 6;

/** The step with the first bar of any chart: what was before it is not drawn, but for so many that a bar is no slab. */
export function begunAt(charts: readonly { series: readonly Series[] }[]): number {
  const bars = charts.flatMap(({ series }) => series.filter(({ line }) => !line));
  const firsts = bars.map(({ values }) => values.findIndex((value) => value)).filter((at) => at >= 0);
  return Math.max(0, Math.min(...firsts, (bars[0]?.values.length ?? 0) - leastSteps));
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

/** It holds the bars and the lines; below a limit of more than three times as much, bars would be too small to be read. */
export function scaleOf(buckets: readonly Bucket[], series: readonly Series[]): number {
  const mostOf = (isLine: boolean) => {
    const some = (_: unknown, nth: number) => Boolean(series[nth]!.line) === isLine;
    return Math.max(...buckets.map(({ values }) => sumOf(values.filter(some))));
  };
  const [bars, lines] = [mostOf(false), mostOf(true)];
  const isFar = bars > 0 && lines > 3 * bars && series.some(({ line }) => line === 'limit');
  return isFar ? bars : Math.max(bars, lines);
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

const day = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short' });

/** A place on the axis of time, `step` seconds from the next: a new day is named by its date. */
export function tickLabel(at: number, step: number): string {
  const time = new Date(at * 1_000);
  const isMidnight = time.getHours() === 0 && time.getMinutes() === 0;
  return (step >= 86_400 || isMidnight ? day : clock).format(time);
}

/** The time of a bar: `2:00 – 2:05 PM`, or its minute; of another day with its date. */
export function spanLabel(from: number, to: number): string {
  const begin = new Date(from * 1_000);
  const form = begin.toDateString() === new Date().toDateString() ? clock : dayTime;
  return to - from === 60 ? form.format(begin) : form.formatRange(begin, to * 1_000);
}

/** One line over the buckets, level over each and straight up or down between them; a bucket without a value interrupts it. */
export const stepsOf = (parts: readonly number[]) =>
  parts
    .map((part, nth) => {
      if (!part) return '';
      return `${parts[nth - 1] ? 'V' : `M${nth} `}${1 - part}H${nth + 1}`;
    })
    .join('');
