import type { Job } from '../../api/description.ts';
import { Badge } from '../../kit/badge.tsx';
import { type Column, right } from '../../kit/table/data-table.tsx';
import { Ago } from '../../kit/time.tsx';
import { count } from '../../kit/words.ts';
import { phone, who } from '../../shell/person-columns.tsx';
import { reasonText, workText } from './words.ts';

/** A job's person stands at the address of their row. */
export type JobRow = Job & { id: string };

/** The columns of the calls: whom, what comes next, why it waits, when it is due. */
export const columns: readonly Column<JobRow>[] = [
  who,
  phone,
  {
    id: 'work',
    head: 'Next',
    from: 'sm',
    cell: (job) => <Badge state={marks[job.state]} label={workText(job)} />,
  },
  {
    id: 'why',
    head: 'Waits',
    from: 'sm',
    cell: ({ reason, status }) => <span title={status ?? undefined}>{reasonText(reason) ?? '–'}</span>,
  },
  right('due', 'Due', ({ until }) => (until ? <Ago at={until} /> : '–'), {
    has: ({ until }) => until !== null,
  }),
  { id: 'campaign', head: 'Campaign', from: 'lg', cell: ({ campaign }) => campaign },
  { id: 'key', head: 'Key', from: 'lg', cell: ({ key }) => key },
  right('number', 'Try', ({ number }) => count(number), { from: 'lg' }),
  right('planned', 'Planned', ({ planned_at: at }) => <Ago at={at} />, { from: 'xl' }),
];

const marks: Record<Job['state'], string> = {
  waiting: 'waiting',
  delayed: 'queued',
  active: 'calling',
  none: 'skipped',
};
