import { Link } from '@tanstack/react-router';
import type { FoundPerson } from '../../api/description.ts';
import { Badge, OutcomeMark, stateText } from '../../kit/badge.tsx';
import { Section } from '../../kit/card.tsx';
import { tickLabel, ticksOf } from '../../kit/chart/series.ts';
import { useNarrow } from '../../kit/narrow.ts';
import { timeText, useNow } from '../../kit/time.tsx';
import { waitWords } from '../../kit/waits.ts';
import { classes, counted } from '../../kit/words.ts';

/** Every campaign that has the person, its attempts on one axis of time: one opens by a press. */
type LinesProps = {
  rows: readonly FoundPerson[];
  current: string;
  attempt: string | undefined;
  more: boolean;
};

const to = { from: '/people/$person', to: '.', replace: true, resetScroll: false } as const;
const grid = 'grid grid-cols-[minmax(0,1fr)_auto] gap-x-6 px-2 sm:grid-cols-[14rem_minmax(0,1fr)_13rem]';
const right = 97;

/** Marks in hundredths of the axis, so that two do not cover each other. */
function spread(places: number[], apart: number): number[] {
  for (let nth = 1; nth < places.length; nth += 1)
    places[nth] = Math.max(places[nth]!, places[nth - 1]! + apart);
  for (let nth = places.length - 1; nth >= 0; nth -= 1)
    places[nth] = Math.min(places[nth]!, (places[nth + 1] ?? right + apart) - apart);
  return places;
}

const timeOf = ({ dialed_at: at, planned_at: planned }: FoundPerson['attempts'][number]) =>
  Date.parse(at ?? planned) / 1_000;

export function CampaignLines({ rows, current, attempt, more }: LinesProps) {
  const now = useNow() / 1_000;
  const isNarrow = useNarrow();
  const attempts = rows.flatMap((row) => row.attempts);
  const first = Math.min(now - 3_600, ...attempts.map(timeOf));
  const from = first - (now - first) / 40;
  const placeOf = (at: number) => (right * (at - from)) / (now - from);
  const { at: ticks, step } = ticksOf(from, now, 7);
  const every = Math.ceil(ticks.length / 7);
  const ends = [...new Set(attempts.map(({ outcome, state }) => outcome ?? state))];
  return (
    <Section
      id="rows"
      title="Every campaign"
      note={`${more ? 'the latest ' : ''}${counted(rows.length, 'campaign')}, ${counted(attempts.length, 'attempt')}`}
      acts={
        <span className="flex flex-wrap gap-x-4" aria-hidden="true">
          {ends.map((end) => (
            <Badge key={end} state={end} />
          ))}
        </span>
      }
      bare
    >
      <ul className="border-b border-line">
        {rows.map((row) => {
          const places = spread(
            row.attempts.map((each) => placeOf(timeOf(each))),
            isNarrow ? 8 : 4.2,
          );
          return (
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
                {row.attempts.map((each, nth) => {
                  const at = timeText(each.dialed_at ?? each.planned_at);
                  const end = stateText(each.outcome ?? each.state);
                  return (
                    <Link
                      key={each.id}
                      {...to}
                      search={{ row: row.id, attempt: each.id }}
                      aria-label={`Attempt ${each.number}, ${end}, ${at}`}
                      title={`${end}, ${at}`}
                      style={{ left: `${places[nth]}%` }}
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
          );
        })}
      </ul>
      <div className={classes(grid, 'text-xs text-quiet max-sm:hidden')} aria-hidden="true">
        <span className="relative col-start-2 h-5">
          {ticks
            .filter((_, nth) => nth % every === 0)
            .map((tick) => (
              <span
                key={tick}
                className="absolute top-1 -translate-x-1/2 whitespace-nowrap"
                style={{ left: `${placeOf(tick)}%` }}
              >
                {tickLabel(tick, step)}
              </span>
            ))}
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
