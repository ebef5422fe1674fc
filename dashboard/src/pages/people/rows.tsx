import { Link } from '@tanstack/react-router';
import type { FoundPerson } from '../../api/description.ts';
import { Badge } from '../../kit/badge.tsx';
import { Ago } from '../../kit/time.tsx';
import { classes, counted } from '../../kit/words.ts';

/** The campaigns that have the person, the newest row first; one of them is shown beside. */
export function RowList({
  rows,
  current,
  more,
}: {
  rows: readonly FoundPerson[];
  current: string;
  more: boolean;
}) {
  return (
    <ul className="space-y-2">
      {rows.map((row) => (
        <li key={row.id}>
          <Link
            from="/people/$person"
            to="."
            search={{ row: row.id }}
            aria-current={row.id === current ? 'true' : undefined}
            className={classes(
              'block rounded-lg border px-3 py-2',
              row.id === current ? 'border-accent bg-accent-soft' : 'border-line bg-card hover:bg-quiet-soft',
            )}
          >
            <span className="block truncate font-medium">{row.campaign}</span>
            <span className="flex flex-wrap items-center gap-x-2 gap-y-1">
              <Badge state={row.state} />
              {row.outcome && <Badge state={row.outcome} />}
              <span className="text-sm text-quiet">{counted(row.attempts.length, 'attempt')}</span>
            </span>
            {lastOf(row) && (
              <span className="block text-sm text-quiet">
                last <Ago at={lastOf(row)!} />
              </span>
            )}
          </Link>
        </li>
      ))}
      {more && (
        <li className="text-sm text-quiet">
          Only the 100 newest are shown. <code>carillon find</code> lists all.
        </li>
      )}
    </ul>
  );
}

function lastOf({ attempts }: FoundPerson): string | null {
  const last = attempts.at(-1);
  return last ? (last.ended_at ?? last.dialed_at ?? last.planned_at) : null;
}
