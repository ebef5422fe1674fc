import { getRouteApi, useNavigate } from '@tanstack/react-router';
import type { CampaignItem, FoundPerson } from '../../api/description.ts';
import { useAsk } from '../../data/queries.ts';
import { OutcomeMark, stateText } from '../../kit/badge.tsx';
import { Chip, Chips } from '../../kit/chips.tsx';
import { Empty } from '../../kit/empty.tsx';
import { Filters, TextFilter } from '../../kit/filter.tsx';
import { Listing } from '../../kit/listing.tsx';
import { PageHead } from '../../kit/page.tsx';
import { type Column, DataTable, left, right } from '../../kit/table/data-table.tsx';
import { Ago } from '../../kit/time.tsx';
import { count, counted } from '../../kit/words.ts';
import { personAddress, useFindAll } from '../../shell/find.ts';
import { outcome, phone, state, Tries, talked, toldOf, who } from '../../shell/person-columns.tsx';
import { type Outcome, outcomes } from '../campaign/outcomes.ts';

const route = getRouteApi('/people');
const states = ['calling', 'waiting', 'queued', 'unknown', 'parked', 'skipped', 'rejected'] as const;

/** Finds people over all campaigns; of those who are done, by how their last call ended. */
export function PeoplePage() {
  const { phone: asked, state: wanted } = route.useSearch();
  const navigate = useNavigate();
  const lists = useAsk(
    'GET /api/campaigns',
    { query: { limit: 200, kind: 'list,calls' } },
    { everyMs: 15_000 },
  ).data;
  /** Of all lists together; of what was searched for nobody counts it, nor of very many lists. */
  const sumOf = (of: (balance: CampaignItem['balance']) => number) =>
    !asked && lists?.next === null
      ? lists.items.reduce((sum, { balance }) => sum + of(balance), 0)
      : undefined;
  const chips = [
    ...states.map((each) => [each, sumOf((balance) => balance[each])] as const),
    ...outcomes.map((each) => [each, sumOf((balance) => balance.outcomes[each] ?? 0)] as const),
  ];
  const isEnd = outcomes.includes(wanted as Outcome);
  const list = useFindAll(
    asked ?? '',
    isEnd ? { state: 'done', outcome: wanted! } : wanted ? { state: wanted } : {},
  );
  const go = (search: { phone?: string | undefined; state?: string | undefined }) =>
    void navigate({ to: '/people', search });
  const words = wanted ? stateText(wanted) : '';
  return (
    <>
      <PageHead title="People" />
      <Filters>
        <TextFilter
          label="A phone, a name, a variable, or the id of a call or an attempt"
          placeholder="Phone, name, call id, or a column: city:Boston"
          wide
          value={asked}
          onChange={(typed) => go({ phone: typed, state: wanted })}
        />
      </Filters>
      <Chips label="State">
        <Chip on={!wanted} onClick={() => go({ phone: asked })} label="All" n={sumOf(({ rows }) => rows)} />
        {chips
          // A state that nobody is in is not asked for; before that is known none stands there, as it would move the list.
          .filter(([each, n]) => each === wanted || (lists && n !== 0))
          .map(([each, n]) => (
            <Chip
              key={each}
              on={each === wanted}
              onClick={() => go({ phone: asked, state: each })}
              label={
                <>
                  <OutcomeMark state={each} /> {stateText(each)}
                </>
              }
              n={n}
            />
          ))}
      </Chips>
      <Listing
        list={list}
        empty={
          !asked && !wanted ? (
            <Empty title="Nobody is on a list yet">
              Everyone of every campaign is found here: by a phone in any form or a part of it, a part of a
              name, a variable with its value (<code>order:1017</code>), or the id of a call.
            </Empty>
          ) : (
            <Empty
              title={!asked ? `Nobody is ${words}` : `Nobody ${words && `who is ${words} `}has ${asked}`}
            >
              {asked && 'A part of three letters or digits is enough; a variable is written as it was given.'}
            </Empty>
          )
        }
      >
        {(rows) => {
          const groups = groupsOf(rows).sort((a, b) => lastOf(b).localeCompare(lastOf(a)));
          return (
            <>
              <p className="mb-1.5 text-xs text-quiet">
                {list.hasMore && `The ${asked ? 'first' : 'latest'} `}
                {counted(groups.length, 'person', 'people')}, the last call first
              </p>
              <DataTable
                label={asked ? 'People who were found' : 'People, the last call first'}
                rows={groups}
                columns={columns}
                keyOf={({ id }) => id}
                onOpen={(row) => void navigate({ to: personAddress(row), search: { row: row.id } })}
              />
            </>
          );
        }}
      </Listing>
    </>
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
/** A call in progress is later than all that ended. */
const lastOf = (row: FoundPerson) => (row.state === 'calling' ? `9 ${calledAt(row)}` : calledAt(row));

const columns: readonly Column<Group>[] = [
  who,
  phone,
  state,
  outcome,
  toldOf(false),
  left(
    'tries',
    'Attempts',
    ({ rows }) => <Tries n={rows.reduce((sum, { attempts }) => sum + attempts.length, 0)} />,
    { from: 'lg' },
  ),
  { ...talked, from: 'lg' },
  left(
    'campaign',
    'Campaigns',
    ({ campaign, rows }) => (
      <span className="whitespace-nowrap text-quiet" title={rows.map((row) => row.campaign).join(', ')}>
        {campaign}
        {rows.length > 1 && ` and ${count(rows.length - 1)} more`}
      </span>
    ),
    { from: 'xl' },
  ),
  right(
    'last',
    'Last call',
    (row) => (row.state === 'calling' ? 'now' : calledAt(row) && <Ago at={calledAt(row)} />),
    { from: 'lg', has: (row) => calledAt(row) !== '' },
  ),
];
