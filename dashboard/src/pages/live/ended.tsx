import type { FoundPerson } from '../../api/description.ts';
import { useLive } from '../../data/use-live.ts';
import { Section } from '../../kit/card.tsx';
import { type Column, DataTable } from '../../kit/table/data-table.tsx';
import { Ago } from '../../kit/time.tsx';
import { learned, outcome, phone, talked, who } from '../../shell/person-columns.tsx';

/** The calls that ended last, of those to whom something happened lately: the list has no other order that is quick. */
const looked = 40;
const shown = 8;

export function EndedLately() {
  const latest = useLive('GET /api/calls', { query: { limit: looked } }, { everyMs: 6_000 });
  const rows = (latest.data?.items ?? [])
    .filter(({ ended_at: at, state }) => at !== null && state !== 'calling')
    .sort((a, b) => Date.parse(b.ended_at!) - Date.parse(a.ended_at!))
    .slice(0, shown);
  if (rows.length === 0) return null;
  const isSame = rows.every(({ campaign }) => campaign === rows[0]!.campaign);
  return (
    <div className="mt-8">
      <Section id="ended" title="Ended lately" note={isSame && rows[0]!.campaign} bare>
        <DataTable
          label="Ended lately"
          rows={rows}
          columns={isSame ? columns.filter(({ id }) => id !== 'campaign') : columns}
          keyOf={({ id }) => id}
        />
      </Section>
    </div>
  );
}

const columns: readonly Column<FoundPerson>[] = [
  outcome,
  talked,
  who,
  phone,
  learned,
  { id: 'campaign', head: 'Campaign', from: 'sm', cell: ({ campaign }) => campaign },
  { id: 'ended', head: 'Ended', number: true, cell: ({ ended_at: at }) => at && <Ago at={at} /> },
];
