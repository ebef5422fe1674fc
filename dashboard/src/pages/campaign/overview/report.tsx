import { useState } from 'react';
import type { Campaign, Report } from '../../../api/ask.ts';
import { useLive } from '../../../data/queries.ts';
import { PartBar } from '../../../kit/bars.tsx';
import { Badge, stateText } from '../../../kit/basics.tsx';
import { Chip } from '../../../kit/filter.tsx';
import { Read, Section } from '../../../kit/page.tsx';
import { Link } from '../../../kit/router.tsx';
import { type Column, DataTable, left, right } from '../../../kit/table/data-table.tsx';
import { phoneText, serviceChose } from '../../../kit/values.tsx';
import {
  classes,
  cost,
  count,
  counted,
  durationText,
  hourText,
  isFarBelow,
  isNight,
  rateText,
  tenths,
} from '../../../kit/words.ts';
import { outcomeFills, outcomes } from '../outcomes.ts';

/** How calls ended, by the hour, the day and the weekday of the person, the caller number, the agent or the attempt. */
type By = NonNullable<Report['by']>;
type Line = Report['items'][number];
const parts: readonly [By, string][] = [
  ['hour', 'Hour'],
  ['day', 'Day'],
  ['weekday', 'Weekday'],
  ['caller', 'Caller number'],
  ['agent', 'Agent'],
  ['attempt', 'Attempt'],
];

/** As often as the campaign itself: the sums are kept, and the figures of its head are of the same answer. */
export const useReport = ({ id, answers }: Campaign, by: By = 'hour') =>
  useLive(
    'GET /api/campaigns/{id}/report',
    { id, by },
    { everyMs: 5_000, on: ['campaign.'], enabled: answers.calls > 0 },
  );

/** Within its first hour a campaign is told apart by what it varies. */
function firstOf({ from, number_ids: ids, agent, max_attempts: most }: Campaign): By {
  if (from.includes('all') || from.length + ids.length > 1) return 'caller';
  if (Array.isArray(agent)) return 'agent';
  return most > 1 ? 'attempt' : 'hour';
}

export function ReportPart({ campaign }: { campaign: Campaign }) {
  const [chosen, setBy] = useState<By>();
  const hours = useReport(campaign).data?.items.length ?? 2;
  const by = chosen ?? (hours > 1 ? 'hour' : firstOf(campaign));
  const answer = useReport(campaign, by);
  const head = by === 'hour' ? 'Hour where the person is' : parts.find(([each]) => each === by)![1];
  return (
    <Section
      title="Calls compared by"
      acts={
        <fieldset className="flex min-w-0 flex-wrap gap-1">
          <legend className="sr-only">By</legend>
          {parts.map(([each, label]) => (
            <Chip key={each} label={label} on={each === by} onClick={() => setBy(each)} />
          ))}
        </fieldset>
      }
      ruled
    >
      <Read of={answer} lines={6}>
        {(report) => (
          <DataTable
            label={`Calls by ${by}`}
            rows={
              report.items.length > 1 ? [...report.items, { ...report.total, value: 'all' }] : report.items
            }
            columns={columnsOf(report, head, campaign.currency)}
            keyOf={({ value }) => `of ${value}`}
          />
        )}
      </Read>
    </Section>
  );
}

/** A call without a caller number had one of the service's; an hour in which people sleep is said to be one. */
function valueText(by: Report['by'], value: string | null) {
  if (value === null) return by === 'caller' ? serviceChose : 'not known';
  if (by === 'caller' && value !== 'all') return phoneText(value);
  if (by !== 'hour' || value === 'all') return value;
  const hour = hourText(Number(value));
  return isNight(Number(value)) ? <span className="text-warn">{hour}, at night</span> : hour;
}

function columnsOf({ by, items, total }: Report, head: string, currency: string | null): Column<Line>[] {
  const all = items.map(({ calls, connect_rate: rate }) => ({ calls, rate }));
  const bold = (line: Line, text: string) => (line.value === 'all' ? <b>{text}</b> : text);
  const number = (name: string, cell: (line: Line) => string, more = {}) =>
    right<Line>(name, name, more, (line) => bold(line, cell(line)));
  const folded = { from: 'xl', folds: true };
  return [
    left('value', head, ({ value, calls, connect_rate: rate }) => (
      <span className="flex items-center gap-3 whitespace-nowrap">
        <b>{valueText(by, value)}</b>
        {isFarBelow({ calls, rate }, all) && value !== 'all' && (
          <Badge state="warning" label="answered far less" />
        )}
      </span>
    )),
    number('Calls', ({ calls }) => count(calls)),
    left('share', 'Answered', { from: 'sm', named: true }, (line) => (
      <span className="inline-flex items-center gap-3">
        {bold(line, count(line.outcomes.answered ?? 0))}
        <span className="number sm:w-12">{bold(line, rateText(line.connect_rate))}</span>
        <span className="w-24 max-xl:hidden">
          {line.value !== 'all' && <PartBar part={line.connect_rate ?? 0} fill="bg-good-fill" />}
        </span>
      </span>
    )),
    ...outcomes
      .filter((outcome) => outcome !== 'answered' && total.outcomes[outcome])
      .map((outcome) => number(stateText(outcome), (line) => count(line.outcomes[outcome] ?? 0), folded)),
    number(
      'Mean length',
      ({ mean_duration: mean }) => (mean === null ? '–' : durationText(mean * 1_000)),
      folded,
    ),
    number('Cost', (line) => cost(line.cost, currency)),
    number('Cost an answer', (line) => cost(line.cost_per_connect, currency)),
  ];
}

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
