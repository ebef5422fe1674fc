import type { Report } from '../../../api/description.ts';
import { AnswersLine, rateText } from '../../../kit/answers.tsx';
import { durationText } from '../../../kit/time.tsx';
import { cost, count } from '../../../kit/words.ts';
import { outcomes } from '../outcomes.ts';

/** The whole report in numbers, with its sum below. */
type Line = Report['items'][number];

/** Where the value is not known; a call without a caller number had one of the service's. */
const nameless = (by: Report['by']) => (by === 'caller' ? 'chosen by the service' : 'not known');

export function ReportTable({ report: { by, items, total }, head }: { report: Report; head: string }) {
  const shown = outcomes.filter((outcome) => total.outcomes[outcome]);
  const heads = ['Calls', 'Calls answered', ...shown, 'Mean length', 'Cost', 'Cost each answered'];
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a part that scrolls must be reached by keyboard.
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
            <ReportRow key={item.value} line={{ ...item, value: item.value ?? nameless(by) }} shown={shown} />
          ))}
        </tbody>
        <tfoot className="border-t border-line-strong font-medium">
          <ReportRow line={{ ...total, value: 'all' }} shown={shown} />
        </tfoot>
      </table>
      <AnswersLine of={total} />
    </section>
  );
}

function ReportRow({ line, shown }: { line: Line; shown: readonly (keyof Line['outcomes'])[] }) {
  const { value, calls, connect_rate: rate, mean_duration: length } = line;
  const cells = [
    count(calls),
    rateText(rate),
    ...shown.map((outcome) => count(line.outcomes[outcome] ?? 0)),
    length === null ? '–' : durationText(length * 1_000),
    line.cost === null ? '–' : cost(line.cost),
    line.cost_per_connect === null ? '–' : cost(line.cost_per_connect),
  ];
  return (
    <tr className="border-b border-line last:border-0">
      <th scope="row" className="py-1 pr-3 text-left font-[inherit] whitespace-nowrap">
        {value}
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
