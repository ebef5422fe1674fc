import type { Column } from '../../kit/table/data-table.tsx';
import { clockText, durationText } from '../../kit/time.tsx';
import { phone, who } from '../../shell/person-columns.tsx';

/** The columns that the calls in progress and those that ended have in common: each stands below the other's. */
export const people = [fast(who, 130), fast(phone, 142)];

export function fast<Row>({ has: _, ...column }: Column<Row>, px: number): Column<Row> {
  return { ...column, px };
}

export const places = {
  status: { id: 'status', px: 96, from: 'sm' },
  campaign: { id: 'campaign', head: 'Campaign', px: 130, from: 'sm' },
  act: { id: 'act', head: '', px: 112, number: true },
} as const;

/** How long each call lasts, all on one scale whose end is told in the head. */
type Timed<Row> = { head: string; fillOf(row: Row): string; secondsOf(row: Row): number };

export function time<Row>(rows: readonly Row[], { head, fillOf, secondsOf }: Timed<Row>): Column<Row> {
  const scale = scaleOf(Math.max(0, ...rows.map(secondsOf)));
  return {
    id: 'time',
    head: `${head}, bar to ${durationText(scale * 1_000)}`,
    px: 140,
    from: 'sm',
    cell(row) {
      const seconds = secondsOf(row);
      return (
        <span className="flex items-center gap-3">
          <span className="number font-medium text-text sm:w-11">
            {seconds > 0 ? clockText(seconds) : '–'}
          </span>
          {seconds > 0 && (
            <span
              className="h-1.5 flex-1 overflow-hidden rounded-sm bg-track max-lg:hidden"
              aria-hidden="true"
            >
              <span
                className={`block h-full ${fillOf(row)}`}
                style={{ width: `${Math.min(1, seconds / scale) * 100}%` }}
              />
            </span>
          )}
        </span>
      );
    },
  };
}

const scales = [15, 30, 60, 120, 300, 600, 1_200, 3_600];
const scaleOf = (longest: number) => scales.find((each) => each >= longest) ?? scales.at(-1)!;
