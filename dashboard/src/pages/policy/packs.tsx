import type { ReactNode } from 'react';
import type { Pack, PolicyVersion } from '../../api/description.ts';
import { useAsk } from '../../data/queries.ts';
import { Badge } from '../../kit/badge.tsx';
import { Section } from '../../kit/card.tsx';
import { Read } from '../../kit/empty.tsx';
import { type Column, DataTable } from '../../kit/table/data-table.tsx';
import { weekWords } from '../../order/week.ts';
import { PutInForce, usePack } from './put-in-force.tsx';
import { capital, hoursOf, isWithoutRules, stricterOf } from './rules.tsx';
import type { WrittenRules } from './written.ts';

/** The packs of hours that ship: each row with its source, and the date of that. */
type PackRow = Pack['rows'][number];

/** `policy` unless a file rules: then nothing is changed here. */
type PacksProps = { rules: WrittenRules; policy: PolicyVersion | undefined };

export function Packs({ rules, policy }: PacksProps) {
  const packs = useAsk('GET /api/policy/packs', {});
  // Its button stands at the head while there are no rules.
  const proposed = usePack();
  return (
    <Section id="packs" title="Legal hours, ready to use" bare>
      <p className="mb-3 text-sm text-quiet">
        Each row names its source and the date when it was read: the law, or a text about it. Where two
        disagree, the stricter one counts. This is not legal advice.
      </p>
      <Read of={packs}>
        {({ items }) => (
          <div className="border-t border-line">
            {items.map((pack) => (
              <OnePack
                key={pack.name}
                pack={pack}
                isInForce={rules.hours?.includes(pack.name) ?? false}
                isOpen={pack.name === proposed?.name}
              >
                {policy && !(isWithoutRules(rules) && pack.name === proposed?.name) && (
                  <PutInForce pack={pack} policy={policy} words="Put in force" />
                )}
              </OnePack>
            ))}
          </div>
        )}
      </Read>
    </Section>
  );
}

type OnePackProps = { pack: Pack; isInForce: boolean; isOpen: boolean; children: ReactNode };

function OnePack({ pack, isInForce, isOpen, children }: OnePackProps) {
  const { name, title, rows } = pack;
  return (
    <div className="flex items-start justify-between gap-3 border-b border-line py-2">
      <details className="min-w-0 flex-1" open={isOpen}>
        <summary className="cursor-pointer">
          <span className="font-medium" title={`The pack ${name}`}>
            {capital(title)}
          </span>{' '}
          {isInForce && <Badge state="open" label="in force" soft />}{' '}
          <span className="block pl-4 text-sm text-quiet">
            {hoursOf(pack)}
            {stricterOf(pack)}
          </span>
        </summary>
        <div className="pt-2">
          <DataTable label={title} rows={alike(rows)} columns={columns} keyOf={keyOf} />
        </div>
      </details>
      {!isInForce && children}
    </div>
  );
}

/** States with the same hours by the same source are one row. */
type Alike = PackRow & { areas: string[] };

function alike(rows: readonly PackRow[]): Alike[] {
  const found = new Map<string, Alike>();
  for (const row of rows) {
    const { area, ...rest } = row;
    const key = area.includes('-') ? JSON.stringify(rest) : area;
    const areas = [...(found.get(key)?.areas ?? []), area.replace(/^..-/, '')];
    found.set(key, { ...row, areas });
  }
  return [...found.values()];
}

const keyOf = ({ area, hours, from }: Alike) => `${area} ${hours} ${from}`;

const columns: readonly Column<Alike>[] = [
  {
    id: 'area',
    head: 'Where',
    cell: ({ areas }) => <span className="font-medium">{areas.join(', ')}</span>,
  },
  {
    id: 'hours',
    head: 'Hours, by the clock there',
    cell: ({ hours, no_holidays: closed, from, until }) => (
      <>
        {weekWords(hours)}
        {closed && ', not on holidays'}
        {from && `, from ${from}`}
        {until && `, until ${until}`}
      </>
    ),
  },
  {
    id: 'source',
    from: 'sm',
    head: 'Read when, and where',
    cell: ({ citation, note, as_of: asOf }) => (
      <span className="block max-w-88 truncate text-quiet max-sm:max-w-64" title={citation}>
        {asOf}:{' '}
        {[note, /^secondary/.test(citation) ? 'texts about the law' : citation].filter(Boolean).join('; ')}
      </span>
    ),
  },
];
