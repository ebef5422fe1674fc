import type { Campaign, Report } from '../../../api/ask.ts';
import { PartBar } from '../../../kit/bars.tsx';
import { Badge } from '../../../kit/basics.tsx';
import { Section } from '../../../kit/page.tsx';
import { Link } from '../../../kit/router.tsx';
import { classes, count, counted, tenths } from '../../../kit/words.ts';
import { outcomeFills, outcomes } from '../outcomes.ts';

/** How the calls ended: a bar for each outcome, which shows those whose last call ended so. */
type OutcomesProps = {
  campaign: Campaign;
  report: Report;
  /** Side by side, where a press filters what stands below: another one of the chosen takes it back. */
  filters?: { chosen: string | undefined };
};

export function Outcomes({ campaign: { id, opt_outs: optOuts }, report, filters }: OutcomesProps) {
  const { calls, outcomes: ended, people_reached: reached } = report.total;
  const asked = optOuts.people > 0 && !filters && `, ${count(optOuts.people)} asked for no more`;
  const many = filters && (ended.answered ?? 0) > reached && '; some people answered more than one';
  const note = `${counted(calls, 'ended call')}${asked || many || ''}${filters ? '; press one to filter by it' : ''}`;
  return (
    <Section title="How calls ended" note={note}>
      <ul
        className={
          filters
            ? 'grid gap-3 sm:grid-cols-3 xl:auto-cols-fr xl:grid-flow-col xl:grid-cols-none'
            : 'border-b border-line'
        }
      >
        {outcomes.map((outcome) => {
          const n = ended[outcome];
          const isChosen = filters?.chosen === outcome;
          if (!n) return null;
          return (
            <li key={outcome} className={classes('text-sm', !filters && 'border-t border-line')}>
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
                    ? 'grid-cols-[minmax(0,1fr)_auto_auto] gap-y-2 rounded-md border px-3 py-2'
                    : 'min-h-[33px] grid-cols-[6.5rem_minmax(0,1fr)_3rem_3.5rem]',
                  filters && (isChosen ? 'border-accent/55 bg-accent-soft' : 'border-line'),
                )}
              >
                <Badge state={outcome} />
                <span className={filters && 'order-last col-span-full'}>
                  <PartBar part={n / calls} fill={outcomeFills[outcome]} />
                </span>
                <span className="number font-medium">{count(n)}</span>
                <span className="number text-quiet">{tenths(n / calls)}</span>
              </Link>
            </li>
          );
        })}
      </ul>
    </Section>
  );
}
