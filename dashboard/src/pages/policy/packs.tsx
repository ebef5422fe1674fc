import type { ReactNode } from 'react';
import type { Pack, PolicyVersion } from '../../api/description.ts';
import { useAsk } from '../../data/queries.ts';
import { Badge } from '../../kit/badge.tsx';
import { Section } from '../../kit/card.tsx';
import { Read } from '../../kit/empty.tsx';
import { type Column, DataTable } from '../../kit/table/data-table.tsx';
import { weekWords } from '../../order/week.ts';
import { PutInForce } from './put-in-force.tsx';
import { capital, hoursOf, stricterOf } from './rules.tsx';
import type { WrittenRules } from './written.ts';

/** The packs of hours that ship: each row with its source, and the date of that. */
type PackRow = Pack['rows'][number];

/** `policy` unless a file rules: then nothing is changed here. */
type PacksProps = { rules: WrittenRules; policy: PolicyVersion | undefined };

export function Packs({ rules, policy }: PacksProps) {
  const packs = useAsk('GET /api/policy/packs', {});
  return (
    <Section id="packs" title="Legal hours, ready to use" bare>
      <p className="mb-3 max-w-prose text-quiet">
        Each row names its source and the date when it was read. Many are not the law itself but texts about
        it; where two disagree, the stricter one counts. This is not legal advice.
      </p>
      <Read of={packs}>
        {({ items }) => (
          <div className="border-t border-line">
            {items.map((pack) => (
              <OnePack key={pack.name} pack={pack} isInForce={rules.hours?.includes(pack.name) ?? false}>
                {policy && <PutInForce pack={pack} policy={policy} words="Put in force" />}
              </OnePack>
            ))}
          </div>
        )}
      </Read>
    </Section>
  );
}

type OnePackProps = { pack: Pack; isInForce: boolean; children: ReactNode };

function OnePack({ pack, isInForce, children }: OnePackProps) {
  const { name, title, rows } = pack;
  return (
    <div className="flex items-start justify-between gap-3 border-b border-line py-2">
      <details className="min-w-0 flex-1">
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
      {!isInForce && children}
    </div>
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
