import type { Pack } from '../../api/description.ts';
import { useAsk } from '../../api/queries.ts';
import { Badge } from '../../kit/badge.tsx';
import { Section } from '../../kit/card.tsx';
import { Loading, Trouble } from '../../kit/empty.tsx';
import { counted } from '../../kit/words.ts';

/** The packs of hours that ship: each row with its source, and the date of that. */
type PackRow = Pack['rows'][number];

const head = 'px-3 py-2 text-left text-xs font-medium text-quiet';
const cell = 'px-3 py-1.5 align-top';

export function Packs({ inForce }: { inForce: readonly string[] }) {
  const packs = useAsk('GET /api/policy/packs', {});
  return (
    <Section id="packs" title="Packs of hours" bare>
      <p className="mb-3 max-w-prose text-quiet">
        A pack holds only while the rules name it. Packs are not legal advice: most rows come from secondary
        sources, and where these disagree the row is the strictest.
      </p>
      {packs.error && !packs.data && <Trouble problem={packs.error} retry={() => void packs.refetch()} />}
      {packs.isPending && <Loading />}
      <div className="space-y-3">
        {packs.data?.items.map((pack) => (
          <OnePack key={pack.name} pack={pack} isInForce={inForce.includes(pack.name)} />
        ))}
      </div>
    </Section>
  );
}

function OnePack({ pack: { name, title, rows }, isInForce }: { pack: Pack; isInForce: boolean }) {
  return (
    <details className="group rounded-lg border border-line bg-card">
      <summary className="flex flex-wrap items-center gap-x-3 gap-y-1 px-4 py-3">
        <span aria-hidden="true" className="text-quiet group-open:rotate-90">
          ▸
        </span>
        <span className="font-medium">{name}</span>
        {isInForce ? <Badge state="open" label="in force" /> : <Badge state="draft" label="not in force" />}
        <span className="text-quiet">
          {title}, {counted(rows.length, 'row')}
        </span>
      </summary>
      <div className="overflow-x-auto border-t border-line">
        <table aria-label={title} className="w-full border-collapse text-sm">
          <thead>
            <tr>
              <th scope="col" className={head}>
                Area
              </th>
              <th scope="col" className={head}>
                Hours
              </th>
              <th scope="col" className={head}>
                Source
              </th>
              <th scope="col" className={head}>
                As of
              </th>
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <Row key={`${row.area} ${row.hours} ${row.from}`} of={row} />
            ))}
          </tbody>
        </table>
      </div>
    </details>
  );
}

function Row({
  of: { area, hours, no_holidays: closed, from, until, citation, as_of: asOf, note },
}: {
  of: PackRow;
}) {
  return (
    <tr className="border-t border-line">
      <th scope="row" className={`${cell} text-left font-medium whitespace-nowrap`}>
        {area}
      </th>
      <td className={cell}>
        {hours.split(',').map((part) => (
          <div key={part} className="whitespace-nowrap">
            {part.replace('=', ' ')}
          </div>
        ))}
        {closed && <div className="text-quiet">not on holidays</div>}
        {from && <div className="text-quiet whitespace-nowrap">from {from}</div>}
        {until && <div className="text-quiet whitespace-nowrap">until {until}</div>}
      </td>
      <td className={`${cell} min-w-60`}>
        {citation}
        {note && <div className="text-quiet">{note}</div>}
      </td>
      <td className={`${cell} whitespace-nowrap`}>{asOf}</td>
    </tr>
  );
}
