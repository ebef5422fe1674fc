import type { Campaign, ListedRecipient } from '../../../api/description.ts';
import { keep, readKept } from '../../../kit/kept.ts';
import { Phone } from '../../../kit/phone.tsx';
import { type Column, left, right } from '../../../kit/table/data-table.tsx';
import { TheirTime, TimeBoth } from '../../../kit/their-time.tsx';
import { cost, count } from '../../../kit/words.ts';
import { Lasts, outcome, phone, state, Tries, talked, toldOf, who } from '../../../shell/person-columns.tsx';

/** The columns that the table can show of each person, by the campaign's order; those after the usual ones are the viewer's choice. */
type PersonColumn = Column<ListedRecipient>;
const usual = 'who phone state outcome told tries talked ended'.split(' ');

export function personColumns(order: Pick<Campaign, 'max_attempts' | 'retry'>): readonly PersonColumn[] {
  const text = (id: string, head: string, cell: PersonColumn['cell']) => left(id, head, cell, { from: 'lg' });
  return [
    text('row', 'Row', ({ row }) => <span className="text-xs text-quiet">{count(row)}</span>),
    who,
    { ...phone, cell: (row) => <Numbers of={row} /> },
    state,
    outcome,
    toldOf(order),
    text('tries', 'Attempts', ({ attempts }) => <Tries n={attempts} most={order.max_attempts} />),
    { ...talked, from: 'lg' },
    right(
      'ended',
      'Last call',
      ({ id, state: now, ended_at: at, timezones }) =>
        now === 'calling' ? <Lasts id={id} /> : at && <TimeBoth at={at} zones={timezones} />,
      { from: 'lg' },
    ),
    text('there', 'Local time', ({ timezones }) => <TheirTime zones={timezones} />),
    text('cost', 'Cost', (row) => cost(row.cost, row.currency)),
    text('agent', 'Agent', ({ agent }) => agent),
    text('from', 'Caller number', ({ from }) => from && <Phone phone={from} />),
    text('key', 'Key', ({ key }) => key),
    text('status', 'Status of the service', ({ status }) => status),
    text('call', 'Call id', ({ call_id: id }) => id),
  ];
}

function Numbers({ of: row }: { of: ListedRecipient }) {
  const more = (row.phones?.length ?? 1) - 1;
  return (
    <>
      {phone.cell(row)}
      {more > 0 && <span className="ml-1.5 text-xs text-quiet">or {count(more)} more</span>}
    </>
  );
}

const kept = 'carillon.people.columns';

export const readColumns = (): readonly string[] => readKept(kept)?.split(' ') ?? usual;
export const keepColumns = (ids: readonly string[]) => keep(kept, ids.join(' '));
