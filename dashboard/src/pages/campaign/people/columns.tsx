import type { ListedRecipient } from '../../../api/description.ts';
import { keep, readKept } from '../../../kit/kept.ts';
import { Phone } from '../../../kit/phone.tsx';
import type { Column } from '../../../kit/table/data-table.tsx';
import { TheirTime, TimeBoth } from '../../../kit/their-time.tsx';
import { cost, count } from '../../../kit/words.ts';
import { phone, state, Tries, talked, toldOf, who } from '../../../shell/person-columns.tsx';

/** The columns that the table can show of each person; those after the usual ones are the viewer's choice. */
type PersonColumn = Column<ListedRecipient>;

const usual: readonly PersonColumn[] = [
  {
    id: 'row',
    head: 'Row',
    from: 'lg',
    cell: ({ row }) => <span className="text-xs text-quiet">{count(row)}</span>,
  },
  who,
  { ...phone, cell: (row) => <Numbers of={row} /> },
  state,
  {
    id: 'tries',
    head: 'Attempts',
    from: 'sm',
    cell: (row) => <Tries of={triesOf(row)} waits={row.state === 'waiting'} />,
  },
  toldOf(true),
  { ...talked, from: 'lg' },
  {
    id: 'ended',
    head: 'Last call',
    number: true,
    from: 'lg',
    has: ({ ended_at: at }) => at !== null,
    cell: ({ ended_at: at, timezones }) => at && <TimeBoth at={at} zones={timezones} />,
  },
];

const text = (id: string, head: string, cell: PersonColumn['cell']): PersonColumn => ({
  id,
  head,
  from: 'lg',
  cell,
});

export const personColumns: readonly PersonColumn[] = [
  ...usual,
  text('there', 'Local time', ({ timezones }) => <TheirTime zones={timezones} />),
  {
    ...text('cost', 'Cost', (row) => (row.cost === null ? '–' : cost(row.cost, row.currency))),
    number: true,
  },
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
