import { addressOf, type Campaign, type Import, type Reject } from '../../../api/ask.ts';
import { usePages } from '../../../data/queries.ts';
import { Meter } from '../../../kit/bars.tsx';
import { Badge, buttonClasses } from '../../../kit/basics.tsx';
import { Section } from '../../../kit/page.tsx';
import { DataTable, Listing, left, right } from '../../../kit/table/data-table.tsx';
import { Time } from '../../../kit/values.tsx';
import { count, counted } from '../../../kit/words.ts';

/** The lists that were read in the background; nothing where there are none. */
export function Imports({ of: { id } }: { of: Campaign }) {
  const imports = usePages('GET /api/imports', { campaign: id }, { everyMs: 5_000 });
  if (!imports.rows?.length) return null;
  const isWhole = imports.rows.every(({ state, rejected }) => state !== 'failed' && rejected === 0);
  const note = !isWhole && 'Correct what was rejected and send it again: nobody is added twice.';
  return (
    <Section title="Imports" note={note}>
      <Listing list={imports} empty={null}>
        {(rows) => <DataTable label="Imports" rows={rows} columns={importColumns} />}
      </Listing>
    </Section>
  );
}

const importColumns = [
  left<Import>('sent', 'Sent', ({ created_at: at }) => <Time at={at} />),
  left<Import>('state', 'State', ({ state, reason, rows_read: rows, ...of }) => {
    if (state === 'done') return <Badge state={state} />;
    if (state === 'failed') return <Badge state={state} label={`nothing was stored: ${reason}`} />;
    const part = of.bytes === 0 ? 0 : Math.min(1, of.bytes_read / of.bytes);
    return <Meter label="Progress" value={part} words={`${counted(rows, 'row')} read`} />;
  }),
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

/** Rows of the list that were not taken. */
export function Rejects({ of }: { of: Campaign }) {
  const place = { id: of.id };
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
