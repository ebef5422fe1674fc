import type { FoundPerson } from '../../api/ask.ts';
import { Badge, OutcomeMark, stateText } from '../../kit/basics.tsx';
import { tickLabel, ticksOf } from '../../kit/chart/series.ts';
import { Section } from '../../kit/page.tsx';
import { Link } from '../../kit/router.tsx';
import { useNow } from '../../kit/values.tsx';
import { classes, counted, timeText, waitWords } from '../../kit/words.ts';

/** Every campaign that has the person, its attempts on one axis of time: one opens by a press. */
type LinesProps = {
  rows: readonly FoundPerson[];
  current: string;
  attempt: string | undefined;
  more: boolean;
};

const to = { replace: true, resetScroll: false };
const grid = 'grid grid-cols-[minmax(0,1fr)_auto] gap-x-6 px-2 sm:grid-cols-[14rem_minmax(0,1fr)_13rem]';
const right = 97;

type Attempt = FoundPerson['attempts'][number];
const whenOf = ({ dialed_at: at, planned_at: planned }: Attempt) => at ?? planned;
const timeOf = (attempt: Attempt) => Date.parse(whenOf(attempt)) / 1_000;

/** Attempts that would cover each other stand side by side at the time of the last one, each with its hour or day. */
function groupsOf(attempts: readonly Attempt[], isNear: (one: Attempt, next: Attempt) => boolean) {
  const groups: Attempt[][] = [];
  for (const each of attempts) {
    const last = groups.at(-1);
    if (last && isNear(last.at(-1)!, each)) last.push(each);
    else groups.push([each]);
  }
  return groups;
}

export function CampaignLines({ rows, current, attempt, more }: LinesProps) {
  const now = useNow() / 1_000;
  const attempts = rows.flatMap((row) => row.attempts);
  const first = Math.min(now - 3_600, ...attempts.map(timeOf));
  const from = first - (now - first) / 40;
  const placeOf = (at: number) => (right * (at - from)) / (now - from);
  const { at: ticks, step } = ticksOf(from, now, 7);
  const every = Math.ceil(ticks.length / 7);
  const ends = [...new Set(attempts.map(({ outcome, state }) => outcome ?? state))];
  return (
    <Section
      title="Every campaign"
      note={`${more ? 'the latest ' : ''}${counted(rows.length, 'campaign')}, ${counted(attempts.length, 'attempt')}`}
      acts={
        <span className="flex flex-wrap gap-x-4" aria-hidden="true">
          {ends.map((end) => (
            <Badge key={end} state={end} />
          ))}
        </span>
      }
    >
      <ul className="border-b border-line">
        {rows.map((row) => {
          const groups = groupsOf(
            row.attempts,
            (one, next) => placeOf(timeOf(next)) - placeOf(timeOf(one)) < 7,
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
                className="font-medium hover:underline sm:truncate"
              >
                {row.campaign}
              </Link>
              <span className="relative h-8 max-sm:order-last max-sm:col-span-2">
                <i aria-hidden="true" className="absolute inset-x-0 top-1/2 h-px bg-ink-3/60" />
                {groups.map((group) => {
                  const place = placeOf(timeOf(group.at(-1)!));
                  const isEarly = place < 40;
                  const isOneDay =
                    new Set(group.map((each) => new Date(whenOf(each)).toDateString())).size < 2;
                  return (
                    <span
                      key={group[0]!.id}
                      style={{
                        [isEarly ? 'left' : 'right']: `calc(${isEarly ? place : 100 - place}% - 12px)`,
                      }}
                      className={classes(
                        'absolute top-1 flex',
                        row.id === current ? 'bg-accent-soft' : 'bg-card',
                      )}
                    >
                      {group.map((each) => {
                        const at = timeText(whenOf(each));
                        const end = stateText(each.outcome ?? each.state);
                        return (
                          <Link
                            key={each.id}
                            {...to}
                            search={{ row: row.id, attempt: each.id }}
                            aria-label={`Attempt ${each.number}, ${end}, ${at}`}
                            title={`${end}, ${at}`}
                            className={classes(
                              'flex h-6 items-center gap-1.5 rounded-full px-1.5 text-xs text-quiet hover:bg-quiet-soft',
                              each.id === attempt && 'ring-2 ring-accent',
                            )}
                          >
                            {group.length > 1 && (
                              <span
                                className={classes(
                                  'whitespace-nowrap max-lg:hidden',
                                  isEarly && 'order-last',
                                )}
                              >
                                {at.split(', ').at(isOneDay ? -1 : 0)}
                              </span>
                            )}
                            <OutcomeMark state={each.outcome ?? each.state} />
                          </Link>
                        );
                      })}
                    </span>
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
      <div className={classes(grid, 'text-xs text-quiet')} aria-hidden="true">
        <span className="relative h-5 max-sm:col-span-2 sm:col-start-2">
          {ticks
            .filter((_, nth) => nth % every === 0)
            .map((tick, nth) => (
              <span
                key={tick}
                className={classes(
                  'absolute top-1 -translate-x-1/2 whitespace-nowrap',
                  nth % 2 === 1 && 'max-sm:hidden',
                )}
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

function standingOf({ state, outcome, ended_at: ended, until, reason }: FoundPerson) {
  if (state === 'done' && outcome)
    return { state: outcome, label: `${stateText(outcome)}${ended ? ` ${timeText(ended)}` : ''}` };
  const why = until ? ` until ${timeText(until)}` : reason ? `: ${waitWords[reason]}` : '';
  return { state, label: stateText(state) + why };
}
