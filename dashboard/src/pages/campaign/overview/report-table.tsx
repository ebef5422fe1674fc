import type { Report } from '../../../api/description.ts';
import { rateText } from '../../../kit/answers.tsx';
import { stateText } from '../../../kit/badge.tsx';
import { hourText, isNight } from '../../../kit/local-time.ts';
import { PartBar } from '../../../kit/part-bar.tsx';
import { phoneText, serviceChose } from '../../../kit/phone.tsx';
import { type Column, DataTable } from '../../../kit/table/data-table.tsx';
import { durationText } from '../../../kit/time.tsx';
import { cost, count } from '../../../kit/words.ts';
import { outcomes } from '../outcomes.ts';

/** The whole report in numbers, with its sum below. */
type Line = Report['items'][number];

/** Where the value is not known; a call without a caller number had one of the service's. */
const nameless = (by: Report['by']) => (by === 'caller' ? serviceChose : 'not known');

/** An hour in which people sleep is said to be one. */
function valueText(by: Report['by'], value: string) {
  if (by === 'caller' && value !== 'all') return phoneText(value);
  if (by !== 'hour' || value === 'all') return value;
  const hour = hourText(Number(value));
  return isNight(Number(value)) ? <span className="text-warn">{hour}, at night</span> : hour;
}

type TableProps = { report: Report; head: string; currency: string | null };

export function ReportTable({ report: { by, items, total }, head, currency }: TableProps) {
  const sum: Line = { ...total, value: 'all' };
  const number = (name: string, cell: (line: Line) => string): Column<Line> => ({
    id: name,
    head: name,
    number: true,
    cell: (line) => (line === sum ? <b>{cell(line)}</b> : cell(line)),
  });
  const money = (n: number | null) => (n === null ? '–' : cost(n, currency));
  const columns: Column<Line>[] = [
    {
      id: 'value',
      head,
      cell: ({ value }) => (
        <b className="whitespace-nowrap">{value === null ? nameless(by) : valueText(by, value)}</b>
      ),
    },
    number('Calls', ({ calls }) => count(calls)),
    {
      id: 'share',
      head: 'Share answered',
      cell: (line) => (
        <span className="flex items-center gap-3">
          <span className="number w-12">
            {line === sum ? <b>{rateText(line.connect_rate)}</b> : rateText(line.connect_rate)}
          </span>
          <span className="w-24 max-lg:hidden">
            {line !== sum && <PartBar part={line.connect_rate ?? 0} color="--color-good-fill" />}
          </span>
        </span>
      ),
    },
    ...outcomes
      .filter((outcome) => total.outcomes[outcome])
      .map((outcome) => number(stateText(outcome), (line) => count(line.outcomes[outcome] ?? 0))),
    number('Mean length', ({ mean_duration: mean }) => (mean === null ? '–' : durationText(mean * 1_000))),
    number('Cost', (line) => money(line.cost)),
    number('Cost each answered', (line) => money(line.cost_per_connect)),
  ];
  return (
    <DataTable
      label={`Calls by ${head.toLowerCase()}`}
      rows={items.length > 1 ? [...items, sum] : items}
      columns={columns}
      keyOf={(line) => (line === sum ? 'all' : `of ${line.value}`)}
    />
  );
}
