import { addressOf } from '../../../api/ask.ts';
import type { Campaign, Import, Reject } from '../../../api/description.ts';
import { usePages } from '../../../data/pages.ts';
import { Badge } from '../../../kit/badge.tsx';
import { buttonClasses } from '../../../kit/button.tsx';
import { Section } from '../../../kit/card.tsx';
import { Listing } from '../../../kit/listing.tsx';
import { type Column, DataTable } from '../../../kit/table/data-table.tsx';
import { Time } from '../../../kit/time.tsx';
import { count, counted } from '../../../kit/words.ts';
import { PageLink } from '../../../shell/page-link.tsx';

/** Rows of the list that were not taken, and the lists that were read. */
export function CameIn({ of: campaign }: { of: Campaign }) {
  const { rejected } = campaign.balance;
  return (
    <details className="mb-6">
      <summary className="w-max cursor-pointer text-sm text-quiet hover:text-text">
        {rejected === 0
          ? 'Imports; no row was rejected'
          : `${counted(rejected, 'rejected row')}, and imports`}
      </summary>
      <div className="mt-4">
        {rejected > 0 && <Rejects of={campaign} />}
        <Imports id={campaign.id} />
      </div>
    </details>
  );
}

const importColumns: readonly Column<Import>[] = [
  {
    id: 'sent',
    head: 'Sent',
    cell: ({ id, created_at: at }) => (
      <PageLink to={`/imports/${id}`} className="link">
        <Time at={at} />
      </PageLink>
    ),
  },
  { id: 'state', head: 'State', cell: ({ state }) => <Badge state={state} /> },
  { id: 'taken', head: 'People taken', number: true, cell: ({ accepted }) => count(accepted) },
  { id: 'rejected', head: 'Rows rejected', number: true, cell: ({ rejected }) => count(rejected) },
  { id: 'reason', head: 'Why it failed', has: (row) => row.reason !== null, cell: ({ reason }) => reason },
];

function Imports({ id }: { id: string }) {
  const list = usePages('GET /api/imports', { query: { campaign: id } }, { on: ['import.'] });
  return (
    <Section id="imports" title="Imports" note="lists that are read in the background" bare>
      <Listing list={list} empty={<p className="text-quiet">There was none.</p>}>
        {(rows) => (
          <DataTable label="Imports" rows={rows} columns={importColumns} keyOf={({ id: of }) => of} />
        )}
      </Listing>
    </Section>
  );
}

const rejectColumns: readonly Column<Reject>[] = [
  { id: 'row', head: 'Row', number: true, cell: ({ row }) => count(row) },
  { id: 'reason', head: 'Why it was not taken', cell: ({ reason }) => reason },
  {
    id: 'input',
    head: 'What was given',
    from: 'sm',
    cell: ({ input }) => (
      <span className="block max-w-[40vw] truncate font-mono text-xs">
        {Object.entries(input ?? {})
          .map(([name, value]) => `${name}: ${String(value)}`)
          .join(', ')}
      </span>
    ),
  },
];

function Rejects({ of: { id } }: { of: Campaign }) {
  const list = usePages('GET /api/campaigns/{id}/rejects', { params: { id } }, { on: ['import.'] });
  return (
    <Section
      id="rejects"
      title="Rejected rows"
      acts={
        <a
          className={buttonClasses()}
          href={addressOf('GET /api/campaigns/{id}/rejects.csv', { params: { id } })}
          download
        >
          Download to repair
        </a>
      }
      bare
    >
      <Listing
        list={list}
        empty={<p className="text-quiet">The service refused these people: their rows are in the results.</p>}
      >
        {(rows) => (
          <DataTable
            label="Rejected rows"
            rows={rows}
            columns={rejectColumns}
            keyOf={({ row, reason }) => `${row} ${reason}`}
          />
        )}
      </Listing>
    </Section>
  );
}
