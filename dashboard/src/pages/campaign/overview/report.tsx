import { useState } from 'react';
import type { Campaign, Report } from '../../../api/description.ts';
import { useAsk } from '../../../data/queries.ts';
import { Button } from '../../../kit/button.tsx';
import { Section } from '../../../kit/card.tsx';
import { Read } from '../../../kit/empty.tsx';
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

export function ReportPart({ campaign: { id, answers, currency } }: { campaign: Campaign }) {
  const [by, setBy] = useState<By>('hour');
  const hasCalls = answers.calls > 0;
  const answer = useAsk(
    'GET /api/campaigns/{id}/report',
    { params: { id }, query: { by } },
    { on: ['campaign.'], everyMs: 15_000, enabled: hasCalls },
  );
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
