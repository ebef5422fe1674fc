import { useNavigate } from '@tanstack/react-router';
import { useEffect, useMemo, useRef, useState } from 'react';
import type { Campaign, ListedRecipient } from '../../../api/description.ts';
import { Button } from '../../../kit/button.tsx';
import { Dialog } from '../../../kit/dialog.tsx';
import { Empty, Trouble } from '../../../kit/empty.tsx';
import { CheckField } from '../../../kit/field.tsx';
import { count, counted } from '../../../kit/words.ts';
import { personAddress } from '../../../shell/find.ts';
import { useMay } from '../../../shell/me.ts';
import { type CampaignSearch, type PeopleSearch, readPeople } from '../search.ts';
import { AddPeople } from './add.tsx';
import { BulkMenu } from './bulk-menu.tsx';
import { cardColumns, keepColumns, personColumns, readColumns } from './columns.tsx';
import { FilterBar } from './filter-bar.tsx';
import { mostSorted } from './list.ts';
import { readSort } from './sort.tsx';
import { PeopleTable, type PeopleTableHandle } from './table.tsx';
import { usePeopleList } from './use-list.ts';
import { ViewsDialog } from './views.tsx';
import { isNarrow } from './window.ts';

/** Everyone on the list: found, watched and acted on. */
type TabProps = { campaign: Campaign; search: CampaignSearch };

export function PeopleTab({ campaign, search }: TabProps) {
  const { id, kind, state, balance } = campaign;
  const navigate = useNavigate();
  const mayAct = useMay('operate');
  const [turn, setTurn] = useState(0);
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const [shownIds, setShownIds] = useState(readColumns);
  const [dialog, setDialog] = useState<'columns' | 'views' | 'add' | null>(null);
  const table = useRef<PeopleTableHandle>(null);
  const filter = useMemo(() => readPeople(search), [search]);
  const isFiltered = Object.keys(filter).length > 0;
  const { order } = search;
  const sorted = readSort(search.sort);
  const isGrid = kind === 'list' && !isFiltered && order === undefined && sorted === null;
  const list = usePeopleList({
    campaign: id,
    filter,
    order,
    sort: search.sort,
    row: isGrid || order || sorted ? undefined : search.row,
    rows: isGrid ? balance.rows : null,
    everyMs: state === 'running' || balance.calling > 0 ? 3_000 : null,
    turn,
  });
  const columns = useMemo(
    () => (isNarrow ? cardColumns : personColumns.filter((column) => shownIds.includes(column.id))),
    [shownIds],
  );
  const readFromStart = () => {
    setChosen(new Set());
    setTurn((before) => before + 1);
  };
  const go = (to: CampaignSearch, replace = true) =>
    navigate({ to: '/campaigns/$id', params: { id }, search: to, replace }).catch(() => undefined);
  const sorting = { ...(order && { order }), ...(search.sort && { sort: search.sort }) };
  const setFilter = (to: PeopleSearch) => {
    setChosen(new Set());
    void go({ tab: 'people', ...to, ...sorting }, false);
  };
  // A row has its place in the list's own order only.
  const { order: _, sort: __, row: ___, ...plain } = search;
  const goToRow = (row: number) => {
    if (isGrid) table.current?.goTo(row - 1);
    else void go({ ...plain, row });
  };
  const setOrder = (to: Pick<CampaignSearch, 'order' | 'sort'>) => void go({ ...plain, ...to });
  /** The way back leads to the row that was left. */
  const openPerson = async ({ phone, id: rid, row }: ListedRecipient) => {
    if (isGrid) await go({ ...search, row });
    await navigate({ to: personAddress({ phone, id: rid }), search: { row: rid } });
  };
  const { row: at } = search;
  useEffect(() => {
    if (isGrid && at) table.current?.goTo(at - 1);
  }, [isGrid, at]);
  const toggle = ({ id: rid }: ListedRecipient) =>
    setChosen((before) => {
      const now = new Set(before);
      if (!now.delete(rid)) now.add(rid);
      return now;
    });
  const close = () => setDialog(null);
  const problem = list.problem();
  const total = list.count();

  return (
    <>
      <FilterBar
        key={JSON.stringify(filter)}
        filter={filter}
        balance={balance}
        onFilter={setFilter}
        onRow={goToRow}
      />
      <div className="mb-2 flex flex-wrap items-center gap-2">
        <span className="mr-auto text-sm text-quiet" aria-live="polite">
          {chosen.size > 0
            ? `${count(chosen.size)} chosen`
            : isGrid
              ? '' // The chips above count the list.
              : list.isWhole()
                ? `${counted(total, 'person', 'people')} found`
                : `${count(Math.max(0, total - 1))} read so far`}
        </span>
        {chosen.size > 0 && (
          <Button small kind="quiet" onClick={() => setChosen(new Set())}>
            Choose nobody
          </Button>
        )}
        <OrderChoice order={order} onOrder={(to) => setOrder(to ? { order: to } : {})} />
        <Button small kind="quiet" onClick={readFromStart}>
          Refresh
        </Button>
        <Button small kind="quiet" onClick={() => setDialog('views')}>
          Views
        </Button>
        {!isNarrow && (
          <Button small kind="quiet" onClick={() => setDialog('columns')}>
            Columns
          </Button>
        )}
        {mayAct && kind === 'list' && state !== 'canceled' && (
          <Button small onClick={() => setDialog('add')}>
            Add people
          </Button>
        )}
        {mayAct && (total > 0 || isFiltered) && (
          <BulkMenu campaign={campaign} filter={filter} chosen={[...chosen]} />
        )}
      </div>
      {problem && <Trouble problem={problem} retry={readFromStart} />}
      {total === 0 && !problem ? (
        <Empty title={isFiltered ? 'Nobody fits the filter' : 'Nobody is on the list yet'}>
          {isFiltered
            ? 'Change the filter, or clear it to see everyone.'
            : 'Add people here, or send a CSV with a column named phone to the API.'}
        </Empty>
      ) : (
        <PeopleTable
          key={`${JSON.stringify(filter)} ${order ?? ''} ${search.sort ?? ''} ${turn}`}
          handle={table}
          list={list}
          columns={columns}
          onOpen={(person) => void openPerson(person)}
          selected={mayAct ? chosen : null}
          onToggle={toggle}
          sort={{
            now: sorted,
            isPossible: isFiltered || balance.rows <= mostSorted,
            onSort: (to) => setOrder(to ? { sort: to } : {}),
          }}
        />
      )}
      {dialog === 'columns' && (
        <ColumnsDialog
          shown={shownIds}
          onClose={close}
          onChange={(ids) => {
            setShownIds(ids);
            keepColumns(ids);
          }}
        />
      )}
      {dialog === 'views' && <ViewsDialog filter={filter} onClose={close} onOpen={setFilter} />}
      {dialog === 'add' && <AddPeople campaign={campaign} onClose={close} onAdded={readFromStart} />}
    </>
  );
}

/** The orders that an index of the ledger has: no other one would be quick in a list of a million. */
function OrderChoice({
  order,
  onOrder,
}: {
  order: 'moved' | undefined;
  onOrder(to: 'moved' | undefined): void;
}) {
  return (
    <label className="flex items-center gap-1.5 text-sm">
      <span className="text-quiet">Sort by</span>
      <select
        value={order ?? 'row'}
        onChange={(event) => onOrder(event.target.value === 'moved' ? 'moved' : undefined)}
        className="min-h-7 rounded-md border border-line-strong bg-card px-1.5"
      >
        <option value="row">as in the list</option>
        <option value="moved">last change first</option>
      </select>
    </label>
  );
}

/** Which columns the table has; this browser keeps it. */
type ColumnsProps = { shown: readonly string[]; onChange(ids: readonly string[]): void; onClose(): void };

function ColumnsDialog({ shown, onChange, onClose }: ColumnsProps) {
  const toggle = (id: string) => {
    const now = shown.includes(id) ? shown.filter((each) => each !== id) : [...shown, id];
    if (now.length > 0) onChange(now);
  };
  return (
    <Dialog open onClose={onClose} title="Columns">
      <fieldset className="grid grid-cols-2 gap-1">
        <legend className="mb-2 text-quiet">This browser keeps the choice.</legend>
        {personColumns.map(({ id, head }) => (
          <CheckField key={id} label={head} checked={shown.includes(id)} onChange={() => toggle(id)} />
        ))}
      </fieldset>
    </Dialog>
  );
}
