import { type KeyboardEvent, type PointerEvent, type ReactNode, useMemo, useState } from 'react';
import { Button } from '../basics.tsx';
import { Link } from '../router.tsx';
import { DataTable, left } from '../table/data-table.tsx';
import { useNow } from '../values.tsx';
import { classes, count, spanText } from '../words.ts';
import {
  type Bucket,
  begunAt,
  bucketsOf,
  levelsOf,
  type Series,
  scaleOf,
  spanLabel,
  stepsOf,
  tickLabel,
  ticksOf,
  topOf,
} from './series.ts';

/**
 * Bars over time, one for each step: the last one is pale while its step is not over. The legend is the readout of the bar
 * under the pointer or the arrow keys; a table says the same.
 */
type ChartProps = {
  title: string;
  /** An explanation in a few words; `foot` is one below the legend. */
  note?: ReactNode;
  foot?: ReactNode;
  acts?: ReactNode;
  /** Seconds since 1970, rising, one step apart. */
  times: readonly number[];
  series: readonly Series[];
  format?: (value: number) => string;
  merge?: 'sum' | 'mean';
  /** The steps in which nothing could happen. */
  closed?: readonly number[];
};

const mostBars = 60;
const mostTicks = 5;
const percent = (part: number) => `${part * 100}%`;

export function Chart({ note, acts, foot, times, format = count, merge = 'sum', ...drawn }: ChartProps) {
  const { title, series } = drawn;
  const [asTable, setAsTable] = useState(false);
  const now = useNow() / 1_000;
  const buckets = useMemo(
    () => bucketsOf({ times, series, merge }, mostBars, now),
    [times, series, merge, now],
  );
  const read = (value: number | null) => (value === null ? '–' : format(value));
  return (
    <figure className="min-w-0">
      <figcaption className="mb-2.5 flex min-h-7 items-baseline gap-x-2 whitespace-nowrap max-sm:flex-wrap">
        <span className="font-semibold">{title}</span>
        {note && <span className="truncate text-sm text-quiet max-sm:hidden">{note}</span>}
        <span className="ml-auto flex items-center gap-1">
          {acts}
          <Button small kind="quiet" onClick={() => setAsTable(!asTable)}>
            {asTable ? 'As a chart' : 'As a table'}
          </Button>
        </span>
      </figcaption>
      {asTable ? (
        <DataTable
          label={title}
          rows={buckets}
          keyOf={({ from }) => `${from}`}
          columns={[
            left<Bucket>('time', 'Time', ({ from, to }) => spanLabel(from, to)),
            ...series.map(({ label }, nth) =>
              left<Bucket>(label, label, { number: true }, ({ values }) => read(values[nth]!)),
            ),
          ]}
        />
      ) : (
        <Drawn {...drawn} buckets={buckets} read={read} />
      )}
      {foot && <p className="mt-1.5 text-sm text-quiet">{foot}</p>}
    </figure>
  );
}

type DrawnProps = Pick<ChartProps, 'title' | 'series' | 'closed'> & {
  buckets: readonly Bucket[];
  read(value: number | null): string;
};

function Drawn({ title, buckets, series, closed = [], read }: DrawnProps) {
  const [chosen, setChosen] = useState<number | null>(null);
  const last = buckets.length - 1;
  if (last < 0) return <p className="text-quiet">Nothing yet.</p>;
  const shown = chosen ?? lastShown(buckets, series);
  const readout = buckets[Math.min(shown, last)]!;
  const most = topOf(scaleOf(buckets, series));
  const isWhole = buckets.every(({ values }) => values.every((value) => Number.isInteger(value ?? 0)));
  const [from, to] = [buckets[0]!.from, buckets[last]!.to];
  const { step, at } = ticksOf(from, to, mostTicks);
  const choose = (to: number) => setChosen(Math.max(0, Math.min(last, to)));
  const move = (event: KeyboardEvent) => {
    const by = { ArrowLeft: -1, ArrowRight: 1, Home: -last, End: last }[event.key];
    if (by === undefined) return;
    event.preventDefault();
    choose(shown + by);
  };
  const point = ({ clientX, currentTarget }: PointerEvent) => {
    const { left: x, width } = currentTarget.getBoundingClientRect();
    choose(Math.floor(((clientX - x) / width) * buckets.length));
  };
  const grounds = buckets.map(({ from, to, values }) => {
    if (closed.some((at) => at >= from && at < to)) return 'bg-bad-soft';
    return values.every((value, nth) => series[nth]!.line || value === null) && 'bg-sunken';
  });
  const leftOut = series.map((_, nth) => buckets.some(({ values }) => values[nth]! > most));
  const named = series.map(({ label }, nth) => (readout.values[nth]! > most ? `${label}, far above` : label));
  const told = named.map((name, nth) => `${read(readout.values[nth]!)} ${name}`).join(', ');
  return (
    <>
      <div className="relative mb-6 ml-11 h-(--plot,8rem) text-2xs text-quiet">
        {levelsOf(most, isWhole).map((level) => (
          <span
            key={level}
            aria-hidden="true"
            className="absolute inset-x-0 border-t border-line"
            style={{ bottom: percent(level / most) }}
          >
            <span className="absolute -top-2 right-full pr-2 whitespace-nowrap">{read(level)}</span>
          </span>
        ))}
        <div
          role="slider"
          tabIndex={0}
          aria-label={title}
          aria-valuemin={0}
          aria-valuemax={last}
          aria-valuenow={shown}
          aria-valuetext={`${spanLabel(readout.from, readout.to)}: ${told}`}
          onKeyDown={move}
          onPointerMove={point}
          onPointerLeave={() => setChosen(null)}
          onBlur={() => setChosen(null)}
          className="absolute inset-0 flex cursor-crosshair"
        >
          {buckets.map(({ from: key, values, isOver }, nth) => (
            <span
              key={key}
              className={classes(
                'relative flex flex-1 flex-col-reverse items-center',
                nth === chosen ? 'bg-text/8' : grounds[nth],
                !isOver && 'opacity-50',
              )}
            >
              {series.map(({ label, fill, line, alarms }, of) => {
                const value = values[of];
                if (!value || line) return null;
                const ink = alarms?.has(key) ? 'bg-bad-fill' : fill;
                const look = classes('min-h-0.5 w-[82%] border-t border-card', ink);
                return <i key={label} className={look} style={{ height: percent(value / most) }} />;
              })}
            </span>
          ))}
        </div>
        {series.map(
          ({ label, line }, of) =>
            line &&
            !leftOut[of] && (
              <svg
                key={label}
                aria-hidden="true"
                viewBox={`0 0 ${buckets.length} 1`}
                preserveAspectRatio="none"
                className="pointer-events-none absolute inset-0 size-full"
              >
                <path
                  d={stepsOf(buckets.map(({ values }) => values[of]! / most))}
                  fill="none"
                  stroke="currentColor"
                  strokeWidth="1.5"
                  vectorEffect="non-scaling-stroke"
                  className="text-text"
                />
              </svg>
            ),
        )}
        {at.map((tick) => {
          const part = (tick - from) / (to - from);
          // A word at an edge would leave the chart.
          if (part < 0.03 || part > 0.95) return null;
          return (
            <span
              key={tick}
              aria-hidden="true"
              className="absolute top-full -translate-x-1/2 pt-1 whitespace-nowrap"
              style={{ left: percent(part) }}
            >
              {tickLabel(tick, step)}
            </span>
          );
        })}
      </div>
      <p className="flex flex-wrap gap-x-3 gap-y-0.5 text-xs text-quiet">
        <span className="text-text">
          {spanLabel(readout.from, readout.to)}
          {!readout.isOver && ', so far'}:
        </span>
        {series.map(({ label, fill, line }, nth) => (
          <span key={label} className="flex items-center gap-1.5 whitespace-nowrap">
            <i
              hidden={leftOut[nth]}
              className={line ? 'w-4.5 border-t-[1.5px] border-text' : classes('size-2 rounded-xs', fill)}
            />
            <span className="font-medium text-text">{read(readout.values[nth]!)}</span> {named[nth]}
          </span>
        ))}
      </p>
    </>
  );
}

/** The legend begins with the last bar in which something happened: of short steps with one that is over. */
function lastShown(buckets: readonly Bucket[], series: readonly Series[]): number {
  const found = buckets.findLastIndex(
    ({ isOver, from, to, values }) =>
      (isOver || to - from >= 3_600) && values.some((value, nth) => value && !series[nth]!.line),
  );
  return found < 0 ? buckets.length - 1 : found;
}

/** Two charts over the same time, from the first event of either on. */
type PairProps = { charts: readonly Omit<ChartProps, 'times'>[]; times: readonly number[] };

export function Pair({ charts, times }: PairProps) {
  const begun = begunAt(charts);
  const known = times.slice(begun);
  return (
    <div className="grid grid-cols-1 gap-x-8 gap-y-5 lg:grid-cols-2">
      {charts.map((chart) => {
        const series = chart.series.map((each) => ({ ...each, values: each.values.slice(begun) }));
        // What never happened in this time is not in the legend.
        const seen = series.filter(({ values }) => values.some(Boolean));
        const shown = seen.length > 0 ? seen : series.slice(0, 1);
        return <Chart key={chart.title} {...chart} series={shown} times={known} />;
      })}
    </div>
  );
}

/** How far back charts go, in hours. */
const spans = { '1h': 1, '6h': 6, '24h': 24, '7d': 168, '30d': 720 } as const;
export type Span = keyof typeof spans;
const hourMs = 3_600_000;
const turnMs = 300_000;

export const spanOf = (written: unknown, usual: Span = '1h') =>
  String(written) in spans ? (written as Span) : usual;

/** The shortest that holds a time. */
export const spanSince = (at: string): Span =>
  (Object.keys(spans) as Span[]).find((span) => Date.now() - spans[span] * hourMs < Date.parse(at)) ?? '30d';

/** When a span began: it moves in steps, as it is a part of the answer's key. */
export const useSince = (span: Span) =>
  new Date(Math.floor(useNow() / turnMs) * turnMs - spans[span] * hourMs).toISOString();

/** In the address, so that a link shows the same. */
export const SpanLinks = ({ current }: { current: Span }) => (
  <nav aria-label="How far back" className="flex">
    {(Object.keys(spans) as Span[]).map((id) => (
      <Link
        key={id}
        search={(before) => ({ ...before, span: id })}
        replace
        resetScroll={false}
        aria-current={id === current ? 'true' : undefined}
        className={classes(
          'rounded-md px-2 py-0.5 text-xs',
          id === current ? 'bg-quiet-soft font-medium' : 'text-quiet hover:bg-quiet-soft hover:text-text',
        )}
      >
        {spanText(id)}
      </Link>
    ))}
  </nav>
);
