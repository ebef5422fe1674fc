import type { ListedRecipient } from '../../../api/description.ts';
import { Badge } from '../../../kit/badge.tsx';
import { keep, readKept } from '../../../kit/kept.ts';
import { Phone } from '../../../kit/phone.tsx';
import type { Column } from '../../../kit/table/rows.tsx';
import { TheirTime, TimeBoth } from '../../../kit/their-time.tsx';
import { durationText } from '../../../kit/time.tsx';
import { waitWords } from '../../../kit/waits.ts';
import { cost, count, counted } from '../../../kit/words.ts';
import { PageLink } from '../../../shell/page-link.tsx';

/**
 * The columns that the table can show of each person; which columns are shown is the viewer's choice. The state comes
 * early, as a phone shows only the first columns.
 */
export type PersonColumn = Column<ListedRecipient> & {
  px: number;
  /** Shown until the viewer chooses. */
  usual?: boolean;
  /** The value it sorts by; null comes last. */
  by?(person: ListedRecipient): string | number | null;
};

export const personColumns: readonly PersonColumn[] = [
  { id: 'row', head: 'Row', px: 60, number: true, usual: true, cell: ({ row }) => count(row) },
  {
    id: 'name',
    head: 'Who',
    px: 132,
    usual: true,
    by: ({ name }) => name,
    cell: ({ name }) => <span className="font-medium">{name ?? ''}</span>,
  },
  {
    id: 'phone',
    head: 'Phone',
    px: 160,
    usual: true,
    by: ({ phone }) => phone,
    cell: (person) => <PhoneLink of={person} />,
  },
  {
    id: 'state',
    head: 'State',
    px: 112,
    usual: true,
    by: ({ state }) => state,
    // The outcome stands beside it: one who was not reached does not look like a success.
    cell: ({ state, outcome }) => (
      <Badge
        state={state}
        {...(state === 'done' && outcome !== 'answered' && outcome && { tone: 'quiet', shape: 'dash' })}
      />
    ),
  },
  {
    id: 'outcome',
    head: 'Last outcome',
    px: 104,
    usual: true,
    by: ({ outcome }) => outcome,
    cell: ({ outcome }) => (outcome ? <Badge state={outcome} /> : <span className="text-quiet">–</span>),
  },
  {
    id: 'why',
    head: 'Why, until when',
    px: 250,
    usual: true,
    by: ({ reason }) => reason,
    has: ({ reason, error }) => reason !== null || error !== null,
    cell: (person) => <Why of={person} />,
  },
  {
    id: 'until',
    head: 'Until',
    px: 124,
    by: ({ until }) => until,
    cell: ({ until, timezones }) => until && <TimeBoth at={until} zones={timezones} />,
  },
  {
    id: 'attempts',
    head: 'Attempts',
    px: 76,
    number: true,
    usual: true,
    by: ({ attempts }) => attempts,
    cell: ({ attempts }) => <Attempts n={attempts} />,
  },
  {
    id: 'there',
    head: 'Local time',
    px: 108,
    cell: ({ timezones }) => <TheirTime zones={timezones} />,
  },
  {
    id: 'ended',
    head: 'Last call',
    px: 108,
    number: true,
    usual: true,
    by: (person) => person.ended_at,
    cell: ({ ended_at: at, timezones }) => at && <TimeBoth at={at} zones={timezones} />,
  },
  {
    id: 'length',
    head: 'Length',
    px: 72,
    number: true,
    by: ({ duration }) => duration,
    cell: ({ duration }) => (duration === null ? '' : durationText(duration * 1_000)),
  },
  {
    id: 'cost',
    head: 'Cost',
    px: 72,
    number: true,
    by: (person) => person.cost,
    cell: (person) => (person.cost === null ? '' : cost(person.cost, person.currency)),
  },
  { id: 'agent', head: 'Agent', px: 120, by: ({ agent }) => agent, cell: ({ agent }) => agent },
  {
    id: 'from',
    head: 'Caller number',
    px: 136,
    by: ({ from }) => from,
    cell: ({ from }) => from && <Phone phone={from} />,
  },
  { id: 'key', head: 'Key', px: 96, by: ({ key }) => key, cell: ({ key }) => key },
  {
    id: 'status',
    head: 'Status of the service',
    px: 140,
    by: ({ status }) => status,
    cell: ({ status }) => status,
  },
  { id: 'call', head: 'Call id', px: 200, cell: ({ call_id: id }) => id },
  { id: 'error', head: 'Error', px: 240, by: ({ error }) => error, cell: ({ error }) => error },
];

/** On a phone: all of it in one column. */
export const cardColumns: readonly PersonColumn[] = [
  {
    id: 'card',
    head: 'People',
    px: 260,
    cell: (person) => (
      <span className="grid gap-0.5 py-1">
        <span className="flex items-center justify-between gap-2">
          <span className="truncate font-medium">{person.name ?? <Phone phone={person.phone} />}</span>
          <Badge state={person.state === 'done' ? (person.outcome ?? 'done') : person.state} />
        </span>
        <span className="flex items-center justify-between gap-2 text-xs text-quiet">
          <span className="truncate">
            {person.reason ? <Why of={person} /> : person.name && <Phone phone={person.phone} />}
          </span>
          {person.attempts > 0 && <span>{counted(person.attempts, 'attempt')}</span>}
        </span>
      </span>
    ),
  },
];

function PhoneLink({ of: { phone, phones } }: { of: ListedRecipient }) {
  const more = (phones?.length ?? 1) - 1;
  return (
    <>
      {phone?.startsWith('+') ? (
        <PageLink to={`/people/${encodeURIComponent(phone)}`} className="hover:underline">
          <Phone phone={phone} />
        </PageLink>
      ) : (
        <Phone phone={phone} />
      )}
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

/** The reason in words, and the time at which it ends; of one that is over, what went wrong. */
function Why({ of: { reason, until, timezones, error } }: { of: ListedRecipient }) {
  if (!reason) return <span className="text-quiet">{error}</span>;
  return (
    <span className="text-quiet" title={`${reason}: ${waitWords[reason]}`}>
      {waitWords[reason]}
      {until && (
        <>
          {isAt(reason) ? ' at ' : ', until '}
          <TimeBoth at={until} zones={timezones} />
        </>
      )}
    </span>
  );
}

/** These end with the call itself. */
const isAt = (reason: string) => reason === 'retry' || reason === 'callback';

const mostDots = 5;

/** A dot for each; of many, the number too. */
function Attempts({ n }: { n: number }) {
  if (n === 0) return <span className="text-quiet">–</span>;
  return (
    <span className="inline-flex items-center gap-[3px]">
      {Array.from({ length: Math.min(n, mostDots) }, (_, nth) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a dot is like the next.
        <i key={nth} aria-hidden="true" className="size-1.5 shrink-0 rounded-full bg-ink-2" />
      ))}
      <span className={n > mostDots ? 'ml-1' : 'sr-only'}>{count(n)}</span>
    </span>
  );
}

const usual = personColumns.filter((column) => column.usual).map(({ id }) => id);
const kept = 'carillon.people.columns';

/** The columns that were chosen on this browser. */
export function readColumns(): readonly string[] {
  try {
    const chosen: unknown = JSON.parse(readKept(kept) ?? 'null');
    if (Array.isArray(chosen) && chosen.length > 0) return chosen.map(String);
  } catch {
    // A text that cannot be read counts as not chosen.
  }
  // It takes room that a narrow window does not have.
  return window.innerWidth >= 1_400 ? [...usual, 'there'] : usual;
}

export const keepColumns = (ids: readonly string[]) => keep(kept, JSON.stringify(ids));
