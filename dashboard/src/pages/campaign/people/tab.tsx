import { useMemo, useState } from 'react';
import type { Campaign, ListedRecipient } from '../../../api/description.ts';
import { usePages } from '../../../data/pages.ts';
import { Button, buttonClasses } from '../../../kit/button.tsx';
import { Dialog } from '../../../kit/dialog.tsx';
import { Empty } from '../../../kit/empty.tsx';
import { CheckField } from '../../../kit/field.tsx';
import { Icon } from '../../../kit/icon.tsx';
import { Listing } from '../../../kit/listing.tsx';
import { navigate } from '../../../kit/router.tsx';
import { DataTable } from '../../../kit/table/data-table.tsx';
import { count, counted } from '../../../kit/words.ts';
import { personHref } from '../../../shell/find.ts';
import { useMay } from '../../../shell/me.ts';
import { PageLink } from '../../../shell/page-link.tsx';
import { Walks } from '../../../shell/walk.tsx';
import { type CampaignSearch, type PeopleSearch, readPeople } from '../search.ts';
import { AddPeople } from './add.tsx';
import { BulkMenu } from './bulk-menu.tsx';
import { keepColumns, personColumns, readColumns } from './columns.tsx';
import { FilterBar } from './filter-bar.tsx';
import { ViewsDialog } from './views.tsx';

/** Everyone on the list: found, watched and acted on. */
export function PeopleTab({ campaign, search }: { campaign: Campaign; search: CampaignSearch }) {
  const { id, kind, state, balance, max_attempts, retry } = campaign;
  const mayAct = useMay('operate');
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const [shown, setShown] = useState(readColumns);
  const [dialog, setDialog] = useState<'columns' | 'views' | 'add' | null>(null);
  const close = () => setDialog(null);
  const filter = useMemo(() => readPeople(search), [search]);
  const { row } = search;
  // A row has its place in the list's own order only.
  const order = row ? 'row' : (search.order ?? (balance.attempts > 0 ? 'moved' : 'row'));
  const isFiltered = Object.keys(filter).length > 0;
  const list = usePages(
    'GET /api/campaigns/{id}/recipients',
    { params: { id }, query: { ...filter, order, limit: 100, ...(row && { row }) } },
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
    keepColumns(now);
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
          <Button small kind="quiet" onClick={() => setDialog('add')}>
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
              <PageLink to={`/campaigns/${id}?tab=results`}>See why each was rejected</PageLink>
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
        {(read) => {
          const rows = order === 'moved' ? callingFirst(read) : read;
          return (
            <>
              <Walks of={`of ${campaign.name}`} people={rows.map(personHref)} />
              <DataTable
                label="People"
                rows={rows}
                columns={columns}
                keyOf={keyOf}
                onOpen={(person) => void navigate({ to: personHref(person) })}
                {...(mayAct && { selected: chosen, onSelect: setChosen })}
              />
            </>
          );
        }}
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

const keyOf = ({ id }: ListedRecipient) => id;

/** One who moved while the next page was read may be on both. */
function callingFirst(rows: readonly ListedRecipient[]): ListedRecipient[] {
  const each = [...new Map(rows.map((row) => [row.id, row])).values()];
  return each.sort((a, b) => Number(b.state === 'calling') - Number(a.state === 'calling'));
}
