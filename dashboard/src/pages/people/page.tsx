import { useMemo, useState } from 'react';
import type { FoundPerson } from '../../api/ask.ts';
import { Badge, stateText } from '../../kit/basics.tsx';
import { Filters, SelectFilter, TextFilter } from '../../kit/filter.tsx';
import { Empty, Page } from '../../kit/page.tsx';
import { Link, navigate, useFilters } from '../../kit/router.tsx';
import { type Column, DataTable, Listing, left, right } from '../../kit/table/data-table.tsx';
import { Time } from '../../kit/values.tsx';
import { count, counted } from '../../kit/words.ts';
import { byPerson, calledAt, personHref, useFindAll, Walks } from '../../shell/people.tsx';
import { Lasts, phoneOf, state, Tries, talked, toldOf, whoOf } from '../../shell/person-columns.tsx';
import { inProgress, useLiveCalls, useMay } from '../../shell/reads.ts';
import { type Outcome, outcomes } from '../campaign/outcomes.ts';
import { SuppressPerson } from './acts.tsx';

const states = ['calling', 'waiting', 'queued', 'unknown', 'parked', 'skipped', 'rejected'] as const;
/** Before anything is chosen: those on the line are told by their own page. */
const offTheLine = { state: [...states.slice(1), 'done'].join() };

/** Finds people over all campaigns; of those who are done, by how their last call ended. */
export function PeoplePage() {
  const { search, filter } = useFilters('/people', { replace: false });
  const { phone: asked, state: wanted } = search;
  const isEnd = outcomes.includes(wanted as Outcome);
  const list = useFindAll(
    asked ?? '',
    isEnd ? { state: 'done', outcome: wanted! } : wanted ? { state: wanted } : asked ? {} : offTheLine,
  );
  const may = useMay('operate');
  const [stopped, setStopped] = useState<Group | null>(null);
  const columns = useMemo(() => columnsOf(asked ?? ''), [asked]);
  const live = useLiveCalls().data;
  const onLine = live && !asked && !wanted ? inProgress(live) : 0;
  return (
    <Page title="People">
      <Filters>
        <TextFilter
          {...filter('phone', 'A phone, a name, a variable, or the id of a call or an attempt')}
          placeholder="Phone, name, call id, or a column: city:Boston"
          wide
        />
        <SelectFilter
          {...filter('state', 'State, or how the last call ended')}
          all="Any state or outcome"
          choices={[...states, ...outcomes].map((value) => ({ value, label: stateText(value) }))}
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
            .sort((a, b) => rank(a, asked) - rank(b, asked) || lastOf(b).localeCompare(lastOf(a)));
          return (
            <>
              <p className="mb-1.5 text-xs text-quiet">
                {counted(groups.length, 'person', 'people')}
                {asked && ` found by “${asked}”${asked.includes(':') ? '' : ' in names, phones and ids'}`}
                {list.hasMore && ' shown'}, the last call first
                {onLine > 0 && (
                  <Link to="/live" className="link ml-3">
                    {count(onLine)} on the line
                  </Link>
                )}
                <span className="ml-3 max-md:hidden">J and K move{may && ', S suppresses'}</span>
              </p>
              <Walks of={asked ? `found by “${asked}”` : 'people'} people={groups.map(personHref)} />
              <DataTable
                label={asked ? 'People who were found' : 'People, the last call first'}
                rows={groups}
                columns={columns}
                keys={may ? { s: (row) => row.phone && setStopped(row) } : {}}
                onOpen={(row) => void navigate({ to: personHref(row) })}
              />
            </>
          );
        }}
      </Listing>
      {stopped && <SuppressPerson rows={stopped.rows} onClose={() => setStopped(null)} />}
    </Page>
  );
}

/** A person as the row to which something happened last, with all rows that were found. */
type Group = FoundPerson & { rows: FoundPerson[] };

/** A name of which a word begins with what was typed comes first. */
const rank = ({ name }: Group, asked = '') =>
  asked && ` ${name}`.toLowerCase().includes(` ${asked.trim().toLowerCase()}`) ? 0 : 1;

/** A call in progress is later than all that ended. */
const lastOf = (row: FoundPerson) => (row.state === 'calling' ? `9 ${calledAt(row)}` : calledAt(row));

const columnsOf = (typed: string): readonly Column<Group>[] => [
  whoOf(typed),
  phoneOf(typed),
  // How it ended says that it is over.
  {
    ...state,
    cell: (row) => (row.state === 'done' && row.outcome ? <Badge state={row.outcome} /> : state.cell(row)),
  },
  toldOf(),
  left('tries', 'Attempts', { from: 'xl' }, ({ rows }) => (
    <Tries n={rows.reduce((sum, { attempts }) => sum + attempts.length, 0)} />
  )),
  { ...talked, from: 'xl' },
  left('campaign', 'Campaigns', { from: 'xl' }, ({ campaign, rows }) => (
    <span className="whitespace-nowrap text-quiet" title={rows.map((row) => row.campaign).join(', ')}>
      {campaign}
      {rows.length > 1 && ` and ${count(rows.length - 1)} more`}
    </span>
  )),
  right('last', 'Last call', { from: 'lg', has: (row) => calledAt(row) !== '' }, (row) =>
    row.state === 'calling' ? <Lasts id={row.id} /> : calledAt(row) && <Time at={calledAt(row)} />,
  ),
];
