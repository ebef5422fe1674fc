import type { ReactNode } from 'react';
import type { ListedRecipient } from '../../../api/description.ts';
import { Badge } from '../../../kit/badge.tsx';
import { Phone } from '../../../kit/phone.tsx';
import { TheirTime, TimeBoth } from '../../../kit/their-time.tsx';
import { durationText } from '../../../kit/time.tsx';
import { waitWords } from '../../../kit/waits.ts';
import { cost, count } from '../../../kit/words.ts';
import { PageLink } from '../../../shell/page-link.tsx';

/**
 * The columns that the table can show of each person; which columns are shown is the viewer's choice. The state comes
 * early, as a phone shows only the first columns.
 */
export type PersonColumn = {
  id: string;
  head: string;
  cell(person: ListedRecipient): ReactNode;
  number?: boolean;
  /** The least width of it, in pixels. */
  px: number;
  /** Shown until the viewer chooses. */
  usual?: boolean;
  /** The value it sorts by; null comes last. */
  by?(person: ListedRecipient): string | number | null;
};

export const personColumns: readonly PersonColumn[] = [
  { id: 'row', head: 'Row', px: 68, number: true, usual: true, cell: ({ row }) => count(row) },
  {
    id: 'phone',
    head: 'Phone',
    px: 136,
    usual: true,
    by: ({ phone }) => phone,
    cell: ({ phone }) =>
      phone?.startsWith('+') ? (
        <PageLink to={`/people/${encodeURIComponent(phone)}`} className="hover:underline">
          <Phone phone={phone} />
        </PageLink>
      ) : (
        <Phone phone={phone} />
      ),
  },
  {
    id: 'state',
    head: 'State',
    px: 96,
    usual: true,
    by: ({ state }) => state,
    cell: ({ state }) => <Badge state={state} />,
  },
  {
    id: 'outcome',
    head: 'Outcome',
    px: 104,
    usual: true,
    by: ({ outcome }) => outcome,
    cell: ({ outcome }) => outcome && <Badge state={outcome} />,
  },
  { id: 'name', head: 'Name', px: 140, usual: true, by: ({ name }) => name, cell: ({ name }) => name ?? '' },
  {
    id: 'why',
    head: 'Why it waits',
    px: 120,
    usual: true,
    by: ({ reason }) => reason,
    cell: ({ reason }) => reason && <span title={waitWords[reason]}>{reason}</span>,
  },
  {
    id: 'until',
    head: 'Until',
    px: 124,
    usual: true,
    by: ({ until }) => until,
    cell: ({ until, timezones }) => until && <TimeBoth at={until} zones={timezones} />,
  },
  {
    id: 'there',
    head: 'Their time',
    px: 128,
    cell: ({ timezones }) => <TheirTime zones={timezones} />,
  },
  {
    id: 'attempts',
    head: 'Attempts',
    px: 72,
    number: true,
    usual: true,
    by: ({ attempts }) => attempts,
    cell: ({ attempts }) => count(attempts),
  },
  {
    id: 'ended',
    head: 'Last call ended',
    px: 124,
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
    cell: (person) => (person.cost === null ? '' : cost(person.cost)),
  },
  { id: 'agent', head: 'Agent', px: 120, by: ({ agent }) => agent, cell: ({ agent }) => agent },
  { id: 'from', head: 'Caller number', px: 136, by: ({ from }) => from, cell: ({ from }) => from },
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

const usual = personColumns.filter((column) => column.usual).map(({ id }) => id);
const kept = 'carillon.people.columns';

/** The columns that were chosen on this browser. */
export function readColumns(): readonly string[] {
  try {
    const chosen: unknown = JSON.parse(localStorage.getItem(kept) ?? 'null');
    if (Array.isArray(chosen) && chosen.length > 0) return chosen.map(String);
  } catch {
    // A text that cannot be read counts as not chosen.
  }
  // It takes room that a narrow window does not have.
  return window.innerWidth >= 1_400 ? [...usual, 'there'] : usual;
}

export function keepColumns(ids: readonly string[]): void {
  try {
    localStorage.setItem(kept, JSON.stringify(ids));
  } catch {
    // Without a store, the choice holds until the page is left.
  }
}
