import { getRouteApi, useNavigate } from '@tanstack/react-router';
import type { FoundPerson } from '../../api/description.ts';
import { Badge } from '../../kit/badge.tsx';
import { Button } from '../../kit/button.tsx';
import { Empty } from '../../kit/empty.tsx';
import { Listing } from '../../kit/listing.tsx';
import { PageHead } from '../../kit/page.tsx';
import { Phone } from '../../kit/phone.tsx';
import { type Column, DataTable } from '../../kit/table/data-table.tsx';
import { Ago } from '../../kit/time.tsx';
import { count } from '../../kit/words.ts';
import { personAddress, useFindAll } from '../../shell/find.ts';
import { PageLink } from '../../shell/page-link.tsx';

const route = getRouteApi('/people');

/** Finds people over all campaigns, and shows what was found. */
export function PeoplePage() {
  const { phone: asked = '' } = route.useSearch();
  const navigate = useNavigate();
  return (
    <>
      <PageHead title="People">Everyone on every campaign, found by what you know of them.</PageHead>
      <search>
        <form
          className="mb-4 flex max-w-xl gap-2"
          onSubmit={(event) => {
            event.preventDefault();
            const phone = String(new FormData(event.currentTarget).get('q') ?? '').trim();
            void navigate({ to: '/people', search: phone === '' ? {} : { phone } });
          }}
        >
          <input
            key={asked}
            name="q"
            type="search"
            defaultValue={asked}
            autoComplete="off"
            aria-label="A phone, a name, a variable, or the id of a call or an attempt"
            placeholder="A phone, a name, a call id, order:1017"
            className="min-h-9 min-w-0 flex-1 rounded-md border border-line-strong bg-card px-3"
          />
          <Button type="submit" kind="main">
            Find
          </Button>
        </form>
      </search>
      {asked === '' ? <Teach /> : <Found asked={asked} />}
    </>
  );
}

function Teach() {
  return (
    <Empty title="Whom do you look for?">
      <ul className="space-y-1">
        <li>
          a phone in any form: <code>+1 415 555 0100</code> or <code>(415) 555-0100</code>
        </li>
        <li>
          a part of either: <code>0100</code>, <code>nora cast</code>
        </li>
        <li>
          a variable or a column with its value: <code>order:1017</code>
        </li>
        <li>the id of a call at the service, or of an attempt</li>
      </ul>
      <p className="mt-2">
        The key <kbd>/</kbd> does the same on every page.
      </p>
    </Empty>
  );
}

const columns: Column<FoundPerson>[] = [
  {
    id: 'phone',
    head: 'Phone',
    cell: (person) => (
      <PageLink to={personAddress(person)}>
        <Phone phone={person.phone} />
      </PageLink>
    ),
  },
  { id: 'name', head: 'Name', cell: ({ name }) => name },
  { id: 'campaign', head: 'Campaign', cell: ({ campaign }) => campaign, from: 'sm' },
  { id: 'state', head: 'State', cell: ({ state }) => <Badge state={state} /> },
  {
    id: 'outcome',
    head: 'Outcome',
    cell: ({ outcome }) => outcome && <Badge state={outcome} />,
    from: 'sm',
  },
  { id: 'tries', head: 'Attempts', cell: ({ attempts }) => count(attempts.length), number: true, from: 'lg' },
  {
    id: 'last',
    head: 'Last call ended',
    cell: ({ ended_at: at }) => at && <Ago at={at} />,
    number: true,
    from: 'lg',
  },
];

function Found({ asked }: { asked: string }) {
  const list = useFindAll(asked);
  const navigate = useNavigate();
  return (
    <Listing
      list={list}
      one="row"
      empty={
        <Empty title={`No row of any campaign has ${asked}`}>
          A part of three letters or digits is enough; a variable is written as it was given.
        </Empty>
      }
    >
      {(rows) => (
        <DataTable
          label="People who were found"
          rows={rows}
          columns={columns}
          keyOf={({ id }) => id}
          onOpen={(person) => void navigate({ to: personAddress(person), search: { row: person.id } })}
        />
      )}
    </Listing>
  );
}
