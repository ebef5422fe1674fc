import type { Job } from '../../api/description.ts';
import { Badge } from '../../kit/badge.tsx';
import { Phone } from '../../kit/phone.tsx';
import type { Column } from '../../kit/table/data-table.tsx';
import { Ago, Time } from '../../kit/time.tsx';
import { count } from '../../kit/words.ts';
import { PageLink } from '../../shell/page-link.tsx';
import { reasonText, workText } from './words.ts';

/** The columns of the jobs: what, whom, why it waits, when it is due. */
export const columns: readonly Column<Job>[] = [
  {
    id: 'work',
    head: 'What',
    cell: (job) => <Badge state={marks[job.state]} label={workText(job)} />,
  },
  {
    id: 'who',
    head: 'Who',
    cell: ({ phone, name, row }) =>
      phone === null ? (
        <span className="whitespace-nowrap text-quiet">row {row}</span>
      ) : (
        <>
          <PageLink to={`/people/${encodeURIComponent(phone)}`} className="font-medium hover:underline">
            <Phone phone={phone} />
          </PageLink>
          {name && <span className="ml-2 text-quiet">{name}</span>}
        </>
      ),
  },
  { id: 'campaign', head: 'Campaign', from: 'lg', cell: ({ campaign }) => campaign },
  { id: 'why', head: 'Why it waits', cell: (job) => <Why of={job} /> },
  { id: 'key', head: 'Key', from: 'lg', cell: ({ key }) => key },
  { id: 'number', head: 'Try', number: true, from: 'lg', cell: ({ number }) => count(number) },
  { id: 'planned', head: 'Planned', from: 'xl', cell: ({ planned_at: at }) => <Ago at={at} /> },
];

const marks: Record<Job['state'], string> = {
  waiting: 'waiting',
  delayed: 'queued',
  active: 'calling',
  none: 'skipped',
};

function Why({ of: { reason, until, status } }: { of: Job }) {
  const words = reasonText(reason);
  return (
    <>
      {words ?? <span className="text-quiet">–</span>}
      {until && (
        <span className="text-quiet">
          , due <Time at={until} />
        </span>
      )}
      {status && <span className="text-quiet">, {status}</span>}
    </>
  );
}
