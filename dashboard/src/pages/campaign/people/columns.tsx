import type { ListedRecipient } from '../../../api/description.ts';
import { keep, readKept } from '../../../kit/kept.ts';
import { Phone } from '../../../kit/phone.tsx';
import { type Column, left, right } from '../../../kit/table/data-table.tsx';
import { TheirTime, TimeBoth } from '../../../kit/their-time.tsx';
import { cost, count } from '../../../kit/words.ts';
import { phone, state, Tries, talked, toldOf, who } from '../../../shell/person-columns.tsx';

/** The columns that the table can show of each person; those after the usual ones are the viewer's choice. */
type PersonColumn = Column<ListedRecipient>;

const usual: readonly PersonColumn[] = [
  left('row', 'Row', ({ row }) => <span className="text-xs text-quiet">{count(row)}</span>, { from: 'lg' }),
  who,
  { ...phone, cell: (row) => <Numbers of={row} /> },
  state,
  left('tries', 'Attempts', (row) => <Tries of={triesOf(row)} waits={row.state === 'waiting'} />, {
    from: 'sm',
  }),
  toldOf(true),
  { ...talked, from: 'lg' },
  right('ended', 'Last call', ({ ended_at: at, timezones }) => at && <TimeBoth at={at} zones={timezones} />, {
    from: 'lg',
    has: ({ ended_at: at }) => at !== null,
  }),
];

const text = (id: string, head: string, cell: PersonColumn['cell']) => left(id, head, cell, { from: 'lg' });

export const personColumns: readonly PersonColumn[] = [
  ...usual,
  text('there', 'Local time', ({ timezones }) => <TheirTime zones={timezones} />),
  text('cost', 'Cost', (row) => (row.cost === null ? '–' : cost(row.cost, row.currency))),
  text('agent', 'Agent', ({ agent }) => agent),
  text('from', 'Caller number', ({ from }) => from && <Phone phone={from} />),
  text('key', 'Key', ({ key }) => key),
  text('status', 'Status of the service', ({ status }) => status),
  text('call', 'Call id', ({ call_id: id }) => id),
];

/** The list knows how many there were and how the last one ended. */
const triesOf = ({ attempts, state: now, outcome }: ListedRecipient) => [
  ...Array<string>(Math.max(0, attempts - 1)).fill('earlier'),
  ...(attempts > 0 ? [now === 'done' || now === 'waiting' ? (outcome ?? now) : now] : []),
];

function Numbers({ of: row }: { of: ListedRecipient }) {
  const { phones } = row;
  const more = (phones?.length ?? 1) - 1;
  return (
    <>
      {phone.cell(row)}
      {more > 0 && (
        <span
          className="ml-1.5 text-xs text-quiet"
          title={phones!.map((each) => each.phone ?? 'hidden').join(', ')}
        >
          or {count(more)} more
        </span>
      )}
    </>
  );
}

const kept = 'carillon.people.columns';

/** The columns that were chosen on this browser. */
export function readColumns(): readonly string[] {
  try {
    const chosen: unknown = JSON.parse(readKept(kept) ?? 'null');
    if (Array.isArray(chosen) && chosen.length > 0) return chosen.map(String);
  } catch {
    // A text that cannot be read counts as not chosen.
  }
  return usual.map(({ id }) => id);
}

export const keepColumns = (ids: readonly string[]) => keep(kept, JSON.stringify(ids));
