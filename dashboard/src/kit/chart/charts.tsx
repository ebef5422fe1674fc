import { Link } from '@tanstack/react-router';
import { classes } from '../words.ts';
import { Chart } from './chart.tsx';
import type { ChartProps } from './series.ts';

/** Several charts over the same time: the first two in sight, the rest on demand. */
export type Made = Omit<ChartProps, 'times'>;
type ChartsProps = { charts: readonly Made[]; times: number[]; rest: string };

export function Charts({ charts, times, rest }: ChartsProps) {
  const drawn = (some: readonly Made[]) => (
    <div className="grid grid-cols-1 gap-x-8 gap-y-5 lg:grid-cols-2">
      {some.map((chart) => (
        <Chart key={chart.title} {...chart} times={times} />
      ))}
    </div>
  );
  return (
    <>
      {drawn(charts.slice(0, 2))}
      <details className="mt-4">
        <summary className="link w-max text-sm text-quiet">{rest}</summary>
        <div className="mt-3">{drawn(charts.slice(2))}</div>
      </details>
    </>
  );
}

/** How far back they go: in the address, so that a link shows the same. */
type SpanProps = { spans: readonly { id: string; label: string }[]; current: string };

export function SpanLinks({ spans, current }: SpanProps) {
  return (
    <nav aria-label="How far back" className="flex flex-wrap gap-1">
      {spans.map(({ id, label }) => (
        <Link
          key={id}
          to="."
          // Each page has spans of its own; the router knows only all of them together.
          search={((before: object) => ({ ...before, span: id })) as never}
          replace
          resetScroll={false}
          aria-current={id === current ? 'true' : undefined}
          className={classes(
            'rounded-md px-2 py-0.5 text-xs',
            id === current ? 'bg-quiet-soft font-medium' : 'text-quiet hover:bg-quiet-soft hover:text-text',
          )}
        >
          {label}
        </Link>
      ))}
    </nav>
  );
}
