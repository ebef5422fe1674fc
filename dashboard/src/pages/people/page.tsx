import { getRouteApi, useNavigate } from '@tanstack/react-router';
import type { FoundPerson } from '../../api/description.ts';
import { useAsk } from '../../data/queries.ts';
import { Badge, stateText } from '../../kit/badge.tsx';
import { Button } from '../../kit/button.tsx';
import { Chip, Chips } from '../../kit/chips.tsx';
import { Empty } from '../../kit/empty.tsx';
import { Listing } from '../../kit/listing.tsx';
import { PageHead } from '../../kit/page.tsx';
import { type Column, DataTable } from '../../kit/table/data-table.tsx';
import { Ago, Time } from '../../kit/time.tsx';
import { waitWords } from '../../kit/waits.ts';
import { count, counted } from '../../kit/words.ts';
import { personAddress, useFindAll } from '../../shell/find.ts';
import { phone, who } from '../../shell/person-columns.tsx';
import { type PeopleSearch, peopleStates } from './search.ts';

const route = getRouteApi('/people');

/** Finds people over all campaigns, and shows what was found. */
export function PeoplePage() {
  const { phone: asked = '', state } = route.useSearch();
  const navigate = useNavigate();
  const lists = useAsk(
    'GET /api/campaigns',
    { query: { limit: 200, kind: 'list,calls' } },
    { everyMs: 15_000, on: ['campaign.'] },
  ).data;
  /** Of all lists together; of what was searched for nobody counts it, nor of very many lists. */
  const numberOf = (part: 'rows' | (typeof peopleStates)[number]) =>
    asked === '' && lists?.next === null
      ? lists.items.reduce((sum, { balance }) => sum + balance[part], 0)
      : undefined;
  const go = (to: PeopleSearch) => void navigate({ to: '/people', search: to });
  return (
    <>
      <PageHead title="People" />
      <search>
        <form
          className="mb-4 flex max-w-xl gap-2"
          onSubmit={(event) => {
            event.preventDefault();
            const phone = String(new FormData(event.currentTarget).get('q') ?? '').trim();
            go({ ...(phone && { phone }), ...(state && { state }) });
          }}
        >
          <input
            key={asked}
            name="q"
            type="search"
            defaultValue={asked}
            autoComplete="off"
            aria-label="A phone, a name, a variable, or the id of a call or an attempt"
            placeholder="Phone, name, call id or order:1017"
            className="min-h-9 min-w-0 flex-1 rounded-md border border-line-strong bg-card px-3"
          />
          <Button type="submit" className="min-h-9">
            Find
          </Button>
        </form>
      </search>
      <Chips label="State">
        <Chip
          on={!state}
          onClick={() => go({ ...(asked && { phone: asked }) })}
          label="All"
          n={numberOf('rows')}
        />
        {peopleStates
          // A state that nobody is in is not asked for.
          .filter((each) => each === state || numberOf(each) !== 0)
          .map((each) => (
            <Chip
              key={each}
              on={each === state}
              onClick={() => go({ ...(asked && { phone: asked }), state: each })}
              label={each}
              n={numberOf(each)}
            />
          ))}
      </Chips>
      <Found asked={asked} state={state} />
    </>
  );
}

/** Before anyone is on a list. */
function Teach() {
  return (
    <Empty title="Nobody is on a list yet">
      Everyone of every campaign is found here: by a phone in any form or a part of it (<code>0133</code>), a
      part of a name, a variable with its value (<code>order:1017</code>), or the id of a call.
    </Empty>
  );
}

/** A person as the row to which something happened last, with all rows that were found. */
type Group = FoundPerson & { rows: FoundPerson[] };

function groupsOf(found: readonly FoundPerson[]): Group[] {
  const groups = new Map<string, Group>();
  for (const row of found) {
    const key = row.phone || row.id;
    const group = groups.get(key);
    if (group) group.rows.push(row);
    else groups.set(key, { ...row, rows: [row] });
  }
  return [...groups.values()];
}

/** Who is being called stands first, then the last call. */
const calledAt = ({ state, ended_at: at }: Group) =>
  state === 'calling' ? Number.POSITIVE_INFINITY : at === null ? 0 : Date.parse(at);
const lastCalledFirst = (a: Group, b: Group) =>
  calledAt(b) > calledAt(a) ? 1 : calledAt(b) < calledAt(a) ? -1 : 0;

const columns: readonly Column<Group>[] = [
  who,
  phone,
  {
    id: 'campaign',
    head: 'Campaigns',
    from: 'sm',
    cell: ({ campaign, rows }) => (
      <span title={rows.map((row) => row.campaign).join(', ')}>
        {campaign}
        {rows.length > 1 && <span className="text-quiet"> and {count(rows.length - 1)} more</span>}
      </span>
    ),
  },
  {
    id: 'state',
    head: 'State',
    // How the last call ended; of one who is not done, after what.
    cell: ({ state, outcome: end, ended_at: at }) => (
      <span className="text-sm text-quiet max-sm:grid max-sm:justify-items-end max-sm:gap-1">
        <Badge state={state === 'done' && end ? end : state} />
        {state !== 'done' && end && ` after ${stateText(end)}`}
        {at && (
          <span className="sm:hidden">
            <Ago at={at} />
          </span>
        )}
      </span>
    ),
  },
  {
    id: 'why',
    head: 'Waits',
    from: 'xl',
    has: ({ reason }) => reason !== null,
    cell: ({ reason, until }) =>
      reason && (
        <span className="text-quiet">
          {waitWords[reason]}
          {until && (
            <>
              , until <Time at={until} />
            </>
          )}
        </span>
      ),
  },
  {
    id: 'tries',
    head: 'Attempts',
    number: true,
    from: 'lg',
    has: ({ rows }) => rows.some(({ attempts }) => attempts.length > 1),
    cell: ({ rows }) => count(rows.reduce((sum, { attempts }) => sum + attempts.length, 0)),
  },
  {
    id: 'last',
    head: 'Last call',
    number: true,
    from: 'lg',
    has: ({ ended_at: at }) => at !== null,
    cell: ({ ended_at: at }) => at && <Ago at={at} />,
  },
];

function Found({ asked, state }: { asked: string; state: PeopleSearch['state'] }) {
  const list = useFindAll(asked, state);
  const navigate = useNavigate();
  const nobody = (
    <Empty
      title={
        asked === '' ? `Nobody is ${state}` : `No ${state ? `${state} ` : ''}row of any campaign has ${asked}`
      }
    >
      {asked !== '' && 'A part of three letters or digits is enough; a variable is written as it was given.'}
    </Empty>
  );
  return (
    <Listing list={list} one="row" empty={asked === '' && !state ? <Teach /> : nobody} ends="">
      {(rows) => {
        const groups = groupsOf(rows).sort(lastCalledFirst);
        const people = counted(groups.length, 'person', 'people');
        return (
          <>
            <h2 className="mb-1.5 text-sm font-medium text-quiet">
              {list.hasMore && `The ${asked === '' ? 'latest' : 'first'} `}
              {people}, the last call first
            </h2>
            <DataTable
              label={asked === '' ? 'People, the last call first' : 'People who were found'}
              rows={groups}
              columns={columns}
              keyOf={({ id }) => id}
              onOpen={(row) => void navigate({ to: personAddress(row), search: { row: row.id } })}
            />
          </>
        );
      }}
    </Listing>
  );
}
