import type { FoundPerson } from '../../api/description.ts';
import { useLive } from '../../data/use-live.ts';
import { Section } from '../../kit/card.tsx';
import { type Column, DataTable } from '../../kit/table/data-table.tsx';
import { Ago } from '../../kit/time.tsx';
import { personAddress } from '../../shell/find.ts';
import { PageLink } from '../../shell/page-link.tsx';
import { learned, outcome } from '../../shell/person-columns.tsx';
import { fast, people, places, time } from './columns.tsx';

/** The calls that ended last, of those to whom something happened lately: the list has no other order that is quick. */
const looked = 60;

export function EndedLately({ shown }: { shown: number }) {
  const latest = useLive('GET /api/calls', { query: { limit: looked } }, { everyMs: 6_000 });
  const rows = (latest.data?.items ?? [])
    .filter(({ ended_at: at, state }) => at !== null && state !== 'calling')
    .sort((a, b) => Date.parse(b.ended_at!) - Date.parse(a.ended_at!))
    .slice(0, shown);
  if (rows.length === 0) return null;
  return (
    <div className="mt-8">
      <Section
        id="ended"
        title="Ended lately"
        acts={
          <PageLink to="/people" className="text-sm text-quiet hover:underline">
            All people
          </PageLink>
        }
        bare
      >
        <DataTable label="Ended lately" rows={rows} columns={columnsOf(rows)} keyOf={({ id }) => id} />
      </Section>
    </div>
  );
}

const columnsOf = (rows: readonly FoundPerson[]): readonly Column<FoundPerson>[] => [
  { ...places.status, head: 'Outcome', cell: outcome.cell },
  time(rows, { head: 'Talked', fillOf: () => 'bg-ink-2', secondsOf: ({ duration }) => duration ?? 0 }),
  ...people,
  { ...places.campaign, cell: ({ campaign }) => <span className="text-quiet">{campaign}</span> },
  fast({ ...learned, from: 'xl' }, 200),
  {
    id: 'ended',
    head: 'Ended',
    px: 78,
    from: 'xl',
    number: true,
    cell: ({ ended_at: at }) => <Ago at={at!} />,
  },
  {
    ...places.act,
    cell: (row) =>
      row.recording_url || row.transcript ? (
        <PageLink to={personAddress(row)} className="link text-sm">
          Hear it
        </PageLink>
      ) : null,
  },
];
