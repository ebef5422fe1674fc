import { useState } from 'react';
import type { Campaign, Report } from '../../../api/ask.ts';
import { useLive } from '../../../data/queries.ts';
import { PartBar } from '../../../kit/bars.tsx';
import { Badge, stateText } from '../../../kit/basics.tsx';
import { Chip } from '../../../kit/filter.tsx';
import { Read, Section } from '../../../kit/page.tsx';
import { type Column, DataTable, left } from '../../../kit/table/data-table.tsx';
import { phoneText, serviceChose } from '../../../kit/values.tsx';
import { cost, count, durationText, hourText, isFarBelow, isNight, rateText } from '../../../kit/words.ts';
import { outcomes } from '../outcomes.ts';

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
        <fieldset className="flex max-w-full min-w-0 gap-1 overflow-x-auto">
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
  const number = (name: string, cell: (line: Line) => string) =>
    left<Line>(name, name, { number: true }, (line) => bold(line, cell(line)));
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
    left('share', 'Calls answered', (line) => (
      <span className="flex items-center gap-3">
        <span className="number w-12">{bold(line, rateText(line.connect_rate))}</span>
        <span className="w-24 max-lg:hidden">
          {line.value !== 'all' && <PartBar part={line.connect_rate ?? 0} fill="bg-good-fill" />}
        </span>
      </span>
    )),
    ...outcomes
      .filter((outcome) => total.outcomes[outcome])
      .map((outcome) => number(stateText(outcome), (line) => count(line.outcomes[outcome] ?? 0))),
    number('Mean length', ({ mean_duration: mean }) => (mean === null ? '–' : durationText(mean * 1_000))),
    number('Cost', (line) => cost(line.cost, currency)),
    number('Cost an answer', (line) => cost(line.cost_per_connect, currency)),
  ];
}
