import { getRouteApi } from '@tanstack/react-router';
import type { Import } from '../../api/description.ts';
import { useLive } from '../../data/use-live.ts';
import { buttonClasses } from '../../kit/button.tsx';
import { Section } from '../../kit/card.tsx';
import { Empty, Read } from '../../kit/empty.tsx';
import { Glance } from '../../kit/glance.tsx';
import { Meter } from '../../kit/meter.tsx';
import { PageHead } from '../../kit/page.tsx';
import { type Column, DataTable, left } from '../../kit/table/data-table.tsx';
import { durationText, Time } from '../../kit/time.tsx';
import { count, counted } from '../../kit/words.ts';
import { PageLink } from '../../shell/page-link.tsx';

/** How far an import is, and what came of it. */
const address = getRouteApi('/imports/$id');

export function ImportPage() {
  const { id } = address.useParams();
  const found = useLive('GET /api/imports/{id}', { params: { id } }, { everyMs: 1_500, on: ['import.'] });
  return <Read of={found}>{(shown) => <Shown of={shown} />}</Read>;
}

function Shown({ of: shown }: { of: Import }) {
  const { campaign, state, rejects, rejected, created_at: sent, ended_at: ended, format } = shown;
  const to = `/campaigns/${encodeURIComponent(campaign)}`;
  return (
    <>
      <PageHead
        title="Import"
        up={{ to, label: campaign }}
        state={
          <span className="text-sm text-quiet max-sm:hidden">
            {format.toUpperCase()}, sent <Time at={sent} />
            {ended && `, took ${durationText(Date.parse(ended) - Date.parse(sent))}`}
          </span>
        }
        acts={
          state === 'done' && (
            <PageLink to={to} className={buttonClasses('main')}>
              Open the campaign
            </PageLink>
          )
        }
      />
      <Whole of={shown} />
      {rejected > 0 && (
        <Section
          id="rejects"
          title="Why rows were rejected"
          note={rejects && rejected > rejects.length && `the first ${count(rejects.length)}`}
          bare
        >
          {rejects === null ? (
            <Empty title="Rejected rows are hidden">They hold what the list said about people.</Empty>
          ) : (
            <DataTable label="Rejected rows" rows={rejects} columns={columns} keyOf={({ row }) => `${row}`} />
          )}
        </Section>
      )}
    </>
  );
}

const columns: readonly Column<NonNullable<Import['rejects']>[number]>[] = [
  left('row', 'Row', ({ row }) => <span className="text-quiet">row {count(row)}</span>),
  left('reason', 'Why', ({ reason }) => reason, { main: true }),
];

/** What came of it in one sentence, and what to do. */
function Whole({
  of: { state, reason, rejected, accepted, rows_read: rows, bytes, bytes_read },
}: {
  of: Import;
}) {
  const kib = (n: number) => count(Math.ceil(n / 1_024));
  if (state === 'failed')
    return (
      <Glance level="act" title={`Nothing was stored: ${reason}`}>
        Correct the list and send it again.
      </Glance>
    );
  if (state !== 'done')
    return (
      <Meter
        label="Progress"
        value={bytes === 0 ? 0 : Math.min(1, bytes_read / bytes)}
        words={`${counted(rows, 'row')} read, ${kib(bytes_read)} of ${kib(bytes)} KiB`}
      />
    );
  const stored = rejected === 0 ? counted(rows, 'row') : `${count(accepted)} of ${counted(rows, 'row')}`;
  return (
    <Glance
      level={rejected === 0 ? 'fine' : 'watch'}
      title={`${stored} stored, ${rejected === 0 ? 'none' : count(rejected)} rejected.`}
    >
      {rejected === 0
        ? 'People who were on it before count too.'
        : 'Correct the rejected rows and send them again: nobody is added twice.'}
    </Glance>
  );
}
