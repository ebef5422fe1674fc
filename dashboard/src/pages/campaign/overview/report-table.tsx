import type { Report } from '../../../api/description.ts';
import { AnswersLine, rateText } from '../../../kit/answers.tsx';
import { stateText } from '../../../kit/badge.tsx';
import { serviceChose } from '../../../kit/phone.tsx';
import { type Column, DataTable } from '../../../kit/table/data-table.tsx';
import { durationText } from '../../../kit/time.tsx';
import { cost, count } from '../../../kit/words.ts';
import { outcomes } from '../outcomes.ts';

/** The whole report in numbers, with its sum below. */
type Line = Report['items'][number];

/** Where the value is not known; a call without a caller number had one of the service's. */
const nameless = (by: Report['by']) => (by === 'caller' ? serviceChose : 'not known');

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
    { id: 'value', head, cell: ({ value }) => <b className="whitespace-nowrap">{value ?? nameless(by)}</b> },
    number('Calls', ({ calls }) => count(calls)),
    number('Calls answered', ({ connect_rate: rate }) => rateText(rate)),
    ...outcomes
      .filter((outcome) => total.outcomes[outcome])
      .map((outcome) => number(stateText(outcome), (line) => count(line.outcomes[outcome] ?? 0))),
    number('Mean length', ({ mean_duration: mean }) => (mean === null ? '–' : durationText(mean * 1_000))),
    number('Cost', (line) => money(line.cost)),
    number('Cost each answered', (line) => money(line.cost_per_connect)),
  ];
  return (
    <>
      <DataTable
        label={`Calls by ${head.toLowerCase()}`}
        rows={[...items, sum]}
        columns={columns}
        keyOf={(line) => (line === sum ? 'all' : `of ${line.value}`)}
      />
      <AnswersLine of={total} />
    </>
  );
}
