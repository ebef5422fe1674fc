import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { Campaign, Report } from '../../../api/description.ts';
import { useAsk } from '../../../data/queries.ts';
import { Button } from '../../../kit/button.tsx';
import { Section } from '../../../kit/card.tsx';
import { Read } from '../../../kit/empty.tsx';
import { isNight } from '../../../kit/local-time.ts';
import { Notice } from '../../../kit/notice.tsx';
import { count, counted } from '../../../kit/words.ts';
import { HeatTable } from './heat.tsx';
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

function useReport(id: string, by: By, enabled: boolean) {
  const options = { on: ['campaign.'], everyMs: 15_000, enabled } as const;
  return useAsk('GET /api/campaigns/{id}/report', { params: { id }, query: { by } }, options);
}

/** Said at the head, where the hours of the order or the contact rules did not prevent it. */
export function NightNotice({ campaign: { id, answers } }: { campaign: Campaign }) {
  const items = useReport(id, 'hour', answers.calls > 0).data?.items ?? [];
  const isAtNight = ({ value }: (typeof items)[number]) => value !== null && isNight(Number(value));
  const calls = items.filter(isAtNight).reduce((sum, each) => sum + each.calls, 0);
  if (calls === 0) return null;
  return (
    <Notice
      title={`${counted(calls, 'call')} of ${count(answers.calls)} came at night: before 8 or after 21 where the person is.`}
      act={
        <Link to="/campaigns/$id" params={{ id }} search={{ tab: 'order' }} className="link">
          Change the hours
        </Link>
      }
    />
  );
}

export function ReportPart({ campaign: { id, answers, currency } }: { campaign: Campaign }) {
  const [by, setBy] = useState<By>('hour');
  const hasCalls = answers.calls > 0;
  const answer = useReport(id, by, hasCalls);
  const words = parts.find(([each]) => each === by)![1];
  return (
    <Section
      id="report"
      title="Calls compared by"
      note="read every 15 s, the figures above more often"
      acts={
        <fieldset className="flex flex-wrap gap-1">
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
          {(report) => (
            <>
              {(by === 'hour' || by === 'weekday') && <HeatTable report={report} by={by} />}
              <ReportTable report={report} head={words} currency={currency} />
            </>
          )}
        </Read>
      )}
    </Section>
  );
}
