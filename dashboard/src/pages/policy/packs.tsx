import type { Pack } from '../../api/description.ts';
import { useAsk } from '../../data/queries.ts';
import { Badge } from '../../kit/badge.tsx';
import { Section } from '../../kit/card.tsx';
import { Read } from '../../kit/empty.tsx';
import { type Column, DataTable } from '../../kit/table/data-table.tsx';
import { weekWords } from '../../order/week.ts';
import { capital, hoursOf, stricterOf } from './rules.tsx';

/** The packs of hours that ship: each row with its source, and the date of that. */
type PackRow = Pack['rows'][number];

export function Packs({ inForce }: { inForce: readonly string[] }) {
  const packs = useAsk('GET /api/policy/packs', {});
  return (
    <Section id="packs" title="Packs of hours" bare>
      <p className="mb-3 max-w-prose text-quiet">
        A pack holds only while the rules name it. Packs are not legal advice: most rows come from secondary
        sources, and where these disagree the row is the strictest.
      </p>
      <Read of={packs}>
        {({ items }) => (
          <div className="border-t border-line">
            {items.map((pack) => (
              <OnePack key={pack.name} pack={pack} isInForce={inForce.includes(pack.name)} />
            ))}
          </div>
        )}
      </Read>
    </Section>
  );
}

function OnePack({ pack, isInForce }: { pack: Pack; isInForce: boolean }) {
  const { name, title, rows } = pack;
  return (
    <details className="border-b border-line py-2">
      <summary className="cursor-pointer">
        <span className="font-medium" title={`The pack ${name}`}>
          {capital(title)}
        </span>{' '}
        {isInForce ? <Badge state="open" label="in force" /> : <Badge state="draft" label="not in force" />}{' '}
        <span className="block pl-4 text-sm text-quiet">
          {hoursOf(pack)}
          {stricterOf(pack)}
        </span>
      </summary>
      <div className="pt-2">
        <DataTable label={title} rows={rows} columns={columns} keyOf={keyOf} />
      </div>
    </details>
  );
}

const keyOf = ({ area, hours, from }: PackRow) => `${area} ${hours} ${from}`;

const columns: readonly Column<PackRow>[] = [
  { id: 'area', head: 'Area', cell: ({ area }) => <span className="font-medium">{area}</span> },
  {
    id: 'hours',
    head: 'Hours',
    cell: ({ hours, no_holidays: closed, from, until }) => (
      <span className="whitespace-nowrap">
        {weekWords(hours)}
        {closed && ', not on holidays'}
        {from && `, from ${from}`}
        {until && `, until ${until}`}
      </span>
    ),
  },
  {
    id: 'source',
    head: 'Source',
    cell: ({ citation, note }) => (
      <>
        {citation}
        {note && <span className="block text-quiet">{note}</span>}
      </>
    ),
  },
  {
    id: 'date',
    head: 'As of',
    from: 'sm',
    cell: ({ as_of: asOf }) => <span className="whitespace-nowrap">{asOf}</span>,
  },
];
