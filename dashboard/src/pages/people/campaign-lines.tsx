import { Link } from '@tanstack/react-router';
import type { FoundPerson } from '../../api/description.ts';
import { Badge, OutcomeMark, stateText } from '../../kit/badge.tsx';
import { Section } from '../../kit/card.tsx';
import { timeText } from '../../kit/time.tsx';
import { waitWords } from '../../kit/waits.ts';
import { classes, counted } from '../../kit/words.ts';

/** Every campaign that has the person, its attempts in one order of time: one opens by a press. */
type LinesProps = {
  rows: readonly FoundPerson[];
  current: string;
  attempt: string | undefined;
  more: boolean;
};

const to = { from: '/people/$person', to: '.', replace: true, resetScroll: false } as const;
const grid = 'grid grid-cols-[minmax(0,1fr)_auto] gap-x-6 px-2 sm:grid-cols-[14rem_minmax(0,1fr)_13rem]';

const timeOf = ({ dialed_at: at, planned_at: planned }: FoundPerson['attempts'][number]) => at ?? planned;

export function CampaignLines({ rows, current, attempt, more }: LinesProps) {
  // In their order and not to scale: weeks without a call take no room.
  const attempts = rows.flatMap((row) => row.attempts).sort((a, b) => timeOf(a).localeCompare(timeOf(b)));
  const placeOf = (nth: number) => ({ left: `${(100 * (nth + 0.5)) / attempts.length}%` });
  const every = Math.ceil(attempts.length / 6);
  return (
    <Section
      id="rows"
      title="Every campaign"
      note={`${more ? 'the latest ' : ''}${counted(rows.length, 'campaign')}, ${counted(attempts.length, 'attempt')}`}
      bare
    >
      <ul className="border-b border-line">
        {rows.map((row) => (
          <li
            key={row.id}
            className={classes(
              grid,
              'min-h-9 items-center border-t border-line text-sm',
              row.id === current && 'bg-accent-soft shadow-[inset_2px_0_0_var(--color-live-fill)]',
            )}
          >
            <Link
              {...to}
              search={{ row: row.id }}
              aria-current={row.id === current ? 'true' : undefined}
              className="truncate font-medium hover:underline"
            >
              {row.campaign}
            </Link>
            <span className="relative h-8 max-sm:order-last max-sm:col-span-2">
              <i aria-hidden="true" className="absolute inset-x-0 top-1/2 h-px bg-ink-3/60" />
              {row.attempts.map((each) => {
                const at = timeText(timeOf(each));
                const end = stateText(each.outcome ?? each.state);
                return (
                  <Link
                    key={each.id}
                    {...to}
                    search={{ row: row.id, attempt: each.id }}
                    aria-label={`Attempt ${each.number}, ${end}, ${at}`}
                    title={`${end}, ${at}`}
                    style={placeOf(attempts.indexOf(each))}
                    className={classes(
                      'absolute top-1 grid size-6 -translate-x-1/2 place-items-center rounded-full hover:bg-quiet-soft',
                      each.id === attempt && 'ring-2 ring-accent',
                    )}
                  >
                    <span className={classes('px-0.5', row.id === current ? 'bg-accent-soft' : 'bg-card')}>
                      <OutcomeMark state={each.outcome ?? each.state} />
                    </span>
                  </Link>
                );
              })}
            </span>
            <span className="min-w-0 justify-self-end truncate">
              <Badge {...standingOf(row)} />
            </span>
          </li>
        ))}
      </ul>
      <div className={classes(grid, 'text-xs text-quiet max-xl:hidden')} aria-hidden="true">
        <span className="relative col-start-2 h-5">
          {attempts.map(
            (each, nth) =>
              nth % every === 0 && (
                <span
                  key={each.id}
                  className="absolute top-1 -translate-x-1/2 whitespace-nowrap"
                  style={placeOf(nth)}
                >
                  {attempts.length < 5 && `${stateText(each.outcome ?? each.state)}, `}
                  {timeText(timeOf(each))}
                </span>
              ),
          )}
        </span>
      </div>
    </Section>
  );
}

/** How the person stands in that campaign: how the calls ended and when, or what the next one waits for. */
function standingOf({ state, outcome, ended_at: ended, until, reason }: FoundPerson) {
  if (state === 'done' && outcome)
    return { state: outcome, label: `${stateText(outcome)}${ended ? ` ${timeText(ended)}` : ''}` };
  const why = until ? ` until ${timeText(until)}` : reason ? `: ${waitWords[reason]}` : '';
  return { state, label: stateText(state) + why };
}
