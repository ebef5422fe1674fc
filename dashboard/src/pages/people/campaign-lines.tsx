import { Link } from '@tanstack/react-router';
import type { FoundPerson } from '../../api/description.ts';
import { Badge, OutcomeMark, stateText } from '../../kit/badge.tsx';
import { timeText } from '../../kit/time.tsx';
import { waitWords } from '../../kit/waits.ts';
import { classes } from '../../kit/words.ts';

/** Every campaign that has the person, each with its attempts in their order: one opens by a press. */
type LinesProps = {
  rows: readonly FoundPerson[];
  current: string;
  attempt: string | undefined;
  more: boolean;
};

const to = { from: '/people/$person', to: '.', replace: true, resetScroll: false } as const;

export function CampaignLines({ rows, current, attempt, more }: LinesProps) {
  return (
    <>
      <ul className="border-b border-line">
        {rows.map((row) => (
          <li
            key={row.id}
            className={classes(
              'relative grid grid-cols-[minmax(0,1fr)_auto] items-center gap-x-4 gap-y-1 border-t border-line py-1.5 pl-3 pr-2 sm:grid-cols-[15rem_minmax(0,1fr)_auto]',
              row.id === current &&
                'bg-busy-soft before:absolute before:inset-y-0 before:left-0 before:w-[3px] before:bg-live-fill',
            )}
          >
            <Link
              {...to}
              search={{ row: row.id }}
              aria-current={row.id === current ? 'true' : undefined}
              className="hover:underline sm:truncate"
            >
              {row.campaign}
            </Link>
            <span className="flex flex-wrap gap-1 text-sm max-sm:order-last max-sm:col-span-2">
              {row.attempts.map((each) => {
                const end = stateText(each.outcome ?? each.state);
                const at = timeText(each.dialed_at ?? each.planned_at);
                return (
                  <Link
                    key={each.id}
                    {...to}
                    search={{ row: row.id, attempt: each.id }}
                    aria-label={`Attempt ${each.number}, ${end}, ${at}`}
                    title={`Attempt ${each.number}, ${end}`}
                    className={classes(
                      'inline-flex h-7 items-center gap-1.5 rounded-full px-2.5 whitespace-nowrap',
                      each.id === attempt ? 'bg-card ring-2 ring-accent' : 'hover:bg-quiet-soft',
                    )}
                  >
                    <OutcomeMark state={each.outcome ?? each.state} />
                    {at}
                  </Link>
                );
              })}
            </span>
            <span className="justify-self-end text-sm">
              <Standing row={row} />
            </span>
          </li>
        ))}
      </ul>
      {more && (
        <p className="text-sm text-quiet">
          Only the 100 newest are shown. <code>carillon find</code> lists all.
        </p>
      )}
    </>
  );
}

/** How it stands there: the end of it, or what it waits for. */
function Standing({ row }: { row: FoundPerson }) {
  if (row.state === 'done' && row.outcome) return <Badge state={row.outcome} />;
  if (row.until) return <Badge state={row.state} label={`waits until ${timeText(row.until)}`} />;
  return (
    <span title={row.reason ? `Waits: ${waitWords[row.reason]}` : undefined}>
      <Badge state={row.state} />
    </span>
  );
}
