import { addressOf, type Campaign, type Import, type Reject } from '../../../api/ask.ts';
import { usePages } from '../../../data/queries.ts';
import { Badge, buttonClasses } from '../../../kit/basics.tsx';
import { Section } from '../../../kit/page.tsx';
import { Link } from '../../../kit/router.tsx';
import { DataTable, Listing, left, right } from '../../../kit/table/data-table.tsx';
import { Time } from '../../../kit/values.tsx';
import { count } from '../../../kit/words.ts';

/** Rows of the list that were not taken, and the lists that were read in the background; nothing where there are none. */
export function CameIn({ of: { id, balance } }: { of: Campaign }) {
  const imports = usePages('GET /api/imports', { campaign: id }, { everyMs: 5_000 });
  return (
    <>
      {balance.rejected > 0 && <Rejects id={id} />}
      {imports.rows && imports.rows.length > 0 && (
        <Section title="Imports">
          <Listing list={imports} empty={null}>
            {(rows) => <DataTable label="Imports" rows={rows} columns={importColumns} />}
          </Listing>
        </Section>
      )}
    </>
  );
}

const importColumns = [
  left<Import>('sent', 'Sent', ({ id, created_at: at }) => (
    <Link to={`/imports/${id}`}>
      <Time at={at} />
    </Link>
  )),
  left<Import>('state', 'State', ({ state }) => <Badge state={state} />),
  right<Import>('taken', 'People taken', ({ accepted }) => count(accepted)),
  right<Import>('rejected', 'Rows rejected', ({ rejected }) => count(rejected)),
];

const rejectColumns = [
  left<Reject>('row', 'Row', ({ row }) => count(row)),
  left<Reject>('reason', 'Why it was not taken', ({ reason }) => reason),
  left<Reject>('input', 'What was given', { from: 'sm' }, ({ input }) => (
    <span className="block max-w-[40vw] truncate font-mono text-xs">
      {Object.entries(input ?? {})
        .map(([name, value]) => `${name}: ${String(value)}`)
        .join(', ')}
    </span>
  )),
];

function Rejects({ id }: { id: string }) {
  const place = { id };
  const list = usePages('GET /api/campaigns/{id}/rejects', place, { everyMs: 15_000 });
  return (
    <Section
      title="Rejected rows"
      acts={
        <a
          className={buttonClasses('plain', true)}
          href={addressOf('GET /api/campaigns/{id}/rejects.csv', place)}
          download
        >
          Download to repair
        </a>
      }
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
