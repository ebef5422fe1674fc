import { useMemo, useState } from 'react';
import type { Campaign, ListedRecipient } from '../../../api/ask.ts';
import { useAct, useAsk, usePages } from '../../../data/queries.ts';
import { Button, buttonClasses, Icon } from '../../../kit/basics.tsx';
import { CheckField, Dialog, Form, TextField, useForm } from '../../../kit/form.tsx';
import { Empty } from '../../../kit/page.tsx';
import { Link, navigate } from '../../../kit/router.tsx';
import { keep, readKept } from '../../../kit/store.ts';
import { type Column, DataTable, Listing, left, right } from '../../../kit/table/data-table.tsx';
import { TheirTime, TimeBoth } from '../../../kit/their-time.tsx';
import { Phone } from '../../../kit/values.tsx';
import { cost, count, counted } from '../../../kit/words.ts';
import { ActButton } from '../../../shell/opens.tsx';
import { personHref, Walks } from '../../../shell/people.tsx';
import { Lasts, outcome, phone, state, Tries, talked, toldOf, who } from '../../../shell/person-columns.tsx';
import { useMay } from '../../../shell/reads.ts';
import { BulkMenu } from '../bulk.tsx';
import { type CampaignSearch, type PeopleSearch, readPeople } from '../search.ts';
import { AddPeople } from './add.tsx';
import { FilterBar } from './filter-bar.tsx';

/** Views: named filters of people, shared by everyone, for every campaign. */
type ViewsProps = { filter: PeopleSearch; onOpen(filter: PeopleSearch): void; onClose(): void };

const wordsOf = (filter: PeopleSearch) =>
  Object.entries(filter)
    .map(([field, value]) => `${field} ${value}`)
    .join(', ') || 'everyone';

function ViewsDialog({ filter, onOpen, onClose }: ViewsProps) {
  const { data } = useAsk('GET /api/views', { limit: 200 });
  const mayAct = useMay('operate');
  const keep = useAct('PUT /api/views/{name}', { onDone: () => set({ name: '' }), quiet: true });
  const { typed, set, field } = useForm({ name: '' }, keep);
  const remove = useAct('DELETE /api/views/{name}');
  const given = typed.name.trim();
  const isAboutOne = filter.phone !== undefined || filter.name !== undefined;
  return (
    <Dialog onClose={onClose} title="Views">
      <p className="text-quiet">A view is a filter with a name: kept once, it is here for everyone.</p>
      <ul className="divide-y divide-line">
        {data?.items.map((view) => {
          // As the page's address has it: several values of a filter stand there with commas.
          const kept = readPeople(view.filter);
          return (
            <li key={view.name} className="flex items-center gap-2 py-1.5">
              <span className="min-w-0 flex-1">
                <span className="font-medium break-words">{view.name}</span>
                <span className="block truncate text-sm text-quiet">
                  {wordsOf(kept)} · by {view.made_by}
                </span>
              </span>
              <Button
                small
                aria-label={`Open ${view.name}`}
                onClick={() => {
                  onClose();
                  onOpen(kept);
                }}
              >
                Open
              </Button>
              <ActButton
                may="operate"
                small
                kind="quiet"
                aria-label={`Remove ${view.name}`}
                busy={remove.isPending}
                onClick={() => remove.run({ name: view.name })}
              >
                Remove
              </ActButton>
            </li>
          );
        })}
      </ul>
      {mayAct && (
        <Form
          onSend={() => keep.run({ name: given, body: { filter } })}
          className="mt-4 flex items-end gap-2"
        >
          <div className="flex-1">
            <TextField
              {...field('name', 'Name of a new view')}
              disabled={isAboutOne}
              help={
                isAboutOne
                  ? 'A view is about many: clear the phone and the name to keep one.'
                  : `The filter of now: ${wordsOf(filter)}.`
              }
              error={keep.error?.message}
            />
          </div>
          <Button type="submit" className="mb-7" busy={keep.isPending} disabled={isAboutOne || given === ''}>
            Keep it
          </Button>
        </Form>
      )}
    </Dialog>
  );
}

/** The columns that the table can show of each person, by the campaign's order; those after the usual ones are the viewer's choice. */
type PersonColumn = Column<ListedRecipient>;
const usual = 'who phone state outcome told tries talked ended'.split(' ');

function personColumns(order: Pick<Campaign, 'max_attempts' | 'retry'>): readonly PersonColumn[] {
  const text = (id: string, head: string, cell: PersonColumn['cell']) => left(id, head, { from: 'lg' }, cell);
  return [
    text('row', 'Row', ({ row }) => <span className="text-xs text-quiet">{count(row)}</span>),
    who,
    { ...phone, cell: (row) => <Numbers of={row} /> },
    state,
    outcome,
    toldOf(order),
    text('tries', 'Attempts', ({ attempts }) => <Tries n={attempts} most={order.max_attempts} />),
    { ...talked, from: 'lg' },
    right('ended', 'Last call', { from: 'lg' }, ({ id, state: now, ended_at: at, timezones }) =>
      now === 'calling' ? <Lasts id={id} /> : at && <TimeBoth at={at} zones={timezones} />,
    ),
    text('there', 'Local time', ({ timezones }) => <TheirTime zones={timezones} />),
    text('cost', 'Cost', (row) => cost(row.cost, row.currency)),
    text('agent', 'Agent', ({ agent }) => agent),
    text('from', 'Caller number', ({ from }) => from && <Phone phone={from} />),
    text('key', 'Key', ({ key }) => key),
    text('status', 'Status of the service', ({ status }) => status),
    text('call', 'Call id', ({ call_id: id }) => id),
  ];
}

function Numbers({ of: row }: { of: ListedRecipient }) {
  const more = (row.phones?.length ?? 1) - 1;
  return (
    <>
      {phone.cell(row)}
      {more > 0 && <span className="ml-1.5 text-xs text-quiet">or {count(more)} more</span>}
    </>
  );
}

const kept = 'carillon.people.columns';

export function PeopleTab({ campaign, search }: { campaign: Campaign; search: CampaignSearch }) {
  const { id, kind, state, balance, max_attempts, retry } = campaign;
  const mayAct = useMay('operate');
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const [shown, setShown] = useState(() => readKept(kept)?.split(' ') ?? usual);
  const [dialog, setDialog] = useState<'columns' | 'views' | 'add' | null>(null);
  const close = () => setDialog(null);
  const filter = useMemo(() => readPeople(search), [search]);
  const { row } = search;
  // A row has its place in the list's own order only.
  const order = row ? 'row' : (search.order ?? (balance.attempts > 0 ? 'moved' : 'row'));
  const isFiltered = Object.keys(filter).length > 0;
  const list = usePages(
    'GET /api/campaigns/{id}/recipients',
    { id, ...filter, order, limit: 100, ...(row && { row }) },
    state === 'running' || balance.calling > 0 ? { everyMs: 5_000 } : {},
  );
  const all = useMemo(() => personColumns({ max_attempts, retry }), [max_attempts, retry]);
  const columns = useMemo(() => all.filter((each) => shown.includes(each.id)), [all, shown]);
  const go = (to: CampaignSearch) => {
    setChosen(new Set());
    void navigate({ to: '/campaigns/$id', params: { id }, search: { tab: 'people', ...to } });
  };
  const setFilter = (to: PeopleSearch) => go({ ...to, ...(search.order && { order: search.order }) });
  const toggle = (column: string) => {
    const now = shown.includes(column) ? shown.filter((each) => each !== column) : [...shown, column];
    if (now.length === 0) return;
    setShown(now);
    keep(kept, now.join(' '));
  };
  const found = list.rows ?? [];
  const sorted = useMemo(
    () => (order === 'moved' && list.rows ? callingFirst(list.rows) : list.rows),
    [order, list.rows],
  );
  return (
    <>
      <FilterBar filter={filter} balance={balance} onFilter={setFilter}>
        <select
          aria-label="Sort by"
          value={order}
          onChange={({ target }) => go({ ...filter, order: target.value as 'moved' | 'row' })}
          className={buttonClasses('quiet', true)}
        >
          <option value="moved">Latest call first</option>
          <option value="row">As in the list</option>
        </select>
        <Button small kind="quiet" onClick={() => setDialog('columns')} className="max-sm:hidden">
          <Icon name="columns" /> Columns
        </Button>
        <Button small kind="quiet" onClick={() => setDialog('views')} className="max-sm:hidden">
          Views
        </Button>
        {mayAct && kind === 'list' && state !== 'canceled' && (
          <Button acts small kind="quiet" onClick={() => setDialog('add')}>
            <Icon name="plus" /> Add people
          </Button>
        )}
        {mayAct && (found.length > 0 || isFiltered) && (
          <BulkMenu campaign={campaign} filter={filter} chosen={[...chosen]} />
        )}
      </FilterBar>
      <p className="mb-2 text-xs text-quiet empty:hidden" aria-live="polite">
        {list.rows &&
          isFiltered &&
          `${list.hasMore ? 'The first ' : ''}${counted(found.length, 'person', 'people')} found. `}
        {chosen.size > 0 && `${count(chosen.size)} chosen. `}
        {list.isLong && (
          <button type="button" className="link" onClick={list.again}>
            They are as they were read: read them again
          </button>
        )}
      </p>
      <Listing
        list={{ ...list, rows: sorted }}
        endless
        empty={
          filter.state === 'rejected' && balance.rejected > 0 ? (
            <Empty title={`${counted(balance.rejected, 'row')} never came on the list`}>
              <Link to={`/campaigns/${id}?tab=results`}>See why each was rejected</Link>
            </Empty>
          ) : (
            <Empty title={isFiltered ? 'Nobody fits the filter' : 'Nobody is on the list yet'}>
              {isFiltered
                ? 'Change the filter, or clear it to see everyone.'
                : 'Add people here, or send a CSV with a column named phone to the API.'}
            </Empty>
          )
        }
      >
        {(rows) => (
          <>
            <Walks of={`of ${campaign.name}`} people={rows.map(personHref)} />
            <DataTable
              label="People"
              rows={rows}
              columns={columns}
              onOpen={(person) => void navigate({ to: personHref(person) })}
              {...(mayAct && { selected: chosen, onSelect: setChosen })}
            />
          </>
        )}
      </Listing>
      {dialog === 'columns' && (
        <Dialog onClose={close} title="Columns">
          <div className="grid grid-cols-2 gap-1">
            {all.map(({ id: column, head }) => (
              <CheckField
                key={column}
                label={head}
                checked={shown.includes(column)}
                onChange={() => toggle(column)}
              />
            ))}
          </div>
        </Dialog>
      )}
      {dialog === 'views' && <ViewsDialog filter={filter} onClose={close} onOpen={setFilter} />}
      {dialog === 'add' && <AddPeople campaign={campaign} onClose={close} onAdded={list.again} />}
    </>
  );
}

/** One who moved while the next page was read may be on both. */
function callingFirst(rows: readonly ListedRecipient[]): ListedRecipient[] {
  const each = [...new Map(rows.map((row) => [row.id, row])).values()];
  return each.sort((a, b) => Number(b.state === 'calling') - Number(a.state === 'calling'));
}
