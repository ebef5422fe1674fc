import { Link } from '@tanstack/react-router';
import type { Report } from '../../../api/description.ts';
import { Badge } from '../../../kit/badge.tsx';
import { Section } from '../../../kit/card.tsx';
import { PartBar } from '../../../kit/part-bar.tsx';
import { classes, count, counted, tenths } from '../../../kit/words.ts';
import { colorOf, outcomes } from '../outcomes.ts';

/** How the calls ended: a bar for each outcome, which shows those whose last call ended so. */
type OutcomesProps = {
  id: string;
  report: Report | undefined;
  /** Side by side, where a press filters what stands below: another one of the chosen takes it back. */
  filters?: { chosen: string | undefined };
};

export function Outcomes({ id, report, filters }: OutcomesProps) {
  const { calls, outcomes: ended } = report?.total ?? { calls: 0, outcomes: {} };
  const present = outcomes.filter((outcome) => ended[outcome]);
  return (
    <Section
      id="outcomes"
      title={filters ? 'How the calls ended' : 'Results so far'}
      note={
        calls > 0 &&
        (filters
          ? `${counted(calls, 'call')}; press one to filter by it`
          : `of ${counted(calls, 'ended call')}`)
      }
      bare
    >
      {present.length === 0 && (
        <p className="border-t border-line py-2 text-sm text-quiet">No call has ended yet.</p>
      )}
      <ul className={classes(filters && 'grid gap-x-6 sm:auto-cols-fr sm:grid-flow-col')}>
        {present.map((outcome) => {
          const isChosen = filters?.chosen === outcome;
          return (
            <li key={outcome} className="border-t border-line text-sm">
              <Link
                to="/campaigns/$id"
                params={{ id }}
                search={{ tab: filters ? 'results' : 'people', ...(!isChosen && { outcome }) }}
                replace={filters !== undefined}
                resetScroll={!filters}
                aria-current={isChosen ? 'true' : undefined}
                className={classes(
                  'grid items-center gap-x-3 hover:bg-quiet-soft',
                  filters
                    ? 'grid-cols-[minmax(0,1fr)_auto_auto] gap-y-2 py-2'
                    : 'min-h-[34px] grid-cols-[6.5rem_minmax(0,1fr)_3rem_3.5rem]',
                  isChosen && 'bg-accent-soft',
                )}
              >
                <Badge state={outcome} />
                <span className={classes(filters && 'order-last col-span-full')}>
                  <PartBar part={ended[outcome]! / calls} color={colorOf(outcome)} />
                </span>
                <span className="number font-medium">{count(ended[outcome]!)}</span>
                <span className="number text-quiet">{tenths(ended[outcome]! / calls)}</span>
              </Link>
            </li>
          );
        })}
      </ul>
    </Section>
  );
}
