import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { Campaign, Report } from '../../../api/description.ts';
import { useLive } from '../../../data/use-live.ts';
import { Button } from '../../../kit/button.tsx';
import { Section } from '../../../kit/card.tsx';
import { Read } from '../../../kit/empty.tsx';
import { hourText, isNight } from '../../../kit/local-time.ts';
import { Notice } from '../../../kit/notice.tsx';
import { count, counted } from '../../../kit/words.ts';
import { ReportTable } from './report-table.tsx';

/** How calls ended, by the hour, the day and the weekday of the person, the caller number, the agent or the attempt. */
type By = NonNullable<Report['by']>;
const parts: readonly [By, string][] = [
  ['hour', 'Hour'],
  ['day', 'Day'],
  ['weekday', 'Weekday'],
  ['caller', 'Caller number'],
  ['agent', 'Agent'],
  ['attempt', 'Attempt'],
];

/** As often as the campaign itself: the sums are kept, and the figures of its head are of the same answer. */
export function useReport({ id, answers }: Campaign, by: By = 'hour') {
  return useLive(
    'GET /api/campaigns/{id}/report',
    { params: { id }, query: { by } },
    { everyMs: 5_000, on: ['campaign.'], enabled: answers.calls > 0 },
  );
}

/** Said at the head, where the hours of the order or the contact rules did not prevent it. */
export function NightNotice({ id, report }: { id: string; report: Report | undefined }) {
  const atNight = report?.items.filter(({ value }) => value !== null && isNight(Number(value))) ?? [];
  const calls = atNight.reduce((sum, each) => sum + each.calls, 0);
  if (!report || calls === 0) return null;
  return (
    <Notice
      title={`${counted(calls, 'call')} of ${count(report.total.calls)} came at night: before ${hourText(8)} or after ${hourText(21)} where the person is.`}
      act={
        <Link to="/campaigns/$id" params={{ id }} search={{ tab: 'order' }} className="link">
          Change the hours
        </Link>
      }
    />
  );
}

/** Within its first hour a campaign is told apart by what it varies. */
function firstOf({ from, number_ids: ids, agent, max_attempts: most }: Campaign): By {
  if (from.includes('all') || from.length + ids.length > 1) return 'caller';
  if (Array.isArray(agent)) return 'agent';
  return most > 1 ? 'attempt' : 'hour';
}

export function ReportPart({ campaign }: { campaign: Campaign }) {
  const { answers, currency } = campaign;
  const [chosen, setBy] = useState<By>();
  const hasCalls = answers.calls > 0;
  const hours = useReport(campaign).data?.items.length ?? 2;
  const by = chosen ?? (hours > 1 ? 'hour' : firstOf(campaign));
  const answer = useReport(campaign, by);
  const words = parts.find(([each]) => each === by)![1];
  return (
    <Section
      id="report"
      title="Calls compared by"
      acts={
        <fieldset className="flex max-w-full min-w-0 gap-1 overflow-x-auto">
          <legend className="sr-only">By</legend>
          {parts.map(([each, label]) => (
            <Button
              key={each}
              small
              kind={each === by ? 'plain' : 'quiet'}
              aria-pressed={each === by}
              onClick={() => setBy(each)}
            >
              {label}
            </Button>
          ))}
        </fieldset>
      }
    >
      {!hasCalls && <p className="text-quiet">No call has ended yet.</p>}
      {hasCalls && (
        <Read of={answer} lines={6}>
          {(report) => <ReportTable report={report} head={words} currency={currency} />}
        </Read>
      )}
    </Section>
  );
}
