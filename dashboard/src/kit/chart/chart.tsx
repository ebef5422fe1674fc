import { lazy, Suspense, useState } from 'react';
import { Button } from '../button.tsx';
import { count } from '../words.ts';
import type { ChartProps } from './series.ts';

/**
 * Lines over time. The code that draws them is loaded when the first chart is shown; each chart has a table
 * that says the same.
 */
const Plot = lazy(() => import('./plot.tsx').then(({ Plot: it }) => ({ default: it })));

export function Chart({ height = 180, format = count, ...props }: ChartProps) {
  const [asTable, setAsTable] = useState(false);
  return (
    <figure>
      <figcaption className="mb-2 flex flex-wrap items-center justify-between gap-2">
        <span className="font-medium">{props.title}</span>
        <Button small kind="quiet" onClick={() => setAsTable(!asTable)}>
          {asTable ? 'Show the chart' : 'Show as a table'}
        </Button>
      </figcaption>
      {asTable ? (
        <ChartTable {...props} format={format} />
      ) : (
        <div style={{ minHeight: height }}>
          <Suspense>
            <Plot {...props} height={height} format={format} />
          </Suspense>
        </div>
      )}
    </figure>
  );
}

const timeFormat = new Intl.DateTimeFormat(undefined, { dateStyle: 'short', timeStyle: 'medium' });

function ChartTable({ title, times, series, format }: Required<Omit<ChartProps, 'height'>>) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a part that scrolls must be reached by keyboard.
    <section tabIndex={0} aria-label={title} className="max-h-80 overflow-auto">
      <table className="w-full border-collapse text-sm">
        <caption className="sr-only">{title}</caption>
        <thead className="sticky top-0 bg-card">
          <tr className="border-b border-line text-xs text-quiet">
            <th scope="col" className="px-2 py-1 text-left font-medium">
              Time
            </th>
            {series.map(({ label }) => (
              <th key={label} scope="col" className="px-2 py-1 text-right font-medium">
                {label}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {times.map((at, nth) => (
            <tr key={at} className="border-b border-line last:border-0">
              <th scope="row" className="px-2 py-1 text-left font-normal whitespace-nowrap">
                {timeFormat.format(at * 1_000)}
              </th>
              {series.map(({ label, values }) => {
                const value = values[nth];
                return (
                  <td key={label} className="number px-2 py-1">
                    {value === null || value === undefined ? '' : format(value)}
                  </td>
                );
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
