import { getRouteApi, useNavigate } from '@tanstack/react-router';
import type { CampaignItem, FoundPerson } from '../../api/description.ts';
import { useAsk } from '../../data/queries.ts';
import { OutcomeMark, stateText } from '../../kit/badge.tsx';
import { Chip, Chips } from '../../kit/chips.tsx';
import { Empty } from '../../kit/empty.tsx';
import { Filters, TextFilter } from '../../kit/filter.tsx';
import { Listing } from '../../kit/listing.tsx';
import { PageHead } from '../../kit/page.tsx';
import { type Column, DataTable } from '../../kit/table/data-table.tsx';
import { Ago } from '../../kit/time.tsx';
import { count, counted } from '../../kit/words.ts';
import { personAddress, useFindAll } from '../../shell/find.ts';
import { phone, state, Tries, talked, toldOf, who } from '../../shell/person-columns.tsx';
import { isOutcome, type PeopleSearch, type PeopleState, peopleStates } from './search.ts';

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
  const sumOf = (of: (balance: CampaignItem['balance']) => number) =>
    asked === '' && lists?.next === null
      ? lists.items.reduce((sum, { balance }) => sum + of(balance), 0)
      : undefined;
  const numberOf = (each: PeopleState) =>
    sumOf((balance) => (isOutcome(each) ? (balance.outcomes[each] ?? 0) : balance[each]));
  const go = (phone: string, state?: PeopleState) =>
    void navigate({ to: '/people', search: { ...(phone && { phone }), ...(state && { state }) } });
  return (
    <>
      <PageHead title="People" />
      <div className="-mt-2" />
      <Filters>
        <TextFilter
          label="A phone, a name, a variable, or the id of a call or an attempt"
          placeholder="Phone, name, call id, or a column: city:Boston"
          wide
          value={asked || undefined}
          onChange={(typed = '') => go(typed, state)}
        />
      </Filters>
      <Chips label="State">
        <Chip on={!state} onClick={() => go(asked)} label="All" n={sumOf(({ rows }) => rows)} />
        {peopleStates
          // A state that nobody is in is not asked for.
          .filter((each) => each === state || numberOf(each) !== 0)
          .map((each) => (
            <Chip
              key={each}
              on={each === state}
              onClick={() => go(asked, each)}
              label={
                <>
                  <OutcomeMark state={each} /> {stateText(each)}
                </>
              }
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

/** When the last call began, or ended. */
const calledAt = ({ ended_at: at, attempts }: FoundPerson) => at ?? attempts.at(-1)?.dialed_at ?? '';

const triesOf = ({ rows }: Group) =>
  rows
    .flatMap(({ attempts }) => attempts)
    .sort((a, b) => Date.parse(a.planned_at) - Date.parse(b.planned_at))
    .map(({ outcome, state }) => outcome ?? state);

const columns: readonly Column<Group>[] = [
  who,
  phone,
  state,
  {
    id: 'tries',
    head: 'Attempts',
    from: 'sm',
    cell: (row) => <Tries of={triesOf(row)} waits={row.state === 'waiting'} />,
  },
  toldOf(false),
  { ...talked, from: 'lg' },
  {
    id: 'campaign',
    head: 'Campaigns',
    from: 'xl',
    cell: ({ campaign, rows }) => (
      <span className="text-quiet" title={rows.map((row) => row.campaign).join(', ')}>
        {campaign}
        {rows.length > 1 && ` and ${count(rows.length - 1)} more`}
      </span>
    ),
  },
  {
    id: 'last',
    head: 'Last call',
    number: true,
    from: 'lg',
    has: (row) => calledAt(row) !== '',
    cell: (row) => calledAt(row) && <Ago at={calledAt(row)} />,
  },
];

function Found({ asked, state }: { asked: string; state: PeopleSearch['state'] }) {
  const list = useFindAll(asked, state && (isOutcome(state) ? { state: 'done', outcome: state } : { state }));
  const navigate = useNavigate();
  const words = state ? stateText(state) : '';
  const nobody = (
    <Empty title={asked === '' ? `Nobody is ${words}` : `Nobody ${words && `who is ${words} `}has ${asked}`}>
      {asked !== '' && 'A part of three letters or digits is enough; a variable is written as it was given.'}
    </Empty>
  );
  return (
    <Listing list={list} empty={asked === '' && !state ? <Teach /> : nobody}>
      {(rows) => {
        const groups = groupsOf(rows).sort((a, b) => calledAt(b).localeCompare(calledAt(a)));
        const campaign = rows.every((row) => row.campaign === rows[0]!.campaign) && rows[0]?.campaign;
        return (
          <>
            <p className="mb-1.5 text-xs text-quiet">
              {list.hasMore && `The ${asked === '' ? 'latest' : 'first'} `}
              {counted(groups.length, 'person', 'people')}
              {campaign && ` of ${campaign}`}, the last call first
            </p>
            <DataTable
              label={asked === '' ? 'People, the last call first' : 'People who were found'}
              rows={groups}
              columns={campaign ? columns.filter(({ id }) => id !== 'campaign') : columns}
              keyOf={({ id }) => id}
              onOpen={(row) => void navigate({ to: personAddress(row), search: { row: row.id } })}
            />
          </>
        );
      }}
    </Listing>
  );
}
