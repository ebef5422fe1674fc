import { Link } from '@tanstack/react-router';
import type { FoundPerson } from '../../api/description.ts';
import { Badge, OutcomeMark, stateText } from '../../kit/badge.tsx';
import { timeText } from '../../kit/time.tsx';
import { waitWords } from '../../kit/waits.ts';
import { classes } from '../../kit/words.ts';

/** Every campaign that has the person, and each attempt in the order of time: days without a call take no room. */
type LinesProps = {
  rows: readonly FoundPerson[];
  current: string;
  attempt: string | undefined;
  more: boolean;
};

const columns = 'sm:grid sm:grid-cols-[15rem_minmax(0,1fr)_13rem] sm:items-center sm:gap-x-4';
const mostNamed = 5;

export function CampaignLines({ rows, current, attempt, more }: LinesProps) {
  const times = [...new Set(rows.flatMap(({ attempts }) => attempts.map(timeOf)))].sort();
  const place = (time: string) => `${(100 * (times.indexOf(time) + 0.5)) / times.length}%`;
  const step = Math.ceil(times.length / mostNamed);
  return (
    <>
      <ul className="border-b border-line">
        {rows.map((row) => (
          <li
            key={row.id}
            className={classes(
              'relative border-t border-line max-sm:grid max-sm:grid-cols-[minmax(0,1fr)_auto] max-sm:items-center max-sm:py-2 sm:h-9',
              columns,
              row.id === current &&
                'bg-busy-soft before:absolute before:inset-y-0 before:left-0 before:w-[3px] before:bg-live-fill',
            )}
          >
            <Link
              from="/people/$person"
              to="."
              search={{ row: row.id }}
              replace
              resetScroll={false}
              aria-current={row.id === current ? 'true' : undefined}
              className="pl-3 font-medium hover:underline sm:truncate"
            >
              {row.campaign}
            </Link>
            <span className="relative h-6 max-sm:order-last max-sm:col-span-2 max-sm:mx-3">
              <span aria-hidden="true" className="absolute inset-x-0 top-1/2 border-t border-line" />
              {row.attempts.map((each) => (
                <Link
                  key={each.id}
                  from="/people/$person"
                  to="."
                  search={{ row: row.id, attempt: each.id }}
                  replace
                  resetScroll={false}
                  aria-label={`Attempt ${each.number}, ${stateText(each.outcome ?? each.state)}, ${timeText(timeOf(each))}`}
                  title={`Attempt ${each.number}, ${stateText(each.outcome ?? each.state)}, ${timeText(timeOf(each))}`}
                  style={{ left: place(timeOf(each)) }}
                  className={classes(
                    'absolute top-0 flex size-6 -translate-x-1/2 items-center justify-center rounded-full bg-card',
                    each.id === attempt && 'ring-2 ring-accent',
                  )}
                >
                  <OutcomeMark state={each.outcome ?? each.state} />
                </Link>
              ))}
            </span>
            <span className="justify-self-end pr-2 text-sm">
              <Standing row={row} />
            </span>
          </li>
        ))}
      </ul>
      <div aria-hidden="true" className={classes('h-5 text-xs text-quiet max-sm:hidden', columns)}>
        <span />
        <span className="relative h-5">
          {times
            .filter((_, nth) => nth % step === 0)
            .map((time) => (
              <span
                key={time}
                style={{ left: place(time) }}
                className="absolute top-0.5 -translate-x-1/2 whitespace-nowrap"
              >
                {timeText(time)}
              </span>
            ))}
        </span>
      </div>
      {more && (
        <p className="text-sm text-quiet">
          Only the 100 newest are shown. <code>carillon find</code> lists all.
        </p>
      )}
    </>
  );
}

type Attempt = FoundPerson['attempts'][number];

/** An attempt that was not dialled stands at the time when it was planned. */
function timeOf({ dialed_at: dialed, planned_at: planned }: Attempt): string {
  return dialed ?? planned;
}

/** How it stands there: the end of it, or what it waits for. */
function Standing({ row }: { row: FoundPerson }) {
  const last = row.attempts.at(-1);
  if (row.state === 'done' && row.outcome)
    return (
      <Badge
        state={row.outcome}
        {...(last?.ended_at ? { label: `${stateText(row.outcome)}, ${timeText(last.ended_at)}` } : {})}
      />
    );
  if (row.until) return <Badge state={row.state} label={`waits until ${timeText(row.until)}`} />;
  return (
    <span title={row.reason ? `Waits: ${waitWords[row.reason]}` : undefined}>
      <Badge state={row.state} />
    </span>
  );
}
