import { useMemo, useState } from 'react';
import type { FoundPerson } from '../../api/description.ts';
import { stateText } from '../../kit/badge.tsx';
import { Empty } from '../../kit/empty.tsx';
import { Filters, SelectFilter, TextFilter } from '../../kit/filter.tsx';
import { Listing } from '../../kit/listing.tsx';
import { PageHead } from '../../kit/page.tsx';
import { navigate, useSearch } from '../../kit/router.tsx';
import { type Column, DataTable, left, right } from '../../kit/table/data-table.tsx';
import { Time } from '../../kit/time.tsx';
import { count, counted } from '../../kit/words.ts';
import { byPerson, personAddress, useFindAll } from '../../shell/find.ts';
import { inProgress, useLiveCalls } from '../../shell/live-calls.ts';
import { useMay } from '../../shell/me.ts';
import { PageLink } from '../../shell/page-link.tsx';
import { Lasts, outcome, phoneOf, state, Tries, talked, toldOf, whoOf } from '../../shell/person-columns.tsx';
import { type Outcome, outcomes } from '../campaign/outcomes.ts';
import { SuppressPerson } from './acts.tsx';

const states = ['calling', 'waiting', 'queued', 'unknown', 'parked', 'skipped', 'rejected'] as const;
/** Before anything is chosen: those on the line are told by their own page. */
const offTheLine = { state: [...states.slice(1), 'done'].join() };

const choicesOf = (all: readonly string[]) => all.map((value) => ({ value, label: stateText(value) }));

/** Finds people over all campaigns; of those who are done, by how their last call ended. */
export function PeoplePage() {
  const { phone: asked, state: wanted } = useSearch('/people');
  const isEnd = outcomes.includes(wanted as Outcome);
  const list = useFindAll(
    asked ?? '',
    isEnd ? { state: 'done', outcome: wanted! } : wanted ? { state: wanted } : asked ? {} : offTheLine,
  );
  const go = (search: { phone?: string | undefined; state?: string | undefined }) =>
    void navigate({ to: '/people', search });
  const may = useMay('operate');
  const [stopped, setStopped] = useState<Group | null>(null);
  const columns = useMemo(() => columnsOf(asked ?? ''), [asked]);
  const live = useLiveCalls().data;
  const onLine = live && !asked && !wanted ? inProgress(live) : 0;
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
        <SelectFilter
          label="State"
          all="Any state"
          value={isEnd ? undefined : wanted}
          choices={choicesOf(states)}
          onChange={(state) => go({ phone: asked, state })}
        />
        <SelectFilter
          label="Last outcome"
          all="Any outcome"
          value={isEnd ? wanted : undefined}
          choices={choicesOf(outcomes)}
          onChange={(state) => go({ phone: asked, state })}
        />
      </Filters>
      <Listing
        list={list}
        empty={
          <Empty
            title={
              asked || wanted
                ? `Nobody ${wanted ? `who is ${stateText(wanted)} ` : ''}${asked ? `has ${asked}` : 'is there'}`
                : `Nobody ${onLine > 0 ? 'but those on the line' : 'is on a list yet'}`
            }
          >
            Everyone of every campaign is found here: by a phone in any form or a part of it, a part of a name
            of three letters or more, a variable as it was given (<code>order:1017</code>), or the id of a
            call.
          </Empty>
        }
      >
        {(rows) => {
          const groups: Group[] = byPerson(rows)
            .map((those) => ({ ...those[0]!, rows: those }))
            .sort((a, b) => lastOf(b).localeCompare(lastOf(a)));
          return (
            <>
              <p className="mb-1.5 text-xs text-quiet">
                {counted(groups.length, 'person', 'people')}
                {asked && ` found by “${asked}”${asked.includes(':') ? '' : ' in names, phones and ids'}`}
                {list.hasMore && ' shown'}, the last call first
                {onLine > 0 && (
                  <PageLink to="/live" className="link ml-3">
                    {count(onLine)} on the line
                  </PageLink>
                )}
                <span className="ml-3 max-md:hidden">J and K move{may && ', S suppresses'}</span>
              </p>
              <DataTable
                label={asked ? 'People who were found' : 'People, the last call first'}
                rows={groups}
                columns={columns}
                keyOf={({ id }) => id}
                keys={may ? { s: (row) => row.phone && setStopped(row) } : {}}
                onOpen={(row) => void navigate({ to: personAddress(row), search: { row: row.id } })}
              />
            </>
          );
        }}
      </Listing>
      {stopped && <SuppressPerson rows={stopped.rows} onClose={() => setStopped(null)} />}
    </>
  );
}

/** A person as the row to which something happened last, with all rows that were found. */
type Group = FoundPerson & { rows: FoundPerson[] };

/** When the last call began, or ended. */
const calledAt = ({ ended_at: at, attempts }: FoundPerson) => at ?? attempts.at(-1)?.dialed_at ?? '';
/** A call in progress is later than all that ended. */
const lastOf = (row: FoundPerson) => (row.state === 'calling' ? `9 ${calledAt(row)}` : calledAt(row));

const columnsOf = (typed: string): readonly Column<Group>[] => [
  whoOf(typed),
  phoneOf(typed),
  state,
  outcome,
  toldOf(),
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
    (row) => (row.state === 'calling' ? <Lasts id={row.id} /> : calledAt(row) && <Time at={calledAt(row)} />),
    { from: 'lg', has: (row) => calledAt(row) !== '' },
  ),
];
