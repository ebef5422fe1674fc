import { getRouteApi } from '@tanstack/react-router';
import type { Import } from '../../api/description.ts';
import { useLive } from '../../data/use-live.ts';
import { buttonClasses } from '../../kit/button.tsx';
import { Section } from '../../kit/card.tsx';
import { Empty, Read } from '../../kit/empty.tsx';
import { Glance } from '../../kit/glance.tsx';
import { Meter } from '../../kit/meter.tsx';
import { PageHead } from '../../kit/page.tsx';
import { type Column, DataTable } from '../../kit/table/data-table.tsx';
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
        <Section id="rejects" title="Why rows were rejected" bare>
          {rejects === null ? (
            <Empty title="Rejected rows are hidden">They hold what the list said about people.</Empty>
          ) : (
            <div className="max-w-3xl">
              <DataTable
                label="Rejected rows"
                rows={rejects}
                columns={columns}
                keyOf={({ row }) => String(row)}
              />
            </div>
          )}
          {rejects && rejected > rejects.length && (
            <p className="mt-2 text-sm text-quiet">The first {count(rejects.length)} are shown.</p>
          )}
        </Section>
      )}
    </>
  );
}

const columns: readonly Column<NonNullable<Import['rejects']>[number]>[] = [
  { id: 'row', head: 'Row', cell: ({ row }) => <span className="text-quiet">row {count(row)}</span> },
  { id: 'reason', head: 'Why', main: true, cell: ({ reason }) => reason },
];

/** What came of it in one sentence, and what to do. */
function Whole({
  of: { state, reason, rejected, accepted, rows_read: rows, bytes, bytes_read: read },
}: {
  of: Import;
}) {
  if (state === 'failed')
    return (
      <Glance level="act" title={`Nothing was stored: ${reason}`}>
        Correct the list and send it again.
      </Glance>
    );
  if (state !== 'done')
    return (
      <div className="mb-6 max-w-prose">
        <Meter
          label="Progress"
          value={bytes === 0 ? 0 : Math.min(1, read / bytes)}
          words={`${counted(rows, 'row')} read, ${count(Math.ceil(read / 1_024))} of ${count(Math.ceil(bytes / 1_024))} KiB`}
        />
      </div>
    );
  return rejected === 0 ? (
    <Glance level="fine" title={`${counted(rows, 'row')} stored, none rejected.`}>
      People who were on it before count too.
    </Glance>
  ) : (
    <Glance
      level="watch"
      title={`${count(accepted)} of ${counted(rows, 'row')} stored, ${count(rejected)} rejected.`}
    >
      Correct the rejected rows and send them again: nobody is added twice.
    </Glance>
  );
}
