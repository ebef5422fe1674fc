import type { Report } from '../../../api/description.ts';
import { durationText } from '../../../kit/time.tsx';
import { cost, count, percent } from '../../../kit/words.ts';
import { outcomes } from '../outcomes.ts';

/** The whole report in numbers, with its sum below. */
type Line = Report['total'] & { value: string | null };

export function ReportTable({ report: { items, total }, head }: { report: Report; head: string }) {
  const shown = outcomes.filter((outcome) => total.outcomes[outcome]);
  const heads = ['Calls', 'Answered', ...shown, 'Mean length', 'Cost', 'Cost each answered'];
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard.
    <section tabIndex={0} aria-label={`Calls by ${head.toLowerCase()}`} className="overflow-x-auto">
      <table className="w-full text-sm">
        <caption className="sr-only">How calls ended, by {head.toLowerCase()}</caption>
        <thead>
          <tr className="border-b border-line text-xs text-quiet">
            <th scope="col" className="py-1 pr-3 text-left font-medium">
              {head}
            </th>
            {heads.map((each) => (
              <th key={each} scope="col" className="px-2 py-1 text-right font-medium whitespace-nowrap">
                {each}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {items.map((item) => (
            <ReportRow key={item.value} line={item} shown={shown} />
          ))}
        </tbody>
        <tfoot className="border-t border-line-strong font-medium">
          <ReportRow line={{ ...total, value: 'all' }} shown={shown} />
        </tfoot>
      </table>
    </section>
  );
}

function ReportRow({ line, shown }: { line: Line; shown: readonly (keyof Line['outcomes'])[] }) {
  const { value, calls, connect_rate: rate, mean_duration: length } = line;
  const cells = [
    count(calls),
    rate === null ? '–' : percent(rate),
    ...shown.map((outcome) => count(line.outcomes[outcome] ?? 0)),
    length === null ? '–' : durationText(length * 1_000),
    line.cost === null ? '–' : cost(line.cost),
    line.cost_per_connect === null ? '–' : cost(line.cost_per_connect),
  ];
  return (
    <tr className="border-b border-line last:border-0">
      <th scope="row" className="py-1 pr-3 text-left font-[inherit] whitespace-nowrap">
        {value ?? 'not known'}
      </th>
      {cells.map((cell, nth) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the columns do not move.
        <td key={nth} className="number px-2 py-1">
          {cell}
        </td>
      ))}
    </tr>
  );
}
