import { Link } from '@tanstack/react-router';
import { classes, spanText } from '../words.ts';
import { Chart } from './chart.tsx';
import { begunAt, type ChartProps } from './series.ts';

/** Several charts over the same time, from its first event on; with the words of a `rest`, that follows the first on demand. */
export type Made = Omit<ChartProps, 'times'>;
type ChartsProps = { charts: readonly Made[]; times: number[]; rest?: string };

export function Charts({ charts, times, rest }: ChartsProps) {
  const begun = begunAt(charts);
  const known = times.slice(begun);
  const drawn = (some: readonly Made[]) => (
    <div className={classes('grid grid-cols-1 gap-x-8 gap-y-5', !rest && 'lg:grid-cols-2')}>
      {some.map((chart) => {
        const series = chart.series.map((each) => ({ ...each, values: each.values.slice(begun) }));
        return <Chart key={chart.title} {...chart} series={series} times={known} />;
      })}
    </div>
  );
  if (!rest) return drawn(charts);
  return (
    <>
      {drawn(charts.slice(0, 1))}
      <details className="mt-4">
        <summary className="link w-max text-sm text-quiet">{rest}</summary>
        <div className="mt-3">{drawn(charts.slice(1))}</div>
      </details>
    </>
  );
}

/** How far back they go: in the address, so that a link shows the same. */
type SpanProps = { spans: readonly string[]; current: string };

export function SpanLinks({ spans, current }: SpanProps) {
  return (
    <nav aria-label="How far back" className="flex flex-wrap gap-1">
      {spans.map((id) => (
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
          {spanText(id)}
        </Link>
      ))}
    </nav>
  );
}
