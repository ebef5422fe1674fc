import { useState } from 'react';
import { Button } from '../button.tsx';
import { Time } from '../time.tsx';
import { count } from '../words.ts';
import { Bars, type BarsProps } from './bars.tsx';
import type { ChartProps } from './series.ts';

/**
 * Bars over time, one for each step: the last one is pale while its step is not over. The legend is the readout of the bar
 * under the pointer or the arrow keys; a table says the same.
 */
export function Chart({ height = 150, format = count, merge = 'sum', ...props }: ChartProps) {
  const [asTable, setAsTable] = useState(false);
  return (
    <figure className="min-w-0">
      <figcaption className="mb-1.5 flex min-h-7 items-baseline gap-x-2 whitespace-nowrap">
        <span className="font-semibold">{props.title}</span>
        {props.note && <span className="truncate text-sm text-quiet max-sm:hidden">{props.note}</span>}
        <Button small kind="quiet" className="ml-auto" onClick={() => setAsTable(!asTable)}>
          {asTable ? 'As a chart' : 'As a table'}
        </Button>
      </figcaption>
      {asTable ? (
        <ChartTable {...props} format={format} />
      ) : (
        <Bars {...props} height={height} format={format} merge={merge} />
      )}
    </figure>
  );
}

type ChartTableProps = Pick<BarsProps, 'title' | 'times' | 'series' | 'format'>;

function ChartTable({ title, times, series, format }: ChartTableProps) {
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
                <Time at={at * 1_000} seconds={times[1]! - times[0]! < 60} />
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
