import { type KeyboardEvent, type PointerEvent, useEffect, useMemo, useRef, useState } from 'react';
import { useNow } from '../time.tsx';
import { classes } from '../words.ts';
import { spanLabel, tickLabel } from './labels.ts';
import { type Bucket, bucketsOf, type ChartProps, levelsOf, ticksOf, topOf } from './series.ts';

/** Draws a chart as SVG in the colours of the theme, and reads it out. */
const left = 44;
const foot = 18;
const top = 6;
const leastBarPx = 7;
/** A few stand at the left, and leave room for those that come. */
const mostBarPx = 64;

export type BarsProps = Required<Omit<ChartProps, 'note' | 'told'>> & Pick<ChartProps, 'told'>;

export function Bars({ title, times, series, height, format, merge, told }: BarsProps) {
  const box = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(560);
  const [chosen, setChosen] = useState<number | null>(null);
  const now = useNow() / 1_000;
  useEffect(() => {
    const element = box.current;
    if (!element) return;
    const resize = new ResizeObserver(() => setWidth(Math.max(240, element.clientWidth)));
    resize.observe(element);
    return () => resize.disconnect();
  }, []);
  const room = width - left;
  const buckets = useMemo(
    () => bucketsOf({ times, series, merge }, Math.floor(room / leastBarPx), now),
    [times, series, merge, room, now],
  );
  if (buckets.length === 0) return <p className="text-quiet">Nothing yet.</p>;

  const most = topOf(scaleOf(buckets));
  const barPx = Math.min(mostBarPx, room / buckets.length);
  const place = { most, barPx, floor: height - foot, high: height - foot - top };
  const read = chosen ?? lastShown(buckets);
  const readout = buckets[Math.min(read, buckets.length - 1)]!;
  const move = (event: KeyboardEvent) => {
    const by = { ArrowLeft: -1, ArrowRight: 1, Home: -buckets.length, End: buckets.length }[event.key];
    if (by === undefined) return;
    event.preventDefault();
    setChosen(Math.max(0, Math.min(buckets.length - 1, read + by)));
  };
  const point = (event: PointerEvent) => {
    const at = event.clientX - event.currentTarget.getBoundingClientRect().left - left;
    setChosen(Math.max(0, Math.min(buckets.length - 1, Math.floor(at / barPx))));
  };

  return (
    <>
      <div
        ref={box}
        role="slider"
        tabIndex={0}
        aria-label={title}
        aria-valuemin={0}
        aria-valuemax={buckets.length - 1}
        aria-valuenow={read}
        aria-valuetext={wordsOf(readout, series, format)}
        onKeyDown={move}
        onPointerMove={point}
        onPointerLeave={() => setChosen(null)}
        onBlur={() => setChosen(null)}
        className="w-full cursor-crosshair"
      >
        <svg
          width={width}
          height={height}
          aria-hidden="true"
          className="block overflow-visible fill-quiet text-2xs"
        >
          <Axes buckets={buckets} width={width} {...place} format={format} />
          {buckets.map((bucket, nth) => (
            <Bar
              key={bucket.from}
              bucket={bucket}
              series={series}
              x={left + nth * barPx}
              {...place}
              isRead={chosen !== null && nth === read}
            />
          ))}
          <Lines buckets={buckets} series={series} {...place} />
        </svg>
      </div>
      <Legend bucket={readout} series={series} format={format} told={told} />
    </>
  );
}

/** A limit far above the bars stands at the upper edge, so that it does not flatten them: the legend tells it. */
function scaleOf(buckets: readonly Bucket[]): number {
  const bar = Math.max(...buckets.map(({ bars }) => bars.reduce((sum, value) => sum + value, 0)));
  const line = Math.max(...buckets.flatMap(({ lines }) => lines.map((value) => value ?? 0)), 0);
  return Math.max(bar, bar > 0 ? Math.min(line, 3 * bar) : line);
}

/** The legend begins with the last bar in which something happened: of short steps with one that is over. */
function lastShown(buckets: readonly Bucket[]): number {
  const found = buckets.findLastIndex(
    ({ isOver, from, to, bars }) => (isOver || to - from >= 3_600) && bars.some((value) => value > 0),
  );
  return found < 0 ? buckets.length - 1 : found;
}

type Place = { most: number; barPx: number; floor: number; high: number };

type AxesProps = Place & { buckets: readonly Bucket[]; width: number; format(value: number): string };

function Axes({ buckets, width, most, barPx, floor, high, format }: AxesProps) {
  const from = buckets[0]!.from;
  const { to } = buckets.at(-1)!;
  const px = barPx * buckets.length;
  const { step, at } = ticksOf(from, to, Math.max(2, Math.floor(px / 84)));
  const isWhole = buckets.every(({ bars, lines }) =>
    [...bars, ...lines].every((value) => value === null || Number.isInteger(value)),
  );
  const x = (time: number) => left + ((time - from) / (to - from)) * px;
  return (
    <>
      {levelsOf(most, isWhole).map((value) => {
        const y = floor - (value / most) * high;
        return (
          <g key={value}>
            <line x1={left} x2={width} y1={y} y2={y} className="stroke-line" />
            <text x={left - 8} y={y + 3.5} textAnchor="end">
              {format(value)}
            </text>
          </g>
        );
      })}
      {at.map((time) => (
        <text
          key={time}
          x={x(time)}
          y={floor + 14}
          // A word at an edge stays inside it.
          textAnchor={x(time) > width - 30 ? 'end' : x(time) < left + 24 ? 'start' : 'middle'}
        >
          {tickLabel(time, step)}
        </text>
      ))}
    </>
  );
}

type BarProps = Place & { bucket: Bucket; series: BarsProps['series']; x: number; isRead: boolean };

function Bar({ bucket: { bars, isOver }, series, x, most, barPx, floor, high, isRead }: BarProps) {
  const colors = series.filter(({ line }) => !line);
  const gap = barPx > 5 ? Math.min(16, barPx * 0.18) : 1;
  let below = 0;
  return (
    <g opacity={isOver ? 1 : 0.5}>
      {isRead && <rect x={x} y={top} width={barPx} height={high} className="fill-text/8" />}
      {bars.map((value, nth) => {
        if (value <= 0) return null;
        const px = Math.max(1, (value / most) * high);
        below += px;
        return (
          <rect
            key={colors[nth]!.label}
            x={x + gap / 2}
            y={floor - below}
            width={Math.max(1, barPx - gap)}
            height={Math.max(1, px - (px > 3 ? 1 : 0))}
            style={{ fill: `var(${colors[nth]!.color})` }}
          />
        );
      })}
    </g>
  );
}

/** Limits, as steps: they hold until they change. */
type LinesProps = Place & Pick<BarProps, 'series'> & { buckets: readonly Bucket[] };

function Lines({ buckets, series, most, barPx, floor, high }: LinesProps) {
  const lines = series.filter(({ line }) => line);
  return lines.map(({ label, color }, nth) => {
    let path = '';
    let isDown = false;
    for (const [at, bucket] of buckets.entries()) {
      const value = bucket.lines[nth] ?? null;
      if (value === null) {
        isDown = false;
        continue;
      }
      const y = floor - Math.min(1, value / most) * high;
      path += `${isDown ? 'V' : `M${left + at * barPx} `}${y}H${left + (at + 1) * barPx}`;
      isDown = true;
    }
    return (
      <path
        key={label}
        d={path}
        fill="none"
        strokeWidth="1.5"
        strokeDasharray="4 3"
        style={{ stroke: `var(${color})` }}
      />
    );
  });
}

type Read = { bucket: Bucket; series: BarsProps['series']; format(value: number): string };

function valuesOf(bucket: Bucket, series: BarsProps['series'], format: (value: number) => string) {
  const bars = [...bucket.bars];
  const lines = [...bucket.lines];
  return series.map(({ label, color, line }) => {
    const value = line ? lines.shift() : bars.shift();
    return { label, color, line, text: value === null || value === undefined ? '–' : format(value) };
  });
}

function wordsOf(bucket: Bucket, series: BarsProps['series'], format: (value: number) => string): string {
  const told = valuesOf(bucket, series, format).map(({ label, text }) => `${text} ${label}`);
  return `${spanLabel(bucket.from, bucket.to)}: ${told.join(', ')}`;
}

function Legend({ bucket, series, format, told }: Read & Pick<BarsProps, 'told'>) {
  return (
    <p className="mt-1 flex flex-wrap gap-x-4 gap-y-0.5 text-xs text-quiet">
      <span className="text-text">
        {spanLabel(bucket.from, bucket.to)}
        {!bucket.isOver && ', not over'}:
      </span>
      {valuesOf(bucket, series, format).map(({ label, color, line, text }) => (
        <span key={label} className="flex items-center gap-1.5 whitespace-nowrap">
          <span
            aria-hidden="true"
            className={classes(line ? 'w-4.5 border-t-[1.5px] border-dashed' : 'size-2 rounded-xs')}
            style={line ? { borderColor: `var(${color})` } : { backgroundColor: `var(${color})` }}
          />
          <span className="font-medium text-text">{text}</span> {label}
        </span>
      ))}
      {told?.(bucket.from)}
    </p>
  );
}
